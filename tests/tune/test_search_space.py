"""Search spaces: what they admit, and what they refuse."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node import ConfigError, DataError
from sub2node.config import STRUCTURES, Config, LinkSettings
from sub2node.tune import Choice, Range, Space, paper_space, wide_space
from sub2node.tune.search_space import parse_axis, read_space
from sub2node.tune.study_spec import Spec

V0_1 = Path(__file__).parents[1] / "fixtures" / "v0_1"

numbers = st.floats(1e-6, 1e6).map(lambda value: float(f"{value:.6g}"))


@st.composite
def ranges(draw) -> Range:
    low, high = sorted([draw(numbers), draw(numbers)])
    kind = draw(st.sampled_from(["plain", "step", "log"]))
    return Range(low, high, draw(numbers) if kind == "step" else None, kind == "log")


@given(ranges())
def test_a_range_is_read_as_it_is_shown(axis: Range) -> None:
    name, result = parse_axis(f"lr={axis}")
    assert (name, result) == ("training.lr", axis)
    assert axis.has(axis.low)
    assert not axis.has(axis.low - 1)
    assert not axis.has(axis.high * 1.1)
    assert Space.from_dict({"lr": axis.to_dict()}).axes["training.lr"] == axis


def test_steps() -> None:
    axis = Range(0.0, 0.5, step=0.1)
    assert all(axis.has(k / 10) for k in range(6))
    assert not axis.has(0.25)
    assert not axis.has(True)
    assert Choice((True, False)).has(True)
    assert not Choice((True, False)).has(1)


@pytest.mark.parametrize(
    ("text", "axis"),
    [
        ("readout=sum, degree", Choice(("sum", "degree"))),
        ("skip=true,false", Choice((True, False))),
        ("layers=1..3", Range(1, 3)),
        ("lr=1e-4..1e-2 log", Range(1e-4, 1e-2, log=True)),
        ("a=-1..4 step 0.5", Range(-1, 4, step=0.5)),
    ],
)
def test_axes_as_typed(text: str, axis: Range | Choice) -> None:
    assert parse_axis(text)[1] == axis


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lr", "--vary wants NAME=VALUES"),
        ("lr=", "--vary wants NAME=VALUES"),
        ("layer=1..2", "Did you mean 'layers'"),
        ("lr=2..1", "no number lies between 2 and 1"),
        ("lr=0..1 log", "begins above 0"),
        ("lr=0..1 step 0", "a step is above 0"),
        ("lr=a..b", "a range has numbers, found 'a'"),
        ("lr=0..inf", "finite"),
        ("skip=true,true", "each value once"),
    ],
)
def test_axes_that_admit_nothing(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        parse_axis(text)


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({"lr": []}, "at least one value"),
        ({"lr": 3}, "a list of values or a range is needed"),
        ({"lr": {"low": 1}}, "a range has low, high"),
        ({"lr": {"low": 0, "high": 1, "size": 2}}, "a range has low, high"),
        ({"training": {"lr": [0.1]}, "lr": [0.2]}, "training.lr twice"),
        ({"model": {"readout": ["sum", "some"]}}, "readout cannot be 'some'"),
        ({"dropout": {"low": 0, "high": 2}}, "at most 0.99"),
        ({"layers": [1.5]}, "layers is a whole number"),
        (
            {"layers": {"low": 1, "high": 4, "step": 0.5}},
            "layers is a whole number; so is its step",
        ),
        ({"lr": [[0.1], [0.2]]}, "a choice has single values"),
        ({"structure": ["s2n+a", "s2n+0"]}, "--structure"),
        ({"nonsense": [1]}, "there is no setting 'nonsense'"),
    ],
)
def test_spaces_that_cannot_be(tree: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        Space.from_dict(tree)


def test_one_point_is_no_space() -> None:
    for axes in ({}, {"model.skip": Choice((True,))}, {"training.lr": Range(0.1, 0.1)}):
        with pytest.raises(ConfigError, match="one point only"):
            Space(axes).require_several_points()
    Space({"model.skip": Choice((True, False))}).require_several_points()


def test_the_papers_space_has_the_readout_of_the_base() -> None:
    for settings, readouts in (
        ({"structure": "s2n+0", "readout": "mean"}, ("sum", "degree-code", "mean")),
        ({"structure": "cos2n+a", "conv": "fagcn"}, ("sum", "degree-code")),
    ):
        axes = paper_space(Config().with_settings(settings)).axes
        assert axes["model.readout"] == Choice(readouts)
    assert axes["model.inner.eps"] == Range(0.1, 0.5, step=0.1)
    separated = Config().with_settings({"structure": "separated"})
    assert "model.readout" not in paper_space(separated).axes


def test_the_papers_space() -> None:
    """The table of the authors' search files, with batch norm, skip and the readout."""
    result = paper_space(Config().with_settings({"structure": "s2n+a", "conv": "gcn2"})).to_dict()
    tenths = {"low": 0.0, "high": 0.5, "step": 0.1}
    both = [False, True]
    gcn2 = {
        "alpha": {"low": 0.1, "high": 0.9, "step": 0.1},
        "theta": {"low": 0.1, "high": 2.0, "step": 0.1},
        "shared_weights": both,
    }
    assert result == {
        "training.lr": {"low": 5e-4, "high": 1e-2, "log": True},
        "training.weight_decay": {"low": 1e-9, "high": 1e-6, "log": True},
        "training.clip": tenths, "model.dropout": tenths, "model.edge_dropout": tenths,
        "model.layers": {"low": 1, "high": 2}, "model.inner_layers": {"low": 1, "high": 2},
        "model.batch_norm": both, "model.skip": both,
        "translation.a": {"low": 1.0, "high": 4.0, "step": 0.25},
        "translation.delta": {"low": 0.5, "high": 2.0, "step": 0.5},
        "model.readout": ["sum", "degree-code"],
        **{f"model.{side}.{name}": axis for side in ("outer", "inner")
           for name, axis in gcn2.items()},
    }  # fmt: skip


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("conv", ["gcn", "gcn2", "gin"])
def test_axes_belong_to_the_structure(structure: str, conv: str) -> None:
    config = Config().with_settings({"structure": structure, "conv": conv})
    for make in (paper_space, wide_space):
        axes = make(config).axes
        assert ("translation.a" in axes) == ("s2n" in structure)
        assert ("model.inner_layers" in axes) == structure.endswith("+a")
        assert ("model.outer.alpha" in axes) == (conv == "gcn2")
        assert ("model.inner.alpha" in axes) == (conv == "gcn2" and structure.endswith("+a"))
        for name, axis in axes.items():
            for value in axis.ends:
                config.with_settings({name: value})
    assert ("coarsening.ratio" in wide_space(config).axes) == structure.startswith("cos2n")


