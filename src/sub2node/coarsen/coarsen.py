"""coarsen: global graph → sets of nodes → virtual subgraphs."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp

from ..base.errors import ConfigError, DataError, suggest
from ..base.ragged import Array, SparseMatrix, sealed
from ..task import Graph, Subgraphs
from ..task.whole_graph import require_loaded
from .coarsening import Coarsening
from .communities import COMMUNITY_METHODS, communities
from .controls import CONTROL_METHODS, random_sets
from .costs import EDGE_METHODS
from .levels import SET_METHODS, contract

METHODS = (*EDGE_METHODS, *SET_METHODS, *COMMUNITY_METHODS, *CONTROL_METHODS)
Small = Literal["leave-out", "keep"]
SMALL: tuple[Small, ...] = get_args(Small)
Averaging = Literal["mean", "root"]
AVERAGING: tuple[Averaging, ...] = get_args(Averaging)


def coarsen(
    graph: Graph,
    method: str = "variation_edges",
    ratio: float = 0.5,
    *,
    eigenvectors: int = 4,
    small: Small = "leave-out",
    averaging: Averaging = "mean",
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
            distance, affinity; ``louvain``: communities (NetworKit), about as many as wanted;
            ``ego_nets``, ``random_walks``: random sets, to compare with.
        ratio: Fraction of nodes to remove, between 0 and 1.
        eigenvectors: How many of them local variation preserves, the constant one counted.
        small: What becomes of components of at most that many nodes: ``leave-out``, or ``keep``
            each as one set.
        averaging: How local variation passes eigenvectors to the next level: the ``mean`` over a
            set, or the sum over the ``root`` of its size, as the published code has it.
        seed: The same seed gives the same sets.

    Returns:
        Partition, coarse graph and virtual subgraphs (sets of a single node are none).
    """
    require_loaded(graph, "coarsening")
    check_method(method, ratio)
    _check_options(graph, eigenvectors=eigenvectors, small=small, averaging=averaging, seed=seed)
    weights = graph.adjacency(dtype=np.float64)
    if method in CONTROL_METHODS:
        return _random_coarsening(graph, weights, method=method, ratio=ratio, seed=seed)
    _, component = sp.csgraph.connected_components(weights, directed=False)
    sizes = np.bincount(component)
    is_small = sizes <= eigenvectors
    large = np.flatnonzero(~is_small[component])
    partition = np.full(graph.num_nodes, -1, dtype=np.int64)
    wanted = int(_target_sizes(sizes[~is_small], ratio).sum())
    levels, notes = 0, list(_small_note(sizes, is_small, small))
    if len(large):
        block = weights if len(large) == len(component) else weights[large][:, large].tocsr()
        home = (np.cumsum(~is_small) - 1)[component[large]]
        if method in COMMUNITY_METHODS:
            partition[large], note = communities(block, wanted, seed=seed)
            notes.append(note)
        else:
            target = _target_sizes(sizes[~is_small], ratio)
            try:
                with np.errstate(over="ignore", invalid="ignore"):
                    contraction = contract(
                        block,
                        home,
                        target,
                        method,
                        k=eigenvectors,
                        by_root=averaging == "root",
                        seed=seed,
                    )
            except np.linalg.LinAlgError as error:
                raise _weights_error(graph) from error
            partition[large], levels = contraction.labels, contraction.levels
            notes += contraction.notes
    if small == "keep":
        aside = np.flatnonzero(is_small[component])
        partition[aside] = graph.num_nodes + component[aside]
        wanted += int(is_small.sum())
    partition = _number_by_lowest(partition)
    members = np.flatnonzero(partition >= 0)
    count = int(partition.max(initial=-1)) + 1
    virtual = _virtual_subgraphs(partition[members], members, count)
    if not len(virtual):
        raise _empty_error(method, ratio, large=len(large), eigenvectors=eigenvectors)
    return Coarsening(
        source=graph,
        method=method,
        ratio=ratio,
        seed=seed,
        partition=sealed(partition),
        subgraphs=virtual,
        wanted=wanted,
        num_sets=count,
        levels=levels,
        notes=tuple(notes),
    )


def parse_coarsen(text: str) -> tuple[str, float]:
    """``variation_edges:0.3`` as method and ratio; without a ratio: 0.5."""
    method, colon, number = text.partition(":")
    try:
        ratio = float(number) if colon else 0.5
    except ValueError:
        raise ConfigError(
            f"coarsening is written METHOD:RATIO, as variation_edges:0.3, found {text!r}."
        ) from None
    check_method(method, ratio)
    return method, ratio


