"""The bootstrap over seeds and subgraphs against a plain loop, and against what is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sub2node.base.metrics import answers, class_f1, micro_f1
from sub2node.evaluate import bootstrap, bootstrap_intervals
from sub2node.evaluate.bootstrap import _count_drawn

NAMES = ("micro_f1", "macro_f1", "accuracy")


def data(seed: int, *, multilabel: bool, size: int = 8, seeds: int = 3):
    rng = np.random.default_rng(seed)
    labels = rng.random((size, 3)) < 0.4 if multilabel else rng.integers(0, 3, size)
    return labels, rng.normal(size=(seeds, size, 3)), tuple(rng.normal(scale=0.3, size=seeds))


def score(labels, logits, *, threshold: float) -> tuple[float, float, float]:
    """The three scores as ``base.metrics`` has them, which is tested against scikit-learn."""
    more = {"multilabel": labels.ndim == 2, "threshold": threshold}
    truth = labels if labels.ndim == 2 else np.eye(3, dtype=bool)[labels]
    occurring = truth.any(axis=0)
    macro = np.mean(np.array(class_f1(labels, logits, **more))[occurring]) if occurring.any() else 0
    right = answers(logits, **more) == labels
    accuracy = right.all(axis=1).mean() if labels.ndim == 2 else right.mean()
    return micro_f1(labels, logits, **more), macro, accuracy


@pytest.mark.slow
@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_it_is_the_loop_over_draws(seed: int, multilabel: bool) -> None:
    """The same draws, one after the other, scored as a run is."""
    labels, logits, thresholds = data(seed, multilabel=multilabel)
    rng, draws = np.random.default_rng(7), 20
    subgraphs, seeds = (_count_drawn(rng, draws, n).astype(int) for n in (8, 3))
    wanted = []
    for chosen, replicas in zip(subgraphs, seeds, strict=True):
        rows = np.repeat(np.arange(8), chosen)
        drawn = [
            score(labels[rows], logits[replica][rows], threshold=thresholds[replica])
            for replica in np.repeat(np.arange(3), replicas)
        ]
        wanted.append(np.mean(drawn, axis=0))
    found = bootstrap_intervals(labels, logits, thresholds, draws=draws, seed=7)
    for name, values in zip(NAMES, np.transpose(wanted), strict=True):
        if np.ptp(values) > 1e-12:
            assert found[name] == pytest.approx(tuple(np.percentile(values, [2.5, 97.5])))
        else:
            assert name not in found


def test_draws_are_with_replacement_and_even() -> None:
    counts = _count_drawn(np.random.default_rng(0), 5000, 6)
    assert (counts.sum(axis=1) == 6).all()
    assert counts.mean(axis=0) == pytest.approx(np.ones(6), abs=0.05)
    assert counts.var(axis=0) == pytest.approx(np.full(6, 5 / 6), abs=0.06)  # multinomial


def test_the_same_draws_whatever_the_call() -> None:
    labels, logits, thresholds = data(0, multilabel=False, size=40)
    found = bootstrap_intervals(labels, logits, thresholds)
    assert found == bootstrap_intervals(labels, logits, thresholds)
    assert found["micro_f1"] == pytest.approx(found["accuracy"])  # one label per subgraph
    other = bootstrap_intervals(labels, logits, thresholds, seed=1)
    assert other["micro_f1"] == pytest.approx(found["micro_f1"], abs=0.03)


def test_blocks_change_nothing_but_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    labels, logits, _ = data(0, multilabel=True, size=40)
    whole = bootstrap_intervals(labels, logits)
    monkeypatch.setattr(bootstrap, "_BLOCK", 40 * 300)
    for name, interval in bootstrap_intervals(labels, logits).items():
        assert interval == pytest.approx(whole[name], abs=0.03)


@pytest.mark.parametrize("seeds", [1, 10])
def test_it_is_as_wide_as_a_share_of_few_subgraphs(seeds: int) -> None:
    """Seeds that all give the same answers: what is left is the binomial error of the share."""
    size, share = 160, 0.625
    right = np.arange(size) < share * size
    logits = np.tile(np.stack([right, ~right], axis=1).astype(float), (seeds, 1, 1))
    low, high = bootstrap_intervals(np.zeros(size, int), logits)["micro_f1"]
    error = np.sqrt(share * (1 - share) / size)
    assert error == pytest.approx(0.038, abs=0.0005)
    wanted = stats.norm(share, error).interval(0.95)
    assert (low, high) == pytest.approx(wanted, abs=0.01)


def test_seeds_that_differ_make_it_wider() -> None:
    rng = np.random.default_rng(0)
    size, labels = 100, np.zeros(100, int)
    same = np.tile(rng.random(size) < 0.5, (6, 1))
    apart = rng.random((6, size)) < np.array([0.1, 0.3, 0.4, 0.6, 0.7, 0.9])[:, None]
    widths = []
    for right in (same, apart):
        low, high = bootstrap_intervals(labels, np.stack([right, ~right], 2) * 1.0)["micro_f1"]
        widths.append(high - low)
    assert widths[1] > 1.5 * widths[0]


def test_answers_that_are_all_right_have_no_interval() -> None:
    labels = np.arange(12) % 3
    assert bootstrap_intervals(labels, np.tile(np.eye(3)[labels], (5, 1, 1))) == {}
    assert bootstrap_intervals(labels[:0], np.zeros((5, 0, 3))) == {}
    broken = np.full((5, 12, 3), np.nan)  # the first class, as in ``scores``
    low, high = bootstrap_intervals(labels, broken)["micro_f1"]
    assert low < 1 / 3 < high
