"""Tables of a benchmark: ratios of medians, the best, and what they were measured on."""

from __future__ import annotations

import json
from importlib.metadata import version

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sub2node.base.errors import DataError
from sub2node.efficiency.complete_runs import CompleteRun
from sub2node.efficiency.efficiency_table import (
    METRICS,
    EfficiencyRow,
    EfficiencyTable,
    machine,
    read_efficiency_table,
    row_of_record,
)
from sub2node.efficiency.measure import Efficiency, Timing

numbers = st.floats(1e-6, 1e3)


def fake(train: float, evaluation: float, memory: int = 10**6, batches: int = 1) -> Efficiency:
    times = (Timing(t, t / 2, t * 2, 3, 3) for t in (train, evaluation))
    return Efficiency(*times, 100, 20, batches, batches, 1000, memory, "cpu", 0.5)


@given(st.lists(st.tuples(numbers, numbers, st.integers(1, 10**12)), min_size=3, max_size=3))
def test_ratios_are_of_medians_on_the_same_data(values) -> None:
    here, glass, other = (fake(*each, batches=3) for each in values)
    result = EfficiencyTable((
        EfficiencyRow("one", "s2n+a gcn", efficiency=here),
        EfficiencyRow("one", "glass", efficiency=glass),
        EfficiencyRow("two", "glass", efficiency=other),
        EfficiencyRow("three", "s2n+a gcn", efficiency=here),
    ))  # fmt: skip
    ours, theirs, _, alone = result.rows
    for metric in METRICS:
        assert result.ratio(theirs, metric) == 1
        assert result.ratio(alone, metric) is None  # GLASS was not measured there
        assert result.ratio(ours, metric) == pytest.approx(
            getattr(here, metric) / getattr(glass, metric)
        )
    assert result.ratio(ours, "train_throughput") == pytest.approx(glass.train_seconds / here.train_seconds)  # fmt: skip # noqa: E501
    assert result.ratio(ours, "train_latency") == pytest.approx(here.train_seconds / glass.train_seconds)  # fmt: skip # noqa: E501


def test_best_is_of_s2n_alone() -> None:
    result = EfficiencyTable((
        EfficiencyRow("one", "separated gcn", efficiency=fake(0.001, 0.001)),
        EfficiencyRow("one", "cos2n+0 gcn", efficiency=fake(0.001, 0.001)),
        EfficiencyRow("one", "s2n+0 gcn", efficiency=fake(0.1, 0.3, 300)),
        EfficiencyRow("one", "s2n+a gcn", efficiency=fake(0.2, 0.1, 200)),
        EfficiencyRow("one", "s2n+a gin", reason="out of memory"),
        EfficiencyRow("one", "glass", efficiency=fake(10, 20, 100)),
        EfficiencyRow("two", "", reason="no such data"),
    ))  # fmt: skip
    best = {metric: result.best("one", metric).model for metric in METRICS}
    assert best["train_throughput"] == best["train_latency"] == "s2n+0 gcn"
    assert best["eval_throughput"] == best["eval_latency"] == best["memory"] == "s2n+a gcn"
    assert result.best("two", "memory") is None
    assert result.data == ["one"]
    told = {(b["data"], b["metric"]): b["ratio"] for b in result.to_dict()["best_s2n"]}
    assert told["one", "train_throughput"] == pytest.approx(100)
    assert told["one", "memory"] == 2  # worse is shown like the others
    records = result.records()
    assert all(list(record) == list(records[0]) for record in records)
    assert records[4]["reason"] == "out of memory"
    assert records[4]["train_throughput"] is None
    assert records[2]["train_seconds_low"] == 0.05
    assert records[2]["structure"] == "s2n+0"


def test_machine_says_what_numbers_are_of() -> None:
    facts = machine("cpu")
    assert facts["device"] == "cpu"
    assert facts["threads"] == torch.get_num_threads()
    assert facts["processor"]
    assert facts["torch"] == version("torch")


def test_records_give_back_their_rows(tmp_path) -> None:
    complete = CompleteRun(0.1, 0.2, 0.3, 0.4, seeds=3, estimated=True)
    rows = (
        EfficiencyRow("a", "glass", "fast", fake(2.0, 1.0)),
        EfficiencyRow("a", "s2n+0 gcn", "fast", fake(1.0, 0.5), complete),
        EfficiencyRow("b", "glass", reason="no memory."),
        EfficiencyRow("c", "", reason="no such file."),
    )
    table = EfficiencyTable(rows, {"device": "cpu"}, ("one note.",))
    assert tuple(row_of_record(record) for record in table.records()) == rows
    path = tmp_path / "result.json"
    path.write_text(json.dumps(table.to_dict()))
    again = read_efficiency_table(path)
    assert (again.rows, again.machine, again.notes) == (rows, {"device": "cpu"}, ("one note.",))
    assert (again.data, again.reference("b")) == (["a"], None)
    assert complete.seconds == pytest.approx(1.0)
    for text in ("{", "[]", '{"rows": [{}]}'):
        path.write_text(text)
        with pytest.raises(DataError, match="no result of an efficiency benchmark"):
            read_efficiency_table(path)
