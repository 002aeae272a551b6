"""Homophily of a graph: how alike the labels of joined nodes are (appendix of the paper).

For an edge it is the overlap of the two label sets, |L_u ∩ L_v| / |L_u ∪ L_v|: 1 or 0 where each
node has one label, so single-label homophily is the special case.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..base.errors import DataError
from ..base.ragged import Array, owners

_CHUNK = 1 << 22  # entries processed together


@dataclass(frozen=True)
class Homophily:
    """Homophily of a graph.

    Args:
        edge: Mean label overlap over edges.
        node: Mean over nodes of the mean over their edges; nodes without an edge do not count.
        edges: Entries that were counted, each direction once.
        nodes: Nodes that were counted.
    """

    edge: float
    node: float
    edges: int
    nodes: int


def homophily(weights: sp.csr_array, labels: Array, *, self_loops: bool = False) -> Homophily:
    """Compute edge and node homophily of a graph from its sparse matrix.

    Args:
        weights: CSR (M, M); only the positions of its non-zeros matter.
        labels: (M,) classes, -1 for none, or (M, C) booleans. Edges at unlabelled nodes, such as
            virtual subgraphs, do not count.
        self_loops: Whether the diagonal counts.
    """
    if not sp.issparse(weights) or weights.shape != (len(labels), len(labels)):
        raise DataError(f"homophily takes a sparse matrix ({len(labels)}, {len(labels)}).")
    matrix = sp.csr_array(weights)
    nonzero = matrix.data != 0
    pairs = [(owners(matrix.indptr)[nonzero], matrix.indices[nonzero])]
    return homophily_of_pairs(pairs, labels, self_loops=self_loops)


def homophily_of_pairs(
    pairs: Iterable[tuple[Array, Array]],
    labels: Array,
    *,
    self_loops: bool = False,
    half: bool = False,
) -> Homophily:
    """Compute homophily from chunks of entries, which need not fit into memory together.

    Args:
        pairs: Rows and columns of entries, chunk by chunk.
        labels: As for :func:`homophily`.
        self_loops: Whether the diagonal counts.
        half: Whether the chunks hold only one direction of each edge.
    """
    labels = np.asarray(labels)
    if labels.dtype.kind not in ("iub" if labels.ndim == 1 else "b") or labels.ndim > 2:
        raise DataError("labels must be (M,) class numbers or (M, C) booleans.")
    labelled = np.asarray(labels >= 0 if labels.ndim == 1 else labels.any(axis=1))
    total, count = np.zeros(len(labels)), np.zeros(len(labels), dtype=np.int64)
    for all_rows, all_columns in pairs:
        for start in range(0, len(all_rows), _CHUNK):
            row, column = (ends[start : start + _CHUNK] for ends in (all_rows, all_columns))
            use = labelled[row] & labelled[column] & (self_loops | (row != column))
            row, column = row[use], column[use]
            overlap = label_overlap(labels, row, column)
            _add_overlap(total, count, row, overlap)
            if half:
                off_diagonal = row != column
                _add_overlap(total, count, column[off_diagonal], overlap[off_diagonal])
    has_edge = count > 0
    return Homophily(
        edge=float(total.sum() / count.sum()) if has_edge.any() else float("nan"),
        node=float((total[has_edge] / count[has_edge]).mean()) if has_edge.any() else float("nan"),
        edges=int(count.sum()),
        nodes=int(has_edge.sum()),
    )


def _add_overlap(total: Array, count: Array, node: Array, overlap: Array) -> None:
    total += np.bincount(node, overlap, minlength=len(total))
    count += np.bincount(node, minlength=len(count))


def label_overlap(labels: Array, row: Array, column: Array) -> Array:
    """Compute |L_u ∩ L_v| / |L_u ∪ L_v| of each pair."""
    if labels.ndim == 1:
        return np.asarray(labels[row] == labels[column], dtype=np.float64)
    shared = (labels[row] & labels[column]).sum(axis=1)
    union = (labels[row] | labels[column]).sum(axis=1)
    return np.asarray(shared / np.maximum(union, 1), dtype=np.float64)
