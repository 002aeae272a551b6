"""The journal of cells: nothing is lost, whatever was cut off."""

from __future__ import annotations

import json

import pytest

from sub2node.base.errors import ConfigError
from sub2node.reproduce.cell_journal import Journal, Record


def test_journal_reads_what_was_cut_off_and_what_others_wrote(tmp_path) -> None:
    log = Journal(tmp_path)
    log.add(Record("a", "one", values=(0.5, 0.25)))
    log.add(Record("b", "two", "failed", "no luck"))
    with log.file.open("a") as file:
        file.write('{"key": "c", "job": "thr')
    again = Journal(tmp_path)
    assert again.broken == 1
    assert again.records["a"].values == (0.5, 0.25)
    assert again.done("a")
    assert not again.done("b")
    again.add(Record("c", "three", values=(1.0,)))
    other = Journal(tmp_path, (2, 3))
    assert other.file.name == "cells-002-of-003.jsonl"
    other.add(Record("b", "two", values=(0.75,)))
    log.add(Record("b", "two", "failed", "again"))  # a later failure does not hide a result
    merged = Journal(tmp_path)
    assert merged.broken == 1
    assert {key for key, record in merged.records.items() if record.done} == {"a", "b", "c"}
    with log.file.open("a") as file:
        file.write(json.dumps({"key": "d", "job": "x", "values": ["many"]}) + "\n[1]\n\n")
        file.write(json.dumps({"key": "e", "job": "y", "colour": "of a later version"}) + "\n")
    last = Journal(tmp_path)
    assert last.broken == 3
    assert "d" not in last.records
    assert last.records["e"].done
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="expected a folder"):
        Journal(tmp_path / "file")
