"""Counts by hand, the formula's terms, and that tasks of any size stay within the constants."""

from __future__ import annotations

import numpy as np
import pytest

import sub2node as s2n
from sub2node.errors import ConfigError
from sub2node.evaluate.theory import Counts, complexity
from sub2node.evaluate.theory.complexity import COMPARED, most
from sub2node.evaluate.theory.growth import _fit, _Timed
from sub2node.evaluate.theory.passes import prepared
from sub2node.task import Graph, Subgraphs, SubgraphTask

F = 8


@pytest.fixture(scope="module")
def tiny() -> SubgraphTask:
    """A path of five nodes; three subgraphs of 3, 2 and 2 nodes with 2, 1 and 0 edges."""
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    return SubgraphTask(graph, Subgraphs.from_lists([[0, 1, 2], [2, 3], [0, 4]]))


def test_terms_are_those_printed() -> None:
    counts = Counts(nodes=10, edges=20, subgraphs=3, members=12, internal_edges=5, s2n_edges=2)
    first = complexity(counts, "connected", hidden=4)
    assert first.terms == {"E F": 80, "M N̄ F": 48, "N F²": 160}
    assert complexity(counts, "glass", hidden=4).terms == first.terms
    assert complexity(counts, "s2n+0", hidden=4).terms == {"Ê F": 8, "M N̄ F": 48, "M F²": 48}
    last = complexity(counts, "s2n+a", hidden=4)
    assert last.terms == {"Ê F": 8, "M Ē F": 20, "M N̄ F²": 192}
    assert last.formula == 220
    assert last.counted is None
    assert last.operations is None


def test_connected_by_hand(tiny: SubgraphTask) -> None:
    """8 directed edges and 5 self-loops; 7 members; 5 rows through one map."""
    counted = complexity(tiny, "connected", hidden=F).counted
    assert counted == {
        "head": 3 * F * 2, "propagation": 13 * F, "readout": 7 * F, "transformation": 5 * F * F,
        "weights": 13,
    }  # fmt: skip


def test_s2n_by_hand(tiny: SubgraphTask) -> None:
    """Inside: 3 edges both ways and 7 self-loops; outside: whatever links are left, 3 loops."""
    links = prepared(tiny).counts.s2n_edges
    outside = {"propagation": (2 * links + 3) * F, "transformation": 3 * F * F,
               "head": 3 * F * 2, "weights": 2 * links + 3, "readout": 7 * F}  # fmt: skip
    assert complexity(tiny, "s2n+0", hidden=F).counted == outside
    assert complexity(tiny, "s2n+a", hidden=F).counted == outside | {
        "gather": 7 * F, "inner propagation": 13 * F, "inner transformation": 7 * F * F,
        "inner weights": 13,
    }  # fmt: skip


def test_glass_by_hand(tiny: SubgraphTask) -> None:
    """Maps for two labels: from F, and from 2F; no self-loops; once a batch."""
    one = {"head": 3 * F * 2, "propagation": 8 * F, "readout": 7 * F,
           "transformation": 5 * (F * 2 * F + 2 * F * 2 * F)}  # fmt: skip
    assert complexity(tiny, "glass", hidden=F).counted == one
    batches = prepared(tiny).layer("glass", F, batch=1).count()
    assert batches["transformation"] == 3 * one["transformation"]
    assert batches["readout"] == one["readout"]


@pytest.mark.parametrize("structure", COMPARED)
def test_counts_are_a_constant_times_the_formula(structure) -> None:
    for source in ("generate:density,subgraphs=20", "generate:component,subgraphs=20"):
        task = s2n.load_task(source)
        for hidden in (2, 32):
            found = complexity(task, structure, hidden=hidden)
            assert 1 <= found.operations / found.formula <= most(structure)


def test_what_is_not_compared(tiny: SubgraphTask) -> None:
    with pytest.raises(ConfigError, match="nothing is said of 'separated'"):
        complexity(tiny, "separated")
    assert complexity(tiny, "s2n+0", count=False).counted is None


def test_times_that_are_a_sum_of_terms_are_fitted() -> None:
    rng = np.random.default_rng(0)
    terms = rng.integers(1, 10**6, (12, 3))
    true = np.array([1e-4, 2e-9, 0, 5e-10])
    times = [
        _Timed("s2n+0", "M", 1, row.tolist(), float(true @ [1, *row.tolist()])) for row in terms
    ]
    fitted, constants = _fit(times)
    np.testing.assert_allclose(fitted, [one.seconds for one in times])
    np.testing.assert_allclose(constants, true, atol=1e-15)
