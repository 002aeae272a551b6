"""GMX: gene sets as columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from bad_files import assert_refused
from sub2node import load_task
from sub2node.io.gmx import gmx_columns
from sub2node.io.sets import read_sets

GMX = "p53\trepair\tlone\nstress\tna\t\nTP53\tATM\t CDK1 \nMDM2\tTP53\t\n\tBRCA1\n"
GMT = "p53\tstress\tTP53\tMDM2\nrepair\tna\tATM\tTP53\tBRCA1\nlone\t\tCDK1\n"
EDGES = "source,target\nTP53,MDM2\nATM,BRCA1\nCDK1,TP53\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sets.gmx").write_text(GMX)
    (tmp_path / "sets.gmt").write_text(GMT)
    (tmp_path / "edges.csv").write_text(EDGES)
    return tmp_path


def test_columns_are_the_sets_that_lines_of_gmt_are(folder: Path) -> None:
    graph = folder / "edges.csv"
    task = load_task(folder / "sets.gmx", graph=graph)
    assert task.hash == load_task(folder / "sets.gmt", graph=graph).hash
    assert any("White space around 1 value" in note for note in task.notes), task.notes
    odd = folder / "sets.txt"
    odd.write_text(GMX)
    assert load_task(odd, graph=graph, format="gmx").hash == task.hash
    (folder / "sets.gmt").unlink()
    assert load_task(folder).hash == task.hash  # beside a table of edges


def test_a_line_of_blank_descriptions_is_one(tmp_path: Path) -> None:
    path = tmp_path / "a.gmx"
    path.write_bytes(b"\xef\xbb\xbfx\ty\r\n\t\r\nA\tB\r\n")
    assert [(one.name, one.title, one.genes) for one in gmx_columns(path)] == [
        ("x", "", ["A"]),
        ("y", "", ["B"]),
    ]


def test_what_is_wrong_names_the_column(folder: Path) -> None:
    path, graph = folder / "sets.gmx", folder / "edges.csv"
    path.write_text("a\t\nna\tna\nTP53\tATM\n")
    assert_refused(path, "the set of column 2 has no name", graph=graph)
    path.write_text("a\tb\nna\tna\nTP53\t\n")
    assert_refused(path, r"the set 'b' \(column 2\) is empty; expected a line of", graph=graph)
    path.write_text("a\ta\nna\tna\nTP53\tATM\n")
    assert_refused(path, "the subgraph 'a' is there twice", graph=graph)
    path.write_bytes(b"a\tb\n\x81\xfe\n")
    assert_refused(path, r"sets\.gmx:2: this line is not UTF-8", graph=graph)


def test_questions_may_be_columns(folder: Path) -> None:
    (folder / "sets.gmx").write_text("a\tb\t\nna\tna\t\nTP53\t\tATM\n")
    (batch,) = read_sets(folder / "sets.gmx")
    assert list(batch.names) == ["a", "b", ""]
    assert sorted(batch.problems) == [1, 2]
    assert batch.nodes.to_pylist() == ["TP53"]
