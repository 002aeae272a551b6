"""Train a model that answers: networks of several seeds, averaged and calibrated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import ConfigError, DataError
from ..evaluate.choosing import TrainedNetwork
from ..evaluate.models import GraphNetwork
from ..evaluate.protocol import labels_of, network, seed_list
from ..evaluate.result import data_facts
from ..metrics import best_threshold, scores
from ..ragged import Array
from ..task import Part, SubgraphTask
from ..versions import versions
from .calibration import best_temperature, log_loss
from .labels import class_weights
from .made import scorer_of
from .query import Query
from .scorer import Scorer


@dataclass(frozen=True, eq=False)
class Recipe:
    """What to train; as the arguments of :class:`SubgraphClassifier`.

    Args:
        classes: As they were given, for ``class_weight``.
    """

    structure: str | None
    conv: str | Callable[..., Any] | None
    seeds: int | Sequence[int]
    preset: str
    settings: Mapping[str, Any] | None
    class_weight: Any
    threshold: str
    device: str
    classes: Array

    def __post_init__(self) -> None:
        if self.threshold not in ("half", "val"):
            raise ConfigError(f"a threshold is 'half' or 'val', not {self.threshold!r}.")

    def model(
        self, task: SubgraphTask, seconds: float | None
    ) -> tuple[GraphNetwork, tuple[str, ...]]:
        """The network with its settings, which may be trained for so long; and what to know."""
        found, _, notes = network(
            task, structure=self.structure, conv=self.conv, preset=self.preset,
            settings=self.settings, device=self.device,
        )  # fmt: skip
        weights = class_weights(self.class_weight, task, self.classes)
        model = replace(found, all_nodes=True, class_weights=weights, seconds=seconds)
        return model, notes


class Fit(NamedTuple):
    """A trained network, what it was trained on, and what to know."""

    trained: TrainedNetwork
    task: SubgraphTask
    notes: tuple[str, ...]


def learnable(task: SubgraphTask) -> SubgraphTask:
    """The task without its test part; raises where there is nothing to learn."""
    assert task.split is not None
    occurring = np.flatnonzero(task.label_counts().sum(axis=0))
    if not task.multilabel and len(occurring) < 2:
        raise DataError(
            f"all subgraphs have one class ({task.class_names[occurring[0]]!r}); nothing to learn."
        )
    if task.multilabel and not len(occurring):
        raise DataError("no subgraph has a label; nothing to learn.")
    if not task.graph.num_nodes:
        raise DataError("the graph has no nodes.")
    task.require_learnable()
    return task.subset(~task.split.mask("test"))


def fitted(task: SubgraphTask, recipe: Recipe, *, seconds: float | None = None) -> Fit:
    """Train, for so long at most."""
    seen = learnable(task)
    labels: dict[Part, Array] = {part: labels_of(seen, part) for part in ("train", "val")}
    seeds = seed_list(recipe.seeds if isinstance(recipe.seeds, int) else list(recipe.seeds))
    model, notes = recipe.model(seen, seconds)
    trained = model.fit(seen, labels, seeds)
    return Fit(trained, seen, (*notes, *trained.facts["notes"]))


def train(
    task: SubgraphTask, recipe: Recipe, *, choices: Sequence[Mapping[str, Any]] = ()
) -> Scorer:
    """Train, average, calibrate, and say how good it is.

    Args:
        task: With labels and a split.
        recipe: What to train.
        choices: What was tried before, for the card.
    """
    trained, seen, notes = fitted(task, recipe)
    scorer = scorer_of(trained, seen, recipe.conv if callable(recipe.conv) else None)
    truth = labels_of(seen, "val")
    logits = scorer.outputs(_asked(seen, "val"))[1]
    scorer = replace(scorer, temperature=best_temperature(logits, truth))
    if seen.multilabel and recipe.threshold == "val":
        said = scorer.predict(_asked(seen, "val")).probabilities
        scorer = replace(scorer, threshold=best_threshold(truth, said))
    card = {
        "model": f"{trained.settings.structure} {trained.settings.conv}",
        "preset": recipe.preset,
        "data": data_facts(task),
        "validation_subgraphs": len(truth),
        "validation": measured(scorer, seen, "val"),
        "validation_by_class": by_class(scorer, seen, "val"),
        "temperature": scorer.temperature,
        "notes": list(notes),
        "choices": [dict(choice) for choice in choices],
        "versions": versions(),
    }
    assert task.split is not None
    if task.split.count("test"):  # read once, after every choice
        card["test"] = measured(scorer, task, "test")
        card["test_by_class"] = by_class(scorer, task, "test")
    return replace(scorer, card=card)


def _asked(task: SubgraphTask, part: Part) -> Query:
    assert task.split is not None
    return Query.of(task.subgraphs.take(np.flatnonzero(task.split.mask(part))))


def measured(scorer: Scorer, task: SubgraphTask, part: Part) -> dict[str, float]:
    """Scores of the averaged model on a part, each subgraph asked about by itself."""
    truth, query = labels_of(task, part), _asked(task, part)
    said = scorer.predict(query).probabilities
    shown = said if scorer.multilabel else np.log(np.maximum(said, 1e-300))
    found = scores(truth, shown, multilabel=scorer.multilabel, threshold=scorer.threshold)
    loss = log_loss(scorer.outputs(query)[1], truth, scorer.temperature)
    return {**found, "log_loss": loss, "subgraphs": len(truth)}


def by_class(scorer: Scorer, task: SubgraphTask, part: Part) -> dict[str, dict[str, float]]:
    """Precision, recall, F1 and number of subgraphs of each class on a part."""
    from sklearn.metrics import precision_recall_fscore_support

    truth = labels_of(task, part)
    table = truth if truth.ndim == 2 else truth[:, None] == np.arange(len(scorer.classes))
    said = scorer.predict(_asked(task, part)).said
    columns = precision_recall_fscore_support(table, said, zero_division=0)
    words = ("precision", "recall", "f1", "subgraphs")
    return {
        name: dict(zip(words, map(float, row), strict=True))
        for name, row in zip(scorer.classes, zip(*columns, strict=True), strict=True)
    }
