"""GNN-Seg: a network on each subgraph alone, the control of GLASS that sees no surroundings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import elu, embedding

from ..base.ragged import Array, lengths, owners, ranges
from ..config.settings import within
from ..nn import Init, NodeTable, Streams
from ..nn.layers import Dropout, ReplicaLinear
from ..nn.node_inputs import NodeInputs
from ..task import SubgraphTask, measure
from .batch_network import BatchNetwork, BatchSettings

_EPSILON = 1e-5


@dataclass(frozen=True)
class SegregatedModel:
    """Settings of the network.

    Args:
        conv: ``gcn`` without self-loops, or ``gin`` with a single linear map.
        degrees: Nodes enter with a vector of their degree in the global graph (one-hot, through a
            linear map) instead of ``features``.
        layers: Number of convolutions; the outputs of all of them are read.
        hidden: Width of each convolution, and of the head.
        dropout: Share of channels dropped.
    """

    conv: Literal["gcn", "gin"] = "gcn"
    degrees: bool = True
    layers: int = within(1, 1)
    hidden: int = within(64, 1)
    dropout: float = within(0.4, 0, 0.99)


@dataclass(frozen=True)
class SegregatedSettings(BatchSettings):
    """All settings of GNN-Seg."""

    model: SegregatedModel = field(default_factory=SegregatedModel)

    @property
    def inputs(self) -> str:
        """Name of what nodes enter with."""
        return "degrees" if self.model.degrees else self.features.kind


class DegreeTable(nn.Module):
    """A vector for each degree that occurs, so one for each node: (R, N, F)."""

    row: Tensor

    def __init__(self, degrees: Array, width: int, init: Init) -> None:
        super().__init__()
        values, row = np.unique(degrees, return_inverse=True)
        self.width, self.table = width, init.glorot(len(values), width)
        self.register_buffer("row", torch.from_numpy(row.astype(np.int64)), persistent=False)

    def forward(self) -> Tensor:
        """(R, N, F)."""
        return self.table[:, self.row]


@dataclass(frozen=True, eq=False)
class SegregatedBatch:
    """The members of a batch of subgraphs, one after the other, replica by replica.

    Args:
        places: Rows of the flattened node table; (Q,).
        slots: Row of each member once replicas are padded to equal numbers; (Q,).
        totals: Number of members of each replica.
        sizes: Number of members of each of the R · b subgraphs.
        owner: The subgraph of each member; (Q,).
        sources: Members that messages come from, by the member that receives them; (E,).
        counts: Number of messages that each member receives; (Q,).
        weights: Weight of each message; (E, 1).
    """

    places: Tensor
    slots: Tensor
    totals: list[int]
    sizes: Tensor
    owner: Tensor
    sources: Tensor
    counts: Tensor
    weights: Tensor


class SegmentNorm(nn.Module):
    """γ (x - αμ) / sqrt(mean (x - αμ)²) + β by channel, over the nodes of each subgraph."""

    def __init__(self, width: int, init: Init) -> None:
        super().__init__()
        self.weight, self.bias = init.ones(1, width), init.zeros(1, width)
        self.share = init.ones(1, width)

    def forward(self, x: Tensor, batch: SegregatedBatch) -> Tensor:
        """(Q, F) → (Q, F)."""
        subgraphs = len(batch.sizes) // len(self.weight)
        weight, bias, share = (
            p.expand(-1, subgraphs, -1).flatten(0, 1)[batch.owner]
            for p in (self.weight, self.bias, self.share)
        )
        centred = x - share * _mean(x, batch)
        return weight * centred * torch.rsqrt(_mean(centred**2, batch) + _EPSILON) + bias


def _mean(x: Tensor, batch: SegregatedBatch) -> Tensor:
    """The mean over each subgraph, for each of its members."""
    summed = torch.segment_reduce(x, "sum", lengths=batch.sizes, unsafe=True)
    return (summed / batch.sizes.clamp(min=1).unsqueeze(-1))[batch.owner]


class Segregated(BatchNetwork):
    """Table → [convolution → norm → ELU → dropout] … → all outputs → sum → two-layer head.

    Args:
        task: Graph, subgraphs and classes.
        model: Settings of the network.
        table: Vectors of all nodes.
        batch: Number of subgraphs per batch.
        init: Draws the initial values.
        streams: Random numbers for dropout.
    """

    def __init__(
        self,
        task: SubgraphTask,
        model: SegregatedModel,
        *,
        table: NodeTable | DegreeTable,
        batch: int,
        init: Init,
        streams: Streams,
    ) -> None:
        super().__init__(len(init), batch)
        self.device, self.size = streams.device, task.graph.num_nodes
        self.ptr, self.nodes = task.subgraphs.ptr, task.subgraphs.nodes
        inner = measure(task.graph, task.subgraphs).inner_graph
        degrees = np.diff(inner.indptr)
        self.indptr, self.indices = inner.indptr, inner.indices
        ends = (owners(inner.indptr), inner.indices)
        self.weights = np.ones(len(inner.indices), np.float32)
        if model.conv == "gcn":
            self.weights = (1 / np.sqrt(degrees[ends[0]] * degrees[ends[1]])).astype(np.float32)
        self.own = model.conv == "gin"
        self.table = table
        widths = [table.width, *[model.hidden] * model.layers]
        self.maps = nn.ModuleList(ReplicaLinear(width, model.hidden, init) for width in widths[:-1])
        self.norms = nn.ModuleList(SegmentNorm(model.hidden, init) for _ in widths[2:])
        self.dropout = Dropout(model.dropout, streams)
        self.first = ReplicaLinear(model.hidden * model.layers, model.hidden, init)
        self.head = ReplicaLinear(model.hidden, task.num_classes, init)

    def prepare(self, rows: Array) -> SegregatedBatch:
        """The members and inner edges of subgraphs by number, (R, b)."""
        sizes = lengths(self.ptr, rows)
        members = ranges(self.ptr[rows].ravel(), sizes.ravel())
        totals = sizes.sum(axis=1)
        room = max(int(totals.max(initial=0)), 1)
        replica = np.repeat(np.arange(len(rows)), totals)
        counts = lengths(self.indptr, members)
        entries = ranges(self.indptr[members], counts)
        shift = np.arange(len(members)) - members  # the same for all members of a subgraph
        arrays = {
            "places": self.nodes[members] + replica * self.size,
            "slots": ranges(np.arange(len(rows)) * room, totals),
            "sizes": sizes.ravel(),
            "owner": np.repeat(np.arange(sizes.size), sizes.ravel()),
            "sources": self.indices[entries] + np.repeat(shift, counts),
            "counts": counts,
            "weights": self.weights[entries, None],
        }
        tensors = {
            name: torch.from_numpy(np.ascontiguousarray(array)).to(self.device)
            for name, array in arrays.items()
        }
        return SegregatedBatch(**tensors, totals=totals.tolist())

    def answer(self, rows: Array) -> tuple[Tensor, Tensor]:
        """Vectors (R, b, F) and logits (R, b, C) of subgraphs by number, (R, b)."""
        batch, outputs = self.prepare(rows), []
        x = embedding(batch.places, self.table().flatten(0, 1))
        for number, convert in enumerate(self.maps):
            if number:
                x = self._drop(elu(self.norms[number - 1](x, batch)), batch)
            aggregated = torch.segment_reduce(
                x[batch.sources] * batch.weights, "sum", lengths=batch.counts, unsafe=True
            )
            x = self._mapped(convert, aggregated + x if self.own else aggregated, batch)
            outputs.append(x)
        joined = torch.cat(outputs, dim=-1)
        summed = torch.segment_reduce(joined, "sum", lengths=batch.sizes, unsafe=True)
        hidden = self.dropout(elu(self.first(summed.view(*rows.shape, -1))))
        return hidden, self.head(hidden)

    def _mapped(self, convert: nn.Module, x: Tensor, batch: SegregatedBatch) -> Tensor:
        """A linear map, each replica its own; (Q, F) → (Q, F)."""
        room = max(*batch.totals, 1)
        empty = x.new_zeros(self.replicas * room, x.shape[-1])
        padded = empty.index_copy(0, batch.slots, x).view(self.replicas, room, -1)
        mapped: Tensor = convert(padded)
        return mapped.flatten(0, 1)[batch.slots]

    def _drop(self, x: Tensor, batch: SegregatedBatch) -> Tensor:
        """Dropout from each replica's own stream, which gives as many numbers as it has members."""
        share = self.dropout.share
        if not self.training or not share:
            return x
        return x * self.dropout.streams.keep_rows(share, batch.totals, x.shape[-1]) / (1 - share)


def build_segregated(
    task: SubgraphTask,
    settings: SegregatedSettings,
    *,
    seeds: Sequence[int],
    inputs: NodeInputs,
    device: torch.device | str,
) -> tuple[Segregated, Streams]:
    """A network with one replica per seed, and the streams that its dropout reads."""
    init, streams = Init(seeds), Streams(seeds, device)
    rows = np.arange(task.graph.num_nodes)
    table: NodeTable | DegreeTable
    if settings.model.degrees:
        table = DegreeTable(np.array(task.graph.full_degrees), settings.model.hidden, init)
    else:
        table = NodeTable(rows, settings.features, inputs=inputs, init=init, streams=streams)
    batch = settings.training.batch
    network = Segregated(task, settings.model, table=table, batch=batch, init=init, streams=streams)
    return network.to(streams.device), streams
