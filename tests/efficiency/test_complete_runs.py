"""Complete runs: everything is done anew, no phase counts twice, long ones are estimated."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

import sub2node as s2n
from sub2node.efficiency.benchmark import BenchmarkPlan, benchmark
from sub2node.efficiency.complete_runs import estimate_complete_run, time_complete_run
from sub2node.efficiency.efficiency_table import EfficiencyRow
from sub2node.efficiency.measure import Efficiency, Timing
from sub2node.models import graph_network as models
from sub2node.models.find import find_model

WORD = "generate:density,subgraphs=40,seed=3,nodes=200,size=8"
pytestmark = pytest.mark.usefixtures("rough_timing")
QUICK = {"preset": "fast", "device": "cpu", "repeats": 2, "seconds": 0.1}


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return s2n.load_task(WORD)


def fake(train: float, evaluation: float, memory: int = 10**6, batches: int = 1) -> Efficiency:
    times = (Timing(t, t / 2, t * 2, 3, 3) for t in (train, evaluation))
    return Efficiency(*times, 100, 20, batches, batches, 1000, memory, "cpu", 0.5)


def rows_of(data, plan: BenchmarkPlan) -> tuple[EfficiencyRow, ...]:
    return tuple(result for result in benchmark(data, plan) if isinstance(result, EfficiencyRow))


@pytest.mark.slow
def test_complete_runs_do_everything_anew(task, monkeypatch) -> None:
    calls = []

    def counted(*arguments, **options):
        calls.append(arguments)
        return real(*arguments, **options)

    real = models.translate_by
    monkeypatch.setattr(models, "translate_by", counted)
    models.translated.cache_clear()
    plan = BenchmarkPlan(models=("s2n+0 gcn", "glass"), seeds=(1, 2), **QUICK).completing(["s2n+0"])
    plan = replace(plan, limit=1e6)
    loads = []
    rows = rows_of({"data": lambda: loads.append(1) or task}, plan)
    each = [(row.model, row.complete is not None) for row in rows]
    assert each == [("s2n+0 gcn", False), ("glass", False), ("s2n+0 gcn", True)]
    whole = rows[-1].complete
    assert (len(loads), len(calls)) == (2, 2)
    assert (whole.seeds, whole.estimated) == (2, False)
    phases = (whole.data, whole.translation, whole.training, whole.evaluation)
    assert min(phases) > 0
    assert whole.seconds == pytest.approx(sum(phases))
    assert whole.training > whole.translation
    assert rows[-1].efficiency == rows[0].efficiency


@pytest.mark.slow
def test_phases_do_not_count_twice(task, monkeypatch) -> None:
    def slow(*arguments, **options):
        time.sleep(0.3)
        return real(*arguments, **options)

    real = models.translate_by
    monkeypatch.setattr(models, "translate_by", slow)
    model = find_model(
        task, "s2n+0", structure=None, conv="gcn", preset="fast", device="cpu",
        settings={"epochs": 2, "features.kind": "random"},
    ).model  # fmt: skip
    start = time.perf_counter()
    whole = time_complete_run(lambda: task, model, (1,))
    assert whole.translation > 0.3
    assert whole.seconds <= time.perf_counter() - start


@pytest.mark.slow
def test_long_complete_runs_are_estimated(task) -> None:
    plan = BenchmarkPlan(models=("glass",), seeds=(1, 2, 3), limit=0, **QUICK).completing(["all"])
    *_, last = rows_of({"data": lambda: task}, plan)
    whole, got = last.complete, last.efficiency
    assert whole.estimated
    epochs = 2 * 60  # of two candidates
    assert whole.training == pytest.approx(3 * epochs * (got.train_seconds + got.eval_seconds))
    assert whole.evaluation == pytest.approx(3 * got.eval_seconds * 40 / 4)


def test_an_estimate_has_the_data_in_it(task) -> None:
    model = find_model(
        task, "s2n+a", structure=None, conv=None, preset="fast", device="cpu",
        settings={"epochs": 7, "features.kind": "random"},
    ).model  # fmt: skip
    whole = estimate_complete_run(fake(0.25, 0.125), model, task=task, data=11.0, seeds=10)
    assert (whole.data, whole.translation) == (11, 0.5)
    assert whole.training == 10 * 7 * 0.375


def test_an_interrupted_complete_run_is_none(task, monkeypatch) -> None:
    from sub2node.efficiency import complete_runs

    monkeypatch.setattr(
        complete_runs, "assess", lambda *_, **__: type("R", (), {"ended": "interrupted"})
    )
    model = find_model(task, "glass", structure=None, conv=None, preset="fast", device="cpu").model
    with pytest.raises(KeyboardInterrupt):
        time_complete_run(lambda: task, model, (1,))
