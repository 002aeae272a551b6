"""Graphs of NetworkX as ours, and dense matrices of them."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from sub2node.task import Graph


def graph_of(graph: nx.Graph) -> Graph:
    graph = nx.convert_node_labels_to_integers(graph)
    ends = np.array(graph.edges, dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(ends[:, 0], ends[:, 1], num_nodes=graph.number_of_nodes())


def normalized(graph: Graph) -> Any:
    """S, dense."""
    matrix = graph.adjacency(loops=True, dtype=np.float64).toarray()
    degree = matrix.sum(axis=1)
    root = np.divide(1, np.sqrt(degree), out=np.zeros_like(degree), where=degree > 0)
    return root[:, None] * matrix * root
