"""Bags of colours against the textbook kernel, and what a folder keeps of a model on them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ring_tasks import ring_task
from strategies import graphs, node_sets
from sub2node.base.errors import DataError
from sub2node.baselines.colour_classifier import VIEWS, ColourBag, ColourClassifier
from sub2node.task import Subgraphs, SubgraphTask


@st.composite
def plain_tasks(draw: st.DrawFn) -> SubgraphTask:
    graph = draw(graphs(plain=True, weighted=False))
    return SubgraphTask(graph, Subgraphs.from_lists(draw(node_sets(graph.num_nodes))))


def colour_counts(task: SubgraphTask, rounds: int, view: str) -> list[Counter]:
    """Counts of colours that are nested tuples: no hashing at all."""
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
    return counts


def textbook(task: SubgraphTask, rounds: int, view: str) -> np.ndarray:
    """The WL subtree kernel."""
    counts = colour_counts(task, rounds, view)
    return np.array([[sum(a[c] * b[c] for c in a) for b in counts] for a in counts], float)


@given(plain_tasks(), st.integers(1, 3), st.sampled_from(list(VIEWS)), st.booleans())
def test_products_of_rows_are_the_subtree_kernel(task, rounds, view, normalized) -> None:
    rows = ColourBag.of(task, view, rounds, normalized=normalized).rows(task).toarray()
    expected = np.zeros((len(task), len(task)))
    for name in VIEWS[view]:
        kernel = textbook(task, rounds, name)
        own = np.diag(kernel)
        expected += kernel / (np.sqrt(np.outer(own, own)) if normalized else own.mean())
    np.testing.assert_allclose(rows @ rows.T, expected, atol=1e-12)


def shapes() -> SubgraphTask:
    """Random sets on a ring with chords, of which many colours occur once."""
    from sub2node.task import Graph

    rng = np.random.default_rng(3)
    ends = np.concatenate(
        [np.stack([np.arange(40), (np.arange(40) + 1) % 40]), rng.integers(0, 40, (2, 25))], axis=1
    )
    lists = [rng.choice(40, size, replace=False) for size in rng.integers(2, 9, 24)]
    return SubgraphTask(Graph.from_edges(*ends), Subgraphs.from_lists(lists))


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("view", list(VIEWS))
def test_rows_of_new_subgraphs_depend_on_no_other_and_unknown_colours_have_no_column(
    view, normalized
) -> None:
    task = shapes()
    bag = ColourBag.of(task.subset(np.arange(12)), view, 3, normalized=normalized)
    whole = bag.rows(task)
    alone = bag.rows(task.subset([20]))
    np.testing.assert_allclose(alone.toarray(), whole[[20]].toarray(), atol=1e-12)
    sizes = len(VIEWS[view]) * 4 * task.subgraphs.sizes[20]  # an entry per member and round
    assert 0 < alone.astype(bool).sum() < sizes
    lengths = np.linalg.norm(whole.toarray(), axis=1)
    if normalized:  # all colours count to the length
        np.testing.assert_allclose(lengths[:12], np.sqrt(len(VIEWS[view])))
        assert (lengths[12:] < np.sqrt(len(VIEWS[view])) - 1e-6).any()
    else:
        assert (lengths[:12] ** 2).mean() == pytest.approx(len(VIEWS[view]))
        squares = sum((c * c for c in colour_counts(task, 3, "induced")[0].values()), 0)
        if view == "induced":
            assert lengths[0] ** 2 == pytest.approx(squares * bag.scales[0] ** 2)


def model_of(view: Any = "both", *, normalized: bool = True) -> tuple[ColourClassifier, Any]:
    task = shapes()
    bag = ColourBag.of(task.subset(np.arange(12)), view, 2, normalized=normalized)
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(len(bag.colours), 3)).astype(np.float32)
    return ColourClassifier(bag, weights, rng.normal(size=3)), task


@pytest.mark.parametrize("normalized", [False, True])
def test_members_and_the_empty_subgraph_add_up_to_the_logits(normalized) -> None:
    model, task = model_of(normalized=normalized)
    logits = model.logits(task)[0]
    expected = model.bag.rows(task).toarray() @ model.weights.astype(float) + model.biases
    np.testing.assert_allclose(logits, expected, atol=1e-12)
    sums = np.add.reduceat(model.member_logits(task), task.subgraphs.ptr[:-1])
    np.testing.assert_allclose(sums + model.empty_logits, logits, atol=1e-12)


def test_vectors_have_length_1() -> None:
    model, task = model_of(normalized=False)
    np.testing.assert_allclose(np.linalg.norm(model.vectors(task).toarray(), axis=1), 1)


@pytest.mark.parametrize("view", list(VIEWS))
def test_a_restored_model_answers_the_same(view) -> None:
    model, task = model_of(view)
    assert model.arrays["colours"].dtype == np.int64
    assert (model.arrays["colours"] < 0).any()  # colours have 64 bits
    again = ColourClassifier.restore(model.facts, model.arrays)
    assert np.array_equal(again.logits(task), model.logits(task))
    assert np.array_equal(again.member_logits(task), model.member_logits(task))


def test_a_task_without_subgraphs_has_no_answers() -> None:
    model, _ = model_of()
    none = SubgraphTask(ring_task().graph, Subgraphs.from_lists([]))
    assert model.logits(none).shape == (1, 0, 3)


ARRAYS = model_of()[0].arrays


@pytest.mark.parametrize(
    ("facts", "arrays", "message"),
    [
        ({"view": "outside"}, {}, "settings of a model of colours make no sense"),
        ({"view": ["both"]}, {}, "settings of a model of colours make no sense"),
        ({"rounds": -1}, {}, "settings of a model of colours make no sense"),
        ({"rounds": 2.0}, {}, "settings of a model of colours make no sense"),
        ({"rounds": True}, {}, "settings of a model of colours make no sense"),
        ({"rounds": 10**9}, {}, "settings of a model of colours make no sense"),
        ({"normalized": 1}, {}, "settings of a model of colours make no sense"),
        ({"rounds": 3}, {}, "do not fit each other"),
        ({"view": "hops"}, {}, "do not fit each other"),
        ({}, {"ptr": ARRAYS["ptr"] + 1}, "do not fit each other"),
        ({}, {"ptr": ARRAYS["ptr"][[0, 2, 1, 3, 4, 5, 6]]}, "do not fit each other"),
        ({}, {"ptr": ARRAYS["ptr"].astype(float)}, "do not fit each other"),
        ({}, {"colours": ARRAYS["colours"][:-1]}, "do not fit each other"),
        ({}, {"colours": ARRAYS["colours"].astype(float)}, "do not fit each other"),
        ({}, {"colours": ARRAYS["colours"][::-1].copy()}, "do not ascend"),
        ({}, {"scales": -ARRAYS["scales"]}, "do not fit each other"),
        ({}, {"scales": np.ones(3)}, "do not fit each other"),
        ({}, {"biases": np.zeros(4)}, "do not fit each other"),
        ({}, {"weights": ARRAYS["weights"].astype(int)}, "do not fit each other"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(facts, arrays, message) -> None:
    model, _ = model_of()
    with pytest.raises(DataError, match=message):
        ColourClassifier.restore({**model.facts, **facts}, {**model.arrays, **arrays})
