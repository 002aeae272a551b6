"""Claims are whole, true and can be kept; virtual subgraphs are compared on the same rows."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import sub2node as s2n
from sub2node.base.errors import DataError
from sub2node.reproduce.theory import CLAIMS, Claim, Slack, verify
from sub2node.reproduce.theory.bounds import error_claim, lemma_claim
from sub2node.reproduce.theory.linear_layers import Layers
from sub2node.reproduce.theory.link_probability_claim import links_claim
from sub2node.reproduce.theory.theory_cases import random_adjacency, random_case, random_sets
from sub2node.reproduce.theory.virtual_subgraph_claim import nearness, virtual_claim


@pytest.fixture(scope="module")
def tasks():
    return {"density": s2n.load_task("generate:density,subgraphs=30")}


def whole(claim: Claim) -> None:
    """A claim survives JSON, and its rows have the same columns."""
    assert Claim.from_dict(json.loads(json.dumps(claim.to_dict(), allow_nan=False))) == claim
    assert len({tuple(row) for row in claim.rows}) == 1
    assert claim.cases > 0
    assert claim.notes


def test_error_bounds_hold_in_every_case(tasks) -> None:
    for kind in ("gcn", "gin"):
        claim = error_claim(kind, 250, 3, tasks)
        whole(claim)
        assert claim.held == claim.cases == 250 + 10
        assert claim.slack.low >= 1 - 1e-9
        assert claim.printed_held < claim.cases  # the cases are hard enough to tell
        random = [row for row in claim.rows if row["features"] != "with ReLU"]
        assert sum(row["cases"] for row in random) == claim.cases
    relu = error_claim("gcn", 250, 3, {}).rows[-1]
    assert relu["corrected held"] < relu["cases"]


def test_the_lemma_holds_in_every_case(tasks) -> None:
    claim = lemma_claim(50, 1, tasks)
    whole(claim)
    assert claim.held == claim.cases == 52


def test_link_probabilities(tasks) -> None:
    claim = links_claim(1500, 0, tasks, nodes=(200,))
    whole(claim)
    assert claim.held == claim.cases == 3 * 3 * 3 * 7
    rows = {(row["sets"], row["degrees"]): row for row in claim.rows}
    assert rows["uniform", "regular"]["held"] == 63
    assert rows["by degree", "power-law"]["held"] < 21  # outside of what is claimed


def test_virtual_subgraphs(tasks) -> None:
    claim = virtual_claim(6, 0, tasks, ratios=(0.4, 0.8))
    whole(claim)
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


def test_random_cases_are_of_all_kinds() -> None:
    rng = np.random.default_rng(0)
    cases = [random_case(number, "gcn", rng) for number in range(125)]
    assert len({(case.graph, case.sets, case.features) for case in cases}) == 125
    parts = [case for case in cases if case.sets == "partition"]
    assert all((case.inputs.layers.covers == 1).all() for case in parts)
    assert all((case.inputs.layers.covers >= 1).all() for case in cases if case.sets == "covering")
    assert any((case.inputs.layers.degrees == 0).any() for case in cases)
    assert any((case.inputs.layers.covers > 1).any() for case in cases)
    again = random_case(0, "gcn", np.random.default_rng(0))
    np.testing.assert_array_equal(again.inputs.x, cases[0].inputs.x)


def test_verify_goes_on_where_it_stopped(tasks) -> None:
    known = [name for name in CLAIMS if name != "lemma"]
    found = list(verify(quick=True, tasks=tasks, skip=known))
    assert [claim.name for claim in found] == ["lemma"]
    first = next(verify(quick=True, seed=0, tasks=tasks))
    assert first.rows == found[0].rows


def test_a_claim_that_is_none() -> None:
    with pytest.raises(DataError, match="no finished claim"):
        Claim.from_dict({"name": "lemma"})


def test_slack_leaves_out_what_was_not_measured() -> None:
    assert Slack.of([np.inf]) is None
    assert str(Slack.of([1, np.inf, 2, 4])) == "1 … 2 … 4"
