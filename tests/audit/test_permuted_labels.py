"""Permuted labels: at chance, unless what is permuted is learned after all."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from audit_tasks import as_multilabel, clean_task, task_without_signal
from sub2node.audit import permuted_labels
from sub2node.audit.check import Check, Verdict
from sub2node.audit.permuted_labels import check_permuted_labels
from sub2node.audit.quick_models import QuickScore, labels_of_part, quick_models, truth_of_part
from sub2node.task import SubgraphTask


def check(task: SubgraphTask, permutations: int = 19, seed: int = 0) -> Check:
    models = quick_models(task)[:1]  # the bag
    truth, labels = truth_of_part(task, "test"), labels_of_part(task, "train")
    scores = [QuickScore.of(truth, model.predict(labels, classes=3)) for model in models]
    return check_permuted_labels(task, models, scores, permutations=permutations, seed=seed)


@pytest.mark.parametrize("several", [False, True])
def test_permuted_labels_are_at_chance_and_true_ones_are_not(several: bool) -> None:
    found = check(as_multilabel(clean_task()) if several else clean_task())
    assert found.verdict is Verdict.OK
    assert found.numbers["p"] == 0.05
    assert abs(found.numbers["z"]) < 3
    assert len(found.numbers["best_permuted"]) == 19
    assert found.numbers["mean"] < 0.6 < found.numbers["scores"]["bag"]


def test_labels_without_a_relation_are_not_distinguished_from_permuted_ones() -> None:
    found = check(task_without_signal())
    assert found.verdict is Verdict.WARNING
    assert found.numbers["p"] > 0.05
    assert "your own model" in found.advice


def test_permuted_labels_that_are_learned_are_a_problem(monkeypatch) -> None:
    in_order = SimpleNamespace(permutation=np.arange)
    monkeypatch.setattr(permuted_labels, "generator", lambda seed: in_order)
    found = check(clean_task())
    assert found.verdict is Verdict.PROBLEM
    assert found.numbers["z"] > 10


def test_the_same_seed_gives_the_same_numbers() -> None:
    task = clean_task()
    first, second, other = (check(task, 3, seed).numbers for seed in (1, 1, 2))
    assert first == second != other


def test_few_permutations_say_so() -> None:
    found = check(clean_task(), permutations=18)
    assert found.verdict is Verdict.WARNING
    assert "at least 19 times" in found.advice
