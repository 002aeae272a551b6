"""Networks among the baselines: what they are and how they are built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..config.settings import Settings
from ..nn import Streams
from .batch_network import BatchNetwork
from .glass import GLASSSettings, PlainSettings, build_glass
from .segregated import SegregatedSettings, build_segregated
from .subgnn.subgnn_network import build_subgnn
from .subgnn.subgnn_settings import SubGNNSettings


@dataclass(frozen=True)
class BatchModel:
    """A network by name.

    Args:
        name: Name on the command line and in tables.
        about: What the network does, in one line.
        build: Builds a network with one replica per seed, and the streams that its dropout reads,
            from ``(task, settings, *, seeds, inputs, device)``.
        settings: Class of its settings, with ``model``, ``features`` and ``training``.
        presets: File of its presets; entries for settings that it lacks are omitted.
    """

    name: str
    about: str
    build: Callable[..., tuple[BatchNetwork, Streams]]
    settings: type[Settings]
    presets: str


GLASS = BatchModel(
    "glass",
    "global graph, with labels on the nodes of the batch (ICLR 2022)",
    build_glass,
    GLASSSettings,
    "glass",
)
PLAIN = BatchModel("gnn-plain", "the same without labels", build_glass, PlainSettings, "glass")
SUBGNN = BatchModel(
    "subgnn",
    "components of subgraphs, with anchors in and around them (NeurIPS 2020)",
    build_subgnn,
    SubGNNSettings,
    "subgnn",
)
SEGREGATED = BatchModel(
    "gnn-seg",
    "each subgraph alone, without its surroundings",
    build_segregated,
    SegregatedSettings,
    "gnn-seg",
)
