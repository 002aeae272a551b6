"""Similarities of subgraphs against their textbook definitions."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from ring_tasks import ring_task
from strategies import graphs, node_sets
from sub2node.baselines.similarities import s2n_rows
from sub2node.task import Split, Subgraphs, SubgraphTask


@st.composite
def pairs(draw: st.DrawFn) -> SubgraphTask:
    graph = draw(graphs(plain=True, weighted=False))
    sets = Subgraphs.from_lists(draw(node_sets(graph.num_nodes)))
    return SubgraphTask(graph, sets)


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
