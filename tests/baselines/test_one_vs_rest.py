"""Logistic regressions against the solution of the problem that they solve."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from sub2node.baselines.one_vs_rest import fit_one_vs_rest, lone_logit


def solution(x: np.ndarray, truth: np.ndarray, strength: float) -> np.ndarray:
    """Weights and bias that minimise |w|²/2 + b²/2 + C Σ log(1 + exp(-y (x w + b)))."""
    x, sign = np.column_stack([x, np.ones(len(x))]), np.where(truth, 1.0, -1.0)

    def loss(w: np.ndarray) -> float:
        return w @ w / 2 + strength * np.logaddexp(0, -sign * (x @ w)).sum()

    return minimize(loss, np.zeros(x.shape[1]), tol=1e-12).x


def test_each_class_has_the_solution_of_its_own_problem(monkeypatch) -> None:
    monkeypatch.setattr("sub2node.baselines.one_vs_rest._TOLERANCE", 1e-6)
    rng = np.random.default_rng(0)
    x, table = rng.normal(size=(40, 5)) * (rng.random((40, 5)) < 0.6), rng.random((40, 3)) < 0.4
    weights, biases = fit_one_vs_rest(sp.csr_array(x), table, 2.0)
    for column in range(3):
        expected = solution(x, table[:, column], 2.0)
        np.testing.assert_allclose(weights[:, column], expected[:-1], atol=1e-3)
        np.testing.assert_allclose(biases[column], expected[-1], atol=1e-3)


def test_rows_with_64_bit_indices_are_taken() -> None:
    x = sp.csr_array(np.eye(4))
    x.indices, x.indptr = x.indices.astype(np.int64), x.indptr.astype(np.int64)
    table = np.array([[True], [False], [True], [False]])
    weights, _ = fit_one_vs_rest(x, table, 1.0)
    assert ((weights[:, 0] > 0) == table[:, 0]).all()


def test_the_same_problem_has_the_same_solution() -> None:
    rng = np.random.default_rng(3)
    x = sp.random_array((60, 80), density=0.2, format="csr", rng=rng)
    table = rng.random((60, 12)) < 0.2
    one, two = (fit_one_vs_rest(x, table, 1.0) for _ in range(2))
    assert np.array_equal(one[0], two[0])
    assert np.array_equal(one[1], two[1])


def test_a_class_that_all_or_none_have_is_as_rare_as_half_a_subgraph() -> None:
    table = np.array([[True, False]] * 4)
    weights, biases = fit_one_vs_rest(sp.csr_array(np.eye(4)), table, 1.0)
    assert not weights.any()
    assert biases.tolist() == [lone_logit(4), -lone_logit(4)]
    assert 1 / (1 + np.exp(lone_logit(4))) == pytest.approx(0.5 / (4 + 1))


def test_rows_whose_columns_are_not_sorted_stay_as_they_are() -> None:
    dense = np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0], [5.0, 0.0, 6.0], [7.0, 8.0, 0.0]])
    parts = [np.array([2.0, 1, 4, 3, 6, 5, 8, 7]), np.array([1, 0, 2, 1, 2, 0, 1, 0])]
    x = sp.csr_array((*parts, np.array([0, 2, 4, 6, 8])), shape=(4, 3))
    table = np.array([[True], [False], [False], [True]])
    weights, _ = fit_one_vs_rest(x, table, 1.0)
    assert np.array_equal(x.toarray(), dense)
    assert np.array_equal(weights, fit_one_vs_rest(sp.csr_array(dense), table, 1.0)[0])
