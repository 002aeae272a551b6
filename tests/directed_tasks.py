"""A task whose graph has directed edges: repeated ones, self-loops, with or without weights."""

from __future__ import annotations

import numpy as np

from sub2node import Subgraphs, SubgraphTask
from sub2node.task import Arcs, Graph, Split


def directed_task(*, weighted: bool = False, named: bool = False, seed: int = 0) -> SubgraphTask:
    """40 subgraphs of a graph of 30 nodes and 150 directed edges."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 30, (2, 150))
    weights = rng.integers(1, 9, 150) / 4 if weighted else None
    arcs = Arcs(*ends, weights=weights)
    names = [f"n{node}" for node in range(30)] if named else None
    graph = Graph.from_arcs(arcs, num_nodes=30, names=names)
    sets = Subgraphs.from_lists(
        [rng.choice(30, rng.integers(1, 5), replace=False) for _ in range(40)]
    )
    split = Split.sizes(train=24, val=8, test=8)
    return SubgraphTask(graph, sets, rng.integers(0, 2, 40), ("x", "y"), split)
