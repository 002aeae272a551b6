"""Similarities between subgraphs for a support vector machine, by their sparse features.

A similarity that is a product of sparse rows is never written out as a matrix of all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..base.ragged import SparseMatrix, index_dtype
from ..config.settings import Settings
from ..task import SubgraphTask
from ..translation import translate
from .node_bags import unit_rows
from .simple import Candidate, SimpleModel, SimplePredictions, TrainingData, choose

_STRENGTHS = (1.0, 10.0, 100.0, 1000.0)  # C of the machines; validation chooses


@dataclass(frozen=True)
class S2NKernelSettings(Settings):
    """Settings of the similarity by S2N weights.

    Args:
        self_loops: Whether shared nodes count as links too (A + I instead of A).
    """

    self_loops: bool = True


def s2n_rows(task: SubgraphTask, *, self_loops: bool = True) -> SparseMatrix:
    """W scaled to W_ij / sqrt(W_ii W_jj), rows of length 1; CSR (M, n) for n training subgraphs.

    W itself may have negative eigenvalues; the products of its rows are a kernel in any case, and
    as sparse as two links. Only training subgraphs have columns (all, where there is no split): no
    row depends on another subgraph of val or test.
    """
    weights = translate(task, self_loops=self_loops).stage("test").astype(np.float64)
    scale = sp.diags_array(1 / np.sqrt(np.maximum(weights.diagonal(), 1.0)))
    scaled = sp.csr_array(scale @ weights @ scale)
    known = slice(None) if task.split is None else np.flatnonzero(task.split.mask("train"))
    return unit_rows(scaled[:, known])


def _machines(description: str, x: SparseMatrix) -> Iterator[Candidate]:
    from sklearn.svm import SVC

    dtype = index_dtype(x.nnz, *x.shape)  # libsvm reads 32-bit indices only
    x = sp.csr_array((x.data, x.indices.astype(dtype), x.indptr.astype(dtype)), shape=x.shape)
    for strength in _STRENGTHS:
        parts = (description, f"C = {strength:g}")
        yield Candidate(
            ", ".join(part for part in parts if part),
            SVC(C=strength, kernel="linear", gamma=1.0),
            x,
        )


def _s2n(data: TrainingData, settings: S2NKernelSettings) -> SimplePredictions:
    x = s2n_rows(data.task, self_loops=settings.self_loops)
    return choose(data, _machines("", x), "s2n-kernel", len(_STRENGTHS)).predictions(data)


S2N_KERNEL = SimpleModel(
    "s2n-kernel", "support vectors on the rows of the S2N weights", _s2n, S2NKernelSettings
)
