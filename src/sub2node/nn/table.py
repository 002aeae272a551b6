"""What nodes enter the network with."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from ..config import Features
from ..errors import ConfigError
from ..ragged import Array
from ..task import Graph
from .streams import Init


class NodeTable(nn.Module):
    """Vectors of the nodes that the network reads, one table a replica or one for all.

    Only rows that some subgraph has are kept; the others would change no output. Random ones are
    drawn for all nodes all the same, so that they do not depend on which subgraphs there are.

    Args:
        graph: The global graph.
        rows: Nodes that are read, ascending.
        features: Settings.
        init: First values.
        encodings: Further columns (N, K), never trained.
    """

    table: Tensor
    encodings: Tensor | None

    def __init__(
        self, graph: Graph, rows: Array, features: Features, init: Init, encodings: Array | None
    ) -> None:
        super().__init__()
        table = _first_values(graph, rows, features, init)
        if features.trainable:
            self.table = nn.Parameter(table.expand(len(init), len(rows), -1).contiguous())
        else:
            self.register_buffer("table", table, persistent=False)  # the data's, no state
        extra = None if encodings is None else _checked(encodings, graph, table, features)[rows]
        columns = None if extra is None else torch.from_numpy(extra)[None]
        self.register_buffer("encodings", columns, persistent=False)
        self.concat = features.encoding == "concat"
        self.shape = (len(init), len(rows))

    @property
    def width(self) -> int:
        """Columns."""
        extra = self.encodings.shape[-1] if self.encodings is not None and self.concat else 0
        return self.table.shape[-1] + extra

    def forward(self) -> Tensor:
        """(R, rows, F); not copied where all replicas or rows are the same."""
        table = self.table.expand(*self.shape, -1)
        if self.encodings is None:
            return table
        if self.concat:
            return torch.cat([table, self.encodings.expand(*self.shape, -1)], dim=-1)
        return table + self.encodings


def _first_values(graph: Graph, rows: Array, features: Features, init: Init) -> Tensor:
    """(R or 1, rows or 1, F)."""
    if features.kind == "constant":
        return torch.full((1, 1, features.width), features.value)
    if features.kind == "given":
        if graph.features is None:
            raise ConfigError("the graph has no features; set features.kind to random or constant.")
        return torch.from_numpy(np.array(graph.features[rows]))[None]
    drawn = init.normal(graph.num_nodes, features.width, scale=features.scale)
    return drawn[:, torch.from_numpy(np.array(rows, dtype=np.int64))]


def _checked(encodings: Array, graph: Graph, table: Tensor, features: Features) -> Array:
    try:
        array = np.asarray(encodings, dtype=np.float32)
    except (TypeError, ValueError):
        raise ConfigError("encodings must be numbers, as many in each row.") from None
    if array.ndim != 2 or len(array) != graph.num_nodes:
        raise ConfigError(
            f"encodings have shape {array.shape}, expected one row for each of the"
            f" {graph.num_nodes:,} nodes."
        )
    if not np.isfinite(array).all():
        raise ConfigError("encodings must be finite numbers.")
    if features.encoding == "add" and array.shape[1] != table.shape[-1]:
        raise ConfigError(
            f"encodings of width {array.shape[1]} cannot be added to features of width"
            f" {table.shape[-1]}; make the widths equal or set features.encoding to concat."
        )
    return array
