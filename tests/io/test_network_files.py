"""Networks for Cytoscape: GraphML as NetworkX reads it, CX2 as its specification says."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from sub2node.base.errors import ConfigError
from sub2node.io.network_files import Network, write_network

NODES = {
    "name": ["Gait <ataxia> & more", "ü", 'q"'],
    "id": ["HP:1", "HP:2", "HP:3"],
    "member": [True, False, True],
    "contribution": [0.25, 0.0, -1e-9],
    "links": [3, 0, 1],
}
NETWORK = Network(
    "case: <x>", NODES, np.array([0, 1]), np.array([2, 2]), {"weight": [1.0, 0.5]}
)  # fmt: skip


def test_graphml_as_networkx_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "a.graphml"
    write_network(NETWORK, path)
    graph = nx.read_graphml(path)
    assert not graph.is_directed()
    for position, node in enumerate(graph.nodes):
        assert node == f"n{position}"
        assert graph.nodes[node] == {name: values[position] for name, values in NODES.items()}
    assert [*graph.edges(data="weight")] == [("n0", "n2", 1.0), ("n1", "n2", 0.5)]


def test_cx2_has_the_aspects_of_the_specification(tmp_path: Path) -> None:
    path = tmp_path / "a.cx2"
    write_network(NETWORK, path)
    header, meta, *aspects, status = json.loads(path.read_text(encoding="utf-8"))
    assert header == {"CXVersion": "2.0", "hasFragments": False}
    assert status == {"status": [{"error": "", "success": True}]}
    content = {name: values for aspect in aspects for name, values in aspect.items()}
    counts = {entry["name"]: entry["elementCount"] for entry in meta["metaData"]}
    assert counts == {name: len(values) for name, values in content.items()}
    assert list(content) == ["attributeDeclarations", "networkAttributes", "nodes", "edges"]
    (declared,) = content["attributeDeclarations"]
    assert declared["nodes"] == {
        "name": {"d": "string"}, "id": {"d": "string"}, "member": {"d": "boolean"},
        "contribution": {"d": "double"}, "links": {"d": "long"},
    }  # fmt: skip
    assert declared["edges"] == {"weight": {"d": "double"}}
    assert content["networkAttributes"] == [{"name": "case: <x>"}]
    assert content["nodes"][2] == {"id": 2, "v": {name: v[2] for name, v in NODES.items()}}
    assert content["edges"] == [
        {"id": 0, "s": 0, "t": 2, "v": {"weight": 1.0}},
        {"id": 1, "s": 1, "t": 2, "v": {"weight": 0.5}},
    ]


def test_a_network_without_edges_and_control_characters(tmp_path: Path) -> None:
    none = np.empty(0, np.int64)
    network = Network("a\x07", {"name": ["\x1b[31m"]}, none, none, {"weight": []})
    write_network(network, tmp_path / "a.GRAPHML")
    assert nx.read_graphml(tmp_path / "a.GRAPHML").nodes["n0"] == {"name": "\\x1b[31m"}
    write_network(network, tmp_path / "part", ending=".cx2")
    assert json.loads((tmp_path / "part").read_text())[-2] == {"edges": []}


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"as \.graphml or \.cx2, not '\.gexf'"):
        write_network(NETWORK, tmp_path / "a.gexf")
