"""SubGNN: components of subgraphs, in three channels, hear of anchors in and around them.

Alsentzer, Finlayson, Li and Zitnik, "Subgraph Neural Networks", NeurIPS 2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from ...base.errors import ConfigError
from ...base.ragged import Array, lengths, ranges
from ...nn import Init, NodeTable, Streams
from ...nn.layers import Dropout, ReplicaLinear
from ...nn.node_inputs import NodeInputs
from ...task import SubgraphTask
from ...task.whole_graph import require_loaded
from ..batch_network import BatchMembers, BatchNetwork, pool
from .lstm import BiLSTM
from .precompute import SIDES, NodeAnchors, Precomputed, precompute
from .subgnn_settings import SubGNNModel, SubGNNSettings


@dataclass(frozen=True, eq=False)
class ComponentBatch:
    """The components of a batch, padded to the same number in each replica.

    Args:
        places: ``r · K + component``, and ``r · K`` for padding; (R, k).
        real: Whether there is a component, not padding; (R, k, 1).
        owner: Position of its subgraph within the batch; (R, k).
        subgraph: Number of its subgraph in the task; (R, k).
        members: Rows of the flattened table of each component.
        count: Number of subgraphs in the batch.
    """

    places: Tensor
    real: Tensor
    owner: Tensor
    subgraph: Tensor
    members: BatchMembers
    count: int


class Channel(nn.Module):
    """One channel on one side in one layer that turns each anchor into one number.

    ReLU(u · (weight · vector) + b) for each component and anchor: the property-aware vector.
    """

    def __init__(self, width: int, init: Init) -> None:
        super().__init__()
        self.score = ReplicaLinear(width, 1, init)

    def forward(self, vectors: Tensor, weights: Tensor) -> Tensor:
        """Vectors (R, n, F) of all, or (R, k, n, F) of each; weights (R, k, n) → (R, k, n)."""
        weight, bias = self.score.weight, self.score.bias
        assert bias is not None
        flat = vectors.flatten(1, -2)
        scores = torch.bmm(flat, weight).view(vectors.shape[:-1])
        scores = scores.unsqueeze(1) if scores.dim() == 2 else scores
        return torch.relu(torch.addcmul(bias, weights, scores))


class Update(nn.Module):
    """The neighborhood channel on one side in one layer: ReLU(W [component, Σ weight · anchor])."""

    def __init__(self, width: int, init: Init) -> None:
        super().__init__()
        self.linear = ReplicaLinear(2 * width, width, init)

    def forward(self, x: Tensor, anchors: Tensor, weights: Tensor) -> Tensor:
        """x (R, k, F), anchors (R, k, n, F), weights (R, k, n) → (R, k, F)."""
        aggregated = torch.einsum("rknf,rkn->rkf", anchors, weights)
        return torch.relu(self.linear(torch.cat([x, aggregated], dim=-1)))


class SubGNN(BatchNetwork):
    """Components → channels → beside each other → sum over components → head.

    Args:
        task: Graph, subgraphs and classes.
        model: Settings of the network.
        table: Vectors of all nodes.
        precomputed: Components and their anchors.
        batch: Number of subgraphs per batch.
        init: Draws the initial values.
        streams: Random numbers for dropout.
    """

    def __init__(
        self,
        task: SubgraphTask,
        model: SubGNNModel,
        *,
        table: NodeTable,
        precomputed: Precomputed,
        batch: int,
        init: Init,
        streams: Streams,
    ) -> None:
        super().__init__(len(init), batch)
        self.device, self.size, width = streams.device, task.graph.num_nodes, table.width
        self.model, self.table, self.components = model, table, precomputed.components
        self._register_anchors(precomputed)
        pairs = range(2 * model.layers)
        self.updates = nn.ModuleList(Update(width, init) for _ in pairs if model.neighborhood)
        self.positions = nn.ModuleList(Channel(width, init) for _ in pairs if model.position)
        self.structures = nn.ModuleList(Channel(width, init) for _ in pairs if model.structure)
        self.readers, self.leave = nn.ModuleList(), nn.ModuleList()
        for _ in SIDES if model.structure else ():
            self.readers.append(
                BiLSTM(
                    width,
                    width,
                    layers=model.lstm_layers,
                    dropout=model.lstm_dropout,
                    init=init,
                    streams=streams,
                )
            )
            self.leave.append(ReplicaLinear(2 * width, width, init))
        read = width + model.layers * (
            2 * width * model.neighborhood
            + (model.position_in + model.position_out) * model.position
            + 2 * model.patches * model.structure
        )
        self.first = ReplicaLinear(read, model.head, init)
        self.second = ReplicaLinear(model.head, model.head_last, init)
        self.head = ReplicaLinear(model.head_last, task.num_classes, init)
        self.dropout = Dropout(model.dropout, streams)

    def _register_anchors(self, precomputed: Precomputed) -> None:
        """Keep anchors as tensors that move with the network and are not part of its state."""
        for name in ("neighborhood", "position", "structure"):
            for layer, sides in enumerate(getattr(precomputed, name)):
                for side, anchors in sides.items():
                    ids = anchors.ids if isinstance(anchors, NodeAnchors) else anchors.walks
                    for field, array in (("ids", ids), ("weights", anchors.weights)):
                        tensor = torch.from_numpy(np.ascontiguousarray(array))
                        key = f"{name}_{layer}_{side}_{field}"
                        self.register_buffer(key, tensor, persistent=False)

    def _anchors(self, channel: str, layer: int, side: str) -> tuple[Tensor, Tensor]:
        """Node numbers (or walks) and weights of the anchors of a channel."""
        name = f"{channel}_{layer}_{side}"
        return getattr(self, f"{name}_ids"), getattr(self, f"{name}_weights")

    def prepare(self, rows: Array) -> ComponentBatch:
        """The components of subgraphs by number, (R, b)."""
        first = self.components.first
        counts = lengths(first, rows)
        totals = counts.sum(axis=1)
        longest = max(int(totals.max(initial=0)), 1)
        slots = ranges(np.arange(len(rows)) * longest, totals)
        padded = np.zeros((4, len(rows) * longest), np.int64)  # component, owner, subgraph, real
        padded[0, slots] = ranges(first[rows].ravel(), counts.ravel())
        padded[1, slots] = np.repeat(np.tile(np.arange(rows.shape[1]), len(rows)), counts.ravel())
        padded[2, slots] = np.repeat(rows.ravel(), counts.ravel())
        padded[3, slots] = 1
        component, owner, subgraph, real = padded.reshape(4, len(rows), longest)
        members = lengths(self.components.ptr, component) * real
        places = self.components.nodes[
            ranges(self.components.ptr[component].ravel(), members.ravel())
        ]
        places = places + np.repeat(np.arange(len(rows)) * self.size, members.sum(axis=1))
        offset = np.arange(len(rows))[:, None] * len(self.components)
        return ComponentBatch(
            places=self._tensor(component + offset),
            real=self._tensor(real[..., None] > 0),
            owner=self._tensor(owner),
            subgraph=self._tensor(subgraph),
            members=BatchMembers(self._tensor(places), self._tensor(members.ravel())),
            count=rows.shape[1],
        )

    def _tensor(self, array: Array) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    def answer(self, rows: Array) -> tuple[Tensor, Tensor]:
        """Vectors (R, b, F) and logits (R, b, C) of subgraphs by number, (R, b)."""
        batch, table, model = self.prepare(rows), self.table(), self.model
        x = pool(table, batch.members, model.components).view(*batch.places.shape, -1)
        x = torch.where(batch.real, x, 0.0)
        outputs, chains = [x], dict.fromkeys(SIDES, x)
        patches = self._patches(table) if model.structure else []
        for layer in range(model.layers):
            for number, side in enumerate(SIDES):
                which = 2 * layer + number
                if model.neighborhood:
                    anchors = self._neighborhood(table, batch, layer, side)
                    chains[side] = self.updates[which](chains[side], *anchors)
                    outputs.append(chains[side])
                if model.position:
                    anchors = self._position(table, batch, layer, side)
                    outputs.append(self.positions[which](*anchors))
                if model.structure:
                    anchors = self._structure(patches, batch, layer, number)
                    outputs.append(self.structures[which](*anchors))
        joined = torch.where(batch.real, torch.cat(outputs, dim=-1), 0.0)
        summed = joined.new_zeros(len(rows), batch.count, joined.shape[-1])
        place = batch.owner.unsqueeze(-1).expand_as(joined)
        vectors = summed.scatter_add(1, place, joined)
        hidden = self.dropout.after_relu(self.first(vectors))
        hidden = self.dropout.after_relu(self.second(hidden))
        return hidden, self.head(hidden)

    def _vectors(self, table: Tensor, ids: Tensor) -> Tensor:
        """Vectors of nodes by number, each replica its own: (R, …) → (R, …, F)."""
        start = torch.arange(len(ids), device=ids.device) * self.size
        flat = ids + start.view(-1, *(1,) * (ids.dim() - 1))
        return embedding(flat, table.flatten(0, 1))

    def _neighborhood(
        self, table: Tensor, batch: ComponentBatch, layer: int, side: str
    ) -> tuple[Tensor, Tensor]:
        """Vectors (R, k, n, F) and weights (R, k, n) of the anchors of each component."""
        anchors = self._anchors("neighborhood", layer, side)
        ids, weights = (tensor.flatten(0, 1)[batch.places] for tensor in anchors)
        return self._vectors(table, ids), weights

    def _position(
        self, table: Tensor, batch: ComponentBatch, layer: int, side: str
    ) -> tuple[Tensor, Tensor]:
        """Vectors (R, k, n, F) or (R, n, F), and weights (R, k, n)."""
        ids, weights = self._anchors("position", layer, side)
        if side == "internal":
            pairs = zip(ids, batch.subgraph, strict=True)
            ids = torch.stack([replica_ids[rows] for replica_ids, rows in pairs])
        return self._vectors(table, ids), weights.flatten(0, 1)[batch.places]

    def _patches(self, table: Tensor) -> list[Tensor]:
        """Vectors of the patches of all layers, by side: the sum of the vectors of their walks.

        One pass of the reader over all layers of a side; (R, L · n, F).
        """
        vectors = []
        for number, side in enumerate(SIDES):
            layers = range(self.model.layers)
            walks = torch.cat([self._anchors("structure", layer, side)[0] for layer in layers], 1)
            replicas, patches, count, length = walks.shape
            present = (walks >= 0).unsqueeze(-1)
            x = torch.where(present, self._vectors(table, walks.clamp(min=0)), 0.0)
            read = self.readers[number](x.view(replicas, patches * count, length, -1))
            walk_vectors = self.leave[number](read).view(replicas, patches, count, -1)
            vectors.append(walk_vectors.sum(dim=2))
        return vectors

    def _structure(
        self, patches: list[Tensor], batch: ComponentBatch, layer: int, number: int
    ) -> tuple[Tensor, Tensor]:
        """Vectors (R, n, F) and weights (R, k, n)."""
        _, weights = self._anchors("structure", layer, SIDES[number])
        columns = slice(layer * self.model.patches, (layer + 1) * self.model.patches)
        return patches[number][:, columns], weights.flatten(0, 1)[batch.places]


def build_subgnn(
    task: SubgraphTask,
    settings: SubGNNSettings,
    *,
    seeds: Sequence[int],
    inputs: NodeInputs,
    device: torch.device | str,
) -> tuple[SubGNN, Streams]:
    """A network with one replica per seed, and the streams that its dropout reads."""
    model = settings.model
    if not (model.neighborhood or model.position or model.structure):
        raise ConfigError("SubGNN needs a channel: neighborhood, position or structure.")
    require_loaded(task.graph, "SubGNN")
    init, streams = Init(seeds), Streams(seeds, device)
    rows = np.arange(task.graph.num_nodes)
    table = NodeTable(rows, settings.features, inputs=inputs, init=init, streams=streams)
    network = SubGNN(
        task,
        model,
        table=table,
        precomputed=precompute(task, model, seeds),
        batch=settings.training.batch,
        init=init,
        streams=streams,
    )
    return network.to(streams.device), streams
