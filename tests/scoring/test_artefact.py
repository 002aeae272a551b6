"""Models as folders: what comes back is what was written, and damage is seen."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from torch import nn

import sub2node as s2n
from feature_cases import SETTINGS, featured_task
from scoring_tasks import (
    FAST,
    FILES,
    QUERY,
    copied,
    model,
    named,
    signed,
    small_task,
    with_excluded,
    with_own_edges,
)
from sub2node import SubgraphClassifier
from sub2node.base.errors import ConfigError, DataError
from sub2node.io import save_task
from sub2node.scoring import artefact as artefact_module
from sub2node.scoring import load_scorer, save_scorer
from sub2node.scoring.arguments import build_query


def same_everywhere(one: SubgraphClassifier, two: SubgraphClassifier, asked) -> None:
    """Every number of both is the same, bit by bit."""
    for mode in ("independent", "joint"):
        here, there = (
            each.scorer_.predict(build_query(each.scorer_.index, asked, "error"), mode=mode)
            for each in (one, two)
        )
        assert np.array_equal(here.probabilities, there.probabilities)
        assert np.array_equal(here.spread, there.spread, equal_nan=len(one.scorer_.seeds) == 1)
        assert here.labels == there.labels
    assert np.array_equal(one.predict(asked), two.predict(asked))
    assert np.array_equal(one.transform(asked), two.transform(asked))
    assert one.neighbors(asked, 3) == two.neighbors(asked, 3)
    first = asked.take(np.arange(1)) if hasattr(asked, "take") else asked[:1]
    assert one.explain(first) == two.explain(first)


CASES = {
    "separated": ({}, {"structure": "separated"}),
    "connected": ({}, {"structure": "connected"}),
    "s2n+0": ({}, {"structure": "s2n+0"}),
    "s2n+a": ({}, {"structure": "s2n+a"}),
    "cos2n+0": ({}, {"structure": "cos2n+0"}),
    "cos2n+a, virtual subgraphs": ({}, {"structure": "cos2n+a", "coarsening.ratio": 0.5}),
    "weighted": ({"weighted": True}, {}),
    "features": ({"features": True}, {"features.kind": "given"}),
    "features beside others": ({"features": True, "weighted": True}, {}),
    "several labels": ({"multilabel": True}, {"options": {"threshold": "val"}}),
    "constant features": ({}, {"features.kind": "constant"}),
    "frozen features": ({}, {"features.trainable": False}),
    "encodings": ({}, {"features.encoding": "rwpe", "encoding_width": 8}),
    "statistics": ({}, {"features.subgraphs": "structure"}),
    "statistics of several labels": ({"multilabel": True}, {"features.subgraphs": "structure"}),
    "weisfeiler-leman": ({}, {"structure": "separated", "features.subgraphs": "wl"}),
    "border": ({"features": True}, {"features.subgraphs": "border"}),
    "border of directed edges": ({"directed": True}, {"features.subgraphs": "border"}),
    "border of two hops": ({"weighted": True}, {"features.subgraphs": "border2"}),
    "degree readout": ({}, {"structure": "s2n+0", "readout": "degree"}),
    "norms": ({}, {"batch_norm": True, "skip": True}),
    "attention": ({}, {"conv": "gatv2", "seeds": 1}),
    "excluded nodes": ({}, {"structure": "s2n+0"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_was_saved_answers_bit_by_bit_the_same(name, tmp_path) -> None:
    given, options = CASES[name]
    task = small_task(**given)
    if "excluded" in name:
        task = with_excluded(task)
    made = model(task, **options)
    back = SubgraphClassifier.load(made.save(tmp_path / "model"))
    same_everywhere(made, back, task.subgraphs.take(np.flatnonzero(task.split.mask("test"))))
    one, two = made.scorer_, back.scorer_
    assert one.task == two.task
    assert (one.temperature, one.threshold, one.seeds) == (
        two.temperature,
        two.threshold,
        two.seeds,
    )
    assert one.known_subgraphs.config == two.known_subgraphs.config
    assert np.array_equal(made.classes_, back.classes_)
    assert made.validation_ == back.validation_
    assert made.test_ == back.test_
    assert made.notes_ == back.notes_


def test_names_and_titles_come_back(fitted, saved) -> None:
    back = SubgraphClassifier.load(saved)
    same_everywhere(fitted, back, QUERY)
    assert back.scorer_.graph == fitted.scorer_.graph  # names and titles are part of its hash
    assert back.scorer_.task.subgraphs.titles[3] == "What 3 does | in short"
    found = back.scorer_.find_nodes("gene № 3", count=2)
    assert found == fitted.scorer_.find_nodes("gene № 3", count=2)
    assert back.explain(QUERY[:1])[0].members[0].title.startswith("Gene №")


@pytest.mark.parametrize("by_reference", [False, True])
def test_other_names_come_back(fitted, tmp_path, *, by_reference: bool) -> None:
    scorer = fitted.scorer_
    aliases = {"alias": ["First", "zwei", "zwei"], "node_id": ["g1", "g2", "g3"],
               "kind": ["symbol", "synonym", "synonym"]}  # fmt: skip
    graph = scorer.graph.with_other_names(aliases)
    task = replace(scorer.task, graph=graph)
    known = replace(scorer.known_subgraphs, task=task)
    reference = None
    if by_reference:
        reference = str(save_task(replace(task, graph=scorer.graph), tmp_path / "data"))
    folder = save_scorer(
        replace(scorer, known_subgraphs=known), tmp_path / "model", graph=reference
    )
    assert ("aliases.parquet" in [path.name for path in folder.iterdir()]) is True
    back = load_scorer(folder)
    query = back.ask([["FIRST", "g2", "G4"]])
    assert query.subgraphs.nodes.tolist() == [1, 2, 4]
    (row,) = back.predict(query).mapping
    assert [name[:2] + name[3:4] for name in row] == [
        ("FIRST", "g1", "symbol"), ("G4", "g4", "case"),
    ]  # fmt: skip
    with pytest.raises(DataError, match=r"'Zwei' may mean g2 .* or g3 .*; give the id of one"):
        back.ask([["g1", "Zwei"]])
    table = pa.table({"name": ["a"], "node": [99], "kind": ["alias"]})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    signed(folder, lambda facts: None, **{"aliases.parquet": bytes(sink.getvalue())})
    with pytest.raises(DataError, match="nodes in 0…49"):
        load_scorer(folder)


def test_edges_of_subgraphs_come_back(tmp_path) -> None:
    task = with_own_edges(small_task())
    made = model(task, structure="separated")
    assert made.scorer_.task.subgraphs.edges is not None
    back = SubgraphClassifier.load(made.save(tmp_path / "model"))
    same_everywhere(made, back, task.subgraphs)
    plain = small_task().subgraphs
    assert not np.array_equal(back.predict_proba(task.subgraphs), back.predict_proba(plain))


@pytest.mark.parametrize(
    "labels",
    [
        [-3, 5, 11],
        [False, True, True],
        ["b", "a", "ä|ö"],
        [1.0, 2.0, 3.0],
        np.array(["x", "yy", "z"]),
    ],
    ids=str,
)
def test_classes_keep_their_kind(labels, tmp_path) -> None:
    task = small_task()
    kinds = np.array(labels)[task.labels]
    made = SubgraphClassifier("s2n+0", seeds=1, preset="fast", settings=FAST).fit(task, kinds)
    back = SubgraphClassifier.load(made.save(tmp_path / "model"))
    assert back.classes_.dtype.kind == made.classes_.dtype.kind
    assert (
        back.classes_.tolist() == made.classes_.tolist() == sorted(set(np.array(labels).tolist()))
    )
    assert np.array_equal(back.predict(task), made.predict(task))


@pytest.mark.slow
def test_a_loaded_model_remembers_its_parameters_and_can_be_fitted_again(saved, tmp_path) -> None:
    task = small_task()
    made = model(task, seeds=[3, 7], options={"mode": "joint", "unknown_nodes": "drop"})
    back = SubgraphClassifier.load(made.save(tmp_path / "model"))
    assert back.get_params()["mode"] == "joint"
    assert back.unknown_nodes == "drop"
    assert back.seeds == [3, 7]
    assert np.array_equal(back.predict_proba([[1, 2, 99]]), made.predict_proba([[1, 2, 99]]))
    again = SubgraphClassifier.load(back.save(tmp_path / "again"))
    assert np.array_equal(again.predict_proba(task), made.predict_proba(task))
    for name in FILES[1:3]:
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "model" / name).read_bytes()


@pytest.fixture(scope="module")
def elsewhere(fitted, tmp_path_factory) -> tuple[Path, Path]:
    """Data, and a model that refers to it."""
    home = tmp_path_factory.mktemp("elsewhere")
    s2n.save_task(named(small_task(weighted=True)), home / "data")
    return home / "data", fitted.save(home / "model", graph=str(home / "data"))


@pytest.mark.slow
def test_a_graph_may_be_referred_to(fitted, elsewhere, saved) -> None:
    data, path = elsewhere
    assert not (path / "edges.parquet").exists()
    assert not (path / "nodes.parquet").exists()
    same_everywhere(fitted, SubgraphClassifier.load(path), QUERY)
    same_everywhere(fitted, SubgraphClassifier.load(path, graph=fitted.scorer_.graph), QUERY)
    assert load_scorer(path).graph == s2n.load_task(data).graph


def test_a_graph_that_is_not_there_or_another_is_refused(elsewhere, fitted, tmp_path) -> None:
    _, path = elsewhere
    lost = copied(path, tmp_path / "lost")
    signed(lost, lambda facts: facts["graph"].update(reference=str(tmp_path / "nowhere")))
    with pytest.raises(DataError, match=r"outside of the model.*load\(path, graph="):
        load_scorer(lost)
    assert load_scorer(lost, graph=fitted.scorer_.graph).classes == fitted.scorer_.classes
    other = small_task(seed=9)
    s2n.save_task(other, tmp_path / "other")
    signed(lost, lambda facts: facts["graph"].update(reference=str(tmp_path / "other")))
    with pytest.raises(DataError, match="another graph"):
        load_scorer(lost)
    with pytest.raises(DataError, match="not the one that the model was trained on"):
        load_scorer(lost, graph=other.graph)
    with pytest.raises(DataError, match="another graph"):
        fitted.save(tmp_path / "never", graph=str(tmp_path / "other"))
    with pytest.raises(DataError, match="cannot be read"):
        fitted.save(tmp_path / "never", graph=str(tmp_path / "nowhere"))
    assert not (tmp_path / "never").exists()


def test_graph_given_at_load_may_be_of_another_library(elsewhere, fitted, tmp_path) -> None:
    task = small_task()
    made = model(task, structure="s2n+0", seeds=1)
    s2n.save_task(task, tmp_path / "data")
    path = made.save(tmp_path / "model", graph=str(tmp_path / "data"))
    graph = s2n.io.graphs.to_networkx(task.graph)
    back = SubgraphClassifier.load(path, graph=graph)
    assert np.array_equal(back.predict_proba([[1]]), made.predict_proba([[1]]))


class OwnConvolution(nn.Module):
    """A convolution that this package does not have."""

    def __init__(self, width_in: int, width_out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width_in, width_out)

    def forward(self, x, edge_index, edge_weight=None):
        out = self.linear(x)
        heard = out[edge_index[0]]
        heard = heard if edge_weight is None else heard * edge_weight.unsqueeze(-1)
        return out.index_add(0, edge_index[1], heard)


@pytest.mark.slow
@pytest.mark.parametrize("conv", [OwnConvolution, "torch_geometric.nn:TAGConv"])
def test_a_foreign_convolution_is_given_not_named(conv, tmp_path, monkeypatch) -> None:
    task = small_task()
    made = model(task, structure="s2n+0", conv=conv)
    path = made.save(tmp_path / "model")

    def never(*args):
        raise AssertionError("a model said which code to load")

    monkeypatch.setattr("sub2node.nn.custom_convolution.import_module", never)
    with pytest.raises(DataError, match=r"not part of this package; give its class"):
        SubgraphClassifier.load(path)
    from torch_geometric.nn import TAGConv

    own = conv if callable(conv) else TAGConv
    same_everywhere(made, SubgraphClassifier.load(path, conv=own), task.subgraphs)
    with pytest.raises(DataError, match="cannot be"):
        SubgraphClassifier.load(path, conv=nn.Bilinear)


@pytest.mark.parametrize("word", ["os:system", "antigravity:X", "posix:system", "x", "", "own"])
def test_code_that_a_card_names_is_not_loaded(word, saved, tmp_path, monkeypatch) -> None:
    poisoned = copied(saved, tmp_path / "model")
    signed(poisoned, lambda facts: facts["config"].update(conv=word))
    monkeypatch.setattr(os, "system", lambda *_: pytest.fail("code of a card was run"))
    with pytest.raises(DataError, match="which is not part of this package"):
        SubgraphClassifier.load(poisoned)
    assert "antigravity" not in sys.modules


def test_nothing_is_unpickled(saved, monkeypatch) -> None:
    import pickle

    import torch

    def never(*args, **options):
        raise AssertionError("something was unpickled")

    for owner, name in ((pickle, "load"), (pickle, "loads"), (pickle, "Unpickler"),
                        (torch, "load"), (np, "load")):  # fmt: skip
        monkeypatch.setattr(owner, name, never)
    SubgraphClassifier.load(saved).predict(QUERY)
    assert all((saved / name).read_bytes()[:1] != b"\x80" for name in FILES)


def test_what_is_no_model_is_refused(saved, tmp_path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        load_scorer(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"no model\.json here"):
        load_scorer(tmp_path)
    with pytest.raises(DataError, match=r"no model\.json here"):
        load_scorer(saved / "model.json")
    strange = copied(saved, tmp_path / "strange")
    card = strange / "model.json"
    for text, words in (
        ("", "not JSON"),
        ("[]", "not the card of a model"),
        ("null", "not the card of a model"),
        ("{}", "not the card of a model"),
        ('{"format": "sub2node-task", "version": 1}', "not the card of a model"),
        ('{"format": "sub2node-model"}', "version None"),
        ('{"format": "sub2node-model", "version": 3}', "version 3, this package reads 1 and 2"),
        ('{"format": "sub2node-model", "version": 1}', "damaged"),
        ('{"format": "sub2node-model", "version": 1, "temperature": NaN}', "damaged"),
        ("[" * 100_000, "not JSON"),
        ('{"a": ' * 5_000, "not JSON"),
        ("9" * 5_000, "not JSON"),
    ):
        card.write_text(text)
        with pytest.raises(DataError, match=words):
            load_scorer(strange)
    card.write_bytes(b"\xff\xfe{}")
    with pytest.raises(DataError, match="not JSON"):
        load_scorer(strange)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(name, saved, tmp_path) -> None:
    broken = copied(saved, tmp_path / "model")
    (broken / name).unlink()
    with pytest.raises(DataError, match=name.replace(".", r"\.")):
        load_scorer(broken)
    (broken / name).mkdir()
    with pytest.raises(DataError, match=name.replace(".", r"\.")):
        load_scorer(broken)


def test_files_of_two_models_do_not_mix(saved, several, tmp_path) -> None:
    mixed = copied(saved, tmp_path / "model")
    for name in ("weights.safetensors", "known.safetensors"):
        (mixed / name).write_bytes((several / name).read_bytes())
        with pytest.raises(DataError, match="is damaged"):
            load_scorer(mixed)


def test_what_may_be_replaced(fitted, saved, tmp_path) -> None:
    path = copied(saved, tmp_path / "model")
    before = (path / "model.json").read_bytes()
    with pytest.raises(ConfigError, match="exists already"):
        fitted.save(path)
    fitted.save(path, overwrite=True)
    assert (path / "model.json").read_bytes() == before  # nothing in it depends on the time
    (path / "thesis.tex").write_text("years of work")
    with pytest.raises(ConfigError, match=r"'thesis\.tex', which is not ours"):
        fitted.save(path, overwrite=True)
    assert (path / "thesis.tex").read_text() == "years of work"
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="is a file"):
        fitted.save(tmp_path / "file", overwrite=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "model"]
    deep = fitted.save(tmp_path / "a" / "b" / "c")
    assert load_scorer(deep).classes == fitted.scorer_.classes


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("there", [False, True])
def test_a_save_that_does_not_finish_leaves_nothing(
    error, there, fitted, saved, tmp_path, monkeypatch
) -> None:
    path = tmp_path / "model"
    if there:
        copied(saved, path)
    before = sorted(tmp_path.rglob("*"))

    def broken(scorer):
        raise error

    monkeypatch.setattr(artefact_module, "render_model_card", broken)
    expected = KeyboardInterrupt if error is KeyboardInterrupt else s2n.errors.Sub2NodeError
    with pytest.raises(expected):
        fitted.save(path, overwrite=there)
    assert sorted(tmp_path.rglob("*")) == before
    if there:
        assert load_scorer(path).seeds == fitted.scorer_.seeds


def test_not_fitted_is_not_saved(tmp_path) -> None:
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        SubgraphClassifier().save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_numbers_of_numpy_as_parameters_are_saved(tmp_path) -> None:
    options = {"random_state": np.int64(3), "budget": np.float64(5), "validation": np.float64(0.3)}
    made = model(small_task(), structure="s2n+0", seeds=1, options=options)
    back = SubgraphClassifier.load(made.save(tmp_path / "model"))
    assert (back.random_state, back.budget, back.validation) == (3, 5, 0.3)


@pytest.mark.parametrize("kind", ["bytes", "dates"])
def test_classes_that_a_card_cannot_hold_are_refused_before_they_are_learned(
    kind, tmp_path
) -> None:
    words = np.array(["2020-01-01", "2020-01-02", "2020-01-03"])
    classes = words.astype("S") if kind == "bytes" else words.astype("M8[D]")
    task = small_task()
    made = SubgraphClassifier("s2n+0", seeds=1, preset="fast", settings=FAST)
    with pytest.raises(s2n.errors.Sub2NodeError):
        made.fit(task, classes[task.labels]).save(tmp_path / "model")


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_random_damage_is_refused_or_harmless(name, saved, tmp_path, wanted) -> None:
    broken = copied(saved, tmp_path / "model")
    whole = (saved / name).read_bytes()
    rng = np.random.default_rng(int(hashlib.sha256(name.encode()).hexdigest()[:8], 16))
    refused, count = 0, 200 if name == "model.json" else 60  # a checksum covers the others whole
    for number in range(count):
        content = bytearray(whole)
        if number % 4 == 3:
            content = content[: rng.integers(0, len(whole))]
        else:
            for place in rng.integers(0, len(whole), 1 + number % 5):
                content[place] ^= 1 << int(rng.integers(0, 8))
        if content == whole:
            continue
        (broken / name).write_bytes(content)
        try:
            found = SubgraphClassifier.load(broken).predict_proba(QUERY)
        except DataError as error:
            assert "\n" not in str(error)  # noqa: PT017
            refused += 1
        else:  # white space in the card
            assert name == "model.json"
            assert np.array_equal(found, wanted)
    assert refused > 0.75 * count


def test_damage_of_the_text_for_people_is_harmless(saved, tmp_path, wanted) -> None:
    broken = copied(saved, tmp_path / "model")
    (broken / "MODEL_CARD.md").write_bytes(b"\x00\xff")
    assert np.array_equal(SubgraphClassifier.load(broken).predict_proba(QUERY), wanted)


def test_a_scorer_without_an_estimator_is_saved_too(fitted, tmp_path, wanted) -> None:
    path = save_scorer(fitted.scorer_, tmp_path / "model")
    back = SubgraphClassifier.load(path)
    assert back.classes_.tolist() == ["0", "1", "2"]
    assert np.array_equal(back.predict_proba(QUERY), wanted)
    assert json.loads((path / "model.json").read_text())["seeds"] == [10, 11]


@pytest.mark.slow
def test_a_model_keeps_the_features_that_were_chosen(tmp_path: Path) -> None:
    task = featured_task("kind", ["kind"])
    settings = {**SETTINGS, "features.kind": "constant", "features.encoding": "given"}
    fitted = SubgraphClassifier(structure="s2n+0", seeds=1, preset="fast", settings=settings)
    fitted.fit(task)
    loaded = SubgraphClassifier.load(fitted.save(tmp_path / "model"))
    sets = [[0, 1, 2], [40, 50, 60, 70]]
    assert np.array_equal(loaded.predict_proba(sets), fitted.predict_proba(sets))
    assert loaded.scorer_.task.graph == task.graph
