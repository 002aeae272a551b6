"""Random graphs of given degrees, and random node sets of them."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp

from ...base.errors import ConfigError, suggest
from ...base.ragged import Array, owners, pointers, ranges

Degrees = Literal["power-law", "poisson", "regular"]
Sizes = Literal["fixed", "poisson", "geometric"]
Sets = Literal["uniform", "by degree", "walks"]
_EXPONENT = 2.5  # of the power law


def degree_sequence(kind: Degrees, nodes: int, mean: float, rng: np.random.Generator) -> Array:
    """Degrees of about this mean, with an even sum; int64 (nodes,).

    Args:
        kind: ``power-law`` (exponent 2.5, at most nodes - 1), ``poisson`` or ``regular``.
        nodes: The number of nodes, N.
        mean: The mean of the degrees.
        rng: The source of randomness.
    """
    if kind == "regular":
        degrees = np.full(nodes, round(mean), dtype=np.int64)
    elif kind == "poisson":
        degrees = rng.poisson(mean, nodes)
    elif kind == "power-law":
        tail = (1 - rng.random(nodes)) ** (-1 / (_EXPONENT - 1))
        scaled = tail * mean * (_EXPONENT - 2) / (_EXPONENT - 1)  # the mean of the tail is 3
        degrees = np.floor(scaled + rng.random(nodes)).astype(np.int64)
    else:
        near = suggest(str(kind), get_args(Degrees))
        raise ConfigError(f"there are no degrees {kind!r}.{near}")
    degrees = np.minimum(degrees, nodes - 1)
    if degrees.sum() % 2:
        degrees[rng.integers(nodes)] += 1
    return degrees


def configuration_model(
    degrees: Array, rng: np.random.Generator, *, simple: bool = False
) -> sp.csr_array:
    """A random graph with these degrees: half-edges are joined in pairs at random.

    Args:
        degrees: The degrees (N,), with an even sum.
        rng: The source of randomness.
        simple: Erase self-loops and repeated edges, so that degrees are these at most.

    Returns:
        A as CSR (N, N): numbers of edges, a self-loop counted twice, so that row sums are the
        degrees; or, if simple, zeros and ones without diagonal.
    """
    degrees = np.asarray(degrees)
    if (degrees < 0).any() or degrees.sum() % 2:
        raise ConfigError("degrees must be 0 or more, with an even sum.")
    size = len(degrees)
    ends = rng.permutation(np.repeat(np.arange(size), degrees))
    coordinates = (np.r_[ends[::2], ends[1::2]], np.r_[ends[1::2], ends[::2]])
    matrix = sp.coo_array((np.ones(len(ends)), coordinates), shape=(size, size)).tocsr()
    if not simple:
        return matrix
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    matrix.data[:] = 1
    return matrix


def set_sizes(
    kind: Sizes, count: int, *, mean: float, nodes: int, rng: np.random.Generator
) -> Array:
    """Sizes of sets, from 1 to ``nodes``; int64 (count,)."""
    if kind == "fixed":
        sizes = np.full(count, round(mean), dtype=np.int64)
    elif kind == "poisson":
        sizes = 1 + rng.poisson(mean - 1, count)
    else:
        sizes = rng.geometric(1 / mean, count)
    return np.clip(sizes, 1, nodes)


def node_sets(
    adjacency: sp.csr_array, sizes: Array, kind: Sets, rng: np.random.Generator
) -> sp.csr_array:
    """Sets drawn independently of each other, as membership; CSR (sets, N).

    Args:
        adjacency: A, CSR (N, N).
        sizes: The sizes of the sets.
        kind: ``uniform``: different nodes, all equally likely; ``by degree``: different nodes, each
            draw in proportion to degrees; ``walks``: what a random walk of that many steps meets
            from a uniform start, so that sets may be smaller.
        rng: The source of randomness.
    """
    if kind == "walks":
        return _walk_sets(adjacency, sizes, rng)
    nodes, ends = adjacency.shape[0], np.arange(1, adjacency.shape[0] + 1)
    if kind == "by degree":
        degrees = np.asarray(adjacency.sum(axis=1)).ravel()
        ends = np.cumsum(degrees)
        sizes = np.minimum(sizes, (degrees > 0).sum())
    # The first `size` different ones among independent draws are a draw without replacement.
    owner = node = np.empty(0, np.int64)
    draws = 2 * sizes + 4
    while True:
        new = owners(pointers(draws))
        # A height on the line that the nodes divide; a node without a share is never drawn.
        drawn = np.searchsorted(ends, rng.random(len(new)) * ends[-1], side="right")
        owner, node = np.r_[owner, new], np.r_[node, np.minimum(drawn, nodes - 1)]
        _, first = np.unique(owner * nodes + node, return_index=True)
        first.sort()
        owner, node = owner[first], node[first]
        counts = np.bincount(owner, minlength=len(sizes))
        if (counts >= sizes).all():
            break
        draws = np.where(counts < sizes, 2 * draws, 0)
    order = np.argsort(owner, kind="stable")  # within a set, as they were drawn
    chosen = order[ranges(pointers(counts)[:-1], sizes)]
    return _build_membership(owner[chosen], node[chosen], len(sizes), nodes)


def _walk_sets(adjacency: sp.csr_array, sizes: Array, rng: np.random.Generator) -> sp.csr_array:
    """One step per round, of all sets that are not done yet."""
    nodes, counts = adjacency.shape[0], np.diff(adjacency.indptr)
    current = rng.integers(0, nodes, len(sizes))
    owner, node = [np.arange(len(sizes))], [current]
    for step in range(1, int(sizes.max(initial=1))):
        choice = (rng.random(len(sizes)) * counts[current]).astype(np.int64)
        stuck = counts[current] == 0
        place = np.minimum(adjacency.indptr[current] + choice, max(adjacency.nnz - 1, 0))
        current = np.where(stuck, current, adjacency.indices[place] if adjacency.nnz else current)
        going = np.flatnonzero(sizes > step)
        owner.append(going)
        node.append(current[going])
    return _build_membership(np.concatenate(owner), np.concatenate(node), len(sizes), nodes)


def _build_membership(owner: Array, node: Array, count: int, nodes: int) -> sp.csr_array:
    matrix = sp.coo_array((np.ones(len(node)), (owner, node)), shape=(count, nodes)).tocsr()
    matrix.data[:] = 1  # a node that was met twice counts once
    return matrix
