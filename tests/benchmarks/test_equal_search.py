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
    names = ("equal_models", "equal_training", "equal_search", "equal_jobs", "equal_judge")
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
    tasks, seeds = random_splits(task, 3), (0, 4, 2)
    found = scripts.training.score_splits(model, task, tasks, seeds)
    alone = [assess(t, model, seeds=[seed]) for seed, t in zip(seeds, tasks, strict=True)]
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
    models = ["s2n+0 gcn2", "glass", "subgnn, rwpe"]
    jobs = scripts.jobs.search_jobs(["a", "b"], models, 3, splits=2)
    assert [job.trial for job in jobs] == [0] * 18 + [1] * 18 + [2] * 18
    assert [job.splits for job in jobs[:18:6]] == [(-1,), (0,), (1,)]
    assert [job.model for job in jobs[:6:2]] == ["glass", "subgnn, rwpe", "s2n+0 gcn2"]
    for stop in range(0, len(jobs), 5):  # wherever the clock ends it
        counts = Counter((job.data, job.model) for job in jobs[:stop])
        assert not counts or max(counts.values()) - min(counts.values()) <= 1


def test_without_the_published_split_there_are_only_random_ones(scripts: SimpleNamespace) -> None:
    jobs = scripts.jobs.search_jobs(["a"], ["glass"], 2, splits=2, given=False)
    assert [(job.trial, job.splits) for job in jobs] == [(0, (0,)), (0, (1,)), (1, (0,)), (1, (1,))]


