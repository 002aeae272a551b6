from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node import ConfigError, DataError
from sub2node.task import PARTS, Split, SplitCode, stratified_folds
from sub2node.task.split import part_of


@given(
    st.lists(st.integers(0, 3), min_size=10, max_size=200),
    st.integers(0, 5),
    st.sampled_from([(0.8, 0.1, 0.1), (0.5, 0.25, 0.25), (1.0, 0.0, 0.0), (0.6, 0.0, 0.4)]),
)
def test_random_split_is_stratified(
    labels: list[int], seed: int, fractions: tuple[float, float, float]
) -> None:
    array = np.array(labels)
    split = Split.random(array, fractions=fractions, seed=seed)
    for part, share in zip(("train", "val", "test"), fractions, strict=True):
        mask = split.mask(part)
        assert abs(mask.sum() - share * len(array)) <= 1
        for label in np.unique(array):
            whole = (array == label).sum()
            assert abs((mask & (array == label)).sum() - share * whole) <= 3
    if fractions[0] * len(array) > 2 * len(np.unique(array)):
        assert set(array[split.mask("train")]) == set(labels)
    again = Split.random(array, fractions=fractions, seed=seed)
    assert np.array_equal(again.codes, split.codes)


def test_seeds_differ() -> None:
    labels = np.arange(100) % 3
    one, two = (Split.random(labels, seed=seed).codes for seed in (0, 1))
    assert not np.array_equal(one, two)


@given(st.lists(st.integers(0, 9), min_size=5, max_size=80), st.integers(0, 3))
def test_groups_stay_together(groups: list[int], seed: int) -> None:
    split = Split.random(count=len(groups), groups=groups, fractions=(0.6, 0.2, 0.2), seed=seed)
    for group in set(groups):
        assert len({split.codes[i] for i, g in enumerate(groups) if g == group}) == 1


def test_multilabel_split_has_every_class_in_train() -> None:
    rng = np.random.default_rng(0)
    labels = rng.random((60, 5)) < 0.3
    labels[np.arange(60), rng.integers(0, 5, 60)] = True
    split = Split.random(labels, seed=3)
    assert labels[split.mask("train")].any(axis=0).all()


@given(st.integers(1, 4), st.integers(0, 4))
def test_n_per_class(n: int, seed: int) -> None:
    labels = np.array([0, 1, 2] * 6)
    split = Split.given(["train"] * 12 + ["val"] * 3 + ["test"] * 3)
    few = split.per_class(labels, n, seed=seed)
    assert np.bincount(labels[few.mask("train")]).tolist() == [n, n, n]
    assert np.array_equal(few.codes[12:], split.codes[12:])
    assert len(few.order) == 3 * n + 6


def test_n_per_class_refuses_what_it_cannot_do() -> None:
    split = Split.given(["train"] * 4)
    with pytest.raises(DataError, match="fewer than n = 3"):
        split.per_class(np.array([0, 0, 0, 1]), 3)
    with pytest.raises(DataError, match="single-label"):
        split.per_class(np.ones((4, 2), dtype=bool), 1)
    with pytest.raises(ConfigError, match="at least 1"):
        split.per_class(np.array([0, 0, 1, 1]), 0)


def test_order_is_train_virtual_val_test_and_stable() -> None:
    split = Split.given(["test", "train", "val", "virtual", "train"])
    assert split.order.tolist() == [1, 4, 3, 2, 0]
    ordered = Split(split.codes[split.order])
    assert [ordered.visible(stage) for stage in ("train", "val", "test")] == [3, 4, 5]
    assert split.count("train") == 2
    assert repr(split) == "Split(2 train, 1 virtual, 1 val, 1 test)"


@pytest.mark.parametrize("fractions", [(0.5, 0.5), (0.5, 0.5, 0.5), (-0.1, 0.6, 0.5)])
def test_bad_fractions(fractions: tuple[float, ...]) -> None:
    with pytest.raises(ConfigError, match="add up to 1"):
        Split.random(count=5, fractions=fractions)


def test_bad_words_and_counts() -> None:
    with pytest.raises(DataError, match="split word 'later'; use train, val or test"):
        Split.given(["train", "later"])
    with pytest.raises(ConfigError, match="labels or a count"):
        Split.random()
    with pytest.raises(DataError, match="2 groups for 3"):
        Split.random(count=3, groups=[0, 1])
    with pytest.raises(ConfigError, match="a part is one of"):
        Split.given(["train"]).count("later")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="split codes"):
        Split(np.array([7]))


def test_a_class_of_one_is_never_only_in_test() -> None:
    labels = np.array([0] * 30 + [1, 2, 3])
    for seed in range(30):
        train = Split.random(labels, fractions=(0.5, 0.25, 0.25), seed=seed).mask("train")
        assert set(labels[train]) == {0, 1, 2, 3}


@pytest.mark.parametrize("seed", range(5))
def test_parts_are_drawn_anew_among_themselves(seed: int) -> None:
    random = np.random.default_rng(seed)
    codes = random.integers(0, 4, 60)
    labels = np.where(codes == SplitCode.VIRTUAL, -1, random.integers(0, 3, 60))
    split = Split(codes)
    anew = split.redrawn(labels, (0.6, 0.2, 0.2), seed=seed)
    real = ~split.mask("virtual")
    assert (anew.mask("virtual") == split.mask("virtual")).all()
    alone = Split.random(labels[real], fractions=(0.6, 0.2, 0.2), seed=seed)
    assert (anew.codes[real] == alone.codes).all()
    within = split.redrawn(labels, (0.5, 0.5, 0.0), seed=seed, parts=("train",))
    others = ~split.mask("train")
    assert (within.codes[others] == split.codes[others]).all()
    assert not within.mask("test")[~others].any()


