"""Networks under the protocol: trained, interrupted, taken up again, chosen."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import sub2node as s2n
from feature_cases import SETTINGS, featured_task
from quick_models import NET, QUICK, odd_task
from sub2node.base.errors import ConfigError
from sub2node.base.progress import Report, listen
from sub2node.baselines import NETWORKS
from sub2node.config import Config
from sub2node.encode import Encoding
from sub2node.evaluate.protocol import labels_of
from sub2node.models import candidates as choosing
from sub2node.models.candidates import _loss_weights, choose_candidate, target
from sub2node.models.graph_network import GraphNetwork
from sub2node.task import SubgraphTask
from sub2node.train import checkpoint
from sub2node.train.scores import losses

KINDS = ("random", "constant")


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return odd_task()


class Killed(BaseException):
    """As if the process was."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "published"), [*((name, True) for name in NETWORKS), ("glass", False)]
)
def test_a_training_that_was_killed_goes_on(task, name, published, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(checkpoint.Checkpoint, "due", property(lambda self: True))
    settings = {**QUICK[name], "epochs": 6, "published_ties": published}
    options = {"model": name, "seeds": 2, "settings": settings}

    def kill(report: Report) -> None:
        if report.what.startswith("Training") and report.done == 4:
            raise Killed

    whole = s2n.run(task, **options)
    with listen(kill), pytest.raises(Killed):
        s2n.run(task, checkpoint=tmp_path, **options)
    assert len(list(tmp_path.iterdir())) == 1
    resumed = s2n.run(task, checkpoint=tmp_path, resume=True, **options)
    assert resumed.best_epoch == whole.best_epoch
    assert resumed.published_ties == whole.published_ties
    for column, values in whole.history.items():
        assert np.array_equal(values, resumed.history[column])
    for part, found in whole.outputs.items():
        assert np.array_equal(found.logits, resumed.outputs[part].logits)
    other = {**options, "settings": {**settings, "epochs": 7}}
    with pytest.raises(ConfigError, match="other data, settings or seeds"):
        s2n.run(task, checkpoint=tmp_path, resume=True, **other)


def interrupt(at: int) -> Any:
    """Ctrl-C in the so-many-th epoch of all trainings together."""
    count = [0]

    def ask(report: Report) -> None:
        count[0] += report.what.startswith("Training")
        if report.what.startswith("Training") and count[0] == at:
            os.kill(os.getpid(), signal.SIGINT)

    return listen(ask)


def test_ctrl_c_evaluates_the_best_state_so_far(task) -> None:
    with interrupt(6):
        result = s2n.run(task, model="glass", seeds=2, settings={**NET, "epochs": 50, "start": 2})
    assert result.ended == "interrupted"
    assert any("interrupted after 6 of 50 epochs" in note for note in result.notes)


def test_ctrl_c_before_validation_counts(task) -> None:
    with interrupt(3):
        result = s2n.run(task, model="glass", seeds=1, settings={**NET, "epochs": 50, "start": 9})
    assert result.ended == "interrupted"


@pytest.mark.slow
def test_ctrl_c_early_in_the_second_candidate_keeps_the_first(task) -> None:
    settings = {"epochs": 8, "start": 4, "batch": 5}  # two candidates, random and constant
    with interrupt(10):
        result = s2n.run(task, model="glass", seeds=1, settings=settings)
    assert result.config["features"]["kind"] == "random"


@pytest.mark.parametrize("name", list(NETWORKS))
def test_a_rate_that_is_too_high_is_a_sentence(task, name) -> None:
    settings = {**QUICK[name], "lr": 1e38, "clip": 0.0, "weight_decay": 0.0, "epochs": 6}
    with pytest.raises(s2n.Sub2NodeError, match="lower the learning rate"):
        s2n.run(task, model=name, seeds=1, settings={**settings, "start": 5})


def test_labels_become_what_the_loss_reads() -> None:
    assert target(np.array([0, 2])).dtype == torch.int64
    table = target(np.array([[True, False]]))
    assert (table.dtype, table.tolist()) == (torch.float32, [[1.0, 0.0]])


def test_weights_of_classes_have_the_mean_1() -> None:
    weights = _loss_weights(np.array([0, 0, 1, 0]), (1.0, 3.0))
    assert weights.tolist() == pytest.approx([2 / 3, 2 / 3, 2, 2 / 3])
    table = _loss_weights(np.array([[True, False], [False, True]]), (1.0, 3.0))
    assert table.mean() == pytest.approx(1)
    assert table[1, 1] == pytest.approx(3 * float(table[1, 0]))  # an absent label counts 1
    assert _loss_weights(np.array([0, 1]), None) is None


CHOICES = ("svd", "random", "constant")


@pytest.mark.parametrize(
    ("scores", "count", "chosen"),
    [
        ((0.60, 0.58, 0.30), 100, "random"),  # a standard error is 0.05
        ((0.60, 0.58, 0.30), 10_000, "svd"),
        ((0.60, 0.50, 0.30), 100, "svd"),
        ((0.60, 0.61, 0.30), 100, "random"),
        ((0.60, 0.58, 0.61), 100, "constant"),
        ((0.60, 0.58, 0.59), 100, "constant"),  # as it would be without singular vectors
        ((1.0, 0.9, 0.9), 3, "random"),
        ((0.5, 0.5, 0.5), 0, "random"),
    ],
)
def test_vectors_at_random_are_kept_unless_others_are_clearly_better(scores, count, chosen) -> None:
    number, reason = choose_candidate(CHOICES, scores, count)
    assert CHOICES[number] == chosen
    assert bool(reason) == (chosen != "svd" and max(scores) == scores[0])


def test_without_vectors_at_random_the_best_is_chosen() -> None:
    assert choose_candidate(("svd", "constant"), (0.51, 0.5), 100) == (0, "")


def test_a_key_depends_on_settings_encodings_and_weights() -> None:
    base = GraphNetwork((Config(),))
    others = [
        GraphNetwork((Config().with_settings({"lr": 0.5}),)),
        replace(base, conv=torch.nn.Linear),
        replace(base, encodings=np.zeros((3, 2))),
        replace(base, encodings=np.ones((3, 2))),
        replace(base, encodings=Encoding("mine", np.arange(3), np.ones((3, 2)))),
        replace(base, class_weights=(1.0, 2.0)),
    ]
    assert len({model.key for model in (base, *others)}) == 7
    assert replace(base, device="cpu", resume=True, seconds=3.0).key == base.key


def test_the_time_that_is_left_is_shared_by_the_candidates_that_are_left(task, monkeypatch) -> None:
    limits = []
    train = GraphNetwork._train

    def watched(model, task, labels, *, seconds, **options):
        limits.append(seconds)
        return train(model, task, labels, seconds=None, **options)

    monkeypatch.setattr(GraphNetwork, "_train", watched)
    settings = {"epochs": 1, "structure": "s2n+0", "width": 4, "hidden": 4}
    candidates = [Config().with_settings({**settings, "features.kind": kind}) for kind in KINDS]
    labels = {part: labels_of(task, part) for part in ("train", "val")}
    model = GraphNetwork(tuple(candidates), seconds=60.0)
    trained = model.fit(task, labels, [1])
    assert limits[0] == pytest.approx(30, abs=1)
    assert 30 < limits[1] <= 60
    assert trained.val_scores.shape == (1,)
    assert "node features chosen on validation" in trained.facts["notes"][-1]


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


def score_of(task: SubgraphTask, **settings: Any) -> tuple[float, str]:
    """Mean test score, and what validation chose from."""
    result = s2n.run(
        task, structure="s2n+0", seeds=2, preset="fast", settings={**SETTINGS, **settings}
    )
    return float(np.mean(result.test["micro_f1"].values)), result.notes[-1]


@pytest.mark.slow
def test_a_table_of_nodes_that_says_nothing_ruins_no_network() -> None:
    task = featured_task("community")
    score, note = score_of(task)
    assert score > 0.95
    for candidate in ("svd", "constant", "svd+given", "constant+given"):
        assert f"{candidate} " in note  # tried, and told by the name
    alone, _ = score_of(task, **{"features.kind": "given"})
    assert alone < 0.7  # what these columns say by themselves


@pytest.mark.slow
def test_a_column_that_says_something_is_used() -> None:
    without, _ = score_of(featured_task("kind", []))
    score, _ = score_of(featured_task("kind", ["kind"]))
    assert score > 0.9
    assert without < 0.8
