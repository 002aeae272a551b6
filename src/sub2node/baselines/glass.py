"""GLASS: a network on the global graph in which the nodes of the batch are labelled.

Wang and Zhang, "GLASS: GNN with Labeling Tricks for Subgraph Representation Learning", ICLR 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import elu

from ..base.ragged import Array, owners
from ..config.settings import within
from ..nn import Init, NodeTable, Streams
from ..nn.layers import Dropout, ReplicaLinear
from ..nn.node_inputs import NodeInputs
from ..ops.pattern import Pattern
from ..task import Graph, SubgraphTask
from ..task.whole_graph import require_loaded
from .batch_network import BatchNetwork, BatchSettings, gather_members, pool

Aggregation = Literal["mean", "sum", "gcn"]
_EPSILON = 1e-5


@dataclass(frozen=True)
class PlainModel:
    """Settings of the network.

    Args:
        aggregation: Message to a node: ``mean`` or ``sum`` of its neighbours, or ``gcn``: the sum
            divided by the roots of both degrees.
        layers: Number of convolutions; the outputs of all of them are read.
        hidden: Width of each convolution.
        dropout: Share of channels dropped.
        pool: How node vectors become one subgraph vector; ``size``: the sum over the root of the
            number of nodes.
    """

    aggregation: Aggregation = "mean"
    layers: int = within(2, 1)
    hidden: int = within(64, 1)
    dropout: float = within(0.5, 0, 0.99)
    pool: Literal["sum", "mean", "max", "size"] = "sum"


@dataclass(frozen=True)
class GLASSModel(PlainModel):
    """Settings of the network.

    Args:
        z_ratio: Share of the maps for labelled nodes in the vectors of labelled nodes, and of the
            maps for the others in those of the others.
    """

    z_ratio: float = within(0.9, 0.5, 1)


@dataclass(frozen=True)
class GLASSSettings(BatchSettings):
    """All settings of GLASS."""

    model: GLASSModel = field(default_factory=GLASSModel)


@dataclass(frozen=True)
class PlainSettings(BatchSettings):
    """All settings of the plain network: GLASS without labels."""

    model: PlainModel = field(default_factory=PlainModel)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Â: the weight of each neighbour's message. No self-loops are added."""

    pattern: Pattern
    values: Tensor | None

    @classmethod
    def of(cls, graph: Graph, kind: Aggregation, device: torch.device | str = "cpu") -> Neighbours:
        """``sum``: A, ``mean``: D⁻¹A, ``gcn``: D^-½ A D^-½; degrees below ½ count one more."""
        matrix = graph.adjacency(loops=True, dtype=np.float64).tocsr()
        weights, ends = matrix.data, (owners(matrix.indptr), matrix.indices)
        degrees = np.asarray(matrix.sum(axis=1)).ravel()
        degrees = np.where(degrees < 0.5, degrees + 1, degrees)
        if kind == "mean":
            weights = weights / degrees[ends[0]]
        elif kind == "gcn":
            weights = weights / np.sqrt(degrees[ends[0]] * degrees[ends[1]])
        pattern = Pattern.from_csr(matrix.indptr, matrix.indices, graph.num_nodes, device)
        if (weights == 1).all():
            return cls(pattern, None)
        return cls(pattern, torch.from_numpy(weights.astype(np.float32)).to(device))

    def __call__(self, x: Tensor) -> Tensor:
        """(R, N, F) → (R, N, F)."""
        return self.pattern.aggregate(x.contiguous(), self.values)


class GraphNorm(nn.Module):
    """γ (x - αμ) / sqrt(mean (x - αμ)²) + β by replica and channel, over all nodes (Cai 2021)."""

    def __init__(self, width: int, init: Init) -> None:
        super().__init__()
        self.weight, self.bias = init.ones(1, width), init.zeros(1, width)
        self.share = init.ones(1, width)

    def forward(self, x: Tensor) -> Tensor:
        """(R, n, F) → (R, n, F)."""
        centred = x - self.share * x.mean(dim=1, keepdim=True)
        square = (centred * centred).mean(dim=1, keepdim=True)
        return torch.addcmul(self.bias, centred, self.weight * torch.rsqrt(square + _EPSILON))


class Mixed(nn.Module):
    """Two linear maps, for labelled nodes and for the others, mixed by a share of each."""

    def __init__(self, width_in: int, width_out: int, labelled: bool, init: Init) -> None:
        super().__init__()
        self.width, self.labelled = width_out, labelled
        self.linear = ReplicaLinear(width_in, width_out * (2 if labelled else 1), init)

    def forward(self, x: Tensor, share: Tensor | None, *, activate: bool = False) -> Tensor:
        """x (R, n, F), share of the first map (R, n, 1) → (R, n, out)."""
        mapped: Tensor = self.linear(x)
        mapped = elu(mapped) if activate else mapped
        if share is None:
            return mapped
        first, second = torch.split(mapped, self.width, dim=-1)
        return torch.lerp(second, first, share)


