"""The format of a file or folder is recognised, or what was expected is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from bad_files import assert_refused
from sub2node import ConfigError
from sub2node.io import read_task
from sub2node.io.read import recognised


def test_folder_without_data(tmp_path: Path) -> None:
    assert_refused(
        tmp_path, "no data recognised: expected edge_list.txt and subgraphs.pth, or tables"
    )
    (tmp_path / "notes.docx").write_bytes(b"PK")
    assert_refused(tmp_path / "notes.docx", r"a file of subgraphs ends in \.gmt")


def test_options_that_do_not_apply_are_refused(small: Path, tables: Path) -> None:
    both = small  # the same temporary folder: SubGNN files and tables side by side
    for options in ({"columns": {"source": "x"}}, {"graph": "e.csv"}, {"labels": "l.csv"}):
        with pytest.raises(ConfigError):
            read_task(both, **options)  # type: ignore[arg-type]
    for name in ("edge_list.txt", "subgraphs.pth"):
        (both / name).unlink()
    with pytest.raises(ConfigError, match="SubGNN layout"):
        read_task(tables, variant="split1")


def test_a_folder_is_recognised_by_what_is_in_it(small: Path, tmp_path_factory) -> None:
    assert recognised(small)
    assert not recognised(small / "edge_list.txt")
    folder = tmp_path_factory.mktemp("other")
    assert not recognised(folder)
    (folder / "edges.csv").write_text("source,target\n0,1\n")
    assert recognised(folder)
    (folder / "edges.tsv").write_text("source\ttarget\n0\t1\n")
    assert recognised(folder)  # reading it says that there is one table too many
