"""Times are of steps that are warm, memory is of what is there at once."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import sub2node as s2n
from sub2node.base.errors import ConfigError
from sub2node.efficiency import measure as module
from sub2node.efficiency.measure import Efficiency, Timing, efficiency, timed
from sub2node.models import find_preset
from sub2node.models.baseline import baseline
from sub2node.models.find import find_model
from sub2node.models.graph_network import GraphNetwork

CPU = torch.device("cpu")
seconds = st.floats(1e-6, 1e4)
counts = st.integers(1, 10**6)


class Clock:
    """Time that passes only in steps: ``costs`` of the first ones, then the last of them."""

    def __init__(self, monkeypatch, *costs: float) -> None:
        self.costs, self.now, self.steps, self.waits = costs, 0.0, 0, 0
        monkeypatch.setattr(module.time, "perf_counter", lambda: self.now)
        monkeypatch.setattr(module, "_wait", self._wait)

    def step(self) -> None:
        self.now += self.costs[min(self.steps, len(self.costs) - 1)]
        self.steps += 1

    def _wait(self, _: torch.device) -> None:
        self.waits += 1


def test_short_steps_are_timed_in_blocks(monkeypatch) -> None:
    """The first ones, which compile and capture, do not count."""
    clock = Clock(monkeypatch, 0.5, 0.005, 0.005, 0.3, 0.0002)
    result = timed(clock.step, CPU, repeats=7, seconds=60)
    assert result.median == pytest.approx(0.0002)
    assert result.high == pytest.approx(0.0002)
    assert result.blocks == 7
    assert 100 <= result.epochs / 7 <= 101  # twenty milliseconds each
    assert clock.waits < 2 * 25 < clock.steps  # the device is waited for at the ends of blocks


def test_a_long_compilation_is_no_slow_step(monkeypatch) -> None:
    """The first step takes longer than the limit, those after it a fraction of a millisecond."""
    clock = Clock(monkeypatch, 100.0, 0.005, 0.4, 0.0002)
    result = timed(clock.step, CPU, repeats=5, seconds=2)
    assert result.blocks == 5
    assert result.high == pytest.approx(0.0002)
    assert result.epochs >= 500


def test_steps_that_become_quick_late(monkeypatch) -> None:
    clock = Clock(monkeypatch, *[0.005] * 6, 0.0002)
    result = timed(clock.step, CPU, repeats=5, seconds=2)
    assert result.high == pytest.approx(0.0002)
    assert result.epochs >= 500


def test_slow_steps_are_few(monkeypatch) -> None:
    """One to warm up and two to time, even where the limit is far behind."""
    clock = Clock(monkeypatch, 70.0, 50.0, 60.0)
    result = timed(clock.step, CPU, repeats=10, seconds=1)
    assert (clock.steps, result.blocks, result.epochs) == (3, 2, 2)
    assert (result.low, result.median, result.high) == (50, 55, 60)
    assert result.spread == pytest.approx(5 / 55)


def test_a_limit_ends_the_blocks(monkeypatch) -> None:
    clock = Clock(monkeypatch, 1.0)
    result = timed(clock.step, CPU, repeats=100, seconds=20)
    assert 2 < result.blocks < 20
    assert clock.now <= 22
    many = timed(Clock(monkeypatch, 1.0).step, CPU, repeats=6, seconds=1000)
    assert many.blocks == 6
    with pytest.raises(ConfigError, match="two at least"):
        timed(clock.step, CPU, repeats=1)


@given(seconds, seconds, counts, counts, counts, counts)
def test_formulas_of_the_paper(train, answer, subgraphs, val, steps, passes) -> None:
    result = Efficiency(
        Timing(train, train, train, 1, 1), Timing(answer, answer, answer, 1, 1), subgraphs, val,
        steps, passes, 1, 1, "cpu",
    )  # fmt: skip
    assert result.train_throughput * result.train_seconds == pytest.approx(subgraphs)
    assert result.eval_throughput * result.eval_seconds == pytest.approx(val)
    assert result.train_latency * steps == pytest.approx(result.train_seconds)
    assert result.eval_latency * passes == pytest.approx(result.eval_seconds)


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=60,seed=3,nodes=400,size=8")


def measured(task, name: str, **settings: object) -> Efficiency:
    model = find_model(
        task, name, structure=None, conv=None, preset="fast", settings=settings, device="cpu"
    ).model
    return efficiency(task, model, repeats=2, seconds=0.1)


@pytest.mark.slow
def test_batches_of_an_epoch(task, rough_timing) -> None:
    assert (task.split.count("train"), task.split.count("val")) == (48, 6)
    result = measured(task, "glass", **{"training.batch": 5})
    assert (result.train_batches, result.eval_batches) == (
        9,
        2,
    )  # what is left over is not trained on
    assert result.train_latency == result.train_seconds / 9
    whole = measured(task, "glass", **{"training.batch": 500})
    assert (whole.train_batches, whole.eval_batches) == (1, 1)
    structure = measured(task, "s2n+a")
    assert (structure.train_batches, structure.eval_batches) == (1, 1)
    assert structure.build_seconds > 0


@pytest.mark.slow
def test_memory_is_of_one_batch_at_a_time(task, rough_timing) -> None:
    """GLASS keeps the vectors of all nodes in each batch, and gives them back before the next."""
    few = measured(task, "glass", **{"training.batch": 6})
    one = measured(task, "glass", **{"training.batch": 48})
    assert few.train_batches == 8
    assert few.memory < 1.05 * one.memory


def test_memory_by_hand() -> None:
    network = torch.nn.Linear(4, 3, bias=False)

    def step() -> None:
        for _ in range(2):  # the second pass needs what the first gave back
            network.weight.grad = None
            (network(torch.ones(5, 4)) ** 2).sum().backward()

    stages = SimpleNamespace(rows=torch.zeros(7, dtype=torch.int64))
    group = SimpleNamespace(network=network, train_step=step, moments=[torch.zeros(9)])
    fixed = 4 * 12 + 4 * 9 + 8 * 7  # weights, moments, stage
    kept = 4 * (5 * 4 + 5 * 3)  # inputs, and what is squared
    assert module._bytes_of_step(group, stages) == fixed + 4 * 12 + kept  # with gradients


def test_things_that_point_at_each_other_are_walked_once() -> None:
    one, other = SimpleNamespace(tensor=torch.zeros(3)), SimpleNamespace(other=None)
    one.other, other.other = other, one
    assert [t.numel() for t in module._find_tensors([one, {"again": one}, torch], set())] == [3]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_memory_of_a_gpu_is_the_models_own(task) -> None:
    model = find_model(
        task, "s2n+a", structure=None, conv="gcn", preset="fast", device="cuda"
    ).model
    large = baseline(task, "glass", preset="fast", device="cuda").model
    first = efficiency(task, model, repeats=2, seconds=1)
    held = torch.zeros(10**7, device="cuda")  # what somebody else has there is not the model's
    efficiency(task, large, repeats=2, seconds=1)
    again = efficiency(task, model, repeats=2, seconds=1)
    assert again.device == "cuda"
    assert held.numel() * 4 > first.memory > 4 * 4 * first.parameters
    assert again.memory == pytest.approx(first.memory, rel=0.05, abs=2**20)


QUICK = {"epochs": 3, "features.kind": "random"}


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["separated", "connected", "s2n+0", "cos2n+a"])
def test_steps_are_timed_and_weighed(task, structure, rough_timing) -> None:
    config = find_preset("fast", task, structure, "gcn2").with_settings(QUICK).config
    found = efficiency(task, GraphNetwork((config,), device="cpu"))
    assert found.train_subgraphs == task.split.count("train")
    assert found.eval_subgraphs == task.split.count("val")
    assert found.train_throughput == found.train_subgraphs / found.train_seconds
    assert 0 < found.eval_seconds < 5
    # At least parameters, gradients and two moments of each.
    assert found.memory > 4 * 4 * found.parameters
    wider = config.with_settings({"hidden": 2 * config.model.hidden})
    assert efficiency(task, GraphNetwork((wider,), device="cpu")).memory > found.memory
    joined = config.with_settings({"features.join": "concat"})
    columns = np.ones((task.graph.num_nodes, 40))
    more = efficiency(task, GraphNetwork((joined,), columns, "cpu"))
    assert more.memory > found.memory  # what joins the features counts


@pytest.mark.slow
@pytest.mark.parametrize("name", ["glass", "gnn-plain", "gnn-seg", "subgnn"])
def test_epochs_of_baselines_are_timed_and_weighed(task, name, rough_timing) -> None:
    model = baseline(task, name, preset="fast", device="cpu").model
    found = efficiency(task, model)
    assert found.train_subgraphs == task.split.count("train")
    assert found.train_throughput == found.train_subgraphs / found.train_seconds
    assert found.memory > 4 * 4 * found.parameters > 0
