"""benchmarks/complexity.py: counts by hand, the formula's terms, and the constants."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import sub2node as s2n
from sub2node.task import Graph, Subgraphs, SubgraphTask

F = 8


sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))


@pytest.fixture(scope="module")
def script():
    path = Path(__file__).parents[2] / "benchmarks" / "complexity.py"
    spec = importlib.util.spec_from_file_location("benchmarks_complexity", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there for their types
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def tiny(script):
    """A path of five nodes; three subgraphs of 3, 2 and 2 nodes with 2, 1 and 0 edges."""
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    task = SubgraphTask(graph, Subgraphs.from_lists([[0, 1, 2], [2, 3], [0, 4]]))
    return script.SingleLayers.of(task)


def test_terms_are_those_printed(script) -> None:
    counts = script.Counts(
        nodes=10, edges=20, subgraphs=3, members=12, internal_edges=5, s2n_edges=2
    )
    first = {"E F": 80, "M N̄ F": 48, "N F²": 160}
    assert script.formula_terms(counts, "connected", 4) == first
    assert script.formula_terms(counts, "glass", 4) == first
    assert script.formula_terms(counts, "s2n+0", 4) == {"Ê F": 8, "M N̄ F": 48, "M F²": 48}
    assert script.formula_terms(counts, "s2n+a", 4) == {"Ê F": 8, "M Ē F": 20, "M N̄ F²": 192}


def test_connected_by_hand(tiny) -> None:
    """8 directed edges and 5 self-loops; 7 members; 5 rows through one map."""
    assert tiny.count("connected", F) == {
        "head": 3 * F * 2, "propagation": 13 * F, "readout": 7 * F, "transformation": 5 * F * F,
        "weights": 13,
    }  # fmt: skip


def test_s2n_by_hand(tiny) -> None:
    """Inside: 3 edges both ways and 7 self-loops; outside: whatever links are left, 3 loops."""
    links = tiny.counts.s2n_edges
    outside = {"propagation": (2 * links + 3) * F, "transformation": 3 * F * F,
               "head": 3 * F * 2, "weights": 2 * links + 3, "readout": 7 * F}  # fmt: skip
    assert tiny.count("s2n+0", F) == outside
    assert tiny.count("s2n+a", F) == outside | {
        "gather": 7 * F, "inner propagation": 13 * F, "inner transformation": 7 * F * F,
        "inner weights": 13,
    }  # fmt: skip


def test_glass_by_hand(tiny) -> None:
    """Maps for two labels: from F, and from 2F; no self-loops; once a batch."""
    one = {"head": 3 * F * 2, "propagation": 8 * F, "readout": 7 * F,
           "transformation": 5 * (F * 2 * F + 2 * F * 2 * F)}  # fmt: skip
    assert tiny.count("glass", F) == one
    batches = tiny.count("glass", F, batch=1)
    assert batches["transformation"] == 3 * one["transformation"]
    assert batches["readout"] == one["readout"]


@pytest.mark.parametrize("structure", ["glass", "connected", "s2n+0", "s2n+a"])
def test_counts_are_a_constant_times_the_formula(script, structure: str) -> None:
    for source in ("generate:density,subgraphs=20", "generate:component,subgraphs=20"):
        layers = script.SingleLayers.of(s2n.load_task(source))
        for hidden in (2, 32):
            counted = script.operations_of(layers.count(structure, hidden))
            formula = sum(script.formula_terms(layers.counts, structure, hidden).values())
            assert 1 <= counted / formula <= script.MOST[structure]


def test_times_that_are_a_sum_of_terms_are_fitted(script) -> None:
    rng = np.random.default_rng(0)
    terms = rng.integers(1, 10**6, (12, 3)).tolist()
    true = np.array([1e-4, 2e-9, 0, 5e-10])
    rows = [script.Timed("s2n+0", "M", 1, row, float(true @ [1, *row])) for row in terms]
    fitted, constants = script.fit_constants(rows)
    np.testing.assert_allclose(fitted, [row.seconds for row in rows])
    np.testing.assert_allclose(constants, true, atol=1e-15)