def test_codes_are_positions_of_parts() -> None:
    assert [SplitCode[part.upper()] for part in PARTS] == list(range(4))


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: Split.random(count=4, seed=-1), "a seed is 0 or more, found -1"),
        (lambda: Split.random(count=-3), "a count of subgraphs is 0 or more, found -3"),
        (
            lambda: Split.random(count=3, fractions=(float("nan"), 0.5, 0.5)),
            "must be three that add up to 1",
        ),
    ],
)
def test_settings_that_cannot_be(attempt, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        attempt()


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: Split([0.5, 0]), "split codes must be whole numbers, found '0.5'"),
        (lambda: Split.given(["train", None]), "subgraph 1 has the split word None"),
        (lambda: Split.given([0, 1]), "subgraph 0 has the split word 0"),
        (lambda: Split.given(["train"]).per_class(np.array([0, 1]), 1), "2 labels for 1 subgraph"),
    ],
)
def test_codes_and_words_are_not_guessed(attempt, message: str) -> None:
    with pytest.raises(DataError, match=message):
        attempt()


def test_labels_in_a_list_are_labels() -> None:
    assert Split.random([0, 1, 0, 1]).count("train") > 0  # type: ignore[arg-type]


@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=120),
    st.integers(2, 6),
    st.integers(0, 5),
)
def test_folds_are_equal_in_size_and_in_shares_of_classes(
    labels: list[int], count: int, seed: int
) -> None:
    array = np.array(labels)
    fold = stratified_folds(array, count, seed=seed)
    assert fold.shape == array.shape
    sizes = np.bincount(fold, minlength=count)
    assert len(sizes) == count
    assert sizes.max() - sizes.min() <= 1
    for label in np.unique(array):
        here = np.bincount(fold[array == label], minlength=count)
        assert abs(here - here.sum() / count).max() <= 3
    assert np.array_equal(stratified_folds(array, count, seed=seed), fold)


@given(st.lists(st.integers(0, 9), min_size=4, max_size=60), st.integers(2, 5), st.integers(0, 3))
def test_groups_are_in_one_fold(groups: list[int], count: int, seed: int) -> None:
    labels = np.arange(len(groups)) % 3
    fold = stratified_folds(labels, count, groups=groups, seed=seed)
    assert set(fold) <= set(range(count))
    for group in set(groups):
        assert len({fold[i] for i, g in enumerate(groups) if g == group}) == 1
    largest = max(map(groups.count, groups))
    assert np.bincount(fold).max() <= len(groups) / count + largest


def test_folds_of_several_labels_spread_the_rarest() -> None:
    rng = np.random.default_rng(0)
    labels = np.stack([rng.random(200) < share for share in (0.05, 0.3, 0.6)], axis=1)
    fold = stratified_folds(labels, 5)
    for label, within in zip(labels.T, (1, 3, 6), strict=True):
        here = np.bincount(fold[label], minlength=5)
        assert here.max() - here.min() <= 2 * within
    assert not np.array_equal(stratified_folds(labels, 5, seed=1), fold)


def test_folds_that_cannot_be() -> None:
    with pytest.raises(ConfigError, match="at least two folds are needed, found 1"):
        stratified_folds(np.arange(4), 1)
    with pytest.raises(DataError, match="2 groups for 3 subgraphs"):
        stratified_folds(np.arange(3), 2, groups=["a", "b"])


def test_by_time_the_earliest_are_train_and_equal_times_stay_together() -> None:
    split = Split.by_time([5, 1, 2, 2, 9, 3, 4, 6, 7, 8])
    assert split.words() == [*["train"] * 4, "test", *["train"] * 4, "val"]
    tied = Split.by_time([1, 1, 1, 2, 2, 3], fractions=(0.4, 0.3, 0.3))
    assert tied.words() == ["train"] * 3 + ["val"] * 2 + ["test"]
    with pytest.raises(DataError, match="one finite number per subgraph"):
        Split.by_time([1, np.nan])
    with pytest.raises(ConfigError, match="must be three that add up to 1"):
        Split.by_time([1, 2], fractions=(0.5, 0.5))


def test_a_grouped_split_has_every_class_in_train() -> None:
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 12, 60)
    labels = np.where(rng.random(60) < 0.5, groups % 5, groups % 7)
    for seed in range(20):
        split = Split.random(labels, groups=groups, seed=seed, fractions=(0.4, 0.3, 0.3))
        assert set(labels[split.mask("train")]) == set(labels)
        several = np.eye(7, dtype=bool)[labels]
        drawn = Split.random(several, groups=groups, seed=seed, fractions=(0.4, 0.3, 0.3))
        assert several[drawn.mask("train")].any(axis=0).tolist() == several.any(axis=0).tolist()
        again = split.redrawn(labels, (0.5, 0.25, 0.25), groups=groups, seed=seed)
        for codes in (split.codes, drawn.codes, again.codes):
            assert all(len(set(codes[groups == group])) == 1 for group in set(groups))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("train", "Train", "TRAINING", "trn"), "train"),
        (("val", "Valid", "validation", "dev", "Development"), "val"),
        (("test", "TEST", "testing", "holdout", " hold-out ", "Test set", "held_out"), "test"),
        (("virtual",), "virtual"),
        (("", "t", "later", "trainval", None, 0), None),
    ],
)
def test_usual_spellings_of_the_parts(words, part) -> None:
    assert {part_of(word) for word in words} == {part}
    if part is not None:
        assert Split.given(words).words() == [part] * len(words)
