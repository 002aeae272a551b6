"""What a part can show: differences that simulated comparisons find as often as promised."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from audit_tasks import clean_task
from sub2node.audit.check import Verdict
from sub2node.audit.part_power import check_part_power, smallest_difference
from sub2node.audit.quick_models import truth_of_part
from sub2node.task import Split

PARTS = ("val", "test")


def test_the_smallest_difference_is_found_in_four_of_five_comparisons() -> None:
    rng, size, score = np.random.default_rng(0), 400, 0.6
    error = math.sqrt(score * (1 - score) / size)
    better = score + smallest_difference(error)
    one, other = (rng.binomial(size, p, 4000) / size for p in (score, better))
    spread = np.sqrt((one * (1 - one) + other * (1 - other)) / size)
    assert np.mean((other - one) / spread > 1.96) == pytest.approx(0.8, abs=0.03)


def test_a_small_part_shows_large_differences_only() -> None:
    task = clean_task()
    sizes = {12: Verdict.PROBLEM, 60: Verdict.WARNING, 90: Verdict.WARNING}
    for size, verdict in sizes.items():
        split = Split.sizes(train=220 - size, val=20, test=size)
        check = check_part_power(replace(task, split=split), PARTS, {})
        assert check.verdict is verdict
        assert check.numbers["parts"]["test"]["subgraphs"] == size
        assert "--splits 10" in check.advice


def test_right_answers_on_a_clean_task_show_enough() -> None:
    task = clean_task()
    check = check_part_power(task, PARTS, {part: truth_of_part(task, part) for part in PARTS})
    assert check.verdict is Verdict.OK
    row = check.numbers["parts"]["test"]
    assert row["score"] == 1.0
    assert 0.02 < row["error"] < 0.03
    assert row["smallest_difference"] == pytest.approx(smallest_difference(row["error"]))


def test_rare_classes_are_named() -> None:
    task = clean_task()
    assert task.labels is not None
    labels = task.labels.copy()
    labels[180:][labels[180:] == 2] = 1
    labels[180] = 2
    task = replace(task, labels=labels)
    truth = truth_of_part(task, "test")
    check = check_part_power(task, ("test",), {"test": truth})
    assert check.verdict is Verdict.WARNING
    assert check.numbers["parts"]["test"]["rare_classes"] == ["2"]
    assert "fewer than 5 test subgraphs of 2" in check.found
    assert "macro-F1" in check.advice


def test_without_a_test_part_nothing_is_said() -> None:
    assert check_part_power(clean_task(), ("val",), {}).verdict is Verdict.NOT_APPLICABLE
