"""Random graphs with node sets, and lists in flat arrays."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from networkx_graphs import to_networkx
from sub2node.base.ragged import Array, generator, pointers
from sub2node.baselines.subgnn.components import Components
from sub2node.task import Graph, Subgraphs

seeds = st.integers(0, 5)


def lists(ptr: Array, nodes: Array) -> list[list[int]]:
    return [nodes[low:high].tolist() for low, high in pairwise(ptr)]


def ragged(values: list[list[int]]) -> tuple[Array, Array]:
    ptr = pointers(np.array([len(one) for one in values], dtype=np.int64))
    return ptr, np.array([value for one in values for value in one], dtype=np.int64)


def random_graph(size: int = 300, edges: int = 1500, seed: int = 0) -> Graph:
    """A few hubs, the last ten nodes isolated."""
    ends = (generator(seed).random((2, edges)) ** 2 * (size - 10)).astype(int)
    return Graph.from_edges(*ends, num_nodes=size, repeated="same")


def random_sets(graph: Graph, count: int, size: int, seed: int = 0) -> Subgraphs:
    members = generator(seed).integers(0, graph.num_nodes, (count, size))
    return Subgraphs.from_lists([*members.tolist(), [graph.num_nodes - 1]])


NOTHING = Graph.from_edges([], [], num_nodes=0)
NO_EDGES = Graph.from_edges([], [], num_nodes=4)


def expected_distances(graph: Graph, components: Components, limit: int) -> Array:
    result = np.full((len(components), graph.num_nodes), np.inf)
    whole = to_networkx(graph)
    for number, members in enumerate(lists(components.ptr, components.nodes)):
        paths = nx.multi_source_dijkstra_path_length(whole, set(members), weight=None)
        for node, length in paths.items():
            result[number, node] = length if length <= limit else np.inf
    return result
