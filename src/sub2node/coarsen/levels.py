"""Level after level to fewer nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from ..base.progress import step
from ..base.ragged import Array, SparseMatrix, generator, owners, pointers
from .contraction_sets import Candidates, Chosen, cliques, greedy_sets, neighborhoods
from .costs import EDGE_METHODS, Cost, Level, variation_edges
from .eigen import Eigenpairs, by_component, laplacian
from .matching import greedy_matching

LEVELS = 10
SET_METHODS: dict[str, Callable[[Level], Candidates | None]] = {
    "variation_neighborhoods": neighborhoods,
    "variation_cliques": cliques,
}


@dataclass(frozen=True, eq=False)
class Contraction:
    """Where each node went.

    Args:
        labels: The set of each node, numbered by their lowest nodes; (n,).
        weights: W of the coarse graph, CSR without diagonal.
        levels: The number of levels.
        notes: Remarks on the result, one sentence each.
    """

    labels: Array
    weights: SparseMatrix
    levels: int
    notes: tuple[str, ...] = ()


def contract(
    weights: SparseMatrix,
    component: Array,
    target: Array,
    method: str,
    *,
    k: int,
    by_root: bool = False,
    seed: int,
) -> Contraction:
    """Contract edges or sets, level by level, until each component has its target size.

    Args:
        weights: W, CSR (n, n), float64, symmetric, without diagonal.
        component: The component of each node, from 0.
        target: Nodes to leave of each component, (C,).
        method: One of EDGE_METHODS or SET_METHODS.
        k: Eigenvectors whose variation is to be preserved.
        by_root: Whether vectors of a set are summed and divided by the root of its size, as the
            published code does; else they are averaged.
        seed: Seed of anything random.
    """
    eigenpairs = Eigenpairs(np.empty((0, 0)), np.zeros((len(component), 0)))
    if method.startswith("variation"):
        eigenpairs = by_component(weights, component, k, seed=seed)
    basis = _scale_vectors(eigenpairs, component)
    level = Level(weights, basis, component, generator(seed))
    labels, notes = np.arange(len(component)), list(eigenpairs.notes)
    number = 0
    start = left = _nodes_to_remove(level, target)
    while number < LEVELS and left.any():
        step(
            "Coarsening the graph",
            int((start - left).sum()),
            int(start.sum()),
            f"level {number + 1}",
        )
        merged = _choose_sets(level, left, method, notes)
        if len(merged) == 0 or merged.max() + 1 == len(merged):
            break
        labels, level = merged[labels], _coarsen_level(level, merged, by_root=by_root)
        number, left = number + 1, _nodes_to_remove(level, target)
    step("Coarsening the graph", int(start.sum()), int(start.sum()))
    if left.any():
        count = len(level.component)
        why = f"{LEVELS} levels were not enough" if number == LEVELS else "nothing is left to join"
        notes.append(f"{count:,} sets are left where {target.sum():,} were wanted: {why}.")
    return Contraction(labels, level.weights, number, tuple(dict.fromkeys(notes)))


def _nodes_to_remove(level: Level, target: Array) -> Array:
    """Nodes still to remove, by component."""
    return np.asarray(np.bincount(level.component, minlength=len(target)) - target)


def _scale_vectors(eigenpairs: Eigenpairs, component: Array) -> Array:
    """U Λ^(-1/2), with zeros for the constant vector, whose eigenvalue is 0."""
    if not eigenpairs.vectors.shape[1]:
        return eigenpairs.vectors
    scale = 1 / np.sqrt(np.maximum(eigenpairs.values, np.finfo(float).tiny))
    scale[:, 0] = 0
    return np.asarray(eigenpairs.vectors * scale[component])


def _choose_sets(level: Level, left: Array, method: str, notes: list[str]) -> Array:
    """The set of each node after one level."""
    if method in EDGE_METHODS:
        return _number_sets(_match_edges(level, left, EDGE_METHODS[method]))
    sets = SET_METHODS[method](level)
    if sets is None:
        notes.append(
            "there are too many maximal cliques to list, so edges were contracted instead;"
            " variation_neighborhoods is the nearest method that contracts more."
        )
        return _number_sets(_match_edges(level, left, variation_edges))
    head = _fit_sets(level, left, greedy_sets(level, sets))
    joined = np.bincount(level.component[head != np.arange(len(head))], minlength=len(left))
    stuck = (joined == 0) & (left > 0)  # every set there is larger than what is to be removed
    if stuck.any():
        pairs = _match_edges(level, np.where(stuck, left, 0), variation_edges)
        head = np.where(stuck[level.component], pairs, head)
    return _number_sets(head)


def _match_edges(level: Level, left: Array, cost: Cost) -> Array:
    """Pairs of a greedy matching, of each component the cheapest: the lowest node of each set."""
    low, high, weight = level.edges()
    pairs = greedy_matching(low, high, cost(level, low, high, weight), len(level.component))
    low, high = low[pairs], high[pairs]
    keep = _place_in_group(level.component[low]) < left[level.component[low]]
    head = np.arange(len(level.component))
    head[high[keep]] = low[keep]
    return head


def _place_in_group(group: Array) -> Array:
    """The position of each entry among those of its group."""
    order = np.argsort(group, kind="stable")
    counts = np.bincount(group)
    place = np.empty(len(group), np.int64)
    place[order] = np.arange(len(group)) - np.repeat(pointers(counts)[:-1], counts)
    return place


def _fit_sets(level: Level, left: Array, chosen: Chosen) -> Array:
    """The chosen sets in their order, each as long as it fits: the lowest node of each set."""
    size = np.diff(chosen.ptr) - 1
    home = level.component[chosen.nodes[chosen.ptr[:-1]]] if len(size) else np.empty(0, np.int64)
    left, open_sets = left.copy(), np.ones(len(size), dtype=bool)
    taken = np.zeros(len(size), dtype=bool)
    while (open_sets := open_sets & (size <= left[home])).any():
        open_numbers = np.flatnonzero(open_sets)
        open_numbers = open_numbers[np.argsort(home[open_numbers], kind="stable")]
        total = np.cumsum(size[open_numbers])
        first = np.r_[True, home[open_numbers][1:] != home[open_numbers][:-1]]
        before = np.maximum.accumulate(np.where(first, total - size[open_numbers], 0))
        fits = open_numbers[total - before <= left[home[open_numbers]]]
        taken[fits] = True
        open_sets[fits] = False
        left -= np.bincount(home[fits], size[fits], len(left)).astype(np.int64)
    head = np.arange(len(level.component))
    member = taken[owners(chosen.ptr)]
    lowest = np.minimum.reduceat(chosen.nodes, chosen.ptr[:-1]) if len(size) else chosen.nodes
    head[chosen.nodes[member]] = np.repeat(lowest, np.diff(chosen.ptr))[member]
    return head


def _number_sets(head: Array) -> Array:
    """The lowest node of each node's set → the set's number."""
    is_head = head == np.arange(len(head))
    return np.asarray((np.cumsum(is_head) - 1)[head])


def _coarsen_level(level: Level, labels: Array, *, by_root: bool) -> Level:
    """The level with sets as nodes: weights summed, vectors averaged and brought to variation 1.

    With ``by_root`` the sum over a set is divided by the root of its size: C x with the C of
    Loukas (arXiv:1808.10650), whose rows have length 1.
    """
    count = int(labels.max()) + 1
    component = np.empty(count, level.component.dtype)
    component[labels] = level.component
    smaller = replace(level, weights=merged_weights(level.weights, labels), component=component)
    if not level.basis.shape[1]:
        return replace(smaller, basis=np.zeros((count, 0)))
    sizes = np.bincount(labels)[:, None]
    sums = np.stack([np.bincount(labels, column) for column in level.basis.T], 1)
    basis = sums / (np.sqrt(sizes) if by_root else sizes)
    return replace(smaller, basis=_normalize_variation(smaller.weights, component, basis))


def merged_weights(weights: SparseMatrix, labels: Array) -> SparseMatrix:
    """Sums of weights between sets, without what is inside them."""
    count = int(labels.max(initial=-1)) + 1
    entries = weights.tocoo()
    row, column = labels[entries.coords[0]], labels[entries.coords[1]]
    up = row < column  # one direction only, so that rounding cannot make the other one differ
    shape = (count, count)
    summed = sp.coo_array((entries.data[up], (row[up], column[up])), shape=shape).tocsr()
    summed.sum_duplicates()
    return (summed + summed.T).tocsr()


def _normalize_variation(weights: SparseMatrix, component: Array, basis: Array) -> Array:
    """Vectors of the same span, by component, with Aᵀ L A = I."""
    width, count = basis.shape[1], int(component.max()) + 1
    product = laplacian(weights) @ basis
    gram = np.empty((count, width, width))
    for i, j in np.ndindex(width, width):
        gram[:, i, j] = np.bincount(component, basis[:, i] * product[:, j], count)
    values, turn = np.linalg.eigh((gram + gram.transpose(0, 2, 1)) / 2)
    some = values > 1e-10 * np.maximum(values[:, -1:], 1e-300)
    turn = turn * np.where(some, 1 / np.sqrt(np.where(some, values, 1)), 0)[:, None, :]
    turned = np.zeros_like(basis)
    for i, j in np.ndindex(width, width):
        turned[:, j] += basis[:, i] * turn[component, i, j]
    return turned
