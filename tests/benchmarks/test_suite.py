"""benchmarks/suite.py: what it names, what it draws, and that it reads back what it wrote."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from sub2node.datasets import SYNTHETIC


@pytest.fixture(scope="module")
def suite():
    path = Path(__file__).parents[2] / "benchmarks" / "suite.py"
    spec = importlib.util.spec_from_file_location("benchmarks_suite", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_names(suite) -> None:
    assert len(suite.NAMES) == len(set(suite.NAMES)) == 14
    assert {"ppi_bp", "patients", "disease_families", "large_sets"} <= set(suite.NAMES)
    assert all({kind, f"fresh_{kind}"} <= set(suite.NAMES) for kind in SYNTHETIC)


def test_fresh_instances_are_other_draws(suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "SUBGRAPHS", 40)
    fresh = suite.load("fresh_density")
    assert (fresh.name, len(fresh)) == ("fresh_density", 40)
    usual = suite.generate("density", subgraphs=40)
    assert fresh.graph != usual.graph


def test_large_sets_prefer_regions(suite) -> None:
    draw = {"nodes": 1200, "edges": 9000, "subgraphs": 60}
    task = suite.draw_large_sets(**draw, preference=0.5)
    assert (task.graph.num_nodes, task.graph.num_edges, len(task)) == (1200, 9000, 60)
    assert task.label_counts().sum(axis=0).tolist() == [30, 30]
    assert all(task.split.count(part) for part in ("train", "val", "test"))
    counts = np.zeros((2, 1200))
    np.add.at(counts, (task.labels[task.subgraphs.owner], task.subgraphs.nodes), 1)
    often = np.argsort(-counts, axis=1)[:, :60]  # three regions of twenty nodes
    assert not set(often[0]) & set(often[1])
    for own, other in ((0, 1), (1, 0)):
        assert counts[own, often[own]].mean() > 2 * counts[other, often[own]].mean()
    inside = task.graph.adjacency()[often[0]][:, often[0]].mean()
    assert inside > 2 * 9000 / (1200 * 1199 / 2)  # regions are denser than the graph
    assert task == suite.draw_large_sets(**draw, preference=0.5)
    assert task != suite.draw_large_sets(**draw, preference=0.5, seed=1)


def test_what_was_written_is_read_back(
    suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task = suite.draw_large_sets(nodes=300, edges=900, subgraphs=30)
    monkeypatch.setitem(suite.MAKERS, "large_sets", lambda: task)
    monkeypatch.setattr(sys, "argv", ["suite.py", str(tmp_path), "--only", "large_sets"])
    suite.main()
    assert "large_sets" in capsys.readouterr().out
    ((name, again),) = suite.tasks("large_sets", folder=tmp_path)
    assert (name, again.name) == ("large_sets", "large_sets")
    assert again == task
