"""Models from others: what is no file, what would need much memory, what has no finite answer."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from commands import refused as refused_by_command
from commands import s2n as command
from scoring_tasks import FILES, QUERY, copied, model, signed, small_task
from sub2node import SubgraphClassifier
from sub2node.base.errors import DataError, NotFiniteError
from sub2node.scoring import load_scorer


@pytest.mark.parametrize("name", FILES)
def test_pipes_and_devices_are_no_models(name: str, saved: Path, tmp_path: Path) -> None:
    crafted = copied(saved, tmp_path / "model")
    (crafted / name).unlink()
    os.mkfifo(crafted / name)
    refused_by_command(command("predict", crafted, "--nodes", "g1"), "this is a named pipe")
    (crafted / name).unlink()
    (crafted / name).symlink_to("/dev/zero")
    refused_by_command(command("predict", crafted, "--nodes", "g1"), "this is a device")


def table_bytes(columns: dict[str, np.ndarray]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue().to_pybytes()


@pytest.fixture(scope="module")
def unnamed(tmp_path_factory) -> Path:
    """A model whose nodes are numbers."""
    return model(small_task()).save(tmp_path_factory.mktemp("unnamed") / "model")


def peak_memory(folder: Path, text: str) -> int:
    """The bytes that were taken while a model was refused."""
    tracemalloc.start()
    with pytest.raises(DataError, match=text):
        load_scorer(folder)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("nodes", [51, 2 * 10**6, 2**39])
def test_more_nodes_than_the_files_have(nodes: int, saved: Path, tmp_path: Path) -> None:
    crafted = copied(saved, tmp_path / "model")
    signed(crafted, lambda facts: facts["graph"].update(nodes=nodes))
    assert peak_memory(crafted, f"{nodes:,} nodes; nodes.parquet has 50") < 10**7


def test_more_nodes_than_edges_bear_out(unnamed: Path, tmp_path: Path) -> None:
    crafted = copied(unnamed, tmp_path / "model")
    signed(crafted, lambda facts: facts["graph"].update(nodes=2**39))
    assert peak_memory(crafted, "nodes, with only .* edges") < 10**7


def test_a_table_that_expands_to_much_more_than_its_size(unnamed: Path, tmp_path: Path) -> None:
    crafted = copied(unnamed, tmp_path / "model")
    zeros = np.zeros(10**7, np.int64)
    content = table_bytes({"low": zeros, "high": zeros})
    assert len(content) < 200_000
    signed(crafted, lambda facts: None, **{"edges.parquet": content})
    assert peak_memory(crafted, "expands to more than") < 10**7


def test_weights_with_which_nothing_is_finite(saved: Path, tmp_path: Path) -> None:
    crafted = copied(saved, tmp_path / "model")
    arrays = load_arrays((crafted / "weights.safetensors").read_bytes())
    large = {name: np.full_like(array, 3e38) for name, array in arrays.items()}
    signed(crafted, lambda facts: None, **{"weights.safetensors": save_arrays(large)})
    with pytest.raises(DataError, match="no finite answer for the subgraph 'set 0'"):
        SubgraphClassifier.load(crafted)
    refused_by_command(command("predict", crafted, "--nodes", "g1", "--json"), "no finite answer")


def test_an_answer_that_is_not_finite_does_not_leave(saved: Path, monkeypatch) -> None:
    scorer = load_scorer(saved)
    real = type(scorer.forward).answer

    def broken(self, placed):
        vectors, logits = real(self, placed)
        logits[0, -1, 0] = torch.nan
        return vectors, logits

    monkeypatch.setattr(type(scorer.forward), "answer", broken)
    query = scorer.ask(QUERY, names=["one", "two"])
    for work in (scorer.predict, scorer.neighbors):
        with pytest.raises(NotFiniteError, match="for the subgraph 'two'"):
            work(query)


def test_an_explanation_that_is_not_finite_does_not_leave(saved: Path, monkeypatch) -> None:
    scorer = load_scorer(saved)
    real = type(scorer.network.head).forward
    monkeypatch.setattr(type(scorer.network.head), "forward", lambda *x: real(*x) * torch.nan)
    with pytest.raises(NotFiniteError, match="no finite explanation"):
        scorer.explain(scorer.ask(QUERY[:1]))
