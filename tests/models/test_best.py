"""``best``: answers by members that had not learned from the label, and none that reads test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sub2node as s2n
from ring_tasks import ring_task
from small_ensembles import QUICK, short_plans, use_short_plans, weigh_equally
from sub2node.base.calibration import probabilities
from sub2node.base.errors import ConfigError, Sub2NodeError
from sub2node.coarsen import with_virtual
from sub2node.config.best_settings import BestSettings
from sub2node.evaluate import over_splits
from sub2node.evaluate.protocol import assess, labels_of
from sub2node.models.best import BestModel, TrainedEnsemble, _enough_seeds, as_logits, best_model
from sub2node.models.interface import Labels, Outputs
from sub2node.task import Graph, Part, Split, SubgraphAttributes, Subgraphs, SubgraphTask

SEEN: tuple[Part, ...] = ("train", "val")


def learned(task: SubgraphTask, **options: Any) -> TrainedEnsemble:
    """The ensemble of a task."""
    labels: Labels = {part: labels_of(task, part) for part in SEEN}
    model = BestModel(options.pop("plans", None) or short_plans(), QUICK, **options)
    return model.fit(task, labels, [3])


@pytest.mark.slow
@pytest.mark.parametrize("multilabel", [False, True])
def test_outputs_are_out_of_fold_and_of_test_the_weighted_mean(multilabel, monkeypatch) -> None:
    weigh_equally(monkeypatch)
    task = ring_task(multilabel)
    trained = learned(task)
    assert [member.name for member in trained.members] == ["hops", "statistics", "s2n+0 gcn2"]
    weights = [member.weight for member in trained.members]
    assert sum(weights) == pytest.approx(1)
    for part in SEEN:
        logits = trained.outputs(part).logits
        assert logits.shape == (1, task.split.count(part), 2)
        shares = probabilities(logits, 1.0, multilabel=multilabel)[0]
        assert shares == pytest.approx(trained.out_of_fold[part], abs=1e-9)
    each = [
        probabilities(m.trained.outputs("test").logits, m.temperature, multilabel=multilabel).mean(
            0
        )
        for m in trained.members
    ]
    mean = sum(w * one for w, one in zip(weights, each, strict=True))
    shares = probabilities(trained.outputs("test").logits, 1.0, multilabel=multilabel)[0]
    assert shares == pytest.approx(mean, abs=1e-9)
    assert len(trained.members[2].trained.seeds) == 2  # more seeds than the one that was given


@pytest.mark.slow
def test_labels_of_the_test_part_change_nothing() -> None:
    task = ring_task()
    labels = np.array(task.labels)
    labels[task.split.mask("test")] = 1 - labels[task.split.mask("test")]
    one, other = (learned(t) for t in (task, replace(task, labels=labels)))
    for part in (*SEEN, "test"):
        assert np.array_equal(one.outputs(part).logits, other.outputs(part).logits)
    rows = [
        [(row.name, row.micro_f1, row.log_loss, row.weight) for row in trained.leaderboard]
        for trained in (one, other)
    ]
    assert rows[0] == rows[1]


@dataclass
class Memory:
    """Knows by heart the labels of what it learned from, by node or by group, and no more."""

    group: int = 1
    known: Any = None
    task: SubgraphTask | None = None
    facts = {}  # noqa: RUF012
    is_network = False
    fold_seconds = 0.0
    name = "memory"

    def make_model(self, seconds: float, **_: Any) -> Memory:
        return self

    def _keys(self, task: SubgraphTask, part: Part) -> np.ndarray:
        return task.subgraphs.nodes[task.split.mask(part)] // self.group

    def fit(self, task: SubgraphTask, labels: Labels, seeds: Sequence[int]) -> Memory:
        known = np.zeros((task.graph.num_nodes, 3))
        for part in SEEN:
            known[self._keys(task, part)] = 10 * np.eye(3)[labels[part]]
        return Memory(self.group, known, task)

    def outputs(self, part: Part) -> Outputs:
        return Outputs(self.known[self._keys(self.task, part)][None])


def numbered_task(labels: Any, order: Any = None) -> SubgraphTask:
    """Subgraph i has node i alone; 24 in train, 6 in val, 6 in test."""
    graph = Graph.from_edges(np.arange(35), np.arange(1, 36))
    order = np.arange(36) if order is None else order
    sets = Subgraphs.from_lists([[i] for i in order])
    split = Split.given(["val"] * 6 + ["test"] * 6 + ["train"] * 24)
    return SubgraphTask(graph, sets, np.array(labels)[order], (), split)


def test_no_label_of_train_or_val_reaches_a_model_that_answers_for_it() -> None:
    trained = learned(numbered_task(np.arange(36) % 3), plans=(Memory(),))
    for part in SEEN:
        assert trained.out_of_fold[part] == pytest.approx(1 / 3)  # it cannot know
    assert trained.out_of_fold["train"].shape == (24, 3)
    whole = trained.members[0].trained
    assert (whole.known.max(axis=1) > 0).sum() == 30  # in the end it knows all but test


def test_groups_are_never_on_both_sides() -> None:
    labels = np.repeat(np.arange(12) % 3, 3)
    task = numbered_task(labels, np.random.default_rng(0).permutation(36))
    loose = learned(task, plans=(Memory(3),))
    assert loose.out_of_fold["train"].max() > 0.5  # siblings in other folds give it away
    groups = task.subgraphs.nodes // 3
    tight = learned(task, plans=(Memory(3),), groups=groups)
    for part in SEEN:
        assert tight.out_of_fold[part] == pytest.approx(1 / 3)
    named = replace(task, attributes=SubgraphAttributes({"paper": map(str, groups)}))
    by_name = learned(named, plans=(Memory(3),), groups="paper")
    assert np.array_equal(by_name.out_of_fold["train"], tight.out_of_fold["train"])
    with pytest.raises(ConfigError, match="35 groups for 36 subgraphs"):
        learned(task, plans=(Memory(3),), groups=groups[1:])


def test_every_choice_within_a_member_knows_the_groups() -> None:
    """Those of the training subgraphs, in their order, in every fold and in the end."""
    told: list[tuple[np.ndarray, np.ndarray]] = []

    class Listener(Memory):
        groups: Any = None

        def make_model(self, seconds: float, *, groups: Any = None, **_: Any) -> Listener:
            made = Listener(3)
            made.groups = groups
            return made

        def fit(self, task: SubgraphTask, labels: Labels, seeds: Sequence[int]) -> Memory:
            told.append((self.groups, task.subgraphs.nodes[task.split.mask("train")] // 3))
            return super().fit(task, labels, seeds)

    task = numbered_task(np.repeat(np.arange(12) % 3, 3), np.random.default_rng(0).permutation(36))
    learned(task, plans=(Listener(3),), groups=task.subgraphs.nodes // 3)
    assert len(told) == QUICK.folds + 1
    for groups, expected in told:
        assert np.array_equal(groups, expected)


def test_a_class_that_one_fold_alone_has_does_not_decide() -> None:
    """Its one subgraph costs a linear member some log loss, not thirty times the others'."""
    task = ring_task()
    labels = np.array(task.labels)
    labels[0] = 2
    task = replace(task, labels=labels, class_names=("a", "b", "c"))
    usual = learned(ring_task(), plans=short_plans(("hops",))).leaderboard[0]
    rare = learned(task, plans=short_plans(("hops",))).leaderboard[0]
    assert rare.log_loss < usual.log_loss + 0.3


