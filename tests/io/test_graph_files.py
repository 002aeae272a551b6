"""Which format a file with a graph has."""

from __future__ import annotations

from pathlib import Path

import pytest

from foreign_files import TRANSACTIONS_HEADER, transaction
from sub2node import ConfigError, DataError
from sub2node.io.graph_files import FORMATS, GraphOptions, check_graph_format, read_graph_file


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


def test_a_format_by_its_name(tmp_path: Path) -> None:
    odd = tmp_path / "a.dat"
    cases = {
        "obo": "[Term]\nid: x:1\n\n[Term]\nid: x:2\nis_a: x:1\n",
        "string": "protein1 protein2 combined_score\nx:1 x:2 900\n",
        "biogrid": "#BioGRID Interaction ID\tOfficial Symbol Interactor A"
        "\tOfficial Symbol Interactor B\n1\tx:1\tx:2\n",
        "ibm-aml": TRANSACTIONS_HEADER
        + transaction(("x", "1"), ("x", "2"), day=1, laundering=0)
        + "\n",
    }
    assert set(cases) == set(FORMATS)
    for name, text in cases.items():
        odd.write_text(text)
        source = read_graph_file(odd, GraphOptions(format=name))
        assert source is not None
        assert list(source.graph.names or ()) == ["x:1", "x:2"]
    with pytest.raises(ConfigError, match=r"no format 'strin' of a graph\. Did you mean 'string'"):
        check_graph_format("strin")
