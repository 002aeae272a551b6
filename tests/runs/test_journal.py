"""Journals: what is appended can be read back, whatever a kill leaves at the end of a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sub2node.base.errors import ConfigError
from sub2node.runs.journal import LineJournal


def number(value: dict[str, int]) -> int:
    return value["n"]


def test_records_are_on_disk_at_once_and_in_order(tmp_path: Path) -> None:
    journal = LineJournal(tmp_path / "new" / "folder", "cells")
    assert journal.read(number) == ([], 0)
    for n in range(3):
        journal.append({"n": n, "word": "é"})
        assert json.loads(journal.file.read_text("utf-8").splitlines()[-1])["n"] == n
    assert LineJournal(journal.folder, "cells").read(number) == ([0, 1, 2], 0)


def test_a_line_cut_anywhere_costs_only_itself(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for place in range(40):
        journal = LineJournal(tmp_path / str(place), "rows")
        for n in range(3):
            journal.append({"n": n, "text": "ünï" * int(rng.integers(4))})
        whole = journal.file.read_bytes()
        last = whole.rstrip(b"\n").rfind(b"\n") + 1
        cut = int(rng.integers(last, len(whole)))
        journal.file.write_bytes(whole[:cut])  # the process was killed while it wrote
        kept = [0, 1, 2] if cut == len(whole) - 1 else [0, 1]
        broken = int(len(kept) == 2 and cut > last)
        assert journal.read(number) == (kept, broken)
        journal.append({"n": 3})
        journal.append({"n": 4})
        assert journal.read(number) == ([*kept, 3, 4], broken)


def test_processes_write_files_of_their_own_and_read_all(tmp_path: Path) -> None:
    for place in (3, 1, 2):
        LineJournal(tmp_path, "cells", (place, 3)).append({"n": place})
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"cells-00{place}-of-003.jsonl" for place in (1, 2, 3)]
    LineJournal(tmp_path, "other").append({"n": 9})
    assert LineJournal(tmp_path, "cells").read(number) == ([1, 2, 3], 0)


def test_lines_that_mean_nothing_are_counted(tmp_path: Path) -> None:
    journal = LineJournal(tmp_path, "cells")
    journal.file.write_bytes(b'\xff\n{"n": 1}\n\n[]\n{"m": 2}\nnull\n{"n": 3}')
    assert journal.read(number) == ([1, 3], 4)


def test_replacing_writes_the_rest_or_removes_the_file(tmp_path: Path) -> None:
    journal = LineJournal(tmp_path, "unsent")
    for n in range(3):
        journal.append({"n": n})
    journal.replace([{"n": 1}])
    assert journal.read(number) == ([1], 0)
    journal.replace([])
    assert list(tmp_path.iterdir()) == []
    journal.replace([])


def test_a_place_that_cannot_be_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="is a file, expected a folder"):
        LineJournal(tmp_path / "file", "cells")
    with pytest.raises(ConfigError, match="cannot be written"):
        LineJournal(tmp_path / "file" / "below", "cells")