def test_answers_are_in_the_rows_of_the_task() -> None:
    class Oracle(Memory):
        def fit(self, task, labels, seeds):
            return Oracle(1, 10 * np.eye(3)[np.arange(36) % 3], task)

    task = numbered_task(np.arange(36) % 3, np.random.default_rng(0).permutation(36))
    trained = learned(task, plans=(Oracle(),))
    for part in (*SEEN, "test"):
        assert np.array_equal(trained.outputs(part).logits[0].argmax(1), labels_of(task, part))


@pytest.mark.slow
def test_the_leaderboard_has_the_best_first_and_those_not_judged_last() -> None:
    class Broken(Memory):
        name = "broken"

        def fit(self, task, labels, seeds):
            raise Sub2NodeError("it cannot learn.")

    trained = learned(ring_task(), plans=(Broken(), *short_plans(("statistics", "hops"))))
    assert trained.leaderboard[-1].state == "it cannot learn."
    losses = [row.log_loss for row in trained.leaderboard[:-1]]
    assert losses == sorted(losses)
    assert sum(row.weight for row in trained.leaderboard) == pytest.approx(1)
    with pytest.raises(Sub2NodeError, match=r"no member could be judged; it cannot learn\."):
        learned(ring_task(), plans=(Broken(),))


@pytest.mark.slow
def test_an_interruption_is_said() -> None:
    class Stopped(Memory):
        def fit(self, task, labels, seeds):
            raise KeyboardInterrupt

    trained = learned(ring_task(), plans=(*short_plans(("hops",)), Stopped()))
    assert trained.facts["ended"] == "interrupted"
    assert any("interrupted" in note for note in trained.facts["notes"])
    complete = learned(ring_task(), plans=short_plans(("hops",)))
    assert complete.facts["ended"] == "complete"
    assert complete.facts["config"] == {"baseline": "best", **QUICK.to_dict()}
    (note,) = complete.facts["notes"]
    assert note == "best: members and weights chosen out of fold (hops 1.00)."


