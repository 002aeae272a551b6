"""The Weisfeiler-Leman model: what it chooses within train, and that it answers for others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ring_tasks import ring_task
from sub2node.baselines import SIMPLE, TrainingData
from sub2node.baselines import wl_model as module
from sub2node.datasets import load_task
from sub2node.task import SubgraphTask

WL = SIMPLE["wl"]


def data_of(task: SubgraphTask) -> TrainingData:
    labels: Any = {part: task.labels[task.split.mask(part)] for part in ("train", "val")}
    return TrainingData(task, labels, [1], "cpu")


@pytest.fixture(scope="module")
def dense() -> SubgraphTask:
    return load_task("generate:density,subgraphs=60,seed=2")


@pytest.mark.slow
def test_it_tells_densities_apart_and_answers_for_subgraphs_that_were_not_there(dense) -> None:
    data = data_of(dense)
    predictions = WL.fit(data, WL.settings())
    (note,) = predictions.notes
    assert "chosen within train (12 settings tried)." in note
    classifier = predictions.classifier
    test = dense.split.mask("test")
    logits = predictions.logits("test")
    assert np.allclose(classifier.logits(dense.subset(test)), logits)
    majority = np.bincount(dense.labels[dense.split.mask("train")]).argmax()
    right = (logits[0].argmax(axis=1) == dense.labels[test]).mean()
    assert right > (dense.labels[test] == majority).mean() + 0.2


@pytest.mark.slow
def test_view_and_rounds_are_those_asked_for(dense) -> None:
    for view in ("induced", "hops", "both"):
        settings = WL.settings().with_settings({"view": view, "rounds": 1})
        predictions = WL.fit(data_of(dense), settings)
        assert predictions.classifier.facts["view"] == view
        assert predictions.classifier.facts["rounds"] == 1
        assert "(5 settings tried)" in predictions.notes[0]


@pytest.mark.parametrize("best", [("hops", False, 3), ("induced", True, 1), ("both", True, 4)])
def test_the_best_on_folds_is_chosen_and_the_fewest_rounds_of_equals(
    best, dense, monkeypatch
) -> None:
    view, normalized, rounds = best
    seen = []

    def score(x, table, labels, strength, *, groups) -> tuple[float, float]:
        return float(x.shape[1] in wanted), 1.0

    bag = module.ColourBag.of

    def spy(*arguments, **options):
        made = bag(*arguments, **options)
        seen.append(made)
        return made

    train = dense.subset(dense.split.mask("train"))
    wanted = {  # of the longest, then of the rounds from which on they are equal
        len(bag(train, view, number, normalized=normalized).colours) for number in range(rounds, 5)
    }
    monkeypatch.setattr(module, "score_strength", score)
    monkeypatch.setattr(module.ColourBag, "of", spy)
    facts = WL.fit(data_of(dense), WL.settings()).classifier.facts
    assert facts["view"] == view
    assert facts["rounds"] == rounds
    assert len(seen) == 9


@pytest.mark.parametrize("multilabel", [False, True])
def test_a_task_without_validation_part_is_learned(multilabel) -> None:
    task = ring_task(multilabel)
    task = task.subset(task.split.mask("train"))
    predictions = WL.fit(data_of(task), WL.settings())
    assert predictions.logits("train").shape == (1, len(task), 2)
    assert np.isfinite(predictions.logits("train")).all()


def test_few_subgraphs_take_the_first_settings() -> None:
    task = ring_task()
    task = task.subset(np.flatnonzero(task.split.mask("train"))[:4])
    facts = WL.fit(data_of(task), WL.settings()).classifier.facts
    assert facts == {"view": "induced", "rounds": 1, "normalized": False}
