"""Every baseline under the protocol: odd data, test labels, seeds, ties, states and settings."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import sub2node as s2n
from quick_models import CLASSES, COUNT, NET, NODES, PARTS, QUICK, odd_graph, odd_sets, odd_task
from sub2node.base.errors import ConfigError, DataError, MissingExtraError
from sub2node.baselines import MODELS, NETWORKS, SIMPLE
from sub2node.evaluate import assess, over_splits
from sub2node.models.baseline import baseline
from sub2node.models.interface import Outputs
from sub2node.runs import save_run
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask

CHOOSING = ("bag", "gbdt", "s2n-kernel")  # and the others that choose on validation


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return odd_task()


def several() -> np.ndarray:
    """Three label columns; no subgraph has the last but one, all have the last."""
    found = np.zeros((COUNT, 4), bool)
    found[:, 0], found[::4, 1], found[:, 3] = CLASSES == 0, True, True
    return found


def with_virtual() -> SubgraphTask:
    codes, labels = np.array(Split.given(PARTS).codes), CLASSES.copy()
    codes[:4], labels[:4] = 1, -1
    return SubgraphTask(odd_graph(), odd_sets(), labels, (), Split(codes))


ODD = {
    "weights, self-loops, isolated nodes": odd_task,
    "several labels": lambda: odd_task(several()),
    "one label column": lambda: odd_task((CLASSES == 0)[:, None], ("A",)),
    "a class that does not occur": lambda: odd_task(names=("a", "b", "c", "none")),
    "features": lambda: odd_task(
        of=odd_graph(features=np.random.default_rng(0).normal(size=(NODES, 3)))
    ),
    "no edges": lambda: odd_task(of=Graph.from_edges([], [], num_nodes=NODES)),
    "loops only": lambda: odd_task(of=Graph.from_edges(np.arange(NODES), np.arange(NODES))),
    "all the same": lambda: odd_task(subgraphs=Subgraphs.from_lists([[0, 1, 2]] * COUNT)),
    "single nodes": lambda: odd_task(
        subgraphs=Subgraphs.from_lists([[i % 30] for i in range(COUNT)])
    ),
    "one node": lambda: odd_task(
        of=Graph.from_edges([], [], num_nodes=1), subgraphs=Subgraphs.from_lists([[0]] * COUNT)
    ),
    "virtual subgraphs": with_virtual,
}


@pytest.mark.slow
@pytest.mark.usefixtures("few_candidates")
@pytest.mark.parametrize("name", list(MODELS))
@pytest.mark.parametrize("kind", list(ODD))
def test_odd_data(kind, name) -> None:
    found = ODD[kind]()
    few = {"epochs": 1} if name in NETWORKS else {}
    result = s2n.run(found, model=name, seeds=2, settings={**QUICK[name], **few})
    json.dumps(result.to_dict(), allow_nan=False)
    replicas = len(result.seeds)
    for part, said in result.outputs.items():
        count = found.split.count(part)
        assert said.logits.shape == (replicas, count, found.num_classes)
        assert np.isfinite(said.logits).all()
        assert said.vectors is None or np.isfinite(said.vectors).all()
    assert result.config["baseline"] == name


@pytest.mark.slow
@pytest.mark.usefixtures("few_candidates")
@pytest.mark.parametrize("name", list(MODELS))
def test_virtual_subgraphs_are_not_there_for_baselines(name) -> None:
    virtual = with_virtual()
    without = virtual.subset(np.flatnonzero(~virtual.split.mask("virtual")).tolist())
    one, other = (s2n.run(t, model=name, seeds=1, settings=QUICK[name]) for t in (virtual, without))
    for part in ("train", "val", "test"):
        assert np.array_equal(one.outputs[part].logits, other.outputs[part].logits)


def noisy(task: SubgraphTask) -> SubgraphTask:
    labels = np.array(task.labels)
    here = task.split.mask("test")
    labels[here] = (labels[here] + 1) % 3 if labels.ndim == 1 else ~labels[here]
    return replace(task, labels=labels)


@pytest.mark.slow
@pytest.mark.usefixtures("two_candidates")
@pytest.mark.parametrize(
    ("name", "multilabel"), [*((name, False) for name in MODELS), ("glass", True), ("wl", True)]
)
def test_test_labels_change_nothing_but_test_scores(task, name, multilabel) -> None:
    task = odd_task(several()[:, [0, 1]], ("a", "b")) if multilabel else task
    settings = dict(QUICK[name])
    if name in NETWORKS:
        del settings["features.kind"]  # chosen on validation
        settings["published_ties"] = True
    one, other = (s2n.run(t, model=name, seeds=2, settings=settings) for t in (task, noisy(task)))
    assert one.config == other.config
    assert one.best_epoch == other.best_epoch
    assert one.val == other.val
    for column, values in one.history.items():
        assert np.array_equal(values, other.history[column])
    for part, found in one.outputs.items():
        assert np.array_equal(found.logits, other.outputs[part].logits)
    pairs = zip(one.outputs["test"].tied, other.outputs["test"].tied, strict=True)
    for mine, theirs in pairs:
        assert np.array_equal(mine, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(NETWORKS))
def test_the_published_rule_is_the_best_test_score_of_tied_epochs(task, name, monkeypatch) -> None:
    from sub2node.train import batch_loop as batches

    seen: list[np.ndarray] = []
    one_epoch = batches.BatchGroup.one_epoch

    def spy(self, epoch: int) -> None:
        one_epoch(self, epoch)
        seen.append(self.network.eval()(self.stages["test"])[1].detach().numpy().copy())

    monkeypatch.setattr(batches.BatchGroup, "one_epoch", spy)
    settings = {**QUICK[name], "epochs": 7, "start": 2, "published_ties": True}
    result = s2n.run(task, model=name, seeds=3, settings=settings)
    truth = task.labels[task.split.mask("test")]
    val, best = result.history["val_micro_f1"], []
    for r in range(3):
        top = val[2:, r].max()
        tied = [e for e in range(2, 7) if val[e, r] == top]
        assert result.best_epoch[r] == tied[0] + 1
        best.append(max((seen[e][r].argmax(-1) == truth).mean() for e in tied))
    assert result.published_ties.values == pytest.approx(tuple(best))
    honest = result.test["micro_f1"].values
    assert all(a >= b for a, b in zip(result.published_ties.values, honest, strict=True))
    without = s2n.run(task, model=name, seeds=3, settings={**settings, "published_ties": False})
    assert without.published_ties is None
    assert np.array_equal(without.outputs["test"].logits, result.outputs["test"].logits)


def ties(task: SubgraphTask, **settings: Any) -> Any:
    options = {**NET, "published_ties": True, "lr": 0.0, **settings}
    return s2n.run(task, model="glass", seeds=2, settings=options)


@pytest.mark.slow
def test_epochs_that_all_tie_are_all_kept(task) -> None:
    result = ties(task, epochs=5, start=1)  # a rate of 0: nothing changes
    assert result.best_epoch == (2, 2)
    assert [len(found) for found in result.outputs["test"].tied] == [4, 4]


def test_the_last_epoch_of_patience_ties_too(task) -> None:
    result = ties(task, epochs=20, patience=3)
    assert len(result.history["lr"]) == 4
    assert [len(found) for found in result.outputs["test"].tied] == [4, 4]


@pytest.mark.slow
def test_the_published_rule_over_splits(task) -> None:
    model = baseline(task, "glass", settings={**NET, "published_ties": True}).model
    result = over_splits(task, lambda _: model, splits=3, seeds=[1])
    assert result.published_ties.n == 3


def test_the_published_rule_and_the_threshold() -> None:
    labels = np.tile([[True, False], [False, True]], (COUNT // 2, 1))
    task = odd_task(labels, ("a", "b"))

    class Low:
        """Right, with all logits below 0."""

        name, facts = "low", {}

        def fit(self, task, labels, seeds):
            return self

        def outputs(self, part):
            logits = np.where(labels[task.split.mask(part)], -1.0, -2.0)[None]
            return Outputs(logits, tied=[[logits[0]]] if part == "test" else ())

    result = assess(task, Low(), seeds=[1], threshold="val")
    assert result.test["micro_f1"].mean == 1.0
    assert result.published_ties.mean >= result.test["micro_f1"].mean


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("glass", {}),
        ("gnn-plain", {}),
        ("subgnn", {"lstm_layers": 2, "lstm_dropout": 0.3}),
        ("subgnn", {"model.components": "max"}),
        ("gnn-seg", {"dropout": 0.0, "layers": 2}),
        ("gnn-seg", {"dropout": 0.4, "layers": 2}),
    ],
)  # fmt: skip
def test_seeds_together_are_seeds_alone(task, name, more) -> None:
    settings = {**QUICK[name], **more}
    both = s2n.run(task, model=name, seeds=[4, 9], settings=settings)
    for r, seed in enumerate((4, 9)):
        alone = s2n.run(task, model=name, seeds=[seed], settings=settings)
        for column, values in alone.history.items():
            assert np.allclose(values[:, 0], both.history[column][:, r], atol=1e-5), column
        for part, found in alone.outputs.items():
            assert np.allclose(found.logits[0], both.outputs[part].logits[r], atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(NETWORKS))
def test_groups_of_replicas_change_nothing(task, name, monkeypatch) -> None:
    from sub2node.models import baseline as baselines

    settings = QUICK[name]
    one = s2n.run(task, model=name, seeds=3, settings=settings)
    monkeypatch.setattr(baselines, "replicas_at_once", lambda *_: 2)
    other = s2n.run(task, model=name, seeds=3, settings=settings)
    assert np.allclose(one.outputs["test"].logits, other.outputs["test"].logits, atol=1e-5)


@pytest.mark.parametrize("name", list(NETWORKS))
def test_answers_do_not_depend_on_what_was_asked_before(task, name) -> None:
    from sub2node.baselines.batch_network import part_rows
    from sub2node.nn.node_inputs import node_inputs
    from sub2node.train import forward

    kind = NETWORKS[name]
    settings = kind.settings().with_settings(QUICK[name])
    rows = np.arange(NODES)
    inputs = node_inputs(task, settings.features, rows, device="cpu")
    networks = [kind.build(task, settings, seeds=[1, 2], inputs=inputs, device="cpu")]
    stages = part_rows(task, rows, networks[0][1].device)
    first = forward(networks, stages, "test")[1]
    forward(networks, stages, "train")
    assert np.array_equal(forward(networks, stages, "test")[1], first)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["glass", "gnn-seg"])
def test_odd_numbers_of_epochs_and_batches(task, name) -> None:
    huge = {**QUICK[name], "batch": 10**6, "epochs": 10**6, "patience": 2, "lr": 0.0}
    early = s2n.run(task, model=name, seeds=2, settings=huge)
    assert early.ended == "early"
    assert len(early.history["lr"]) == 3
    late = s2n.run(task, model=name, seeds=2, settings={**QUICK[name], "start": 50, "patience": 1})
    assert late.best_epoch == (3, 3)  # the last epoch, where the start is beyond all of them
    assert late.ended == "complete"
    single = s2n.run(task, model=name, seeds=1, settings={**QUICK[name], "batch": 1})
    assert np.isfinite(single.history["train_loss"]).all()


@pytest.mark.slow
@pytest.mark.usefixtures("two_candidates")
@pytest.mark.parametrize("name", list(MODELS))
def test_the_settings_of_a_run_repeat_it(task, name, tmp_path) -> None:
    settings = dict(QUICK[name])
    settings.pop("features.kind", None)
    first = s2n.run(task, model=name, seeds=2, settings=settings)
    folder = save_run(first, task, tmp_path / "run")
    for model in (None, name) if name in ("bag", "glass") else (None,):
        again = s2n.run(task, model=model, seeds=2, preset=str(folder / "config.toml"))
        assert again.config == first.config
        assert again.model == first.model
        assert np.array_equal(again.outputs["test"].logits, first.outputs["test"].logits)
    text = (folder / "MODEL_CARD.md").read_text()
    assert text.startswith(f"# {first.model} on ")
    table = pq.read_table(folder / "predictions.parquet")
    assert len(table) == COUNT * len(first.seeds)
    network = name in NETWORKS
    assert (folder / "epochs.parquet").exists() == network
    assert (folder / "embeddings.parquet").exists() == network
    json.loads((folder / "result.json").read_text(), parse_constant=pytest.fail)
    wrong = "bag" if name != "bag" else "wl"
    with pytest.raises(ConfigError, match=f"settings for '{name}', not for '{wrong}'"):
        s2n.run(task, model=wrong, preset=str(folder / "config.toml"))


@pytest.mark.slow
def test_the_settings_of_a_run_repeat_its_join(task, tmp_path) -> None:
    settings = {**NET, "features.encoding": "rwpe", "features.join": "concat"}
    first = s2n.run(task, model="glass", seeds=1, settings=settings)
    folder = save_run(first, task, tmp_path / "run")
    again = s2n.run(task, seeds=1, preset=str(folder / "config.toml"))
    assert again.config == first.config


def test_the_card_tells_the_published_score(task, tmp_path) -> None:
    folder = save_run(ties(task), task, tmp_path / "run")
    assert "published" in (folder / "MODEL_CARD.md").read_text()


def test_the_card_of_a_model_without_epochs(task, tmp_path) -> None:
    folder = save_run(s2n.run(task, model="majority"), task, tmp_path / "run")
    assert "epoch" not in (folder / "MODEL_CARD.md").read_text()


@pytest.mark.parametrize("name", [n for n in SIMPLE if n != "gbdt"])
def test_encodings_are_refused_where_they_are_not_read(task, name) -> None:
    with pytest.raises(ConfigError, match=f"{name} has no use for encodings; omit them"):
        s2n.run(task, model=name, seeds=1, encodings=np.zeros((NODES, 4)), settings=QUICK[name])


@pytest.mark.parametrize("more", [{"features.kind": "svd"}, {"features.encoding": "rwpe"}])
def test_features_of_gnn_seg_are_read(task, more) -> None:
    plain = s2n.run(task, model="gnn-seg", seeds=1, settings={**NET})
    settings = {**NET, "features.width": 8, **more}
    result = s2n.run(task, model="gnn-seg", seeds=1, settings=settings)
    assert not np.array_equal(plain.outputs["test"].logits, result.outputs["test"].logits)


@pytest.mark.usefixtures("two_candidates")
@pytest.mark.parametrize("name", CHOOSING)
def test_several_labels_and_one_training_subgraph(name) -> None:
    labels = np.repeat([[True, False]], COUNT, axis=0)
    lone = odd_task(labels, ("a", "b"), parts=["train"] + ["val"] * 15 + ["test"] * 20)
    result = s2n.run(lone, model=name, seeds=1, settings=QUICK[name])
    assert result.test["micro_f1"].mean == 1.0


@pytest.mark.usefixtures("two_candidates")
@pytest.mark.parametrize("name", CHOOSING)
def test_one_label_column_that_all_of_train_has(name) -> None:
    full = odd_task(np.ones((COUNT, 1), bool), ("A",))
    result = s2n.run(full, model=name, seeds=1, settings=QUICK[name])
    assert result.test["micro_f1"].mean == 1.0


@pytest.mark.parametrize("name", ["majority", "statistics"])
def test_the_others_answer_what_all_of_train_has(name) -> None:
    full = odd_task(np.ones((COUNT, 1), bool), ("A",))
    result = s2n.run(full, model=name, seeds=1, settings=QUICK[name])
    assert result.test["micro_f1"].mean == 1.0


def test_gensim_that_is_missing(task, monkeypatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "gensim.models.doc2vec", None)
    with pytest.raises(MissingExtraError, match=r"gensim.*sub2node\[baselines\]"):
        s2n.run(task, model="sub2vec", seeds=1)


@pytest.mark.parametrize("notes", ["3", '"hello"'])
def test_notes_of_a_preset_file_are_sentences(task, tmp_path, notes) -> None:
    file = tmp_path / "own.toml"
    file.write_text(f'baseline = "bag"\nnotes = {notes}\n')
    with pytest.raises(DataError, match="notes are a list of sentences"):
        s2n.run(task, seeds=1, preset=str(file))
