"""A background: the graph without the nodes outside of it."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import graphs
from sub2node import DataError, SubgraphTask
from sub2node.io import to_networkx
from sub2node.task import Graph, Names
from sub2node.task.background import induced_graph, within_background


@given(st.data())
def test_the_graph_is_the_one_that_networkx_induces(data: st.DataObject) -> None:
    graph: Graph = data.draw(graphs())
    size = graph.num_nodes
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), bool)
    names = Names([f"n{node}" for node in range(size)])
    kept = induced_graph(graph, keep, names)
    named = Graph(
        graph.indptr,
        graph.indices,
        graph.weights,
        graph.loops,
        graph.loop_weights,
        names=names,
    )
    expected = to_networkx(named).subgraph([f"n{node}" for node in np.flatnonzero(keep)])
    assert nx.utils.graphs_equal(to_networkx(kept), nx.Graph(expected))
    if graph.features is not None:
        assert kept.features is not None
        assert np.array_equal(kept.features, graph.features[keep])


def test_what_is_outside_is_counted() -> None:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], titles=Names("wxyz"))
    inside, note = within_background(graph, pa.array(["1", "2", "3", "9", "9"]))
    assert list(inside.names or ()) == ["1", "2", "3"]
    assert list(inside.titles or ()) == ["x", "y", "z"]
    assert note == (
        "Background: 3 nodes of the graph kept, 1 outside of it omitted with their edges; the graph"
        " does not have 1 of its ids: '9'."
    )
    same, note = within_background(graph, pa.array(list("0123")))
    assert same is graph
    assert note == "Background: 4 nodes of the graph kept."
    with pytest.raises(DataError, match=r"no node of the graph is in the background \('a', 'b'\)"):
        within_background(graph, pa.array(["a", "b"]))


def test_members_outside_are_unknown() -> None:
    from sub2node.task.assemble import assemble
    from sub2node.task.reading_options import Reading, ReadingOptions

    reading = Reading(ReadingOptions(unknown_nodes="drop"))
    edges = {"source": [0, 1, 2], "target": [1, 2, 3]}
    members = {"subgraph_id": ["s", "s", "t"], "node_id": [0, 1, 2]}
    task = assemble(edges, members, background=pa.array(["1", "2", "3"]), reading=reading)
    assert [task.members("s"), task.members("t")] == [["1"], ["2"]]
    assert any("1 unknown member in 1 subgraph dropped" in note for note in task.notes)
    assert isinstance(task, SubgraphTask)


def test_names_are_found_and_kept_inside() -> None:
    graph = Graph.from_edges([0, 1], [1, 2], names=Names(["a", "b", "c"]))
    graph = graph.with_other_names({"alias": ["Bee", "Sea", "pet", "pet"],
                                    "node_id": ["b", "c", "a", "b"]})  # fmt: skip
    inside, note = within_background(graph, pa.array(["BEE", "a", "pet"]))
    assert note.endswith("the graph does not have 1 of its ids: 'pet'.")
    assert inside.names == Names(["a", "b"])
    assert inside.other_names is not None
    assert inside.other_names.to_table(inside.ids())["alias"].to_pylist() == ["Bee", "pet", "pet"]
