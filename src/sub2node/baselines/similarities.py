"""Similarities between subgraphs for a support vector machine, by their sparse features.

A similarity that is a product of sparse rows is never written out as a matrix of all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse as sp

from ..base.ragged import SparseMatrix, index_dtype
from ..config.settings import Settings, within
from ..encode import colour_counts
from ..task import SubgraphTask
from ..translation import translate
from .node_bags import unit_rows
from .simple import Candidate, SimpleModel, SimplePredictions, TrainingData, choose

_STRENGTHS = (1.0, 10.0, 100.0, 1000.0)  # C of the machines; validation chooses


@dataclass(frozen=True)
class WLSettings(Settings):
    """Settings of the Weisfeiler-Leman subtree kernel.

    Args:
        rounds: Largest number of refinements; validation chooses from 1 up to this.
        view: What colours see: ``induced``: the subgraph; ``hops``: its surroundings, k hops after
            k rounds; ``both``: the sum of both kernels; ``choose``: validation chooses.
    """

    rounds: int = within(4, 1)
    view: Literal["induced", "hops", "both", "choose"] = "choose"


@dataclass(frozen=True)
class S2NKernelSettings(Settings):
    """Settings of the similarity by S2N weights.

    Args:
        self_loops: Whether shared nodes count as links too (A + I instead of A).
    """

    self_loops: bool = True


def wl_features(counts: list[SparseMatrix], rounds: int, *, normalized: bool) -> SparseMatrix:
    """Rows whose products are the WL subtree kernel after some rounds; CSR (M, colours).

    Args:
        counts: Counts of colours, by round.
        rounds: Number of rounds, besides the first colours.
        normalized: Whether each subgraph has similarity 1 to itself; else it is 1 on average.
    """
    rows = sp.hstack(counts[: rounds + 1]).tocsr()
    if normalized:
        return unit_rows(rows)
    square = float(rows.multiply(rows).sum()) / max(rows.shape[0], 1)
    return rows * (1 / np.sqrt(max(square, 1e-300)))


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


def _wl(data: TrainingData, settings: WLSettings) -> SimplePredictions:
    views = ("induced", "hops", "both") if settings.view == "choose" else (settings.view,)
    counts = {
        view: colour_counts(data.task, rounds=settings.rounds, view=view)
        for view in ("induced", "hops")
        if {view, "both"} & set(views)
    }

    def candidates() -> Iterator[Candidate]:
        for view in views:
            for rounds in range(1, settings.rounds + 1):
                for normalized in (False, True):
                    parts = [
                        wl_features(by_round, rounds, normalized=normalized)
                        for name, by_round in counts.items()
                        if view in (name, "both")
                    ]
                    scale = "normalised" if normalized else "counts"
                    plural = "rounds" if rounds > 1 else "round"
                    x = sp.hstack(parts).tocsr()
                    yield from _machines(f"{view}, {rounds} {plural}, {scale}", x)

    total = len(views) * settings.rounds * 2 * len(_STRENGTHS)
    return choose(data, candidates(), "wl", total).predictions(data)


def _s2n(data: TrainingData, settings: S2NKernelSettings) -> SimplePredictions:
    x = s2n_rows(data.task, self_loops=settings.self_loops)
    return choose(data, _machines("", x), "s2n-kernel", len(_STRENGTHS)).predictions(data)


WL = SimpleModel("wl", "support vectors on the Weisfeiler-Leman subtree kernel", _wl, WLSettings)
S2N_KERNEL = SimpleModel(
    "s2n-kernel", "support vectors on the rows of the S2N weights", _s2n, S2NKernelSettings
)
