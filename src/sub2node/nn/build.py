"""From a task and its settings to a network and what it reads in each stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from ..base.errors import ConfigError, DataError
from ..base.ragged import Array, distinct
from ..config import Config
from ..encode import subgraph_inputs
from ..ops.pattern import Pattern
from ..task import Part, SubgraphTask
from ..task.whole_graph import require_loaded
from ..translation import S2NGraph, normalize_by, readout_weights, translate_by
from .adjacency import Adjacency
from .custom_convolution import find_convolution
from .networks import S2N, Connected, Network, NetworkParts, Separated, Stage
from .node_inputs import NodeInputs, node_inputs
from .node_table import NodeTable, VectorTable
from .partitions import in_partitions
from .readout import Members
from .streams import Init, Streams

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
        rows: Numbers of the nodes whose vectors are read, ascending.
        by_part: A stage for train, val and test; of a structure, a :class:`Stage`.
        device: Device of the tensors.
        make: Builds the stage of a part that is missing, when it is first read.
        partitions: How many each is read in, one after another.
    """

    rows: Array
    by_part: dict[Part, Any]
    device: torch.device
    make: Callable[[Part], Any] | None = None
    partitions: int = 1

    def in_partitions(self, count: int) -> Stages:
        """The same, read in this many partitions."""
        by_part = {part: in_partitions(stage, count) for part, stage in self.by_part.items()}
        build = self.make
        make = None if build is None else lambda part: in_partitions(build(part), count)
        return replace(self, by_part=by_part, make=make, partitions=count)

    def __getitem__(self, part: Part) -> Any:
        if part not in self.by_part and self.make is not None:
            self.by_part[part] = self.make(part)
        return self.by_part[part]


def build_stages(
    task: SubgraphTask,
    config: Config,
    *,
    graph: S2NGraph | None = None,
    normalized: S2NGraph | None = None,
    parts: Sequence[Part] = ("train", "val", "test"),
    all_nodes: bool = False,
    device: torch.device | str = "cpu",
) -> Stages:
    """Build what a network of this structure reads, for each part.

    Args:
        task: The task, already split into train, val and test.
        config: Settings; structure, readout and translation are read.
        graph: The raw, complete S2N graph of the task, if it is at hand; else it is translated.
        normalized: The same with the weights that the settings ask for, if it is at hand.
        parts: Parts whose stages are built now; the others are built when they are first read.
        all_nodes: Whether nodes in no subgraph get a row too, for subgraphs to come.
        device: Device of the tensors.
    """
    if task.split is None:
        raise DataError("the task is not split into train, val and test yet.")
    if config.structure.translated and graph is None:
        graph = translate_by(task, config.translation)
    if graph is not None and config.structure.translated:
        graph.require_task(task)
        if normalized is None:
            normalized = normalize_by(graph, config.translation)
    if config.structure == "connected":
        require_loaded(task.graph, "the structure connected")
    all_nodes = all_nodes or config.structure == "connected"
    rows = np.arange(task.graph.num_nodes) if all_nodes else _read_nodes(task)
    inputs = None
    if config.features.subgraphs != "none":
        inputs = torch.from_numpy(subgraph_inputs(task, config.features.subgraphs)).to(device)
    builder = _StageBuilder(
        task, config, rows, torch.device(device), inputs, raw=graph, normalized=normalized
    )
    stages = {part: builder.stage(part) for part in parts}
    return Stages(rows, stages, builder.device, builder.stage)


def _read_nodes(task: SubgraphTask) -> Array:
    """Nodes that some subgraph has or excludes, ascending."""
    nodes = [task.subgraphs.nodes]
    if task.excluded is not None:
        nodes.append(task.excluded.nodes)
    return distinct(np.concatenate(nodes))


