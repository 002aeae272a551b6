"""Characteristics of a task against their dense definitions; test labels are out of reach."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advice_given import poisoned
from strategies import tasks
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


@given(tasks())
def test_shares_of_nodes_and_edges(task: SubgraphTask) -> None:
    found, groups = measured(task, CUT), sets(task)
    count = task.graph.num_nodes
    covered = set().union(*groups)
    assert found.coverage == pytest.approx(len(covered) / count)
    low, high, _ = task.graph.edges()
    kinds = {"inside": 0, "between": 0, "border": 0, "outside": 0}
    for u, v in zip(low.tolist(), high.tolist(), strict=True):
        ends = (u in covered) + (v in covered)
        kind = "outside" if not ends else "border" if ends == 1 else "between"
        kinds["inside" if any({u, v} <= group for group in groups) else kind] += 1
    for kind, number in kinds.items():
        assert getattr(found, kind) == pytest.approx(share(number, len(low)))
    assert found.density == pytest.approx(share(len(low), count * (count - 1) / 2))
    several = sum(sum(node in group for group in groups) > 1 for node in covered)
    assert found.overlap.several == pytest.approx(several / len(covered))


@given(tasks())
def test_overlap_is_the_mean_jaccard_index(task: SubgraphTask) -> None:
    found, groups = measured(task, CUT), sets(task)
    each = [len(a & b) / len(a | b) for a, b in combinations(groups, 2)]
    assert found.overlap.jaccard == pytest.approx(np.mean(each) if each else 0.0)
    assert found.overlap.compared == len(groups)


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
    found, groups = measured(task, CUT), sets(task)
    sizes = [len(group) for group in groups]
    assert (found.size_mean, found.size_sd) == pytest.approx((np.mean(sizes), np.std(sizes)))
    assert found.size_max == max(sizes)
    inside = np.diff(task.internal_edges()[0])
    dense = [share(e, n * (n - 1) / 2) for e, n in zip(inside, sizes, strict=True)]
    assert found.internal_density == pytest.approx(np.mean(dense))
    assert found.internal_density_sd == pytest.approx(np.std(dense))
    assert 1 <= found.components <= max(sizes)


@given(tasks(), st.floats(0.0, 2.0))
def test_links_of_the_s2n_graph(task: SubgraphTask, a: float) -> None:
    cut = TranslationSettings(a=a, delta=0.7)
    found = measured(task, cut)
    if found.links is None:
        with pytest.raises(Sub2NodeError) as caught:
            translate(replace(task, labels=None, class_names=())).normalize(a, 0.7)
        assert str(caught.value) in found.notes[-1]
        return
    raw = translate(replace(task, labels=None, class_names=()))
    dense = raw.normalize(a, 0.7).weights.toarray()
    np.fill_diagonal(dense, 0)
    count = len(task)
    assert found.links.count == np.count_nonzero(np.triu(dense))
    assert found.links.density == pytest.approx(share(found.links.count, count * (count - 1) / 2))
    assert found.links.isolated == pytest.approx((dense == 0).all(axis=1).mean())
    scores = raw.weights.toarray().astype(float)
    np.fill_diagonal(scores, 0)
    strongest = scores.max(axis=1)
    if found.links.half is None:
        assert (strongest == 0).mean() > 0.5
    else:
        reached = (strongest - raw.statistics.mean) / raw.statistics.std
        assert (reached >= found.links.half - 1e-9).mean() >= 0.5
        assert (reached > found.links.half + 1e-9).mean() <= 0.5


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
    if len(task) < 2:
        return
    found = measured(task, CUT).labelled
    train = np.flatnonzero(task.split.mask("train"))
    labels = task.labels[train]
    one_hot = labels if task.multilabel else labels[:, None] == np.arange(task.num_classes)
    each = one_hot.sum(axis=0)
    each = each[each > 0]
    assert (found.least, found.median) == (each.min(), np.median(each))
    assert found.largest == pytest.approx(each.max() / len(train))
    pairs = list(combinations(range(len(train)), 2))
    assert found.chance == pytest.approx(np.mean([alike(labels[i], labels[j]) for i, j in pairs]))
    try:
        graph = translate(replace(task, labels=None, class_names=())).normalize(CUT.a, CUT.delta)
    except Sub2NodeError:
        assert found.homophily is None
        return
    dense = graph.weights.toarray()[: len(train), : len(train)]
    weights = np.array([dense[i, j] for i, j in pairs])
    assert found.links == np.count_nonzero(weights)
    if not found.links:
        assert found.homophily is None
        assert found.gain is None
        return
    wanted = sum(dense[i, j] * alike(labels[i], labels[j]) for i, j in pairs) / weights.sum()
    assert found.homophily == pytest.approx(wanted, abs=1e-5)
    if found.chance < 1:
        assert found.gain == pytest.approx((wanted - found.chance) / (1 - found.chance), abs=1e-4)


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


def test_tasks_to_time_on() -> None:
    """Without labels or split, some are made up; the shape stays."""
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    bare = SubgraphTask(graph, Subgraphs.from_lists([[i % 5, (i + 1) % 5] for i in range(10)]))
    made = timing_part(bare)
    assert (made.split.count("train"), made.split.count("val")) == (8, 2)
    assert why_not_probed(bare) == "the data has no labels, so nothing was trained."
    assert why_not_probed(made) is None
    alone = made.with_split(Split.sizes(train=10))
    assert "10 train and 0 val" in why_not_probed(alone)
    assert timing_part(alone).split.count("val") == 2
    same = replace(made, labels=np.zeros(10, int), class_names=("x",))
    assert "the same class" in why_not_probed(same)
    strange = replace(made, labels=np.r_[np.arange(8) % 2, 2, 2], class_names=("a", "b", "c"))
    assert "class 'c' is in val but not in train" in why_not_probed(strange)
    part = replace(bare, split=Split.sizes(train=4, val=4, test=2))
    assert len(timing_part(part)) == 8