def check_method(method: str, ratio: float) -> None:
    """Raise unless there is such a method and the ratio is between 0 and 1."""
    if method not in METHODS:
        near = suggest(str(method), METHODS)
        raise ConfigError(f"there is no coarsening method {method!r}.{near}")
    number = isinstance(ratio, int | float | np.integer | np.floating)
    if not (number and not isinstance(ratio, bool) and 0 < ratio < 1):
        raise ConfigError(
            f"a coarsening ratio is the fraction of nodes to remove, between 0 and 1, found"
            f" {ratio!r}."
        )


def _check_options(
    graph: Graph, *, eigenvectors: int, small: str, averaging: str, seed: int
) -> None:
    for name, value, least in (("eigenvectors", eigenvectors, 2), ("seed", seed, 0)):
        is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not (is_integer and value >= least):
            raise ConfigError(f"{name} is a whole number from {least}, found {value!r}.")
    if small not in SMALL:
        raise ConfigError(f"small components are {' or '.join(SMALL)}, not {small!r}.")
    if averaging not in AVERAGING:
        raise ConfigError(f"averaging is {' or '.join(AVERAGING)}, not {averaging!r}.")
    if not graph.num_edges:
        raise DataError("the graph has no edge between different nodes: nothing to coarsen.")


def _target_sizes(sizes: Array, ratio: float) -> Array:
    """ceil((1 - ratio) · size), without the rounding of 0.29 · 100; one at least."""
    removed = np.floor(ratio * sizes * (1 + 1e-15)).astype(np.int64)
    return np.asarray(sizes - np.minimum(removed, sizes - 1))


def _number_by_lowest(partition: Array) -> Array:
    """The same sets numbered by their lowest nodes; -1 stays."""
    inside = partition >= 0
    _, first, labels = np.unique(partition[inside], return_index=True, return_inverse=True)
    result = partition.copy()
    result[inside] = np.argsort(np.argsort(first))[labels]
    return result


def _weights_error(graph: Graph) -> DataError:
    """What to say where eigenvectors cannot be computed."""
    weights = np.ones(1) if graph.weights is None else graph.weights
    return DataError(
        "the eigenvectors of the graph cannot be computed; edge weights go from"
        f" {weights.min():.1e} to {weights.max():.1e}: bring them closer together (by their"
        " logarithm, for example)."
    )


def _virtual_subgraphs(owner: Array, node: Array, count: int) -> Subgraphs:
    """Sets of at least two nodes, named by their numbers among all sets."""
    sizes = np.bincount(owner, minlength=count)
    is_virtual = sizes > 1
    number = np.cumsum(is_virtual) - 1
    member = is_virtual[owner]
    return Subgraphs.from_pairs(number[owner[member]], node[member], int(is_virtual.sum()))


def _random_coarsening(
    graph: Graph, weights: SparseMatrix, *, method: str, ratio: float, seed: int
) -> Coarsening:
    wanted = int(_target_sizes(np.array([graph.num_nodes]), ratio)[0])
    owner, node = random_sets(weights, wanted, method, seed=seed)
    count = int(owner.max()) + 1
    virtual = _virtual_subgraphs(owner, node, count)
    notes = []
    if count < wanted:
        notes.append(f"only {count:,} nodes have neighbours, so there are that many sets.")
    return Coarsening(
        source=graph,
        method=method,
        ratio=ratio,
        seed=seed,
        partition=None,
        subgraphs=virtual,
        wanted=wanted,
        num_sets=count,
        notes=tuple(notes),
    )


def _small_note(sizes: Array, is_small: Array, small: Small) -> list[str]:
    if not is_small.any():
        return []
    count, nodes = int(is_small.sum()), int(sizes[is_small].sum())
    if count == 1:
        what = "left out" if small == "leave-out" else "kept as one set"
        return [f"1 component of few nodes ({nodes:,} in all) is {what}."]
    what = "left out" if small == "leave-out" else "kept as one set each"
    return [f"{count:,} components of few nodes ({nodes:,} in all) are {what}."]


def _empty_error(method: str, ratio: float, *, large: int, eigenvectors: int) -> DataError:
    if not large:
        return DataError(
            f"every component has {eigenvectors} nodes at most, so there is nothing to coarsen;"
            " keep small components to have each as a virtual subgraph."
        )
    return DataError(
        f"{method} at ratio {ratio:g} leaves single nodes only, so there is no virtual subgraph;"
        " raise the ratio."
    )
