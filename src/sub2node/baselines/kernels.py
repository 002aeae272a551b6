"""Kernels between subgraphs with a support vector machine, by their sparse features.

A kernel that is a product of sparse rows is never written out as a matrix of all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from ..encode import colour_counts
from ..ragged import index_dtype
from ..settings import Settings, within
from ..task import SubgraphTask
from ..translate import translate
from .simple import Answers, Candidate, Lesson, SimpleModel, choose, unit_rows

_STRENGTHS = (1.0, 10.0, 100.0, 1000.0)  # C of the machines; validation chooses


@dataclass(frozen=True)
class WLSettings(Settings):
    """Of the Weisfeiler-Leman subtree kernel.

    Args:
        rounds: Of refinement at the most; validation chooses from 1 up to this.
        view: What colours see: ``induced``: the subgraph; ``hops``: its surroundings, k hops after
            k rounds; ``both``: the sum of both kernels; ``choose``: validation chooses.
    """

    rounds: int = within(4, 1)
    view: Literal["induced", "hops", "both", "choose"] = "choose"


@dataclass(frozen=True)
class S2NKernelSettings(Settings):
    """Of the kernel of S2N weights.

    Args:
        self_loops: Shared nodes count as links too (A + I for A).
    """

    self_loops: bool = True


def wl_features(counts: list[Any], rounds: int, *, normalized: bool) -> Any:
    """Rows whose products are the WL subtree kernel after some rounds; CSR (M, colours).

    Args:
        counts: Of colours, by round.
        rounds: How many of them, besides the first colours.
        normalized: Every subgraph has the kernel 1 with itself; else they have it on average.
    """
    rows = sp.hstack(counts[: rounds + 1]).tocsr()
    if normalized:
        return unit_rows(rows)
    square = float(rows.multiply(rows).sum()) / max(rows.shape[0], 1)
    return rows * (1 / np.sqrt(max(square, 1e-300)))


def s2n_rows(task: SubgraphTask, *, self_loops: bool = True) -> Any:
    """W scaled to W_ij / sqrt(W_ii W_jj), rows of length 1; CSR (M, M).

    W itself may have negative eigenvalues; the products of its rows are a kernel in any case, and
    as sparse as two links.
    """
    weights = translate(task, self_loops=self_loops).stage("test").astype(np.float64)
    own = np.maximum(weights.diagonal(), 1.0)
    scale = sp.diags_array(1 / np.sqrt(own))
    return unit_rows(scale @ weights @ scale)


def _machines(words: str, x: Any) -> Iterator[Candidate]:
    from sklearn.svm import SVC

    dtype = index_dtype(x.nnz, *x.shape)  # libsvm reads 32-bit indices only
    x = sp.csr_array((x.data, x.indices.astype(dtype), x.indptr.astype(dtype)), shape=x.shape)
    for strength in _STRENGTHS:
        about = ", ".join(word for word in (words, f"C = {strength:g}") if word)
        yield Candidate(about, SVC(C=strength, kernel="linear", gamma=1.0), x)


def _wl(lesson: Lesson, settings: WLSettings) -> Answers:
    views = ("induced", "hops", "both") if settings.view == "choose" else (settings.view,)
    counts = {
        view: colour_counts(lesson.task, rounds=settings.rounds, view=view)
        for view in ("induced", "hops")
        if {view, "both"} & set(views)
    }

    def candidates() -> Iterator[Candidate]:
        for view in views:
            for rounds in range(1, settings.rounds + 1):
                for normalized in (False, True):
                    parts = [
                        wl_features(found, rounds, normalized=normalized)
                        for name, found in counts.items()
                        if view in (name, "both")
                    ]
                    scale = "normalised" if normalized else "counts"
                    plural = "rounds" if rounds > 1 else "round"
                    x = sp.hstack(parts).tocsr()
                    yield from _machines(f"{view}, {rounds} {plural}, {scale}", x)

    total = len(views) * settings.rounds * 2 * len(_STRENGTHS)
    return choose(lesson, candidates(), "wl", total)


def _s2n(lesson: Lesson, settings: S2NKernelSettings) -> Answers:
    x = s2n_rows(lesson.task, self_loops=settings.self_loops)
    return choose(lesson, _machines("", x), "s2n-kernel", len(_STRENGTHS))


WL = SimpleModel("wl", "support vectors on the Weisfeiler-Leman subtree kernel", _wl, WLSettings)
S2N_KERNEL = SimpleModel(
    "s2n-kernel", "support vectors on the rows of the S2N weights", _s2n, S2NKernelSettings
)
