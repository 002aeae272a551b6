"""The subgraphs of a folder that have no label are what a model is asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node import DataError
from sub2node.io.sets import read_sets


def names(folder: Path, columns: dict[str, str] | None = None) -> list[str]:
    return [name for batch in read_sets(folder, columns) for name in batch.names]


def test_those_with_a_label_are_left_out(tables: Path) -> None:
    (tables / "labels.csv").write_text("subgraph_id,disease\ns1,x\ns2,NA\ns4,\n")
    assert names(tables, {"labels.label": "disease"}) == ["s2", "s3", "s4"]
    (batch,) = read_sets(tables, {"labels.label": "disease"})
    assert batch.nodes.to_pylist() == ["c", "d", "a", "c"]
    assert batch.lines.tolist() == [4, 6, 7]
    (tables / "labels.csv").unlink()
    assert names(tables) == ["s1", "s2", "s3", "s4"]


def test_a_folder_with_labels_throughout_has_nothing_to_ask(tables: Path) -> None:
    with pytest.raises(DataError, match="all subgraphs of this folder have a label"):
        names(tables)
    (tables / "members.csv").unlink()
    (tables / "labels.csv").unlink()
    rows = ['{"id": "s1", "nodes": ["a"], "label": "x"}', '{"id": "s2", "nodes": ["b"]}']
    (tables / "subgraphs.jsonl").write_text("\n".join(rows))
    assert names(tables) == ["s2"]


def test_excluded_nodes_of_the_table_go_with_their_subgraphs(tables: Path) -> None:
    (tables / "labels.csv").unlink()
    (tables / "excluded.csv").write_text("set,finding\ns2,a\ns1,d\nnobody,a\ns2,b\n")
    (batch,) = read_sets(tables, {"excluded.node_id": "finding"})
    assert batch.nodes.to_pylist() == ["a", "b", "d", "c", "d", "a", "b", "a", "c"]
    assert batch.absent.tolist() == [False, False, True, False, False, True, True, False, False]
    assert batch.ptr.tolist() == [0, 3, 7, 8, 9]


def test_a_column_for_all_tables_that_the_members_lack_is_meant_for_another(tables: Path) -> None:
    (tables / "labels.csv").write_text("case,label\ns1,x\n")
    assert names(tables, {"subgraph_id": "case"}) == ["s2", "s3", "s4"]
    with pytest.raises(DataError, match="no column 'case'"):
        list(read_sets(tables / "members.csv", {"subgraph_id": "case"}))
