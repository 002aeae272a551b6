from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node import ConfigError
from sub2node.datasets import SYNTHETIC, generate
from sub2node.datasets.random_graphs import (
    barabasi_albert,
    duplication_divergence,
    extended_barabasi_albert,
)
from sub2node.datasets.synthetic import _search_sets, _terciles
from sub2node.task import Graph, measure


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


def test_barabasi_albert_prefers_the_popular() -> None:
    """The tail of the degrees is that of NetworkX's generator: P(d >= x) falls as x**-2."""
    ours = np.bincount(barabasi_albert(20_000, 5, np.random.default_rng(1)).ravel())
    theirs = np.array([d for _, d in nx.barabasi_albert_graph(20_000, 5, seed=1).degree])
    for x in (10, 20, 50):
        assert (ours >= x).mean() == pytest.approx((theirs >= x).mean(), rel=0.15)


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


def test_search_sets_are_the_first_nodes_of_a_breadth_first_search() -> None:
    ends = barabasi_albert(300, 2, np.random.default_rng(3))
    graph = Graph.from_edges(*ends, num_nodes=300)
    sets = _search_sets(graph, np.array([7, 100, 299]), 20, depth=3)
    assert sets.sizes.tolist() == [20, 20, 20]
    assert (measure(graph, sets).components == 1).all()
    dense = graph.adjacency().toarray()
    for i, start in enumerate((7, 100, 299)):
        members = sets.nodes[sets.ptr[i] : sets.ptr[i + 1]]
        near = np.flatnonzero(dense[start])
        assert start in members
        # Neighbours come before nodes two hops away.
        assert set(near[:19]) <= set(members.tolist()) or len(near) > 19


@pytest.mark.parametrize("name", SYNTHETIC)
def test_generated_tasks_are_reproducible_and_consistent(name: str) -> None:
    task = generate(name, seed=3, subgraphs=60)
    assert task == generate(name, seed=3, subgraphs=60)
    assert task != generate(name, seed=4, subgraphs=60)
    assert task.name == name
    assert task.split is not None
    assert task.labels is not None
    assert set(task.labels[task.split.mask("train")]) == set(task.labels)
    assert task.num_classes == (2 if name == "component" else 3)


@pytest.mark.parametrize("seed", [0, 1, 6, 92])
def test_density_reaches_its_targets(seed: int) -> None:
    task = generate("density", seed=seed, subgraphs=90)
    density = measure(task.graph, task.subgraphs).density
    nearest = np.abs(density[:, None] - [0.05, 0.25, 0.45])
    assert (nearest.min(axis=1) <= 0.0101).mean() > 0.9
    assert np.array_equal(nearest.argmin(axis=1), task.labels)
    reached = int(task.notes[1].split("reached by ")[1].split()[0])
    assert 80 < reached <= (nearest.min(axis=1) <= 0.01 + 1e-9).sum()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_cut_ratio_reaches_its_targets(seed: int) -> None:
    task = generate("cut_ratio", seed=seed, subgraphs=90)
    measured = measure(task.graph, task.subgraphs)
    targets = np.array([0.005, 0.0125, 0.02]) * 5000 / 1800
    nearest = np.abs(measured.cut_ratio[:, None] - targets)
    assert (nearest.min(axis=1) <= 0.001 * 5000 / 1800).all()
    assert np.array_equal(nearest.argmin(axis=1), task.labels)
    assert (measured.sizes == 20).all()
    assert measured.density.mean() > 0.85, "the planted cliques are mostly whole"


def test_coreness_sets_are_disjoint_and_labelled_by_terciles() -> None:
    task = generate("coreness", seed=1, subgraphs=100)
    assert len(np.unique(task.subgraphs.nodes)) == len(task.subgraphs.nodes)
    core = measure(task.graph, task.subgraphs).mean_core
    assert np.array_equal(_terciles(core), task.labels)
    assert (measure(task.graph, task.subgraphs).components == 1).all()
    assert np.bincount(_terciles(core)).min() > len(task) / 5


def test_terciles_follow_the_published_rule() -> None:
    values = np.array([1.0, 2, 3, 4, 5, 6])
    assert _terciles(values).tolist() == [0, 1, 1, 2, 2, 2]
    assert _terciles(np.array([1.0, 1, 1, 1, 2, 3])).tolist() == [1, 1, 1, 1, 1, 1]


def test_component_counts_are_the_labels() -> None:
    task = generate("component", seed=2, subgraphs=80)
    counts = measure(task.graph, task.subgraphs).components
    assert np.array_equal(counts >= 5, task.labels)
    assert np.array_equal(task.subgraphs.sizes, 15 * counts)
    assert measure(task.graph, task.subgraphs).boundary.tolist() == counts.tolist()


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"subgraphs": 3}, "too few"),
        ({"size": 4}, "too few"),
        ({"nodes": 30}, "too few for subgraphs of 20"),
    ],
)
def test_impossible_sizes_are_refused(settings_: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        generate("density", **settings_)
