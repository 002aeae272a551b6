"""Communities come near the number of sets that is wanted."""

from __future__ import annotations

import sys

import networkx as nx
import pytest

from networkx_graphs import graph_of
from sub2node import ConfigError
from sub2node.base.errors import MissingExtraError
from sub2node.coarsen import coarsen
from sub2node.coarsen.communities import COMMUNITY_METHODS, communities


@pytest.mark.parametrize("method", COMMUNITY_METHODS)
def test_negative_seeds_are_refused_by_communities(method: str) -> None:
    with pytest.raises(ConfigError, match="seed is a whole number from 0"):
        coarsen(graph_of(nx.cycle_graph(10)), method, seed=-1)


@pytest.mark.parametrize("method", COMMUNITY_METHODS)
def test_without_networkit_the_extra_is_named(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkit", None)
    with pytest.raises(MissingExtraError, match=r"networkit.*sub2node\[baselines\]"):
        coarsen(graph_of(nx.cycle_graph(10)), method)


@pytest.mark.parametrize("method", COMMUNITY_METHODS)
def test_communities_come_near_and_threads_stay(method: str) -> None:
    import networkit as nk

    threads = nk.getMaxNumberOfThreads()
    graph = graph_of(nx.connected_watts_strogatz_graph(300, 6, 0.1, seed=0))
    for ratio in (0.5, 0.8):
        coarse = coarsen(graph, method, ratio)
        assert abs(coarse.num_sets - coarse.wanted) <= 0.05 * 300
        (note,) = coarse.notes
        assert f"finds {coarse.num_sets:,} communities" in note
        assert f"{coarse.wanted:,} wanted" in note
        assert "nan" not in note
    assert nk.getMaxNumberOfThreads() == threads


def test_communities_of_separate_cliques_are_the_cliques() -> None:
    weights = graph_of(nx.disjoint_union_all([nx.complete_graph(6)] * 4)).adjacency()
    labels, note = communities(weights, 4, seed=0)
    assert labels.reshape(4, 6).T.tolist() == [labels[::6].tolist()] * 6
    assert len(set(labels.tolist())) == 4
    assert note.startswith("louvain finds 4 communities at resolution")
    singles, _ = communities(weights, 24, seed=0)
    assert len(set(singles.tolist())) == 24
