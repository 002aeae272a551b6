"""W by its definition, with dense matrices."""

from __future__ import annotations

import numpy as np

from sub2node import SubgraphTask


def dense_membership(task: SubgraphTask) -> np.ndarray:
    matrix = np.zeros((len(task), task.graph.num_nodes))
    for i in range(len(task)):
        part = slice(task.subgraphs.ptr[i], task.subgraphs.ptr[i + 1])
        weights = task.subgraphs.weights
        matrix[i, task.subgraphs.nodes[part]] = 1 if weights is None else weights[part]
    return matrix


def block_of(rows: int) -> object:
    """Work in blocks of about so many rows, whatever they need."""
    return lambda counts, _: (
        (start, min(start + rows, len(counts))) for start in range(0, len(counts), rows)
    )