class GLASSConv(nn.Module):
    """Mixed maps → Â → norm → dropout → beside the input → mixed maps."""

    def __init__(
        self, width: int, model: PlainModel, *, labelled: bool, init: Init, streams: Streams
    ) -> None:
        super().__init__()
        hidden = model.hidden
        self.enter = Mixed(width, hidden, labelled, init)
        self.norm = GraphNorm(hidden, init)
        self.dropout = Dropout(model.dropout, streams)
        self.leave = Mixed(hidden + width, hidden, labelled, init)

    def forward(self, x: Tensor, neighbours: Neighbours, share: Tensor | None) -> Tensor:
        """x (R, N, F), share (R, N, 1) → (R, N, hidden)."""
        aggregated = neighbours(self.enter(x, share, activate=True))
        aggregated = self.dropout(self.norm(aggregated))
        return self.leave(torch.cat([aggregated, x], dim=-1), share)  # type: ignore[no-any-return]


class GLASS(BatchNetwork):
    """Table → norm → [convolution → norm → ELU → dropout] … → all outputs → norm → pool → head.

    Args:
        task: Graph, subgraphs and classes.
        model: Settings of the network; with a ``z_ratio``, nodes of the batch are labelled.
        table: Vectors of all nodes.
        batch: Number of subgraphs per batch.
        init: Draws the initial values.
        streams: Random numbers for dropout.
    """

    def __init__(
        self,
        task: SubgraphTask,
        model: PlainModel,
        *,
        table: NodeTable,
        batch: int,
        init: Init,
        streams: Streams,
    ) -> None:
        super().__init__(len(init), batch)
        self.device, self.size = streams.device, task.graph.num_nodes
        self.ptr, self.nodes = task.subgraphs.ptr, task.subgraphs.nodes
        self.neighbours = Neighbours.of(task.graph, model.aggregation, self.device)
        self.ratio = model.z_ratio if isinstance(model, GLASSModel) else None
        self.pool = model.pool
        self.table = table
        widths = [table.width, *[model.hidden] * model.layers]
        self.norms = nn.ModuleList(GraphNorm(width, init) for width in widths[:-1])
        labelled = self.ratio is not None
        self.convs = nn.ModuleList(
            GLASSConv(width, model, labelled=labelled, init=init, streams=streams)
            for width in widths[:-1]
        )
        self.last = GraphNorm(model.hidden * model.layers, init)
        self.dropout = Dropout(model.dropout, streams)
        self.head = ReplicaLinear(model.hidden * model.layers, task.num_classes, init)

    def answer(self, rows: Array) -> tuple[Tensor, Tensor]:
        """Vectors (R, b, F) and logits (R, b, C) of subgraphs by number, (R, b)."""
        members = gather_members(
            self.ptr, self.nodes, rows=rows, stride=self.size, device=self.device
        )
        x = self.encode(self.shares(members.places, len(rows)))
        vectors = pool(x, members, self.pool).view(*rows.shape, -1)
        return vectors, self.head(vectors)

    def shares(self, places: Tensor, replicas: int) -> Tensor | None:
        """Share of the map for labelled nodes in each node, (R, N, 1); None without labels.

        A node is labelled where any subgraph of the batch has it (max-zero-one).
        """
        if self.ratio is None:
            return None
        shares = torch.full((replicas * self.size,), 1 - self.ratio, device=self.device)
        return shares.index_fill_(0, places, self.ratio).view(replicas, self.size, 1)

    def encode(self, share: Tensor | None) -> Tensor:
        """Vectors of all nodes, (R, N, layers · hidden)."""
        x, outputs = self.table(), []
        for number, (norm, conv) in enumerate(zip(self.norms, self.convs, strict=True)):
            x = norm(x)
            x = self.dropout(elu(x) if number else x)
            x = conv(x, self.neighbours, share)
            outputs.append(x)
        return self.last(torch.cat(outputs, dim=-1))  # type: ignore[no-any-return]


def build_glass(
    task: SubgraphTask,
    settings: GLASSSettings | PlainSettings,
    *,
    seeds: Sequence[int],
    inputs: NodeInputs,
    device: torch.device | str,
) -> tuple[GLASS, Streams]:
    """A network with one replica per seed, and the streams that its dropout reads."""
    require_loaded(task.graph, "GLASS")
    init, streams = Init(seeds), Streams(seeds, device)
    rows = np.arange(task.graph.num_nodes)
    table = NodeTable(rows, settings.features, inputs=inputs, init=init, streams=streams)
    batch = settings.training.batch
    network = GLASS(task, settings.model, table=table, batch=batch, init=init, streams=streams)
    return network.to(streams.device), streams
