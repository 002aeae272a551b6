"""Spaces of baselines: on settings that they have, with values that they take."""

from __future__ import annotations

import pytest

from sub2node import ConfigError
from sub2node.baselines import NETWORKS
from sub2node.tune.baseline_spaces import baseline_space
from sub2node.tune.search_space import Choice, Space, parse_axis, read_space


@pytest.mark.parametrize("kind", ["random", "constant"])
@pytest.mark.parametrize("name", NETWORKS)
def test_every_value_is_a_setting_of_the_baseline(name: str, kind: str) -> None:
    settings = NETWORKS[name].settings().with_settings({"features.kind": kind})
    space = baseline_space(name, settings)
    space.require_several_points()
    assert space.settings is NETWORKS[name].settings
    for axis_name, axis in space.axes.items():
        for value in axis.ends:
            settings.with_settings({axis_name: value})
    assert {"training.lr", "training.batch"} <= set(space.axes)
    again = Space.from_dict(space.to_dict(), NETWORKS[name].settings)
    assert again == space


def test_sizes_of_batches_follow_the_data() -> None:
    few, many = (
        baseline_space("glass", NETWORKS["glass"].settings().with_settings({"features.kind": kind}))
        for kind in ("constant", "random")
    )
    assert few.axes["training.batch"] == Choice((8, 16, 32))
    assert many.axes["training.batch"] == Choice((32, 64, 128))
    assert "model.hidden" in few.axes
    assert "model.hidden" not in many.axes


def test_what_has_no_training_loop_is_refused() -> None:
    with pytest.raises(ConfigError, match="bag has no training loop"):
        baseline_space("bag", NETWORKS["glass"].settings())


def test_axes_are_read_by_the_names_of_the_baseline(tmp_path) -> None:
    settings = NETWORKS["glass"].settings
    name, axis = parse_axis("z_ratio=0.6,0.8", settings)
    assert (name, axis) == ("model.z_ratio", Choice((0.6, 0.8)))
    with pytest.raises(ConfigError, match="no setting 'z_ratio'"):
        parse_axis("z_ratio=0.6,0.8")
    (tmp_path / "space.toml").write_text("[model]\nz_ratio = {low = 0.5, high = 1.0}\n")
    space = read_space(str(tmp_path / "space.toml"), settings)
    assert space.without(["z_ratio"]).axes == {}
