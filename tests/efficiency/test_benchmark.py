"""Rows, ratios and complete runs of the efficiency benchmark."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch

import sub2node as s2n
from sub2node.base.errors import ConfigError
from sub2node.config import TranslationSettings
from sub2node.efficiency import benchmark as module
from sub2node.efficiency.benchmark import (
    MODELS,
    BenchmarkPlan,
    benchmark,
    published_cut,
    reason_of,
    select,
)
from sub2node.efficiency.efficiency_table import EfficiencyRow, EfficiencyTable
from sub2node.efficiency.measure import Efficiency
from sub2node.models import graph_network as models
from sub2node.models.find import find_model

WORD = "generate:density,subgraphs=40,seed=3,nodes=200,size=8"
pytestmark = pytest.mark.usefixtures("rough_timing")
QUICK = {"preset": "fast", "device": "cpu", "repeats": 2, "seconds": 0.1}


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return s2n.load_task(WORD)


def rows_of(data, plan: BenchmarkPlan) -> tuple[EfficiencyRow, ...]:
    return tuple(result for result in benchmark(data, plan) if isinstance(result, EfficiencyRow))


def test_models_by_words() -> None:
    assert select(["s2n+a:gcn2", "glass"]) == ("s2n+a gcn2", "glass")
    assert select(["glass", "s2n+0"])[:2] == ("s2n+0 gcn", "s2n+0 gcn2")  # the order of tables
    assert len(select(["gcn2"])) == 6
    assert select(["gcn2", "s2n+a:gcn2"]) == select(["gcn2"])
    assert select(["all"]) == MODELS
    assert len(MODELS) == 6 * 6 + 2
    assert select(["gnn-seg"]) == ("gnn-seg",)
    assert select(["gcn2"], ("s2n+a gcn2", "glass")) == ("s2n+a gcn2",)
    for word, message in (
        ("gcn3", "gcn"),
        ("s2n+a:glass", "no model"),
        ("", "Known"),
        ("wl", "Known"),
    ):
        with pytest.raises(ConfigError, match=message):
            select([word])
    with pytest.raises(ConfigError, match="no model"):
        BenchmarkPlan(models=("glass",)).completing(["gcn2"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"repeats": 1}, "two at least"), ({"seconds": 0}, "above 0"), ({"limit": -1}, "above 0"),
     ({"device": "tpu"}, "auto, cpu or cuda"), ({"seeds": ()}, "seeds")],
)  # fmt: skip
def test_plans_that_cannot_be(settings, message) -> None:
    with pytest.raises(ConfigError, match=message):
        BenchmarkPlan(**settings)


@pytest.mark.parametrize("wanted", [0, 1, 30, 200, 10**9])
def test_a_cut_leaves_the_wanted_number_of_edges(task, wanted) -> None:
    graph = s2n.translate(task)
    kept = graph.normalize(published_cut(graph, wanted), 1.0).num_edges
    matrix = graph.weights.toarray()
    weights = matrix[np.triu_indices(len(matrix), 1)]
    possible = [int((weights >= w).sum()) for w in np.unique(weights[weights > 0])]
    assert abs(kept - wanted) == min(abs(count - wanted) for count in possible)


@pytest.mark.slow
def test_published_shapes_get_published_settings() -> None:
    here = module._DataSet.read(
        "like:ppi_bp", partial(s2n.load_task, "like:ppi_bp"), BenchmarkPlan()
    )
    assert here.preset == "paper:ppi_bp"
    settings = here.settings("s2n+a gcn")
    edges = (
        models.translated(here.task, TranslationSettings())
        .normalize(settings["translation.a"], 1.0)
        .num_edges
    )
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


@pytest.mark.slow
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
    result = EfficiencyTable(rows_of(data, plan))
    assert [row.model for row in result.rows] == ["", *plan.models]
    assert "no-such-data" in result.rows[0].reason
    assert result.rows[2].reason == "out of memory (CUDA out of memory.)"
    assert result.rows[3].reason == "this data does not suit."
    assert result.data == ["data"]
    assert result.ratio(result.rows[1], "memory") < 1
    assert [row.preset for row in result.rows[1:]] == ["fast"] * 4


def test_reasons_are_one_line() -> None:
    assert reason_of(MemoryError()) == "out of memory (MemoryError)"
    cpu = RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: 12 bytes\nmore")
    assert reason_of(cpu).startswith("out of memory")
    assert "\n" not in reason_of(cpu)
    assert reason_of(RuntimeError("odd\nstack")) == "odd"
