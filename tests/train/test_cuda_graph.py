"""Training on a GPU, where there is one, is that on the CPU; what is recorded is replayed."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
import torch

import sub2node as s2n
from sub2node.train import cuda_graph
from sub2node.train.cuda_graph import Captured

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

QUIET = {"dropout": 0.0, "edge_dropout": 0.0, "features.kind": "random", "epochs": 15, "lr": 0.003}


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=40,seed=3")


def run(task: s2n.SubgraphTask, device: str, settings: dict[str, Any], **options: Any) -> Any:
    return s2n.run(task, preset="fast", settings=settings, device=device, **options)


def test_the_first_calls_run_and_the_third_is_recorded(monkeypatch) -> None:
    events = []

    class Graph:
        def replay(self) -> None:
            events.append("replay")

    def record(captured: Captured[int]) -> Graph:
        events.append("record")
        captured.result = captured.call()
        return Graph()

    monkeypatch.setattr(Captured, "_run_aside", lambda captured: captured.call())
    monkeypatch.setattr(Captured, "_record", record)
    captured = Captured(lambda: events.append("run") or len(events), torch.device("cuda"))
    assert [captured() for _ in range(5)] == [1, 2, 4, 4, 4]
    assert events == ["run", "run", "record", "run", "replay", "replay", "replay"]


@pytest.mark.slow
@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_is_not_collected_while_recording(enabled: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with cuda_graph._without_collection():
            assert not gc.isenabled()
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if before else gc.disable)()


@needs_gpu
def test_what_is_recorded_is_what_runs() -> None:
    device = torch.device("cuda", 0)
    x = torch.zeros(3, device=device)
    captured = Captured(lambda: x.add_(1) * 2, device)
    assert [captured().tolist()[0] for _ in range(6)] == [2, 4, 6, 8, 10, 12]
    assert captured.graph is not None


@needs_gpu
@pytest.mark.parametrize("structure", ["separated", "connected", "s2n+0", "s2n+a"])
@pytest.mark.parametrize("conv", ["gcn", "gcn2", "gin", "gatv2", "sage", "fagcn"])
def test_without_dropout_gpu_and_cpu_agree(task, structure, conv) -> None:
    options = {"structure": structure, "conv": conv, "seeds": 3}
    here, there = (run(task, device, QUIET, **options) for device in ("cpu", "cuda"))
    for name in ("train_loss", "val_loss"):  # later, training magnifies differences of rounding
        assert there.history[name][:8] == pytest.approx(here.history[name][:8], rel=1e-2, abs=1e-3)


@needs_gpu
@pytest.mark.parametrize("readout", ["max", "learned", "degree"])
def test_readouts_on_the_gpu(task, readout) -> None:
    settings = {**QUIET, "readout": readout, "epochs": 5}
    here, there = (run(task, device, settings, seeds=2) for device in ("cpu", "cuda"))
    assert there.history["val_loss"] == pytest.approx(here.history["val_loss"], rel=5e-3, abs=1e-4)


@needs_gpu
def test_with_dropout_replicas_are_the_same_alone_and_together(task) -> None:
    settings = {**QUIET, "dropout": 0.4, "edge_dropout": 0.3, "epochs": 10}
    together, alone = (run(task, "cuda", settings, seeds=s) for s in ([10, 11, 12], [11]))
    result, expected = together.history["train_loss"][:, 1], alone.history["train_loss"][:, 0]
    assert result == pytest.approx(expected, rel=1e-4)
    assert not np.allclose(together.history["train_loss"][:, 0], expected, rtol=1e-3)


@needs_gpu
def test_a_killed_training_goes_on_on_the_gpu(task, tmp_path, monkeypatch) -> None:
    from sub2node.base.progress import Report, listen
    from sub2node.train import checkpoint

    class Killed(BaseException):
        pass

    def kill(report: Report) -> None:
        if report.done >= 6:
            raise Killed

    settings = {**QUIET, "dropout": 0.4, "patience": 0}
    monkeypatch.setattr(checkpoint.Checkpoint, "due", property(lambda self: True))
    with listen(kill), pytest.raises(Killed):
        run(task, "cuda", settings, seeds=2, checkpoint=tmp_path)
    resumed = run(task, "cuda", settings, seeds=2, checkpoint=tmp_path, resume=True)
    whole = run(task, "cuda", settings, seeds=2)
    assert resumed.history["val_loss"] == pytest.approx(whole.history["val_loss"], rel=1e-3)


@needs_gpu
@pytest.mark.parametrize("name", ["glass", "gnn-plain", "gnn-seg", "subgnn"])
def test_baselines_on_the_gpu(task, name) -> None:
    """The same orders, anchors and first values: the first epochs agree without dropout."""
    settings = {"model.dropout": 0.0, "features.kind": "random", "epochs": 4, "lr": 1e-3}
    here, there = (run(task, device, settings, model=name, seeds=2) for device in ("cpu", "cuda"))
    assert there.history["train_loss"][:2] == pytest.approx(
        here.history["train_loss"][:2], rel=2e-2
    )
