"""JSON files of runs: a wrong field is named, an older file has defaults."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from sub2node.base.errors import DataError
from sub2node.runs import load_scores, read_result, read_study, read_works


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("seconds", None, "seconds: expected a finite number, found None"),
        ("seconds", math.nan, "seconds: expected a finite number, found nan"),
        ("seeds", "ten", "seeds: expected a list, found 'ten'"),
        ("seeds", [], "seeds: expected at least one, found []"),
        ("data.nodes", -3, "data.nodes: expected a whole number from 0, found -3"),
        ("data.multilabel", 1, "data.multilabel: expected true or false, found 1"),
        ("data", {}, "data: 'name' is missing"),
        ("overlap.0.equal", 0.5, "overlap.0.equal: expected a whole number from 0, found 0.5"),
        ("test.micro_f1.values.1", math.inf, "test.micro_f1.values.1: expected a finite number"),
        ("test.micro_f1.values", [], "test.micro_f1.values: expected a value, found []"),
        ("test", {}, "test has none; both must have micro_f1 and macro_f1"),
        ("per_class.test", {}, "per_class: the scores of test by class are missing"),
        ("picture.links", "x", "picture.links: expected a whole number from 0, found 'x'"),
        (
            "areas_per_class.test.pr_auc.class 1.values",
            [],
            "pr_auc.class 1.values: expected a value",
        ),
        ("positive.label", "class 9", "positive.label: there is no class 'class 9'"),
        ("positive.thresholds", [], "positive: thresholds: expected at least one, found []"),
        ("positive.test.f1.values", [], "positive.test: f1.values: expected a value, found []"),
        ("positive.val.positives", 0.5, "positive.val.positives: expected a whole number"),
        ("config", 3, "config: expected an object, found 3"),
        ("test_intervals", {"micro_f1": [0.5]}, "test_intervals.micro_f1: expected two ends"),
    ],
)
def test_a_wrong_field_is_named(folder: Path, place: str, value: Any, message: str) -> None:
    file = folder / "result.json"
    facts = json.loads(file.read_text())
    *above, last = [int(step) if step.isdigit() else step for step in place.split(".")]
    target = facts
    for step in above:
        target = target[step]
    target[last] = value
    file.write_text(json.dumps(facts))
    for read in (lambda: read_study([folder]), lambda: load_scores(folder),
                 lambda: read_works(folder)):  # fmt: skip
        with pytest.raises(DataError) as caught:
            read()
        assert str(caught.value).startswith(f"{file}: this is not the result of a run (")
        assert message in str(caught.value)


def test_what_older_versions_did_not_write_has_a_default(folder: Path) -> None:
    file = folder / "result.json"
    needed = ("val", "test", "per_class", "data", "seconds", "seeds")
    facts = json.loads(file.read_text())
    file.write_text(json.dumps({name: facts[name] for name in needed}))
    result = read_result(folder)
    assert (result.model, result.ended, result.overlap) == ("run", "complete", ())
    assert (result.picture, result.test_intervals) == (None, {})
    assert (result.picture, result.positive, result.areas_per_class) == (None, None, {})
    (run,) = read_study([folder]).runs
    assert run.name == "run"
    for name in needed:
        file.write_text(json.dumps({other: facts[other] for other in needed if other != name}))
        with pytest.raises(DataError, match=f"'{name}' is missing"):
            read_result(folder)


def test_deep_or_foreign_files_are_one_sentence(folder: Path) -> None:
    for content in (b"[" * 100_000, b"\xff\xfe", b"", b"3", b"9" * 5000):
        (folder / "result.json").write_bytes(content)
        with pytest.raises(DataError, match="not the result of a run"):
            read_result(folder)
