"""Communities as sets, through NetworKit."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import MissingExtraError
from ..base.progress import item
from ..base.ragged import Array, SparseMatrix, generator
from .eigen import strengths

COMMUNITY_METHODS = ("louvain",)  # NetworKit's Leiden may never end, and nothing can stop it
_TRIES, _CLOSE = 20, 1e-3


def communities(weights: SparseMatrix, target: int, *, seed: int) -> tuple[Array, str]:
    """The partition into communities (Louvain) whose number is nearest to a target.

    A low resolution gives one community per component; one at which no edge is worth joining its
    ends gives single nodes; between them it is halved on a logarithmic scale.

    Args:
        weights: W, CSR (n, n) without diagonal.
        target: The number of communities wanted.
        seed: Seed of the order in which nodes are visited.

    Returns:
        The community of each node (n,), and the sentence on how near it came.
    """
    nk = _networkit()
    size = weights.shape[0]
    order = generator(seed).permutation(size)  # in which nodes are visited
    graph, low, high = _prepare(nk, weights, order)
    best, resolution, count = np.arange(size), float("inf"), size
    threads = nk.getMaxNumberOfThreads()
    nk.setNumberOfThreads(1)  # with several, the same seed gives another partition each time
    try:
        for number in range(_TRIES):
            item("Louvain resolution", number, _TRIES)
            middle = (low + high) / 2
            labels = _run_louvain(nk, graph, float(np.exp(middle)))
            community_count = int(labels.max()) + 1
            if abs(community_count - target) <= abs(count - target):
                best, resolution, count = labels[order], float(np.exp(middle)), community_count
            if community_count == target or high - low < _CLOSE:
                break
            low, high = (middle, high) if community_count < target else (low, middle)
    finally:
        nk.setNumberOfThreads(threads)
        item("Louvain resolution", _TRIES, _TRIES)
    return best, (
        f"louvain finds {count:,} communities at resolution {resolution:.4g}, the nearest to the"
        f" {target:,} wanted in at most {_TRIES} tries."
    )


def _prepare(nk: Any, weights: SparseMatrix, order: Array) -> tuple[Any, float, float]:
    """NetworKit's graph, node i being ``order[i]``, and the range of resolutions, as logarithms."""
    entries = weights.tocoo()
    once = entries.coords[0] < entries.coords[1]
    low, high = (axis[once] for axis in entries.coords)
    weight, degree = entries.data[once].astype(np.float64), strengths(weights)
    ends = tuple(order[axis].astype(np.uint64) for axis in (low, high))
    graph = nk.GraphFromCoo((weight, ends), n=len(order), weighted=True)
    # Joining two single nodes pays up to this resolution.
    most = degree.sum() * (weight / degree[low] / degree[high]).max()
    return graph, float(np.log(1e-3)), float(np.log(2 * most))


def _run_louvain(nk: Any, graph: Any, resolution: float) -> Array:
    run = nk.community.PLM(graph, refine=True, gamma=resolution, par="none")
    run.run()
    return np.unique(np.asarray(run.getPartition().getVector()), return_inverse=True)[1]


def _networkit() -> Any:
    try:
        import networkit
    except ImportError:
        raise MissingExtraError("networkit", "baselines", "a partition by communities") from None
    return networkit
