"""The tree of settings: pre-training by its section, and what version 0.1 wrote."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from sub2node.base.errors import ConfigError
from sub2node.coarsen import METHODS
from sub2node.config import CoarseningSettings, Config, LinkSettings
from sub2node.config.settings import parse_setting, to_toml

V0_1 = Path(__file__).parents[1] / "fixtures" / "v0_1"


def test_settings_of_pretraining_are_called_with_their_section() -> None:
    config = Config().with_settings({"features.pretraining.layers": 3, "pretraining.lr": 0.5})
    assert config.features.pretraining == LinkSettings(layers=3, lr=0.5)
    assert Config().with_settings({"layers": 3, "epochs": 7}).features == Config().features
    assert Config.full_name("patience") == "training.patience"
    assert Config.full_name("pretraining.seed") == "features.pretraining.seed"
    with pytest.raises(ConfigError, match="no setting 'seed'"):
        Config().with_settings({"seed": 1})
    assert not Config.has("held_out")
    assert Config.accepts("pretraining.held_out", 0.2)
    assert not Config.accepts("pretraining.held_out", 0.0)
    assert Config.from_dict(tomllib.loads(to_toml(config.to_dict()))) == config


@pytest.mark.parametrize("name", ["pretraining", "features.pretraining"])
def test_pretraining_as_one_text_of_version_0_1(name) -> None:
    given, text = parse_setting(f"{name}=layers=3,lr=0.003")
    base = Config().with_settings({"pretraining.epochs": 5, "width": 8})
    config = base.with_settings({given: text})
    assert config.features.pretraining == LinkSettings(layers=3, lr=0.003)  # all of it is replaced
    assert config.features.width == 8
    assert base.with_settings({name: ""}).features.pretraining == LinkSettings()
    assert Config.has(name)
    for value, words in (
        ("layrs=3", r"Did you mean 'features\.pretraining\.layers'"),
        ("layers=-1", r"features\.pretraining\.layers is at least 0"),
        ("layers", "key=value"),
        (3, r"settings of its own, as features\.pretraining\.layers; found 3"),
    ):
        with pytest.raises(ConfigError, match=words):
            Config().with_settings({name: value})


def test_settings_that_version_0_1_wrote() -> None:
    pretraining = LinkSettings(layers=1, epochs=3)
    run = V0_1 / "run-link"
    for tree in (
        tomllib.loads((run / "config.toml").read_text()),
        json.loads((run / "result.json").read_text())["config"],
        json.loads((V0_1 / "model-link" / "model.json").read_text())["config"],
    ):
        assert Config.from_dict(tree).features.pretraining == pretraining


def test_settings_know_the_methods_there_are() -> None:
    assert set(get_args(get_type_hints(CoarseningSettings)["method"])) == set(METHODS)
