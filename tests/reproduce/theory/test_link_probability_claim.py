"""Probabilities of links against their bound."""

from __future__ import annotations

import pytest

import sub2node as s2n
from sub2node.reproduce.theory.link_probability_claim import links_claim
from theory_claims import assert_complete


@pytest.fixture(scope="module")
def tasks():
    return {"density": s2n.load_task("generate:density,subgraphs=30")}


@pytest.mark.slow
def test_link_probabilities(tasks) -> None:
    claim = links_claim(1500, 0, tasks, nodes=(200,))
    assert_complete(claim)
    assert claim.held == claim.cases == 3 * 3 * 3 * 7
    rows = {(row["sets"], row["degrees"]): row for row in claim.rows}
    assert rows["uniform", "regular"]["held"] == 63
    assert rows["by degree", "power-law"]["held"] < 21  # outside of what is claimed
