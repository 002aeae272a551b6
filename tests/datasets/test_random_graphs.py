"""Random graphs against the generators of NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.datasets.random_graphs import (
    barabasi_albert,
    duplication_divergence,
    extended_barabasi_albert,
)


@given(st.integers(1, 6), st.integers(0, 200), st.integers(0, 5))
def test_barabasi_albert_joins_each_node_to_m_older_ones(m: int, more: int, seed: int) -> None:
    nodes = m + 1 + more
    source, target = barabasi_albert(nodes, m, np.random.default_rng(seed))
    assert len(source) == m + m * more == nx.barabasi_albert_graph(nodes, m, seed=0).size()
    assert len({*zip(source.tolist(), target.tolist(), strict=True)}) == len(source)
    late = source > m
    assert (target[late] < source[late]).all()
    assert (np.bincount(source, minlength=nodes)[m + 1 :] == m).all()
    assert nx.is_connected(nx.Graph(zip(source.tolist(), target.tolist(), strict=True)))


@pytest.mark.slow
def test_barabasi_albert_prefers_the_popular() -> None:
    """The tail of the degrees is that of NetworkX's generator: P(d >= x) falls as x**-2."""
    ours = np.bincount(barabasi_albert(20_000, 5, np.random.default_rng(1)).ravel())
    theirs = np.array([d for _, d in nx.barabasi_albert_graph(20_000, 5, seed=1).degree])
    for x in (10, 20, 50):
        assert (ours >= x).mean() == pytest.approx((theirs >= x).mean(), rel=0.15)


@pytest.mark.slow
def test_duplication_divergence_grows_like_networkx() -> None:
    rng = np.random.default_rng(0)
    ours = [duplication_divergence(300, 0.7, rng).shape[1] for _ in range(40)]
    theirs = [nx.duplication_divergence_graph(300, 0.7, seed=s).size() for s in range(40)]
    assert np.median(ours) == pytest.approx(np.median(theirs), rel=0.35)
    graph = nx.Graph(duplication_divergence(300, 0.7, rng).T.tolist())
    assert graph.number_of_nodes() == 300
    assert nx.is_connected(graph)


@pytest.mark.parametrize("p", [0.0, 0.1, 0.5, 0.9])
def test_extended_barabasi_albert_grows_like_networkx(p: float) -> None:
    links = extended_barabasi_albert(15, 5, np.full(300, p), np.random.default_rng(0))
    assert np.array_equal(links, links.transpose(0, 2, 1))
    assert not links[:, np.arange(15), np.arange(15)].any()
    theirs = [nx.extended_barabasi_albert_graph(15, 5, p, 0, seed=s).size() for s in range(100)]
    ours = links.sum(axis=(1, 2)) / 2
    assert ours.mean() == pytest.approx(np.mean(theirs), rel=0.1)
    assert (links.sum(axis=2) > 0).all(), "a node without an edge"
