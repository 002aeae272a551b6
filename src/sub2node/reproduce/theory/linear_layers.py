"""One linear layer on the global graph and on its S2N graph, side by side, all of it sparse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from ...base.errors import ConfigError
from ...base.ragged import Array
from ...task import Graph, Subgraphs

Kind = Literal["gcn", "gin"]


@dataclass(frozen=True, eq=False)
class Layers:
    """A and M, and what the theory makes of them.

    Roots of degree 0 are inverted to 0, so that isolated nodes, and subgraphs that no edge joins to
    a member of any subgraph, have zeros wherever the paper divides by their degree.

    Args:
        adjacency: A, symmetric and not negative; CSR (N, N).
        membership: Mᵀ, 1 where a node is in a subgraph; CSR (M, N).
    """

    adjacency: sp.csr_array
    membership: sp.csr_array

    @classmethod
    def of(cls, graph: Graph, subgraphs: Subgraphs, *, self_loops: bool = False) -> Layers:
        """Build A and M of a graph and its subgraphs; member weights and self-loops are ignored.

        Args:
            graph: The global graph.
            subgraphs: Its node sets.
            self_loops: A + I for A.
        """
        adjacency = graph.adjacency(dtype=np.float64)
        if self_loops:
            adjacency = (adjacency + sp.eye_array(graph.num_nodes, format="csr")).tocsr()
        membership = subgraphs.membership(graph.num_nodes, np.float64)
        membership.data = np.ones(len(membership.data))
        return cls(adjacency, membership)

    @cached_property
    def degrees(self) -> Array:
        """d, row sums of A; (N,)."""
        return np.asarray(self.adjacency.sum(axis=1)).ravel()

    @cached_property
    def covers(self) -> Array:
        """How many subgraphs have each node; (N,)."""
        return np.asarray(self.membership.sum(axis=0)).ravel()

    @cached_property
    def s2n_degrees(self) -> Array:
        """d̂, row sums of Â = Mᵀ A M, computed without Â; (M,)."""
        return np.asarray(self.membership @ (self.adjacency @ self.covers))

    @property
    def s2n_adjacency(self) -> sp.csr_array:
        """Â = Mᵀ A M; CSR (M, M)."""
        return (self.membership @ self.adjacency @ self.membership.T).tocsr()

    @cached_property
    def readout(self) -> sp.csr_array:
        """Rᵀ, where R = D^½ M D̂^-½; CSR (M, N)."""
        left, right = _inverse_root(self.s2n_degrees), np.sqrt(self.degrees)
        return (sp.diags_array(left) @ self.membership @ sp.diags_array(right)).tocsr()

    def spread(self, x: Array) -> Array:
        """D^-½ A D^-½ x; (N, F) → (N, F)."""
        scale = _inverse_root(self.degrees)[:, None]
        return np.asarray(scale * (self.adjacency @ (scale * x)))

    def s2n_spread(self, x: Array) -> Array:
        """D̂^-½ Â D̂^-½ x by three sparse products; (M, F) → (M, F)."""
        scale = _inverse_root(self.s2n_degrees)[:, None]
        members = self.membership
        return np.asarray(scale * (members @ (self.adjacency @ (members.T @ (scale * x)))))

    def pool(self, x: Array, kind: Kind) -> Array:
        """The readout that a kind is compared with: Rᵀ x, or Mᵀ x of GIN; (N, F) → (M, F)."""
        return np.asarray((self.readout if kind == "gcn" else self.membership) @ x)

    def rebuild(self, x: Array, kind: Kind) -> Array:
        """R x̂, or M x̂ of GIN; (M, F) → (N, F)."""
        return np.asarray((self.readout if kind == "gcn" else self.membership).T @ x)

    @cached_property
    def readout_norm(self) -> float:
        """‖R‖ of Frobenius: the root of Σ_i Σ_{v∈S_i} d_v / d̂_i."""
        return float(np.linalg.norm(self.readout.data))

    @cached_property
    def readout_gain(self) -> float:
        """At least the spectral norm of R, at most its Frobenius norm.

        RᵀR is similar to D̂^-1 Mᵀ D M, whose row sums are Σ_{v∈S_i} d_v c_v / d̂_i; the spectral
        radius of a matrix without negative entries is not above its largest row sum.
        """
        inner = self.membership @ (self.degrees * self.covers)
        rows = inner * _inverse_root(self.s2n_degrees) ** 2
        return min(self.readout_norm, float(np.sqrt(rows.max(initial=0.0))))

    @cached_property
    def membership_gain(self) -> float:
        """At least the spectral norm of M, at most its Frobenius norm; as above, of MᵀM."""
        return float(np.sqrt((self.membership @ self.covers).max(initial=0.0)))

    @cached_property
    def adjacency_gain(self) -> float:
        """At least the spectral norm of A: the smaller of ‖A‖ and the largest row sum of D^-1 A D.

        Both are above or equal to it for every symmetric matrix without negative entries.
        """
        rows = (self.adjacency @ self.degrees) * _inverse_root(self.degrees) ** 2
        return min(float(np.linalg.norm(self.adjacency.data)), float(rows.max(initial=0.0)))


@dataclass(frozen=True, eq=False)
class LayerInputs:
    """A layer on both graphs with its inputs.

    Args:
        layers: A and M.
        x: X (N, F).
        x_hat: X̂ (M, F).
        weight: W (F, F').
    """

    layers: Layers
    x: Array
    x_hat: Array
    weight: Array

    def outputs(self, kind: Kind, *, eps: float, relu: bool) -> tuple[Array, Array]:
        """What the readout makes of the global layer's H, and Ĥ of the S2N layer; (M, F') each."""
        layers, x, x_hat = self.layers, self.x, self.x_hat
        if kind == "gcn":
            node, subgraph = layers.spread(x), layers.s2n_spread(x_hat)
        else:
            members = layers.membership
            node = layers.adjacency @ x + (1 + eps) * x
            subgraph = members @ (layers.adjacency @ (members.T @ x_hat)) + (1 + eps) * x_hat
        activate: Callable[[Array], Array] = (lambda h: np.maximum(h, 0)) if relu else (lambda h: h)
        pooled = layers.pool(activate(node @ self.weight), kind)
        return pooled, np.asarray(activate(subgraph @ self.weight))


def check_numbers(values: ArrayLike, rows: int, name: str) -> Array:
    """Values as a table of finite numbers with so many rows.

    Raises:
        ConfigError: They are not, with their name.
    """
    table = np.asarray(values, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or len(table) != rows or not np.isfinite(table).all():
        raise ConfigError(
            f"{name} must be finite numbers with {rows:,} rows, found shape {np.shape(values)}."
        )
    return table


def _inverse_root(degrees: Array) -> Array:
    """d^-½, and 0 where d is 0."""
    return np.divide(1, np.sqrt(degrees), out=np.zeros(len(degrees)), where=degrees > 0)
