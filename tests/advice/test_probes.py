"""Probes: scores are micro-F1, noise is noise, time is shared out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from advice_cases import price, probe_of
from small_models import write_task
from sub2node import load_task
from sub2node.advice.probes import (
    Draws,
    Probe,
    clear_features,
    count_correct,
    probe_simple,
    probe_structures,
    share_out,
    within_noise,
)
from sub2node.advice.task_parts import without_test_part
from sub2node.base.metrics import scores
from sub2node.config import STRUCTURES

pytestmark = pytest.mark.usefixtures("few_trees")


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_scores_are_micro_f1(seed: int, multilabel: bool) -> None:
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(3, 7, 4))
    labels = rng.random((7, 4)) < 0.4 if multilabel else rng.integers(0, 4, 7)
    found = Probe("x", *count_correct(labels, logits), 0.0)
    wanted = [scores(labels, each, multilabel=multilabel)["micro_f1"] for each in logits]
    assert found.score == pytest.approx(np.mean(wanted))


def test_noise_of_few_subgraphs() -> None:
    """One answer of five is noise, one of five of many is not; a better model is never out."""
    few, many = np.tile([1, 1, 1, 1, 0], (2, 1)), np.tile([1, 1, 1, 1, 0], (2, 60))
    whole = [probe_of("better", np.ones_like(few)), probe_of("worse", few)]
    assert within_noise(whole) == ("better", "worse")
    whole = [probe_of("better", np.ones_like(many)), probe_of("worse", many)]
    assert within_noise(whole) == ("better",)
    assert within_noise([probe_of("one", few), probe_of("same", few)]) == ("one", "same")
    assert within_noise([]) == ()


def test_comparisons_are_paired() -> None:
    """Two models with wide intervals differ clearly where one is right wherever the other is."""
    rng = np.random.default_rng(0)
    right = (rng.random((1, 60)) < 0.5).astype(int)
    more = right.copy()
    more[0, np.flatnonzero(right[0] == 0)[:6]] = 1
    pair = [probe_of("less", right), probe_of("more", more)]
    draws = Draws(pair)
    low, high = draws.interval("less")
    assert low < probe_of("more", more).score < high
    assert draws.behind("less", "more")[0] > 0
    assert within_noise(pair) == ("more",)


@pytest.mark.parametrize("size", [25, 80])
def test_a_handful_of_subgraphs_is_not_more_than_noise(size: int) -> None:
    """One-sided disagreement on four is noise, on five is not, as McNemar's mid-p test has it."""
    for count in (1, 4, 5, 6, 7, 9):
        noise = binomtest(count, count).pvalue - 0.5**count > 0.05
        right = np.ones((1, size), int)
        right[0, :count] = 0
        pair = [probe_of("worse", right), probe_of("better", np.ones((1, size), int))]
        assert (within_noise(pair) == ("worse", "better")) == noise, count


def test_the_interval_is_as_wide_as_the_binomial_one() -> None:
    right = np.tile([1, 0], (1, 50))
    low, high = Draws([probe_of("half", right)]).interval("half")
    assert (low, high) == pytest.approx((0.5 - 0.098, 0.5 + 0.098), abs=0.02)


@given(
    st.lists(st.floats(1e-4, 10), min_size=1, max_size=6),
    st.floats(1, 1000),
    st.integers(1, 5),
    st.sampled_from([None, "random", "constant"]),
)
def test_what_fits_in_a_time(
    epochs: list[float], seconds: float, seeds: int, features: str | None
) -> None:
    found = {name: price(name, each) for name, each in zip(STRUCTURES, epochs, strict=False)}
    wanted = list(found)[-1]
    for want in (None, wanted):
        budget = share_out(found, seconds, seeds, features=features, wanted=want)
        factor = {None: 2.0, "random": 0.5, "constant": 1.5}[features] * seeds / 10
        spent = sum(found[name].epoch for name in budget.structures) * factor * budget.epochs
        assert spent <= seconds * (1 + 1e-9)
        assert set(budget.structures) | set(budget.left_out) == set(found)
        assert not set(budget.structures) & set(budget.left_out)
        assert not budget.structures or 20 <= budget.epochs <= 300
        assert list(budget.structures) == sorted(budget.structures, key=lambda n: found[n].epoch)
        if want and budget.structures:
            cheaper = [n for n in budget.structures if n != want]
            assert want in budget.structures or not cheaper or len(budget.structures) < 3
        elif budget.structures and budget.left_out:
            dearest = max(found[name].epoch for name in budget.structures)
            assert all(found[name].epoch >= dearest for name in budget.left_out)


def test_preparing_takes_time_too() -> None:
    found = {"s2n+0": price("s2n+0", 0.01), "cos2n+0": price("cos2n+0", 0.01, prepare=90.0)}
    assert share_out(found, 60.0, 2).structures == ("s2n+0",)
    assert share_out(found, 120.0, 2).structures == ("s2n+0", "cos2n+0")


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return without_test_part(load_task(write_task(tmp_path_factory.mktemp("probe") / "data")))


@pytest.mark.slow
def test_probes_on_a_task(known) -> None:
    simple = list(probe_simple(known))
    assert [each.name for each in simple] == ["majority", "bag", "statistics"]
    assert all(each.correct.shape == (1, 9) for each in simple)
    (found,) = probe_structures(known, ["s2n+0"], conv="gcn2", epochs=6, seeds=2, seconds=60.0)
    assert not found.interrupted
    assert (found.epochs, found.state, found.correct.shape) == (6, "complete", (2, 9))
    assert found.features in ("svd", "random", "constant")
    (only,) = probe_structures(
        known, ["s2n+0"], conv="gcn2", epochs=6, seeds=2, seconds=60.0, features="constant"
    )
    assert only.features == "constant"
    (late,) = probe_structures(  # the second is not reached
        known, ["separated", "s2n+0"], conv="gcn2", epochs=400, seeds=1, seconds=0.0
    )
    assert late.state == "cut short"
    assert late.epochs < 400


def test_a_probe_that_fails_does_not_end_the_others(known) -> None:
    tried = list(
        probe_structures(
            known, ["s2n+0", "s2n+a"], conv="gatv2", epochs=2, seeds=1, seconds=99.0, preset="paper"
        )
    )
    assert [each.name for each in tried] == ["s2n+0", "s2n+a"]
    assert all(each.failed for each in tried)
    assert "failed: the paper has no settings" in tried[0].outcome


def test_simple_models_tell_what_labels_depend_on(known) -> None:
    good, bad = np.ones((1, 40), int), np.tile([1, 0, 0, 0], (1, 10))
    bag, shape = probe_of("bag", good), probe_of("statistics", bad)
    assert clear_features(known, [bag, shape])[0] == "random"
    kind, note = clear_features(known, [probe_of("bag", bad), probe_of("statistics", good)])
    assert kind == "constant"
    assert "bag 25, statistics 100" in note
    assert clear_features(known, [bag, probe_of("statistics", good)]) == (None, "")
    assert clear_features(known, [bag]) == (None, "")
    features = np.zeros((known.graph.num_nodes, 2), np.float32)
    given_ = replace(known, graph=replace(known.graph, features=features))
    assert clear_features(given_, [bag, shape]) == (None, "")
