"""Sets of nodes beside a table of nodes: two columns that say nothing, and one that may."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sub2node import SubgraphTask

NODES, SETS, MEMBERS = 90, 120, 4
SETTINGS = {"epochs": 40, "hidden": 16, "inner_layers": 1}


def featured_task(about: str, node_features: Sequence[str] | None = None) -> SubgraphTask:
    """Sets whose class is the community of their nodes, or the most frequent kind of these.

    Args:
        about: ``community``, which the graph says, or ``kind``, which a column of text says.
        node_features: The columns that are features; None: age and balance.
    """
    rng = np.random.default_rng(0)
    group = np.arange(NODES) // 30
    low, high = np.triu_indices(NODES, 1)
    joined = rng.random(len(low)) < np.where(group[low] == group[high], 0.25, 0.02)
    sets = np.array([30 * (k % 3) + rng.choice(30, MEMBERS, replace=False) for k in range(SETS)])
    parts = (["train"] * 3 + ["val", "test"]) * (SETS // 5)
    rng.shuffle(parts)
    nodes = {
        "node_id": np.arange(NODES),
        "age_days": rng.integers(1, 4000, NODES),
        "balance": rng.lognormal(8, 2, NODES).round(2),
        "kind": rng.choice(list("xyz"), NODES),
    }
    counts = [[np.count_nonzero(nodes["kind"][row] == kind) for kind in "xyz"] for row in sets]
    classes = np.arange(SETS) % 3 if about == "community" else np.argmax(counts, axis=1)
    return SubgraphTask.from_tables(
        {"source": low[joined], "target": high[joined]},
        {"subgraph_id": np.repeat(np.arange(SETS), MEMBERS), "node_id": sets.ravel()},
        {"subgraph_id": np.arange(SETS), "label": [f"c{c}" for c in classes], "split": parts},
        nodes=nodes,
        node_features=node_features,
    )
