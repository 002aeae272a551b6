"""Random graphs that the synthetic benchmarks are grown from; all return edges (2, E)."""

from __future__ import annotations

import numpy as np

from ..base.ragged import Array


def barabasi_albert(nodes: int, m: int, rng: np.random.Generator) -> Array:
    """Preferential attachment: each new node joins m distinct older ones, likelier popular ones.

    To pick an end of a random earlier edge is to pick a node by degree. The end of edge e is either
    its source, which is known, or its target, which was picked the same way: following these
    references until a known end is reached settles all edges together, without a loop over nodes.
    """
    if nodes <= m:
        raise ValueError(f"{nodes} nodes cannot each join {m} others.")
    # A star of m edges to start with, then m edges for each of the nodes m+1, m+2, …
    source = np.concatenate([np.zeros(m, np.int64), np.repeat(np.arange(m + 1, nodes), m)])
    earlier = np.concatenate([np.zeros(m, np.int64), np.arange(m, len(source)) // m * m])
    picked = rng.integers(0, np.maximum(2 * earlier, 1))
    while True:
        target = _settle(picked, source, m)
        twice = _repeated(source * nodes + target)
        if not len(twice):
            return np.stack([source, target])
        picked[twice] = rng.integers(0, 2 * earlier[twice])


def _settle(picked: Array, source: Array, m: int) -> Array:
    """The node at each picked slot; slot 2e is the source of edge e, slot 2e + 1 its target."""
    slot = picked.copy()
    while len(open_ := np.flatnonzero((slot % 2 == 1) & (slot >= 2 * m))):
        slot[open_] = picked[slot[open_] // 2]
    target = np.where(slot % 2 == 0, source[slot // 2], slot // 2 + 1)
    target[:m] = np.arange(1, m + 1)
    return target


def _repeated(keys: Array) -> Array:
    """Positions of keys that occurred before."""
    order = np.argsort(keys, kind="stable")
    return np.asarray(order[1:][keys[order[1:]] == keys[order[:-1]]])


def duplication_divergence(nodes: int, p: float, rng: np.random.Generator) -> Array:
    """Each new node copies a random node, keeping each of its edges with probability p.

    Node by node, because each step depends on all before it; a step without an edge is repeated.
    """
    neighbours: list[list[int]] = [[1], [0]]
    ends: list[tuple[int, int]] = [(0, 1)]
    while len(neighbours) < nodes:
        new = len(neighbours)
        model = neighbours[int(rng.integers(new))]
        copied = [
            node for node, keep in zip(model, rng.random(len(model)) < p, strict=True) if keep
        ]
        if not copied:
            continue
        neighbours.append(copied)
        for node in copied:
            neighbours[node].append(new)
            ends.append((node, new))
    return np.array(ends, dtype=np.int64).T


def extended_barabasi_albert(nodes: int, m: int, p: Array, rng: np.random.Generator) -> Array:
    """Many small graphs at once: with probability p add m edges, else a node with m edges.

    Ends are picked by degree + 1. Each graph starts with m isolated nodes.

    Args:
        nodes: Nodes of each graph.
        m: Edges added at a time.
        p: One probability per graph, (B,).
        rng: Source of the random numbers.

    Returns:
        Adjacency (B, nodes, nodes), boolean and symmetric.
    """
    links = np.zeros((len(p), nodes, nodes), dtype=bool)
    grown = np.full(len(p), m)
    while len(todo := np.flatnonzero(grown < nodes)):
        size = grown[todo]
        full = links[todo].sum(axis=(1, 2)) >= size * (size - 1)
        dense = (rng.random(len(todo)) < p[todo]) & ~full
        for _ in range(m):
            _add_edge(links, grown, todo[dense], rng)
        _add_node(links, grown, rows=todo[~dense], m=m, rng=rng)
    return links


def _pick(weights: Array, rng: np.random.Generator) -> Array:
    """One column per row, with probability in proportion to its weight; -1 for a row of zeros."""
    ends = np.cumsum(weights, axis=1)
    height = rng.random(len(weights)) * ends[:, -1]
    return np.where(ends[:, -1] > 0, (ends <= height[:, None]).sum(axis=1), -1)


def _add_edge(links: Array, grown: Array, rows: Array, rng: np.random.Generator) -> None:
    alive = np.arange(links.shape[1]) < grown[rows, None]
    degrees = links[rows].sum(axis=2)
    source = _pick(alive & (degrees < grown[rows, None] - 1), rng)
    free = alive & ~links[rows, source]
    free[np.arange(len(rows)), source] = False
    target = _pick(free * (degrees + 1), rng)
    done = (source >= 0) & (target >= 0)
    rows, source, target = rows[done], source[done], target[done]
    links[rows, source, target] = links[rows, target, source] = True


def _add_node(links: Array, grown: Array, *, rows: Array, m: int, rng: np.random.Generator) -> None:
    alive = np.arange(links.shape[1]) < grown[rows, None]
    weights = alive * (links[rows].sum(axis=2) + 1)
    with np.errstate(divide="ignore"):
        # The m largest of log-weight plus Gumbel noise: a draw without replacement.
        score = np.log(weights) + rng.gumbel(size=weights.shape)
    targets = np.argsort(-score, axis=1)[:, :m]
    new = np.repeat(grown[rows], m)
    who = np.repeat(rows, m)
    links[who, targets.ravel(), new] = links[who, new, targets.ravel()] = True
    grown[rows] += 1
