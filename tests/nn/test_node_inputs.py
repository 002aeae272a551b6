"""What nodes and subgraphs enter a network with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import sub2node as s2n
from sub2node import ConfigError
from sub2node.config import STRUCTURES, Config
from sub2node.encode import Encoding, encode, subgraph_inputs
from sub2node.nn import build_network, build_stages
from sub2node.nn.node_inputs import NodeInputs, node_inputs
from sub2node.task import Graph, Subgraphs, SubgraphTask


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=30,seed=2")


def config_of(structure: str = "s2n+0", **settings: Any) -> Config:
    named = {f"features.{name}": value for name, value in settings.items()}
    return Config().with_settings({"structure": structure, **named})


def inputs_of(task: s2n.SubgraphTask, **settings: Any) -> NodeInputs:
    rows = np.unique(task.subgraphs.nodes)
    return node_inputs(task, config_of(**settings).features, rows, device="cpu")


def test_rwpe_is_as_wide_as_the_features_it_is_added_to(task) -> None:
    result = inputs_of(task, kind="random", width=6, encoding="rwpe")
    rows = np.unique(task.subgraphs.nodes)
    assert result.width == 6
    assert result.vectors is None
    expected = encode(task.graph, "rwpe", width=6, nodes=rows, device="cpu")
    assert np.array_equal(result.encodings, expected.values)
    assert "exact" in result.notes[0]


@pytest.mark.parametrize(("asked", "columns"), [(0, 8), (3, 3), (15, 15)])
def test_encodings_share_the_width(task, asked, columns) -> None:
    settings = {"kind": "constant", "width": 16, "join": "share", "encoding_width": asked}
    result = inputs_of(task, encoding="rwpe", **settings)
    assert result.encodings.shape[1] == columns
    assert result.width == 16 - columns


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["link", "svd"])
def test_made_features_have_the_scale_asked_for(task, kind) -> None:
    result = inputs_of(task, kind=kind, width=4, scale=0.3)
    whole = encode(task.graph, kind, width=4, device="cpu").values
    whole = whole - whole.mean(axis=0)
    expected = 0.3 * whole / whole.std()
    assert result.vectors == pytest.approx(expected[np.unique(task.subgraphs.nodes)], abs=1e-6)


def test_singular_vectors_of_a_small_graph_are_padded_with_zeros() -> None:
    graph = Graph.from_edges(np.arange(5), np.arange(1, 6))
    task = SubgraphTask(graph, Subgraphs.from_lists([[0, 1], [2, 4]]))
    result = inputs_of(task, kind="svd", width=9, scale=0.2)
    assert (result.width, result.vectors.shape) == (9, (4, 9))
    whole = encode(graph, "svd", width=6, device="cpu").values
    whole = whole - whole.mean(axis=0)
    expected = 0.2 * whole / whole.std()
    assert result.vectors[:, :6] == pytest.approx(expected[[0, 1, 2, 4]], abs=1e-6)
    assert not result.vectors[:, 6:].any()
    assert inputs_of(task, kind="svd", width=6).vectors.shape == (4, 6)


def test_scaling_of_encodings(task) -> None:
    settings = {"kind": "random", "width": 4, "encoding": "rwpe"}
    raw = inputs_of(task, **settings).encodings.astype(np.float64)
    standard = inputs_of(task, **settings, scaling="standard").encodings
    subgraphs = task.subgraphs
    train = subgraphs.nodes[task.split.mask("train")[subgraphs.owner]]
    known = np.isin(np.unique(subgraphs.nodes), train)  # fitted to nodes of train alone
    assert 0 < known.sum() < len(known)
    spread = np.where(raw[known].std(axis=0) > 1e-9, raw[known].std(axis=0), 1)
    assert standard == pytest.approx((raw - raw[known].mean(axis=0)) / spread, abs=1e-4)
    log = inputs_of(task, **settings, scaling="log").encodings
    assert np.argsort(log[:, 1]).tolist() == np.argsort(raw[:, 1]).tolist()
    moved = np.log(raw + np.maximum(0.01 * raw[known].mean(axis=0), 1e-12))[:, 1]
    expected = (moved - moved[known].mean()) / moved[known].std()
    assert log[:, 1] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("scaling", ["standard", "log"])
def test_scaling_without_nodes_of_train_and_without_a_split(task, scaling) -> None:
    settings = {"kind": "random", "width": 4, "encoding": "rwpe", "scaling": scaling}
    plain = inputs_of(replace(task, split=None), **settings).encodings
    assert plain[:, 1].std() == pytest.approx(1, abs=1e-4)  # over all nodes
    late = task.subset(~task.split.mask("train"))
    assert np.isfinite(inputs_of(late, **settings).encodings).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"encoding": "structure"}, "width 7 cannot be added to features of width 64"),
        ({"encoding": "rwpe", "join": "share", "encoding_width": 64}, "leave nothing of the 64"),
        ({"encoding": "lappe", "encoding_width": 64, "scaling": "log"}, "no logarithm"),
    ],
)
def test_encodings_that_do_not_fit(task, settings, message) -> None:
    with pytest.raises(ConfigError, match=message):
        inputs_of(task, kind="constant", **settings)


def test_given_features_share_nothing(task) -> None:
    graph = replace(task.graph, features=np.ones((task.graph.num_nodes, 8)))
    settings = {"kind": "given", "encoding": "rwpe", "join": "share"}
    with pytest.raises(ConfigError, match="a width of their own"):
        inputs_of(replace(task, graph=graph), **settings)


def test_an_encoding_is_given_or_asked_for_not_both(task) -> None:
    values = np.zeros((task.graph.num_nodes, 64))
    with pytest.raises(ConfigError, match="omit one"):
        node_inputs(task, config_of(encoding="rwpe").features, np.arange(3), encodings=values)


def test_an_encoding_of_too_few_nodes_is_refused(task) -> None:
    few = Encoding("mine", np.arange(3), np.zeros((3, 64)))
    with pytest.raises(ConfigError, match="encode all nodes"):
        node_inputs(task, config_of().features, np.unique(task.subgraphs.nodes), encodings=few)


@pytest.mark.parametrize("kind", ["structure", "wl"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_networks_read_what_is_known_about_their_own_subgraphs(task, structure, kind) -> None:
    config = config_of(structure, subgraphs=kind)
    whole = torch.from_numpy(subgraph_inputs(task, kind))
    stages = build_stages(task, config)
    for part in ("train", "val", "test"):
        stage = stages[part]
        mask = task.split.mask(part)
        expected = whole[torch.from_numpy(mask)]
        assert torch.equal(stage.inputs[stage.scored], expected)
    network, _ = build_network(task, config, stages, (1,))
    before = network.eval()(stages["test"])[1]
    changed = replace(stages["test"], inputs=stages["test"].inputs + 1)
    assert not torch.allclose(before, network(changed)[1])


@pytest.mark.slow
def test_statistics_make_density_easy(task) -> None:
    settings = {"features.kind": "constant", "epochs": 80, "features.subgraphs": "structure"}
    with_them = s2n.run(task, structure="s2n+a", seeds=2, preset="fast", settings=settings)
    assert with_them.val["micro_f1"].mean == 1
    assert with_them.model == "s2n+a gcn2, structure inputs"


def with_features(task: s2n.SubgraphTask) -> tuple[s2n.SubgraphTask, np.ndarray]:
    shape = (task.graph.num_nodes, 3)
    features = np.random.default_rng(1).normal(5000, 900, shape).astype(np.float32)
    return replace(task, graph=replace(task.graph, features=features)), features


@pytest.mark.parametrize("kind", ["random", "constant", "svd"])
def test_given_features_stand_beside_other_vectors(task, kind) -> None:
    featured, features = with_features(task)
    settings = {"kind": kind, "width": 4, "encoding": "given", "join": "concat"}
    result, plain = inputs_of(featured, **settings), inputs_of(task, kind=kind, width=4)
    rows = np.unique(task.subgraphs.nodes)
    assert np.array_equal(result.encodings, features[rows])
    assert result.width == plain.width == 4
    assert (result.vectors is None) == (plain.vectors is None)
    if plain.vectors is not None:
        assert np.array_equal(result.vectors, plain.vectors)
    scaled = inputs_of(featured, **settings, scaling="standard").encodings
    assert np.abs(scaled).max() < 10
    assert np.corrcoef(scaled[:, 0], features[rows, 0])[0, 1] == pytest.approx(1)


def test_given_features_alone_are_scaled_where_asked_for(task) -> None:
    featured, features = with_features(task)
    rows = np.unique(task.subgraphs.nodes)
    assert np.array_equal(inputs_of(featured, kind="given").vectors, features[rows])
    scaled = inputs_of(featured, kind="given", scaling="standard").vectors
    assert scaled.shape == features[rows].shape
    assert np.abs(scaled).max() < 10
    for settings in ({"kind": "given"}, {"encoding": "given", "join": "concat"}):
        with pytest.raises(ConfigError, match="the graph has no features; set features"):
            inputs_of(task, **settings)


def test_what_never_varies_in_train_is_nothing_elsewhere(task) -> None:
    featured, features = with_features(task)
    assert task.split is not None
    train = np.unique(task.subgraphs.nodes[task.split.mask("train")[task.subgraphs.owner]])
    values = features.copy()
    values[:, 0] = 7e8  # as a time in seconds, which float32 cannot add up exactly
    values[train, 0] = 1.7e9
    featured = replace(featured, graph=replace(featured.graph, features=values))
    scaled = inputs_of(featured, kind="given", scaling="standard").vectors
    assert not scaled[:, 0].any()
    assert scaled[:, 1].any()
