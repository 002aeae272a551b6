"""SubGNN's network against torch's LSTM, numbers by hand, and loops over components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import sub2node as s2n
from sub2node.base.errors import ConfigError
from sub2node.base.ragged import generator
from sub2node.baselines.subgnn.components import components
from sub2node.baselines.subgnn.lstm import BiLSTM
from sub2node.baselines.subgnn.precompute import (
    SIDES,
    NodeAnchors,
    PatchAnchors,
    Precomputed,
    precompute,
)
from sub2node.baselines.subgnn.subgnn_network import Channel, SubGNN, Update
from sub2node.baselines.subgnn.subgnn_settings import SubGNNSettings
from sub2node.evaluate.protocol import assess
from sub2node.models.baseline import baseline
from sub2node.nn import Init, NodeTable, Streams
from sub2node.nn.node_inputs import node_inputs
from sub2node.task import Graph, SubgraphTask
from subgnn_cases import (
    CHANNELS,
    PATCH_AROUND,
    PATCH_INSIDE,
    PATH,
    PATH_TASK,
    SEEDS,
    SMALL,
    build,
    drawn,
    mixed_task,
    scatter_parameters,
    settings_of,
    task_of,
)


def anchors(ids: Any, weights: Any) -> NodeAnchors:
    """Of one replica."""
    return NodeAnchors(np.array([ids]), np.array([weights], np.float32))


BY_HAND = Precomputed(
    components(PATH, PATH_TASK.subgraphs),
    ({
        "internal": anchors([[1, 0], [3, 0], [4, 2]], [[1, 1], [1, 0], [1, 1]]),
        "border": anchors([[2, 0], [4, 2], [1, 0]], [[1 / 2, 0], [1 / 2, 1 / 2], [1 / 2, 0]]),
    },),
    ({
        "internal": anchors([[3, 0], [2, 4]], [[1 / 3, 1], [1, 1 / 4], [1, 1]]),
        "border": anchors([4, 0], [[1 / 4, 1], [1 / 2, 1 / 4], [1, 1 / 3]]),
    },),
    ({
        "internal": PatchAnchors(
            np.array([[[[0, 1], [1, 0]], [[2, 3], [2, -1]]]]), np.float32([PATCH_INSIDE])
        ),
        "border": PatchAnchors(
            np.array([[[[1, 2], [1, 2]], [[1, 0], [3, 4]]]]), np.float32([PATCH_AROUND])
        ),
    },),
)  # fmt: skip
PATH_SETTINGS = settings_of(
    neighborhood_in=2, neighborhood_out=2, position_in=2, position_out=2, patches=2, patch_length=3,
    walk_length=2, width=1, head=11, head_last=11,
)  # fmt: skip


def path_network() -> SubGNN:
    """Node v enters with v + 1; the head's hidden layers let everything through."""
    network = build_by_hand(PATH_TASK, PATH_SETTINGS, BY_HAND)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
        network.table.table[0, :, 0] = torch.arange(1.0, 6.0)
        for each in network.updates:
            each.linear.weight[0, :, 0] = torch.tensor([1.0, 2.0])
            each.linear.bias[:] = 0.5
        for each in network.positions:
            each.score.weight[:], each.score.bias[:] = 3.0, -1.0
        for each in network.structures:
            each.score.weight[:] = 2.0
        for number, each in enumerate(network.leave):
            each.bias[:] = 0.5 + number  # the LSTM says 0, so each of two walks says the bias
        for each in (network.first, network.second):
            each.weight[0] = torch.eye(11)
        network.head.weight[0, :, 0], network.head.bias[0, 0, 1] = 1.0, 7.0
    return network


def build_by_hand(task: SubgraphTask, settings: SubGNNSettings, found: Precomputed) -> SubGNN:
    init, streams = Init(SEEDS[:1]), Streams(SEEDS[:1])
    rows = np.arange(task.graph.num_nodes)
    inputs = node_inputs(task, settings.features, rows)
    table = NodeTable(rows, settings.features, inputs=inputs, init=init, streams=streams)
    return SubGNN(
        task,
        settings.model,
        table=table,
        precomputed=found,
        batch=settings.training.batch,
        init=init,
        streams=streams,
    )


