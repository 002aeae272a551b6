"""Networks among the baselines: what they are and how they are built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..nn import Streams
from ..settings import Settings
from .batches import BatchNetwork
from .glass import GLASSSettings, PlainSettings, build_glass
from .segregated import SegregatedSettings, build_segregated
from .subgnn.network import build_subgnn
from .subgnn.settings import SubGNNSettings


@dataclass(frozen=True)
class BatchModel:
    """A network by name.

    Args:
        name: On the command line and in tables.
        about: What it does, in one line.
        build: From the task, settings, seeds, node inputs and a device, to a network with one
            replica a seed and the streams that its dropout reads.
        settings: Their kind; with ``model``, ``features`` and ``training``.
        presets: The file of presets; what it says of settings that there are not is left out.
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
