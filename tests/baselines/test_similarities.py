"""Similarities of subgraphs against their textbook definitions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from ring_tasks import ring_task
from strategies import graphs, node_sets
from sub2node.baselines.similarities import s2n_rows, wl_features
from sub2node.encode import colour_counts
from sub2node.task import Split, Subgraphs, SubgraphTask


@st.composite
def pairs(draw: st.DrawFn) -> SubgraphTask:
    graph = draw(graphs(plain=True, weighted=False))
    sets = Subgraphs.from_lists(draw(node_sets(graph.num_nodes)))
    return SubgraphTask(graph, sets)


def textbook(task: SubgraphTask, rounds: int, view: str) -> np.ndarray:
    """The WL subtree kernel with colours as nested tuples: no hashing at all."""
    sets = [
        task.subgraphs.nodes[a:b].tolist()
        for a, b in zip(task.subgraphs.ptr[:-1], task.subgraphs.ptr[1:], strict=True)
    ]
    graph = task.graph
    around = {
        v: set(graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist())
        for v in range(graph.num_nodes)
    }
    counts: list[Counter] = [Counter() for _ in sets]
    for number, members in enumerate(sets):
        inside = members if view == "induced" else list(around)
        colour: dict = dict.fromkeys(inside, ())
        for k in range(rounds + 1):
            if k:
                colour = {
                    v: (colour[v], tuple(sorted((colour[w] for w in around[v] if w in colour),
                                                key=repr)))
                    for v in inside
                }  # fmt: skip
            counts[number].update((k, colour[v]) for v in members)
    return np.array([[sum(a[c] * b[c] for c in a) for b in counts] for a in counts], float)


@given(pairs(), st.integers(1, 3), st.sampled_from(["induced", "hops"]), st.booleans())
def test_wl_features_are_those_of_the_subtree_kernel(task, rounds, view, normalized) -> None:
    counts = colour_counts(task, rounds=3, view=view)
    rows = wl_features(counts, rounds, normalized=normalized).toarray()
    kernel = textbook(task, rounds, view)
    own = np.diag(kernel)
    expected = kernel / np.sqrt(np.outer(own, own)) if normalized else kernel / own.mean()
    np.testing.assert_allclose(rows @ rows.T, expected, atol=1e-12)


@given(pairs(), st.booleans())
def test_s2n_rows_are_the_scaled_weights(task, self_loops) -> None:
    split = Split.sizes(train=len(task.subgraphs))
    task = task.with_split(split)
    membership = task.subgraphs.membership(task.graph.num_nodes, dtype=np.float64).toarray()
    adjacency = task.graph.adjacency(loops=True, dtype=np.float64).toarray()
    if self_loops:
        np.fill_diagonal(adjacency, 1)
    weights = membership @ adjacency @ membership.T
    own = np.maximum(np.diag(weights), 1)
    scaled = weights / np.sqrt(np.outer(own, own))
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    expected = np.divide(scaled, length, out=np.zeros_like(scaled), where=length > 0)
    result = s2n_rows(task, self_loops=self_loops)
    assert sp.issparse(result)
    np.testing.assert_allclose(result.toarray(), expected, atol=1e-12)


def test_s2n_rows_have_columns_of_training_subgraphs_alone() -> None:
    task = ring_task()
    rows, count = s2n_rows(task), task.split.count("train")
    assert rows.shape == (len(task), count)
    alone = s2n_rows(task.subset(task.split.mask("train")))
    np.testing.assert_allclose(rows[:count].toarray(), alone.toarray(), atol=1e-12)
    last = task.subset([*range(count), len(task) - 1])  # beside train, without all others
    np.testing.assert_allclose(s2n_rows(last)[[-1]].toarray(), rows[[-1]].toarray(), atol=1e-12)
