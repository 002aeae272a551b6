"""Who takes part in the equal search: models, their published settings, their search spaces."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from sub2node.base.errors import ConfigError
from sub2node.baselines import NETWORKS
from sub2node.config import Config, Structure
from sub2node.config.settings import flatten
from sub2node.encode import Encoding
from sub2node.encode.encode import encode
from sub2node.models import Preset, find_preset
from sub2node.models.baseline import BatchNetworkModel
from sub2node.models.candidates import NetworkModel
from sub2node.models.graph_network import GraphNetwork
from sub2node.reproduce.cell_settings import baseline_for
from sub2node.reproduce.paper_data import SYNTHETIC_DATA, paper_dataset
from sub2node.task import SubgraphTask
from sub2node.tune.baseline_spaces import baseline_space
from sub2node.tune.search_space import Axis, Choice, Range, paper_space

WIDTH = 64  # columns that nodes of every model enter with
SCALE = 0.1  # of random vectors, where the search does not vary it
_PLAIN_OF = {Structure.COS2N_0: Structure.S2N_0, Structure.COS2N_A: Structure.S2N_A}


@dataclass(frozen=True)
class Contestant:
    """A trainable model, with or without an encoding.

    Args:
        baseline: The name of a baseline; empty for a structure.
        structure: The structure; empty for a baseline.
        conv: The convolution of a structure.
        encoding: ``none`` or ``rwpe``.
    """

    baseline: str = ""
    structure: str = ""
    conv: str = ""
    encoding: str = "none"

    @property
    def name(self) -> str:
        """What rows and tables call it."""
        model = self.baseline or f"{self.structure} {self.conv}"
        return model if self.encoding == "none" else f"{model}, {self.encoding}"


def _structures(encoding: str, *pairs: str) -> list[Contestant]:
    words = (pair.split() for pair in pairs)
    return [Contestant(structure=first, conv=second, encoding=encoding) for first, second in words]


_ALL = [
    Contestant("glass"),
    *_structures("none", "separated gcn2", "connected gcn2", "s2n+0 gcn2", "s2n+a gcn2"),
    Contestant("subgnn"),
    *_structures("none", "s2n+a gcn", "s2n+a gin", "s2n+a gatv2", "cos2n+0 gcn2", "cos2n+a gcn2"),
    Contestant("glass", encoding="rwpe"),
    *_structures("rwpe", "separated gcn2", "connected gcn2", "s2n+0 gcn2", "s2n+a gcn2"),
]
CONTESTANTS = {each.name: each for each in _ALL}


@dataclass(frozen=True, eq=False)
class Entry:
    """A contestant on some data.

    Args:
        contestant: The model.
        base: Its published settings, made equal where the protocol is equal.
        origin: Where these settings come from.
        axes: What its search varies.
        encoding: Further columns of the nodes, if the contestant has some.
    """

    contestant: Contestant
    base: Preset[Any]
    origin: str
    axes: Mapping[str, Axis]
    encoding: Encoding | None = None

    def point(self, data: str, trial: int) -> dict[str, object]:
        """The settings of a trial: the published ones first, then random ones."""
        if trial == 0:
            return {}
        seed = zlib.crc32(f"{data} {self.contestant.name}".encode())
        rng = np.random.default_rng([seed, trial])
        values = dict(flatten(self.base.config.to_dict()))
        return {
            name: draw(axis, rng, integer=type(values[name]) is int)
            for name, axis in self.axes.items()
        }

    def model(self, point: Mapping[str, object], *, device: str, seconds: float) -> NetworkModel:
        """The network with the settings of a point."""
        candidates, columns = self.base.with_settings(point).candidates, self.encoding
        if self.contestant.structure:
            return GraphNetwork(candidates, columns, device, seconds=seconds)
        kind = NETWORKS[self.contestant.baseline]
        return BatchNetworkModel(candidates, columns, device, model=kind, seconds=seconds)


def draw(axis: Axis, rng: np.random.Generator, *, integer: bool) -> object:
    """A value of an axis: each choice, step or (on a logarithmic scale) magnitude alike."""
    if isinstance(axis, Choice):
        return axis.values[int(rng.integers(len(axis.values)))]
    if axis.log:
        return float(np.exp(rng.uniform(np.log(axis.low), np.log(axis.high))))
    step = axis.step or (1 if integer else None)
    if step is None:
        return float(rng.uniform(axis.low, axis.high))
    value = axis.low + step * int(rng.integers(round((axis.high - axis.low) / step) + 1))
    return int(value) if integer else float(f"{value:.12g}")


@cache
def walks(task: SubgraphTask, device: str) -> Encoding:
    """RWPE of all nodes, the same for all models and splits; kept in the cache folder."""
    width = WIDTH // 2 if task.name in SYNTHETIC_DATA else WIDTH
    return encode(task.graph, "rwpe", width=width, device=device)


def enter(
    contestant: Contestant,
    task: SubgraphTask,
    *,
    epochs: int | None = None,
    device: str = "auto",
) -> Entry:
    """The settings and the space of a contestant on some data.

    Equal for all: 64 columns of the same kind (random and trained on real data, constants that
    stay on synthetic ones), the tie rule (of equal validation scores the lower loss), and the end
    of training (a third of the epochs without a better score). RWPE is added to random vectors
    and takes half of the columns of constants, as published.

    Args:
        contestant: The model.
        task: The data.
        epochs: The most epochs; None: as published.
        device: Device that computes the encoding.
    """
    synthetic = task.name in SYNTHETIC_DATA
    if contestant.baseline:
        base, origin = _baseline(contestant, task)
    else:
        base, origin = _network(contestant, task)
    changes: dict[str, object] = {
        "features.kind": "constant" if synthetic else "random",
        "features.width": WIDTH,
        "features.trainable": not synthetic,
        "features.scale": SCALE,
        "features.encoding": "none",
        "features.join": "share" if synthetic else "add",
        "training.ties": "loss",
    }
    if contestant.structure:
        changes["model.hidden"] = WIDTH
    else:
        changes["training.start"] = 0
    base = base.with_settings(changes)
    count = base.config.training.epochs
    count = count if epochs is None else min(count, epochs)
    base = base.with_settings({"training.epochs": count, "training.patience": max(1, count // 3)})
    inputs: dict[str, Axis] = (
        {"features.value": Choice((1 / 64, 1.0))}
        if synthetic
        else {"features.scale": Range(0.05, 1.0, log=True)}
    )
    axes = {**_axes(contestant, base.config), **inputs}
    encoding = walks(task, device) if contestant.encoding == "rwpe" else None
    return Entry(contestant, base, origin, axes, encoding)


def _baseline(contestant: Contestant, task: SubgraphTask) -> tuple[Preset[Any], str]:
    preset = baseline_for(task, contestant.baseline)
    return preset, "default" if preset.name == "default" else "published"


def _network(contestant: Contestant, task: SubgraphTask) -> tuple[Preset[Any], str]:
    """The published settings, else those of the nearest published model, else the default."""
    structure = Structure(contestant.structure)
    own = {"structure": str(structure), "conv": contestant.conv}
    nearest = {
        "published": (structure, contestant.conv),
        "published without virtual subgraphs": (_PLAIN_OF.get(structure), contestant.conv),
        "published for gcn2": (structure, "gcn2"),
    }
    for origin, (like, conv) in nearest.items():
        if like is None:
            continue
        try:
            preset = find_preset(f"paper:{paper_dataset(task.name)}", task, str(like), conv)
            return preset.with_settings(own), origin
        except ConfigError:
            continue
    return find_preset("default", task, str(structure), contestant.conv), "default"


def _axes(contestant: Contestant, config: Any) -> dict[str, Axis]:
    """What the authors of a model searched or chose by hand, as far as it is known."""
    if isinstance(config, Config):
        return dict(paper_space(config).axes)
    return dict(baseline_space(contestant.baseline, config).axes)
