"""What a result holds: scores of parts and of classes, and ties as published."""

from __future__ import annotations

import numpy as np
import pytest

from sub2node.base.metrics import scores
from sub2node.evaluate.result import best_of_ties


def test_best_of_ties_by_hand() -> None:
    labels = np.array([0, 1, 1])
    right, half = np.eye(2)[labels], np.eye(2)[[0, 0, 1]]
    assert best_of_ties(labels, [[half, right, half], [half]], (0, 0)).values == pytest.approx(
        (1, 2 / 3)
    )
    assert best_of_ties(labels, (), (0,)) is None
    assert scores(labels, half, multilabel=False)["micro_f1"] == pytest.approx(2 / 3)
