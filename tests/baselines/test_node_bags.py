"""Bags of nodes against dense matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from strategies import graphs, node_sets, signed_tasks, tasks
from sub2node.baselines.node_bags import (
    NodeBag,
    heaviest,
    inverse_frequencies,
    spread,
    weighted_bag,
)
from sub2node.task import Subgraphs, SubgraphTask


def dense_steps(task: SubgraphTask, hops: int, weights: np.ndarray, symmetric: bool) -> list:
    """Each step of the diffusion, not yet of length 1."""
    adjacency = task.graph.adjacency(loops=True, dtype=np.float64).toarray()
    degrees = np.maximum(adjacency.sum(1), 1e-300)
    walk = adjacency / degrees[:, None]
    if symmetric:
        walk = adjacency / np.sqrt(degrees)[:, None] / np.sqrt(degrees)
    steps = [task.subgraphs.membership(len(adjacency), dtype=np.float64).toarray() * weights]
    for _ in range(hops):
        steps.append(steps[-1] @ walk)
    return steps


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)


@given(tasks(), st.integers(0, 3), st.booleans(), st.booleans())
def test_rows_are_unit_steps_of_a_diffusion(task, hops, symmetric, weighted) -> None:
    size = task.graph.num_nodes
    weights = inverse_frequencies(task.subgraphs, size) if weighted else None
    rows = NodeBag(hops, weights, symmetric).rows(task)
    assert sp.issparse(rows)
    steps = dense_steps(task, hops, np.ones(size) if weights is None else weights, symmetric)
    np.testing.assert_allclose(rows.toarray(), np.hstack([unit(s) for s in steps]), atol=1e-9)


@given(tasks(), st.integers(0, 2), st.booleans())
def test_rows_of_members_add_up_to_the_row_of_their_subgraph(task, hops, symmetric) -> None:
    bag = NodeBag(hops, inverse_frequencies(task.subgraphs, task.graph.num_nodes), symmetric)
    members = bag.member_rows(task).toarray()
    assert len(members) == len(task.subgraphs.nodes)
    sums = np.add.reduceat(members, task.subgraphs.ptr[:-1]) if len(members) else members
    np.testing.assert_allclose(sums, bag.rows(task).toarray(), atol=1e-9)


@given(signed_tasks(), st.integers(0, 2))
def test_excluded_nodes_have_columns_of_their_own(task, hops) -> None:
    assume(task.excluded is not None)
    size = task.graph.num_nodes
    bag = weighted_bag(task.subgraphs, size, hops)
    swapped = replace(task, subgraphs=task.excluded) if task.excluded.sizes.all() else None
    rows = bag.rows(task).toarray()
    assert rows.shape == (len(task), 2 * (hops + 1) * size)
    plain = NodeBag(hops, inverse_frequencies(task.subgraphs, size), symmetric=True).rows(task)
    assert np.array_equal(rows[:, : plain.shape[1]], plain.toarray())
    absent = rows[:, plain.shape[1] :]
    assert not absent[task.excluded.sizes == 0].any()
    if swapped is not None:  # as if the excluded nodes were the members
        weights = inverse_frequencies(task.excluded, size)
        expected = NodeBag(hops, weights, symmetric=True).rows(swapped)
        np.testing.assert_allclose(absent, expected.toarray(), atol=1e-12)
    members = bag.member_rows(task).toarray()
    owner = np.concatenate([task.subgraphs.owner, task.excluded.owner])
    sums = np.zeros_like(rows)
    np.add.at(sums, owner, members)
    np.testing.assert_allclose(sums, rows, atol=1e-9)


def test_weights_are_inverse_frequencies() -> None:
    sets = Subgraphs.from_lists([[0, 1], [0], [0, 2]])
    expected = np.log(4 / np.array([4, 2, 2, 1])) + 1
    assert inverse_frequencies(sets, 4) == pytest.approx(expected)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_of_many_entries_the_largest_are_kept(seed, kept) -> None:
    rng = np.random.default_rng(seed)
    dense = rng.integers(0, 6, (7, 9)).astype(float)
    result = heaviest(sp.csr_array(dense), kept).toarray()
    for row, expected in zip(result, dense, strict=True):
        order = sorted(np.flatnonzero(expected), key=lambda n: (-expected[n], n))[:kept]
        assert np.flatnonzero(row).tolist() == sorted(order)
        assert np.array_equal(row[order], expected[order])


@given(graphs(plain=True, weighted=False), st.data())
def test_a_product_in_blocks_is_the_product(graph, data) -> None:
    sets = Subgraphs.from_lists(data.draw(node_sets(graph.num_nodes)))
    rows = sets.membership(graph.num_nodes, dtype=np.float64)
    matrix = graph.adjacency(dtype=np.float64)
    expected = rows.toarray() @ matrix.toarray()
    assert np.array_equal(spread(rows, matrix).toarray(), expected)


def test_members_whose_step_is_cut_still_add_up(monkeypatch) -> None:
    from sub2node.baselines import node_bags
    from sub2node.task import Graph

    monkeypatch.setattr(node_bags.spread, "__kwdefaults__", {"kept": 3})
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(*rng.integers(0, 30, (2, 200)))
    sets = Subgraphs.from_lists([rng.choice(30, 6, replace=False) for _ in range(9)])
    task, bag = SubgraphTask(graph, sets), NodeBag(2)
    rows = bag.rows(task).toarray()
    assert (np.count_nonzero(rows[:, 30:60], axis=1) == 3).all()
    sums = np.add.reduceat(bag.member_rows(task).toarray(), sets.ptr[:-1])
    np.testing.assert_allclose(sums[:, :60], rows[:, :60], atol=1e-12)
