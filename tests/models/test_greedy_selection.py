"""Greedy selection against a loop over all members in every round."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from sub2node.base.calibration import log_loss_of_probabilities
from sub2node.models.greedy_selection import likelihoods, select_members, steady_weights

SHAPES = {"seed": st.integers(0, 10_000), "members": st.integers(1, 5), "multilabel": st.booleans()}


def drawn(seed: int, members: int, multilabel: bool) -> tuple[list[np.ndarray], np.ndarray]:
    """Random probabilities of several members, some better than others, and labels."""
    rng = np.random.default_rng(seed)
    labels = rng.random((12, 3)) < 0.4 if multilabel else rng.integers(0, 3, 12)
    table = labels if multilabel else labels[:, None] == np.arange(3)
    logits = rng.normal(size=(members, 12, 3)) + rng.random((members, 1, 1)) * table
    if multilabel:
        return list(1 / (1 + np.exp(-logits))), labels
    return list(np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)), labels


def brute_force(shares: list[np.ndarray], labels: np.ndarray, rounds: int) -> np.ndarray:
    """The weights of the best round; each round tries all members by the log loss itself."""
    chosen: list[int] = []
    best, best_loss = [0], np.inf
    for _ in range(rounds):
        trials = [
            log_loss_of_probabilities(np.mean([shares[i] for i in (*chosen, k)], axis=0), labels)
            for k in range(len(shares))
        ]
        chosen.append(int(np.argmin(trials)))
        if min(trials) <= best_loss:
            best, best_loss = list(chosen), min(trials)
    return np.bincount(best, minlength=len(shares)) / len(best)


@given(**SHAPES)
def test_the_same_as_trying_all_members_in_each_round(seed, members, multilabel) -> None:
    shares, labels = drawn(seed, members, multilabel)
    weights, losses = select_members(shares, labels, rounds=8)
    expected = brute_force(shares, labels, 8)
    mean, reference = (np.einsum("k,knc->nc", w, np.stack(shares)) for w in (weights, expected))
    assert log_loss_of_probabilities(mean, labels) == pytest.approx(
        log_loss_of_probabilities(reference, labels), abs=1e-12
    )
    assert weights == pytest.approx(expected)
    assert len(losses) == 8
    assert log_loss_of_probabilities(mean, labels) == pytest.approx(min(losses))


@given(**SHAPES)
def test_weights_add_up_and_the_mean_is_never_worse_than_the_best_member(
    seed, members, multilabel
) -> None:
    shares, labels = drawn(seed, members, multilabel)
    weights, losses = select_members(shares, labels)
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    single = [log_loss_of_probabilities(one, labels) for one in shares]
    assert losses[0] == pytest.approx(min(single))
    mean = np.einsum("k,knc->nc", weights, np.stack(shares))
    assert log_loss_of_probabilities(mean, labels) <= min(single) + 1e-12


@given(**SHAPES)
def test_a_copy_of_a_member_changes_nothing_essential(seed, members, multilabel) -> None:
    shares, labels = drawn(seed, members, multilabel)
    weights, losses = select_members(shares, labels)
    doubled, same_losses = select_members([*shares, shares[0]], labels)
    assert same_losses == losses
    assert doubled[:-1] + doubled[-1] * np.eye(members)[0] == pytest.approx(weights)


def test_only_so_many_members_have_a_weight() -> None:
    labels = np.arange(12)
    shares = [np.where(np.eye(12)[[k]] * np.eye(12) > 0, 0.9, 0.01) for k in range(12)]
    assert np.count_nonzero(select_members(shares, labels, most=99)[0]) == 12
    weights, losses = select_members(shares, labels)  # each knows one subgraph
    assert np.count_nonzero(weights) == 8
    assert weights.sum() == pytest.approx(1)
    assert np.isfinite(losses).all()


def test_a_perfect_member_is_chosen_alone_and_a_wrong_one_never() -> None:
    labels = np.array([0, 1, 2, 1])
    right, wrong = np.eye(3)[labels], np.eye(3)[(labels + 1) % 3]
    weights, losses = select_members([wrong, right, np.full((4, 3), 1 / 3)], labels)
    assert weights.tolist() == [0, 1, 0]
    assert losses[0] == 0
    assert all(np.isfinite(losses))
    weights, losses = select_members([wrong], labels)
    assert weights.tolist() == [1]
    assert np.isfinite(losses).all()  # a probability of 0 is not the end of it


def test_likelihoods_are_those_of_scikit_learn() -> None:
    (shares,), labels = drawn(1, 1, False)
    loss = -np.log(likelihoods(shares, labels)).mean()
    assert loss == pytest.approx(metrics.log_loss(labels, shares, labels=[0, 1, 2]))
    (shares,), table = drawn(1, 1, True)
    each = likelihoods(shares, table)
    assert each.shape == (36,)
    loss = metrics.log_loss(table.ravel(), shares.ravel(), labels=[False, True])
    assert -np.log(each).mean() == pytest.approx(loss)


@settings(max_examples=40)
@given(**SHAPES)
def test_steady_weights_add_up_and_none_is_tiny(seed, members, multilabel) -> None:
    shares, labels = drawn(seed, members, multilabel)
    weights = steady_weights(select_members(shares, labels, rounds=4)[0], shares, labels)
    assert weights.sum() == pytest.approx(1)
    assert ((weights == 0) | (weights >= 0.02)).all()
    few = select_members(shares, labels, rounds=4, most=2)[0]
    assert np.count_nonzero(steady_weights(few, shares, labels, most=2)) <= 2


def test_few_labels_leave_good_members_about_equal_and_many_do_not() -> None:
    """Two of 60 % and 55 % on the right class, and one that knows nothing."""
    for count, low, high in ((4, 0.35, 0.65), (4000, 0.99, 1.0)):
        labels = np.arange(count) % 2
        shares = [np.eye(2)[labels] * (2 * p - 1) + 1 - p for p in (0.6, 0.58, 0.2)]
        weights = steady_weights(np.array([1.0, 0.0, 0.0]), shares, labels)
        assert low <= weights[0] <= high
        assert weights[2] == 0  # it is far behind
