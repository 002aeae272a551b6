"""How far Ĥ of the S2N graph is from the readout of the global graph (Proposition 3, appendix D).

The propositions are about one linear layer: H = D^-½ A D^-½ X W with the readout R = D^½ M D̂^-½,
or, of GIN Sum-1-Layer, H = (A + (1+ε) I) X W with the readout M. Norms are Frobenius norms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from ...base.errors import ConfigError, suggest
from ...base.ragged import Array
from ...task import Graph, Subgraphs
from .linear_layers import Kind, LayerInputs, Layers, check_numbers


@dataclass(frozen=True)
class ErrorBound:
    """A bound as it is printed, and what is true of it.

    Args:
        printed: As in the paper: M^½ ‖X - R X̂‖ ‖W‖ for GCN,
            ((M N̄ E)^½ ‖X - M X̂‖ + (1+ε) ‖Mᵀ X - X̂‖) ‖W‖ for GIN.
        corrected: The same with the norms that stand in the proof: ‖R‖ for M^½, ‖A‖ = (2E)^½ for
            E^½ and |1+ε| for 1+ε. It holds for every input.
        tight: With bounds of spectral norms instead of Frobenius norms, computed without
            eigenvalues. It holds for every input and is never above ``corrected``.
        proven: Whether the printed bound follows for this input: ‖R‖ ≤ M^½ for GCN, a spectral norm
            of A up to E^½ (and ε ≥ -1) for GIN. Where it does not, it may hold or fail.
        residual: ‖X - R X̂‖, or ‖X - M X̂‖ of GIN.
    """

    printed: float
    corrected: float
    tight: float
    proven: bool
    residual: float


def approximation_error(
    graph: Graph,
    subgraphs: Subgraphs,
    features: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    *,
    kind: Kind = "gcn",
    s2n_features: ArrayLike | None = None,
    eps: float = 0.0,
    self_loops: bool = False,
    relu: bool = False,
) -> float:
    """‖Rᵀ H - Ĥ‖ of a single-layer GCN, or ‖Mᵀ H - Ĥ‖ of GIN Sum-1-Layer; a Frobenius norm.

    Args:
        graph: The global graph.
        subgraphs: Its node sets; member weights are ignored.
        features: X (N, F); by default those of the graph.
        weight: W (F, F'); by default the identity.
        kind: ``gcn`` or ``gin``.
        s2n_features: X̂ (M, F); by default Rᵀ X, and Mᵀ X of GIN.
        eps: ε of GIN.
        self_loops: A + I for A, in both graphs (GCN only).
        relu: Put a ReLU behind both layers, which the propositions do not have.
    """
    inputs = _check_inputs(
        graph,
        subgraphs,
        features=features,
        weight=weight,
        kind=kind,
        s2n_features=s2n_features,
        self_loops=self_loops,
    )
    return measure_error(inputs, kind, eps=eps, relu=relu)


def error_bound(
    graph: Graph,
    subgraphs: Subgraphs,
    features: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    *,
    kind: Kind = "gcn",
    s2n_features: ArrayLike | None = None,
    eps: float = 0.0,
    self_loops: bool = False,
) -> ErrorBound:
    """The bounds of :func:`approximation_error` (without a ReLU); arguments as there."""
    inputs = _check_inputs(
        graph,
        subgraphs,
        features=features,
        weight=weight,
        kind=kind,
        s2n_features=s2n_features,
        self_loops=self_loops,
    )
    return compute_bound(inputs, kind, eps=eps)


def measure_error(
    inputs: LayerInputs, kind: Kind, *, eps: float = 0.0, relu: bool = False
) -> float:
    """:func:`approximation_error` of ready matrices."""
    pooled, s2n_output = inputs.outputs(kind, eps=eps, relu=relu)
    return float(np.linalg.norm(pooled - s2n_output))


def compute_bound(inputs: LayerInputs, kind: Kind, *, eps: float = 0.0) -> ErrorBound:
    """:func:`error_bound` of ready matrices."""
    layers, x, x_hat, w = inputs.layers, inputs.x, inputs.x_hat, inputs.weight
    frobenius, spectral = float(np.linalg.norm(w)), float(np.linalg.norm(w, 2))
    residual = float(np.linalg.norm(x - layers.rebuild(x_hat, kind)))
    count = layers.membership.shape[0]
    if kind == "gcn":
        root = math.sqrt(count)
        return ErrorBound(
            printed=root * residual * frobenius,
            corrected=layers.readout_norm * residual * frobenius,
            tight=layers.readout_gain * residual * spectral,
            proven=layers.readout_norm <= root * (1 + 1e-12),
            residual=residual,
        )
    own = float(np.linalg.norm(layers.pool(x, kind) - x_hat))
    members = math.sqrt(layers.membership.nnz)
    edges = math.sqrt(layers.adjacency.nnz / 2)
    adjacency_norm = float(np.linalg.norm(layers.adjacency.data))
    inner = min(members, layers.membership_gain) * layers.adjacency_gain
    return ErrorBound(
        printed=(members * edges * residual + (1 + eps) * own) * frobenius,
        corrected=(members * adjacency_norm * residual + abs(1 + eps) * own) * frobenius,
        tight=(inner * residual + abs(1 + eps) * own) * spectral,
        proven=layers.adjacency_gain <= edges * (1 + 1e-12) and eps >= -1,
        residual=residual,
    )


def lemma_difference(layers: Layers) -> float:
    """Largest entry of |Rᵀ D^-½ A D^-½ R - D̂^-½ Â D̂^-½|, each side made as it is printed."""
    spread = layers.adjacency.multiply(_outer_root(layers.adjacency, layers.degrees))
    left = layers.readout @ spread @ layers.readout.T
    small = layers.s2n_adjacency
    right = small.multiply(_outer_root(small, np.asarray(small.sum(axis=1)).ravel()))
    return float(np.abs((left - right).data).max(initial=0.0))


def _outer_root(matrix: sp.csr_array, degrees: Array) -> sp.csr_array:
    """(d_i d_j)^-½ at the entries of a sparse matrix."""
    entries = matrix.tocoo()
    rows, columns = entries.coords
    values = 1 / np.sqrt(degrees[rows] * degrees[columns])
    return sp.coo_array((values, entries.coords), shape=entries.shape).tocsr()


def _check_inputs(
    graph: Graph,
    subgraphs: Subgraphs,
    *,
    features: ArrayLike | None,
    weight: ArrayLike | None,
    kind: Kind,
    s2n_features: ArrayLike | None,
    self_loops: bool,
) -> LayerInputs:
    """Arguments as matrices that fit each other."""
    if kind not in get_args(Kind):
        raise ConfigError(f"there is no layer {kind!r}.{suggest(str(kind), get_args(Kind))}")
    if self_loops and kind == "gin":
        raise ConfigError("GIN counts a node's own vector by eps; self_loops is for 'gcn' only.")
    if features is None:
        features = graph.features
        if features is None:
            raise ConfigError("the graph has no features; give some, one row per node.")
    layers = Layers.of(graph, subgraphs, self_loops=self_loops)
    x = check_numbers(features, graph.num_nodes, "features")
    w = np.eye(x.shape[1]) if weight is None else check_numbers(weight, x.shape[1], "weight")
    if s2n_features is None:
        return LayerInputs(layers, x, layers.pool(x, kind), w)
    x_hat = check_numbers(s2n_features, len(subgraphs), "s2n_features")
    if x_hat.shape[1] != x.shape[1]:
        raise ConfigError(
            f"s2n_features have {x_hat.shape[1]} columns, features {x.shape[1]}; expected as many."
        )
    return LayerInputs(layers, x, x_hat, w)
