"""Parameters of a classifier, checked before any work is done."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, Protocol, get_args

from ..base.errors import ConfigError
from ..base.ragged import Array
from ..models.out_of_fold import groups_by_row
from ..task import SubgraphTask
from .card_words import CardWords
from .query import UnknownPolicy
from .scorer import Mode


class ClassifierParameters(Protocol):
    """What is checked of a :class:`~sub2node.SubgraphClassifier`."""

    structure: str | None
    conv: object
    model: str | None
    time_limit: float
    preset: str
    settings: Mapping[str, Any] | None
    coarsen: str | None
    budget: float
    validation: float
    class_weight: object
    threshold: str
    unknown_nodes: str
    mode: str
    words: Mapping[str, str] | None


def check_parameters(classifier: ClassifierParameters) -> None:
    """Raise on wrong parameters of a classifier."""
    if classifier.mode not in get_args(Mode):
        raise ConfigError(f"a mode is independent or joint, not {classifier.mode!r}.")
    if classifier.threshold not in ("half", "val"):
        raise ConfigError(f"a threshold is 'half' or 'val', not {classifier.threshold!r}.")
    if classifier.unknown_nodes not in get_args(UnknownPolicy):
        raise ConfigError(f"unknown_nodes is error or drop here, not {classifier.unknown_nodes!r}.")
    if classifier.structure == "auto" and classifier.conv is not None:
        raise ConfigError("structure='auto' chooses the convolution too; omit conv.")
    if classifier.structure == "auto" and classifier.coarsen is not None:
        raise ConfigError(
            "coarsening is for cos2n+0 and cos2n+a; structure='auto' tries it at its default:"
            " omit coarsen, or name one of these structures."
        )
    CardWords().with_changes(classifier.words)  # raises
    real = isinstance(classifier.validation, Real) and not isinstance(classifier.validation, bool)
    if not real or not 0 < classifier.validation < 1:
        raise ConfigError(
            f"validation is a share between 0 and 1, found {classifier.validation!r}."
        )
    for name, value in (("a budget", classifier.budget), ("a time limit", classifier.time_limit)):
        real = isinstance(value, Real) and not isinstance(value, bool)
        if not real or not 0 < value < math.inf:
            raise ConfigError(f"{name} is a number of seconds above 0, found {value!r}.")
    _check_model(classifier)
    if not isinstance(classifier.preset, str):
        raise ConfigError(f"a preset is a name or a path, found {classifier.preset!r}.")
    settings = {} if classifier.settings is None else classifier.settings
    if not isinstance(settings, Mapping) or not all(isinstance(key, str) for key in settings):
        raise ConfigError(f"settings are a dict as {{'lr': 0.01}}, found {classifier.settings!r}.")


def _check_model(classifier: ClassifierParameters) -> None:
    """Raise where a model is chosen together with what only a network has."""
    if classifier.model is None:
        return
    only_networks = {
        "conv": classifier.conv,
        "coarsen": classifier.coarsen,
        "class_weight": classifier.class_weight,
    }
    for name, value in only_networks.items():
        if value is not None:
            raise ConfigError(f"{classifier.model} has no {name} to choose; omit it.")


def read_seeds(seeds: object) -> int | list[int]:
    """A number of seeds, or the seeds themselves."""
    if isinstance(seeds, Integral):
        return bool(seeds) if isinstance(seeds, bool) else int(seeds)
    listed: list[Any] = []
    if isinstance(seeds, Iterable) and not isinstance(seeds, str):
        listed = list(seeds)
    if not listed or not all(isinstance(seed, Integral) for seed in listed):
        raise ConfigError(f"seeds are a number, or a list of whole numbers: {seeds!r}.")
    return [int(seed) for seed in listed]


def learned_groups(task: SubgraphTask, groups: Any) -> Array | None:
    """Groups of the subgraphs of train and val, in the order of the rows.

    Args:
        task: The task, with a split.
        groups: One value per subgraph in the order of the input, or the name of an attribute;
            None: there are none.
    """
    if groups is None:
        return None
    assert task.split is not None
    return groups_by_row(task, groups)[task.split.mask("train") | task.split.mask("val")]
