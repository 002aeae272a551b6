"""Random graphs have their degrees; random sets their sizes and chances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.reproduce.theory import configuration_model, degree_sequence
from sub2node.reproduce.theory.sampling import node_sets


@given(st.lists(st.integers(0, 7), min_size=1, max_size=20), st.integers(0, 99))
def test_the_model_has_the_degrees(degrees: list[int], seed: int) -> None:
    if sum(degrees) % 2:
        degrees[0] += 1
    matrix = configuration_model(np.array(degrees), np.random.default_rng(seed)).toarray()
    np.testing.assert_array_equal(matrix.sum(axis=1), degrees)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert (np.diag(matrix) % 2 == 0).all()  # a loop has two ends
    rng = np.random.default_rng(seed)
    simple = configuration_model(np.array(degrees), rng, simple=True).toarray()
    np.testing.assert_array_equal(simple, (matrix > 0) & ~np.eye(len(degrees), dtype=bool))


@pytest.mark.slow
def test_pairs_of_half_edges_are_equally_likely() -> None:
    """Four half-edges of degrees 2, 1, 1: two thirds of the pairings have no loop."""
    rng = np.random.default_rng(0)
    draws = [configuration_model(np.array([2, 1, 1]), rng)[0, 0] for _ in range(1500)]
    assert np.mean(np.array(draws) == 0) == pytest.approx(2 / 3, abs=0.04)


@pytest.mark.parametrize("kind", ["power-law", "poisson", "regular"])
def test_sequences_have_the_mean(kind) -> None:
    rng = np.random.default_rng(1)
    degrees = degree_sequence(kind, 20_000, 8, rng)
    assert degrees.sum() % 2 == 0
    assert degrees.min() >= 0
    assert degrees.mean() == pytest.approx(8, rel=0.1)
    spread = degrees.var() / degrees.mean()
    assert {"regular": spread < 0.01, "poisson": 0.9 < spread < 1.1, "power-law": spread > 5}[kind]


@pytest.mark.parametrize("kind", ["uniform", "by degree"])
def test_sets_have_their_sizes_and_chances(kind) -> None:
    """Of two nodes by degree, the second is drawn by degree among those that are left."""
    rng = np.random.default_rng(2)
    degrees = np.array([4, 4, 2, 2, 1, 1])
    matrix = configuration_model(degrees, rng)
    sizes = np.tile([1, 2, 5, 6], 3000)
    sets = node_sets(matrix, sizes, kind, rng)
    np.testing.assert_array_equal(np.asarray(sets.sum(axis=1)).ravel(), sizes)
    assert set(np.unique(sets.data)) == {1.0}
    single = sets[sizes == 1].sum(axis=0) / 3000
    chance = np.full(6, 1 / 6) if kind == "uniform" else degrees / 14
    np.testing.assert_allclose(single, chance, atol=0.03)
    second = chance * (np.sum(chance / (1 - chance)) - chance / (1 - chance))
    both = sets[sizes == 2].sum(axis=0) / 3000
    np.testing.assert_allclose(both, chance + second, atol=0.03)


def test_walks_stay_connected() -> None:
    rng = np.random.default_rng(3)
    matrix = configuration_model(np.array([2] * 12 + [0]), rng)
    sets = node_sets(matrix, np.full(200, 5), "walks", rng).toarray()
    assert sets.sum(axis=1).max() <= 5
    dense = matrix.toarray() > 0
    for row in sets:
        members = np.flatnonzero(row)
        reached = {members[0]}
        for _ in members:
            reached |= {v for u in reached for v in members if dense[u, v]}
        assert reached == set(members)
