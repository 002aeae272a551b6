"""coarsen: global graph → sets of nodes → virtual subgraphs."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sp

from ..errors import ConfigError, DataError, suggest
from ..ragged import Array, sealed
from ..task import Graph, Subgraphs
from .coarsening import Coarsening
from .communities import COMMUNITY_METHODS, communities
from .controls import CONTROL_METHODS, random_sets
from .costs import EDGE_METHODS
from .levels import SET_METHODS, contract

METHODS = (*EDGE_METHODS, *SET_METHODS, *COMMUNITY_METHODS, *CONTROL_METHODS)
Small = Literal["leave-out", "keep"]
SMALL: tuple[Small, ...] = get_args(Small)


def coarsen(
    graph: Graph,
    method: str = "variation_edges",
    ratio: float = 0.5,
    *,
    eigenvectors: int = 4,
    small: Small = "leave-out",
    seed: int = 0,
) -> Coarsening:
    """Put the nodes of a graph into sets, which become virtual subgraphs.

    Each component is brought to ceil((1 - ratio) · its nodes) sets; communities come near that
    number in all. Self-loops play no part.

    Args:
        graph: The global graph.
        method: ``variation_edges`` (the published choice), ``variation_neighborhoods``,
            ``variation_cliques``: contract what disturbs the first eigenvectors least;
            ``heavy_edge``, ``algebraic_jc``, ``affinity_gs``: match edges by weight, algebraic
            distance, affinity; ``louvain``: communities (NetworKit), about as many as asked for;
            ``ego_nets``, ``random_walks``: random sets, to compare with.
        ratio: Fraction of nodes to remove, between 0 and 1.
        eigenvectors: How many local variation preserves, the constant one counted.
        small: Components of at most that many nodes: ``leave-out``, or ``keep`` each as one set.
        seed: Same seed, same sets.

    Returns:
        Partition, coarse graph and virtual subgraphs (sets of a single node are none).
    """
    _check(graph, method, ratio, eigenvectors, small, seed)
    weights = graph.adjacency(dtype=np.float64)
    if method in CONTROL_METHODS:
        return _random(graph, weights, method, ratio, seed)
    _, component = sp.csgraph.connected_components(weights, directed=False)
    sizes = np.bincount(component)
    is_small = sizes <= eigenvectors
    large = np.flatnonzero(~is_small[component])
    partition = np.full(graph.num_nodes, -1, dtype=np.int64)
    wanted = int(_targets(sizes[~is_small], ratio).sum())
    levels, notes = 0, list(_small_note(sizes, is_small, small))
    if len(large):
        block = weights if len(large) == len(component) else weights[large][:, large].tocsr()
        home = (np.cumsum(~is_small) - 1)[component[large]]
        if method in COMMUNITY_METHODS:
            partition[large], note = communities(block, wanted, seed=seed)
            notes.append(note)
        else:
            target = _targets(sizes[~is_small], ratio)
            done = contract(block, home, target, method, k=eigenvectors, seed=seed)
            partition[large], levels = done.labels, done.levels
            notes += done.notes
    if small == "keep":
        aside = np.flatnonzero(is_small[component])
        partition[aside] = graph.num_nodes + component[aside]
        wanted += int(is_small.sum())
    partition = _by_lowest(partition)
    members = np.flatnonzero(partition >= 0)
    count = int(partition.max(initial=-1)) + 1
    virtual = _virtual(partition[members], members, count)
    _require_some(virtual, method, ratio, len(large), eigenvectors)
    return Coarsening(
        graph, method, ratio, seed, sealed(partition), virtual, wanted, count, levels, tuple(notes)
    )


def parse_coarsen(text: str) -> tuple[str, float]:
    """``variation_edges:0.3`` as method and ratio; the ratio may be left away: 0.5."""
    method, found, number = text.partition(":")
    try:
        ratio = float(number) if found else 0.5
    except ValueError:
        raise ConfigError(
            f"coarsening is written METHOD:RATIO, as variation_edges:0.3, found {text!r}."
        ) from None
    check_method(method, ratio)
    return method, ratio


def check_method(method: str, ratio: float) -> None:
    """Raise for a method there is not, or a ratio that is none."""
    if method not in METHODS:
        near = suggest(str(method), METHODS)
        raise ConfigError(f"there is no coarsening method {method!r}.{near}")
    number = isinstance(ratio, int | float | np.integer | np.floating)
    if not (number and not isinstance(ratio, bool) and 0 < ratio < 1):
        raise ConfigError(
            f"a coarsening ratio is the fraction of nodes to remove, between 0 and 1, found"
            f" {ratio!r}."
        )


def _check(
    graph: Graph, method: str, ratio: float, eigenvectors: int, small: str, seed: int
) -> None:
    check_method(method, ratio)
    for name, value, least in (("eigenvectors", eigenvectors, 2), ("seed", seed, 0)):
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not (whole and value >= least):
            raise ConfigError(f"{name} is a whole number from {least}, found {value!r}.")
    if small not in SMALL:
        raise ConfigError(f"small components are {' or '.join(SMALL)}, not {small!r}.")
    if not graph.num_edges:
        raise DataError("the graph has no edge between different nodes: nothing to coarsen.")


def _targets(sizes: Array, ratio: float) -> Array:
    """ceil((1 - ratio) · size), without the rounding of 0.29 · 100; one at least."""
    removed = np.floor(ratio * sizes * (1 + 1e-15)).astype(np.int64)
    return np.asarray(sizes - np.minimum(removed, sizes - 1))


def _by_lowest(partition: Array) -> Array:
    """The same sets numbered by their lowest nodes; -1 stays."""
    kept = partition >= 0
    _, first, labels = np.unique(partition[kept], return_index=True, return_inverse=True)
    result = partition.copy()
    result[kept] = np.argsort(np.argsort(first))[labels]
    return result


def _virtual(owner: Array, node: Array, count: int) -> Subgraphs:
    """Sets of at least two nodes, named by their numbers among all sets."""
    sizes = np.bincount(owner, minlength=count)
    kept = sizes > 1
    number = np.cumsum(kept) - 1
    here = kept[owner]
    return Subgraphs.from_pairs(number[owner[here]], node[here], int(kept.sum()))


def _random(graph: Graph, weights: Any, method: str, ratio: float, seed: int) -> Coarsening:
    wanted = int(_targets(np.array([graph.num_nodes]), ratio)[0])
    owner, node = random_sets(weights, wanted, method, seed=seed)
    count = int(owner.max()) + 1
    virtual = _virtual(owner, node, count)
    notes = []
    if count < wanted:
        notes.append(f"only {count:,} nodes have neighbours, so there are that many sets.")
    return Coarsening(graph, method, ratio, seed, None, virtual, wanted, count, notes=tuple(notes))


def _small_note(sizes: Array, is_small: Array, small: Small) -> list[str]:
    if not is_small.any():
        return []
    what = "left out" if small == "leave-out" else "kept as one set each"
    return [
        f"{is_small.sum():,} components of few nodes ({sizes[is_small].sum():,} in all) are {what}."
    ]


def _require_some(
    virtual: Subgraphs, method: str, ratio: float, large: int, eigenvectors: int
) -> None:
    if len(virtual):
        return
    if not large:
        raise DataError(
            f"every component has {eigenvectors} nodes at most, so there is nothing to coarsen;"
            " keep small components to have each as a virtual subgraph."
        )
    raise DataError(
        f"{method} at ratio {ratio:g} leaves single nodes only, so there is no virtual subgraph;"
        " raise the ratio."
    )
