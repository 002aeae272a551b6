"""The four synthetic benchmarks, drawn anew at any size.

They follow the description of Alsentzer et al. (SubGNN, NeurIPS 2020): the label of a subgraph is
its density, its cut ratio, its mean core number, or its number of components. Repaired here: node
ids are never shifted, targets are reached (how many is in ``task.notes``), every draw depends on
the seed alone, and a subgraph's label is the target nearest to what it measures.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from scipy.sparse.csgraph import dijkstra

from ..base import progress
from ..base.errors import ConfigError, suggest
from ..base.ragged import Array, generator, owners, pointers, ranges
from ..task import Graph, Split, Subgraphs, SubgraphTask, core_numbers, measure
from .edits import reach_cut_ratio, reach_density
from .random_graphs import barabasi_albert, duplication_divergence, extended_barabasi_albert

Synthetic = Literal["density", "cut_ratio", "coreness", "component"]
SYNTHETIC: tuple[Synthetic, ...] = get_args(Synthetic)
_CLASSES = ("A", "B", "C")
_FEWEST, _MOST_PAIRS = 12, 200_000_000
_M, _P = 5, 0.7  # edges per node (Barabási–Albert); edges kept (duplication-divergence)
_DENSITIES = (0.05, 0.25, 0.45)
_CUT_RATIOS = (0.005, 0.0125, 0.02)  # of 5,000 nodes


def generate(
    name: str,
    *,
    seed: int = 0,
    subgraphs: int = 250,
    nodes: int | None = None,
    size: int | None = None,
) -> SubgraphTask:
    """Draw a synthetic benchmark.

    Args:
        name: ``density``, ``cut_ratio``, ``coreness`` or ``component``.
        seed: Seed of the draw; the same seed and sizes give the same task.
        subgraphs: Number of subgraphs; ``coreness`` gives fewer where the graph has too few nodes
            of a core number.
        nodes: Nodes of the base graph; by default 20 per subgraph (``component``: 4), as published.
        size: Nodes of a subgraph, 20 by default; ``component``: of each of its components, 15.
    """
    if name not in SYNTHETIC:
        raise ConfigError(f"no generator is called {name!r}.{suggest(name, SYNTHETIC)}")
    share, usual = (4, 15) if name == "component" else (20, 20)
    size = usual if size is None else size
    if subgraphs < _FEWEST or size < _M + 1:
        raise ConfigError(
            f"{subgraphs} subgraphs of {size} nodes are too few; at least {_FEWEST} of {_M + 1}."
        )
    if subgraphs * size**2 > _MOST_PAIRS:
        raise ConfigError(
            f"{subgraphs:,} subgraphs of {size:,} nodes have too many pairs of nodes."
        )
    nodes = max(share * subgraphs, 2 * size) if nodes is None else nodes
    if nodes < 2 * size:
        raise ConfigError(f"{nodes} nodes are too few for subgraphs of {size}.")
    rng = generator(seed)
    graph, sets, values, labels, notes = {
        "density": _density,
        "cut_ratio": _cut_ratio,
        "coreness": _coreness,
        "component": _component,
    }[name](subgraphs, nodes, size, rng)
    labels = _renumber(labels)
    drawn = f"Generated: {name}, seed {seed}, values {values.min():.4g} to {values.max():.4g}."
    return SubgraphTask(
        graph,
        sets,
        labels=labels,
        class_names=_CLASSES[: labels.max() + 1],
        split=Split.random(labels, seed=seed),
        name=name,
        notes=(drawn, *notes),
    )


_Drawn = tuple[Graph, Subgraphs, Array, Array, list[str]]


def _density(count: int, nodes: int, size: int, rng: np.random.Generator) -> _Drawn:
    base = Graph.from_edges(*barabasi_albert(nodes, _M, rng), num_nodes=nodes)
    starts = rng.choice(nodes, count, replace=count > nodes)
    sets = _search_sets(base, starts, size, depth=3)
    targets, set_targets = _targets(_DENSITIES, count, rng)
    graph, reached = reach_density(base, sets, set_targets, tolerance=0.01, rng=rng)
    values = measure(graph, sets).density
    return graph, sets, values, _nearest(values, targets), [_reached_note("density", reached)]


def _cut_ratio(count: int, nodes: int, size: int, rng: np.random.Generator) -> _Drawn:
    sets = Subgraphs.from_lists(_random_sets(count, nodes, size, rng))
    ends = sets.nodes.reshape(count, size)
    a, b = np.triu_indices(size, 1)
    planted = np.stack([ends[:, a].ravel(), ends[:, b].ravel()])
    grown = np.concatenate([barabasi_albert(nodes, _M, rng), planted], axis=1)
    base = Graph.from_edges(*grown, num_nodes=nodes)
    # The number of boundary edges is kept as the graph grows, not their share of all pairs.
    scale = 5000 / nodes
    targets, set_targets = _targets(tuple(scale * t for t in _CUT_RATIOS), count, rng)
    graph, reached = reach_cut_ratio(base, sets, set_targets, tolerance=0.001 * scale, rng=rng)
    values = measure(graph, sets).cut_ratio
    return graph, sets, values, _nearest(values, targets), [_reached_note("cut ratio", reached)]


def _coreness(count: int, nodes: int, size: int, rng: np.random.Generator) -> _Drawn:
    base = Graph.from_edges(*duplication_divergence(nodes, _P, rng), num_nodes=nodes)
    cores = core_numbers(base.indptr, base.indices)
    limit = max(1, round(30 * count / 250))
    shuffled = rng.permutation(nodes)
    shuffled = shuffled[np.argsort(cores[shuffled], kind="stable")]
    per_core = np.bincount(cores)
    set_counts = np.minimum(per_core // size, limit)
    starts = np.repeat(pointers(per_core)[:-1], set_counts) + size * ranges(
        0 * set_counts, set_counts
    )
    rows = shuffled[ranges(starts, np.full(len(starts), size))].reshape(-1, size)
    rows = rows[np.sort(rng.permutation(len(rows))[:count])]
    planted = [row[duplication_divergence(size, _P, rng)] for row in rows]
    low, high, _ = base.edges()
    ends = np.concatenate([np.stack([low, high]), *planted], axis=1)
    graph = Graph.from_edges(*ends, num_nodes=nodes)
    sets = Subgraphs.from_lists(rows)
    values = measure(graph, sets).mean_core
    note = f"{len(rows):,} subgraphs of nodes of one core number each ({count:,} were asked for)."
    return graph, sets, values, _terciles(values), [note]


def _component(count: int, nodes: int, size: int, rng: np.random.Generator) -> _Drawn:
    base = Graph.from_edges(*barabasi_albert(nodes, _M, rng), num_nodes=nodes)
    parts = rng.choice([1, 1, 1, 1, 5, 6, 7, 8, 9, 10], count)
    kind = rng.integers(0, 3, count)  # near, middle or far components, with p tied to it
    roots, notes = _component_roots(base, parts, kind, rng)
    p = np.array([0.1, 0.5, 0.9])[np.repeat(kind, parts)]
    inner = extended_barabasi_albert(size, _M, p, rng)
    which, a, b = np.nonzero(np.triu(inner))
    first = nodes + size * np.arange(len(p))
    staple = first + rng.integers(0, size, len(p))
    low, high, _ = base.edges()
    source = np.concatenate([low, first[which] + a, roots])
    target = np.concatenate([high, first[which] + b, staple])
    graph = Graph.from_edges(source, target, num_nodes=nodes + size * len(p))
    ptr = pointers(parts * size)
    sets = Subgraphs(ptr, np.arange(nodes, nodes + ptr[-1]))
    values = measure(graph, sets).components
    return graph, sets, values, (values >= 5).astype(np.int64), notes


def _component_roots(
    base: Graph, parts: Array, kind: Array, rng: np.random.Generator
) -> tuple[Array, list[str]]:
    """The base node of each component: a random one for a subgraph's first, and for the others
    one that lies a given number of hops away from it, or else as far as there is."""
    first = rng.integers(0, base.num_nodes, len(parts))
    adjacency = base.adjacency()
    roots, diameter, step = [], 0, 256
    for start in range(0, len(parts), step):
        rows = slice(start, start + step)
        hops = dijkstra(adjacency, unweighted=True, indices=first[rows])
        hops[~np.isfinite(hops)] = -1
        diameter = max(diameter, int(hops.max()))
        far = (diameter * np.array([0.12, 0.5, 1.0])).astype(int)[kind[rows]]
        far = np.minimum(far, hops.max(axis=1).astype(int))
        owner = owners(pointers(parts[rows]))
        fits = hops[owner] == far[owner, None]
        drawn = np.argmax(fits * rng.random(fits.shape), axis=1)
        drawn[pointers(parts[rows])[:-1]] = first[rows]
        roots.append(drawn)
        progress.step("Placing components", min(start + step, len(parts)), len(parts))
    return np.concatenate(roots), [f"Base graph of {base.num_nodes:,} nodes, {diameter} hops wide."]


def _random_sets(count: int, nodes: int, size: int, rng: np.random.Generator) -> Array:
    """(count, size): distinct random nodes in each row."""
    rows = rng.integers(0, nodes, (count, size))
    while True:
        rows.sort(axis=1)
        twice = np.zeros(rows.shape, dtype=bool)
        twice[:, 1:] = rows[:, 1:] == rows[:, :-1]
        if not twice.any():
            return np.asarray(rows)
        rows[twice] = rng.integers(0, nodes, int(twice.sum()))


def _search_sets(graph: Graph, starts: Array, size: int, depth: int) -> Subgraphs:
    """The first ``size`` nodes of a breadth-first search from each start, all searches together."""
    degrees = graph.degrees
    owner, node = np.arange(len(starts)), starts
    front = np.arange(len(starts))  # positions of the nodes reached last
    for _ in range(depth):
        counts = degrees[node[front]]
        neighbours = graph.indices[ranges(graph.indptr[node[front]], counts)]
        who = np.concatenate([owner, np.repeat(owner[front], counts)])
        what = np.concatenate([node, neighbours])
        key = who * graph.num_nodes + what
        order = np.argsort(key, kind="stable")
        new = order[np.r_[True, key[order[1:]] != key[order[:-1]]]]
        new.sort()  # first occurrences, in the order they were met
        by_set = new[np.argsort(who[new], kind="stable")]
        ptr = pointers(np.bincount(who[by_set], minlength=len(starts)))
        early = np.sort(by_set[np.arange(len(by_set)) - ptr[who[by_set]] < size])
        front = np.flatnonzero(early >= len(node))
        owner, node = who[early], what[early]
    return Subgraphs.from_pairs(owner, node, len(starts))


def _targets(
    values: tuple[float, ...], count: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """The targets, and one for each subgraph, as many of each."""
    targets = np.array(values)
    return targets, targets[rng.permutation(np.arange(count) % len(targets))]


def _nearest(values: Array, targets: Array) -> Array:
    return np.asarray(np.argmin(np.abs(values[:, None] - targets), axis=1))


def _terciles(values: Array) -> Array:
    """Bins with about a third each: a cut lies at the last value of each third."""
    ordered = np.sort(values)
    cuts = np.unique(ordered[len(values) * np.arange(1, 4) // 3 - 1])[:-1]
    return np.asarray(np.searchsorted(cuts, values, side="right"), dtype=np.int64)


def _renumber(labels: Array) -> Array:
    """The same classes, counted without gaps."""
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64)


def _reached_note(what: str, reached: Array) -> str:
    return f"The target {what} was reached by {reached.sum():,} of {len(reached):,} subgraphs."
