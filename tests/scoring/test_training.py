"""How a classifier is trained: weights of classes, how sure it is, what is chosen by itself."""

from __future__ import annotations

import signal
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sklearn import metrics

from communities import (
    GRAPH,
    LISTS,
    NEW,
    NUMBERS,
    S,
    X,
    Y,
    classifier,
    raises,
)
from scoring_tasks import small_task
from sub2node import SubgraphClassifier
from sub2node.base.errors import ConfigError, DataError, Sub2NodeError
from sub2node.models import candidates as choosing
from sub2node.scoring import choices as choices_module
from sub2node.scoring.calibration import best_temperature, log_loss, probabilities
from sub2node.scoring.choices import CANDIDATES, choose_structure, describe_choice
from sub2node.scoring.label_encoding import class_weights
from sub2node.task import Split, Subgraphs, SubgraphTask
from sub2node.train.scores import losses


@pytest.fixture(scope="module")
def good() -> SubgraphClassifier:
    """One that has learned the communities."""
    return classifier(seeds=2, settings={**S, "epochs": 40}).fit(X, Y)


# Weights of classes.


def test_balanced_weights_are_those_of_the_books() -> None:
    labels = np.array([0] * 12 + [1] * 3 + [2] * 5)
    sets = Subgraphs.from_lists([[0]] * 20)
    task = SubgraphTask(GRAPH, sets, labels, (), Split.sizes(train=20))
    found = class_weights("balanced", task, np.arange(3))
    wanted = 20 / (3 * np.bincount(labels))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    table = np.stack([labels == 1, labels < 2], axis=1)
    task = SubgraphTask(GRAPH, sets, table, (), Split.sizes(train=20))
    np.testing.assert_allclose(class_weights("balanced", task, np.arange(2)), [17 / 3, 5 / 15])
    assert class_weights(None, task, np.arange(2)) is None
    assert class_weights({1: 2.5}, task, np.arange(2)) == (1.0, 2.5)


def test_weighted_losses_are_those_of_torch() -> None:
    logits = torch.randn(2, 20, 3, generator=torch.Generator().manual_seed(0))
    by_class = (0.5, 2.0, 4.0)
    labels = np.random.default_rng(0).integers(0, 3, 20)
    weights = choosing._loss_weights(labels, by_class)
    found = losses(logits, torch.from_numpy(labels), weights=weights)
    wanted = [
        torch.nn.functional.cross_entropy(
            each, torch.from_numpy(labels), weight=torch.tensor(by_class)
        )
        for each in logits
    ]
    torch.testing.assert_close(found, torch.stack(wanted), atol=1e-6, rtol=1e-6)
    table = np.random.default_rng(1).random((20, 3)) < 0.3
    weights = choosing._loss_weights(table, by_class)
    scale = np.where(table, by_class, 1.0).mean()
    found = losses(logits, torch.from_numpy(table).float(), weights=weights)
    positive = torch.tensor(by_class)
    wanted = [
        torch.nn.functional.binary_cross_entropy_with_logits(
            each, torch.from_numpy(table).float(), pos_weight=positive
        )
        / scale
        for each in logits
    ]
    torch.testing.assert_close(found, torch.stack(wanted), atol=1e-6, rtol=1e-6)


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


# How sure.


def drawn_logits(temperature, *, multilabel, count=4000, replicas=1):
    """Logits that are too sure by this factor, and labels drawn from the true probabilities."""
    rng = np.random.default_rng(5)
    true = rng.normal(size=(1, count, 3)) * 2
    said = np.repeat(true * temperature, replicas, axis=0)
    share = probabilities(true, 1.0, multilabel=multilabel)[0]
    if multilabel:
        return said, rng.random(share.shape) < share
    return said, (rng.random((count, 1)) > share.cumsum(axis=1)).sum(axis=1).clip(max=2)


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("temperature", [0.3, 1.0, 3.0])
def test_a_known_temperature_is_found(temperature, multilabel) -> None:
    logits, labels = drawn_logits(temperature, multilabel=multilabel)
    assert best_temperature(logits, labels) == pytest.approx(temperature, rel=0.07)


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("count", [1, 5, 40])
def test_the_temperature_is_the_best_of_a_fine_grid(count, multilabel) -> None:
    logits, labels = drawn_logits(4.0, multilabel=multilabel, count=count)
    logits = np.concatenate([logits, logits[:, :, ::-1] * 0.3])
    found = best_temperature(logits, labels)

    def cost(temperature):
        fit = len(labels) * log_loss(logits, labels, temperature)
        return fit + 0.5 * (np.log(temperature) / 0.5) ** 2

    grid = np.exp(np.linspace(-3, 3, 2001))
    assert cost(found) <= min(map(cost, grid)) + 1e-6
    assert log_loss(logits, labels, found) <= log_loss(logits, labels, 1.0) + 1e-12


