"""Train a scorer: networks of several seeds, averaged and calibrated."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from torch import nn

from ..base.calibration import best_temperature, log_loss_of_probabilities
from ..base.environment import versions
from ..base.errors import ConfigError, suggest
from ..base.metrics import best_threshold, micro_f1, rankings_by_class, scores
from ..base.notes import data_changes, sources
from ..base.progress import counted
from ..base.ragged import Array
from ..base.records import JsonObject
from ..baselines import MODELS, SIMPLE, TrainingData
from ..coarsen import without_virtual
from ..config.best_settings import NAME as BEST
from ..config.best_settings import BestSettings
from ..evaluate.positive_class import PositiveClass, missing_positive_note
from ..evaluate.protocol import labels_of
from ..evaluate.result import data_facts
from ..evaluate.seeds import seed_list
from ..models.best import TrainedEnsemble, best_model
from ..models.candidates import TrainedNetwork
from ..models.find import network
from ..models.graph_network import GraphNetwork
from ..models.member_plans import OF_ALL_NODES
from ..ops.triton import Compile
from ..task import Part, SubgraphTask, require_learnable
from ..train.stop_request import stoppable
from .answers import Answers
from .card_words import default_words
from .ensemble_scorer import EnsembleScorer
from .label_encoding import class_weights
from .network_scorer import NetworkScorer
from .positive_alerts import describe_positive
from .query import Query
from .restore import build_ensemble, build_scorer
from .scorer import Scorer
from .simple_scorer import SimpleScorer

Scores = dict[str, float]
_COMPARED = ("bag", "hops", "diffused-bag", "statistics")  # what takes seconds
_COMPARING = 10.0  # seconds after which no further one is begun


@dataclass(frozen=True, eq=False)
class Recipe:
    """What to train: arguments of :class:`SubgraphClassifier`.

    Args:
        classes: Classes as the user wrote them, for ``class_weight``.
        coarsen: Method and ratio of the virtual subgraphs of CoS2N, as ``heavy_edge:0.3``.
        encodings: Columns (N, K) or an :class:`Encoding` that joins the node features.
        compile: ``auto``: kernels and CUDA graphs on a GPU; ``off``: plain PyTorch.
        model: Another model than a network: a simple one, or ``best``.
        time_limit: Seconds that ``best`` may take.
        groups: One value per row of train and val that folds keep together.
        compare: Whether simple models are scored on validation too, for the card.
        positive: Name of the class that matters; its threshold goes to the card.
        words: What page and case report call things, where the usual words do not fit.
    """

    structure: str | None
    conv: str | Callable[..., nn.Module] | None
    seeds: int | Sequence[int]
    preset: str
    settings: Mapping[str, Any] | None
    class_weight: str | Mapping[Any, float] | None
    threshold: str
    device: str
    classes: Array
    coarsen: str | None = None
    encodings: Any = None
    compile: Compile = "auto"
    model: str | None = None
    time_limit: float = 300.0
    groups: Sequence[Any] | Array | None = None
    compare: bool = False
    positive: str | None = None
    words: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if self.threshold not in ("half", "val"):
            raise ConfigError(f"a threshold is 'half' or 'val', not {self.threshold!r}.")

    def network(
        self, task: SubgraphTask, seconds: float | None
    ) -> tuple[GraphNetwork, tuple[str, ...]]:
        """The network with its settings and a time limit for training, and notes for the user."""
        spec = network(
            task,
            structure=self.structure,
            conv=self.conv,
            preset=self.preset,
            settings=self.settings,
            device=self.device,
            coarsen=self.coarsen,
            encodings=self.encodings,
            compile=self.compile,
        )
        weights = class_weights(self.class_weight, task, self.classes)
        model = replace(spec.model, all_nodes=True, class_weights=weights, seconds=seconds)
        return model, spec.notes


class FittedNetwork(NamedTuple):
    """A trained network, the task it was trained on, and notes for the user."""

    trained: TrainedNetwork
    task: SubgraphTask
    notes: tuple[str, ...]


class FittedSimpleModel(NamedTuple):
    """A simple model, the task it learned from, and notes for the user."""

    scorer: SimpleScorer
    task: SubgraphTask
    notes: tuple[str, ...]


def fit_network(
    task: SubgraphTask, recipe: Recipe, *, seconds: float | None = None
) -> FittedNetwork:
    """Train the networks of a recipe, for at most so many seconds."""
    require_learnable(task, parts=("train", "val"))
    assert task.split is not None
    seen_task = task.subset(~task.split.mask("test"))
    labels: dict[Part, Array] = {part: labels_of(seen_task, part) for part in ("train", "val")}
    model, notes = recipe.network(seen_task, seconds)
    trained = model.fit(seen_task, labels, _read_seeds(recipe))
    return FittedNetwork(trained, seen_task, (*notes, *trained.facts["notes"]))


def train(task: SubgraphTask, recipe: Recipe, *, choices: Sequence[JsonObject] = ()) -> Scorer:
    """Train, average, calibrate and score.

    Args:
        task: A task with labels and a split.
        recipe: What to train.
        choices: Rows of the structures that were tried before, for the card.
    """
    if recipe.model == BEST:
        return _train_best(task, recipe)
    scorer: NetworkScorer | SimpleScorer
    if recipe.model is None:
        trained, seen_task, notes = fit_network(task, recipe)
        scorer = build_scorer(trained, seen_task, recipe.conv if callable(recipe.conv) else None)
    else:
        scorer, seen_task, notes = fit_simple(task, recipe)
    validation = PartOutputs.of(scorer, seen_task, "val")
    scorer = replace(scorer, temperature=best_temperature(validation.logits, validation.truth))
    if seen_task.multilabel and recipe.threshold == "val":
        probabilities = validation.answers(scorer).probabilities
        scorer = replace(scorer, threshold=best_threshold(validation.truth, probabilities))
    facts: JsonObject = {"temperature": scorer.temperature}
    if recipe.compare:
        others = [name for name in _COMPARED if name != recipe.model]
        facts["simple_validation"] = simple_validation_scores(seen_task, others)
    facts["choices"] = [dict(choice) for choice in choices]
    seen = validation.seen(scorer)
    return replace(scorer, card=_write_card(task, recipe, scorer, seen=seen, notes=notes) | facts)


def _train_best(task: SubgraphTask, recipe: Recipe) -> EnsembleScorer:
    """The ensemble; its validation scores are out of fold, over train and val together."""
    require_learnable(task, parts=("train", "val"))
    assert task.split is not None
    seen_task = without_virtual(task.subset(~task.split.mask("test")))
    labels: dict[Part, Array] = {part: labels_of(seen_task, part) for part in ("train", "val")}
    model = best_model(
        seen_task,
        preset=recipe.preset,
        settings=BestSettings(minutes=recipe.time_limit / 60).with_settings(recipe.settings or {}),
        groups=recipe.groups,
        all_nodes=True,
        device=recipe.device,
        encodings=recipe.encodings,
        compile=recipe.compile,
    )
    trained = model.fit(seen_task, labels, _read_seeds(recipe))
    with stoppable():  # Ctrl-C now would lose what has learned, for the sake of a moment
        return _score_ensemble(trained, task, recipe, seen_task=seen_task, labels=labels)


def _score_ensemble(
    trained: TrainedEnsemble,
    task: SubgraphTask,
    recipe: Recipe,
    *,
    seen_task: SubgraphTask,
    labels: dict[Part, Array],
) -> EnsembleScorer:
    """The ensemble with its card."""
    scorer = build_ensemble(trained)
    shares = np.concatenate([trained.out_of_fold[part] for part in ("train", "val")])
    truth = np.concatenate([labels[part] for part in ("train", "val")])
    if seen_task.multilabel and recipe.threshold == "val":
        scorer = replace(scorer, threshold=best_threshold(truth, shares))
    seen = SeenAnswers(truth, shares, scorer.predict_classes(shares))
    card = _write_card(task, recipe, scorer, seen=seen, notes=trained.facts["notes"])
    leaderboard = [asdict(row) for row in trained.leaderboard]
    return replace(scorer, card=card | {"choices": [], "leaderboard": leaderboard})


def fit_simple(task: SubgraphTask, recipe: Recipe) -> FittedSimpleModel:
    """Let a simple model learn from train."""
    name = str(recipe.model)
    if name not in SIMPLE:
        known = (*SIMPLE, BEST)
        raise ConfigError(
            f"{name!r} cannot be kept as a model: it is there to be compared with (s2n run)."
            if name in MODELS
            else f"there is no model {name!r}.{suggest(name, known)}"
        )
    require_learnable(task, parts=("train", "val"))
    assert task.split is not None
    seen_task = without_virtual(task.subset(~task.split.mask("test")))
    labels: dict[Part, Array] = {part: labels_of(seen_task, part) for part in ("train", "val")}
    settings = SIMPLE[name].settings().with_settings(recipe.settings or {})
    if recipe.encodings is not None and not settings.has("features.encoding"):
        raise ConfigError(f"{name} has no use for encodings; omit them.")
    data = TrainingData(seen_task, labels, _read_seeds(recipe), recipe.device, recipe.encodings)
    predictions = SIMPLE[name].learn(data, settings)
    if predictions.classifier is None:
        raise ConfigError(
            f"{name} must know all subgraphs beforehand, so it cannot answer for new ones; it is"
            " there to be compared with (s2n run)."
        )
    replicas = len(predictions.logits("val"))
    seeds = tuple(_read_seeds(recipe)[:replicas])
    scorer = SimpleScorer(name, data.train_task, predictions.classifier, seeds)
    return FittedSimpleModel(scorer, seen_task, predictions.notes)


def simple_validation_scores(task: SubgraphTask, names: Sequence[str]) -> Scores:
    """Validation micro-F1 of simple models that learned from train, by name.

    Those that need the whole graph are omitted where it stays on disk, and after some seconds none
    is begun any more.
    """
    require_learnable(task, parts=("train", "val"))
    assert task.split is not None
    seen_task = without_virtual(task.subset(~task.split.mask("test")))
    labels: dict[Part, Array] = {part: labels_of(seen_task, part) for part in ("train", "val")}
    scored, on_disk = dict[str, float](), task.graph.whole is not None
    names = [name for name in names if not (on_disk and name in OF_ALL_NODES)]
    start = time.perf_counter()
    for name in counted(names, "Simple model", name=str):
        if scored and time.perf_counter() - start > _COMPARING:
            break
        predictions = SIMPLE[name].learn(
            TrainingData(seen_task, labels, [10]), SIMPLE[name].settings()
        )
        logits = predictions.logits("val").mean(axis=0)
        scored[name] = micro_f1(labels["val"], logits, multilabel=seen_task.multilabel)
    return scored


def _read_seeds(recipe: Recipe) -> list[int]:
    return seed_list(recipe.seeds if isinstance(recipe.seeds, int) else list(recipe.seeds))


def _write_card(
    task: SubgraphTask,
    recipe: Recipe,
    scorer: Scorer,
    *,
    seen: SeenAnswers,
    notes: Sequence[str],
) -> JsonObject:
    """Where a model comes from and how good it is; the test part is read once, here."""
    card: JsonObject = {
        "model": scorer.title,
        "preset": recipe.preset,
        "words": asdict(default_words(task).with_changes(recipe.words)),
        "data": data_facts(task),
        "sources": [str(note) for note in sources(task.notes)],
        "validation_subgraphs": len(seen.truth),
        "validation": measure_scores(scorer, seen),
        "validation_by_class": score_classes(scorer, seen),
        "notes": [*data_changes(task.notes), *notes],
        "versions": versions(),
    }
    assert task.split is not None
    parts = {"validation": seen}
    if task.split.count("test"):  # after every choice
        rows = np.flatnonzero(task.split.mask("test"))
        answers = scorer.predict(Query.of(task.subgraphs.take(rows)))
        test = SeenAnswers(labels_of(task, "test"), answers.probabilities, answers.predicted)
        parts["test"] = test
        card["test"] = measure_scores(scorer, test)
        card["test_by_class"] = score_classes(scorer, test)
    if (target := PositiveClass.of_task(task, recipe.positive)) is not None:
        rankings = {name: (part.truth, part.probabilities) for name, part in parts.items()}
        card["positive"] = describe_positive(target, rankings)
        if not target.truth(seen.truth).any():
            card["notes"] = [*card["notes"], missing_positive_note(target.label)]
    return card


class SeenAnswers(NamedTuple):
    """Answers for subgraphs whose labels are known.

    Args:
        truth: Labels of the subgraphs.
        probabilities: Probabilities of the classes, (m, C).
        predicted: Which classes are predicted; bool (m, C).
    """

    truth: Array
    probabilities: Array
    predicted: Array


@dataclass(frozen=True, eq=False)
class PartOutputs:
    """Logits of the replicas for a part of a task, computed once.

    Args:
        query: The subgraphs of the part.
        truth: Labels of the subgraphs.
        logits: Logits (R, m, C), each subgraph beside the known ones only.
    """

    query: Query
    truth: Array
    logits: Array

    @classmethod
    def of(
        cls, scorer: NetworkScorer | SimpleScorer, task: SubgraphTask, part: Part
    ) -> PartOutputs:
        """Compute the logits of a part."""
        assert task.split is not None
        query = Query.of(task.subgraphs.take(np.flatnonzero(task.split.mask(part))))
        return cls(query, labels_of(task, part), scorer.logits(query))

    def answers(self, scorer: NetworkScorer | SimpleScorer) -> Answers:
        """Answers with the temperature and the threshold of a scorer."""
        return scorer.answers(self.query, self.logits)

    def seen(self, scorer: NetworkScorer | SimpleScorer) -> SeenAnswers:
        """The answers beside the labels."""
        answers = self.answers(scorer)
        return SeenAnswers(self.truth, answers.probabilities, answers.predicted)


def measure_scores(scorer: Scorer, seen: SeenAnswers) -> Scores:
    """Scores of the averaged model on a part."""
    truth, outcome = seen.truth, seen.probabilities
    outcome = outcome if scorer.multilabel else np.log(np.maximum(outcome, 1e-300))
    values = scores(truth, outcome, multilabel=scorer.multilabel, threshold=scorer.threshold)
    loss = log_loss_of_probabilities(seen.probabilities, truth)
    return {**values, "log_loss": loss, "subgraphs": len(truth)}


def score_classes(scorer: Scorer, seen: SeenAnswers) -> dict[str, dict[str, float | None]]:
    """Precision, recall, F1, number of subgraphs and rankings of each class on a part.

    Rankings, as ROC-AUC, are None for a class that all subgraphs of the part have, or none.
    """
    truth, outcome = seen.truth, seen.probabilities
    outcome = outcome if scorer.multilabel else np.log(np.maximum(outcome, 1e-300))
    areas = rankings_by_class(truth, outcome, multilabel=scorer.multilabel)
    table = truth if truth.ndim == 2 else truth[:, None] == np.arange(len(scorer.classes))
    predicted = seen.predicted
    correct, answered, actual = (
        values.sum(axis=0).tolist() for values in (table & predicted, predicted, table)
    )
    return {
        name: {
            "precision": right / max(said, 1),
            "recall": right / max(count, 1),
            "f1": 2 * right / max(said + count, 1),
            "subgraphs": float(count),
            **{
                key: None if np.isnan(by_class[c]) else float(by_class[c])
                for key, by_class in areas.items()
            },
        }
        for c, (name, right, said, count) in enumerate(
            zip(scorer.classes, correct, answered, actual, strict=True)
        )
    }
