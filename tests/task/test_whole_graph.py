"""A graph on disk of which a task holds the part between its members."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import tasks
from sub2node import DataError, SubgraphTask
from sub2node.task import Graph, Subgraphs, WholeGraph, measure


def cut(task: SubgraphTask) -> SubgraphTask:
    """The task with the nodes of its subgraphs only, and what stays known of the others."""
    graph, taken = task.graph, np.unique(task.subgraphs.nodes)
    part = graph.adjacency()[taken][:, taken].tocsr()
    part.sort_indices()
    whole = WholeGraph(graph.num_nodes, graph.num_edges, graph.degrees[taken])
    weights = None if graph.weights is None else part.data
    small = Graph(part.indptr, part.indices, weights, whole=whole)
    nodes = np.searchsorted(taken, task.subgraphs.nodes)
    return SubgraphTask(small, Subgraphs(task.subgraphs.ptr, nodes))


@given(st.data())
def test_measures_of_a_part_are_those_in_the_whole_graph(data: st.DataObject) -> None:
    task: SubgraphTask = data.draw(tasks(plain=True))
    part = cut(task)
    whole, small = measure(task.graph, task.subgraphs), measure(part.graph, part.subgraphs)
    for name in ("sizes", "edges", "boundary", "cut_ratio", "components", "degree_moments"):
        np.testing.assert_array_equal(getattr(small, name), getattr(whole, name), err_msg=name)


def test_the_whole_graph_is_part_of_the_content() -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    part = replace(graph, whole=WholeGraph(9, 20, [3, 4, 5]))
    other = replace(graph, whole=WholeGraph(9, 20, [3, 4, 6]))
    assert len({graph.hash, part.hash, other.hash}) == 3
    assert part.full_size == 9
    assert part.full_degrees.tolist() == [3, 4, 5]
    assert graph.full_size == 3
    assert graph.full_degrees.tolist() == [1, 2, 1]


def test_what_cannot_be_a_part_is_refused() -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(DataError, match="2 degrees in the whole graph for 3 nodes"):
        replace(graph, whole=WholeGraph(9, 20, [3, 4]))
    with pytest.raises(DataError, match="cannot have more nodes or edges than the whole"):
        replace(graph, whole=WholeGraph(9, 20, [1, 1, 1]))
    with pytest.raises(DataError, match="cannot have more nodes or edges than the whole"):
        replace(graph, whole=WholeGraph(2, 20, [1, 2, 1]))
    with pytest.raises(DataError, match="1 strength for 2 degrees"):
        WholeGraph(9, 20, [1, 2], strengths=[1.0])