def test_losses_are_those_of_scikit_learn() -> None:
    logits, labels = drawn_logits(2.0, multilabel=False, count=50)
    mean = probabilities(logits, 1.5, multilabel=False).mean(axis=0)
    assert log_loss(logits, labels, 1.5) == pytest.approx(
        metrics.log_loss(labels, mean, labels=[0, 1, 2])
    )
    logits, table = drawn_logits(2.0, multilabel=True, count=50)
    mean = probabilities(logits, 1.5, multilabel=True).mean(axis=0)
    each = [metrics.log_loss(t, p, labels=[0, 1]) for t, p in zip(table.T, mean.T, strict=True)]
    assert log_loss(logits, table, 1.5) == pytest.approx(np.mean(each))


def test_extreme_logits_give_probabilities_and_no_labels_a_temperature_of_one() -> None:
    huge = np.array([[[1e30, -1e30, 0.0]]], np.float32)
    for multilabel in (False, True):
        found = probabilities(huge, 0.05, multilabel=multilabel)
        assert np.isfinite(found).all()
        assert ((found >= 0) & (found <= 1)).all()
    assert best_temperature(np.zeros((2, 0, 3)), np.zeros(0, np.int64)) == 1.0
    right = best_temperature(np.eye(3)[None] * 5, np.arange(3))
    wrong = best_temperature(np.eye(3)[None] * 5, (np.arange(3) + 1) % 3)
    assert np.exp(-3) <= right < 1 < wrong <= np.exp(3) * (1 + 1e-9)


def test_a_model_is_calibrated_on_validation(good) -> None:
    scorer = good.scorer_
    assert scorer.temperature == scorer.card["temperature"] != 1.0
    assert good.validation_["log_loss"] > 0


# Chosen by itself.


@pytest.fixture(scope="module")
def split_task() -> SubgraphTask:
    names = ("left", "middle", "right")
    task = SubgraphTask(GRAPH, Subgraphs.from_lists(X), NUMBERS, names)
    return classifier()._complete_split(task)


def recipe(**options):
    made = classifier(structure="auto", device="cpu", **options)
    return made._build_recipe(np.array(["left", "middle", "right"]))


def fake(scores, ended="complete", seconds=0.0):
    """Training that gives these validation scores, one after the other."""
    left = iter(scores)

    def fitted(task, recipe, *, seconds=None):
        score = next(left)
        if isinstance(score, Exception):
            raise score
        time.sleep(pause)
        found = SimpleNamespace(ended=ended)
        return SimpleNamespace(
            trained=SimpleNamespace(fitted=found, val_scores=np.array([score, score + 0.02]))
        )

    pause = seconds
    return fitted


def test_the_best_on_validation_is_chosen(split_task, monkeypatch) -> None:
    scores = [0.5, 0.6, DataError("no."), 0.9, 0.2, 0.9, 0.1, 0.3]
    monkeypatch.setattr(choices_module, "fit_network", fake(scores))
    found, rows = choose_structure(split_task, recipe(), 60.0)
    assert found == CANDIDATES[3]  # the first of two that tie
    assert [(row["structure"], row["conv"]) for row in rows] == list(CANDIDATES)
    assert [bool(row.get("chosen")) for row in rows] == [i == 3 for i in range(8)]
    assert rows[2]["state"] == "failed: no."
    assert rows[0]["validation"] == pytest.approx(0.51)
    assert rows[0]["sd"] == pytest.approx(np.std([0.5, 0.52], ddof=1))
    assert describe_choice(rows[0]) == ("51.0 ± 1.4", "0.0", "")
    assert describe_choice(rows[2]) == ("-", "-", "failed: no.")
    assert describe_choice(rows[3])[2] == "chosen"


