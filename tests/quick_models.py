"""Settings that train every baseline at once, and a task with odd subgraphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from sub2node.baselines import NETWORKS, SIMPLE
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask

NET = {"epochs": 3, "start": 0, "batch": 7, "features.kind": "random"}
SUBGNN = {
    "position": True, "patches": 3, "walks": 1, "walk_length": 3, "patch_length": 4,
    "features.width": 8,
}  # fmt: skip
QUICK: dict[str, dict[str, Any]] = {
    **{name: {} for name in SIMPLE},
    "sub2vec": {"epochs": 2, "width": 8, "variant": "joint"},
    "gbdt": {"trees": 3, "inputs": "both", "features.width": 8},
    "statistics": {"trees": 5},
    "wl": {"rounds": 1, "view": "both"},
    **dict.fromkeys(NETWORKS, NET),
    "subgnn": {**NET, **SUBGNN},
}
NODES, COUNT = 30, 36
PARTS = ["train"] * 20 + ["val"] * 8 + ["test"] * 8


def odd_graph(**options: Any) -> Graph:
    """Weights, self-loops, and three nodes without edges."""
    rng = np.random.default_rng(0)
    ends = rng.integers(0, NODES - 3, (2, 70))
    return Graph.from_edges(
        *ends, num_nodes=NODES, weights=rng.uniform(0.1, 3, 70), repeated="sum", **options
    )


def odd_sets() -> Subgraphs:
    """Of one to eight nodes, two the same, some without edges."""
    rng = np.random.default_rng(1)
    lists = [rng.choice(NODES, size, replace=False) for size in rng.integers(1, 9, COUNT)]
    lists[3], lists[5], lists[6], lists[25] = lists[4], [NODES - 1], [NODES - 1, NODES - 2], [0]
    return Subgraphs.from_lists(lists)


CLASSES = np.arange(COUNT) % 3


def odd_task(
    labels: Any = CLASSES,
    names: tuple[str, ...] = (),
    *,
    of: Graph | None = None,
    subgraphs: Subgraphs | None = None,
    parts: list[str] | None = None,
) -> SubgraphTask:
    """A task of these subgraphs, with three classes in turn unless others are named."""
    return SubgraphTask(
        of or odd_graph(),
        subgraphs or odd_sets(),
        np.array(labels),
        names,
        Split.given(parts or PARTS),
    )
