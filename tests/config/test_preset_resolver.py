"""Presets: every file that ships can be used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sub2node as s2n
from sub2node.base.errors import ConfigError, DataError
from sub2node.config import STRUCTURES, Config
from sub2node.config.settings import to_toml
from sub2node.models import find_preset, published


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=20")


@pytest.mark.parametrize("name", ["default", "fast"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_presets_for_any_data(task, name, structure) -> None:
    for conv in ("gcn", "gin", "torch_geometric.nn:GraphConv"):
        preset = find_preset(name, task, structure, conv)
        assert (preset.config.structure, preset.config.conv) == (structure, conv)
    assert preset.notes == ()
    kinds = [config.features.kind for config in preset.candidates]
    assert kinds == ["svd", "random", "constant"]
    for kind in ("svd", "random", "constant"):
        (one,) = preset.with_settings({"features.kind": kind, "lr": 0.5}).candidates
        assert (one.features.kind, one.training.lr) == (kind, 0.5)
        assert one.features.trainable == (kind != "constant")


@pytest.mark.parametrize("name", ["default", "fast"])
def test_given_features_are_tried_beside_vectors_and_constants(task, name) -> None:
    graph = replace(task.graph, features=np.ones((task.graph.num_nodes, 2), np.float32))
    preset = find_preset(name, replace(task, graph=graph))
    kinds = [(config.features.kind, config.features.encoding) for config in preset.candidates]
    plain_kinds = ["svd", "random", "constant"]
    assert kinds == [
        *((kind, "none") for kind in plain_kinds),
        ("svd", "given"),
        ("constant", "given"),
    ]
    for config in preset.candidates[3:]:
        assert (config.features.join, config.features.scaling) == ("concat", "standard")
    plain = find_preset(name, task)
    assert preset.without_given().candidates == plain.candidates == preset.candidates[:3]
    for settings in ({"features.kind": "svd"}, {"features.kind": "constant"}, {"encoding": "rwpe"}):
        chosen, expected = (one.with_settings(settings) for one in (preset, plain))
        assert chosen.candidates == expected.candidates
    (given,) = preset.with_settings({"features.kind": "given"}).candidates
    assert (given.features.kind, given.features.encoding) == ("given", "none")


@pytest.mark.parametrize(("name", "width"), [("default", 256), ("fast", 128)])
def test_identity_is_wide_and_breaks_ties_by_the_loss(task, name, width) -> None:
    *identities, shape = find_preset(name, task).candidates
    assert [config.features.kind for config in identities] == ["svd", "random"]
    for config in identities:
        assert (config.features.width, config.model.hidden) == (width, width)
        assert config.training.ties == "loss"
    assert shape.training.ties == "first"


@pytest.mark.slow
def test_every_published_setting_is_a_config_that_says_how_it_was_chosen(task) -> None:
    found = published()
    assert set(found) == {"gatv2", "gcn", "gcn2", "gin", "sage"}
    assert len(found["gcn2"]) == 8
    count = 0
    for conv, datasets in found.items():
        for dataset in datasets:
            for structure in STRUCTURES:
                try:
                    preset = find_preset(f"paper:{dataset}", task, structure, conv)
                except ConfigError as error:
                    assert "has no settings for" in str(error)  # noqa: PT017
                    continue
                count += 1
                assert any("chosen by test score" in note for note in preset.notes)
    assert count == 112  # four of them for CoS2N: the others came without a coarsening ratio


def test_published_numbers_of_one_entry(task) -> None:
    preset = find_preset("paper:density", task, "s2n+a", "gcn2")
    config = preset.config
    assert (config.model.layers, config.model.inner_layers) == (2, 2)
    assert (config.model.batch_norm, config.model.skip) == (True, True)
    assert config.model.readout == "degree-code"
    assert (config.model.outer.alpha, config.model.outer.theta) == (0.4, 1.0)
    assert (config.model.inner.alpha, config.model.inner.theta) == (0.1, 0.3)
    assert (config.translation.a, config.translation.delta) == (3.25, 0.5)
    assert config.training.lr == pytest.approx(0.009248, rel=1e-3)
    assert (config.training.clip, config.training.epochs) == (0.1, 650)
    features = config.features
    assert (features.kind, features.value, features.trainable) == ("constant", 1.0, False)


def test_copies_and_stand_ins_are_named(task) -> None:
    copied = find_preset("paper:density", task, "s2n+0", "gcn")
    assert any("a copy of the settings" in note for note in copied.notes)
    broken = find_preset("paper:hpo_neuro", task, "s2n+a", "gin")
    assert any("eps = null" in note for note in broken.notes)
    assert any("without translation settings" in note for note in broken.notes)
    assert any("start at random" in note for note in broken.notes)
    assert broken.config.features.kind == "random"


def test_paper_takes_the_settings_of_the_task(data: Path) -> None:
    task = s2n.load_task("component")
    assert find_preset("paper", task, "s2n+0", "gcn2").config.training.epochs == 650


@pytest.mark.parametrize(
    ("name", "conv", "words"),
    [
        ("papr", "gcn2", "Did you mean 'paper'"),
        ("default:ppi_bp", "gcn2", "no preset"),
        ("paper:mine", "gcn2", "paper:NAME"),
        ("paper:ppi", "gcn2", "ppi_bp"),
        ("paper:ppi_bp", "torch_geometric.nn:GraphConv", "--preset default"),
        ("none.toml", "gcn2", "no preset file"),
    ],
)
def test_what_is_not_there_is_said(task, name, conv, words) -> None:
    with pytest.raises(ConfigError, match=words):
        find_preset(name, task, "s2n+a", conv)


def test_a_file_of_ones_own(task, tmp_path) -> None:
    file = tmp_path / "mine.toml"
    config = Config().with_settings({"lr": 0.02, "inner.alpha": 0.25, "readout": "max"})
    file.write_text(to_toml(config.to_dict()))
    found = find_preset(str(file), task, "s2n+0", "gcn").config
    assert found == config.with_settings({"structure": "s2n+0", "conv": "gcn"})
    file.write_text("[training]\nlr = 'fast'\n")
    with pytest.raises(DataError, match=r"mine\.toml: training\.lr is a number"):
        find_preset(str(file), task, "s2n+0", "gcn")
    file.write_text("lr == 3")
    with pytest.raises(DataError, match="not TOML"):
        find_preset(str(file), task, "s2n+0", "gcn")


def test_published_bridges(task) -> None:
    config = find_preset("paper:ppi_bp", task, "cos2n+a", "gcn2").config
    assert (config.coarsening.method, config.coarsening.ratio) == ("variation_edges", 0.2)
    assert (config.model.inner.alpha, config.model.inner.theta) == (0.5, 1.7)
    with pytest.raises(ConfigError, match=r"no settings for cos2n\+0 with gcn2 on hpo_metab"):
        find_preset("paper:hpo_metab", task, "cos2n+0", "gcn2")


def test_a_file_may_have_settings_by_structure(task, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('["s2n+0".training]\nlr = 0.5\n\n["cos2n+0".coarsening]\nratio = 0.25\n')
    assert find_preset(str(file), task, "s2n+0").config.training.lr == 0.5
    config = find_preset(str(file), task, "cos2n+0", "gin").config
    assert (config.structure, config.conv, config.coarsening.ratio) == ("cos2n+0", "gin", 0.25)
    assert find_preset(str(file), task).config.structure == "s2n+0"
    with pytest.raises(ConfigError, match=r"for 'connected'; it has some for s2n\+0, cos2n\+0"):
        find_preset(str(file), task, "connected")


def test_a_file_does_not_say_which_code_to_import(task, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    file, trace = tmp_path / "mine.toml", tmp_path / "trace"
    (tmp_path / "evil_conv.py").write_text(f"open({str(trace)!r}, 'w')\nclass Conv: pass\n")
    for conv in ("os:system", "evil_conv:Conv", "torch_geometric.nn:GraphConv"):
        file.write_text(f'conv = "{conv}"\n')
        with pytest.raises(ConfigError, match=r"never says which code to import.*--conv"):
            s2n.run(task, preset=str(file), seeds=1)
    config = find_preset(str(file), task, conv="torch_geometric.nn:GraphConv").config
    assert config.conv == "torch_geometric.nn:GraphConv"
    assert find_preset(str(file), task, conv="gcn").config.conv == "gcn"
    file.write_text('[translation]\nte = "evil_conv:Conv"\n')
    with pytest.raises(ConfigError, match=r"names the T_e 'evil_conv:Conv'.*translation\.te="):
        s2n.run(task, preset=str(file), seeds=1)
    assert not trace.exists()
