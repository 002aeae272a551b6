"""How a classifier is trained: weights, time, interruptions, devices."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.metrics import (
    average_precision_score,
    precision_recall_fscore_support,
    roc_auc_score,
)

from commands import ctrl_c
from communities import LISTS, NEW, S, X, Y, classifier, recipe
from scoring_tasks import FAST, small_task
from sub2node import SubgraphClassifier
from sub2node.base.errors import ConfigError
from sub2node.evaluate.positive_class import choose_threshold
from sub2node.models import candidates as choosing
from sub2node.scoring import choices as choices_module
from sub2node.scoring import training
from sub2node.scoring.training import PartOutputs, score_classes

pytestmark = pytest.mark.usefixtures("few_trees")


@pytest.fixture(scope="module")
def good() -> SubgraphClassifier:
    """One that has learned the communities."""
    return classifier(seeds=2, settings={**S, "epochs": 40}).fit(X, Y)


@pytest.mark.parametrize("y", [Y, LISTS])
def test_training_hears_the_weights(y, monkeypatch) -> None:
    heard = []

    def listening(*args, weights=None, **options):
        heard.append(weights)
        return before(*args, weights=weights, **options)

    before = choosing.fit
    monkeypatch.setattr(choosing, "fit", listening)
    plain = classifier().fit(X, y)
    made = classifier(class_weight={"left": 5.0}).fit(X, y)
    assert heard[0] is None
    known = made.scorer_.task
    has = known.labels[:, 0] if known.multilabel else known.labels == 0
    each = heard[1].numpy()
    each = each[:, 0] if known.multilabel else each
    assert each[has].min() == pytest.approx(5 * each[~has].max())
    assert heard[1].mean() == pytest.approx(1, abs=1e-6)
    assert not np.array_equal(plain.predict_proba(NEW), made.predict_proba(NEW))


@pytest.mark.slow
def test_a_rare_class_is_recalled_better_with_balanced_weights() -> None:
    rng = np.random.default_rng(3)

    def drawn(count, rare):
        """Rare ones have more nodes of the second community, but not only such."""
        second = 3 if rare else 1
        return [
            [
                *rng.choice(10, 4 - second, replace=False),
                *(10 + rng.choice(10, second, replace=False)),
            ]
            for _ in range(count)
        ]

    sets, y = drawn(54, False) + drawn(6, True), ["common"] * 54 + ["rare"] * 6
    new = drawn(20, True)
    settings = {**S, "epochs": 25, "lr": 0.01}
    recall = [
        (classifier(class_weight=weight, settings=settings, seeds=2).fit(sets, y).predict(new)
         == "rare").mean()
        for weight in (None, "balanced")
    ]  # fmt: skip
    assert recall[1] > recall[0] + 0.3


def test_a_model_is_calibrated_on_validation(good) -> None:
    scorer = good.scorer_
    assert scorer.temperature == scorer.card["temperature"] != 1.0
    assert good.validation_["log_loss"] > 0


@pytest.mark.slow
def test_candidates_of_a_preset_share_the_time(split_task, monkeypatch) -> None:
    given = []

    def slow(*args, seconds=None, **options):
        given.append(seconds)
        time.sleep(0.3)
        return before(*args, seconds=seconds, **options)

    before = choosing.fit
    monkeypatch.setattr(choosing, "fit", slow)
    plain = {"epochs": 1, "hidden": 8}  # features of all kinds are tried
    choices_module.fit_network(split_task, recipe(settings=plain), seconds=10.0)
    assert len(given) == 3
    assert given[0] <= 10 / 3
    assert given[1] <= 9.7 / 2
    assert given[2] <= 9.4


def test_training_has_no_test_subgraph() -> None:
    task = small_task()
    assert task.split.count("test")
    fitted = choices_module.fit_network(task, recipe(settings={**S, "epochs": 1}))
    assert not fitted.task.split.count("test")
    assert len(fitted.task) == len(task) - task.split.count("test")


def test_an_interrupted_fit_counts_and_says_so() -> None:
    with ctrl_c(lambda report: report.what.startswith("Training")):
        made = classifier(settings={**S, "epochs": 500}).fit(X, Y)
    assert any("interrupted after 1 of 500 epochs" in note for note in made.notes_)
    assert made.predict(NEW).shape == (9,)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("multilabel", [False, True])
def test_trained_on_a_gpu_it_answers_on_the_cpu(multilabel, tmp_path) -> None:
    task = small_task(multilabel=multilabel)
    weights = {"class_weight": "balanced", "seeds": 2, "settings": {"epochs": 30, "hidden": 16}}
    made = SubgraphClassifier(device="cuda", preset="fast", **weights).fit(task)
    assert made.scorer_.network.head.weight.device.type == "cpu"
    assert np.isfinite(made.predict_proba(task)).all()
    again = SubgraphClassifier.load(made.save(tmp_path / "model"))
    assert np.array_equal(again.predict_proba(task), made.predict_proba(task))
    plain = SubgraphClassifier(device="cpu", preset="fast", **weights).fit(task)
    assert abs(plain.validation_["log_loss"] - made.validation_["log_loss"]) < 0.5


def test_one_class_of_several_labels(tmp_path) -> None:
    """A subgraph has the one class or not: a table of one column is not a binary target."""
    task = small_task(multilabel=True)
    task = replace(task, labels=task.labels[:, :1], class_names=("yes",))
    model = SubgraphClassifier(seeds=1, preset="fast", settings=FAST).fit(task)
    card = model.scorer_.card
    assert list(card["validation_by_class"]) == ["yes"]
    assert card["test_by_class"]["yes"]["subgraphs"] == task.labels[-8:].sum()
    loaded = SubgraphClassifier.load(model.save(tmp_path / "model"))
    assert loaded.predict_proba([[1, 2]]).shape == (1, 1)


@pytest.mark.parametrize("multilabel", [False, True])
def test_scores_of_classes_are_those_of_scikit_learn(multilabel: bool) -> None:
    task = small_task(multilabel=multilabel)
    scorer = SubgraphClassifier(seeds=1, preset="fast", settings=FAST).fit(task).scorer_
    outputs = PartOutputs.of(scorer, task, "test")
    truth = outputs.truth if multilabel else np.eye(3, dtype=bool)[outputs.truth]
    predicted = outputs.answers(scorer).predicted
    expected = np.array(precision_recall_fscore_support(truth, predicted, zero_division=0))
    found = score_classes(scorer, outputs.seen(scorer))
    np.testing.assert_allclose([list(row.values())[:4] for row in found.values()], expected.T)
    probabilities = outputs.answers(scorer).probabilities
    for c, row in enumerate(found.values()):
        if 0 < truth[:, c].mean() < 1:
            for metric, score in (("roc_auc", roc_auc_score), ("pr_auc", average_precision_score)):
                assert row[metric] == pytest.approx(score(truth[:, c], probabilities[:, c]))
        else:
            assert (row["roc_auc"], row["pr_auc"]) == (None, None)


def test_the_positive_class_is_on_the_card_and_survives_saving(tmp_path) -> None:
    task = small_task()
    with pytest.raises(ConfigError, match="there is no class '7'"):
        classifier(positive=7).fit(task)
    made = SubgraphClassifier(seeds=1, preset="fast", settings=FAST, positive=1).fit(task)
    positive = made.scorer_.card["positive"]
    truth, probabilities = PartOutputs.of(made.scorer_, task, "val").seen(made.scorer_)[:2]
    assert positive["label"] == "1"
    assert positive["threshold"] == choose_threshold(truth == 1, probabilities[:, 1])
    assert positive["validation"]["f1"] >= made.scorer_.card["validation_by_class"]["1"]["f1"]
    assert positive["test"]["pr_auc"] == made.scorer_.card["test_by_class"]["1"]["pr_auc"]
    loaded = SubgraphClassifier.load(made.save(tmp_path / "model"))
    assert loaded.scorer_.card["positive"] == positive
    assert loaded.positive == 1
    card = (tmp_path / "model" / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "## The positive class: 1" in card
    assert f"is an alert; it is a probability of {positive['threshold']:.3f}, with" in card


@pytest.mark.slow
def test_simple_models_beside_one_are_the_others_that_take_seconds(monkeypatch) -> None:
    model = classifier(model="bag", settings=None, compare=True).fit(X, Y)
    scores = model.scorer_.card["simple_validation"]
    assert list(scores) == ["hops", "diffused-bag", "statistics"]
    assert all(0 <= score <= 1 for score in scores.values())
    monkeypatch.setattr(training, "_COMPARING", -1.0)
    slow = classifier(model="bag", settings=None, compare=True).fit(X, Y)
    assert list(slow.scorer_.card["simple_validation"]) == ["hops"]  # one in any case
