"""Search spaces of baselines that are trained in batches, on the names of their own settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..base.errors import ConfigError
from ..baselines import NETWORKS
from .search_space import Axis, Choice, Range, Space

_TENTHS = Range(0.0, 0.5, step=0.1)


def baseline_space(name: str, settings: Any) -> Space:
    """What the authors of a baseline searched or chose by hand, as far as it is known.

    Of a baseline of which nothing is known, the learning rate and the batch.

    Args:
        name: The baseline.
        settings: Its settings to begin with: sizes of batches and vectors follow from them.
    """
    if name not in NETWORKS:
        raise ConfigError(
            f"{name} has no training loop to search settings of; --model takes"
            f" {', '.join(NETWORKS)}."
        )
    common: dict[str, Axis] = {"training.lr": Range(5e-4, 1e-2, log=True)}
    few = settings.features.kind == "constant"  # structure alone: small data, small batches
    common["training.batch"] = Choice((8, 16, 32) if few else (32, 64, 128))
    return Space({**common, **_OF.get(name, _nothing)(few)}, NETWORKS[name].settings)


def _glass(few: bool) -> Mapping[str, Axis]:
    sizes: dict[str, Axis] = {"model.hidden": Choice((8, 16, 32, 64))} if few else {}
    return {
        **sizes,
        "model.aggregation": Choice(("mean", "sum", "gcn")),
        "model.layers": Range(1, 2),
        "model.dropout": _TENTHS,
        "model.pool": Choice(("sum", "mean", "max", "size")),
        "model.z_ratio": Range(0.5, 1.0, step=0.05),
        "training.plateau_factor": Choice((0.2, 0.5, 0.7, 0.9)),
    }


def _subgnn(_: bool) -> Mapping[str, Axis]:
    return {
        "model.layers": Range(1, 4),
        "model.neighborhood": Choice((False, True)),
        "model.patches": Range(15, 45),
        "model.dropout": Range(0.0, 0.4, step=0.1),
        "model.lstm_layers": Range(1, 2),
        "model.lstm_dropout": Range(0.0, 0.4, step=0.1),
        "training.lr": Range(1e-4, 5e-3, log=True),
        "training.clip": Range(0.1, 0.3, step=0.1),
        "training.batch": Choice((32, 64, 128)),
    }


def _nothing(_: bool) -> Mapping[str, Axis]:
    return {}


_OF: dict[str, Callable[[bool], Mapping[str, Axis]]] = {"glass": _glass, "subgnn": _subgnn}
