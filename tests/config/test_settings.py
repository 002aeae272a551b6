"""Settings as typed, as dicts and as TOML; changed and refused by name."""

from __future__ import annotations

import tomllib

import pytest

from sub2node.base.errors import ConfigError
from sub2node.config import Config
from sub2node.config.settings import parse_setting, to_toml


def test_settings_are_replaced_by_full_or_last_name() -> None:
    config = Config().with_settings({"lr": 1, "model.layers": 0, "inner.alpha": 0.1})
    assert config.training.lr == 1.0
    assert isinstance(config.training.lr, float)
    assert config.model.layers == 0
    assert (config.model.inner.alpha, config.model.outer.alpha) == (0.1, 0.5)
    assert Config().training.lr == 0.005


def test_dict_and_toml_hold_everything() -> None:
    config = Config().with_settings({"structure": "connected", "lr": 3e-7, "features.value": -1.5})
    assert Config.from_dict(config.to_dict()) == config
    assert Config.from_dict(tomllib.loads(to_toml(config.to_dict()))) == config


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("lr=0.01", 0.01),
        ("epochs = 5", 5),
        ("skip=true", True),
        ("readout=max", "max"),
        ('readout="max"', "max"),
        ("lr=1e-3", 1e-3),
    ],
)
def test_settings_as_typed(text, value) -> None:
    name, found = parse_setting(text)
    assert found == value
    assert type(found) is type(value)
    Config().with_settings({name: found})


@pytest.mark.parametrize("text", ["lr", "=3", "lr=", ""])
def test_what_is_no_setting(text) -> None:
    with pytest.raises(ConfigError, match="key=value"):
        parse_setting(text)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("lerning_rate", 1, "no setting"),
        ("layres", 1, "Did you mean 'layers'"),
        ("training.lrr", 1, r"Did you mean 'training\.lr'"),
        ("alpha", 0.5, r"say model\.outer\.alpha or model\.inner\.alpha"),
        ("lr", "high", r"training\.lr is a number, found 'high'"),
        ("lr", True, "is a number"),
        ("lr", float("nan"), "finite"),
        ("epochs", 2.5, "a whole number"),
        ("epochs", True, "a whole number"),
        ("epochs", 0, "at least 1"),
        ("dropout", 1.0, r"at least 0 and at most 0\.99"),
        ("skip", 1, "true or false"),
        ("readout", "summ", "Did you mean 'sum'"),
        ("structure", "s2n", "cannot be 's2n'"),
        ("conv", 3, "a word"),
    ],
)
def test_bad_settings_are_one_sentence(name, value, words) -> None:
    with pytest.raises(ConfigError, match=words):
        Config().with_settings({name: value})


def test_the_tree_is_checked_however_it_is_made() -> None:
    from sub2node.config import TrainingSettings

    with pytest.raises(ConfigError, match=r"training\.lr"):
        Config(training=TrainingSettings(lr=-1.0))


@pytest.mark.parametrize("text", ["lr=" + "1" * 5000, "lr=" + "[" * 100_000])
def test_values_that_no_parser_takes(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^the value of lr is too long: '.{20}'…\.$"):
        parse_setting(text)


def test_whole_numbers_have_a_limit() -> None:
    with pytest.raises(ConfigError, match="too large"):
        Config().with_settings({"pretraining.seed": 10**18})
