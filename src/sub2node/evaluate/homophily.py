"""Homophily of a graph: how alike the labels of joined nodes are (appendix of the paper).

For an edge it is the overlap of the two label sets, |L_u ∩ L_v| / |L_u ∪ L_v|: 1 or 0 where each
node has one label, so single-label homophily is the special case.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import DataError
from ..ragged import Array, owners

_PIECE = 1 << 22  # entries looked at together


@dataclass(frozen=True)
class Homophily:
    """Homophily of a graph.

    Args:
        edge: Mean over edges.
        node: Mean over nodes of the mean over their edges; nodes without an edge do not count.
        edges: Entries that counted, each direction once.
        nodes: Nodes that counted.
    """

    edge: float
    node: float
    edges: int
    nodes: int


def homophily(weights: Any, labels: Array, *, self_loops: bool = False) -> Homophily:
    """Edge and node homophily of a graph given by its sparse matrix.

    Args:
        weights: CSR (M, M); only where it is non-zero matters.
        labels: (M,) classes, -1 for none, or (M, C) booleans. Edges at unlabelled nodes, such as
            virtual subgraphs, do not count.
        self_loops: Whether the diagonal counts.
    """
    if not sp.issparse(weights) or weights.shape != (len(labels), len(labels)):
        raise DataError(f"homophily takes a sparse matrix ({len(labels)}, {len(labels)}).")
    matrix = sp.csr_array(weights)
    real = matrix.data != 0
    pairs = [(owners(matrix.indptr)[real], matrix.indices[real])]
    return homophily_of_pairs(pairs, labels, self_loops=self_loops)


def homophily_of_pairs(
    pairs: Iterable[tuple[Array, Array]],
    labels: Array,
    *,
    self_loops: bool = False,
    half: bool = False,
) -> Homophily:
    """The same from pieces of a list of entries, which need not fit into memory together.

    Args:
        pairs: Rows and columns of entries, piece by piece.
        labels: As for :func:`homophily`.
        self_loops: Whether the diagonal counts.
        half: The pieces hold only one direction of each edge.
    """
    labels = np.asarray(labels)
    if labels.dtype.kind not in ("iub" if labels.ndim == 1 else "b") or labels.ndim > 2:
        raise DataError("labels must be (M,) class numbers or (M, C) booleans.")
    known = np.asarray(labels >= 0 if labels.ndim == 1 else labels.any(axis=1))
    total, count = np.zeros(len(labels)), np.zeros(len(labels), dtype=np.int64)
    for all_rows, all_columns in pairs:
        for start in range(0, len(all_rows), _PIECE):
            row, column = (ends[start : start + _PIECE] for ends in (all_rows, all_columns))
            use = known[row] & known[column] & (self_loops | (row != column))
            row, column = row[use], column[use]
            alike_pairs = alike(labels, row, column)
            _add(total, count, row, alike_pairs)
            if half:
                off = row != column
                _add(total, count, column[off], alike_pairs[off])
    met = count > 0
    return Homophily(
        edge=float(total.sum() / count.sum()) if met.any() else float("nan"),
        node=float((total[met] / count[met]).mean()) if met.any() else float("nan"),
        edges=int(count.sum()),
        nodes=int(met.sum()),
    )


def _add(total: Array, count: Array, node: Array, alike: Array) -> None:
    total += np.bincount(node, alike, minlength=len(total))
    count += np.bincount(node, minlength=len(count))


def alike(labels: Array, row: Array, column: Array) -> Array:
    """|L_u ∩ L_v| / |L_u ∪ L_v| for each pair."""
    if labels.ndim == 1:
        return np.asarray(labels[row] == labels[column], dtype=np.float64)
    both = (labels[row] & labels[column]).sum(axis=1)
    either = (labels[row] | labels[column]).sum(axis=1)
    return np.asarray(both / np.maximum(either, 1), dtype=np.float64)
