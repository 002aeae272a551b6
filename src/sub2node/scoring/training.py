"""Train a scorer: networks of several seeds, averaged and calibrated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from torch import nn

from ..base.environment import versions
from ..base.errors import ConfigError
from ..base.metrics import best_threshold, scores
from ..base.notes import data_changes
from ..base.ragged import Array
from ..base.records import JsonObject
from ..evaluate.protocol import labels_of
from ..evaluate.result import data_facts
from ..evaluate.seeds import seed_list
from ..models.candidates import TrainedNetwork
from ..models.find import network
from ..models.graph_network import GraphNetwork
from ..ops.triton import Compile
from ..task import Part, SubgraphTask, require_learnable
from .answers import Answers
from .calibration import best_temperature, log_loss
from .label_encoding import class_weights
from .query import Query
from .restore import build_scorer
from .scorer import Scorer


@dataclass(frozen=True, eq=False)
class Recipe:
    """What to train: arguments of :class:`SubgraphClassifier`.

    Args:
        classes: Classes as the user wrote them, for ``class_weight``.
        coarsen: Method and ratio of the virtual subgraphs of CoS2N, as ``heavy_edge:0.3``.
        encodings: Columns (N, K) or an :class:`Encoding` that joins the node features.
        compile: ``auto``: kernels and CUDA graphs on a GPU; ``off``: plain PyTorch.
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

    def __post_init__(self) -> None:
        if self.threshold not in ("half", "val"):
            raise ConfigError(f"a threshold is 'half' or 'val', not {self.threshold!r}.")

    def model(
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


def fit_network(
    task: SubgraphTask, recipe: Recipe, *, seconds: float | None = None
) -> FittedNetwork:
    """Train the networks of a recipe, for at most so many seconds."""
    require_learnable(task, parts=("train", "val"))
    assert task.split is not None
    seen_task = task.subset(~task.split.mask("test"))
    labels: dict[Part, Array] = {part: labels_of(seen_task, part) for part in ("train", "val")}
    seeds = seed_list(recipe.seeds if isinstance(recipe.seeds, int) else list(recipe.seeds))
    model, notes = recipe.model(seen_task, seconds)
    trained = model.fit(seen_task, labels, seeds)
    return FittedNetwork(trained, seen_task, (*notes, *trained.facts["notes"]))


def train(task: SubgraphTask, recipe: Recipe, *, choices: Sequence[JsonObject] = ()) -> Scorer:
    """Train, average, calibrate and score.

    Args:
        task: A task with labels and a split.
        recipe: What to train.
        choices: Rows of the structures that were tried before, for the card.
    """
    trained, seen_task, notes = fit_network(task, recipe)
    notes = (*data_changes(task.notes), *notes)
    scorer = build_scorer(trained, seen_task, recipe.conv if callable(recipe.conv) else None)
    validation = PartOutputs.of(scorer, seen_task, "val")
    temperature = best_temperature(validation.logits, validation.truth)
    scorer = replace(scorer, temperature=temperature)
    if seen_task.multilabel and recipe.threshold == "val":
        probabilities = validation.answers(scorer).probabilities
        scorer = replace(scorer, threshold=best_threshold(validation.truth, probabilities))
    card = {
        "model": f"{trained.settings.structure} {trained.settings.conv}",
        "preset": recipe.preset,
        "data": data_facts(task),
        "validation_subgraphs": len(validation.truth),
        "validation": measure_scores(scorer, validation),
        "validation_by_class": score_classes(scorer, validation),
        "temperature": scorer.temperature,
        "notes": list(notes),
        "choices": [dict(choice) for choice in choices],
        "versions": versions(),
    }
    assert task.split is not None
    if task.split.count("test"):  # read once, after every choice
        test = PartOutputs.of(scorer, task, "test")
        card["test"] = measure_scores(scorer, test)
        card["test_by_class"] = score_classes(scorer, test)
    return replace(scorer, card=card)


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
    def of(cls, scorer: Scorer, task: SubgraphTask, part: Part) -> PartOutputs:
        """Compute the logits of a part."""
        assert task.split is not None
        query = Query.of(task.subgraphs.take(np.flatnonzero(task.split.mask(part))))
        return cls(query, labels_of(task, part), scorer.outputs(query)[1])

    def answers(self, scorer: Scorer) -> Answers:
        """Answers with the temperature and the threshold of a scorer."""
        return scorer.answers(self.query, self.logits)


def measure_scores(scorer: Scorer, outputs: PartOutputs) -> dict[str, float]:
    """Scores of the averaged model on a part."""
    truth, outcome = outputs.truth, outputs.answers(scorer).probabilities
    outcome = outcome if scorer.multilabel else np.log(np.maximum(outcome, 1e-300))
    values = scores(truth, outcome, multilabel=scorer.multilabel, threshold=scorer.threshold)
    loss = log_loss(outputs.logits, truth, scorer.temperature)
    return {**values, "log_loss": loss, "subgraphs": len(truth)}


def score_classes(scorer: Scorer, outputs: PartOutputs) -> dict[str, dict[str, float]]:
    """Precision, recall, F1 and number of subgraphs of each class on a part."""
    truth = outputs.truth
    table = truth if truth.ndim == 2 else truth[:, None] == np.arange(len(scorer.classes))
    predicted = outputs.answers(scorer).predicted
    correct, answered, actual = (
        values.sum(axis=0).tolist() for values in (table & predicted, predicted, table)
    )
    return {
        name: {
            "precision": right / max(said, 1),
            "recall": right / max(count, 1),
            "f1": 2 * right / max(said + count, 1),
            "subgraphs": float(count),
        }
        for name, right, said, count in zip(scorer.classes, correct, answered, actual, strict=True)
    }