@pytest.mark.slow
def test_virtual_subgraphs_are_left_out() -> None:
    task = ring_task()
    joined = with_virtual(task, Subgraphs.from_lists([[0, 1], [2, 3]]))
    one, other = (learned(t, plans=short_plans(("hops",))) for t in (task, joined))
    assert np.array_equal(one.outputs("test").logits, other.outputs("test").logits)


@pytest.mark.slow
def test_a_run_of_best_by_name(monkeypatch) -> None:
    use_short_plans(monkeypatch, ("hops", "statistics"))
    result = s2n.run(ring_task(), model="best", seeds=1, settings={"folds": 2, "minutes": 1})
    assert result.model == "best"
    assert result.config["folds"] == 2
    assert result.test["micro_f1"].mean > 0.5
    assert any("chosen out of fold" in note for note in result.notes)
    groups = np.arange(len(ring_task())) // 2
    options = {"seeds": 1, "settings": {"folds": 2}}
    timed = s2n.run(ring_task(), model="best", time_limit=30, groups=groups, **options)
    assert timed.config["minutes"] == 0.5
    assert any("no group of subgraphs was on both sides" in note for note in timed.notes)
    for one in ({"time_limit": 3}, {"groups": groups}):
        with pytest.raises(ConfigError, match="a time limit and groups are for model='best'"):
            s2n.run(ring_task(), model="bag", **one)
    with pytest.raises(ConfigError, match="best has no structure to choose"):
        s2n.run(ring_task(), model="best", structure="s2n+0")


@pytest.mark.slow
def test_over_splits_there_is_no_one_leaderboard() -> None:
    def make(_: SubgraphTask) -> BestModel:
        return BestModel(short_plans(("hops",)), QUICK)

    assert assess(ring_task(), make(ring_task()), seeds=[1]).leaderboard[0]["name"] == "hops"
    assert over_splits(ring_task(), make, splits=2, seeds=[1]).leaderboard == ()


def test_best_for_a_task_has_the_members_that_fit_it() -> None:
    model = best_model(ring_task(), preset="fast", settings=BestSettings(folds=3), device="cpu")
    assert model.name == "best"
    assert [plan.name for plan in model.plans][:2] == ["bag", "hops"]
    assert model.settings.folds == 3
    assert not model.all_nodes


@pytest.mark.parametrize(
    ("seeds", "count", "expected"),
    [([3], 3, [3, 4, 5]), ([7, 2], 3, [7, 2, 8]), ([1, 2, 3], 2, [1, 2, 3]), ([], 2, [10, 11])],
)
def test_as_many_seeds_as_the_ensemble_may_use(seeds, count, expected) -> None:
    assert _enough_seeds(seeds, count) == expected


@given(st.integers(0, 1000), st.booleans())
def test_logits_of_probabilities_give_them_back(seed, multilabel) -> None:
    shares = np.random.default_rng(seed).random((5, 3))
    shares /= 1 if multilabel else shares.sum(axis=1, keepdims=True)
    shares[0] = [1, 0, 0]
    logits = as_logits(shares, multilabel=multilabel)
    assert np.isfinite(logits).all()
    assert probabilities(logits, 1.0, multilabel=multilabel) == pytest.approx(shares, abs=1e-9)
