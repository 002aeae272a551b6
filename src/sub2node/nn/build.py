"""From a task and its settings to a network and what it reads in each stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from ..config import Config
from ..encode import subgraph_inputs
from ..errors import ConfigError, DataError
from ..pattern import Pattern
from ..ragged import Array, distinct
from ..task import Part, SubgraphTask
from ..translate import S2NGraph, readout_weights, translate
from .adjacency import Adjacency
from .foreign import find_convolution
from .inputs import NodeInputs, node_inputs
from .networks import S2N, Connected, Network, Separated, Stage
from .readout import Members
from .streams import Init, Streams
from .table import NodeTable, Table

_NETWORKS: dict[str, type[Separated | S2N]] = {
    "separated": Separated,
    "connected": Connected,
    "s2n+0": S2N,
    "s2n+a": S2N,
    "cos2n+0": S2N,
    "cos2n+a": S2N,
}


@dataclass(frozen=True, eq=False)
class Stages:
    """What a network reads: by part, on a device.

    Args:
        rows: Nodes whose vectors are read, ascending.
        by_part: A stage for train, val and test; of a structure, a :class:`Stage`.
        device: Where the tensors are.
    """

    rows: Array
    by_part: dict[Part, Any]
    device: torch.device

    def __getitem__(self, part: Part) -> Any:
        return self.by_part[part]


def build_stages(
    task: SubgraphTask,
    config: Config,
    *,
    graph: S2NGraph | None = None,
    parts: Sequence[Part] = ("train", "val", "test"),
    all_nodes: bool = False,
    device: Any = "cpu",
) -> Stages:
    """Make what a network of this structure reads, for each part.

    Args:
        task: With a split.
        config: Structure, readout, translation.
        graph: The raw, complete S2N graph of the task, if it is at hand; else it is translated.
        parts: Which stages to make.
        all_nodes: Whether nodes that no subgraph has get a row too, for subgraphs to come.
        device: Where to put the tensors.
    """
    if task.split is None:
        raise DataError("the task is not split into train, val and test yet.")
    if config.translated and graph is None:
        graph = translate(task, self_loops=config.translation.self_loops)
    weak = None
    if graph is not None and config.translated:
        graph.require_task(task)
        weak = graph.normalize(config.translation.a, config.translation.delta)
    all_nodes = all_nodes or config.structure == "connected"
    rows = (
        np.arange(task.graph.num_nodes) if all_nodes else distinct(np.array(task.subgraphs.nodes))
    )
    inputs = None
    if config.features.subgraphs != "none":
        found = subgraph_inputs(task, config.features.subgraphs)
        inputs = torch.from_numpy(found).to(device)
    make = _Maker(task, config, graph, weak, rows, torch.device(device), inputs)
    return Stages(rows, {part: make.stage(part) for part in parts}, make.device)


def members_stage(
    task: SubgraphTask, config: Config, rows: Array, *, inputs: Tensor | None = None
) -> Stage:
    """All subgraphs of a task by themselves: what comes before any graph around them.

    Readout weights that depend on other subgraphs (``degree`` and ``degree-code``) are left out.

    Args:
        task: The subgraphs; needs no split.
        config: Structure and readout.
        rows: Nodes that have a row in the table, ascending.
        inputs: What is known about the subgraphs besides their nodes.
    """
    if config.model.readout.startswith("degree"):
        config = config.with_settings({"readout": "sum"})
    make, count = _Maker(task, config, None, None, rows, torch.device("cpu"), inputs), len(task)
    inner = config.with_inner or config.structure == "separated"
    members = make._members("test", 0, count, positions=inner)
    if not inner:
        return Stage(members, slice(0, count), inputs=inputs)
    positions, nodes = make._positions(0, count), make._inner(0, count)
    return Stage(members, slice(0, count), positions, nodes, inputs=inputs)


@dataclass(eq=False)
class _Maker:
    task: SubgraphTask
    config: Config
    raw: S2NGraph | None
    normalized: S2NGraph | None
    rows: Array
    device: torch.device
    inputs: Tensor | None

    def stage(self, part: Part) -> Stage:
        split = self.task.split
        assert split is not None
        codes = np.flatnonzero(split.mask(part))
        first, last = (int(codes[0]), int(codes[-1]) + 1) if len(codes) else (0, 0)
        if self.normalized is None:  # nothing else than the part's own subgraphs matters
            return self._apart(part, first, last)
        count = split.visible(part)
        matrix = self.normalized.stage(part)
        outer = Adjacency.from_csr(matrix, device=self.device)
        if not self.config.with_inner:
            members = self._members(part, 0, count, positions=False)
            known = self._known(0, count)
            return Stage(members, slice(first, last), subgraphs=outer, inputs=known)
        return Stage(
            self._members(part, 0, count, positions=True),
            slice(first, last),
            positions=self._positions(0, count),
            nodes=self._inner(0, count),
            subgraphs=outer,
            inputs=self._known(0, count),
        )

    def _known(self, first: int, last: int) -> Tensor | None:
        return None if self.inputs is None else self.inputs[first:last]

    def _apart(self, part: Part, first: int, last: int) -> Stage:
        whole, known = slice(0, last - first), self._known(first, last)
        if self.config.structure == "connected":
            members = self._members(part, first, last, positions=False)
            return Stage(members, whole, nodes=self.global_graph, inputs=known)
        members = self._members(part, first, last, positions=True)
        inner = self._inner(first, last)
        positions = self._positions(first, last)
        return Stage(members, whole, positions=positions, nodes=inner, inputs=known)

    @cached_property
    def global_graph(self) -> Adjacency:
        graph = self.task.graph
        weighted = graph.weights is not None
        matrix = graph.adjacency(loops=True)
        return Adjacency.from_csr(matrix, weighted=weighted, device=self.device)

    @cached_property
    def internal_edges(self) -> tuple[Array, Array]:
        return self.task.internal_edges()

    def _flat(self, first: int, last: int) -> tuple[Array, Array]:
        """Pointers and rows of the table of some subgraphs' members."""
        subgraphs = self.task.subgraphs
        ptr = subgraphs.ptr[first : last + 1]
        nodes = subgraphs.nodes[ptr[0] : ptr[-1]]
        return ptr - ptr[0], np.searchsorted(self.rows, nodes)

    def _members(self, part: Part, first: int, last: int, *, positions: bool) -> Members:
        ptr, rows = self._flat(first, last)
        readout = self.config.model.readout
        fixed: Any = "sum" if readout in ("max", "learned") else readout
        if fixed == "degree-code" and self.normalized is None:
            raise ConfigError(
                "the readout 'degree-code' is defined for the S2N structures only; use 'degree'."
            )
        given = readout_weights(self.task, part, readout=fixed, graph=self.raw)
        start = int(self.task.subgraphs.ptr[first])
        weights = given[start : start + len(rows)]
        index, width = (np.arange(len(rows)), len(rows)) if positions else (rows, len(self.rows))
        return Members(
            Pattern.from_csr(ptr, index, width, self.device),
            None if (weights == 1).all() else torch.from_numpy(weights).to(self.device),
        )

    def _positions(self, first: int, last: int) -> Pattern:
        _, rows = self._flat(first, last)
        return Pattern.from_csr(np.arange(len(rows) + 1), rows, len(self.rows), self.device)

    def _inner(self, first: int, last: int) -> Adjacency:
        subgraphs, graph = self.task.subgraphs, self.task.graph
        ptr, ends = self.internal_edges
        low, high = ends[:, ptr[first] : ptr[last]] - subgraphs.ptr[first]
        size = int(subgraphs.ptr[last] - subgraphs.ptr[first])
        nodes = subgraphs.nodes[subgraphs.ptr[first] : subgraphs.ptr[last]]
        weighted = graph.weights is not None
        weights = np.ones(len(low), np.float32)
        if weighted:
            weights = graph.edge_weights(nodes[low], nodes[high])
        loops = graph.loop_column()[nodes]
        here = np.flatnonzero(loops)  # self-loops of the global graph stay
        both = (np.concatenate([low, high, here]), np.concatenate([high, low, here]))
        data = np.concatenate([weights, weights, loops[here]])
        matrix = sp.coo_array((data, both), shape=(size, size)).tocsr()
        return Adjacency.from_csr(matrix, weighted=weighted, device=self.device)


