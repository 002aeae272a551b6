"""Random graphs of the published shapes."""

from __future__ import annotations

import numpy as np
import pytest

from sub2node import ConfigError
from sub2node.datasets import BENCHMARKS, SHAPES, like
from sub2node.task import measure


@pytest.mark.parametrize("name", list(SHAPES))
def test_shapes_are_the_published_ones(name: str) -> None:
    shape, published = SHAPES[name], BENCHMARKS[name].published
    found = (shape.nodes, shape.edges, sum(shape.subgraphs), shape.classes)
    assert found == tuple(published[key] for key in ("nodes", "edges", "subgraphs", "classes"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ppi_bp", "hpo_neuro"])  # one label each, and several
def test_shapes_have_the_published_counts(name: str) -> None:
    shape, task = SHAPES[name], like(name, seed=1)
    assert (task.graph.num_nodes, task.graph.num_edges) == (shape.nodes, shape.edges)
    assert (len(task), task.num_classes) == (sum(shape.subgraphs), shape.classes)
    sizes = task.subgraphs.sizes
    assert sizes.mean() == pytest.approx(shape.size[0], abs=0.05)
    assert sizes.std() == pytest.approx(shape.size[1], rel=0.03)
    internal = measure(task.graph, task.subgraphs).edges.sum()
    assert internal == pytest.approx(shape.internal_edges, abs=5)
    assert task.multilabel == shape.multilabel
    assert task.label_counts()[0].min() > 0
    if name == "ppi_bp":
        assert task == like(name, seed=1)
        assert task != like(name, seed=2)


def test_shapes_of_synthetic_ones_point_to_the_generator() -> None:
    with pytest.raises(ConfigError, match="drawn with generate"):
        like("density")
    assert np.isclose(SHAPES["hpo_neuro"].internal_edges / 4000, 97.6, atol=0.1)