def test_trainings_side_by_side_have_as_much_time_as_one_after_another(
    scripts: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    class FitCalled(Exception):
        pass

    def record(*args: Any, seconds: float | None, **options: Any) -> None:
        raise FitCalled(seconds)

    monkeypatch.setattr(scripts.training, "fit", record)
    task = ring_task()
    glass = NETWORKS["glass"]
    settings = glass.settings().with_settings({"epochs": 1, "hidden": 4, "features.width": 4})
    for limit, together in ((2.0, 6.0), (None, None)):
        model = BatchNetworkModel((settings,), device="cpu", model=glass, seconds=limit)
        with pytest.raises(FitCalled) as called:
            scripts.training.score_splits(model, task, random_splits(task, 3), range(3))
        assert called.value.args == (together,)


def trial(
    model: str, number: int, score: float | None, data: str = "a", split: int = 0
) -> dict[str, Any]:
    text = "" if score is None else str(score)
    row = {"kind": "search", "data": data, "model": model, "trial": str(number), "score": text}
    return {**row, "splits": str(split)}


def test_only_trials_that_all_models_have_on_all_splits_count(scripts: SimpleNamespace) -> None:
    rows = [
        trial("glass", 0, 0.5), trial("glass", 1, 0.6),
        trial("s2n", 0, 0.4), trial("s2n", 1, 0.4), trial("s2n", 2, 0.9),
        trial("broken", 0, None), trial("broken", 1, None),
        trial("s2n", 0, 0.4, "b"), trial("late", 1, 0.4, "b"),
    ]  # fmt: skip
    best = scripts.jobs.best_trials(rows)
    assert best == {("a", "glass", 0): (1, 2), ("a", "s2n", 0): (0, 2)}
    fewer = [*rows, trial("s2n", 0, 0.1, split=1)]
    assert {of for _, of in scripts.jobs.best_trials(fewer).values()} == {1}


def test_each_split_has_the_settings_that_its_own_search_found(scripts: SimpleNamespace) -> None:
    rows = [
        trial(model, number, score, split=split)
        for model in ("glass", "s2n")
        for split, scores in {-1: (0.1, 0.2), 0: (0.1, 0.2), 1: (0.3, 0.2), 2: (0.1, 0.2)}.items()
        for number, score in enumerate(scores)
    ]
    jobs = scripts.jobs.later_jobs(rows, ["a", "b"], ["s2n", "glass", "broken"])
    assert [(job.kind, job.model, job.trial, job.of, job.splits) for job in jobs] == [
        ("confirm", "glass", 0, 2, (1,)), ("confirm", "glass", 1, 2, (0, 2)),
        ("confirm", "s2n", 0, 2, (1,)), ("confirm", "s2n", 1, 2, (0, 2)),
        ("published", "glass", 1, 2, (-1,)), ("published", "s2n", 1, 2, (-1,)),
        ("confirm", "glass", 0, 2, (0, 1, 2)), ("confirm", "s2n", 0, 2, (0, 1, 2)),
        ("published", "glass", 0, 2, (-1,)), ("published", "s2n", 0, 2, (-1,)),
    ]  # fmt: skip


def test_a_search_sees_no_subgraph_of_the_test_part(
    scripts: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = ring_task()
    count = range(len(task))
    papers = np.array([f"{n // 4} {n % 2}" for n in count])
    names = np.array([f"subgraph {n}" for n in count])
    task = replace(task, attributes={"publication": papers, "name": names})
    monkeypatch.setattr(scripts.search, "_load", lambda name: task)
    monkeypatch.setitem(scripts.search.GROUPS, "rings", "publication")
    scripts.search._splits.cache_clear()
    protocol = scripts.search.Protocol(rehearsals=2, splits=3)
    for number, split in [(-1, task), *enumerate(scripts.search._splits("rings", 3))]:
        job = scripts.jobs.Job("search", "rings", "glass", 0, splits=(number,))
        base, rehearsed = scripts.search._tasks(job, protocol)
        test = {split.attributes["name"][row] for row in np.flatnonzero(split.split.mask("test"))}
        assert test
        assert not test & {
            name for each in (base, *rehearsed) for name in each.attributes["name"][:]
        }
        for each in (*rehearsed, *([split] if number >= 0 else [])):
            owner = np.array(each.attributes["publication"][:])
            parts = [set(owner[each.split.mask(part)]) for part in ("train", "val", "test")]
            assert sum(map(len, parts)) == len(set(owner))


@pytest.mark.slow
def test_the_judge_counts_wins_ties_and_losses(scripts: SimpleNamespace, tmp_path: Path) -> None:
    def later(kind: str, model: str, number: int, scores: dict[int, float]) -> dict[str, Any]:
        return {
            "kind": kind, "data": "a", "model": model, "trial": str(number), "val": "0.5",
            "splits": "-1" if kind == "published" else " ".join(map(str, scores)),
            "score": "0.5", "scores": " ".join(map(str, scores.values())), "train": "80",
            "test": "10", "ended": "complete", "origin": "default",
        }  # fmt: skip

    def by_split(values: list[float], *splits: int) -> dict[int, float]:
        return {split: values[split] for split in splits or range(10)}

    better = [0.9, 0.91, 0.92, 0.9, 0.93, 0.9, 0.92, 0.91, 0.9, 0.94]
    glass = [0.5, 0.52, 0.51, 0.5, 0.54, 0.5, 0.53, 0.51, 0.5, 0.52]
    rows = [
        *({**trial(model, number, 0.5 + 0.1 * number * (split == 3), split=split), "seconds": 1,
           "ended": "", "settings": "{}", "note": ""}
          for model in ("glass", "good", "same", "bad", "half")
          for number in (0, 1) for split in range(-1, 10)),
        *(row for model, values in {
            "glass": glass, "good": better, "same": glass[::-1], "bad": [0.1, 0.12] * 5,
        }.items() for row in (
            later("confirm", model, 0, by_split(values, 0, 1, 2, 4, 5, 6, 7, 8, 9)),
            later("confirm", model, 1, by_split(values, 3)))),
        later("published", "good", 0, by_split(better, 0, 1, 2)),
        later("confirm", "half", 0, by_split(glass, 0, 1, 2)),
        later("confirm", "good", 7, by_split(glass)),
    ]  # fmt: skip
    scripts.judge.judge(rows, tmp_path)
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
    kinds = {row["split"]: row for row in scores if row["model"] == "good"}
    assert set(kinds) == {"random", "published"}
    assert [float(value) for value in kinds["random"]["scores"].split()] == better
    assert kinds["random"]["trial"] == "0 0 0 1 0 0 0 0 0 0"
    assert kinds["random"]["origin"] == "default"


def test_a_search_goes_on_where_it_ended(scripts: SimpleNamespace, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = scripts.search.Rows(path)
    rows.append(trial("glass", 0, 0.5) | {"trial": 0})
    again = scripts.search.Rows(path)
    jobs = scripts.jobs.search_jobs(["a"], ["glass"], 2, splits=1)
    left = [job for job in jobs if job.key not in again.keys]
    assert [(job.trial, job.splits) for job in left] == [(0, (-1,)), (1, (-1,)), (1, (0,))]


def test_what_goes_wrong_is_a_row(
    scripts: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts.search, "_load", lambda name: ring_task())
    protocol = scripts.search.Protocol(rehearsals=1, epochs=1, device="cpu")
    job = scripts.jobs.Job("search", "ring", "s2n+a gcn2", 0)
    done = scripts.search.do_job(job, protocol)
    assert done["note"] == ""
    assert 0 <= float(done["score"]) <= 1
    assert done["origin"] == "default"
    missing = scripts.search.do_job(replace(job, model="nobody"), protocol)
    assert missing["note"].startswith("failed: KeyError")
    assert "score" not in missing
