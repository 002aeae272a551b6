"""Linear models: right where the answer is in their input."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import sub2node as s2n
from ring_tasks import ring_task
from strategies import graphs, node_sets, tasks
from sub2node.baselines import SIMPLE
from sub2node.baselines.linear import bag_of_nodes, diffused_bag
from sub2node.evaluate import assess
from sub2node.models.baseline import Simple
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("name", ["bag", "diffused-bag"])
def test_bags_learn_which_nodes_matter(name, multilabel) -> None:
    result = assess(ring_task(multilabel), Simple(SIMPLE[name]), seeds=[10, 11])
    assert result.test["micro_f1"].mean == 1.0
    assert result.test["micro_f1"].n == 1  # nothing random in it
    assert result.model == name


def test_structure_statistics_learn_density() -> None:
    task = s2n.load_task("generate:density,subgraphs=80,seed=1")
    result = assess(task, Simple(SIMPLE["statistics"]), seeds=[10, 11, 12])
    assert result.test["micro_f1"].mean > 0.85
    assert result.seeds == (10, 11, 12)
    assert result.test["micro_f1"].n == 3


@pytest.mark.parametrize("multilabel", [False, True])
def test_majority_is_the_share_of_the_most_frequent_class(multilabel) -> None:
    rng = np.random.default_rng(1)
    labels = np.array([0] * 20 + [1] * 10)
    sets = Subgraphs.from_lists([rng.choice(8, 3, replace=False) for _ in labels])
    graph = Graph.from_edges(np.arange(7), np.arange(1, 8))
    truth = np.stack([labels == 0, labels == 1], axis=1) if multilabel else labels
    task = SubgraphTask(graph, sets, truth, (), Split.random(labels))
    result = assess(task, Simple(SIMPLE["majority"]), seeds=[10])
    truth = task.labels[task.split.mask("test")]
    share = truth[:, 0].mean() if multilabel else (truth == 0).mean()
    assert result.test["accuracy"].mean == pytest.approx(share)


@given(tasks())
def test_features_are_their_definitions(task) -> None:
    members = task.subgraphs.membership(task.graph.num_nodes, dtype=np.float64).toarray()
    unit = members / np.linalg.norm(members, axis=1, keepdims=True)
    assert bag_of_nodes(task).toarray() == pytest.approx(unit)
    adjacency = task.graph.adjacency(loops=True, dtype=np.float64).toarray()
    walk = adjacency / np.maximum(adjacency.sum(1, keepdims=True), 1e-300)
    spread = members @ walk
    spread = spread / np.maximum(np.linalg.norm(spread, axis=1, keepdims=True), 1e-300)
    result = diffused_bag(task)
    assert sp.issparse(result)
    assert result.toarray() == pytest.approx(np.hstack([unit, spread]))


@st.composite
def pairs(draw: st.DrawFn) -> SubgraphTask:
    graph = draw(graphs(plain=True, weighted=False))
    sets = Subgraphs.from_lists(draw(node_sets(graph.num_nodes)))
    return SubgraphTask(graph, sets)


@given(pairs(), st.integers(1, 3))
def test_a_diffused_bag_has_every_step_beside_the_bag(task, hops) -> None:
    size = task.graph.num_nodes
    bag = task.subgraphs.membership(size, dtype=np.float64).toarray()
    adjacency = task.graph.adjacency(loops=True, dtype=np.float64).toarray()
    total = adjacency.sum(1, keepdims=True)
    walk = np.divide(adjacency, total, out=np.zeros_like(adjacency), where=total > 0)
    expected = []
    for _ in range(hops + 1):
        length = np.linalg.norm(bag, axis=1, keepdims=True)
        expected.append(np.divide(bag, length, out=np.zeros_like(bag), where=length > 0))
        bag = bag @ walk
    result = diffused_bag(task, hops).toarray()
    np.testing.assert_allclose(result, np.concatenate(expected, axis=1), atol=1e-12)