def members_stage(
    task: SubgraphTask, config: Config, rows: Array, *, inputs: Tensor | None = None
) -> Stage:
    """All subgraphs of a task by themselves: what comes before any graph around them.

    Readout weights that depend on other subgraphs (``degree`` and ``degree-code``) are omitted.

    Args:
        task: The task with the subgraphs; needs no split.
        config: Settings; structure and readout are read.
        rows: Numbers of the nodes that have a row in the table, ascending.
        inputs: Features of the subgraphs besides their nodes; (m, F).
    """
    if config.model.readout.startswith("degree"):
        config = config.with_settings({"readout": "sum"})
    builder, count = _StageBuilder(task, config, rows, torch.device("cpu"), inputs), len(task)
    inner = config.structure.inner or config.structure == "separated"
    members = builder.members("test", 0, count, positions=inner)
    absent = builder.excluded(0, count)
    if not inner:
        return Stage(members, slice(0, count), inputs=inputs, excluded=absent)
    positions, nodes = builder.positions(0, count), builder.inner_graph(0, count)
    return Stage(members, slice(0, count), positions, nodes, inputs=inputs, excluded=absent)


@dataclass(eq=False)
class _StageBuilder:
    task: SubgraphTask
    config: Config
    rows: Array
    device: torch.device
    inputs: Tensor | None
    raw: S2NGraph | None = None
    normalized: S2NGraph | None = None

    def stage(self, part: Part) -> Stage:
        split = self.task.split
        assert split is not None
        codes = np.flatnonzero(split.mask(part))
        first, last = (int(codes[0]), int(codes[-1]) + 1) if len(codes) else (0, 0)
        if self.normalized is None:  # only the part's own subgraphs matter
            return self._isolated_stage(part, first, last)
        count = split.visible(part)
        matrix = self.normalized.stage(part)
        outer = Adjacency.from_csr(matrix, device=self.device)
        if not self.config.structure.inner:
            members = self.members(part, 0, count, positions=False)
            return Stage(
                members,
                slice(first, last),
                subgraphs=outer,
                inputs=self._inputs(0, count),
                excluded=self.excluded(0, count),
            )
        return Stage(
            self.members(part, 0, count, positions=True),
            slice(first, last),
            positions=self.positions(0, count),
            nodes=self.inner_graph(0, count),
            subgraphs=outer,
            inputs=self._inputs(0, count),
            excluded=self.excluded(0, count),
        )

    def _inputs(self, first: int, last: int) -> Tensor | None:
        return None if self.inputs is None else self.inputs[first:last]

    def _isolated_stage(self, part: Part, first: int, last: int) -> Stage:
        scored, inputs = slice(0, last - first), self._inputs(first, last)
        absent = self.excluded(first, last)
        if self.config.structure == "connected":
            members = self.members(part, first, last, positions=False)
            graph = self.global_graph
            return Stage(members, scored, nodes=graph, inputs=inputs, excluded=absent)
        members = self.members(part, first, last, positions=True)
        inner = self.inner_graph(first, last)
        positions = self.positions(first, last)
        return Stage(
            members, scored, positions=positions, nodes=inner, inputs=inputs, excluded=absent
        )

    @cached_property
    def global_graph(self) -> Adjacency:
        graph = self.task.graph
        weighted = graph.weights is not None
        matrix = graph.adjacency(loops=True)
        return Adjacency.from_csr(matrix, weighted=weighted, device=self.device)

    def _member_rows(self, first: int, last: int) -> tuple[Array, Array]:
        """Pointers and rows of the table of some subgraphs' members."""
        subgraphs = self.task.subgraphs
        ptr = subgraphs.ptr[first : last + 1]
        nodes = subgraphs.nodes[ptr[0] : ptr[-1]]
        return ptr - ptr[0], np.searchsorted(self.rows, nodes)

    def members(self, part: Part, first: int, last: int, *, positions: bool) -> Members:
        ptr, rows = self._member_rows(first, last)
        readout = self.config.model.readout
        fixed: Any = "sum" if readout in ("max", "learned") else readout
        if fixed == "degree-code" and self.normalized is None:
            raise ConfigError(
                "the readout 'degree-code' is defined for the S2N structures only; use 'degree'."
            )
        weights = readout_weights(self.task, part, readout=fixed, graph=self.raw)
        start = int(self.task.subgraphs.ptr[first])
        weights = weights[start : start + len(rows)]
        index, width = (np.arange(len(rows)), len(rows)) if positions else (rows, len(self.rows))
        return Members(
            Pattern.from_csr(ptr, index, width, self.device),
            None if (weights == 1).all() else torch.from_numpy(weights).to(self.device),
        )

    def excluded(self, first: int, last: int) -> Members | None:
        """Excluded nodes of some subgraphs, with weights of length 1; None: there are none."""
        sets = self.task.excluded
        if sets is None:
            return None
        part = slice(int(sets.ptr[first]), int(sets.ptr[last]))
        weights = np.ones(len(sets.nodes)) if sets.weights is None else sets.weights
        squares = np.bincount(sets.owner, weights.astype(np.float64) ** 2, minlength=len(sets))
        unit = (weights / np.sqrt(squares)[sets.owner])[part].astype(np.float32)
        rows = np.searchsorted(self.rows, sets.nodes[part])
        ptr = sets.ptr[first : last + 1] - sets.ptr[first]
        pattern = Pattern.from_csr(ptr, rows, len(self.rows), self.device)
        return Members(pattern, torch.from_numpy(unit).to(self.device))

    def positions(self, first: int, last: int) -> Pattern:
        _, rows = self._member_rows(first, last)
        return Pattern.from_csr(np.arange(len(rows) + 1), rows, len(self.rows), self.device)

    def inner_graph(self, first: int, last: int) -> Adjacency:
        subgraphs, graph = self.task.subgraphs, self.task.graph
        ptr, ends = self.task.internal_edges()
        low, high = ends[:, ptr[first] : ptr[last]] - subgraphs.ptr[first]
        size = int(subgraphs.ptr[last] - subgraphs.ptr[first])
        nodes = subgraphs.nodes[subgraphs.ptr[first] : subgraphs.ptr[last]]
        weighted = graph.weights is not None
        weights = np.ones(len(low), np.float32)
        if weighted:
            weights = graph.edge_weights(nodes[low], nodes[high])
        loops = graph.loop_column()[nodes]
        looped = np.flatnonzero(loops)  # self-loops of the global graph stay
        coords = (np.concatenate([low, high, looped]), np.concatenate([high, low, looped]))
        data = np.concatenate([weights, weights, loops[looped]])
        matrix = sp.coo_array((data, coords), shape=(size, size)).tocsr()
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
    """A network with one replica per seed, and the streams that its dropout reads.

    Args:
        task: The task that the network learns.
        config: Settings of the network.
        stages: What the network will read.
        seeds: One seed per replica.
        inputs: Vectors that nodes enter with; by default computed now, from the settings.
        conv: A convolution class ``conv(width_in, width_out)`` instead of the one in ``config``.
    """
    if not task.num_classes:
        raise DataError("the task has no labels to learn.")
    init, streams = Init(seeds), Streams(seeds, stages.device)
    inputs = inputs or node_inputs(task, config.features, stages.rows, device=stages.device.type)
    table = NodeTable(stages.rows, config.features, inputs=inputs, init=init, streams=streams)
    extra = next(iter(stages.by_part.values())).inputs
    width = 0 if extra is None else extra.shape[1]
    network = network_on(
        table, config, task=task, init=init, streams=streams, inputs=width, conv=conv
    )
    return network.to(stages.device), streams


def network_on(
    table: VectorTable,
    config: Config,
    *,
    task: SubgraphTask,
    init: Init,
    streams: Streams,
    inputs: int = 0,
    conv: Callable[..., nn.Module] | None = None,
) -> Network:
    """The network of a structure on a table of node vectors.

    Args:
        table: Vectors that nodes enter with.
        config: Settings of the network.
        task: Says how many classes there are, whether the graph is weighted and whether subgraphs
            have excluded nodes.
        init: Draws the initial values.
        streams: Random numbers for dropout.
        inputs: Width of the features of subgraphs besides their nodes.
        conv: A convolution class, as in :func:`build_network`.
    """
    parts = NetworkParts(
        config=config,
        inputs=inputs,
        classes=task.num_classes,
        make=find_convolution(conv if conv is not None else config.conv),
        weighted=task.graph.weights is not None,
        excluded=task.excluded is not None,
        init=init,
        streams=streams,
    )
    return _NETWORKS[config.structure](table, parts)
