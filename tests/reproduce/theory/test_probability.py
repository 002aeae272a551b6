"""Mean weights between random sets are what they should be."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from sub2node.base.errors import ConfigError
from sub2node.reproduce.theory import (
    configuration_model,
    degree_sequence,
    edge_probability_bound,
    expected_weight,
)
from sub2node.reproduce.theory.probability import sample_weights
from sub2node.reproduce.theory.sampling import set_sizes


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(ConfigError, match="even sum"):
        configuration_model(np.array([1, 2]), np.random.default_rng(0))
    with pytest.raises(ConfigError, match="no degrees 'powerlaw'"):
        degree_sequence("powerlaw", 10, 2, np.random.default_rng(0))
    with pytest.raises(ConfigError, match="c and the number of nodes must be above 0"):
        edge_probability_bound(3, 4, 10, 0)


def test_the_bound_is_exact_in_the_mean_for_uniform_sets_of_any_graph() -> None:
    """By all pairs of sets of sizes 2 and 3 in a graph that is no configuration model."""
    a = np.zeros((5, 5))
    for u, v in ((0, 1), (0, 2), (0, 3), (0, 4), (1, 2)):
        a[u, v] = a[v, u] = 1
    weights = [
        a[np.ix_(one, two)].sum()
        for one, two in product(combinations(range(5), 2), combinations(range(5), 3))
    ]
    assert np.mean(weights) == pytest.approx(2 * 3 * a.sum() / 25)
    same = edge_probability_bound(6**0.5, a.sum() / 5, 5, 1)
    assert np.mean(weights) == pytest.approx(same)
    assert expected_weight(a, np.full(5, 2 / 5)) == pytest.approx(4 * a.sum() / 25)
    for c in (1, 2, 3, 4):
        share = np.mean(np.array(weights) >= c)
        assert share <= edge_probability_bound(6**0.5, a.sum() / 5, 5, c)


@pytest.mark.parametrize("sizes", ["fixed", "poisson", "geometric"])
def test_sampled_weights_have_the_mean_of_the_formula(sizes) -> None:
    rng = np.random.default_rng(4)
    matrix = configuration_model(degree_sequence("power-law", 500, 6, rng), rng)
    drawn = tuple(set_sizes(sizes, 6000, mean=5, nodes=500, rng=rng) for _ in range(2))
    assert np.mean(drawn) == pytest.approx(5, rel=0.05)
    found = sample_weights(matrix, drawn, "uniform", rng)
    formula = edge_probability_bound(5, matrix.sum() / 500, 500, 1)
    assert found.values.mean() == pytest.approx(formula, rel=0.15)
    assert found.expected == pytest.approx(formula, rel=0.05)
    assert found.reach(1) == (found.values >= 1).sum()


def test_weights_are_edges_between_two_sets() -> None:
    matrix = configuration_model(np.array([3, 3, 2, 2]), np.random.default_rng(5))
    found = sample_weights(
        matrix, (np.full(4, 4), np.full(4, 4)), "uniform", np.random.default_rng(0)
    )
    np.testing.assert_array_equal(found.values, 10)  # all nodes on both sides: 2E


def test_by_degree_the_printed_bound_fails() -> None:
    rng = np.random.default_rng(6)
    matrix = configuration_model(degree_sequence("power-law", 400, 8, rng), rng)
    sizes = (np.full(3000, 6), np.full(3000, 6))
    found = sample_weights(matrix, sizes, "by degree", rng)
    bound = edge_probability_bound(6, matrix.sum() / 400, 400, 8)
    assert found.reach(8) / 3000 > 1.5 * bound
    assert found.reach(8) / 3000 <= found.expected / 8
