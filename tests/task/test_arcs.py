import numpy as np
import pytest

from sub2node.base.errors import DataError
from sub2node.task import Arcs, Graph, Names
from sub2node.task.background import induced_graph

ARCS = Arcs(
    [0, 1, 0, 2, 2],
    [1, 0, 1, 2, 3],
    weights=[1, 2, 4, 3, 5],
    features=[[1], [2], [3], [4], [5]],
    feature_names=("amount",),
)


def test_the_weight_of_an_edge_is_the_sum_over_its_arcs_in_both_directions():
    graph = Graph.from_arcs(ARCS)

    low, high, weights = graph.edges()
    assert list(zip(low, high, weights, strict=True)) == [(0, 1, 7), (2, 3, 5)]
    assert (list(graph.loops), list(graph.loop_weights)) == ([2], [3])
    assert graph.arcs is ARCS


def test_arcs_without_weights_count_one_each():
    graph = Graph.from_arcs(Arcs(ARCS.source, ARCS.target), num_nodes=6)

    assert list(graph.edges()[2]) == [3, 1]
    assert graph.num_nodes == 6


def test_rows_by_node_are_all_rows_in_their_order():
    ptr, rows = ARCS.leaving(6)
    assert list(ptr) == [0, 2, 3, 5, 5, 5, 5]
    assert list(rows) == [0, 2, 1, 3, 4]
    ptr, rows = ARCS.entering(4)
    assert list(ptr) == [0, 1, 3, 4, 5]
    assert list(rows) == [1, 0, 2, 3, 4]


def test_no_arcs_lead_nowhere():
    ptr, rows = Arcs([], []).leaving(3)
    assert (list(ptr), list(rows)) == ([0, 0, 0, 0], [])
    assert Graph.from_arcs(Arcs([], []), num_nodes=3).num_edges == 0


def test_the_part_of_a_graph_has_the_arcs_inside():
    graph = Graph.from_arcs(ARCS)
    part = induced_graph(graph, np.array([False, True, True, True]), Names("abcd"))

    assert list(part.arcs.source) == [1, 1]
    assert list(part.arcs.target) == [1, 2]
    assert part.arcs.features.tolist() == [[4], [5]]


def test_the_content_hash_changes_with_direction_only_where_there_are_arcs():
    graph = Graph.from_arcs(ARCS)
    plain = Graph(graph.indptr, graph.indices, graph.weights, graph.loops, graph.loop_weights)
    other = Graph.from_arcs(
        Arcs(ARCS.target, ARCS.source, ARCS.weights, ARCS.features, ARCS.feature_names)
    )

    assert len({graph.hash, plain.hash, other.hash}) == 3
    assert graph.arcs == Arcs(
        ARCS.source, ARCS.target, ARCS.weights, ARCS.features, ARCS.feature_names
    )


@pytest.mark.parametrize(
    ("arcs", "sentence"),
    [
        (Arcs([0], [9]), "outside of the 4 nodes"),
        (Arcs([0, 2], [1, 1]), "different pairs"),
        (Arcs(ARCS.source, ARCS.target), "sum of the weights"),
    ],
)
def test_arcs_that_are_not_those_of_the_graph_are_refused(arcs, sentence):
    graph = Graph.from_arcs(ARCS)
    with pytest.raises(DataError, match=sentence):
        Graph(
            graph.indptr,
            graph.indices,
            graph.weights,
            graph.loops,
            graph.loop_weights,
            arcs=arcs,
        )


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"target": [1]}, "sources"),
        ({"source": [-1, 0]}, "negative"),
        ({"weights": [1, 0]}, "weight"),
        ({"features": [[1], [np.nan]], "feature_names": ("a",)}, "'a' of arc 1 is nan"),
        ({"features": [[1], [2]]}, "one column for each"),
        ({"features": [[1], ["x"]], "feature_names": ("a",)}, "must be numbers"),
        ({"features": [[1, 2]] * 2, "feature_names": ("a", "a")}, "each of them once"),
        ({"features": [[1]] * 2, "feature_names": ("weight",)}, "cannot be called 'weight'"),
    ],
)
def test_what_makes_no_arcs_is_said(fields, sentence):
    with pytest.raises(DataError, match=sentence):
        Arcs(**{"source": [0, 1], "target": [1, 0], **fields})
