"""SubGNN: components of subgraphs, in three channels, hear of anchors in and around them.

Alsentzer, Finlayson, Li and Zitnik, "Subgraph Neural Networks", NeurIPS 2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from ...errors import ConfigError
from ...nn import Init, NodeTable, Streams
from ...nn.inputs import NodeInputs
from ...nn.layers import Dropout, Linear
from ...ragged import Array, lengths, ranges
from ...task import SubgraphTask
from ..batches import BatchNetwork, Lists, pool
from .lstm import BiLSTM
from .precompute import SIDES, NodeAnchors, Precomputed, precompute
from .settings import SubGNNModel, SubGNNSettings


@dataclass(frozen=True, eq=False)
class Batch:
    """The components of a batch, padded to as many in each replica.

    Args:
        places: ``r · K + component``, ``r · K`` where there is none; (R, k).
        real: Where there is one; (R, k, 1).
        owner: The subgraph within the batch; (R, k).
        subgraph: Its number in the task; (R, k).
        members: Rows of the flattened table of each component.
        count: Subgraphs in the batch.
    """

    places: Tensor
    real: Tensor
    owner: Tensor
    subgraph: Tensor
    members: Lists
    count: int


class Channel(nn.Module):
    """One channel on one side in one layer that turns each anchor into one number.

    ReLU(u · (weight · vector) + b) for each component and anchor: the property-aware vector.
    """

    def __init__(self, width: int, init: Init) -> None:
        super().__init__()
        self.score = Linear(width, 1, init)

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
        self.linear = Linear(2 * width, width, init)

    def forward(self, x: Tensor, anchors: Tensor, weights: Tensor) -> Tensor:
        """x (R, k, F), anchors (R, k, n, F), weights (R, k, n) → (R, k, F)."""
        heard = torch.einsum("rknf,rkn->rkf", anchors, weights)
        return torch.relu(self.linear(torch.cat([x, heard], dim=-1)))


class SubGNN(BatchNetwork):
    """Components → channels → beside each other → sum over components → head.

    Args:
        task: Graph, subgraphs and classes.
        model: Settings.
        table: Vectors of all nodes.
        found: Anchors.
        batch: Subgraphs at a time.
        init: Random first values.
        streams: For dropout.
    """

    def __init__(
        self, task: SubgraphTask, model: SubGNNModel, table: NodeTable, found: Precomputed,
        batch: int, init: Init, streams: Streams,
    ) -> None:  # fmt: skip
        super().__init__(len(init), batch)
        self.device, self.size, width = streams.device, task.graph.num_nodes, table.width
        self.model, self.table, self.found = model, table, found.components
        self._keep(found)
        pairs = range(2 * model.layers)
        self.updates = nn.ModuleList(Update(width, init) for _ in pairs if model.neighborhood)
        self.positions = nn.ModuleList(Channel(width, init) for _ in pairs if model.position)
        self.structures = nn.ModuleList(Channel(width, init) for _ in pairs if model.structure)
        self.readers, self.leave = nn.ModuleList(), nn.ModuleList()
        for _ in SIDES if model.structure else ():
            self.readers.append(
                BiLSTM(width, width, model.lstm_layers, model.lstm_dropout, init, streams)
            )
            self.leave.append(Linear(2 * width, width, init))
        read = width + model.layers * (
            2 * width * model.neighborhood
            + (model.position_in + model.position_out) * model.position
            + 2 * model.patches * model.structure
        )
        self.first = Linear(read, model.head, init)
        self.second = Linear(model.head, model.head_last, init)
        self.head = Linear(model.head_last, task.num_classes, init)
        self.dropout = Dropout(model.dropout, streams)

    def _keep(self, found: Precomputed) -> None:
        """Anchors as tensors that move with the network and are no state of it."""
        for name in ("neighborhood", "position", "structure"):
            for layer, sides in enumerate(getattr(found, name)):
                for side, anchors in sides.items():
                    ids = anchors.ids if isinstance(anchors, NodeAnchors) else anchors.walks
                    for word, array in (("ids", ids), ("weights", anchors.weights)):
                        tensor = torch.from_numpy(np.ascontiguousarray(array))
                        key = f"{name}_{layer}_{side}_{word}"
                        self.register_buffer(key, tensor, persistent=False)

    def _anchors(self, channel: str, layer: int, side: str) -> tuple[Tensor, Tensor]:
        """Ids and weights."""
        name = f"{channel}_{layer}_{side}"
        return getattr(self, f"{name}_ids"), getattr(self, f"{name}_weights")

    def prepare(self, rows: Array) -> Batch:
        """The components of subgraphs by number, (R, b)."""
        first = self.found.first
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
        members = lengths(self.found.ptr, component) * real
        places = self.found.nodes[ranges(self.found.ptr[component].ravel(), members.ravel())]
        places = places + np.repeat(np.arange(len(rows)) * self.size, members.sum(axis=1))
        offset = np.arange(len(rows))[:, None] * len(self.found)
        arrays = (component + offset, real[..., None] > 0, owner, subgraph, places,
                  members.ravel())  # fmt: skip
        moved = [torch.from_numpy(array).to(self.device) for array in arrays]
        component_places, there, owned, numbers, rest, sizes = moved
        lists = Lists(rest, sizes)
        return Batch(component_places, there, owned, numbers, lists, rows.shape[1])

    def answer(self, rows: Array) -> tuple[Tensor, Tensor]:
        """Vectors (R, b, F) and logits (R, b, C) of subgraphs by number, (R, b)."""
        batch, table, model = self.prepare(rows), self.table(), self.model
        x = pool(table, batch.members, model.components).view(*batch.places.shape, -1)
        x = torch.where(batch.real, x, 0.0)
        found, chains = [x], dict.fromkeys(SIDES, x)
        patches = self._patches(table) if model.structure else []
        for layer in range(model.layers):
            for number, side in enumerate(SIDES):
                which = 2 * layer + number
                if model.neighborhood:
                    anchors = self._neighborhood(table, batch, layer, side)
                    chains[side] = self.updates[which](chains[side], *anchors)
                    found.append(chains[side])
                if model.position:
                    anchors = self._position(table, batch, layer, side)
                    found.append(self.positions[which](*anchors))
                if model.structure:
                    anchors = self._structure(patches, batch, layer, number)
                    found.append(self.structures[which](*anchors))
        joined = torch.where(batch.real, torch.cat(found, dim=-1), 0.0)
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
        self, table: Tensor, batch: Batch, layer: int, side: str
    ) -> tuple[Tensor, Tensor]:
        """Vectors (R, k, n, F) and weights (R, k, n) of the anchors of each component."""
        ids, weights = (t.flatten(0, 1)[batch.places] for t in self._anchors(
            "neighborhood", layer, side))  # fmt: skip
        return self._vectors(table, ids), weights

    def _position(
        self, table: Tensor, batch: Batch, layer: int, side: str
    ) -> tuple[Tensor, Tensor]:
        """Vectors (R, k, n, F) or (R, n, F), and weights (R, k, n)."""
        ids, weights = self._anchors("position", layer, side)
        if side == "internal":
            ids = torch.stack([mine[rows] for mine, rows in zip(ids, batch.subgraph, strict=True)])
        return self._vectors(table, ids), weights.flatten(0, 1)[batch.places]

    def _patches(self, table: Tensor) -> list[Tensor]:
        """Vectors of the patches of all layers, by side: the sum of what their walks say.

        One pass of the reader over all layers of a side; (R, L · n, F).
        """
        found = []
        for number, side in enumerate(SIDES):
            layers = range(self.model.layers)
            walks = torch.cat([self._anchors("structure", layer, side)[0] for layer in layers], 1)
            replicas, patches, each, length = walks.shape
            there = (walks >= 0).unsqueeze(-1)
            x = torch.where(there, self._vectors(table, walks.clamp(min=0)), 0.0)
            read = self.readers[number](x.view(replicas, patches * each, length, -1))
            said = self.leave[number](read).view(replicas, patches, each, -1)
            found.append(said.sum(dim=2))
        return found

    def _structure(
        self, patches: list[Tensor], batch: Batch, layer: int, number: int
    ) -> tuple[Tensor, Tensor]:
        """Vectors (R, n, F) and weights (R, k, n)."""
        _, weights = self._anchors("structure", layer, SIDES[number])
        here = slice(layer * self.model.patches, (layer + 1) * self.model.patches)
        return patches[number][:, here], weights.flatten(0, 1)[batch.places]


def build_subgnn(
    task: SubgraphTask, settings: SubGNNSettings, seeds: Sequence[int], inputs: NodeInputs,
    device: Any,
) -> tuple[SubGNN, Streams]:  # fmt: skip
    """A network with one replica a seed, and the streams that its dropout reads."""
    model = settings.model
    if not (model.neighborhood or model.position or model.structure):
        raise ConfigError("SubGNN needs a channel: neighborhood, position or structure.")
    init, streams = Init(seeds), Streams(seeds, device)
    rows = np.arange(task.graph.num_nodes)
    table = NodeTable(len(rows), rows, settings.features, inputs, init, streams)
    found = precompute(task, model, seeds)
    network = SubGNN(task, model, table, found, settings.training.batch, init, streams)
    return network.to(streams.device), streams
