"""Models by name: what is chosen, and what cannot be asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sub2node as s2n
from quick_models import odd_task
from sub2node.base.errors import ConfigError
from sub2node.coarsen import coarsen, with_virtual
from sub2node.models.find import find_model
from sub2node.task import SubgraphTask


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return odd_task()


@pytest.fixture(scope="module")
def virtual(task: SubgraphTask) -> s2n.Subgraphs:
    return coarsen(task.graph, "variation_edges", 0.1).subgraphs


def test_bad_coarsening_is_refused(task, virtual) -> None:
    with pytest.raises(ConfigError, match=r"cos2n\+0 and cos2n\+a, not for s2n\+a"):
        s2n.run(task, structure="s2n+a", coarsen="variation_edges:0.3")
    with pytest.raises(ConfigError, match="Did you mean 'variation_edges'"):
        s2n.run(task, structure="cos2n+a", coarsen="variation_edge:0.3")
    with pytest.raises(ConfigError, match="between 0 and 1"):
        s2n.run(task, structure="cos2n+a", coarsen="variation_edges:1")
    with pytest.raises(ConfigError, match="omit the coarsening"):
        s2n.run(with_virtual(task, virtual), structure="cos2n+a", coarsen="variation_edges:0.3")
    with pytest.raises(ConfigError, match=r"coarsening\.ratio"):
        s2n.run(task, structure="cos2n+a", settings={"ratio": 1.0})


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("glas", {}, "Did you mean 'glass'"),
        ("glass", {"structure": "s2n+a"}, "glass has no structure"),
        ("glass", {"conv": "gcn"}, "glass has no convolution"),
        ("bag", {"coarsen": "heavy_edge:0.3"}, "bag has no coarsening"),
        ("glass", {"preset": "papre"}, "Did you mean 'paper'"),
        ("glass", {"preset": "fast:density"}, "there is no preset"),
        ("glass", {"preset": "paper"}, "no published settings of glass for 'this data'"),
        ("bag", {"preset": "paper"}, "bag has no settings but its default"),
        ("wl", {"preset": "missing.toml"}, "no preset file"),
        ("glass", {"settings": {"hiden": 3}}, "Did you mean 'hidden'"),
        ("bag", {"settings": {"lr": 1.0}}, "no setting 'lr'"),
        ("gnn-plain", {"settings": {"z_ratio": 0.9}}, "no setting 'z_ratio'"),
        ("glass", {"settings": {"batch": 0}}, "batch is at least 1"),
        ("wl", {"settings": {"rounds": 0}}, "rounds is at least 1"),
        ("gbdt", {"settings": {"features.kind": "random"}}, "cannot be 'random'"),
        ("gbdt", {"settings": {"features.kind": "given"}}, "has no features"),
        ("glass", {"settings": {"features.kind": "given"}}, "has no features"),
        ("glass", {"encodings": np.zeros((3, 2))}, "expected one row"),
        ("majority", {"seeds": 0}, "at least one seed"),
        ("majority", {"threshold": "best"}, "half' or 'val"),
        (
            "subgnn",
            {"settings": {"neighborhood": False, "position": False, "model.structure": False}},
            "needs a channel",
        ),
    ],
)
def test_mistakes_are_one_sentence(task, name, options, words) -> None:
    with pytest.raises(ConfigError, match=words):
        s2n.run(task, model=name, **{"seeds": 1, **options})


@pytest.mark.parametrize("name", ["bag", "glass"])
def test_a_gpu_that_is_not_there(task, name) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(ConfigError, match="no GPU"):
        s2n.run(task, model=name, device="cuda")


def test_a_preset_file_may_be_without_its_model(task, tmp_path) -> None:
    file: Path = tmp_path / "own.toml"
    file.write_text('notes = ["mine"]\n[training]\nepochs = 2\nstart = 0\n')
    result = s2n.run(task, model="glass", seeds=1, preset=str(file))
    assert result.config["training"]["epochs"] == 2
    assert f"{file}: mine." in result.notes
    file.write_text('baseline = "glas"\n')
    with pytest.raises(ConfigError, match="Did you mean 'glass'"):
        s2n.run(task, preset=str(file))


def test_a_structure_is_a_model_of_its_name(task) -> None:
    choices = {"conv": None, "preset": "fast"}
    by_name = find_model(task, "s2n+0", structure=None, **choices)
    by_structure = find_model(task, None, structure="s2n+0", **choices)
    assert by_name.model.name == by_structure.model.name == "s2n+0 gcn2"
    assert by_name.model.candidates == by_structure.model.candidates
    assert find_model(task, "glass", structure=None, **choices).model.name == "glass"


def test_the_settings_of_a_coarsening_are_those_of_its_text(task) -> None:
    spec = find_model(
        task, "cos2n+a", structure=None, conv="gcn", preset="default", coarsen="heavy_edge:0.25"
    )
    for config in spec.model.candidates:
        assert (config.coarsening.method, config.coarsening.ratio) == ("heavy_edge", 0.25)
        assert config.conv == "gcn"
