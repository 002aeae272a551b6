"""Kernels, boosting and how simple models choose."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import sub2node as s2n
from strategies import graphs, node_sets
from sub2node.baselines import SIMPLE, TrainingData
from sub2node.baselines.boosting import KnownFeatures, pooled
from sub2node.baselines.linear import diffused_bag
from sub2node.baselines.similarities import s2n_rows, wl_features
from sub2node.baselines.simple import Candidate, choose
from sub2node.encode import colour_counts
from sub2node.evaluate import assess
from sub2node.evaluate.protocol import labels_of
from sub2node.models.baseline import Simple
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask


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
    found = s2n_rows(task, self_loops=self_loops)
    assert sp.issparse(found)
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-12)


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
    found = diffused_bag(task, hops).toarray()
    np.testing.assert_allclose(found, np.concatenate(expected, axis=1), atol=1e-12)


def training_data(task: SubgraphTask) -> TrainingData:
    labels = {part: labels_of(task, part) for part in ("train", "val")}  # type: ignore
    return TrainingData(task, labels, [1])


class Told:
    """Says what it is told for each row of x: the class in the column of its number."""

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def get_params(self, deep: bool = True) -> dict[str, int]:
        return {"column": self.column}

    def fit(self, x: np.ndarray, y: np.ndarray) -> Told:
        self.classes_ = np.arange(2)
        return self

    def decision_function(self, x: np.ndarray) -> np.ndarray:
        return np.where(x[:, self.column] == 1, 1.0, -1.0)


def test_ties_on_validation_are_decided_within_train() -> None:
    labels = np.tile([0, 1], 10)
    graph = Graph.from_edges([0], [1])
    split = Split.sizes(train=12, val=4, test=4)
    task = SubgraphTask(graph, Subgraphs.from_lists([[0]] * 20), labels, ("a", "b"), split)
    x = np.stack([labels, labels, labels, labels], axis=1)
    x[12, 0] = 1 - x[12, 0]  # wrong once on validation
    x[:6, 1] = 0  # right on validation, wrong within train
    x[:2, 2] = 1 - x[:2, 2]
    found = choose(
        training_data(task), [Candidate(f"column {k}", Told(k), x) for k in range(4)], "told", 4
    )
    assert found.chosen == "column 3"
    assert "4 tried, 3 of them tied" in found.notes[0]
    assert np.array_equal(found.logits("test").argmax(-1)[0], labels[16:])


def test_vectors_are_pooled_by_their_mean() -> None:
    task = s2n.load_task("generate:density,subgraphs=20")
    features = np.random.default_rng(0).normal(size=(task.graph.num_nodes, 3)).astype(np.float32)
    rows, _ = pooled(
        TrainingData(task, {}, [1], "cpu", features), KnownFeatures(kind="svd", width=5)
    )
    assert rows.shape == (20, 8)
    nodes = task.subgraphs.nodes[: task.subgraphs.ptr[1]]
    np.testing.assert_allclose(rows[0, 5:], features[nodes].mean(0), rtol=1e-5)


@pytest.mark.parametrize("name", ["wl", "gbdt", "sub2vec"])
def test_structure_is_seen(name: str) -> None:
    pytest.importorskip("gensim")
    task = s2n.load_task("generate:density,subgraphs=120")
    result = assess(task, Simple(SIMPLE[name]), seeds=[1])
    assert result.test["micro_f1"].mean >= 0.75
    assert any("chosen on validation" in note for note in result.notes)
