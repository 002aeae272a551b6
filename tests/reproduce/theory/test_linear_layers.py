"""Layers on both graphs against dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.base.errors import ConfigError
from sub2node.reproduce.theory.approximation import lemma_difference
from sub2node.reproduce.theory.linear_layers import Layers, check_numbers
from sub2node.task import Graph, Subgraphs, SubgraphTask
from sub2node.translation import translate
from theory_problems import dense, problems


@given(problems(), st.booleans())
def test_the_lemma_is_exact(problem, loops: bool) -> None:
    graph, subgraphs, *_ = problem
    _, _, spread, small, r = dense(graph, subgraphs, loops=loops)
    np.testing.assert_allclose(r.T @ spread @ r, small, atol=1e-12)
    layers = Layers.of(graph, subgraphs, self_loops=loops)
    np.testing.assert_allclose(layers.readout.toarray(), r.T, atol=1e-12)
    assert lemma_difference(layers) < 1e-12


@given(problems())
def test_s2n_side_is_the_translated_graph(problem) -> None:
    graph, subgraphs, *_ = problem
    plain = Graph(graph.indptr, graph.indices, graph.weights)
    weights = translate(SubgraphTask(plain, subgraphs), self_loops=False).weights
    found = Layers.of(graph, subgraphs)
    np.testing.assert_allclose(found.s2n_adjacency.toarray(), weights.toarray())
    np.testing.assert_allclose(found.s2n_degrees, weights.toarray().sum(axis=1))


def test_a_partition_has_no_loss_in_the_readout() -> None:
    graph = Graph.from_edges([0, 1, 2, 3, 0], [1, 2, 3, 4, 4])
    layers = Layers.of(graph, Subgraphs.from_lists([[0, 1], [2, 3, 4]]))
    np.testing.assert_allclose((layers.readout @ layers.readout.T).toarray(), np.eye(2))
    assert layers.readout_norm == pytest.approx(2**0.5)
    assert layers.readout_gain == pytest.approx(1)


@given(problems(), st.booleans())
def test_gains_bound_the_spectral_norms(problem, loops: bool) -> None:
    graph, subgraphs, *_ = problem
    a, m, spread, small, r = dense(graph, subgraphs, loops=loops)
    layers = Layers.of(graph, subgraphs, self_loops=loops)
    for gain, matrix in (
        (layers.readout_gain, r),
        (layers.membership_gain, m),
        (layers.adjacency_gain, a),
    ):
        assert np.linalg.norm(matrix, 2) <= gain + 1e-9
        assert gain <= np.linalg.norm(matrix) + 1e-9
    x = np.random.default_rng(0).standard_normal((len(m), 2))
    np.testing.assert_allclose(layers.spread(x), spread @ x, atol=1e-12)
    np.testing.assert_allclose(layers.s2n_spread(m.T @ x), small @ (m.T @ x), atol=1e-12)


@pytest.mark.parametrize("values", [[[1.0]], [1.0, np.inf], np.zeros((2, 2, 2)), [1.0, 2.0, 3.0]])
def test_tables_that_do_not_fit(values) -> None:
    with pytest.raises(ConfigError, match="X must be finite numbers with 2 rows"):
        check_numbers(values, 2, "X")
    assert check_numbers([1, 2], 2, "X").tolist() == [[1.0], [2.0]]
