"""Quick models learn what is there, from train alone, and the same each time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from audit_tasks import as_multilabel, clean_task, task_with_telling_sizes
from sub2node.audit.quick_models import (
    QuickScore,
    labels_of_part,
    majority_score,
    model_of_numbers,
    quick_models,
    truth_of_part,
    why_not_learned,
)
from sub2node.task import Split


def test_members_tell_where_a_subgraph_lies_and_its_shape_does_not() -> None:
    task = clean_task()
    truth, labels = truth_of_part(task, "test"), labels_of_part(task, "train")
    scores = {
        model.name: QuickScore.of(truth, model.predict(labels, classes=3))
        for model in quick_models(task)
    }
    assert list(scores) == ["bag", "hops", "shape"]
    assert min(scores["bag"].score, scores["hops"].score) > 0.9
    assert scores["shape"].score < 0.6
    assert scores["bag"].chance.mean == pytest.approx(1 / 3, abs=0.01)
    assert majority_score(task) == pytest.approx(1 / 3)


@pytest.mark.parametrize("several", [False, True])
def test_a_model_learns_the_same_each_time(several: bool) -> None:
    task = as_multilabel(clean_task()) if several else clean_task()
    labels = labels_of_part(task, "train")
    for model in quick_models(task):
        first, second = (model.predict(labels, classes=3) for _ in range(2))
        np.testing.assert_array_equal(first, second)
        assert first.shape == (60, 3)
        assert model.predict(labels, classes=3, part="val").shape == (60, 3)


def test_numbers_are_cut_where_train_says() -> None:
    task = task_with_telling_sizes()
    sizes = task.subgraphs.sizes[:, None].astype(float)
    model = model_of_numbers(task, "sizes", sizes)
    moved = sizes.copy()
    moved[120:] += 100  # of val and test
    other = model_of_numbers(task, "sizes", moved)
    np.testing.assert_array_equal(model.rows["train"].toarray(), other.rows["train"].toarray())
    right = model.predict(labels_of_part(task, "train"), classes=3) & truth_of_part(task, "test")
    assert right.sum() == 60


def test_what_cannot_be_learned_has_a_reason() -> None:
    task = clean_task()
    assert why_not_learned(task) is None
    assert "no labels" in str(why_not_learned(replace(task, labels=None, class_names=())))
    bare = replace(task, split=Split.sizes(train=200, val=40))
    assert "no test subgraph" in str(why_not_learned(bare))
