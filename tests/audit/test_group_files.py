"""A file of groups: text as written, and rows that fit the data."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node import load_task
from sub2node.audit.group_files import read_groups
from sub2node.base.errors import DataError


def write(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(["subgraph_id,group", *rows]) + "\n")
    return path


def test_groups_are_text_as_written(tables: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "groups.csv", "s1,007", "s2,7", "s3,", "s4,7")
    groups = read_groups(file, load_task(tables))
    assert groups == {"s1": "007", "s2": "7", "s3": "", "s4": "7"}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (("s1,a", "s2,a", "s3,a"), "subgraph 's4' has no row"),
        (("s1,a", "s2,a", "s3,a", "s4,a", "s9,a"), "no subgraph 's9'"),
        (("s1,a", "s1,b", "s2,a", "s3,a", "s4,a"), "'s1' has the groups 'a' and 'b'"),
    ],
)
def test_rows_that_do_not_fit_are_named(
    tables: Path, tmp_path: Path, rows: tuple[str, ...], message: str
) -> None:
    file = write(tmp_path / "groups.csv", *rows)
    with pytest.raises(DataError, match=message) as caught:
        read_groups(file, load_task(tables))
    assert "groups.csv" in str(caught.value)


def test_a_missing_column_is_named(tables: Path, tmp_path: Path) -> None:
    file = tmp_path / "groups.csv"
    file.write_text("subgraph_id,family\ns1,a\n")
    with pytest.raises(DataError, match="no column 'group'; columns found: subgraph_id, family"):
        read_groups(file, load_task(tables))
