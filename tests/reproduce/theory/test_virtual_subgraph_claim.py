"""Virtual subgraphs bring the S2N graph nearer."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import sub2node as s2n
from sub2node.reproduce.theory.linear_layers import Layers
from sub2node.reproduce.theory.theory_cases import random_adjacency, random_sets
from sub2node.reproduce.theory.virtual_subgraph_claim import nearness, virtual_claim
from theory_claims import assert_complete


@pytest.fixture(scope="module")
def tasks():
    return {"density": s2n.load_task("generate:density,subgraphs=30")}


@pytest.mark.slow
def test_virtual_subgraphs(tasks) -> None:
    claim = virtual_claim(6, 0, tasks, ratios=(0.4, 0.8))
    assert_complete(claim)
    assert claim.held == claim.cases
    assert all(row["best fell, %"] >= 50 for row in claim.rows)


@given(st.integers(0, 10**6))
def test_the_best_features_never_get_worse_with_more_subgraphs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    adjacency = random_adjacency("poisson", 15, rng)
    first, more = (random_sets(adjacency, kind, rng) for kind in ("few", "partition"))
    x = rng.standard_normal((15, 2))
    old = nearness(Layers(adjacency, first), x, first.shape[0])
    both = Layers(adjacency, sp.vstack([first, more]).tocsr())
    new = nearness(both, x, first.shape[0])
    assert new.best <= old.best + 1e-6
    r = both.readout.toarray().T
    best = np.linalg.norm(x - r @ np.linalg.lstsq(r, x, rcond=None)[0]) / np.linalg.norm(x)
    assert new.best == pytest.approx(best, abs=1e-6)
    m, a, d = both.membership.toarray().T, adjacency.toarray(), both.degrees
    root = np.sqrt(np.maximum(d, 1e-300))
    h = np.where(d > 0, 1 / root, 0)[:, None] * (a @ (np.where(d > 0, 1 / root, 0)[:, None] * x))
    target = (m.T @ (np.sqrt(d)[:, None] * h))[: first.shape[0]]
    pooled = both.s2n_spread(r.T @ x) * np.sqrt(both.s2n_degrees)[:, None]
    error = np.linalg.norm(target - pooled[: first.shape[0]])
    assert new.error * max(np.linalg.norm(target), 1e-300) == pytest.approx(error, abs=1e-9)