BY_COMPONENT = np.array([
    # x, N inside, P inside, S inside, N around, P around, S around
    [3, 3 + 2 * 3 + 0.5, 4 - 1, 3 - 1, 2, 4 / 3, 3 + 2 * 1.5 + 0.5, 15 / 4 - 1, 3 - 1, 6, 6],
    [4, 4 + 2 * 4 + 0.5, 12 - 1, 0, 2 / 3, 2 / 5, 4 + 2 * 4 + 0.5, 15 / 2 - 1, 0, 12 / 7, 3 / 2],
    [12, 12 + 2 * 8 + 0.5, 9 - 1, 15 - 1, 4 / 3, 2, 12 + 2 * 1 + 0.5, 15 - 1, 0, 6, 6],
])  # fmt: skip


@pytest.mark.parametrize("rows", [[0, 1], [1, 0], [0], [1], [1, 1, 0]])
def test_all_channels_on_five_nodes(rows) -> None:
    network = path_network().eval()
    vectors, logits = network.answer(np.array([rows]))
    both = np.stack([BY_COMPONENT[0] + BY_COMPONENT[1], BY_COMPONENT[2]])
    np.testing.assert_allclose(vectors[0].detach(), both[rows], rtol=1e-5, atol=1e-6)
    expected = np.stack([both.sum(1), np.full(2, 7.0)], axis=1)
    np.testing.assert_allclose(logits[0].detach(), expected[rows], rtol=1e-5)


def test_components_by_their_greatest_values() -> None:
    network = path_network().eval()
    network.model = settings_of(**PATH_SETTINGS.model.__dict__ | {"components": "max"}).model
    with torch.no_grad():
        network.table.table.mul_(-1)  # nothing is above 0, not even what padding might be
        network.first.weight[0, 0, 0] = -1.0
    for rows, expected in (([0, 1], [5.0, 3.0]), ([1, 0], [3.0, 5.0]), ([0], [5.0])):
        vectors, _ = network.answer(np.array([rows]))  # max(-1, -2) + -4, and max(-3, -4, -5)
        assert vectors[0, :, 0].tolist() == expected


def test_a_channel_scores_each_anchor() -> None:
    channel = Channel(2, Init([0, 1]))
    with torch.no_grad():
        channel.score.weight[:, :, 0] = torch.tensor([[1.0, -1.0], [0.0, 2.0]])
        channel.score.bias[:, 0, 0] = torch.tensor([0.5, -1.0])
    shared = torch.tensor([[[3.0, 1.0], [1.0, 3.0]]] * 2)  # scores 2, -2; 2, 6
    weights = torch.tensor([[[1.0, 1.0], [0.5, 0.1]], [[0.0, 0.5], [1.0, 0.25]]])
    expected = [[[2.5, 0.0], [1.5, 0.3]], [[0.0, 2.0], [1.0, 0.5]]]
    torch.testing.assert_close(channel(shared, weights), torch.tensor(expected))
    each = shared.unsqueeze(1).repeat(1, 2, 1, 1)
    torch.testing.assert_close(channel(each, weights), torch.tensor(expected))
    each[0, 1] = each[0, 1].flip(0)  # only what the second component hears
    expected[0][1] = [0.0, 0.7]
    torch.testing.assert_close(channel(each, weights), torch.tensor(expected))


def test_an_update_sums_what_it_hears() -> None:
    update = Update(1, Init([0, 1]))
    with torch.no_grad():
        update.linear.weight[:, :, 0] = torch.tensor([[1.0, 2.0], [-1.0, 1.0]])
        update.linear.bias[:, 0, 0] = torch.tensor([0.5, 0.0])
    x, weights = torch.tensor([[[1.0]], [[2.0]]]), torch.tensor([[[0.5, 0.25]], [[1.0, 0.0]]])
    heard = torch.tensor([[[[2.0], [4.0]]], [[[1.5], [9.0]]]])
    assert update(x, heard, weights).tolist() == [[[5.5]], [[0.0]]]


