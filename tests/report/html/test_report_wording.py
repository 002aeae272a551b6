"""Sentences of a report: copies of training subgraphs are warned of."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from report_runs import made_result, small_task
from sub2node.evaluate.overlap import Overlap
from sub2node.report.html import collect_findings, read_study
from sub2node.report.html.report_wording import (
    check_leakage,
    explain_margins,
    explain_missing,
    p_value,
    parts,
    percent,
    points_apart,
)
from sub2node.runs import save_run
from sub2node.runs.run_tables import SubgraphTable
from sub2node.task import SubgraphTask


def test_a_difference_is_that_of_the_numbers_shown() -> None:
    assert (percent(0.79557), percent(0.79249)) == ("79.6", "79.2")
    assert points_apart(0.79557, 0.79249) == 0.4
    assert points_apart(0.79249, 0.79557) == -0.4
    assert points_apart(0.5, 0.50001) == 0


def test_near_copies_are_a_warning_and_none_is_passed() -> None:
    def told(part: str, similar: int, contained: int, equal: int = 0) -> dict[str, str]:
        known = "train" if part == "test" else "any"
        row = Overlap(part, known, 40, equal, contained, similar, 100, 30)
        return check_leakage((row,))

    assert told("test", 0, 0)["level"] == "good"
    assert told("test", 1, 0)["level"] == "good"
    assert told("test", 0, 2)["level"] == told("test", 2, 0)["level"] == "warn"
    assert "2 of 40 test subgraphs (5.0 %) lie in a training subgraph" in told("test", 2, 0)["text"]
    assert told("any", 4, 4, 4)["level"] == "bad"
    assert told("any", 4, 4, 4)["text"].startswith(
        "4 of 40 subgraphs (10.0 %) have exactly the nodes of another one: a random split may"
    )
    assert check_leakage(())["level"] == "unknown"


def test_a_copy_of_a_training_subgraph_is_a_leak(tmp_path: Path) -> None:
    from sub2node.task import Subgraphs

    task = small_task()
    lists = [task.subgraphs.nodes[a:b] for a, b in zip(task.subgraphs.ptr, task.subgraphs.ptr[1:],
                                                       strict=False)]  # fmt: skip
    lists[-1] = lists[0]
    leaky = SubgraphTask(task.graph, Subgraphs.from_lists(lists), task.labels, task.class_names,
                         task.split)  # fmt: skip
    folder = save_run(made_result(leaky), leaky, tmp_path / "run")
    verdict = collect_findings(read_study([folder])).numbers["leakage"]
    assert verdict["level"] == "bad"
    assert verdict["text"].startswith("1 of 15 test subgraphs (6.7 %) have exactly the nodes")


def test_numbers_in_sentences() -> None:
    assert (percent(0.12345), percent(0.12345, 0)) == ("12.3", "12")
    assert [p_value(p) for p in (None, 0.034567, 0.00001)] == ["", "p = 0.035", "p < 0.0001"]
    assert parts({"train": 2000, "test": 25}) == "2,000 train / 25 test"


@pytest.mark.parametrize(
    ("name", "multilabel", "words"),
    [
        ("s2n-kernel", False, "margins of support vectors, not logits; .* is their softmax."),
        ("s2n-kernel", True, "is their sigmoid."),
        ("majority", False, "counts of the training part"),
        ("majority", True, "^$"),
        ("bag", False, "^$"),
        ("", False, "^$"),
    ],
)
def test_what_stands_for_a_probability_is_said(name: str, multilabel: bool, words: str) -> None:
    run = SimpleNamespace(config={"baseline": name}, name=name, multilabel=multilabel)
    assert re.search(words, explain_margins(run))


def test_what_is_missing_is_explained() -> None:
    network = SimpleNamespace(splits=0, simple=False, name="s2n+0 gcn")
    texts = explain_missing(SimpleNamespace(main=network, drawn=network), None, None, None)
    assert texts["answers"] == (
        "The run folder has no predictions.parquet, so this cannot be shown."
    )
    assert texts["curves"] == "The run folder has no epochs.parquet."
    assert "older version" in texts["subgraphs"]
    assert texts["picture"] == texts["subgraphs"]
    table = SubgraphTable({}, {})
    over_splits = SimpleNamespace(splits=10, simple=False, name="x")
    texts = explain_missing(SimpleNamespace(main=over_splits, drawn=None), None, None, table)
    assert texts["answers"].startswith("A run over random splits keeps no predictions")
    assert texts["curves"] == "A run over random splits keeps no curves."
    assert texts["picture"].startswith("No model among these runs works on the S2N graph")
    simple = SimpleNamespace(splits=0, simple=True, name="bag")
    texts = explain_missing(SimpleNamespace(main=simple, drawn=simple), object(), None, table)
    assert texts == {
        "curves": "bag has no training loop.",
        "picture": "The S2N graph has no links.",
    }
