"""The whole audit: silent on a clean task, and each planted fault found by its own check."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from audit_tasks import (
    as_multilabel,
    clean_task,
    task_with_conflicts,
    task_with_copies,
    task_with_telling_sizes,
    task_without_signal,
)
from sub2node.audit import Audit, Verdict, audit
from sub2node.base.errors import ConfigError, DataError
from sub2node.task import Split, SubgraphTask

NAMES = [
    "near_copies",
    "shared_members",
    "groups",
    "permuted_labels",
    "random_sets",
    "label_links",
    "part_power",
    "label_conflicts",
]


def faults(found: Audit) -> dict[str, str]:
    return {check.name: str(check.verdict) for check in found.checks if check.verdict.severity}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 7])
def test_a_clean_task_is_silent(seed: int) -> None:
    found = audit(clean_task(seed), groups=np.arange(240), permutations=19)
    assert [check.name for check in found.checks] == NAMES
    assert faults(found) == {}
    assert found.verdict is Verdict.OK
    assert "labels of the test part" in found.notes[-1]


@pytest.mark.slow
def test_a_clean_task_with_several_labels_is_silent() -> None:
    assert faults(audit(as_multilabel(clean_task()), permutations=19)) == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (task_with_copies, {"near_copies": "problem"}),
        (task_with_telling_sizes, {"random_sets": "problem"}),
        (task_with_conflicts, {"label_conflicts": "problem", "part_power": "warning"}),
        (task_without_signal, {"permuted_labels": "warning", "part_power": "warning"}),
    ],
)
def test_each_fault_is_found_by_its_own_check(
    make: Callable[[], SubgraphTask], expected: dict[str, str]
) -> None:
    found = audit(make(), permutations=19)
    assert faults(found) == expected
    assert found.verdict == ("problem" if "problem" in expected.values() else "warning")


def test_groups_across_parts_are_found() -> None:
    found = audit(clean_task(), groups=np.arange(240) % 60, permutations=1)
    assert found["groups"].verdict is Verdict.PROBLEM
    assert found["groups"].numbers["parts"]["test"]["share"] == 1.0
    with pytest.raises(KeyError):
        found["nothing"]


@pytest.mark.slow
def test_it_is_json_and_the_same_each_time() -> None:
    first, second = (audit(clean_task(), permutations=2).to_dict() for _ in range(2))
    assert json.loads(json.dumps(first, allow_nan=False))["hash"] == clean_task().hash
    assert first["verdict"] == "warning"  # two permutations give no small p-value
    for record in (first, second):
        del record["seconds"]
    assert first == second


def test_without_labels_what_needs_none_is_checked() -> None:
    found = audit(replace(task_with_copies(), labels=None, class_names=()))
    verdicts = {check.name: check.verdict for check in found.checks}
    assert verdicts["near_copies"] is Verdict.PROBLEM
    assert verdicts["shared_members"] is Verdict.OK
    for name in ("permuted_labels", "random_sets", "label_links", "label_conflicts"):
        assert verdicts[name] is Verdict.NOT_APPLICABLE


def test_a_task_without_test_part_or_split() -> None:
    bare = replace(clean_task(), split=Split.sizes(train=180, val=60))
    assert audit(bare)["permuted_labels"].verdict is Verdict.NOT_APPLICABLE
    drawn = audit(replace(clean_task(), split=None), permutations=1)
    assert any("a random stratified one was drawn" in note for note in drawn.notes)
    with pytest.raises(DataError, match="neither labels nor a split"):
        audit(replace(clean_task(), split=None, labels=None, class_names=()))
    with pytest.raises(ConfigError, match="at least one permutation"):
        audit(clean_task(), permutations=0)


def test_origins_of_edges_reach_their_check() -> None:
    task = clean_task()
    low, high, _ = task.graph.edges()
    found = audit(
        task, origins={"source": low, "target": high, "origin": ["all"] * len(low)}, permutations=1
    )["label_links"]
    (row,) = found.numbers["origins"].values()
    assert row["edges"] == task.graph.num_edges
    assert row["score_without"] < row["score"] or found.verdict is not Verdict.PROBLEM
    assert found.verdict.severity
