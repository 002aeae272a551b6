"""A task whose answer is in the members, and a graph with all that edges can have."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sub2node.task import Graph, Split, Subgraphs, SubgraphTask


def ring_task(multilabel: bool = False) -> SubgraphTask:
    """Sets on the left half of a ring are red, on the right half blue."""
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(np.arange(40), (np.arange(40) + 1) % 40)
    labels = np.tile([0, 1], 30)
    sets = [rng.choice(20, 5, replace=False) + 20 * label for label in labels]
    truth = np.stack([labels == 0, labels == 1], axis=1) if multilabel else labels
    return SubgraphTask(
        graph, Subgraphs.from_lists(sets), truth, ("red", "blue"), Split.random(labels)
    )


def ring(weight: float = 0.4, loop: float = 0.7) -> Any:
    """Six nodes in a ring with a chord and a self-loop; the seventh is isolated."""
    dense = np.zeros((7, 7), np.float32)
    for i in range(6):
        dense[i, (i + 1) % 6] = dense[(i + 1) % 6, i] = 1 + i / 4
    dense[0, 3] = dense[3, 0] = weight
    dense[2, 2] = loop
    return sp.csr_array(dense)