# Whole networks against loops


def patch_vectors(network: SubGNN, found: Precomputed, r: int) -> dict[str, list[Tensor]]:
    """By side, those of all layers: walk by walk, gate by gate."""
    table, patches = network.table()[r], {}
    for s, side in enumerate(SIDES if found.structure else ()):
        lstm, leave = lstm_loop(network.readers[s], r), network.leave[s]
        patches[side] = [
            sum(
                lstm([table[v] if v >= 0 else torch.zeros_like(table[0]) for v in walk])
                @ leave.weight[r]
                + leave.bias[r, 0]
                for walk in walks
            )
            for sides in found.structure
            for walks in sides[side].walks[r].tolist()
        ]
    return patches


def explicit(
    network: SubGNN, found: Precomputed, settings: SubGNNSettings, r: int, rows: Sequence[int]
) -> tuple[Tensor, Tensor]:
    """Vectors and logits of some subgraphs by one replica, anchor by anchor."""
    patches = patch_vectors(network, found, r)
    answers = [explicit_one(network, found, settings, r, int(i), patches) for i in rows]
    vectors, logits = zip(*answers, strict=True)
    return torch.stack(vectors), torch.stack(logits)


def explicit_one(
    network: SubGNN, found: Precomputed, settings: SubGNNSettings, r: int, number: int,
    patches: dict[str, list[Tensor]],
) -> tuple[Tensor, Tensor]:  # fmt: skip
    model, table, parts = settings.model, network.table()[r], found.components
    total = 0
    for k in range(int(parts.first[number]), int(parts.first[number + 1])):
        members = table[parts.nodes[parts.ptr[k] : parts.ptr[k + 1]].tolist()]
        x = members.sum(0) if model.components == "sum" else members.max(0).values
        joined, chain = [x], dict.fromkeys(SIDES, x)
        for layer in range(model.layers):
            for s, side in enumerate(SIDES):
                which = 2 * layer + s
                if model.neighborhood:
                    near, linear = found.neighborhood[layer][side], network.updates[which].linear
                    heard = torch.zeros_like(x)
                    for v, w in zip(near.ids[r, k], near.weights[r, k], strict=True):
                        heard = heard + float(w) * table[int(v)]
                    both = torch.cat([chain[side], heard])
                    chain[side] = torch.relu(both @ linear.weight[r] + linear.bias[r, 0])
                    joined.append(chain[side])
                if model.position:
                    place, score = found.position[layer][side], network.positions[which].score
                    ids = place.ids[r, number] if side == "internal" else place.ids[r]
                    for v, w in zip(ids, place.weights[r, k], strict=True):
                        message = float(w) * table[int(v)]
                        joined.append(torch.relu(message @ score.weight[r] + score.bias[r, 0]))
                if model.structure:
                    score = network.structures[which].score
                    for n, w in enumerate(found.structure[layer][side].weights[r, k]):
                        message = float(w) * patches[side][layer * model.patches + n]
                        joined.append(torch.relu(message @ score.weight[r] + score.bias[r, 0]))
        total = total + torch.cat(joined)
    hidden = total
    for linear in (network.first, network.second):
        hidden = torch.relu(hidden @ linear.weight[r] + linear.bias[r, 0])
    return hidden, hidden @ network.head.weight[r] + network.head.bias[r, 0]


