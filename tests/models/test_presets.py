"""Presets of baselines: all can be read, and hold what was published."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sub2node as s2n
from sub2node.base.errors import ConfigError, DataError
from sub2node.baselines import MODELS, NETWORKS
from sub2node.config import STRUCTURES, Config, LinkSettings
from sub2node.config.best_settings import BestSettings
from sub2node.config.settings import to_toml
from sub2node.models import baseline_of, find_baseline, find_preset, presets
from sub2node.task import Graph, Subgraphs, SubgraphTask, WholeGraph

REAL = ("ppi_bp", "hpo_neuro", "hpo_metab", "em_user")
SYNTHETIC = ("density", "cut_ratio", "coreness", "component")
NARROW = Config().with_settings({"features.kind": "svd", "features.width": 8})


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=20")


@pytest.mark.parametrize("name", list(NETWORKS))
@pytest.mark.parametrize("dataset", [*REAL, *SYNTHETIC])
def test_there_are_published_settings_for_all_eight(task, name, dataset) -> None:
    config = find_baseline(name, f"paper:{dataset}", task).config
    kind = "constant" if dataset in SYNTHETIC and name != "subgnn" else config.features.kind
    assert config.features.kind == kind
    assert config.training.weight_decay == 0


@pytest.mark.parametrize(
    ("dataset", "aggregation", "layers", "hidden", "dropout", "lr", "batch", "pool", "ratio"),
    [
        ("ppi_bp", "mean", 2, 64, 0.5, 5e-4, 80, "sum", 0.95),
        ("hpo_neuro", "gcn", 2, 64, 0.5, 2e-3, 99, "sum", 0.85),
        ("hpo_metab", "gcn", 1, 64, 0.5, 1e-3, 59, "sum", 0.55),
        ("em_user", "gcn", 1, 64, 0.5, 1e-3, 6, "size", 0.75),
        ("density-2022", "sum", 1, 8, 0, 1e-3, 2, "size", 1.0),
        ("density", "sum", 1, 13, 0, 1e-3, 2, "size", 0.95),
        ("cut_ratio", "sum", 1, 8, 0.3, 1e-2, 3, "mean", 0.75),
        ("coreness-2022", "sum", 2, 20, 0.05, 6.7e-3, 2, "mean", 1.0),
        ("component", "sum", 1, 17, 0, 1e-3, 8, "sum", 0.9),
    ],
)
def test_glass_has_its_published_table(
    task, dataset, aggregation, layers, hidden, dropout, lr, batch, pool, ratio
) -> None:
    config = find_baseline("glass", f"paper:{dataset}", task).config
    model, training = config.model, config.training
    assert (model.aggregation, model.layers, model.hidden) == (aggregation, layers, hidden)
    assert (model.dropout, model.pool, model.z_ratio) == (dropout, pool, ratio)
    assert (training.lr, training.batch, training.epochs) == (lr, batch, 300)
    assert training.patience == training.start + 1


def test_a_plain_network_has_those_of_glass_but_the_ratio(task) -> None:
    glass, plain = (find_baseline(n, "paper:ppi_bp", task).config for n in ("glass", "gnn-plain"))
    assert plain.training == glass.training
    assert not hasattr(plain.model, "z_ratio")


@pytest.mark.parametrize("name", list(MODELS))
def test_default_and_fast_are_there_for_all(task, name) -> None:
    for preset in ("default", "fast")[: 1 + (name in NETWORKS)]:
        found = find_baseline(name, preset, task)
        kinds = [config.features.kind for config in found.candidates if hasattr(config, "features")]
        assert kinds == (["random", "constant"] if name in NETWORKS else kinds[:1])
    with pytest.raises(ConfigError, match="no preset 'slow'"):
        find_baseline(name, "slow", task)


def test_settings_of_a_file(task, tmp_path: Path) -> None:
    config = find_baseline("glass", "paper:density", task).config
    file = tmp_path / "mine.toml"
    file.write_text(to_toml({"baseline": "glass", **config.to_dict()}))
    assert baseline_of(str(file)) == "glass"
    assert find_baseline("glass", str(file), task).config == config
    with pytest.raises(ConfigError, match="has settings for 'glass', not for 'wl'"):
        find_baseline("wl", str(file), task)
    file.write_text('baseline = "glass"\nz_ratio = 2\n')
    with pytest.raises(DataError, match="z_ratio is at least"):
        find_baseline("glass", str(file), task)
    with pytest.raises(ConfigError, match="no preset file"):
        find_baseline("glass", str(tmp_path / "none.toml"), task)


def test_a_preset_by_structure_has_nothing_that_is_not_read(task, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('conv = "gin"\n["s2n+0".training]\nepochs = 2\n')
    config = find_preset(str(file), task, "s2n+0").config
    assert (config.conv, config.training.epochs) == ("gin", 2)


def test_a_published_file_is_a_preset_of_ones_own(task) -> None:
    file = Path(s2n.__file__).parent / "config" / "presets" / "paper" / "gcn2" / "ppi_bp.toml"
    own, published = (
        find_preset(name, task, "cos2n+0").config for name in (str(file), "paper:ppi_bp")
    )
    assert (own.structure, own.coarsening.ratio) == ("cos2n+0", 0.4)
    assert (own.model, own.training) == (published.model, published.training)


def test_models_and_presets_that_are_not_there(task) -> None:
    with pytest.raises(ConfigError, match="Did you mean 'glass'"):
        find_baseline("glas", "default", task)
    with pytest.raises(ConfigError, match="there are some for ppi_bp"):
        find_baseline("glass", "paper:nell", task)
    with pytest.raises(ConfigError, match="wl has no settings but its default"):
        find_baseline("wl", "paper", task)


GOLDEN = Path(__file__).parents[1] / "fixtures" / "v0_1" / "presets.json"
DATASETS = (
    "ppi_bp", "hpo_neuro", "hpo_metab", "em_user", "density", "cut_ratio", "coreness", "component",
    "hpo_orpha_neuro", "hpo_orpha_metab", "density-2022", "mine",
)  # fmt: skip
NAMES = ("default", "fast", "tuned", "papr", "fast:x",
         *(f"{kind}:{dataset}" for kind in ("paper", "tuned") for dataset in DATASETS))  # fmt: skip
CONVS = ("gcn", "gcn2", "gin", "gatv2", "sage", "own")


NEW = {
    "te": "edges",
    "max_distance": 2,
    "weighted": True,
    "direction": "both",
    "averaging": "mean",
    "eps": 0.3,
}


def values(tree: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """All settings that there were; pre-training as the one text that it was."""
    for name, value in tree.items():
        if NEW.get(name, ...) == value:
            continue
        if name == "pretraining" and isinstance(value, dict):
            usual = vars(LinkSettings())
            text = ",".join(f"{k}={v}" for k, v in value.items() if v != usual[k])
            yield f"{prefix}{name} {text!r}"
        elif isinstance(value, dict):
            yield from values(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name} {value!r}"


def fingerprint(find: Callable[[Any], Any]) -> str:
    """A hash of what a preset gives, for graphs with and without features."""
    lines = []
    sizes = {"num_nodes": 99, "full_size": 99}
    for features in (None, 1):
        task: Any = SimpleNamespace(
            name="density", graph=SimpleNamespace(**sizes, features=features, whole=None)
        )
        try:
            preset = find(task)
        except ConfigError as error:
            text = str(error).replace("omit the preset", "leave out the preset")
            lines.append(text.replace("hpo_orpha_neuro, hpo_orpha_metab, ", ""))  # stand-ins since
            continue
        lines += [preset.name, str(preset.joined), *preset.notes]
        lines += [line for config in preset.candidates for line in values(config.to_dict())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def fingerprints(name: str) -> dict[str, str]:
    """By convolution (all structures together) and by baseline."""
    found = {}
    for conv in CONVS:
        each = [fingerprint(lambda task, s=s, c=conv: find_preset(name, task, s, c))
                for s in STRUCTURES]  # fmt: skip
        found[conv] = hashlib.sha256("".join(each).encode()).hexdigest()[:12]
    for model in MODELS:
        found[model] = fingerprint(lambda task, m=model: find_baseline(m, name, task))[:12]
    return found


# Networks have other defaults since, boosted trees and linear models more settings, and given
# features are scaled;
# what was published stays.
_BATCHED = {"glass", "gnn-plain", "gnn-seg", "subgnn"}
CHANGED = {
    "default": {*CONVS, "gbdt", "bag", "diffused-bag", *_BATCHED},
    "fast": {*CONVS, *_BATCHED},
    "tuned": _BATCHED,
    # The published runs of these two read no weights between subgraphs.
    **{
        f"paper:{data}": {"gin", "sage"} for data in ("ppi_bp", "hpo_neuro", "hpo_metab", "em_user")
    },
    **{f"paper:{data}": {"sage"} for data in ("density", "cut_ratio")},
    # Stand-ins have settings of their own since, where the published rule depends on the data.
    **{f"paper:{data}": {"glass", "gnn-plain"} for data in ("hpo_orpha_neuro", "hpo_orpha_metab")},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_preset_resolves_as_it_did(name: str) -> None:
    then, now = json.loads(GOLDEN.read_text())[name], fingerprints(name)
    assert {model for model in then if now[model] != then[model]} == CHANGED.get(name, set())


@pytest.mark.parametrize("limit", [20 * 256 - 1, 20 * 256])
def test_a_graph_with_many_nodes_gets_random_vectors(monkeypatch, limit: int) -> None:
    graph = Graph.from_edges(np.arange(19), np.arange(1, 20), num_nodes=20)
    task = SubgraphTask(graph, Subgraphs.from_lists([[0, 1], [2]]))
    monkeypatch.setattr(presets, "_MOST_NUMBERS", limit)
    preset = find_preset("default", task)
    identity, *others, shape = (config.features for config in preset.candidates)
    if limit < 20 * 256:
        assert (identity.kind, identity.width) == ("random", 64)
        (note,) = preset.notes
        assert "singular vectors of 20 nodes" in note
        assert not others  # wide random vectors of all nodes would be as many numbers
    else:
        assert (identity.kind, identity.width) == ("svd", 256)
        assert preset.notes == ()
        assert [(other.kind, other.width) for other in others] == [("random", 256)]
    assert shape.kind == "constant"  # it needs none


def test_vectors_that_are_narrow_already_stay_narrow(task, monkeypatch) -> None:
    monkeypatch.setattr(presets, "_MOST_NUMBERS", 1)
    kept = replace(find_preset("default", task), candidates=(NARROW,), notes=())
    (config,) = presets._affordable(kept, task).candidates
    assert (config.features.kind, config.features.width) == ("random", 8)


def test_settings_of_a_file_are_kept_whatever_the_size(task, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(presets, "_MOST_NUMBERS", 1)
    file = tmp_path / "own.toml"
    file.write_text('[features]\nkind = "svd"\nwidth = 200\n')
    features = find_preset(str(file), task).config.features
    assert (features.kind, features.width) == ("svd", 200)


def test_best_has_settings_of_its_own(task, tmp_path: Path) -> None:
    assert find_baseline("best", "fast", task).candidates == (BestSettings(),)
    file = tmp_path / "best.toml"
    file.write_text(to_toml({"baseline": "best", **BestSettings(folds=3).to_dict()}))
    assert baseline_of(str(file)) == "best"
    assert find_baseline("best", str(file), task).config == BestSettings(folds=3)
    file.write_text('baseline = "best"\nfolds = 1\n')
    with pytest.raises(DataError, match="folds is at least 2"):
        find_baseline("best", str(file), task)


def test_presets_of_a_part_need_no_whole_graph(task: SubgraphTask) -> None:
    whole = WholeGraph(task.graph.num_nodes + 1, task.graph.num_edges + 9, task.graph.degrees)
    part = replace(task, graph=replace(task.graph, whole=whole))
    found = find_preset("default", part, "s2n+0")
    assert {config.features.kind for config in found.candidates} == {"random", "constant"}
    assert "need the whole graph in memory" in found.notes[-1]
    assert find_baseline("gbdt", "default", part).config.inputs == "statistics"
    graph = replace(part.graph, features=np.ones((part.graph.num_nodes, 2)))
    trees = find_baseline("gbdt", "default", replace(part, graph=graph)).config
    assert (trees.features.kind, trees.features.encoding) == ("given", "none")
    assert find_baseline("gbdt", "default", task).config.features.kind == "svd"
