"""The result of coarsening a graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from ..base.errors import ConfigError
from ..base.ragged import Array, SparseMatrix, sealed
from ..task import Graph, Subgraphs
from .eigen import laplacian, lowest


@dataclass(frozen=True)
class SpectralErrors:
    """How well the coarse graph keeps the first eigenvectors of the largest component.

    Args:
        fine: Its first K eigenvalues, ascending.
        coarse: Those of the coarse Laplacian C L Cᵀ, C having the rows 1/√|S|; never smaller.
        subspace: ε, the largest share of variation that a combination of the first K eigenvectors
            loses when it is averaged over sets: ‖L^½ (I - CᵀC) U Λ^-½‖ (Loukas 2019, restricted
            spectral approximation).
        notes: Where the solver came less near than it should.
    """

    fine: tuple[float, ...]
    coarse: tuple[float, ...]
    subspace: float
    notes: tuple[str, ...] = ()

    @property
    def eigenvalues(self) -> tuple[float, ...]:
        """Relative error of each eigenvalue but the first, which is 0 in both."""
        pairs = zip(self.fine[1:], self.coarse[1:], strict=True)
        return tuple((coarse - fine) / fine for fine, coarse in pairs)

    @property
    def mean(self) -> float:
        """Mean relative error of the eigenvalues."""
        return float(np.mean(self.eigenvalues)) if len(self.fine) > 1 else 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Coarsening:
    """A graph, the sets its nodes were put into, and the virtual subgraphs that these are.

    Args:
        source: The graph that was coarsened.
        method: The coarsening method.
        ratio: Fraction of nodes that was to be removed.
        seed: Seed of anything random.
        partition: The set of each node, numbered by their lowest nodes, -1 for nodes left out;
            None for random sets, which may overlap.
        subgraphs: Sets of two nodes at least: the virtual subgraphs.
        wanted: The number of sets that was aimed at.
        num_sets: Sets there are, single nodes counted.
        levels: How many levels it took; 0 where there are none.
        notes: Remarks on the result, one sentence each.
    """

    source: Graph
    method: str
    ratio: float
    seed: int
    partition: Array | None
    subgraphs: Subgraphs
    wanted: int
    num_sets: int
    levels: int = 0
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.subgraphs)

    @property
    def covered(self) -> int:
        """Nodes that are in a virtual subgraph."""
        return len(np.unique(self.subgraphs.nodes))

    @property
    def left_out(self) -> int:
        """Nodes in components too small to be coarsened."""
        return 0 if self.partition is None else int(np.count_nonzero(self.partition < 0))

    @cached_property
    def graph(self) -> Graph:
        """The coarse graph: one node per set, weights summed, without self-loops.

        An edge between sets weighs as much as all edges of the graph between their nodes.
        """
        weights = self._merged_weights(self._labels())
        return Graph(
            sealed(weights.indptr), sealed(weights.indices), sealed(weights.data.astype(np.float32))
        )

    def _labels(self) -> Array:
        if self.partition is None:
            raise ConfigError(
                f"{self.method} gives sets that overlap, so there is no coarse graph."
            )
        return self.partition

    def _merged_weights(self, labels: Array) -> SparseMatrix:
        from .levels import merged_weights

        fine = self.source.adjacency(dtype=np.float64)
        nodes = np.flatnonzero(labels >= 0)
        if len(nodes) < len(labels):
            fine = fine[nodes][:, nodes].tocsr()
        return merged_weights(fine, labels[nodes])

    def errors(self, k: int = 10) -> SpectralErrors:
        """The spectral error measures for the first ``k`` eigenvalues (fewer in a tiny graph)."""
        if k < 2:
            raise ConfigError(f"errors are measured on two eigenvalues at least, found {k}.")
        labels = self._labels()
        fine = self.source.adjacency(dtype=np.float64)
        _, component = sp.csgraph.connected_components(fine, directed=False)
        sizes = np.bincount(component[labels >= 0], minlength=int(component.max()) + 1)
        nodes = np.flatnonzero(component == np.argmax(sizes))
        fine = fine if len(nodes) == len(labels) else fine[nodes][:, nodes].tocsr()
        _, labels = np.unique(labels[nodes], return_inverse=True)
        matrix = laplacian(fine)
        size = np.bincount(labels)
        k = min(k, len(size))
        fine_pairs = lowest(matrix, np.ones(len(nodes)), k, seed=self.seed)
        rows = sp.csr_array(
            (1 / np.sqrt(size[labels]), (labels, np.arange(len(labels)))),
            shape=(len(size), len(labels)),
        )
        coarse_pairs = lowest((rows @ matrix @ rows.T).tocsr(), np.sqrt(size), k, seed=self.seed)
        basis = fine_pairs.vectors[:, 1:] / np.sqrt(fine_pairs.values[0, 1:])
        lost = basis - rows.T @ (rows @ basis)
        variation = np.linalg.eigvalsh(lost.T @ (matrix @ lost)) if k > 1 else np.zeros(1)
        return SpectralErrors(
            fine=tuple(np.maximum(fine_pairs.values[0], 0).tolist()),
            coarse=tuple(np.maximum(coarse_pairs.values[0], 0).tolist()),
            subspace=float(np.sqrt(max(variation[-1], 0))),
            notes=tuple(dict.fromkeys((*fine_pairs.notes, *coarse_pairs.notes))),
        )

    def __repr__(self) -> str:
        return (
            f"Coarsening({self.method}, ratio {self.ratio:g}: {self.num_sets:,} sets of"
            f" {self.source.num_nodes:,} nodes, {len(self):,} virtual subgraphs)"
        )
