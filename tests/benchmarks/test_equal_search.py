"""The equal search: the same trials, splits and rules for all; what is not equal does not count."""

from __future__ import annotations

import csv
import importlib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ring_tasks import ring_task
from sub2node.baselines import NETWORKS
from sub2node.evaluate import assess, random_splits
from sub2node.models.baseline import BatchNetworkModel

ROOT = Path(__file__).parents[2]


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    names = ("equal_models", "equal_training", "equal_search", "equal_judge")
    return SimpleNamespace(**{name[6:]: importlib.import_module(name) for name in names})


@pytest.mark.slow
@pytest.mark.parametrize("multilabel", [False, True])
def test_splits_side_by_side_score_as_each_alone(
    scripts: SimpleNamespace, multilabel: bool
) -> None:
    task = ring_task(multilabel)
    settings = NETWORKS["glass"].settings().with_settings(
        {"epochs": 3, "batch": 8, "hidden": 4, "features.width": 4, "ties": "loss"}
    )  # fmt: skip
    model = BatchNetworkModel((settings,), device="cpu", model=NETWORKS["glass"])
    tasks = random_splits(task, 3)
    found = scripts.training.score_splits(model, task, tasks)
    alone = [assess(each, model, seeds=[seed]) for seed, each in enumerate(tasks)]
    assert found.test == tuple(result.test["micro_f1"].values[0] for result in alone)
    np.testing.assert_allclose(found.val, [r.val["micro_f1"].values[0] for r in alone])
    assert len(set(found.test)) > 1


@pytest.mark.slow
def test_all_models_enter_alike(scripts: SimpleNamespace) -> None:
    for name, kind in (("ring", "random"), ("density", "constant")):
        task = replace(ring_task(), name=name)
        for contestant in scripts.models.CONTESTANTS.values():
            entry = scripts.models.enter(contestant, task, device="cpu")
            config = entry.base.config
            assert (config.features.kind, config.features.width) == (kind, 64)
            assert config.training.ties == "loss"
            assert config.training.patience == config.training.epochs // 3
            assert getattr(config.training, "start", 0) == 0
            assert (entry.encoding is not None) == name_has(contestant.name, "rwpe")
            assert entry.point(name, 0) == {}
            first, again, second = (entry.point(name, trial) for trial in (1, 1, 2))
            assert first == again != second
            assert first.keys() == entry.axes.keys()
            for point in (first, second):
                assert all(entry.axes[key].has(value) for key, value in point.items())
                assert entry.base.with_settings(point).config != config


def name_has(name: str, encoding: str) -> bool:
    return name.endswith(f", {encoding}")


def test_trials_are_shared_out_in_turn(scripts: SimpleNamespace) -> None:
    jobs = scripts.search.search_jobs(["a", "b"], ["s2n+0 gcn2", "glass", "subgnn, rwpe"], 3)
    assert [job.trial for job in jobs] == [0] * 6 + [1] * 6 + [2] * 6
    assert [job.model for job in jobs[:6:2]] == ["glass", "subgnn, rwpe", "s2n+0 gcn2"]
    for stop in range(0, len(jobs), 5):  # wherever the clock ends it
        counts = Counter((job.data, job.model) for job in jobs[:stop])
        assert not counts or max(counts.values()) - min(counts.values()) <= 1


def trial(model: str, number: int, score: float | None, data: str = "a") -> dict[str, Any]:
    text = "" if score is None else str(score)
    return {"kind": "search", "data": data, "model": model, "trial": str(number), "score": text}


def test_only_trials_that_all_models_have_count(scripts: SimpleNamespace) -> None:
    rows = [
        trial("glass", 0, 0.5), trial("glass", 1, 0.6),
        trial("s2n", 0, 0.4), trial("s2n", 1, 0.4), trial("s2n", 2, 0.9),
        trial("broken", 0, None), trial("broken", 1, None),
        trial("s2n", 0, 0.4, "b"), trial("late", 1, 0.4, "b"),
    ]  # fmt: skip
    best = scripts.search.best_trials(rows)
    assert best == {("a", "glass"): (1, 2), ("a", "s2n"): (0, 2)}
    jobs = scripts.search.later_jobs(rows, ["a", "b"], ["s2n", "glass", "broken"])
    assert [(job.kind, job.model, job.trial, job.of) for job in jobs[:4]] == [
        ("confirm", "glass", 1, 2), ("confirm", "s2n", 0, 2),
        ("published", "glass", 1, 2), ("published", "s2n", 0, 2),
    ]  # fmt: skip


@pytest.mark.slow
def test_the_judge_counts_wins_ties_and_losses(scripts: SimpleNamespace, tmp_path: Path) -> None:
    def later(kind: str, model: str, number: int, scores: list[float]) -> dict[str, Any]:
        return {
            "kind": kind, "data": "a", "model": model, "trial": str(number), "val": "0.5",
            "score": str(np.mean(scores)), "scores": " ".join(map(str, scores)), "train": "80",
            "test": "10", "ended": "complete",
        }  # fmt: skip

    better = [0.9, 0.91, 0.92, 0.9, 0.93, 0.9, 0.92, 0.91, 0.9, 0.94]
    glass = [0.5, 0.52, 0.51, 0.5, 0.54, 0.5, 0.53, 0.51, 0.5, 0.52]
    rows = [
        *({**trial(model, 0, 0.5), "seconds": 1, "ended": "", "settings": "{}", "note": ""}
          for model in ("glass", "good", "same", "bad")),
        later("confirm", "glass", 0, glass), later("confirm", "good", 0, better),
        later("confirm", "same", 0, glass[::-1]), later("published", "good", 0, better[:3]),
        later("confirm", "bad", 0, [0.1, 0.12] * 5), later("confirm", "good", 7, glass),
    ]  # fmt: skip
    scripts.judge.judge(rows, scripts.search.best_trials, tmp_path)
    with (tmp_path / "equal-search-tests.csv").open() as file:
        tests = [row for row in csv.DictReader(file) if row["settings"] == "searched"]
    assert {row["model"]: row["verdict"] for row in tests} == {
        "good": "win", "same": "tie", "bad": "loss",
    }  # fmt: skip
    with (tmp_path / "equal-search-counts.csv").open() as file:
        counts = {(row["model"], row["settings"]): row for row in csv.DictReader(file)}
    assert [counts["good", "searched"][name] for name in ("wins", "ties", "losses")] == list("100")
    with (tmp_path / "equal-search.csv").open() as file:
        scores = list(csv.DictReader(file))
    assert {row["split"] for row in scores if row["model"] == "good"} == {"random", "published"}


def test_a_search_goes_on_where_it_ended(scripts: SimpleNamespace, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = scripts.search.Rows(path)
    rows.append({"kind": "search", "data": "a", "model": "glass", "trial": 0, "score": "0.5"})
    again = scripts.search.Rows(path)
    left = [j for j in scripts.search.search_jobs(["a"], ["glass"], 2) if j.key not in again.keys]
    assert [job.trial for job in left] == [1]


def test_what_goes_wrong_is_a_row(
    scripts: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts.search, "_load", lambda name: ring_task())
    protocol = scripts.search.Protocol(rehearsals=1, epochs=1, device="cpu")
    job = scripts.search.Job("search", "ring", "s2n+a gcn2", 0)
    done = scripts.search.do_job(job, protocol)
    assert done["note"] == ""
    assert 0 <= float(done["score"]) <= 1
    missing = scripts.search.do_job(replace(job, model="nobody"), protocol)
    assert missing["note"].startswith("failed: KeyError")
    assert "score" not in missing
