"""T_e by its definition: shortest paths, shared nodes, operators of one's own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import sub2node as s2n
from dense_translation import dense_membership
from strategies import tasks
from sub2node import ConfigError, SubgraphTask
from sub2node.task import Arcs, Graph
from sub2node.translation.edge_weights import (
    EdgeWeights,
    ShortestPathEdgeWeights,
    Side,
    make_edge_weights,
)


@given(tasks(), st.integers(0, 3))
def test_shortest_paths_equal_a_search(task: SubgraphTask, limit: int) -> None:
    from scipy.sparse.csgraph import shortest_path

    task = replace(task, split=None)
    hops = shortest_path(task.graph.adjacency(), unweighted=True)
    members = dense_membership(task) > 0
    expected = np.zeros((len(task), len(task)))
    for i, left in enumerate(members):
        for j, right in enumerate(members):
            closest = hops[np.ix_(left, right)].min()
            expected[i, j] = 1 / (1 + closest) if closest <= limit else 0
    result = s2n.translate(task, te="shortest_path", max_distance=limit)
    assert result.weights.toarray() == pytest.approx(expected)


@given(tasks())
def test_shared_nodes_and_own_operators(task: SubgraphTask) -> None:
    task = replace(task, split=None)
    members = dense_membership(task)
    shared = s2n.translate(task, te="shared_nodes")
    assert shared.weights.toarray() == pytest.approx(members @ members.T)
    square = task.graph.adjacency(dtype=np.float64)
    square = (square @ square).tocsr()  # walks of two steps
    expected = members @ square.toarray() @ members.T
    for operator in (square, lambda graph: square):
        result = s2n.translate(task, te=operator)
        assert result.weights.toarray() == pytest.approx(expected)
        assert result.settings.te == "operator"


def weights_of(task: SubgraphTask, *, self_loops: bool) -> EdgeWeights:
    return make_edge_weights(
        task.graph, "edges", self_loops=self_loops, max_distance=2, dtype=np.float64
    )


@given(tasks(), st.booleans())
def test_edges_and_shared_nodes_by_their_definition(task: SubgraphTask, loops: bool) -> None:
    graph, members = task.graph, dense_membership(task)
    operator = graph.adjacency(dtype=np.float64).toarray()
    for node in range(graph.num_nodes):
        operator[node, node] = 1.0 if loops else 0.0  # a shared node counts once
    for at, node in enumerate(graph.loops):
        operator[node, node] = 1 if graph.loop_weights is None else graph.loop_weights[at]
    rows = task.subgraphs.membership(graph.num_nodes, dtype=np.float64)
    block = weights_of(task, self_loops=loops).block(rows, Side(rows))
    dense = block.toarray() if sp.issparse(block) else block
    assert dense == pytest.approx(members @ operator @ members.T)


@given(tasks(), st.booleans())
def test_own_weights_are_the_diagonal_and_totals_the_sum(task: SubgraphTask, loops: bool) -> None:
    edge_weights, size = weights_of(task, self_loops=loops), task.graph.num_nodes
    members = task.subgraphs.membership(size, dtype=np.float64)
    whole = s2n.translate(replace(task, split=None), self_loops=loops).weights.toarray()
    assert edge_weights.own(members) == pytest.approx(whole.diagonal())
    starts = np.array([0, len(task) // 2][: 1 + (len(task) > 1)])
    blocks = [np.add.reduceat(whole, starts, axis=0)]
    assert edge_weights.totals(members, starts) == pytest.approx(
        np.add.reduceat(blocks[0], starts, axis=1)
    )


@given(tasks(), st.integers(0, 5))
def test_columns_from_the_first_on(task: SubgraphTask, first: int) -> None:
    edge_weights, size = weights_of(task, self_loops=True), task.graph.num_nodes
    members = task.subgraphs.membership(size, dtype=np.float64)
    first = min(first, len(task) - 1)
    for each in (edge_weights, ShortestPathEdgeWeights(task.graph.adjacency(), 2)):
        whole, part = (each.block(members, Side(members), start) for start in (0, first))
        dense = [block.toarray() if sp.issparse(block) else block for block in (whole, part)]
        assert np.array_equal(dense[1], dense[0][:, first:])


@given(tasks())
def test_estimates_of_memory_bound_the_entries(task: SubgraphTask) -> None:
    edge_weights, size = weights_of(task, self_loops=True), task.graph.num_nodes
    members = task.subgraphs.membership(size, dtype=np.float64)
    rough, close = (
        edge_weights.bytes_per_row(members, Side(members), rough=rough) for rough in (True, False)
    )
    entries = (s2n.translate(replace(task, split=None)).weights != 0).sum(axis=1)
    assert (close >= 12 * entries).all()
    assert (rough >= close).all()


@st.composite
def directed_tasks(draw: st.DrawFn) -> SubgraphTask:
    """A task whose graph has directed edges, repeated ones and self-loops among them."""
    task = replace(draw(tasks()), unlabelled=None)
    size = task.graph.num_nodes
    node = st.integers(0, size - 1)
    ends = np.array(draw(st.lists(st.tuples(node, node), min_size=1, max_size=25)))
    weights = np.arange(1, len(ends) + 1) / 4 if draw(st.booleans()) else None
    arcs = Arcs(ends[:, 0], ends[:, 1], weights=weights)
    own = replace(task.subgraphs, edges=None, edge_ptr=None)
    return replace(task, graph=Graph.from_arcs(arcs, num_nodes=size), subgraphs=own, split=None)


def dense_direction(task: SubgraphTask, direction: str, *, self_loops: bool) -> np.ndarray:
    """W by its definition, edge by edge."""
    arcs, size = task.graph.arcs, task.graph.num_nodes
    operator, loops = np.zeros((size, size)), np.zeros(size)
    for row in range(len(arcs)):
        weight = 1.0 if arcs.weights is None else float(arcs.weights[row])
        ends = int(arcs.source[row]), int(arcs.target[row])
        if ends[0] == ends[1]:
            loops[ends[0]] += weight
        else:
            operator[ends if direction == "out" else ends[::-1]] += weight
    if self_loops:
        loops[loops == 0] = 1
    members = dense_membership(task)
    return members @ (operator + np.diag(loops)) @ members.T


@given(directed_tasks(), st.booleans())
def test_a_direction_counts_the_edges_that_go_that_way(task: SubgraphTask, loops: bool) -> None:
    out, back = (
        s2n.translate(task, direction=direction, self_loops=loops) for direction in ("out", "in")
    )
    expected = dense_direction(task, "out", self_loops=loops)
    assert out.weights.toarray() == pytest.approx(expected)
    assert back.weights.toarray() == pytest.approx(expected.T)
    assert back.weights.toarray() == pytest.approx(dense_direction(task, "in", self_loops=loops))
    assert out.statistics.total == pytest.approx(expected.sum())
    assert out.statistics.squares == pytest.approx((expected**2).sum())
    both = s2n.translate(task, self_loops=loops)
    shared = dense_membership(task)
    shared = shared @ np.diag(loop_column(task, loops)) @ shared.T
    sum_of_both = out.weights.toarray() + back.weights.toarray() - shared
    assert both.weights.toarray() == pytest.approx(sum_of_both)
    off = expected[~np.eye(len(task), dtype=bool)]
    assert out.num_edges == (off > 0).sum()
    known = out.attach(task.subgraphs).known.toarray()
    assert known == pytest.approx(expected)


def loop_column(task: SubgraphTask, self_loops: bool) -> np.ndarray:
    column = task.graph.loop_column()
    return np.where(column == 0, 1.0, column) if self_loops else column


@given(directed_tasks(), st.sampled_from([{"min_weight": 2.0}, {"top_k": 1}, {"cut": 0.5}]))
def test_cuts_of_a_direction_are_by_row(task: SubgraphTask, kept: dict[str, float]) -> None:
    whole = s2n.translate(task, direction="out").weights.toarray()
    assume("cut" not in kept or whole.std() > 0)  # else there are no scores
    found = s2n.translate(task, direction="out", **kept).weights.toarray()  # type: ignore[arg-type]
    expected = whole.copy()
    if "min_weight" in kept:
        expected[expected < 2] = 0
    elif "cut" in kept:
        expected[expected <= whole.mean() + 0.5 * whole.std(ddof=1)] = 0
    else:
        for row, values in enumerate(whole):
            others = [column for column in np.argsort(-values, kind="stable") if column != row]
            expected[row, others[1:]] = 0
    assert found == pytest.approx(expected)


def test_a_direction_needs_directed_edges() -> None:
    task = s2n.datasets.generate("density", subgraphs=12)
    with pytest.raises(ConfigError, match="direction 'out' is for directed edges"):
        s2n.translate(task, direction="out")
    with pytest.raises(ConfigError, match="no direction 'up'"):
        s2n.translate(task, direction="up")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="direction is for T_e 'edges', not for 'shared_nodes'"):
        s2n.translate(task, te="shared_nodes", direction="in")
