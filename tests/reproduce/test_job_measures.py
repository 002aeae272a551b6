"""What is measured of data: statistics, compression over settings, and speed."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sub2node as s2n
from sub2node.base.errors import DataError
from sub2node.efficiency.measure import Efficiency, Timing
from sub2node.reproduce import job_measures
from sub2node.reproduce.job_measures import (
    count_statistics,
    explain_attributes,
    measure_compression,
    measure_speed,
    share_between,
)
from sub2node.task import Split, SubgraphTask


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=40,seed=3")


def test_statistics_are_those_of_the_description(task: SubgraphTask) -> None:
    facts = count_statistics(task)
    assert (facts["nodes"], facts["edges"]) == (task.graph.num_nodes, task.graph.num_edges)
    assert facts["subgraph_nodes"] == pytest.approx(
        [task.subgraphs.sizes.mean(), task.subgraphs.sizes.std()]
    )
    assert facts["labels"] == "Single-label"
    shares = [100 * task.split.count(part) / 40 for part in ("train", "val", "test")]
    assert facts["split"] == "/".join(f"{share:.0f}" for share in shares)


def test_attributes_name_the_statistic_that_labels_tell_most_about(task: SubgraphTask) -> None:
    facts = explain_attributes(task)
    assert list(facts) == ["internal", "border", "position"]
    share, _, name = facts["internal"].partition(" ")
    assert name in ("(density)", "(internal edges)", "(mean inner degree)")
    assert float(share) > 0.8  # the labels are bins of the density
    assert float(facts["border"].split()[0]) < float(share)
    table = replace(task, labels=task.labels[:, None] == np.arange(3))
    with pytest.raises(DataError, match="each subgraph has one"):
        explain_attributes(table)


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 3)), min_size=2, max_size=20))
def test_the_share_between_classes_is_one_minus_that_within(pairs: list[tuple[int, int]]) -> None:
    values, labels = np.array(pairs, float)[:, 0], np.array(pairs)[:, 1]
    total = ((values - values.mean()) ** 2).sum()
    within = sum(
        ((values[labels == k] - values[labels == k].mean()) ** 2).sum() for k in set(labels)
    )
    expected = 0.0 if total == 0 else 1 - within / total
    assert share_between(values, labels) == pytest.approx(expected, abs=1e-9)


def test_compression_is_the_mean_over_the_settings_of_s2n(task, monkeypatch) -> None:
    cuts = iter([0.5, 1.0, 1.5, 2.0])

    def settings(task, structure, conv):
        translation = SimpleNamespace(a=next(cuts), delta=1.0)
        return SimpleNamespace(config=SimpleNamespace(translation=translation), name="mine")

    monkeypatch.setattr(job_measures, "settings_for", settings)
    facts = measure_compression(task)
    raw = s2n.translate(task)
    entries = [raw.normalize(a, 1.0).weights.nnz for a in (0.5, 1.0, 1.5, 2.0)]
    assert facts["entries"] == pytest.approx([np.mean(entries), np.std(entries)])
    assert (facts["nodes_before"], facts["nodes_after"]) == (task.graph.num_nodes, len(task))
    assert facts["presets"] == dict.fromkeys(
        ["s2n+0 gcn", "s2n+0 gcn2", "s2n+a gcn", "s2n+a gcn2"], "mine"
    )
    with pytest.raises(DataError, match="homophily needs labels"):
        measure_compression(SubgraphTask(task.graph, task.subgraphs, split=Split.sizes(train=40)))


def test_means_are_of_finite_numbers() -> None:
    assert job_measures._mean_and_sd([1.0, 3.0, float("nan")]) == [2.0, 1.0]
    assert job_measures._mean_and_sd([float("nan")]) is None


def test_speed_is_of_the_first_candidate(task, monkeypatch) -> None:
    time = Timing(0.5, 0.4, 0.6, 3, 3)
    seen = []

    def measured(task, model, *, repeats, seconds):
        seen.append((model.candidates, repeats))
        return Efficiency(time, time, 30, 5, 1, 1, 100, 10**6, "cpu")

    monkeypatch.setattr(job_measures, "efficiency", measured)
    from sub2node.models.find import find_model

    model = find_model(task, "s2n+0", structure=None, conv="gcn", preset="fast").model
    assert len(model.candidates) == 3
    facts = measure_speed(
        task, model, data_name="density", name="s2n+0 gcn", preset="fast", quick=True
    )
    assert seen == [(model.candidates[:1], 2)]
    assert (facts["data"], facts["model"], facts["train_throughput"]) == (
        "density",
        "s2n+0 gcn",
        60,
    )
