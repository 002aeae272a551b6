"""Random layers, and their matrices as they are printed."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from strategies import graphs, node_sets
from sub2node.task import Graph, Subgraphs


@st.composite
def problems(draw: st.DrawFn) -> tuple[Graph, Subgraphs, np.ndarray, np.ndarray, np.ndarray]:
    """Graph with isolated nodes, overlapping and single-node subgraphs, X, X̂ and W."""
    graph = draw(graphs(plain=True))
    subgraphs = Subgraphs.from_lists(draw(node_sets(graph.num_nodes)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    width = draw(st.integers(1, 4))
    x = rng.standard_normal((graph.num_nodes, width))
    x_hat = rng.standard_normal((len(subgraphs), width))
    return graph, subgraphs, x, x_hat, rng.standard_normal((width, 3))


def inverse_root(degrees: np.ndarray) -> np.ndarray:
    return np.diag([0.0 if d == 0 else d**-0.5 for d in degrees])


def dense(graph: Graph, subgraphs: Subgraphs, *, loops: bool = False) -> tuple[np.ndarray, ...]:
    """A, M, D^-½ A D^-½, D̂^-½ Â D̂^-½ and R as they are printed."""
    a = graph.adjacency(dtype=np.float64).toarray() + loops * np.eye(graph.num_nodes)
    m = np.zeros((graph.num_nodes, len(subgraphs)))
    for i in range(len(subgraphs)):
        m[subgraphs.nodes[subgraphs.ptr[i] : subgraphs.ptr[i + 1]], i] = 1
    a_hat = m.T @ a @ m
    d, d_hat = a.sum(axis=1), a_hat.sum(axis=1)
    r = np.diag(np.sqrt(d)) @ m @ inverse_root(d_hat)
    spread = inverse_root(d) @ a @ inverse_root(d)
    return a, m, spread, inverse_root(d_hat) @ a_hat @ inverse_root(d_hat), r
