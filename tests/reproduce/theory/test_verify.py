"""Verification goes on where it stopped."""

from __future__ import annotations

import pytest

import sub2node as s2n
from sub2node.reproduce.theory import CLAIMS, verify


@pytest.fixture(scope="module")
def tasks():
    return {"density": s2n.load_task("generate:density,subgraphs=30")}


@pytest.mark.slow
def test_verify_goes_on_where_it_stopped(tasks) -> None:
    known = [name for name in CLAIMS if name != "lemma"]
    found = list(verify(quick=True, tasks=tasks, skip=known))
    assert [claim.name for claim in found] == ["lemma"]
    first = next(verify(quick=True, seed=0, tasks=tasks))
    assert first.rows == found[0].rows
