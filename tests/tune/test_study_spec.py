"""Specifications of studies: what is searched, and which study goes on."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

pytest.importorskip("optuna")

from studies import SPACE, Landscape, begun, spec, task
from sub2node import ConfigError, DataError
from sub2node.baselines import NETWORKS
from sub2node.tune import Choice, Range, make_spec
from sub2node.tune.study_spec import Spec


@pytest.mark.slow
def test_several_features_are_an_axis() -> None:
    """Without a choice of features, the search chooses."""
    result = make_spec(task(), structure="s2n+0")
    assert result.space.axes["features.kind"] == Choice(("svd", "random", "constant"))
    assert result.settings({"features.kind": "constant"}).features.trainable is False
    assert result.settings({"features.kind": "random"}).features.trainable is True
    with pytest.raises(ConfigError, match="both fixed and varied"):
        make_spec(task(), settings={"skip": True}, vary={"model.skip": Choice((True, False))})
    with pytest.raises(ConfigError, match="no search space 'papr'"):
        make_spec(task(), space="papr")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"space": SPACE.with_axes({"model.layers": Range(1, 3)})},
         "another space (model.layers: 1..4 there, 1..3 here)"),
        ({"space": SPACE.with_axes({"model.skip": Choice((True, False))})},
         "another space (model.skip: not varied there, false"),
        ({"seed": 3}, "another search seed"),
        ({"structure": "s2n+0"}, "has no study 'component s2n+0 gcn2' to go on with; it has 'com"),
        ({"prune": False}, "another way of pruning trials"),
        ({"encodings": [[1.0]]}, "other encodings"),
    ],
)  # fmt: skip
def test_another_search_is_not_this_one(tmp_path, more, message) -> None:
    begun(tmp_path, trials=2).work(Landscape(), wait=True)
    before = (tmp_path / "journal.log").read_bytes()
    if "not varied there" in message:
        message = "another space (model.skip: not varied there"
    with pytest.raises(ConfigError, match=re.escape(message)):
        begun(tmp_path, resume=True, **more)
    with pytest.raises(ConfigError, match="--resume"):
        begun(tmp_path)
    assert (tmp_path / "journal.log").read_bytes() == before


def test_a_specification_is_read_back() -> None:
    whole = spec(seed=3, rehearse=2, prune=False)
    again = Spec.from_dict(json.loads(json.dumps(whole.to_dict())))
    assert again == whole
    again.require_same(whole, "here")
    assert whole.title == "component s2n+a gcn2"
    tree = whole.to_dict()
    for name in ("base", "space", "seeds"):
        with pytest.raises(DataError, match="does not say what it searches"):
            Spec.from_dict({key: value for key, value in tree.items() if key != name})


def test_columns_of_ones_own_are_noted() -> None:
    own = spec(encodings=np.ones((3, 2)))
    assert own.encodings != spec(encodings=np.zeros((3, 2))).encodings
    assert "runs with the winner need it too" in own.notes[-1]
    assert spec().notes == ()
    assert not spec().published


def test_a_baseline_is_searched_by_its_own_settings() -> None:
    whole = make_spec(task(), model="glass", settings={"features.kind": "constant"}, seeds=2)
    assert (whole.title, whole.model) == ("component glass", "glass")
    assert type(whole.config) is NETWORKS["glass"].settings
    assert "model.z_ratio" in whole.space.axes
    again = Spec.from_dict(json.loads(json.dumps(whole.to_dict())))
    assert again == whole
    assert again.settings({"model.z_ratio": 0.6}).model.z_ratio == 0.6
    with pytest.raises(ConfigError, match="has other settings around the space"):
        again.require_same(spec(), "here")
    for choice, message in (
        ({"structure": "s2n+a"}, "glass has no structure to choose"),
        ({"space": "wide"}, "glass has one search space; omit --space wide"),
    ):
        with pytest.raises(ConfigError, match=message):
            make_spec(task(), model="glass", **choice)
    with pytest.raises(ConfigError, match="'bag' has no training loop"):
        make_spec(task(), model="bag")
