"""Mean and spread of weights, and the weight of a standard score."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sub2node as s2n
from sub2node import ConfigError, DataError, Graph, Subgraphs, SubgraphTask
from sub2node.translation.weight_statistics import Statistics


@given(st.integers(2, 6), st.floats(0.01, 10), st.integers(2, 6))
def test_equal_fractions_have_no_spread(size: int, weight: float, count: int) -> None:
    a, b = np.triu_indices(size, 1)
    graph = Graph.from_edges(a, b, weights=np.full(len(a), weight))
    task = SubgraphTask(graph, Subgraphs.from_lists([range(size)] * count))
    with pytest.raises(DataError, match="all weights between training subgraphs are"):
        s2n.translate(task, self_loops=False).normalize(0.5, 1)


def test_the_advised_cut_is_accepted() -> None:
    graph = s2n.translate(s2n.datasets.generate("density", subgraphs=30))
    with pytest.raises(ConfigError, match="or more") as caught:
        graph.normalize(-9, 1)
    advised = float(str(caught.value).split("use ")[1].split(" or more")[0])
    assert graph.normalize(advised, 1).weights.nnz


@given(st.integers(2, 6), st.data())
def test_sums_are_enough_for_mean_and_spread(size: int, data: st.DataObject) -> None:
    entries = st.integers(0, 9) | st.floats(0, 9)
    values = np.array(data.draw(st.lists(entries, min_size=size**2, max_size=size**2)), float)
    numbers = Statistics(size, float(values.sum()), float((values**2).sum()))
    assert numbers.mean == pytest.approx(values.mean())
    assert numbers.std == pytest.approx(values.std(ddof=1), rel=1e-4, abs=1e-5)
    assume(numbers.std > 1e-3)
    weight = numbers.weight_at(1.5)
    assert (weight - values.mean()) / values.std(ddof=1) == pytest.approx(1.5, rel=1e-3)


def test_whole_sums_lose_no_digit() -> None:
    large = 10**7
    numbers = Statistics(2, 4.0 * large + 1, 4.0 * large**2 + 2 * large + 1)
    assert numbers.std == pytest.approx(0.5)  # three times 1e7 and once 1e7 + 1


def test_one_subgraph_has_no_spread() -> None:
    assert np.isnan(Statistics(1, 4.0, 16.0).std)
    with pytest.raises(DataError, match="two are needed"):
        Statistics(1, 4.0, 16.0).weight_at(1.0)
