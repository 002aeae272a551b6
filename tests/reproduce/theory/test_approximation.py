"""Errors and bounds against dense definitions, and where the printed ones end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.base.errors import ConfigError
from sub2node.reproduce.theory import approximation_error, error_bound
from sub2node.reproduce.theory.linear_layers import Layers
from sub2node.task import Graph, Subgraphs
from theory_problems import dense, problems

ROUNDING = 1e-9


@given(problems(), st.booleans(), st.booleans())
def test_gcn_equals_its_definition(problem, loops: bool, own: bool) -> None:
    graph, subgraphs, x, x_hat, w = problem
    _, _, spread, small, r = dense(graph, subgraphs, loops=loops)
    given_hat = x_hat if own else None
    x_hat = x_hat if own else r.T @ x
    args = (graph, subgraphs, x, w)
    error = approximation_error(*args, s2n_features=given_hat, self_loops=loops)
    expected = np.linalg.norm(r.T @ spread @ x @ w - small @ x_hat @ w)
    assert error == pytest.approx(expected, abs=ROUNDING)
    bound = error_bound(*args, s2n_features=given_hat, self_loops=loops)
    residual = np.linalg.norm(x - r @ x_hat)
    assert bound.residual == pytest.approx(residual, abs=ROUNDING)
    scale = residual * np.linalg.norm(w)
    assert bound.printed == pytest.approx(np.sqrt(len(subgraphs)) * scale)
    assert bound.corrected == pytest.approx(np.linalg.norm(r) * scale)
    # What is printed follows where ‖R‖ ≤ M^½; the others always.
    assert error <= bound.tight + ROUNDING <= bound.corrected + 2 * ROUNDING
    if bound.proven:
        assert error <= bound.printed + ROUNDING
    least = np.linalg.norm(r, 2) * residual * np.linalg.norm(w, 2)
    assert bound.tight >= least - ROUNDING  # the gain is no less than the spectral norm


@given(problems(), st.booleans(), st.floats(-3, 3))
def test_gin_equals_its_definition(problem, own: bool, eps: float) -> None:
    graph, subgraphs, x, x_hat, w = problem
    a, m, *_ = dense(graph, subgraphs)
    given_hat = x_hat if own else None
    x_hat = x_hat if own else m.T @ x
    args = (graph, subgraphs, x, w)
    error = approximation_error(*args, kind="gin", s2n_features=given_hat, eps=eps)
    node = a @ x + (1 + eps) * x
    found = m.T @ a @ m @ x_hat + (1 + eps) * x_hat
    assert error == pytest.approx(np.linalg.norm((m.T @ node - found) @ w), abs=1e-8)
    bound = error_bound(*args, kind="gin", s2n_features=given_hat, eps=eps)
    residual, rest = np.linalg.norm(x - m @ x_hat), np.linalg.norm(m.T @ x - x_hat)
    edges = graph.num_edges
    printed = np.sqrt(m.sum() * edges) * residual + (1 + eps) * rest
    assert bound.printed == pytest.approx(printed * np.linalg.norm(w))
    corrected = np.linalg.norm(m) * np.linalg.norm(a) * residual + abs(1 + eps) * rest
    assert bound.corrected == pytest.approx(corrected * np.linalg.norm(w))
    assert error <= bound.tight + 1e-8 <= bound.corrected * (1 + 1e-12) + 2e-8
    if bound.proven and graph.weights is None:
        assert error <= bound.printed + 1e-8
    layers = Layers.of(graph, subgraphs)
    assert layers.adjacency_gain >= np.linalg.norm(a, 2) - ROUNDING
    assert layers.membership_gain >= np.linalg.norm(m, 2) - ROUNDING


@pytest.mark.parametrize("leaves", [2, 9, 100])
def test_the_printed_gcn_bound_fails_with_neighbours_in_no_subgraph(leaves: int) -> None:
    """Two joined hubs are the only subgraph; features are 1 on their leaves: wrong by k^½."""
    hubs = np.repeat([0, 1], leaves)
    ends = np.arange(2, 2 + 2 * leaves)
    graph = Graph.from_edges(np.r_[0, hubs], np.r_[1, ends])
    features = (np.arange(graph.num_nodes) > 1).astype(float)
    subgraphs = Subgraphs.from_lists([[0, 1]])
    error = approximation_error(graph, subgraphs, features)
    bound = error_bound(graph, subgraphs, features)
    assert error == pytest.approx(leaves**0.5 * bound.printed)
    assert not bound.proven
    assert error <= bound.corrected


def test_the_printed_gin_bound_fails_for_a_triangle() -> None:
    """One subgraph that is a triangle, x = 1 and X̂ = Mᵀ X: 12 is above 6 · 3^½."""
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2])
    subgraphs = Subgraphs.from_lists([[0, 1, 2]])
    error = approximation_error(graph, subgraphs, np.ones(3), kind="gin")
    bound = error_bound(graph, subgraphs, np.ones(3), kind="gin")
    assert error == pytest.approx(12)
    assert bound.printed == pytest.approx(6 * 3**0.5)
    assert bound.tight == pytest.approx(12)  # nothing better is true
    assert not bound.proven


def test_a_relu_is_outside_of_the_proposition() -> None:
    """X = R X̂, so the bound is 0; with a ReLU the members of a subgraph do not agree in sign."""
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3])
    subgraphs = Subgraphs.from_lists([[0, 1], [2, 3]])
    x_hat = np.array([[1.0], [-2.0]])
    x = Layers.of(graph, subgraphs).rebuild(x_hat, "gcn")
    assert error_bound(graph, subgraphs, x, s2n_features=x_hat).corrected < 1e-12
    assert approximation_error(graph, subgraphs, x, s2n_features=x_hat) < 1e-12
    assert approximation_error(graph, subgraphs, x, s2n_features=x_hat, relu=True) > 0.1


def test_arguments_that_do_not_fit() -> None:
    graph = Graph.from_edges([0], [1])
    subgraphs = Subgraphs.from_lists([[0]])
    with pytest.raises(ConfigError, match="no features"):
        approximation_error(graph, subgraphs)
    with pytest.raises(ConfigError, match="2 rows, found shape"):
        error_bound(graph, subgraphs, np.ones((3, 1)))
    with pytest.raises(ConfigError, match="no layer 'gnc'"):
        error_bound(graph, subgraphs, np.ones(2), kind="gnc")
    with pytest.raises(ConfigError, match="by eps"):
        error_bound(graph, subgraphs, np.ones(2), kind="gin", self_loops=True)
    with pytest.raises(ConfigError, match="expected as many"):
        error_bound(graph, subgraphs, np.ones(2), s2n_features=np.ones((1, 2)))
