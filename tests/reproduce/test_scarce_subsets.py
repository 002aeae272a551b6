"""Few training subgraphs of each class: fresh for each seed, or as published."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sub2node as s2n
from sub2node.base.errors import DataError
from sub2node.reproduce.scarce_subsets import published_subset, subset
from sub2node.task import Split, SubgraphTask


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=60,seed=3")


def as_published(train: list[int], labels: np.ndarray, n: int, tail: int) -> set[int]:
    """The authors' way, word by word, with a list."""
    classes = sorted(set(labels[train].tolist()))
    rest = list(train)
    random.Random(42).shuffle(rest)
    taken = [rest.pop()]
    while len(taken) < tail * len(classes):
        one = rest.pop()
        after = (classes.index(labels[taken[-1]]) + 1) % len(classes)
        if classes.index(labels[one]) == after:
            taken.append(one)
        else:
            rest.insert(0, one)
    return set((rest + taken)[-n * len(classes) :])


@given(st.lists(st.integers(0, 2), min_size=8, max_size=40), st.integers(0, 100))
def test_the_published_subset_is_drawn_as_published(extra: list[int], seed: int) -> None:
    labels = np.array([0, 1, 2] * 4 + extra)
    np.random.default_rng(seed).shuffle(labels)
    split = Split.sizes(train=len(labels))
    smallest = np.bincount(labels).min()
    for n in (1, 3, int(smallest)):
        result = np.flatnonzero(published_subset(split, labels, n).codes == 0)
        assert np.bincount(labels[result]).tolist() == [n] * 3
        wanted = as_published(list(range(len(labels))), labels, n, min(80, smallest))
        assert set(result.tolist()) == wanted


def test_subsets_are_balanced_and_fresh_for_each_seed(task) -> None:
    one, again, other = (subset(task, 4, seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert one != other
    for small in (one, other):
        assert small.label_counts()[0].tolist() == [4] * task.num_classes
        assert small.split.count("val") == task.split.count("val")
        assert small.split.count("test") == task.split.count("test")
    fixed = [subset(task, 4, seed=seed, subsets="published") for seed in (1, 2)]
    assert fixed[0] == fixed[1]


@pytest.mark.slow
def test_the_published_subset_has_n_of_each_class_or_is_refused() -> None:
    task = s2n.load_task("generate:density,subgraphs=400,seed=3")
    small = subset(task, 80, seed=0, subsets="published")
    assert small.label_counts()[0].tolist() == [80] * task.num_classes
    with pytest.raises(DataError, match="80 of each class at most, so n = 100"):
        subset(task, 100, seed=0, subsets="published")
