"""Tables of the vectors that nodes enter a network with."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ..base.ragged import Array
from ..config import NodeFeatureSettings
from .node_inputs import NodeInputs
from .random_vectors import random_vectors
from .streams import Init, Streams


class VectorTable(nn.Module):
    """Vectors of nodes that are not trained.

    Args:
        values: Vectors, (R or 1, N or 1, F); a single one is shared by all.
        replicas: Number of replicas, R.
        nodes: Number of nodes, N.
    """

    table: Tensor

    def __init__(self, values: Tensor, replicas: int, nodes: int) -> None:
        super().__init__()
        self.register_buffer("table", values, persistent=False)
        self.shape = (replicas, nodes)

    @property
    def width(self) -> int:
        """Columns."""
        return int(self.table.shape[-1])

    def forward(self) -> Tensor:
        """(R, N, F); not copied where all replicas or rows are the same."""
        return self.table.expand(*self.shape, -1)


class NodeTable(VectorTable):
    """Vectors of the nodes that the network reads, one table per replica or one for all.

    Only nodes of some subgraph have a row; the others would change no output. Random ones
    depend on seed and node alone (:func:`random_vectors`), not on which subgraphs there are.

    Args:
        rows: Numbers of the nodes that are read, ascending.
        features: Settings of the node features.
        inputs: Initial values and encodings.
        init: Holds the seeds of the replicas.
        streams: Random numbers for signs that are flipped while training.
    """

    encodings: Tensor | None

    def __init__(
        self,
        rows: Array,
        features: NodeFeatureSettings,
        *,
        inputs: NodeInputs,
        init: Init,
        streams: Streams,
    ) -> None:
        table = _initial_values(rows, features, inputs, init.seeds)
        super().__init__(table, len(init), len(rows))
        if features.trainable:
            values = super().forward().contiguous()
            del self.table
            self.table = nn.Parameter(values)
        extra = inputs.encodings
        columns = None if extra is None else torch.from_numpy(extra)[None]
        self.register_buffer("encodings", columns, persistent=False)
        self.add = features.join == "add"
        self.streams = streams if features.sign_flips else None

    @property
    def width(self) -> int:
        """Columns."""
        extra = 0 if self.encodings is None or self.add else self.encodings.shape[-1]
        return self.table.shape[-1] + extra

    def forward(self) -> Tensor:
        """(R, rows, F); not copied where all replicas or rows are the same."""
        table = super().forward()
        if self.encodings is None:
            return table
        extra = self.encodings
        if self.training and self.streams is not None:
            extra = extra * (2 * self.streams.keep(0.5, 1, extra.shape[-1]) - 1)
        return (
            table + extra if self.add else torch.cat([table, extra.expand(*self.shape, -1)], dim=-1)
        )


def _initial_values(
    rows: Array, features: NodeFeatureSettings, inputs: NodeInputs, seeds: Sequence[int]
) -> Tensor:
    """(R or 1, rows or 1, F)."""
    if features.kind == "constant":
        return torch.full((1, 1, inputs.width), features.value)
    if inputs.vectors is not None:
        return torch.from_numpy(inputs.vectors)[None]
    numbers = rows if inputs.numbers is None else inputs.numbers
    return torch.from_numpy(random_vectors(seeds, numbers, inputs.width, scale=features.scale))
