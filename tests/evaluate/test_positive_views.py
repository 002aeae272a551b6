"""Rows of text about the positive class."""

from __future__ import annotations

import numpy as np

from sub2node.evaluate.positive_class import PositivePart, measure_positive
from sub2node.evaluate.positive_views import positive_rows, threshold_text


def measures(positives: int, count: int = 20) -> dict[str, object]:
    truth = np.arange(count) < positives
    return measure_positive(truth, np.linspace(0.9, 0.1, count), 0.5)


def test_rows_of_numbers_and_of_summaries() -> None:
    one = measures(2)
    several = PositivePart.of([one, measures(2)]).content()
    plain, spread = positive_rows({"test": one}), positive_rows({"test": several})
    assert ("Prevalence", "10.0 (2 of 20)") in plain
    assert ("Precision at 10", "20.0") in plain
    assert ("Precision at k = positives", "100.0") in plain
    assert ("Precision at threshold", "20.0") in plain
    assert ("PR-AUC", "100.0 ± 0.0") in spread
    assert [row[0] for row in plain] == [row[0] for row in spread]


def test_what_a_part_does_not_have_is_a_stroke() -> None:
    rows = {name: cells for name, *cells in positive_rows({"a": measures(2), "b": measures(0, 5)})}
    assert rows["PR-AUC"] == ["100.0", "-"]
    assert rows["Precision at 10"] == ["20.0", "-"]
    assert rows["Precision at k = positives"] == ["100.0", "-"]
    assert rows["Prevalence"] == ["10.0 (2 of 20)", "0.0 (0 of 5)"]


def test_thresholds_in_words() -> None:
    assert threshold_text([0.25], positives=1).startswith(
        "a probability of 0.250, with the best F1"
    )
    assert "0.300 (mean of 0.200 … 0.400)" in threshold_text([0.2, 0.4], positives=1)
    assert threshold_text([0.5], positives=0).startswith("one half, since validation has no")
