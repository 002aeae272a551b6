"""SVD vectors against the dense decomposition."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest

from networkx_graphs import graph_of, normalized
from sub2node.base.errors import ConfigError
from sub2node.encode import encode, svd


def test_svd_is_the_dense_one() -> None:
    graph = graph_of(nx.compose(nx.empty_graph(40), nx.gnm_random_graph(35, 90, seed=2)))
    vectors, dense = svd(graph, 5), normalized(graph)
    left, truth, _ = np.linalg.svd(dense)
    assert vectors.facts["singular_values"] == pytest.approx(truth[:5], abs=1e-3)
    mine = vectors.values.astype(np.float64)
    assert mine.T @ mine == pytest.approx(np.diag(truth[:5]), abs=1e-3)
    whole = svd(graph, 40).values.astype(np.float64)
    assert whole @ whole.T == pytest.approx((left * truth) @ left.T, abs=1e-5)
    assert not vectors.values[35:].any()
    assert np.array_equal(svd(graph, 5).values, vectors.values)
    with pytest.raises(ConfigError, match=r"40 nodes .* 41 columns"):
        svd(graph, 41)


@pytest.mark.parametrize("seed", [-1, "x", 0.5])
def test_a_bad_seed_of_svd_is_one_sentence(seed: Any) -> None:
    with pytest.raises(ConfigError, match="a seed is a whole number"):
        encode(graph_of(nx.cycle_graph(9)), "svd", width=2, seed=seed)
