"""Communities as sets, through NetworKit."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import MissingExtraError
from ..progress import step
from ..ragged import Array

COMMUNITY_METHODS = ("louvain", "leiden")
_TRIES = 20


def communities(weights: Any, target: int, method: str, *, seed: int) -> tuple[Array, str]:
    """The partition into communities whose number is nearest to a target.

    A resolution of 0 gives one community a component, one of the graph's whole weight gives single
    nodes; between them it is halved on a logarithmic scale.

    Args:
        weights: W, CSR (n, n) without diagonal.
        target: Communities wanted.
        method: ``louvain`` or ``leiden``.
        seed: Of the order in which nodes are moved.

    Returns:
        The community of each node (n,), and the sentence on how near it came.
    """
    nk = _networkit()
    upper = weights.tocoo()
    once = upper.coords[0] < upper.coords[1]
    ends = tuple(axis[once].astype(np.uint64) for axis in upper.coords)
    size = weights.shape[0]
    graph = nk.GraphFromCoo((upper.data[once].astype(np.float64), ends), n=size, weighted=True)
    low, high = np.log(1e-3), np.log(max(2 * weights.sum(), 10.0))
    best, resolution = np.arange(size), float("nan")
    threads = nk.getMaxNumberOfThreads()
    nk.setNumberOfThreads(1)  # with several, the same seed gives another partition each time
    try:
        for number in range(_TRIES):
            step(method, number, _TRIES)
            middle = (low + high) / 2
            found = _found(nk, graph, method, float(np.exp(middle)), seed)
            count = int(found.max()) + 1
            if abs(count - target) <= abs(int(best.max()) + 1 - target):
                best, resolution = found, float(np.exp(middle))
            if count == target:
                break
            low, high = (middle, high) if count < target else (low, middle)
    finally:
        nk.setNumberOfThreads(threads)
        step(method, _TRIES, _TRIES)
    count = int(best.max()) + 1
    return best, (
        f"{method} finds {count:,} communities at resolution {resolution:.4g}, the nearest to the"
        f" {target:,} wanted in {_TRIES} tries."
    )


def _found(nk: Any, graph: Any, method: str, resolution: float, seed: int) -> Array:
    nk.engineering.setSeed(seed, False)
    if method == "louvain":
        run = nk.community.PLM(graph, refine=True, gamma=resolution, par="none randomized")
    else:
        run = nk.community.ParallelLeiden(graph, gamma=resolution)
    run.run()
    _, first, labels = np.unique(
        np.asarray(run.getPartition().getVector()), return_index=True, return_inverse=True
    )
    return np.asarray(np.argsort(np.argsort(first))[labels])  # numbered by their lowest nodes


def _networkit() -> Any:
    try:
        import networkit
    except ImportError:
        raise MissingExtraError("networkit", "baselines", "a partition by communities") from None
    return networkit
