"""Rows, ratios and complete runs of the efficiency benchmark."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import sub2node as s2n
from sub2node.base.errors import ConfigError
from sub2node.efficiency import benchmark as module
from sub2node.efficiency.benchmark import (
    MODELS,
    BenchmarkPlan,
    benchmark,
    published_cut,
    reason_of,
    select,
)
from sub2node.efficiency.complete_runs import estimate_complete_run, time_complete_run
from sub2node.efficiency.efficiency_table import METRICS, EfficiencyRow, EfficiencyTable, machine
from sub2node.efficiency.measure import Efficiency, Timing
from sub2node.models import graph_network as models
from sub2node.models.find import find_model

WORD = "generate:density,subgraphs=40,seed=3"
QUICK = {"preset": "fast", "device": "cpu", "repeats": 2, "seconds": 0.1}
numbers = st.floats(1e-6, 1e3)


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return s2n.load_task(WORD)


def fake(train: float, evaluation: float, memory: int = 10**6, batches: int = 1) -> Efficiency:
    times = (Timing(t, t / 2, t * 2, 3, 3) for t in (train, evaluation))
    return Efficiency(*times, 100, 20, batches, batches, 1000, memory, "cpu", 0.5)


def rows_of(data, plan: BenchmarkPlan) -> tuple[EfficiencyRow, ...]:
    return tuple(found for found in benchmark(data, plan) if isinstance(found, EfficiencyRow))


def test_models_by_words() -> None:
    assert select(["s2n+a:gcn2", "glass"]) == ("s2n+a gcn2", "glass")
    assert select(["glass", "s2n+0"])[:2] == ("s2n+0 gcn", "s2n+0 gcn2")  # the order of tables
    assert len(select(["gcn2"])) == 6
    assert select(["gcn2", "s2n+a:gcn2"]) == select(["gcn2"])
    assert select(["all"]) == MODELS
    assert len(MODELS) == 6 * 5 + 2
    assert select(["gnn-seg"]) == ("gnn-seg",)
    assert select(["gcn2"], ("s2n+a gcn2", "glass")) == ("s2n+a gcn2",)
    for word, said in (
        ("gcn3", "gcn"),
        ("s2n+a:glass", "no model"),
        ("", "Known"),
        ("wl", "Known"),
    ):
        with pytest.raises(ConfigError, match=said):
            select([word])
    with pytest.raises(ConfigError, match="no model"):
        BenchmarkPlan(models=("glass",)).completing(["gcn2"])


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"repeats": 1}, "two at least"), ({"seconds": 0}, "above 0"), ({"limit": -1}, "above 0"),
     ({"device": "tpu"}, "auto, cpu or cuda"), ({"seeds": ()}, "seeds")],
)  # fmt: skip
def test_plans_that_cannot_be(settings, said) -> None:
    with pytest.raises(ConfigError, match=said):
        BenchmarkPlan(**settings)


@given(st.lists(st.tuples(numbers, numbers, st.integers(1, 10**12)), min_size=3, max_size=3))
def test_ratios_are_of_medians_on_the_same_data(values) -> None:
    here, glass, other = (fake(*each, batches=3) for each in values)
    found = EfficiencyTable((
        EfficiencyRow("one", "s2n+a gcn", efficiency=here),
        EfficiencyRow("one", "glass", efficiency=glass),
        EfficiencyRow("two", "glass", efficiency=other),
        EfficiencyRow("three", "s2n+a gcn", efficiency=here),
    ))  # fmt: skip
    ours, theirs, _, alone = found.rows
    for metric in METRICS:
        assert found.ratio(theirs, metric) == 1
        assert found.ratio(alone, metric) is None  # GLASS was not measured there
        assert found.ratio(ours, metric) == pytest.approx(
            getattr(here, metric) / getattr(glass, metric)
        )
    assert found.ratio(ours, "train_throughput") == pytest.approx(glass.train_seconds / here.train_seconds)  # fmt: skip # noqa: E501
    assert found.ratio(ours, "train_latency") == pytest.approx(here.train_seconds / glass.train_seconds)  # fmt: skip # noqa: E501


def test_best_is_of_s2n_alone() -> None:
    found = EfficiencyTable((
        EfficiencyRow("one", "separated gcn", efficiency=fake(0.001, 0.001)),
        EfficiencyRow("one", "cos2n+0 gcn", efficiency=fake(0.001, 0.001)),
        EfficiencyRow("one", "s2n+0 gcn", efficiency=fake(0.1, 0.3, 300)),
        EfficiencyRow("one", "s2n+a gcn", efficiency=fake(0.2, 0.1, 200)),
        EfficiencyRow("one", "s2n+a gin", reason="out of memory"),
        EfficiencyRow("one", "glass", efficiency=fake(10, 20, 100)),
        EfficiencyRow("two", "", reason="no such data"),
    ))  # fmt: skip
    best = {metric: found.best("one", metric).model for metric in METRICS}
    assert best["train_throughput"] == best["train_latency"] == "s2n+0 gcn"
    assert best["eval_throughput"] == best["eval_latency"] == best["memory"] == "s2n+a gcn"
    assert found.best("two", "memory") is None
    assert found.data == ["one"]
    told = {(b["data"], b["metric"]): b["ratio"] for b in found.to_dict()["best_s2n"]}
    assert told["one", "train_throughput"] == pytest.approx(100)
    assert told["one", "memory"] == 2  # worse is shown like the others
    records = found.records()
    assert all(list(record) == list(records[0]) for record in records)
    assert records[4]["reason"] == "out of memory"
    assert records[4]["train_throughput"] is None
    assert records[2]["train_seconds_low"] == 0.05
    assert records[2]["structure"] == "s2n+0"


@pytest.mark.parametrize("wanted", [0, 1, 30, 200, 10**9])
def test_a_cut_leaves_the_wanted_number_of_edges(task, wanted) -> None:
    graph = s2n.translate(task)
    kept = graph.normalize(published_cut(graph, wanted), 1.0).num_edges
    matrix = graph.weights.toarray()
    weights = matrix[np.triu_indices(len(matrix), 1)]
    possible = [int((weights >= w).sum()) for w in np.unique(weights[weights > 0])]
    assert abs(kept - wanted) == min(abs(count - wanted) for count in possible)


def test_published_shapes_get_published_settings() -> None:
    here = module._DataSet.read(
        "like:ppi_bp", partial(s2n.load_task, "like:ppi_bp"), BenchmarkPlan()
    )
    assert here.preset == "paper:ppi_bp"
    settings = here.settings("s2n+a gcn")
    edges = models.translated(here.task, True).normalize(settings["translation.a"], 1.0).num_edges
    assert abs(edges - 4800) < 1000
    assert settings["translation.delta"] == 1
    assert here.settings("separated gcn") == here.settings("cos2n+a gcn2") == {}
    for name, batch in (("glass", 80), ("subgnn", 32)):
        chosen = here.settings(name)
        assert chosen == {"features.kind": "random"}  # nobody waits for pre-training
        model = find_model(here.task, name, structure=None, conv=None, preset=here.preset,
                           settings=chosen, device="cpu").model  # fmt: skip
        assert model.candidates[0].training.batch == batch
    assert list(here.measure("cos2n+a gin")) == []  # there are no published settings
    assert list(here.report_omitted({"glass": EfficiencyRow("", "")})) == [
        "like:ppi_bp: no settings in paper:ppi_bp for cos2n+a gin."
    ]
    assert "no settings for cos2n+a with gin" in next(here.report_omitted({})).reason
    own = module._DataSet("x", here.load, BenchmarkPlan(preset="fast"), here.task, 1.0, ())
    assert own.preset == "fast"


def test_rows_go_on_after_failures(task, monkeypatch) -> None:
    real = module.efficiency

    def sometimes(task, model, **limits) -> Efficiency:
        if "gin" in model.name:
            raise torch.OutOfMemoryError("CUDA out of memory.\nTried to allocate much")
        if "sage" in model.name:
            raise ConfigError("this data does not suit.")
        return real(task, model, **limits)

    monkeypatch.setattr(module, "efficiency", sometimes)
    plan = BenchmarkPlan(models=("s2n+0 gcn", "s2n+0 gin", "s2n+0 sage", "glass"), **QUICK)
    data = {"nothing": partial(s2n.load_task, "no-such-data"), "data": lambda: task}
    found = EfficiencyTable(rows_of(data, plan))
    assert [row.model for row in found.rows] == ["", *plan.models]
    assert "no-such-data" in found.rows[0].reason
    assert found.rows[2].reason == "out of memory (CUDA out of memory.)"
    assert found.rows[3].reason == "this data does not suit."
    assert found.data == ["data"]
    assert found.ratio(found.rows[1], "memory") < 1
    assert [row.preset for row in found.rows[1:]] == ["fast"] * 4


def test_reasons_are_one_line() -> None:
    assert reason_of(MemoryError()) == "out of memory (MemoryError)"
    cpu = RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: 12 bytes\nmore")
    assert reason_of(cpu).startswith("out of memory")
    assert "\n" not in reason_of(cpu)
    assert reason_of(RuntimeError("odd\nstack")) == "odd"


def test_complete_runs_do_everything_anew(task, monkeypatch) -> None:
    calls = []

    def counted(*arguments, **options):
        calls.append(arguments)
        return real(*arguments, **options)

    real = models.translate
    monkeypatch.setattr(models, "translate", counted)
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


def test_phases_do_not_count_twice(task, monkeypatch) -> None:
    def slow(*arguments, **options):
        time.sleep(0.3)
        return real(*arguments, **options)

    real = models.translate
    monkeypatch.setattr(models, "translate", slow)
    model = find_model(
        task, "s2n+0", structure=None, conv="gcn", preset="fast", device="cpu",
        settings={"epochs": 2, "features.kind": "random"},
    ).model  # fmt: skip
    start = time.perf_counter()
    whole = time_complete_run(lambda: task, model, (1,))
    assert whole.translation > 0.3
    assert whole.seconds <= time.perf_counter() - start


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


def test_machine_says_what_numbers_are_of() -> None:
    facts = machine("cpu")
    assert facts["device"] == "cpu"
    assert facts["threads"] == torch.get_num_threads()
    assert facts["processor"]
    assert facts["torch"] == torch.__version__