def test_files(tmp_path) -> None:
    file = tmp_path / "space.toml"
    file.write_text('lr = {low = 0.001, high = 0.01}\n[model]\nreadout = ["sum", "mean"]\n')
    assert set(read_space(str(file)).axes) == {"training.lr", "model.readout"}
    file.write_text("lr = \n")
    with pytest.raises(DataError, match="not TOML"):
        read_space(str(file))
    file.write_text("lr = []\n")
    with pytest.raises(
        DataError, match=re.escape("space.toml: training.lr: a choice has at least one")
    ):
        read_space(str(file))
    with pytest.raises(ConfigError, match="there is no file"):
        read_space(str(tmp_path / "none.toml"))


def test_what_is_fixed_does_not_vary() -> None:
    space = Space.from_dict({"lr": [0.1, 0.2], "skip": [True, False]})
    assert set(space.without({"lr": 0.3}).axes) == {"model.skip"}
    assert set(space.with_axes({"model.skip": Choice((True,))}).axes["model.skip"].ends) == {True}


def test_an_axis_may_be_a_section_as_one_text_of_version_0_1() -> None:
    """A study that was begun so can be read and gone on with."""
    space = Space({"features.pretraining": Choice(("", "layers=3,lr=0.003"))})
    assert Space.from_dict(space.to_dict()).axes == space.axes
    tree = json.loads((V0_1 / "study" / "study.json").read_text())["spec"]
    spec = replace(Spec.from_dict(tree), space=space)
    assert spec.settings({"features.pretraining": "layers=3,lr=0.003"}).features.pretraining == (
        LinkSettings(layers=3, lr=0.003)
    )
    assert spec.first_points() == []


def test_a_file_does_not_say_which_code_to_import(tmp_path) -> None:
    file = tmp_path / "space.toml"
    file.write_text('conv = ["gcn", "os:system"]\n')
    with pytest.raises(ConfigError, match=r"never says which code to import.*--vary"):
        read_space(str(file))
