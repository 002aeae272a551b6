"""A table of vectors, one per node, and facts about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.errors import ConfigError, DataError
from ..base.ragged import Array, among, frozen, integers


@dataclass(frozen=True, eq=False, repr=False)
class Encoding:
    """Vectors of some or all nodes of a graph.

    Args:
        name: Name of the encoding, such as ``rwpe``.
        nodes: The nodes that have vectors, ascending; (n,).
        values: Finite numbers, kept as float32; (n, K).
        facts: How they were made and how good they are, ready for JSON.
    """

    name: str
    nodes: Array
    values: Array
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", frozen(self.nodes, np.int64))
        object.__setattr__(self, "values", frozen(self.values, np.float32))
        if self.values.ndim != 2 or len(self.values) != len(self.nodes):
            raise DataError(
                f"{self.name} has shape {self.values.shape} for {len(self.nodes):,} nodes;"
                " expected one row per node."
            )
        if (np.diff(self.nodes) < 1).any():
            raise DataError(f"the nodes of {self.name} must ascend without duplicates.")
        bad = ~np.isfinite(self.values)
        if bad.any():
            row, column = (int(i[0]) for i in np.nonzero(bad))
            value = self.values[row, column]
            raise DataError(f"column {column} of {self.name} is {value} at node {self.nodes[row]}.")

    @property
    def width(self) -> int:
        """Number of columns, K."""
        return int(self.values.shape[1])

    def at(self, nodes: Array) -> Array:
        """Rows of these nodes, (len(nodes), K); raises where one was not encoded."""
        encoded = among(nodes, self.nodes)
        if not encoded.all():
            raise ConfigError(
                f"{self.name} was made for {len(self.nodes):,} nodes; node"
                f" {nodes[int(np.argmin(encoded))]} is not among them: encode all nodes."
            )
        return np.asarray(self.values[np.searchsorted(self.nodes, nodes)])

    @property
    def about(self) -> str:
        """How it was made and how good it is, in a few words."""
        facts, phrases = self.facts, []
        if "error" in facts:
            bound = f"error at most {facts['error']:.1e}" if facts["error"] else "exact"
            phrases.append(f"{bound}, by {facts['route']}")
        if "residual" in facts:
            phrases.append(f"residual at most {facts['residual']:.1e}")
        if "auc" in facts:
            phrases.append(f"validation AUC {facts['auc']:.3f}")
        if "device" in facts:
            phrases.append(f"on {facts['device']}")
        return ", ".join(phrases)

    def __repr__(self) -> str:
        return f"Encoding({self.name}, {len(self.nodes):,} nodes, {self.width} columns)"


def wanted_nodes(nodes: ArrayLike | None, num_nodes: int) -> Array:
    """The nodes to encode, ascending; None: all."""
    if nodes is None:
        return np.arange(num_nodes, dtype=np.int64)
    wanted = np.unique(integers(nodes, "nodes"))
    if len(wanted) and (wanted[0] < 0 or wanted[-1] >= num_nodes):
        raise ConfigError(f"nodes lie in 0…{num_nodes - 1}, found {wanted[0]}…{wanted[-1]}.")
    return wanted


def check_count(count: object, what: str) -> int:
    """A number of things, one at least; raises for anything else."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ConfigError(f"the number of {what} is a whole number from 1, found {count!r}.")
    return int(count)