def build_network(
    task: SubgraphTask,
    config: Config,
    stages: Stages,
    seeds: Sequence[int],
    *,
    inputs: NodeInputs | None = None,
    conv: Callable[..., nn.Module] | None = None,
) -> tuple[Network, Streams]:
    """A network with one replica a seed, and the streams that its dropout reads.

    Args:
        task: The data.
        config: Settings.
        stages: What it will read.
        seeds: One a replica.
        inputs: What nodes enter with; by default made now, from the settings.
        conv: A convolution class ``conv(width_in, width_out)`` instead of the one in ``config``.
    """
    if not task.num_classes:
        raise DataError("the task has no labels to learn.")
    init, streams = Init(seeds), Streams(seeds, stages.device)
    inputs = inputs or node_inputs(task, config.features, stages.rows, device=stages.device.type)
    size, features = task.graph.num_nodes, config.features
    table = NodeTable(size, stages.rows, features, inputs, init, streams)
    known = next(iter(stages.by_part.values())).inputs
    network = network_on(
        table, config, task, init, streams, inputs=0 if known is None else known.shape[1], conv=conv
    )
    return network.to(stages.device), streams


def network_on(
    table: Table,
    config: Config,
    task: SubgraphTask,
    init: Init,
    streams: Streams,
    *,
    inputs: int = 0,
    conv: Callable[..., nn.Module] | None = None,
) -> Network:
    """The network of a structure on a table of node vectors.

    Args:
        table: What nodes enter with.
        config: Settings.
        task: Its classes, and whether its graph is weighted.
        init: First values.
        streams: What its dropout reads.
        inputs: Numbers that are known of a subgraph besides its nodes.
        conv: As of :func:`build_network`.
    """
    make = find_convolution(conv if conv is not None else config.conv)
    weighted = task.graph.weights is not None
    return _NETWORKS[config.structure](
        config, table, inputs, task.num_classes, make, weighted, init, streams
    )
