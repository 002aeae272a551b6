"""Which format a file with a graph has."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node import DataError
from sub2node.io.graph_files import read_graph_file


def test_tables_are_no_foreign_format(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text("source,target\na,b\n")
    assert read_graph_file(path) is None


def test_a_graph_needs_an_edge(tmp_path: Path) -> None:
    path = tmp_path / "a.obo"
    path.write_text("[Term]\nid: x:1\n\n[Term]\nid: x:2\nis_a: x:3\n")
    with pytest.raises(DataError, match=r"a\.obo: no edge joins"):
        read_graph_file(path)
    path.write_text("[Term]\nid: x:1\n\n[Term]\nid: x:2\nis_a: x:1\n")
    source = read_graph_file(path)
    assert source is not None
    assert source.graph.num_edges == 1
    assert source.notes == ("The graph is the ontology a.obo.",)
