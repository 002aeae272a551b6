"""The matching of all edges at once against the loop that it stands for."""

from __future__ import annotations

import time

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import graphs
from sub2node.coarsen import matching as module
from sub2node.coarsen.matching import greedy_matching
from sub2node.task import Graph


def one_by_one(low: np.ndarray, high: np.ndarray, cost: np.ndarray, stop: int = -1) -> list[int]:
    """Edges by cost, then position; each is taken if both ends are free."""
    taken: set[int] = set()
    result: list[int] = []
    for edge in sorted(range(len(low)), key=lambda e: (cost[e], e)):
        if len(result) != stop and low[edge] not in taken and high[edge] not in taken:
            taken |= {low[edge], high[edge]}
            result.append(edge)
    return result


@st.composite
def cases(draw: st.DrawFn) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Nodes, ends and costs; some cases have hardly any two costs that differ."""
    graph = draw(graphs(plain=True, weighted=False))
    low, high, _ = graph.edges()
    most = draw(st.sampled_from([0, 1, 3, 1000]))
    cost = draw(st.lists(st.integers(-most, most), min_size=len(low), max_size=len(low)))
    order = np.array(draw(st.permutations(range(len(low)))), dtype=np.int64)
    return graph.num_nodes, low[order], high[order], np.array(cost, dtype=float)


@given(cases(), st.integers(1, 4))
def test_equals_the_loop(case: tuple[int, np.ndarray, np.ndarray, np.ndarray], window: int) -> None:
    size, low, high, cost = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_WINDOW", window)
        found = greedy_matching(low, high, cost, size)
    assert found.tolist() == one_by_one(low, high, cost)
    for stop in range(len(found)):
        assert found[:stop].tolist() == one_by_one(low, high, cost, stop)


@given(
    seed=st.integers(0, 10**6),
    size=st.integers(20, 200),
    density=st.floats(0.01, 0.4),
    costs=st.sampled_from([1, 2, 10, 10**9]),
)
def test_equals_the_loop_on_larger_graphs(seed: int, size: int, density: float, costs: int) -> None:
    rng = np.random.default_rng(seed)
    low, high = np.nonzero(np.triu(rng.random((size, size)) < density, 1))
    cost = rng.integers(0, costs, len(low)).astype(float)
    assert greedy_matching(low, high, cost, size).tolist() == one_by_one(low, high, cost)


SHAPES = {
    "star": nx.star_graph(60),
    "two stars": nx.disjoint_union(nx.star_graph(40), nx.star_graph(3)),
    "path": nx.path_graph(61),
    "ring": nx.cycle_graph(60),
    "complete": nx.complete_graph(25),
    "tree": nx.balanced_tree(3, 4),
    "one edge": nx.path_graph(2),
}


@pytest.mark.parametrize("shape", list(SHAPES))
@pytest.mark.parametrize("costs", ["equal", "ascending", "descending", "random", "infinite"])
def test_shapes(shape: str, costs: str) -> None:
    ends = np.sort(np.array(SHAPES[shape].edges), axis=1)
    low, high = ends.T
    count = len(ends)
    cost = {
        "equal": np.zeros(count),
        "ascending": np.arange(count, dtype=float),
        "descending": -np.arange(count, dtype=float),
        "random": np.random.default_rng(0).random(count),
        "infinite": np.where(np.arange(count) % 2, np.inf, 0.0),
    }[costs]
    size = len(SHAPES[shape])
    assert greedy_matching(low, high, cost, size).tolist() == one_by_one(low, high, cost)


@pytest.mark.parametrize("size", [0, 1, 5])
def test_no_edges_no_matching(size: int) -> None:
    none = np.empty(0, dtype=np.int64)
    assert greedy_matching(none, none, np.empty(0), size).tolist() == []


def test_nodes_after_the_last_edge_are_no_trouble() -> None:
    graph = Graph.from_edges([0, 1], [1, 2], num_nodes=50)
    low, high, _ = graph.edges()
    assert greedy_matching(low, high, np.array([1.0, 0.0]), 50).tolist() == [1]


@pytest.mark.slow
@pytest.mark.parametrize("sign", [1, -1])
def test_a_long_chain_of_dependent_choices_takes_seconds(sign: int) -> None:
    # Every round finds one edge only.
    size = 20_000
    low, high = np.arange(size - 1), np.arange(1, size)
    cost = sign * np.arange(size - 1, dtype=float)
    start = time.process_time()
    found = greedy_matching(low, high, cost, size)
    assert time.process_time() - start < 20
    assert len(found) == size // 2
    assert found.tolist() == (low[::2] if sign > 0 else low[::-2]).tolist()
