"""Graphs of NetworkX as ours, and dense matrices of them."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from sub2node.task import Graph


def graph_of(graph: nx.Graph, weights: Any = None) -> Graph:
    """The same graph in ours, its nodes numbered in their order."""
    graph = nx.convert_node_labels_to_integers(graph)
    ends = np.array(graph.edges, dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(*ends.T, num_nodes=len(graph), weights=weights)


def to_networkx(graph: Graph) -> nx.Graph:
    """The same graph in NetworkX, without weights and self-loops."""
    low, high, _ = graph.edges()
    result = nx.empty_graph(graph.num_nodes)
    result.add_edges_from(zip(low.tolist(), high.tolist(), strict=True))
    return result


def normalized(graph: Graph) -> Any:
    """S = D^-½ A D^-½, dense; rows of isolated nodes are 0."""
    matrix = graph.adjacency(loops=True, dtype=np.float64).toarray()
    degree = matrix.sum(axis=1)
    root = np.divide(1, np.sqrt(degree), out=np.zeros_like(degree), where=degree > 0)
    return root[:, None] * matrix * root
