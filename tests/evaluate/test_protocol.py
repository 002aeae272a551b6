"""The protocol: the test part is read once, at the end; bad input is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sub2node as s2n
from quick_models import QUICK as MODELS
from sub2node.base.errors import ConfigError, DataError
from sub2node.base.metrics import best_threshold
from sub2node.baselines import SIMPLE
from sub2node.evaluate import assess, protocol, random_splits
from sub2node.evaluate.protocol import split_if_needed
from sub2node.models.baseline import Simple
from sub2node.models.graph_network import GraphNetwork
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask

QUICK = {"epochs": 4, "features.kind": "random"}


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=40,seed=3,nodes=1000")


def noisy(task: SubgraphTask) -> SubgraphTask:
    """The same with other labels in the test part."""
    labels, rng = np.array(task.labels), np.random.default_rng(0)
    here = task.split.mask("test")
    labels[here] = (labels[here] + rng.integers(1, 3, here.sum())) % 3
    return replace(task, labels=labels)


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["separated", "connected", "s2n+0", "s2n+a"])
def test_labels_of_the_test_part_change_nothing_but_the_test_scores(task, structure) -> None:
    settings = {"epochs": 6}  # features are chosen on validation here
    one, other = (
        s2n.run(data, structure=structure, seeds=2, preset="fast", settings=settings)
        for data in (task, noisy(task))
    )
    assert one.config == other.config
    assert one.best_epoch == other.best_epoch
    for name, column in one.history.items():
        assert np.array_equal(column, other.history[name]), name
    for part, found in one.outputs.items():
        assert np.array_equal(found.logits, other.outputs[part].logits), part
    assert one.val == other.val
    assert one.test != other.test


def quick(name: str) -> Simple:
    return Simple(SIMPLE[name], SIMPLE[name].settings().with_settings(MODELS[name]))


@pytest.mark.slow
@pytest.mark.usefixtures("two_candidates")
@pytest.mark.parametrize("name", list(SIMPLE))
def test_simple_models_do_not_see_test_labels_either(task, name) -> None:
    one, other = (assess(t, quick(name), seeds=[1]) for t in (task, noisy(task)))
    assert np.array_equal(one.outputs["test"].logits, other.outputs["test"].logits)
    assert one.val == other.val


def test_test_labels_are_read_once_and_last(task, monkeypatch) -> None:
    said: list[str] = []
    read = protocol.labels_of
    monkeypatch.setattr(
        protocol, "labels_of", lambda task, part: said.append(f"labels {part}") or read(task, part)
    )

    class Spy:
        name = "spy"
        facts: dict[str, Any] = {}  # noqa: RUF012

        def fit(self, task, labels, seeds):
            assert set(labels) == {"train", "val"}
            said.append("fit")
            return self

        def outputs(self, part):
            from sub2node.models.interface import Outputs

            said.append(f"outputs {part}")
            return Outputs(np.zeros((1, task.split.count(part), 3)))

    assess(task, Spy(), seeds=[1])
    assert said.count("labels test") == 1
    assert said[-1] == "labels test"
    assert said[-2] == "outputs test"


@pytest.mark.slow
def test_evaluation_subgraphs_do_not_change_training(task) -> None:
    smaller = task.subset([*np.flatnonzero(task.split.codes <= 2).tolist(), len(task) - 1])
    for structure in ("s2n+0", "s2n+a"):
        one, other = (
            s2n.run(data, structure=structure, seeds=1, preset="fast", settings=QUICK)
            for data in (task, smaller)
        )
        assert np.array_equal(one.history["train_loss"], other.history["train_loss"])
        assert np.array_equal(one.history["val_loss"], other.history["val_loss"])


@pytest.mark.slow
def test_multi_label_and_its_threshold(task) -> None:
    several = np.eye(3, dtype=bool)[task.labels]
    several[::5] = True
    multi = SubgraphTask(task.graph, task.subgraphs, several, task.class_names, task.split)
    half, chosen = (
        s2n.run(multi, seeds=2, preset="fast", settings=QUICK, threshold=t) for t in ("half", "val")
    )
    assert half.thresholds == (0.0, 0.0)  # logits
    assert chosen.thresholds != (0.0, 0.0)
    truth, logits = protocol.labels_of(multi, "val"), chosen.outputs["val"].logits
    assert chosen.thresholds == tuple(best_threshold(truth, replica) for replica in logits)
    pairs = zip(chosen.val["micro_f1"].values, half.val["micro_f1"].values, strict=True)
    assert all(a >= b for a, b in pairs)
    with pytest.raises(ConfigError, match="half' or 'val"):
        s2n.run(multi, threshold="best")


@pytest.mark.slow
def test_given_features_are_taken_and_widened(task) -> None:
    features = np.random.default_rng(0).normal(size=(task.graph.num_nodes, 5))
    graph = replace(task.graph, features=features)
    named = replace(task, graph=graph)
    result = s2n.run(named, seeds=1, preset="fast", settings={"epochs": 3})
    (note,) = (note for note in result.notes if "chosen on validation" in note)
    for tried in ("svd 0.", "constant 0.", "svd+given 0.", "constant+given 0."):
        assert tried in note
    only = s2n.run(named, seeds=1, preset="fast", settings={"epochs": 3, "features.kind": "given"})
    assert only.config["features"]["kind"] == "given"
    assert only.notes == ()


@pytest.mark.slow
def test_features_that_suit_are_chosen_on_validation(task) -> None:
    result = s2n.run(task, seeds=2, preset="fast", settings={"epochs": 8})
    assert result.config["features"]["kind"] in ("svd", "constant")
    assert result.model == "s2n+a gcn2"  # the features are chosen, so they are not its name
    assert any("chosen on validation" in note for note in result.notes)


def test_data_without_a_split_gets_one_and_says_so(task) -> None:
    bare = SubgraphTask(task.graph, task.subgraphs, task.labels, task.class_names)
    result = s2n.run(bare, seeds=1, preset="fast", settings=QUICK)
    assert any("random stratified" in note for note in result.notes)


def odd(labels: list[int], words: list[str]) -> SubgraphTask:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3])
    sets = Subgraphs.from_lists([[i % 4] for i in range(len(labels))])
    return SubgraphTask(graph, sets, np.array(labels), (), Split.given(words))


@pytest.mark.parametrize(
    ("labels", "words", "message"),
    [
        ([0, 1, 2], ["train", "train", "val"], "no test subgraph"),
        ([0, 1, 1], ["train", "test", "test"], "no val subgraph"),
        ([0, 1, 1], ["val", "test", "test"], "no train subgraph"),
        ([0, 0, 1], ["train", "val", "test"], "fewer than the 2 classes"),
        ([0, 0, 0, 1], ["train", "train", "val", "test"], "class '1' has 1 in test"),
        ([0, 0, 0], ["train", "val", "test"], "nothing to learn"),
    ],
)
def test_data_that_cannot_be_learned(labels, words, message) -> None:
    with pytest.raises(DataError, match=message):
        s2n.run(odd(labels, words))


def test_no_labels(task) -> None:
    with pytest.raises(DataError, match="no labels"):
        s2n.run(SubgraphTask(task.graph, task.subgraphs, split=task.split))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"structure": "s2n+b"}, "Did you mean 's2n"),
        ({"conv": "gcn3"}, "Did you mean 'gcn"),
        ({"conv": "torch_geometric.nn:NoConv"}, "cannot be imported"),
        ({"preset": "dfault"}, "Did you mean 'default'"),
        ({"settings": {"lrr": 1}}, "Did you mean 'lr'"),
        ({"settings": {"lr": "x"}}, "is a number"),
        ({"seeds": 0}, "at least one seed"),
        ({"seeds": [1, 1]}, "different"),
        ({"device": "gpu"}, "auto, cpu or cuda"),
        ({"settings": {"features.kind": "given"}}, "has no features"),
        ({"encodings": np.zeros((3, 2))}, "expected one row for each"),
        ({"structure": "separated", "settings": {"readout": "degree-code"}}, "S2N structures only"),
    ],
)
def test_bad_options(task, options, words) -> None:
    with pytest.raises(ConfigError, match=words):
        s2n.run(task, **{"seeds": 1, **options})


def test_a_gpu_that_is_not_there(task) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(ConfigError, match="no GPU"):
        s2n.run(task, device="cuda")


@pytest.mark.slow
def test_a_users_convolution(task) -> None:
    from torch_geometric.nn import SAGEConv, TAGConv

    config = GraphNetwork((s2n.config.Config(),), conv=TAGConv)
    assert config.name == "s2n+a TAGConv"
    result = s2n.run(task, conv=TAGConv, seeds=2, preset="fast", settings=QUICK)
    assert result.model == "s2n+a TAGConv"
    blind = s2n.run(task, conv=SAGEConv, seeds=1, preset="fast", settings=QUICK)
    assert any("takes no edge weights" in note for note in blind.notes)


def test_virtual_subgraphs_stay_virtual_in_random_splits(task) -> None:
    codes = np.array(task.split.codes)
    codes[:6] = 1
    labels = np.array(task.labels)
    labels[:6] = -1
    virtual = SubgraphTask(task.graph, task.subgraphs, labels, task.class_names, Split(codes))
    for drawn in random_splits(virtual, 3):
        assert drawn.split.count("virtual") == 6
        assert (drawn.labels[drawn.split.mask("virtual")] == -1).all()


@pytest.mark.slow
def test_one_label_column_and_classes_that_do_not_occur(task, few_candidates) -> None:
    column = (task.labels == 0)[:, None]
    one = SubgraphTask(task.graph, task.subgraphs, column, ("A",), task.split)
    for name in SIMPLE:
        result = assess(one, quick(name), seeds=[1])
        assert result.outputs["test"].logits.shape[-1] == 1
    assert s2n.run(one, seeds=1, preset="fast", settings=QUICK).test["micro_f1"].n == 1
    spare = SubgraphTask(
        task.graph, task.subgraphs, task.labels, (*task.class_names, "D"), task.split
    )
    for name in SIMPLE:
        assert assess(spare, quick(name), seeds=[1]).outputs["test"].logits.shape[-1] == 4


def test_all_seeds_diverged_is_an_error_that_says_what_to_do(task) -> None:
    settings = {**QUICK, "lr": 1e30, "clip": 0.0}
    with pytest.raises(s2n.Sub2NodeError, match="lower the learning rate"):
        s2n.run(task, seeds=2, preset="fast", settings=settings)


def test_states_belong_to_their_encodings(task, tmp_path) -> None:
    from sub2node.base.progress import Report, listen
    from sub2node.train import checkpoint

    class Killed(BaseException):
        pass

    def kill(report: Report) -> None:
        if report.done == 3:
            raise Killed

    options = {"seeds": 1, "preset": "fast", "settings": QUICK, "checkpoint": tmp_path}
    zeros = np.zeros((task.graph.num_nodes, 128))  # as wide as the features of the preset
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint.Checkpoint, "due", property(lambda self: True))
        with listen(kill), pytest.raises(Killed):
            s2n.run(task, encodings=zeros, **options)
    with pytest.raises(ConfigError, match="other data, settings or seeds"):
        s2n.run(task, encodings=zeros + 5, resume=True, **options)


def test_states_that_cannot_be_written_are_a_note(task, tmp_path, monkeypatch) -> None:
    from sub2node.train import checkpoint

    monkeypatch.setattr(checkpoint.Checkpoint, "due", property(lambda self: not self.failed))
    (tmp_path / "file").write_text("")
    place = tmp_path / "file" / "states"
    result = s2n.run(task, seeds=1, preset="fast", settings=QUICK, checkpoint=place)
    assert any("could not be kept" in note for note in result.notes)


def test_a_split_that_is_drawn_keeps_groups_together() -> None:
    labels = np.arange(60) % 2
    sets = Subgraphs.from_lists([[i] for i in range(60)])
    task = SubgraphTask(Graph.from_edges(np.arange(59), np.arange(1, 60)), sets, labels)
    groups = np.arange(60) // 6
    drawn, (note,) = split_if_needed(task, groups)
    assert "a random stratified one was drawn" in note
    for part in ("train", "val", "test"):
        own = drawn.subgraphs.nodes[drawn.split.mask(part)] // 6
        assert (np.unique(own, return_counts=True)[1] == 6).all()
    assert split_if_needed(drawn, groups) == (drawn, ())
