"""Classes, confusion, calibration and mistakes against scikit-learn and their definitions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from report_runs import made_result, small_task
from sub2node.evaluate.result import Result
from sub2node.models.interface import Outputs
from sub2node.report.html import collect_findings, read_study
from sub2node.report.html.prediction_measures import calibration, worst
from sub2node.runs import save_run
from sub2node.runs.run_tables import RunPredictions
from sub2node.task import SubgraphTask


def answers_of(task: SubgraphTask, result: Result) -> tuple[np.ndarray, list[np.ndarray]]:
    """Labels and answers of the test part as scikit-learn takes them."""
    truth = task.labels[task.split.mask("test")]
    logits = result.outputs["test"].logits
    said = [part > 0 if task.multilabel else part.argmax(axis=1) for part in logits]
    return truth, said


def test_classes_are_as_in_scikit_learn(task, result, numbers) -> None:
    truth, said = answers_of(task, result)
    labels = range(task.num_classes)
    for seed, claim in enumerate(said):
        precision, recall, f1, support = precision_recall_fscore_support(
            truth, claim, labels=None if task.multilabel else labels, zero_division=0
        )
        for place, row in enumerate(numbers["classes"]):
            assert row["precision"]["values"][seed] == pytest.approx(precision[place])
            assert row["recall"]["values"][seed] == pytest.approx(recall[place])
            assert row["f1"]["values"][seed] == pytest.approx(f1[place])
            assert row["support"] == support[place]


def test_confusion_is_as_in_scikit_learn(task, result, numbers) -> None:
    if task.multilabel:
        assert numbers["confusion"] is None
        return
    truth, said = answers_of(task, result)
    each = [confusion_matrix(truth, claim, labels=range(task.num_classes)) for claim in said]
    assert np.allclose(numbers["confusion"], np.mean(each, axis=0))


def test_a_class_that_is_never_said_has_no_precision(tmp_path: Path) -> None:
    task = small_task(20, 2)
    logits = np.tile(np.array([5.0, -5.0], np.float32), (1, 5, 1))
    found = made_result(task, 1)
    outputs = {**found.outputs, "test": Outputs(logits)}
    truth = task.labels[task.split.mask("test")]
    share = float((truth == 0).mean())
    scores = {**found.scores, "test": {name: type(value)((share,)) for name, value in
                                       found.scores["test"].items()}}  # fmt: skip
    folder = save_run(made_result(task, 1, outputs=outputs, scores=scores), task, tmp_path / "run")
    rows = collect_findings(read_study([folder])).numbers["classes"]
    assert rows[1]["precision"]["mean"] == rows[1]["recall"]["mean"] == rows[1]["f1"]["mean"] == 0


def expected_error(shares: np.ndarray, right: np.ndarray) -> float:
    """The definition, bin by bin."""
    total = 0.0
    for number in range(10):
        low, high = number / 10, (number + 1) / 10
        here = (shares >= low) & ((shares < high) | (number == 9))
        if here.any():
            total += here.sum() * abs(right[here].mean() - shares[here].mean())
    return total / len(shares)


def test_calibration_is_its_definition(task, result, numbers) -> None:
    truth, _ = answers_of(task, result)
    logits = result.outputs["test"].logits.astype(np.float64)
    if task.multilabel:
        shares = 1 / (1 + np.exp(-logits))
        cases = [(part.ravel(), truth.ravel()) for part in (*shares, shares.mean(axis=0))]
    else:
        shares = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
        cases = [
            (part.max(axis=1), part.argmax(axis=1) == truth)
            for part in (*shares, shares.mean(axis=0))
        ]
    errors = [expected_error(*case) for case in cases]
    found = numbers["calibration"]
    assert found["error_by_seed"]["values"] == pytest.approx(errors[:-1])
    assert found["error_of_mean"] == pytest.approx(errors[-1])
    assert sum(row["count"] for row in found["bins"]) == len(cases[-1][0])


def test_calibration_of_few_answers_by_hand() -> None:
    shares = np.array([[0.9, 0.1], [0.95, 0.05], [0.4, 0.6], [0.0, 1.0]])
    truth = np.array([[1, 0], [0, 1], [0, 1], [0, 1]], bool)
    found = calibration(shares, truth, multilabel=False)
    assert found.count.tolist() == [0, 0, 0, 0, 0, 0, 1, 0, 0, 3]
    assert found.error == pytest.approx((0.4 + 3 * abs(2 / 3 - 2.85 / 3)) / 4)
    perfect = calibration(np.eye(2), np.eye(2, dtype=bool), multilabel=False)
    assert perfect.error == 0


def make_answers(truth, said, shares, *, multilabel: bool) -> RunPredictions:
    names = tuple(f"s{row}" for row in range(len(truth)))
    kinds = np.array(truth, bool), np.array(said, bool), np.array(shares, float)
    return RunPredictions(names, *kinds, multilabel)


def test_the_surest_mistakes_of_all_seeds_come_first() -> None:
    truth = np.eye(3)[[0, 1, 2, 0]]
    said = np.eye(3)[[[1, 1, 0, 1], [1, 1, 1, 1], [1, 1, 1, 0]]]
    shares = np.tile(
        [[0.2, 0.7, 0.1], [0.1, 0.8, 0.1], [0.4, 0.5, 0.1], [0.05, 0.9, 0.05]], (3, 1, 1)
    )
    found = worst(make_answers(truth, said, shares, multilabel=False))
    listed = [(m.row, m.label, m.wrong, round(m.probability, 6)) for (m,) in found]
    assert listed == [(0, 1, 3, 0.7), (2, 1, 3, 0.5), (3, 1, 2, 0.9)]


def test_mistakes_with_labels_are_said_or_missed() -> None:
    truth = [[1, 0, 1], [0, 1, 0]]
    said = [[[0, 0, 1], [0, 1, 1]], [[0, 1, 1], [0, 1, 1]]]
    shares = np.tile([[0.1, 0.6, 0.9], [0.2, 0.8, 0.95]], (2, 1, 1))
    found = worst(make_answers(truth, said, shares, multilabel=True))
    listed = [[(m.row, m.label, m.missed, m.wrong, round(m.probability, 6)) for m in row]
              for row in found]  # fmt: skip
    assert listed == [[(1, 2, False, 2, 0.95)], [(0, 0, True, 2, 0.9), (0, 1, False, 1, 0.6)]]
