"""Simple models and ensembles as folders: the same bits come back, and nothing is believed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from scoring_tasks import copied, named, signed, small_task, trained
from sub2node.base.errors import DataError
from sub2node.baselines import SIMPLE, TrainingData
from sub2node.evaluate.protocol import labels_of
from sub2node.scoring import Query, load_scorer, save_scorer
from sub2node.scoring.ensemble_scorer import EnsembleScorer
from sub2node.scoring.restore import build_scorer
from sub2node.scoring.scorer import Scorer
from sub2node.scoring.simple_scorer import SimpleScorer
from sub2node.task import SubgraphTask

SCORES = {"micro_f1": 0.5, "macro_f1": 0.5, "accuracy": 0.5, "log_loss": 1.0, "subgraphs": 12}
CARD = {"validation": SCORES, "notes": [], "model": "x"}
KINDS: dict[str, dict[str, Any]] = {
    "hops": {}, "bag": {}, "diffused-bag": {}, "majority": {}, "statistics": {"trees": 3},
    "wl": {"rounds": 2},
    "gbdt": {"trees": 2, "inputs": "both", "rate": 0.1, "leaves": 7, "features.width": 4},
}  # fmt: skip


def simple(task: SubgraphTask, name: str, temperature: float = 1.0, **changes: Any) -> SimpleScorer:
    """What a simple model learned."""
    labels: Any = {part: labels_of(task, part) for part in ("train", "val")}
    data = TrainingData(task, labels, [3, 4], "cpu")
    settings = {**KINDS[name], **changes}
    classifier = SIMPLE[name].fit(data, SIMPLE[name].settings().with_settings(settings)).classifier
    assert classifier is not None
    seeds = (3, 4)[: len(classifier.empty_logits)]
    return SimpleScorer(name, data.train_task, classifier, seeds, temperature, 0.4, CARD)


def network(task: SubgraphTask, **settings: Any) -> Any:
    return build_scorer(trained(task, structure="s2n+0", **settings), task)


def joined(task: SubgraphTask, **settings: Any) -> EnsembleScorer:
    """A network, a linear model and a forest."""
    members = (network(task, **settings), simple(task, "hops", 0.7), simple(task, "statistics"))
    return EnsembleScorer(members, (0.5, 0.125, 0.375), 0.3, CARD)


def asked() -> Query:
    task = small_task()
    return Query.of(task.subgraphs.take(np.flatnonzero(task.split.mask("test"))))


def same(one: Scorer, other: Scorer) -> None:
    """Both give the same numbers, bit by bit."""
    assert type(one) is type(other)
    for mode in ("independent", "joint"):
        here, there = (scorer.predict(asked(), mode=mode) for scorer in (one, other))
        assert np.array_equal(here.probabilities, there.probabilities)
        assert np.array_equal(here.spread, there.spread, equal_nan=True)
        assert np.array_equal(here.predicted, there.predicted)
    assert one.explain(asked().take([0])) == other.explain(asked().take([0]))
    assert one.neighbors(asked(), count=3) == other.neighbors(asked(), count=3)
    assert (one.title, one.seeds, one.threshold) == (other.title, other.seeds, other.threshold)


@pytest.mark.slow
@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("name", list(KINDS))
def test_a_simple_model_comes_back_bit_by_bit(name, multilabel, tmp_path: Path) -> None:
    scorer = simple(named(small_task(multilabel=multilabel, weighted=True)), name, 0.3)
    folder = save_scorer(scorer, tmp_path / "model")
    same(load_scorer(folder), scorer)
    assert not [path for path in folder.iterdir() if b"pickle" in path.read_bytes()]
    assert {path.suffix for path in folder.iterdir()} <= {
        ".json",
        ".safetensors",
        ".parquet",
        ".md",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "inputs"), [("hops", "border2"), ("gbdt", "border"), ("gbdt", "all")]
)
def test_a_simple_model_comes_back_with_its_border(name, inputs, tmp_path: Path) -> None:
    scorer = simple(small_task(features=True), name, inputs=inputs)
    assert scorer.explain(asked().take([0]))[0].border is not None
    same(load_scorer(save_scorer(scorer, tmp_path / "model")), scorer)


@pytest.mark.slow
@pytest.mark.parametrize("multilabel", [False, True])
def test_an_ensemble_comes_back_bit_by_bit(multilabel, tmp_path: Path) -> None:
    scorer = joined(
        small_task(multilabel=multilabel), **{"features.subgraphs": "wl" if multilabel else "none"}
    )
    folder = save_scorer(scorer, tmp_path / "model")
    again = load_scorer(folder)
    same(again, scorer)
    assert again.weights == scorer.weights
    assert [member.title for member in again.members] == ["s2n+0 gcn2", "hops", "statistics"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hops", "network"])
def test_an_ensemble_of_one_stays_an_ensemble(name, tmp_path: Path) -> None:
    task = small_task()
    member = network(task) if name == "network" else simple(task, name)
    scorer = EnsembleScorer((member,), (1.0,), card=CARD)
    again = load_scorer(save_scorer(scorer, tmp_path / "model"))
    same(again, scorer)
    assert again.title == "best"


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    return save_scorer(joined(small_task()), tmp_path_factory.mktemp("ensemble") / "model")


def set_of(number: int, name: str, value: Any) -> Any:
    """Changes a fact of one member."""

    def change(facts: dict[str, Any]) -> None:
        facts["members"][number][name] = value

    return change


def replaced(name: str, value: Any) -> Any:
    def change(facts: dict[str, Any]) -> None:
        facts[name] = value

    return change


CARDS = {
    "weights that do not add up": (set_of(0, "weight", 0.4), "must add up to 1"),
    "no weight": (set_of(0, "weight", None), "must have a weight above 0"),
    "a weight of zero": (set_of(0, "weight", 0), "must have a weight above 0"),
    "a negative weight": (set_of(0, "weight", -0.5), "must have a weight above 0"),
    "a large weight": (set_of(0, "weight", 2), "must have a weight above 0"),
    "true as a weight": (set_of(0, "weight", True), "must have a weight above 0"),
    "no member": (replaced("members", []), "must be a list of models"),
    "a member that is a word": (replaced("members", ["x"]), "must have a weight above 0"),
    "members that are none": (replaced("members", 3), "must be a list of models"),
    "an unknown kind": (set_of(1, "kind", "pickle"), "no simple model of the kind 'pickle'"),
    "kinds exchanged": (set_of(1, "kind", "trees"), "settings of a model of trees make no sense"),
    "a kind that is a list": (set_of(1, "kind", []), "no simple model of the kind"),
    "no facts": (set_of(1, "facts", None), "no simple model of the kind"),
    "facts of another": (set_of(1, "facts", {"hops": "x"}), "linear model make no sense"),
    "no temperature": (set_of(1, "temperature", None), "'temperature' must be between"),
    "a temperature of zero": (set_of(1, "temperature", 0), "'temperature' must be between"),
    "a seed too many": (set_of(1, "seeds", [3, 4]), "does not have its seeds"),
    "no seeds": (set_of(1, "seeds", []), "'seeds' must be a list"),
    "config missing": (set_of(0, "config", None), "'config' is missing"),
    "no name": (set_of(1, "simple", None), "the name of a simple model is text"),
    "more trees than there are": (
        set_of(2, "facts", {"inputs": "statistics", "boosted": False, "multilabel": False,
                            "forests": 9}),
        "cannot be read",
    ),
    "trees for several labels": (
        set_of(2, "facts", {"inputs": "statistics", "boosted": False, "multilabel": True,
                            "forests": 2}),
        "do not agree on whether there may be several",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CARDS))
def test_members_that_make_no_sense_are_refused_with_one_sentence(name, saved, tmp_path) -> None:
    change, message = CARDS[name]
    folder = copied(saved, tmp_path / "model")
    signed(folder, change)
    with pytest.raises(DataError, match=message) as caught:
        load_scorer(folder)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(folder))


def without(name: str) -> Any:
    return lambda arrays: arrays.pop(name)


def filled(name: str, value: float) -> Any:
    def change(arrays: dict[str, np.ndarray]) -> None:
        arrays[name] = np.full_like(arrays[name], value)

    return change


def cut(name: str) -> Any:
    def change(arrays: dict[str, np.ndarray]) -> None:
        arrays[name] = arrays[name][:-1].copy()

    return change


ARRAYS = {
    "biases missing": (without("1.biases"), "cannot be read: KeyError"),
    "weights that are not numbers": (filled("1.weights", np.nan), "must be finite numbers"),
    "weights too short": (cut("1.weights"), "do not fit each other"),
    "a class too few": (cut("1.biases"), "do not fit each other"),
    "a node too few": (cut("1.node_weights"), "cannot be read: ValueError"),
    "columns below zero": (filled("1.columns", -1), "do not fit each other"),
    "trees that go round": (filled("2.0.left", 0), "the trees of the model make no sense"),
    "trees that read nothing": (filled("2.0.features", 99), "the trees of the model make no sense"),
    "a network without its head": (without("0.network.head.weight"), "do not have the width"),
    "a network without vectors": (without("0.table"), "cannot be read: KeyError"),
}


@pytest.mark.parametrize("name", list(ARRAYS))
def test_numbers_that_make_no_sense_are_refused_with_one_sentence(name, saved, tmp_path) -> None:
    change, message = ARRAYS[name]
    folder = copied(saved, tmp_path / "model")
    arrays = load_arrays((folder / "weights.safetensors").read_bytes())
    change(arrays)
    signed(folder, lambda facts: None, **{"weights.safetensors": save_arrays(arrays)})
    with pytest.raises(DataError, match=message) as caught:
        load_scorer(folder)
    assert "\n" not in str(caught.value)


COLOURS = {
    "no colours": (without("0.colours"), "cannot be read: KeyError"),
    "colours that do not ascend": (filled("0.colours", 7), "colours of the model do not ascend"),
    "a colour too few": (cut("0.colours"), "model of colours do not fit each other"),
    "a round too few": (cut("0.ptr"), "model of colours do not fit each other"),
    "a scale of zero": (filled("0.scales", 0), "model of colours do not fit each other"),
    "weights that are not numbers": (filled("0.weights", np.inf), "must be finite numbers"),
}


@pytest.fixture(scope="module")
def coloured(tmp_path_factory) -> Path:
    return save_scorer(simple(small_task(), "wl"), tmp_path_factory.mktemp("wl") / "model")


@pytest.mark.parametrize("name", list(COLOURS))
def test_colours_that_make_no_sense_are_refused_with_one_sentence(name, coloured, tmp_path) -> None:
    change, message = COLOURS[name]
    folder = copied(coloured, tmp_path / "model")
    arrays = load_arrays((folder / "weights.safetensors").read_bytes())
    change(arrays)
    signed(folder, lambda facts: None, **{"weights.safetensors": save_arrays(arrays)})
    with pytest.raises(DataError, match=message) as caught:
        load_scorer(folder)
    assert "\n" not in str(caught.value)


def test_a_damaged_file_is_refused_before_it_is_parsed(saved, tmp_path) -> None:
    folder = copied(saved, tmp_path / "model")
    content = bytearray((folder / "weights.safetensors").read_bytes())
    content[-3] ^= 1
    (folder / "weights.safetensors").write_bytes(bytes(content))
    with pytest.raises(DataError, match=r"weights\.safetensors is damaged"):
        load_scorer(folder)


@pytest.mark.slow
def test_a_convolution_of_the_user_is_asked_for(tmp_path) -> None:
    from torch_geometric.nn import TAGConv

    task = small_task()
    own = build_scorer(trained(task, structure="s2n+0", conv=TAGConv), task, TAGConv)
    members = (own, simple(task, "hops"))
    folder = save_scorer(EnsembleScorer(members, (0.5, 0.5), card=CARD), tmp_path / "model")
    with pytest.raises(DataError, match=r"give its class: load\(path, conv=…\)"):
        load_scorer(folder)
    same(load_scorer(folder, conv=TAGConv), EnsembleScorer(members, (0.5, 0.5), card=CARD))