def test_what_there_is_no_time_for_is_not_tried(split_task, monkeypatch) -> None:
    monkeypatch.setattr(choices_module, "fit_network", fake([0.1] * 8, "late", seconds=0.2))
    found, rows = choose_structure(split_task, recipe(), 0.15)
    assert found == CANDIDATES[0]
    assert [row["state"] for row in rows] == ["cut short"] + ["not tried"] * 7
    monkeypatch.setattr(choices_module, "fit_network", fake([ConfigError("never.")] * 8))
    with pytest.raises(
        Sub2NodeError, match=r"nothing could be trained; the first: failed: never\."
    ):
        choose_structure(split_task, recipe(), 5.0)


def test_a_budget_is_kept(split_task) -> None:
    start = time.perf_counter()
    _, rows = choose_structure(split_task, recipe(settings={**S, "epochs": 10**6}), 0.6)
    spent = time.perf_counter() - start
    assert 0.6 <= spent < 0.6 + 15  # an epoch, and what it takes to build, beside other work
    assert rows[0]["state"] == "cut short"
    assert rows[-1]["state"] == "not tried"


def test_candidates_of_a_preset_share_the_time(split_task, monkeypatch) -> None:
    given = []

    def slow(*args, seconds=None, **options):
        given.append(seconds)
        time.sleep(0.3)
        return before(*args, seconds=seconds, **options)

    before = choosing.fit
    monkeypatch.setattr(choosing, "fit", slow)
    plain = {"epochs": 1, "hidden": 8}  # features of both kinds are tried
    choices_module.fit_network(split_task, recipe(settings=plain), seconds=10.0)
    assert len(given) == 2
    assert given[0] <= 5
    assert given[1] <= 9.7


def test_training_has_no_test_subgraph() -> None:
    task = small_task()
    assert task.split.count("test")
    fitted = choices_module.fit_network(task, recipe(settings={**S, "epochs": 1}))
    assert not fitted.task.split.count("test")
    assert len(fitted.task) == len(task) - task.split.count("test")


def test_auto_as_a_whole(capsys) -> None:
    made = classifier(structure="auto", budget=0.01, verbose=True).fit(X, Y)
    assert made.choices_[0]["chosen"]
    assert made.scorer_.known_subgraphs.config.structure == made.choices_[0]["structure"]
    assert made.scorer_.card["choices"] == made.choices_
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(CANDIDATES)
    assert lines[0].startswith("s2n+a gcn2 ")
    assert lines[0].endswith(" chosen")
    assert lines[-1] == "cos2n+a gcn2 - - not tried"
    assert set(made.predict(NEW)) <= set(Y)
    with pytest.raises(ConfigError, match="omit conv"):
        classifier(structure="auto", conv="gcn").fit(X, Y)


def test_a_wrong_threshold_is_refused_before_the_choice(monkeypatch) -> None:
    def never(*args, **options):
        raise AssertionError("trained in vain")

    monkeypatch.setattr(choices_module, "fit_network", never)
    raises(lambda: classifier(structure="auto", threshold="x").fit(X, Y))


def interrupt(monkeypatch) -> None:
    """Ctrl-C in the first epoch."""
    count = iter(range(10**6))

    def step(*args, **options):
        if next(count) == 0:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(sys.modules["sub2node.train.fit"], "step", step)


def test_an_interrupted_fit_counts_and_says_so(monkeypatch) -> None:
    interrupt(monkeypatch)
    made = classifier(settings={**S, "epochs": 500}).fit(X, Y)
    assert any("interrupted after 1 of 500 epochs" in note for note in made.notes_)
    assert made.predict(NEW).shape == (9,)


def test_an_interrupted_choice_ends_the_whole(monkeypatch) -> None:
    interrupt(monkeypatch)
    made = classifier(structure="auto", settings={**S, "epochs": 500})
    with pytest.raises(KeyboardInterrupt):
        made.fit(X, Y)
    assert not hasattr(made, "scorer_")


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
