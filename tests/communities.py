"""Three communities and sets of their nodes, which a classifier learns within a second."""

from __future__ import annotations

import numpy as np
import pytest

from sub2node import SubgraphClassifier
from sub2node.base.errors import Sub2NodeError
from sub2node.scoring.training import Recipe
from sub2node.task import Graph, Names

NODES, SETS = 30, 36
S = {"epochs": 4, "hidden": 8, "features.kind": "random", "width": 8}


def communities() -> Graph:
    """Three of ten nodes each."""
    rng = np.random.default_rng(0)
    ends = [
        (i, j)
        for i in range(NODES)
        for j in range(i + 1, NODES)
        if rng.random() < (0.5 if i // 10 == j // 10 else 0.03)
    ]
    return Graph.from_edges(*np.array(ends).T, num_nodes=NODES)


def inside(k: int, rng: np.random.Generator) -> list[int]:
    """Nodes of one of them."""
    return sorted(set((10 * (k % 3) + rng.integers(0, 10, 4)).tolist()))


RNG = np.random.default_rng(0)
GRAPH = communities()
X = [inside(k, RNG) for k in range(SETS)]
NEW = [inside(k, RNG) for k in range(9)]
NUMBERS = np.arange(SETS) % 3
Y = np.array(["left", "middle", "right"])[NUMBERS].tolist()
TABLE = np.eye(3, dtype=int)[NUMBERS]
TABLE[::5, 0] = 1
LISTS = [np.array(["left", "middle", "right"])[row == 1].tolist() for row in TABLE]
FLAT = [node for nodes in X for node in nodes]
OWNER = [number for number, nodes in enumerate(X) for _ in nodes]
NAMED_GRAPH = Graph(GRAPH.indptr, GRAPH.indices, names=Names([f"n{i}" for i in range(NODES)]))


def classifier(**options) -> SubgraphClassifier:
    """One that is quick."""
    return SubgraphClassifier(
        **{"graph": GRAPH, "seeds": 1, "preset": "fast", "settings": S, **options}
    )


def raises(call) -> None:
    """A call that cannot be done is refused with one sentence of ours."""
    with pytest.raises(Sub2NodeError) as caught:
        call()
    assert "\n" not in str(caught.value)


def recipe(**options) -> Recipe:
    """What a classifier of the communities would train, the structure chosen."""
    made = classifier(structure="auto", device="cpu", **options)
    return made._build_recipe(np.array(["left", "middle", "right"]))