def lstm_loop(ours: BiLSTM, r: int) -> Any:
    """A bidirectional LSTM over a list of vectors, gate by gate."""

    def one_way(steps: list[Tensor], number: int) -> list[Tensor]:
        h = c = torch.zeros(ours.hidden)
        states = []
        for x in steps:
            gates = x @ ours.enter[number][r] + h @ ours.back[number][r] + ours.bias[number][r, 0]
            i, f, g, o = gates.split(ours.hidden)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            states.append(h)
        return states

    def read(steps: list[Tensor]) -> Tensor:
        ends = steps[0]
        for layer in range(len(ours.enter) // 2):
            forth = one_way(steps, 2 * layer)
            back = one_way(steps[::-1], 2 * layer + 1)[::-1]
            steps = [torch.cat(pair) for pair in zip(forth, back, strict=True)]
            ends = torch.cat([forth[-1], back[0]])
        return ends

    return read


VARIANTS: list[dict[str, Any]] = [
    {},
    {"layers": 2, "lstm_layers": 2, "components": "max"},
    {"similarity": "distance", "position": False, "layers": 2},
    {"neighborhood": False, "structure": False, "limit": 1},
    {"neighborhood": False, "position": False, "border_hops": 2, "components": "max"},
]


@pytest.mark.slow
@pytest.mark.parametrize("changes", VARIANTS)
def test_the_network_is_a_loop_over_components_and_anchors(changes) -> None:
    task, settings = mixed_task(), settings_of(**changes)
    network = build(task, settings)
    scatter_parameters(network, seed=1)
    found = precompute(task, settings.model, SEEDS)
    rows = np.array([[3, 1, 8, 0, 9, 2], [9, 2, 4, 4, 7, 1]])  # replicas see others
    vectors, logits = network.answer(rows)
    assert vectors.shape == (2, 6, 5)
    loops = [explicit(network, found, settings, r, rows[r]) for r in range(2)]
    expected = [torch.stack(each) for each in zip(*loops, strict=True)]
    torch.testing.assert_close(vectors, expected[0], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(logits, expected[1], rtol=1e-4, atol=1e-4)
    above, parameters = drawn(*logits.shape, seed=3), dict(network.named_parameters())
    ours = torch.autograd.grad(logits, list(parameters.values()), above)
    wanted = torch.autograd.grad(expected[1], list(parameters.values()), above)
    for name, one, other in zip(parameters, ours, wanted, strict=True):
        scale = 1 + float(other.abs().max())
        torch.testing.assert_close(one / scale, other / scale, rtol=1e-3, atol=1e-5, msg=name)
        assert one.isfinite().all()


# Batches, padding and replicas


@pytest.mark.parametrize("changes", VARIANTS[:2])
def test_an_answer_depends_on_the_subgraph_alone(changes) -> None:
    task, settings = mixed_task(), settings_of(**changes)
    network = build(task, settings).eval()
    scatter_parameters(network)
    with torch.no_grad():
        everything = network(np.arange(len(task)))  # in batches of 4
        assert everything[1].shape == (2, len(task), 2)
        assert everything[1].isfinite().all()
        for i in range(len(task)):
            torch.testing.assert_close(network(np.array([i])), tuple(v[:, [i]] for v in everything))
        order = generator(1).permutation(len(task))
        network.batch = 7
        shuffled = tuple(value[:, order.copy()] for value in everything)
        torch.testing.assert_close(network(order), shuffled)
        mixed = np.stack([order, order[::-1]])
        vectors, logits = network.answer(mixed)
        for r in range(2):
            torch.testing.assert_close(logits[r], everything[1][r, mixed[r].tolist()])
            torch.testing.assert_close(vectors[r], everything[0][r, mixed[r].tolist()])


@pytest.mark.parametrize("changes", VARIANTS[:3])
def test_gradients_of_a_batch_are_those_of_its_subgraphs(changes) -> None:
    task = mixed_task()
    network = build(task, settings_of(**changes))
    scatter_parameters(network)
    rows = np.array([0, 2, 9, 1])
    parameters, above = list(network.parameters()), drawn(2, 4, 2)
    together = torch.autograd.grad(network(rows)[1], parameters, above)
    alone = [
        torch.autograd.grad(network(rows[[i]])[1], parameters, above[:, [i]]) for i in range(4)
    ]
    for grad, *parts in zip(together, *alone, strict=True):
        assert grad.isfinite().all()
        torch.testing.assert_close(grad, sum(parts), rtol=1e-3, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("changes", VARIANTS)
def test_a_replica_is_what_it_is_alone(changes) -> None:
    task = mixed_task()
    settings = settings_of(**changes, **{"model.dropout": 0.4, "lstm_dropout": 0.3})
    seeds = (4, 9, 2)
    together = build(task, settings, seeds)
    rows = [np.stack([generator(10 * n + r).permutation(10)[:4] for r in range(3)])
            for n in range(3)]  # fmt: skip
    answers = [together.train().answer(each)[1] for each in rows]
    whole = together.eval()(np.arange(10))
    for r, seed in enumerate(seeds):
        alone = build(task, settings, [seed])
        for name, parameter in together.named_parameters():
            assert torch.equal(parameter[r : r + 1], dict(alone.named_parameters())[name]), name
        for name, buffer in together.named_buffers():
            assert torch.equal(buffer[r : r + 1], dict(alone.named_buffers())[name]), name
        for each, answer in zip(rows, answers, strict=True):
            own = alone.train().answer(each[r : r + 1])[1]
            torch.testing.assert_close(answer[r : r + 1], own)
        torch.testing.assert_close(whole[1][r : r + 1], alone.eval()(np.arange(10))[1])


def test_nodes_around_a_component_count_only_where_there_are_any() -> None:
    """Isolated nodes have no border: what they hear is nothing, whatever node 0 says."""
    task, settings = mixed_task(), settings_of(layers=2, structure=False, position=False)
    network = build(task, settings).eval()
    scatter_parameters(network)
    before = network(np.array([1, 2, 0]))[1].detach()
    with torch.no_grad():
        network.table.table[:, 0] += 10.0  # the node that padding points to
    after = network(np.array([1, 2, 0]))[1].detach()
    torch.testing.assert_close(before[:, :2], after[:, :2])
    assert (before[:, 2] - after[:, 2]).abs().min() > 1e-3


def test_nodes_after_the_end_of_a_walk_are_not_read() -> None:
    graph = Graph.from_edges([], [], num_nodes=4)
    task = task_of(graph, [[0, 1, 2, 3], [3]])
    settings = settings_of(neighborhood=False, position=False, lstm_layers=2)
    network = build(task, settings)
    scatter_parameters(network)
    found = precompute(task, network.model, SEEDS)
    assert (found.structure[0]["internal"].walks[..., 1:] == -1).all()
    assert (found.structure[0]["border"].walks == -1).all()
    logits = network(np.arange(2))[1]
    assert logits.isfinite().all()
    for r in range(2):
        expected = explicit(network, found, settings, r, [0, 1])[1]
        torch.testing.assert_close(logits[r], expected, rtol=1e-4, atol=1e-4)


def test_a_network_depends_on_its_seeds_alone() -> None:
    task, settings = mixed_task(), settings_of(**{"model.dropout": 0.5})
    rows = np.arange(8)
    torch.manual_seed(0)
    one = build(task, settings).train()(rows)[1]
    torch.manual_seed(1)
    np.random.seed(1)  # noqa: NPY002
    two = build(task, settings)
    torch.testing.assert_close(one, two.train()(rows)[1], rtol=0, atol=0)
    assert not torch.equal(one, two.train()(rows)[1])  # other things are dropped
    assert torch.equal(two.eval()(rows)[1], two.eval()(rows)[1])
    three = build(task, settings, (3, 12)).train()(rows)[1]
    assert torch.equal(one[0], three[0])
    assert not torch.equal(one[1], three[1])


@pytest.mark.parametrize("on", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2)])
def test_a_channel_that_is_off_has_no_parameters(on) -> None:
    settings = settings_of(**{name: n in on for n, name in enumerate(CHANNELS)}, layers=2)
    network = build(mixed_task(), settings)
    names = {name.split(".")[0] for name, _ in network.named_parameters()}
    own = [{"updates"}, {"positions"}, {"structures", "readers", "leave"}]
    assert names == {"table", "first", "second", "head"}.union(*(own[n] for n in on))
    read = 3 + 2 * ((0 in on) * 2 * 3 + (1 in on) * (3 + 5) + (2 in on) * 2 * 4)
    assert network.first.weight.shape == (2, read, 6)
    buffers = {name.split("_")[0] for name, _ in network.named_buffers()} - {"table.encodings"}
    assert buffers == {CHANNELS[n] for n in on}
    assert not any("_ids" in name for name in network.state_dict())
    network(np.arange(10))[1].square().sum().backward()
    assert all(p.grad is not None for p in network.parameters())


def test_no_channel_at_all() -> None:
    settings = settings_of(**dict.fromkeys(CHANNELS, False))
    with pytest.raises(ConfigError, match="needs a channel"):
        build(mixed_task(), settings)


@pytest.mark.parametrize(
    ("name", "value"),
    [("components", "mean"), ("similarity", "near"), ("layers", 0), ("walk_length", 1),
     ("beta", 1.5), ("lstm_dropout", 1.0), ("patches", 2.5)],
)  # fmt: skip
def test_settings_that_cannot_be(name, value) -> None:
    with pytest.raises(ConfigError, match=name):
        settings_of(**{name: value})


@pytest.mark.slow
@pytest.mark.parametrize("trainable", [False, True])
def test_features_that_are_the_same_for_all_replicas(trainable) -> None:
    task = mixed_task()
    settings = settings_of(kind="constant", value=0.5, trainable=trainable, layers=2)
    network = build(task, settings)
    scatter_parameters(network)
    found = precompute(task, settings.model, SEEDS)
    logits = network(np.array([3, 9]))[1]
    for r in range(2):
        expected = explicit(network, found, settings, r, [3, 9])[1]
        torch.testing.assert_close(logits[r], expected, rtol=1e-4, atol=1e-4)
    assert ("table.table" in dict(network.named_parameters())) == trainable


# Training


@pytest.fixture(scope="module")
def generated() -> SubgraphTask:
    return s2n.load_task("generate:component,subgraphs=30")


TRAINED = {**SMALL, "kind": "random", "epochs": 2, "batch": 8, "lr": 0.01, "device": "cpu"}


def train(task: SubgraphTask, seeds: Sequence[int], **changes: Any) -> Any:
    settings = {**TRAINED, **changes}
    device = settings.pop("device")
    return assess(
        task, baseline(task, "subgnn", settings=settings, device=device).model, seeds=seeds
    )


@pytest.mark.slow
def test_training_together_is_training_alone(generated) -> None:
    changes = {"model.dropout": 0.3, "lstm_dropout": 0.2, "lstm_layers": 2}
    both = train(generated, [1, 2], **changes)
    assert both.model.startswith("subgnn")
    assert both.config["baseline"] == "subgnn"
    assert both.outputs["test"].logits.shape == (2, 3, 2)
    assert both.outputs["test"].vectors.shape == (2, 3, 5)
    for r, seed in enumerate((1, 2)):
        alone = train(generated, [seed], **changes)
        for part in ("train", "val", "test"):
            values = both.outputs[part].logits
            np.testing.assert_allclose(values[[r]], alone.outputs[part].logits, atol=1e-4)
        for column, rows in both.history.items():
            np.testing.assert_allclose(rows[:, [r]], alone.history[column], atol=1e-4)
    assert not np.allclose(*both.outputs["test"].logits)


@pytest.mark.slow
@pytest.mark.parametrize("channel", CHANNELS)
def test_each_channel_learns_alone(generated, channel) -> None:
    changes = {name: name == channel for name in CHANNELS}
    result = train(generated, [0, 1], epochs=8, similarity="distance", **changes)
    loss = result.history["train_loss"]
    assert np.isfinite(loss).all()
    assert (loss[-1] < loss[0] - 0.05).all()


@pytest.mark.slow
def test_several_labels(generated) -> None:
    labels = np.eye(2, dtype=bool)[generated.labels]
    labels = np.column_stack([labels, np.arange(30) % 3 == 0])
    task = SubgraphTask(generated.graph, generated.subgraphs, labels, split=generated.split)
    result = train(task, [1, 2], epochs=8, components="max")
    assert result.outputs["test"].logits.shape == (2, 3, 3)
    loss = result.history["train_loss"]
    assert np.isfinite(loss).all()
    assert (loss[-1] < loss[0]).all()


def test_no_channel_is_said_before_any_work(generated) -> None:
    with pytest.raises(ConfigError, match="needs a channel"):
        train(generated, [1], **dict.fromkeys(CHANNELS, False))
