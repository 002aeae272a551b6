"""What nodes enter the network with."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from ..config import NodeFeatures
from ..ragged import Array
from .inputs import NodeInputs
from .streams import Init, Streams


class Table(nn.Module):
    """Vectors of nodes as they are, nothing of them to be trained.

    Args:
        values: (R or 1, N or 1, F); one for all where there is one.
        replicas: R.
        nodes: N.
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


class NodeTable(Table):
    """Vectors of the nodes that the network reads, one table a replica or one for all.

    Only rows that some subgraph has are kept; the others would change no output. Random ones are
    drawn for all nodes all the same, so that they do not depend on which subgraphs there are.

    Args:
        num_nodes: N.
        rows: Nodes that are read, ascending.
        features: Settings.
        inputs: First values and encodings.
        init: Random first values.
        streams: For signs that are flipped while training.
    """

    encodings: Tensor | None

    def __init__(
        self, num_nodes: int, rows: Array, features: NodeFeatures, inputs: NodeInputs, init: Init,
        streams: Streams,
    ) -> None:  # fmt: skip
        table = _first_values(num_nodes, rows, features, inputs, init)
        super().__init__(table, len(init), len(rows))
        if features.trainable:
            whole = super().forward().contiguous()
            del self.table
            self.table = nn.Parameter(whole)
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


def _first_values(
    num_nodes: int, rows: Array, features: NodeFeatures, inputs: NodeInputs, init: Init
) -> Tensor:
    """(R or 1, rows or 1, F)."""
    if features.kind == "constant":
        return torch.full((1, 1, inputs.width), features.value)
    if inputs.vectors is not None:
        return torch.from_numpy(inputs.vectors)[None]
    drawn = init.normal(num_nodes, inputs.width, scale=features.scale)
    return drawn[:, torch.from_numpy(np.array(rows, dtype=np.int64))]
