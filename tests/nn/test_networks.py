"""Networks of the four structures: by hand, who depends on whom, and what cannot be built."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from sub2node import ConfigError, Graph, Split, Subgraphs, SubgraphTask
from sub2node.config import STRUCTURES, Config
from sub2node.nn import CONVOLUTIONS, Network, Stages, build_network, build_stages
from sub2node.nn.node_inputs import node_inputs

SEEDS = (5, 6)
SETS = [[0, 1, 2], [2, 3, 4, 5], [6, 7], [0, 8, 9], [1, 4, 7, 10], [11], [3, 9], [5, 6, 10], [0, 2]]


def task_of(*, weighted: bool = True, virtual: int = 0) -> SubgraphTask:
    """13 nodes, the last in no subgraph; 4 train, 2 val and 3 test subgraphs of 3 classes.

    The last of train may be virtual ones instead.
    """
    rng = np.random.default_rng(0)
    low, high = np.nonzero(np.triu(rng.random((13, 13)) < 0.4, 1))
    graph = Graph.from_edges(
        low, high, num_nodes=13, features=rng.normal(size=(13, 5)),
        weights=rng.uniform(0.5, 2, len(low)) if weighted else None,
    )  # fmt: skip
    labels = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
    labels[4 - virtual : 4] = -1
    return SubgraphTask(
        graph, Subgraphs.from_lists(SETS), labels=labels, class_names=("a", "b", "c"),
        split=Split.sizes(train=4 - virtual, virtual=virtual, val=2, test=3),
    )  # fmt: skip


def config_of(structure: str, conv: str = "gcn", **settings: Any) -> Config:
    """Small, without dropout, with an S2N graph that has edges."""
    small = {"hidden": 6, "dropout": 0.0, "edge_dropout": 0.0, "translation.a": -0.3}
    heads = {"outer.heads": 2, "inner.heads": 3}
    named = {name.replace("__", "."): value for name, value in settings.items()}
    full = {f"model.{name}": value for name, value in heads.items()}
    choice = {"structure": structure, "conv": conv, "features.kind": "given"}
    return Config().with_settings({**small, **full, **choice, **named})


def built(
    task: SubgraphTask, config: Config, seeds: tuple[int, ...] = SEEDS, **options: Any
) -> tuple[Network, Stages]:
    stages = build_stages(task, config)
    inputs = node_inputs(
        task, config.features, stages.rows, encodings=options.pop("encodings", None)
    )
    return build_network(task, config, stages, seeds, inputs=inputs, **options)[0], stages


def answers(task: SubgraphTask, config: Config, part: str, **options: Any) -> Tensor:
    network, stages = built(task, config, **options)
    return network.eval()(stages[part])[1]  # type: ignore[index]


@pytest.mark.parametrize("conv", [*CONVOLUTIONS, "torch_geometric.nn:GATConv"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_shapes_and_gradients(structure: str, conv: str) -> None:
    task = task_of()
    config = config_of(structure, conv, readout="learned", batch_norm=True, skip=True, dropout=0.2)
    network, stages = built(task, config)
    for part, count in (("train", 4), ("val", 2), ("test", 3)):
        vectors, logits = network(stages[part])
        assert vectors.shape == (2, count, 6)
        assert logits.shape == (2, count, 3)
        assert logits.isfinite().all()
    network(stages["train"])[1].square().sum().backward()
    assert all(p.grad is not None for p in network.parameters())


def dense_gcn(adjacency: Tensor, x: Tensor, conv: Any, r: int) -> Tensor:
    filled = adjacency + torch.diag((adjacency.diagonal() == 0).float())
    root = filled.sum(1).sqrt()
    return filled / root[:, None] / root[None, :] @ x @ conv.linear.weight[r] + conv.bias[r]


def dense_encoder(adjacency: Tensor, x: Tensor, encoder: Any, r: int) -> tuple[Tensor, Tensor]:
    if encoder.project is not None:
        x = torch.relu(x @ encoder.project.weight[r] + encoder.project.bias[r])
    out = x
    for layer in encoder.layers:
        new = dense_gcn(adjacency, out, layer.conv, r)
        if layer.norm is not None:
            new = (new - new.mean(0)) / (new.var(0, unbiased=False) + 1e-5).sqrt()
        if layer.skip is not None:
            new = new + out @ layer.skip.weight[r] + layer.skip.bias[r]
        out = torch.relu(new)
    return x, out


def dense_logits(task: SubgraphTask, config: Config, network: Any, part: str, r: int) -> Tensor:
    """The equations with dense matrices; everything that is seen in this stage is computed."""
    split = task.split
    assert split is not None
    count, codes = split.visible(part), np.flatnonzero(split.mask(part))  # type: ignore[arg-type]
    full = torch.from_numpy(task.graph.adjacency().toarray())
    features = torch.tensor(task.graph.features)
    member = torch.zeros(len(SETS), 13)
    for i, nodes in enumerate(SETS):
        member[i, nodes] = 1
    if config.structure == "connected":
        _, x = dense_encoder(full, features, network.encoder, r)
        return (member @ x)[codes] @ network.head.weight[r] + network.head.bias[r]
    shown = codes if config.structure == "separated" else np.arange(count)
    flat = np.concatenate([SETS[i] for i in shown])
    owner = np.repeat(np.arange(len(shown)), [len(SETS[i]) for i in shown])
    pool = torch.from_numpy(owner == np.arange(len(shown))[:, None]).float()
    inside = full[flat][:, flat] * torch.from_numpy(owner[:, None] == owner)
    if config.structure == "separated":
        _, x = dense_encoder(inside, features[flat], network.encoder, r)
        return pool @ x @ network.head.weight[r] + network.head.bias[r]
    x = features[flat]
    if config.structure.inner:
        _, x = dense_encoder(inside, x, network.inner, r)
    raw = member @ (full + torch.eye(13)) @ member.T
    train = raw[:4, :4]
    score = (raw - train.mean()) / train.std()
    weights = ((score - config.translation.a) / config.translation.delta).clamp(0, 1)
    entered, left = dense_encoder(weights[:count, :count], pool @ x, network.outer, r)
    return (entered + left)[codes] @ network.head.weight[r] + network.head.bias[r]


@pytest.mark.parametrize("changes", [{}, {"hidden": 5}, {"batch_norm": True, "skip": True}])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_logits_follow_the_equations(
    structure: str, weighted: bool, changes: dict[str, Any]
) -> None:
    config = config_of(structure, inner_layers=2, **changes)
    task = task_of(weighted=weighted, virtual=2 if config.structure.coarsened else 0)
    network, stages = built(task, config)
    for part in ("train", "val", "test"):
        found = network(stages[part])[1]
        for r in range(len(SEEDS)):
            expected = dense_logits(task, config, network, part, r)
            torch.testing.assert_close(found[r], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("structure", ["s2n+0", "separated"])
def test_only_s2n_drops_channels_before_its_head(structure: str) -> None:
    config = config_of(structure, layers=0, hidden=5, dropout=0.5)
    network, stages = built(task_of(), config)
    vectors, logits = network(stages["train"])
    expected, undropped = network.eval()(stages["train"])
    torch.testing.assert_close(vectors, expected)
    assert torch.allclose(logits, undropped) == (structure == "separated")


@pytest.mark.parametrize("hidden", [5, 6])
def test_every_layer_of_gcn2_reads_what_entered_the_first(hidden: int) -> None:
    network, stages = built(task_of(), config_of("connected", "gcn2", hidden=hidden, layers=3))
    encoder: Any = network.encoder
    graph, table = stages["train"].nodes, network.table()
    first = table if encoder.project is None else torch.relu(encoder.project(table))
    out = first
    for layer in encoder.layers:
        out = torch.relu(layer.conv(out, first, graph))
    found = encoder(table, graph)
    torch.testing.assert_close(found, (first, out))


@pytest.mark.parametrize("readout", ["sum", "mean", "max", "learned"])
@pytest.mark.parametrize("structure", ["separated", "connected"])
def test_answers_without_s2n_do_not_depend_on_other_subgraphs(structure: str, readout: str) -> None:
    task = task_of()
    config = config_of(structure, "gcn2", readout=readout, features__kind="random")
    whole = answers(task, config, "test")
    fewer = answers(task.subset([0, 1, 2, 7]), config, "test")
    torch.testing.assert_close(fewer[:, 0], whole[:, 1])


@pytest.mark.parametrize("readout", ["sum", "degree", "degree-code"])
@pytest.mark.parametrize("structure", ["s2n+0", "s2n+a"])
def test_s2n_answers_do_not_depend_on_later_parts(structure: str, readout: str) -> None:
    task = task_of()
    config = config_of(structure, "gcn2", readout=readout, features__kind="random")
    for part, visible in (("train", 4), ("val", 6)):
        alone = answers(task.subset(np.arange(visible)), config, part)
        torch.testing.assert_close(alone, answers(task, config, part))


@pytest.mark.parametrize("structure", ["s2n+0", "s2n+a"])
def test_s2n_answers_do_depend_on_what_is_in_sight(structure: str) -> None:
    task, config = task_of(), config_of(structure)
    fewer = answers(task.subset([0, 1, 2, 3, 8]), config, "test")
    assert not torch.allclose(fewer[:, 0], answers(task, config, "test")[:, 2], atol=1e-3)


@pytest.mark.parametrize("conv", [*CONVOLUTIONS, "torch_geometric.nn:GATConv"])
def test_a_replica_trains_as_it_would_alone(conv: str) -> None:
    task = task_of()
    config = config_of("s2n+a", conv, dropout=0.3, edge_dropout=0.3, features__kind="random")
    networks = [built(task, config, seeds) for seeds in ((1, 2), (2,))]
    for _ in range(2):  # the streams go on
        both, alone = (network(stages["train"])[1] for network, stages in networks)
        torch.testing.assert_close(both[1:], alone)
    assert not torch.allclose(both, networks[0][0](networks[0][1]["train"])[1])


@pytest.mark.parametrize("structure", ["s2n+a", "separated", "connected"])
def test_inner_weights_are_used(structure: str) -> None:
    task, config = task_of(), config_of(structure, layers=1)
    low, high, weights = task.graph.edges()
    inside = [{u, v} <= {2, 3, 4, 5} for u, v in zip(low, high, strict=True)]
    assert weights is not None
    changed = weights.copy()
    changed[inside.index(True)] *= 3
    graph = Graph.from_edges(low, high, num_nodes=13, weights=changed, features=task.graph.features)
    stages = (build_stages(each, config) for each in (task, replace(task, graph=graph)))
    before, after = (stage["train"].nodes for stage in stages)
    assert before is not None
    assert after is not None
    ratio = torch.unique(after.values[before.present] / before.values[before.present])
    assert ratio.tolist() == pytest.approx([1, 3])


def test_explicit_edges_of_subgraphs_are_the_inner_ones() -> None:
    task = task_of()
    ptr, ends = task.internal_edges()
    first = np.sort(task.subgraphs.nodes[ends[:, ptr[1]]])  # one edge, of the second subgraph
    edge_ptr = np.repeat([0, 1], [2, len(task) - 1])
    sets = Subgraphs(task.subgraphs.ptr, task.subgraphs.nodes, edge_ptr=edge_ptr, edges=first[None])
    nodes = build_stages(replace(task, subgraphs=sets), config_of("s2n+a"))["train"].nodes
    assert nodes is not None
    edges, weights = nodes.edge_list()
    assert edges.T.tolist() == [ends[::-1, ptr[1]].tolist(), ends[:, ptr[1]].tolist()]
    assert weights[0] == task.graph.edge_weights(first[:1], first[1:])[0]


class TestTable:
    def test_frozen_constants_are_no_parameter(self) -> None:
        config = config_of("s2n+0", features__kind="constant", trainable=False)
        network, _ = built(task_of(), config)
        assert not [name for name, _ in network.named_parameters() if name.startswith("table")]
        assert network.table().shape == (2, 12, 64)
        assert (network.table() == 1).all()

    @pytest.mark.parametrize(("structure", "rows"), [("separated", 12), ("connected", 13)])
    def test_a_trainable_table_has_the_rows_that_are_read(self, structure: str, rows: int) -> None:
        network, stages = built(task_of(), config_of(structure))
        assert isinstance(network.table.table, torch.nn.Parameter)
        assert network.table.table.shape == (2, rows, 5)
        assert stages.rows.tolist() == list(range(rows))
        expected = torch.tensor(task_of().graph.features[:rows])  # type: ignore[index]
        assert all(torch.equal(part, expected) for part in network.table())

    @pytest.mark.parametrize("trainable", [False, True])
    @pytest.mark.parametrize("encoding", ["add", "concat"])
    @pytest.mark.parametrize("structure", STRUCTURES)
    def test_encodings_join_the_features(
        self, structure: str, encoding: str, trainable: bool
    ) -> None:
        task = task_of()
        extra = np.random.default_rng(1).normal(size=(13, 5)).astype(np.float32)
        config = config_of(structure, features__join=encoding, trainable=trainable)
        old = task.graph.features
        joined = old + extra if encoding == "add" else np.concatenate([old, extra], axis=1)
        same = replace(task, graph=replace(task.graph, features=joined))
        found = answers(task, config, "test", encodings=extra)
        torch.testing.assert_close(found, answers(same, config, "test"))

    @pytest.mark.parametrize(
        ("encodings", "message"),
        [
            (np.zeros((13, 4)), "width 4 cannot be added to features of width 5"),
            (np.zeros((12, 5)), r"shape \(12, 5\), expected one row for each of the 13"),
            (np.zeros(13), "expected one row"),
            (np.full((13, 5), np.nan), "finite"),
        ],
    )
    def test_encodings_that_cannot_be(self, encodings: np.ndarray, message: str) -> None:
        with pytest.raises(ConfigError, match=message):
            built(task_of(), config_of("s2n+0"), encodings=encodings)

    def test_given_features_have_to_be_there(self) -> None:
        task = replace(task_of(), graph=replace(task_of().graph, features=None))
        with pytest.raises(ConfigError, match="no features"):
            built(task, config_of("s2n+0", features__kind="given"))


@pytest.mark.parametrize("structure", ["separated", "connected", "s2n+a"])
def test_self_loops_of_the_global_graph_are_kept(structure) -> None:
    graph = Graph.from_edges([0, 1, 1, 2], [1, 2, 1, 2], weights=[1.0, 2.0, 5.0, 7.0], num_nodes=4)
    sets = Subgraphs.from_lists([[0, 1], [1, 2, 3], [2]])
    task = SubgraphTask(graph, sets, np.array([0, 1, 0]), split=Split.sizes(train=3))
    config = Config().with_settings({"structure": structure, "a": -0.5})
    nodes = build_stages(task, config, parts=("train",))["train"].nodes
    loops = nodes.values[nodes.diagonal].tolist()
    members = [0, 5, 5, 7, 0, 7]  # of 0 1, 1 2 3, 2
    assert loops == ([0, 5, 7, 0] if structure == "connected" else members)
