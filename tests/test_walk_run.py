"""The way of one data set through ``s2n run``: nothing is read or computed twice."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sub2node.cli.app import app
from sub2node.datasets import load_task
from sub2node.encode.svd import svd
from sub2node.io import save_task
from sub2node.models import graph_network as network
from sub2node.task import content_hash
from sub2node.task.subgraphs import Subgraphs
from sub2node.translation import s2n_graph, translate

DATA = Path(__file__).parent / "fixtures" / "v0_1" / "data"


class Calls:
    """Counts calls by what they were called with, wherever a function was imported."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.patch, self.by_input = monkeypatch, {}

    def watch(self, name: str, function: Callable[..., Any], key: Callable[..., Any]) -> None:
        counts = self.by_input[name] = Counter()

        def counted(*arguments: Any, **options: Any) -> Any:
            counts[key(*arguments, **options)] += 1
            return function(*arguments, **options)

        owner = getattr(sys.modules[function.__module__], function.__qualname__.split(".")[0])
        if isinstance(owner, type):
            self.patch.setattr(owner, function.__name__, counted)
            return
        for module in [m for n, m in sys.modules.items() if n.startswith("sub2node")]:
            if vars(module).get(function.__name__) is function:
                self.patch.setattr(module, function.__name__, counted)

    def totals(self) -> dict[str, int]:
        """Calls by name; fails where one input came twice."""
        twice = {
            f"{name} {key}": count
            for name, counts in self.by_input.items()
            for key, count in counts.items()
            if count > 1
        }
        assert not twice
        return {name: counts.total() for name, counts in self.by_input.items()}


@pytest.fixture
def benchmark(tmp_path, monkeypatch):
    """A small benchmark by name, whose files have checksums to be compared with."""
    save_task(load_task(DATA), tmp_path / "data" / "density", format="subgnn")
    monkeypatch.setenv("S2N_DATA", str(tmp_path / "data"))
    for kept in (network.translated, network.normalized, network.bridged, network.coarsened):
        kept.cache_clear()
    return tmp_path / "data" / "density"


@pytest.fixture
def calls(benchmark, monkeypatch):
    found = Calls(monkeypatch)
    found.watch("translate", translate, lambda task, **options: (task.hash, str(options)))
    found.watch(
        "normalise",
        s2n_graph.normalized,
        lambda weights, statistics, a, delta, **_: (content_hash.digest(weights.data), a, delta),
    )
    found.watch(
        "internal edges",
        Subgraphs._find_induced_edges,
        lambda subgraphs, graph: (subgraphs.hash, graph.hash),
    )
    found.watch("singular vectors", svd, lambda graph, width, **_: (graph.hash, width))
    opened, real = found.by_input.setdefault("files", Counter()), Path.open

    def counted(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.parent == benchmark and path.suffix != ".tsv":  # of tables the head is looked at
            opened[path.name] += 1
        return real(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", counted)
    return found


def run(*words: str) -> None:
    options = ("--seeds", "2", "--set", "epochs=2", "--device", "cpu")
    result = CliRunner().invoke(app, ["run", "density", *words, *options])
    assert result.exit_code == 0, result.output


@pytest.mark.slow
def test_run_with_two_candidates(calls, tmp_path):
    run("-o", str(tmp_path / "out"))
    assert (tmp_path / "out" / "links.parquet").is_file()  # the picture too
    once = {"translate": 1, "internal edges": 1, "files": 2}
    singular = calls.totals().pop("singular vectors")
    assert singular <= 1  # none where the cache has them
    assert calls.totals() == {**once, "normalise": 2, "singular vectors": singular}


@pytest.mark.slow
def test_comparison(calls, tmp_path):
    run("--model", "s2n+0", "--model", "s2n+a", "-o", str(tmp_path / "out"))
    assert (tmp_path / "out" / "links.parquet").is_file()
    once = {"translate": 1, "internal edges": 1, "files": 2}
    singular = calls.totals().pop("singular vectors")
    assert singular <= 1  # shared by both models
    assert calls.totals() == {**once, "normalise": 2, "singular vectors": singular}
