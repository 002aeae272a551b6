"""Synthetic benchmarks measure what their labels say."""

from __future__ import annotations

import numpy as np
import pytest

from sub2node import ConfigError
from sub2node.datasets import SYNTHETIC, generate
from sub2node.datasets.random_graphs import barabasi_albert
from sub2node.datasets.synthetic import _search_sets, _terciles
from sub2node.task import Graph, measure


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


@pytest.mark.slow
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


@pytest.mark.slow
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
