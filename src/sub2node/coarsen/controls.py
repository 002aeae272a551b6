"""Random node sets to compare virtual subgraphs of coarsening with; they may overlap."""

from __future__ import annotations

import numpy as np

from ..base.progress import step
from ..base.ragged import Array, SparseMatrix, generator, owners, pointers, ranges

CONTROL_METHODS = ("ego_nets", "random_walks")
_LARGEST, _WALK, _PATIENCE = 100, 40, 10


def random_sets(
    weights: SparseMatrix, count: int, method: str, *, seed: int
) -> tuple[Array, Array]:
    """Pairs (set, node) of ``count`` random sets around different nodes that have neighbours.

    Args:
        weights: W, CSR (n, n) without diagonal.
        count: The number of sets; at most that of the nodes with neighbours.
        method: ``ego_nets``: a node and up to 99 of its neighbours; ``random_walks``: the first 40
            different nodes of a walk, or what it met in 400 steps.
        seed: The same seed gives the same sets.
    """
    rng = generator(seed)
    degree = np.diff(weights.indptr)
    centres = rng.permutation(np.flatnonzero(degree))[:count]
    if method == "ego_nets":
        return _ego_nets(weights, centres, rng)
    return _walks(weights, centres, rng)


def _ego_nets(
    weights: SparseMatrix, centres: Array, rng: np.random.Generator
) -> tuple[Array, Array]:
    counts = np.diff(weights.indptr)[centres]
    around = weights.indices[ranges(weights.indptr[centres].astype(np.int64), counts)]
    home = owners(pointers(counts))
    mixed = np.lexsort((rng.random(len(home)), home))  # neighbours of each in a random order
    place = np.arange(len(home)) - pointers(counts)[:-1][home]
    chosen = mixed[place < _LARGEST - 1]
    numbers = np.arange(len(centres))
    return np.r_[numbers, home[chosen]], np.r_[centres, around[chosen]]


def _walks(weights: SparseMatrix, centres: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """All walks at once; each remembers the nodes it met, in order."""
    indptr, indices = weights.indptr.astype(np.int64), weights.indices
    met = np.full((len(centres), _WALK), -1, dtype=np.int64)
    met[:, 0] = position = centres.copy()
    count = np.ones(len(centres), np.int64)
    walking = np.arange(len(centres))
    for number in range(_WALK * _PATIENCE):
        step("Drawing random walks", number, _WALK * _PATIENCE)
        now = position[walking]
        low, high = indptr[now], indptr[now + 1]
        position[walking] = indices[low + (rng.random(len(now)) * (high - low)).astype(np.int64)]
        new = ~(met[walking] == position[walking][:, None]).any(axis=1)
        fresh = walking[new]
        met[fresh, count[fresh]] = position[fresh]
        count[fresh] += 1
        walking = walking[count[walking] < _WALK]
        if not len(walking):
            break
    step("Drawing random walks", 1, 1)
    rows, columns = np.nonzero(met >= 0)
    return rows, met[rows, columns]
