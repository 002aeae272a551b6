"""Tables of aliases: in a folder, beside one, saved with the task."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node import DataError, load_task
from sub2node.io import save_task
from sub2node.io.aliases import read_aliases, with_aliases


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "data"
    path.mkdir()
    (path / "edges.csv").write_text("source,target\na,b\nb,c\n")
    (path / "members.csv").write_text("subgraph_id,node_id\n1,a\n1,Bee\n2,c\n")
    (path / "aliases.csv").write_text("alias,node_id,kind\nbee,b,symbol\n007,c,\n")
    return path


@pytest.mark.parametrize("format", ["parquet", "csv", "tsv", "jsonl", "gmt"])
def test_names_travel_with_a_task(folder: Path, tmp_path: Path, format: str) -> None:
    task = load_task(folder)
    assert task.members(0) == ["a", "b"]
    assert "1 member given by a symbol found: 'Bee' is 'b'." in task.notes
    again = load_task(save_task(task, tmp_path / "saved", format=format))
    assert again == task
    tables = [t.graph.other_names.to_table(t.graph.ids()).to_pylist() for t in (task, again)]
    assert tables[0] == tables[1] == [
        {"alias": "bee", "node_id": "b", "kind": "symbol"},
        {"alias": "007", "node_id": "c", "kind": "alias"},
    ]  # fmt: skip


def test_a_table_in_place_of_that_of_the_folder(folder: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.tsv"
    own.write_text("alias\tnode_id\nBee\ta\n")
    assert load_task(folder, aliases=own).members(0) == ["a"]
    named = with_aliases(load_task(folder), own)
    assert len(named.graph.other_names) == 3
    assert with_aliases(named, None) is named


def test_names_of_an_ontology(tmp_path: Path) -> None:
    path = tmp_path / "a.obo"
    path.write_text('[Term]\nid: a\nname: A\nalt_id: old\nsynonym: "first" EXACT []\n')
    rows = read_aliases(path).to_pylist()
    assert [(row["alias"], row["node_id"], row["kind"]) for row in rows] == [
        ("old", "a", "former id"), ("first", "a", "synonym"),
    ]  # fmt: skip


def test_what_is_no_table_of_aliases(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("a\tb\n")
    with pytest.raises(DataError, match=r"names.txt: aliases are a table alias, node_id"):
        read_aliases(path)
