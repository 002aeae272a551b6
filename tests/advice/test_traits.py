"""Characteristics of a task against their dense definitions; test labels are out of reach."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from advice_cases import poisoned
from strategies import tasks
from sub2node import load_task
from sub2node.advice import traits
from sub2node.advice import traits as measured
from sub2node.advice.task_parts import timing_part, why_not_probed, without_test_part
from sub2node.base.errors import Sub2NodeError
from sub2node.config import TranslationSettings
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask
from sub2node.translation import translate

module = import_module("sub2node.advice.traits")
CUT = TranslationSettings(a=0.5, delta=1.0)


def sets(task: SubgraphTask) -> list[set[int]]:
    ptr, nodes = task.subgraphs.ptr, task.subgraphs.nodes
    return [set(nodes[a:b].tolist()) for a, b in pairwise(ptr)]


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


@pytest.mark.slow
@given(tasks())
def test_shares_of_nodes_and_edges(task: SubgraphTask) -> None:
    result, groups = measured(task, CUT), sets(task)
    count = task.graph.num_nodes
    covered = set().union(*groups)
    assert result.coverage == pytest.approx(len(covered) / count)
    low, high, _ = task.graph.edges()
    kinds = {"inside": 0, "between": 0, "border": 0, "outside": 0}
    for u, v in zip(low.tolist(), high.tolist(), strict=True):
        ends = (u in covered) + (v in covered)
        kind = "outside" if not ends else "border" if ends == 1 else "between"
        kinds["inside" if any({u, v} <= group for group in groups) else kind] += 1
    for kind, number in kinds.items():
        assert getattr(result, kind) == pytest.approx(share(number, len(low)))
    assert result.density == pytest.approx(share(len(low), count * (count - 1) / 2))
    several = sum(sum(node in group for group in groups) > 1 for node in covered)
    assert result.overlap.several == pytest.approx(several / len(covered))


@given(tasks())
def test_overlap_is_the_mean_jaccard_index(task: SubgraphTask) -> None:
    result, groups = measured(task, CUT), sets(task)
    each = [len(a & b) / len(a | b) for a, b in combinations(groups, 2)]
    assert result.overlap.jaccard == pytest.approx(np.mean(each) if each else 0.0)
    assert result.overlap.compared == len(groups)


def test_of_many_shared_nodes_a_sample_is_compared(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 50, 200), rng.integers(0, 50, 200), num_nodes=50)
    lists = [rng.choice(50, 8, replace=False) for _ in range(200)]
    task = SubgraphTask(graph, Subgraphs.from_lists(lists))
    whole = measured(task, CUT).overlap
    monkeypatch.setattr(module, "_MAX_SHARED", 12_000)
    some = measured(task, CUT).overlap
    assert 2 <= some.compared < whole.compared == 200
    assert some.jaccard == pytest.approx(whole.jaccard, rel=0.1)


@given(tasks())
def test_sizes_and_insides(task: SubgraphTask) -> None:
    result, groups = measured(task, CUT), sets(task)
    sizes = [len(group) for group in groups]
    assert (result.size_mean, result.size_sd) == pytest.approx((np.mean(sizes), np.std(sizes)))
    assert result.size_max == max(sizes)
    inside = np.diff(task.internal_edges()[0])
    dense = [share(e, n * (n - 1) / 2) for e, n in zip(inside, sizes, strict=True)]
    assert result.internal_density == pytest.approx(np.mean(dense))
    assert result.internal_density_sd == pytest.approx(np.std(dense))
    assert 1 <= result.components <= max(sizes)


@given(tasks(), st.floats(0.0, 2.0))
def test_links_of_the_s2n_graph(task: SubgraphTask, a: float) -> None:
    cut = TranslationSettings(a=a, delta=0.7)
    result = measured(task, cut)
    if result.links is None:
        with pytest.raises(Sub2NodeError) as caught:
            translate(replace(task, labels=None, class_names=())).normalize(a, 0.7)
        assert str(caught.value) in result.notes[-1]
        return
    raw = translate(replace(task, labels=None, class_names=()))
    dense = raw.normalize(a, 0.7).weights.toarray()
    np.fill_diagonal(dense, 0)
    count = len(task)
    assert result.links.count == np.count_nonzero(np.triu(dense))
    assert result.links.density == pytest.approx(share(result.links.count, count * (count - 1) / 2))
    assert result.links.isolated == pytest.approx((dense == 0).all(axis=1).mean())
    scores = raw.weights.toarray().astype(float)
    np.fill_diagonal(scores, 0)
    strongest = scores.max(axis=1)
    if result.links.half is None:
        assert (strongest == 0).mean() > 0.5
    else:
        reached = (strongest - raw.statistics.mean) / raw.statistics.std
        assert (reached >= result.links.half - 1e-9).mean() >= 0.5
        assert (reached > result.links.half + 1e-9).mean() <= 0.5


def alike(a: np.ndarray, b: np.ndarray) -> float:
    if np.ndim(a) == 0:
        return float(a == b)
    return share(float((a & b).sum()), float((a | b).sum()))


@given(tasks())
def test_labels_of_train(task: SubgraphTask) -> None:
    if task.labels is None or task.split is None or task.split.count("train") < 2:
        count = len(task)
        task = replace(task, labels=np.arange(count) % 2, class_names=("a", "b"),
                       split=Split.sizes(train=count))  # fmt: skip
    assume(len(task) > 1)
    result = measured(task, CUT).labelled
    train = np.flatnonzero(task.split.mask("train"))
    labels = task.labels[train]
    one_hot = labels if task.multilabel else labels[:, None] == np.arange(task.num_classes)
    each = one_hot.sum(axis=0)
    each = each[each > 0]
    assert (result.least, result.median) == (each.min(), np.median(each))
    assert result.largest == pytest.approx(each.max() / len(train))
    pairs = list(combinations(range(len(train)), 2))
    assert result.chance == pytest.approx(np.mean([alike(labels[i], labels[j]) for i, j in pairs]))
    try:
        graph = translate(replace(task, labels=None, class_names=())).normalize(CUT.a, CUT.delta)
    except Sub2NodeError:
        assert result.homophily is None
        return
    dense = graph.weights.toarray()[: len(train), : len(train)]
    weights = np.array([dense[i, j] for i, j in pairs])
    assert result.links == np.count_nonzero(weights)
    if not result.links:
        assert result.homophily is None
        assert result.gain is None
        return
    wanted = sum(dense[i, j] * alike(labels[i], labels[j]) for i, j in pairs) / weights.sum()
    assert result.homophily == pytest.approx(wanted, abs=1e-5)
    if result.chance < 1:
        assert result.gain == pytest.approx(
            (wanted - result.chance) / (1 - result.chance), abs=1e-4
        )


def test_chance_of_many_label_sets_is_drawn(monkeypatch) -> None:
    rng = np.random.default_rng(1)
    labels = rng.random((400, 3)) < 0.4
    labels[~labels.any(axis=1), 0] = True
    graph = Graph.from_edges([0, 1], [1, 2])
    sets_ = Subgraphs.from_lists([[i % 3] for i in range(400)])
    task = SubgraphTask(graph, sets_, labels=labels, split=Split.sizes(train=400))
    drawn = measured(task, CUT).labelled.chance
    monkeypatch.setattr(module, "_PAIRS", 10**6)
    assert drawn == pytest.approx(measured(task, CUT).labelled.chance, abs=0.01)


@pytest.mark.parametrize("multilabel", [False, True])
def test_labels_of_the_test_part_are_not_read(multilabel: bool) -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 30, 80), rng.integers(0, 30, 80), num_nodes=30)
    lists = [rng.choice(30, 4, replace=False) for _ in range(30)]
    labels = np.arange(30) % 3
    given_labels = np.eye(3, dtype=bool)[labels] if multilabel else labels
    split = Split.sizes(train=15, val=6, test=9)
    task = SubgraphTask(graph, Subgraphs.from_lists(lists), labels=given_labels, split=split)
    with pytest.raises(AssertionError, match="were read"):
        np.asarray(poisoned(task).labels)
    with pytest.raises(AssertionError, match="was read"):
        poisoned(task).labels[np.arange(30)]
    assert measured(poisoned(task)) == measured(task)
    assert why_not_probed(poisoned(task)) is None
    known = without_test_part(poisoned(task))
    assert known.split.count("test") == 0
    assert known == without_test_part(task)
    assert timing_part(poisoned(task)) == known


@pytest.mark.slow
def test_real_traits_are_quick(data) -> None:
    """PPI-BP takes about two seconds of a processor."""
    import time

    task = load_task(data / "ppi_bp")
    start = time.process_time()  # others may be at work here
    result = traits(task)
    assert time.process_time() - start < 10
    assert result.coverage == pytest.approx(0.326, abs=1e-3)
    assert result.links.isolated < 0.1
