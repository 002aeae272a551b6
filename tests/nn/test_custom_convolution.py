"""Convolutions of PyG and of the user, and names that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.nn import GATConv, GCNConv, GraphConv

import sub2node as s2n
from sub2node import ConfigError, Graph, Split, Subgraphs, SubgraphTask
from sub2node.config import Config
from sub2node.nn import Network, Stages, build_network, build_stages
from sub2node.nn.custom_convolution import ignores_weights

SEEDS = (5, 6)


def task_of() -> SubgraphTask:
    graph = Graph.from_edges(
        np.array([0, 1, 2, 3, 4, 0]), np.array([1, 2, 3, 4, 5, 3]), num_nodes=6,
        weights=np.array([1.0, 2, 3, 4, 5, 6]),
    )  # fmt: skip
    sets = Subgraphs.from_lists([[0, 1], [2, 3, 4], [1, 2], [4, 5]])
    split = Split.sizes(train=2, val=1, test=1)
    return SubgraphTask(graph, sets, labels=np.array([0, 1, 0, 1]), split=split)


def config_of(structure: str, conv: str = "gcn", **settings: Any) -> Config:
    small = {"hidden": 6, "features.width": 6, "dropout": 0.0, "edge_dropout": 0.0}
    return Config().with_settings(
        {**small, "translation.a": -1.5, "structure": structure, "conv": conv, **settings}
    )


def built(config: Config, **options: Any) -> tuple[Network, Stages]:
    task = task_of()
    stages = build_stages(task, config)
    return build_network(task, config, stages, SEEDS, **options)[0], stages


def test_a_class_and_its_name_are_the_same() -> None:
    named, stages = built(config_of("s2n+a", "torch_geometric.nn:GraphConv"))
    given, _ = built(config_of("s2n+a"), conv=GraphConv)
    assert torch.equal(named(stages["test"])[1], given(stages["test"])[1])


@pytest.mark.parametrize("structure", ["s2n+0", "connected"])
def test_a_foreign_layer_runs_as_it_does_alone(structure: str) -> None:
    network, stages = built(config_of(structure), conv=GraphConv)
    stage = stages["test"]
    graph = stage.subgraphs if structure == "s2n+0" else stage.nodes
    assert graph is not None
    dense = torch.zeros(graph.pattern.num_rows, graph.pattern.num_rows)
    dense[graph.pattern.row, graph.pattern.index] = graph.values
    encoder: Any = network.outer if structure == "s2n+0" else network.encoder
    conv = encoder.layers[0].conv
    x = torch.randn(2, len(dense), 6, generator=torch.Generator().manual_seed(0))
    result = conv(x, x, graph)
    for r, layer in enumerate(conv.replicas):
        assert isinstance(layer, GraphConv)
        expected = layer.lin_rel(dense @ x[r]) + layer.lin_root(x[r])
        torch.testing.assert_close(result[r], expected)
        ends, weights = graph.edge_list()
        torch.testing.assert_close(result[r], layer(x[r], ends, weights))
    assert not torch.equal(conv.replicas[0].lin_rel.weight, conv.replicas[1].lin_rel.weight)


def test_edge_features_are_the_weights_in_a_column() -> None:
    network, stages = built(config_of("connected", "torch_geometric.nn:GATv2Conv"))
    graph, encoder = stages["test"].nodes, network.encoder
    assert graph is not None
    conv: Any = encoder.layers[0].conv  # type: ignore[union-attr,index]
    x = torch.randn(2, 6, 6, generator=torch.Generator().manual_seed(0))
    ends, weights = graph.edge_list()
    for r, layer in enumerate(conv.replicas):
        assert layer.edge_dim == 1
        torch.testing.assert_close(conv(x, x, graph)[r], layer(x[r], ends, weights[:, None]))


def test_first_values_of_foreign_layers_depend_on_the_seed_alone() -> None:
    torch.manual_seed(0)
    one, _ = built(config_of("s2n+0"), conv=GraphConv)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    other, _ = built(config_of("s2n+0"), conv=GraphConv)
    assert torch.equal(torch.get_rng_state(), before)
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


def test_what_a_foreign_layer_drops_comes_from_the_stream_of_its_replica() -> None:
    task, config = task_of(), config_of("connected")
    stages = build_stages(task, config)
    result = []
    for noise, seeds in enumerate((SEEDS, SEEDS[1:])):
        torch.manual_seed(noise)
        before = torch.get_rng_state()
        network, _ = build_network(
            task, config, stages, seeds, conv=lambda a, b: GATConv(a, b, dropout=0.5)
        )
        result.append([network(stages["train"])[1][-1] for _ in range(2)])
        assert torch.equal(torch.get_rng_state(), before)
    for together, alone in zip(*result, strict=True):
        torch.testing.assert_close(together, alone)
    assert not torch.allclose(*result[0])


@pytest.mark.parametrize(
    ("conv", "names"),
    [
        ("torch_geometric.nn:SAGEConv", ["SAGEConv"]),
        ("torch_geometric.nn:GraphConv", []),
        ("torch_geometric.nn:GATv2Conv", []),
        ("gin", []),
    ],
)
def test_convolutions_that_ignore_weights_are_named(conv: str, names: list[str]) -> None:
    network, stages = built(config_of("s2n+a", conv))
    assert ignores_weights(network) == names
    assert network(stages["train"])[1].isfinite().all()


@pytest.mark.parametrize(
    ("conv", "message"),
    [
        ("gatv3", "no convolution 'gatv3'. Did you mean 'gatv2'"),
        ("transformer", "Known: gcn, gcn2, gin, gatv2, sage, fagcn"),
        ("no_such_module:Conv", "cannot be imported"),
        ("torch_geometric.nn:NoSuchConv", "cannot be imported"),
        ("torch:pi", "is not a class of torch.nn.Module"),
        ("torch:rand", "is not a class of torch.nn.Module"),
        ("torch:Tensor", "is not a class of torch.nn.Module"),
        ("torch_geometric.nn:PNAConv", r"cannot be made as conv\(width_in, width_out\)"),
        ("gatv2", "8 attention heads do not divide a width of 6"),
    ],
)
def test_convolutions_that_cannot_be(conv: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        built(config_of("s2n+0", conv))


def test_a_convolution_of_another_width_is_refused() -> None:
    network, stages = built(config_of("s2n+0"), conv=lambda a, b: GCNConv(a, b + 1))
    with pytest.raises(ConfigError, match=r"GCNConv gave \(2, 7\), expected vectors of shape"):
        network(stages["train"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("torch_geometric.nn:GCN2Conv", r"GCN2Conv cannot be called as conv\(x, edge_index\)"),
        ("torch_geometric.nn:GINEConv", r"GINEConv cannot be made as conv\(width_in, width_out\)"),
        ("torch:rand", "the convolution '?torch:rand"),
        (":X", "there is no convolution ':X'"),
        ("..x:Y", "there is no convolution '..x:Y'"),
    ],
)
def test_what_is_no_convolution_of_this_kind_is_said(name: str, message: str) -> None:
    task = s2n.load_task("generate:density,subgraphs=12")
    with pytest.raises(ConfigError, match=message):
        s2n.run(task, conv=name, seeds=1, preset="fast", settings={"epochs": 1})


def test_one_with_edge_features_runs_on_unweighted_graphs_too() -> None:
    task = s2n.load_task("generate:density,subgraphs=12")
    conv = "torch_geometric.nn:TransformerConv"
    settings = {"epochs": 1, "features.kind": "random"}
    assert s2n.run(task, conv=conv, seeds=1, preset="fast", settings=settings).seeds == (10,)


def test_what_is_no_module_is_not_called(monkeypatch) -> None:
    calls = []
    monkeypatch.setattr("os.system", lambda *words: calls.append(words))
    with pytest.raises(ConfigError, match=r"'os:system' is not a class"):
        built(config_of("s2n+0", "os:system"))
    assert calls == []
