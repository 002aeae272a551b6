"""What a trial is worth: train and val only, by construction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sub2node as s2n
from small_models import QUICK, write_task
from sub2node import ConfigError, DataError, Split
from sub2node.baselines import NETWORKS
from sub2node.config import STRUCTURES, Config
from sub2node.config.settings import flatten
from sub2node.tune import Objective, make_spec, without_test
from sub2node.tune.objective import rehearsals

TEST = 3


@pytest.fixture(scope="module", params=[False, True], ids=["single", "multi"])
def task(request, tmp_path_factory) -> s2n.SubgraphTask:
    folder = tmp_path_factory.mktemp("objective") / "data"
    return s2n.load_task(write_task(folder, multilabel=request.param))


def settings(structure: str = "s2n+a", **more: object) -> Config:
    return Config().with_settings({"structure": structure, **QUICK, **more})


def other_test_part(task: s2n.SubgraphTask) -> s2n.SubgraphTask:
    """The task with other labels and other members in its test part."""
    test = task.split.mask("test")
    labels = np.array(task.labels)
    labels[test] = ~labels[test] if task.multilabel else (labels[test] + 1) % 3
    nodes = np.array(task.subgraphs.nodes)
    nodes[task.subgraphs.ptr[np.flatnonzero(test)[0]] :] = 0
    sizes = np.where(test, 1, task.subgraphs.sizes)
    ptr = np.r_[0, np.cumsum(sizes)]
    nodes = np.r_[nodes[: int(ptr[np.flatnonzero(test)[0]])], np.zeros(int(test.sum()), int)]
    return replace(task, labels=labels, subgraphs=replace(task.subgraphs, ptr=ptr, nodes=nodes))


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_test_part_is_out_of_reach(task, structure) -> None:
    config, seeds = settings(structure, ratio=0.5), [1, 2]
    objective = Objective(task, seeds, device="cpu")
    assert not objective.task.split.mask("test").any()
    assert len(objective.task) == int((task.split.codes != TEST).sum())
    mine, other = objective(config), Objective(other_test_part(task), seeds, device="cpu")
    assert other.task.hash == objective.task.hash
    assert other(config).values == mine.values


@pytest.mark.parametrize("structure", STRUCTURES)
def test_it_is_what_a_run_shows(task, structure) -> None:
    """The best validation micro-F1 of each seed, with the test part there or not."""
    given = {**QUICK, "coarsening.ratio": 0.5}
    result = s2n.run(task, structure=structure, seeds=[1, 2], settings=given, device="cpu")
    score = Objective(task, [1, 2], device="cpu")(Config.from_dict(result.config))
    assert score.values == pytest.approx(result.val["micro_f1"].values, abs=1e-6)
    assert score.mean == pytest.approx(np.mean(score.values))
    assert score.training > 0
    assert score.ended == "complete"


def test_rehearsals_hold_out_what_they_score(task) -> None:
    known = without_test(task)
    tasks = rehearsals(known, 3)
    for each in tasks:
        counts = [each.split.count(part) for part in ("train", "val", "test")]
        assert sum(counts) == len(known)
        assert counts[1] == counts[2] == known.split.count("val")
        assert set(each.subgraphs.names) == set(known.subgraphs.names)
    assert len({tuple(each.subgraphs.names) for each in tasks}) > 1


@pytest.mark.slow
def test_a_rehearsal_is_the_protocol_inside(task) -> None:
    """The score is that of the held-out part, by the same rule as a test part's."""
    objective = Objective(task, [1, 2, 3, 4], rehearse=2, device="cpu")
    wanted = []
    for inner, seeds in zip(rehearsals(without_test(task), 2), ([1, 3], [2, 4]), strict=True):
        result = s2n.run(inner, structure="s2n+a", seeds=seeds, settings=QUICK, device="cpu")
        wanted += result.test["micro_f1"].values
    score = objective(Config.from_dict(result.config))
    assert score.values == pytest.approx(wanted, abs=1e-6)


@pytest.mark.slow
def test_rungs(task) -> None:
    """Reports come at fixed shares of the epochs, with the mean best score by then."""
    result = s2n.run(
        task, structure="s2n+a", seeds=[1, 2], settings={**QUICK, "epochs": 20}, device="cpu"
    )
    config, history = Config.from_dict(result.config), result.history["val_micro_f1"]
    reports: list[tuple[int, float]] = []
    whole = Objective(task, [1, 2], device="cpu")(
        config, lambda *given: bool(reports.append(given))
    )
    assert [rung for rung, _ in reports] == [4, 8, 12]
    assert whole.ended == "complete"
    for rung, value in reports:
        assert value == pytest.approx(history[:rung].max(axis=0).mean(), abs=1e-6)
    given_up = Objective(task, [1, 2], device="cpu")(config, lambda rung, _: rung == 8)
    assert given_up.ended == "stopped"
    assert given_up.mean == pytest.approx(reports[1][1], abs=1e-6)


def test_rehearsals_are_given_up_too(task) -> None:
    seen: list[int] = []

    def report(rung: int, value: float) -> bool:
        seen.append(rung)
        return rung == 1

    score = Objective(task, [1, 2, 3], rehearse=3, device="cpu")(settings(), report)
    assert seen == [0, 1]
    assert score.ended == "stopped"
    assert len(score.values) == 2


def test_refusals(task) -> None:
    with pytest.raises(DataError, match="not split"):
        Objective(replace(task, split=None), [1])
    with pytest.raises(DataError, match="no labels"):
        Objective(replace(task, labels=None, class_names=()), [1])
    codes = np.where(task.split.codes == 2, 0, task.split.codes)
    with pytest.raises(DataError, match="no val subgraph"):
        Objective(task.with_split(Split(codes)), [1])
    with pytest.raises(ConfigError, match="as many seeds"):
        Objective(task, [1, 2], rehearse=3)
    half = task.with_split(Split.random(task.labels, fractions=(0.4, 0.4, 0.2)))
    with pytest.raises(ConfigError, match="without --rehearse"):
        Objective(half, [1, 2], rehearse=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["glass", "gnn-seg"])
def test_a_baseline_is_scored_as_a_run_shows_it(task, name) -> None:
    given = {"epochs": 3, "batch": 8, "features.kind": "random", "start": 0}
    result = s2n.run(task, model=name, seeds=[1, 2], settings=given, device="cpu")
    config = (
        NETWORKS[name]
        .settings()
        .with_settings({key: value for key, value in flatten(result.config) if key != "baseline"})
    )
    score = Objective(task, [1, 2], device="cpu", baseline=name)(config)
    assert score.values == pytest.approx(result.val["micro_f1"].values, abs=1e-6)
    other = Objective(other_test_part(task), [1, 2], device="cpu", baseline=name)
    assert other(config).values == score.values
    spec = make_spec(task, settings={"features.kind": "random"})
    with pytest.raises(ConfigError, match="of another model"):
        Objective(task, [1, 2], device="cpu", baseline=name).require(spec, "here")


def test_rehearsals_keep_groups_apart(task) -> None:
    words = np.array([f"{n // 6} {n % 3}" for n in range(48)])
    grouped = without_test(replace(task, attributes={"family": words}))
    for each in rehearsals(grouped, 3, groups="family"):
        owner = np.array(each.attributes["family"][:])
        parts = [set(owner[each.split.mask(part)]) for part in ("train", "val", "test")]
        assert sum(map(len, parts)) == len(set(owner))
