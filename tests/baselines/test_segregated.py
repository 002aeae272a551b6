"""GNN-Seg against dense algebra, one subgraph and one replica at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import elu

import sub2node as s2n
from sub2node.base.ragged import Array, generator
from sub2node.baselines.segregated import (
    DegreeTable,
    Segregated,
    SegregatedSettings,
    build_segregated,
)
from sub2node.evaluate.protocol import assess
from sub2node.models.baseline import baseline
from sub2node.nn import Init
from sub2node.nn.node_inputs import node_inputs
from sub2node.task import Graph, Subgraphs, SubgraphTask
from subgnn_cases import drawn, mixed_task, scatter_parameters, task_of

SEEDS = (3, 11)
SMALL = {"hidden": 4, "width": 3, "batch": 4, "model.dropout": 0.0}
VARIANTS: list[dict[str, Any]] = [
    {"conv": conv, "degrees": degrees, "layers": layers}
    for conv in ("gcn", "gin")
    for degrees, layers in ((True, 1), (False, 2), (True, 3))
]


def settings_of(**changes: Any) -> SegregatedSettings:
    return SegregatedSettings().with_settings({**SMALL, **changes})


def build(
    task: SubgraphTask, settings: SegregatedSettings, seeds: Sequence[int] = SEEDS
) -> Segregated:
    inputs = node_inputs(task, settings.features, np.arange(task.graph.num_nodes))
    return build_segregated(task, settings, seeds=seeds, inputs=inputs, device="cpu")[0]


def inner_adjacency(task: SubgraphTask, number: int) -> tuple[list[int], Tensor]:
    """Members, and which of them are neighbours; loops do not count."""
    low, high = task.subgraphs.ptr[number : number + 2]
    members = task.subgraphs.nodes[low:high].tolist()
    ptr, (first, second) = task.internal_edges()
    whole = torch.zeros(len(task.subgraphs.nodes), len(task.subgraphs.nodes))
    here = slice(ptr[number], ptr[number + 1])
    whole[first[here].tolist(), second[here].tolist()] = 1
    block = whole[low:high, low:high]
    return members, block + block.T


def induced_adjacency(task: SubgraphTask, number: int) -> tuple[list[int], Tensor]:
    """The same from the global graph, for subgraphs without edges of their own."""
    low, high = task.subgraphs.ptr[number : number + 2]
    members = task.subgraphs.nodes[low:high].tolist()
    size = task.graph.num_nodes
    whole = torch.zeros(size, size)
    first, second, _ = task.graph.edges()
    whole[first.tolist(), second.tolist()] = whole[second.tolist(), first.tolist()] = 1
    whole.fill_diagonal_(0)
    return members, whole[members][:, members]


def explicit(
    network: Segregated, task: SubgraphTask, settings: SegregatedSettings, r: int, number: int,
    table: Tensor, adjacency: Any = induced_adjacency,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Vector and logits of one subgraph by one replica."""
    members, links = adjacency(task, number)
    degrees, x, found = links.sum(1), table[members], []
    for layer in range(settings.model.layers):
        if settings.model.conv == "gcn":
            root = torch.where(degrees > 0, degrees, 1).rsqrt()
            x = root[:, None] * (links @ (root[:, None] * x))
        else:
            x = x + links @ x
        x = x @ network.maps[layer].weight[r] + network.maps[layer].bias[r, 0]
        found.append(x)
        norm = network.norms[layer] if layer < len(network.norms) else None
        if norm is not None:
            centred = x - norm.share[r] * x.mean(0, keepdim=True)
            x = centred / (centred.square().mean(0, keepdim=True) + 1e-5).sqrt()
            x = elu(norm.weight[r] * x + norm.bias[r])
    summed = torch.cat(found, dim=1).sum(0)
    hidden = elu(summed @ network.first.weight[r] + network.first.bias[r, 0])
    return hidden, hidden @ network.head.weight[r] + network.head.bias[r, 0]


def tables(network: Segregated, task: SubgraphTask, settings: SegregatedSettings) -> Tensor:
    """Node vectors (R, N, F); with degrees, one-hot through a linear map."""
    if not settings.model.degrees:
        return network.table.table
    known = sorted(set(task.graph.degrees.tolist()))
    one_hot = torch.zeros(task.graph.num_nodes, len(known))
    for node, degree in enumerate(task.graph.degrees.tolist()):
        one_hot[node, known.index(degree)] = 1
    return one_hot @ network.table.table


def useful(network: Segregated) -> dict[str, Tensor]:
    """All parameters but those of a norm after the last layer, whose output nobody reads."""
    last = f"norms.{len(network.maps) - 1}."
    return {n: p for n, p in network.named_parameters() if not n.startswith(last)}


@pytest.mark.parametrize("changes", VARIANTS)
def test_the_network_is_dense_algebra_on_each_subgraph(changes) -> None:
    task, settings = mixed_task(), settings_of(**changes)
    network = build(task, settings)
    scatter_parameters(network)
    rows = np.array([[3, 1, 8, 0, 9, 2, 4], [9, 2, 4, 4, 7, 1, 5]])  # replicas see others
    vectors, logits = network.answer(rows)
    assert vectors.shape == (2, 7, 4)
    table = tables(network, task, settings)
    loops = [[explicit(network, task, settings, r, i, table[r]) for i in rows[r]] for r in range(2)]
    expected = [
        torch.stack([torch.stack([one[n] for one in each]) for each in loops]) for n in range(2)
    ]
    torch.testing.assert_close(vectors, expected[0], rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(logits, expected[1], rtol=1e-3, atol=1e-3)
    above, parameters = drawn(*logits.shape, seed=3), useful(network)
    ours = torch.autograd.grad(logits, list(parameters.values()), above)
    wanted = torch.autograd.grad(expected[1], list(parameters.values()), above)
    for name, one, other in zip(parameters, ours, wanted, strict=True):
        scale = 1 + float(other.abs().max())
        torch.testing.assert_close(one / scale, other / scale, rtol=1e-3, atol=1e-4, msg=name)
        assert one.any(), name
        assert one.isfinite().all(), name


def test_a_star_by_hand() -> None:
    """Node 0 in the middle of 1 to 4, and 5 alone; width 1, so that all can be added up."""
    graph = Graph.from_edges([0, 0, 0, 0], [1, 2, 3, 4], num_nodes=6)
    task = task_of(graph, [[0, 1, 2, 3, 4], [5], [0, 1, 5], [1, 2]])
    expected = {
        # Leaves hear 2 / 2, the middle hears 4 · 3 / 2; a node alone hears nothing.
        "gcn": [6 + 4 * 1, 0, 3 + 2, 0],
        "gin": [(2 + 4 * 3) + 4 * (3 + 2), 5, (2 + 3) + (3 + 2) + 5, 3 + 3],
    }
    for conv, sums in expected.items():
        network = build(task, settings_of(conv=conv, hidden=1, layers=1), [0])
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.zero_()
            network.table.table[0, :, 0] = torch.tensor([5.0, 3.0, 2.0])  # degrees 0, 1, 4
            network.maps[0].weight[:], network.maps[0].bias[:] = 2.0, 0.25
            network.first.weight[:] = 1.0
            network.head.weight[0, 0, 1], network.head.bias[0, 0, 0] = 1.0, -1.0
        sizes = np.array([5, 1, 3, 2])
        vectors, logits = network(np.arange(4))
        wanted = 2 * np.array(sums) + 0.25 * sizes
        np.testing.assert_allclose(vectors[0, :, 0].detach(), wanted, rtol=1e-6)
        np.testing.assert_allclose(logits[0, :, 1].detach(), wanted, rtol=1e-6)
        assert (logits[0, :, 0] == -1).all()


def test_norms_are_of_each_subgraph_and_replica() -> None:
    """Two layers, by hand: the second reads the normalised, ELU'd first."""
    graph = Graph.from_edges([0, 2], [1, 3], num_nodes=5)
    task = task_of(graph, [[0, 1], [2, 3], [4]])
    network = build(task, settings_of(conv="gin", hidden=1, width=1, degrees=False, layers=2))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
        network.table.table[:, :, 0] = torch.tensor([1.0, 3.0, 10.0, -10.0, 7.0])
        for r in range(2):
            network.norms[0].weight[r], network.norms[0].bias[r] = 2.0 + r, 1.0 - r
            network.norms[0].share[r] = 0.5
        network.maps[0].weight[:] = network.maps[1].weight[:] = 1.0
        network.first.weight[:, 1] = 1.0  # only the second layer is read
    vectors = network(np.arange(3))[0][..., 0]
    # First layer: 4, 4; 0, 0; 7. Less half of their means: 2, 2; 0, 0; 3.5. Normalised: 1, 1; 0, 0;
    # 1. Times the weight, plus the bias, and for pairs each adds its neighbour.
    scale = np.array([4.0, 0.0, 3.5**2])
    ones = np.sqrt(scale / (scale + 1e-5))
    pairs = np.array([4, 4, 1])
    for r in range(2):
        np.testing.assert_allclose(
            vectors[r].detach(), pairs * ((2 + r) * ones + 1 - r), rtol=1e-5, atol=1e-6
        )


def test_edges_of_a_subgraphs_own() -> None:
    graph = Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 2])
    subgraphs = Subgraphs(
        np.array([0, 3, 6]), np.array([0, 1, 2, 1, 2, 3]), None, np.array([0, 1, 3]),
        np.array([[0, 2], [1, 2], [2, 3]]),
    )  # fmt: skip
    task = SubgraphTask(graph, subgraphs, np.array([0, 1]))
    settings = settings_of(layers=2)
    network = build(task, settings)
    scatter_parameters(network)
    table, logits = tables(network, task, settings), network(np.arange(2))[1]
    for r in range(2):
        for i in range(2):
            expected = explicit(network, task, settings, r, i, table[r], inner_adjacency)[1]
            torch.testing.assert_close(logits[r, i], expected, rtol=1e-3, atol=1e-3)
    other = explicit(network, task, settings, 0, 0, table[0])[1]
    assert (other - logits[0, 0]).abs().max() > 1e-3  # induced ones would say something else


def test_vectors_of_degrees() -> None:
    degrees = np.array([5, 0, 2, 5, 1000])
    table = DegreeTable(degrees, 3, Init(SEEDS))
    vectors = table()
    assert table.table.shape == (2, 4, 3)
    assert vectors.shape == (2, 5, 3)
    assert torch.equal(vectors[:, 0], vectors[:, 3])
    assert len(torch.unique(vectors[0], dim=0)) == 4
    assert not torch.equal(vectors[0], vectors[1])
    for node, row in enumerate((2, 0, 1, 2, 3)):
        assert torch.equal(vectors[:, node], table.table[:, row])
    vectors[:, 3].sum().backward()
    assert table.table.grad[:, 2].eq(1).all()
    assert not table.table.grad[:, [0, 1, 3]].any()


def test_degrees_are_those_in_the_global_graph() -> None:
    graph = Graph.from_edges([0, 1, 1, 1], [1, 2, 3, 4])
    task = task_of(graph, [[0, 1], [2, 3]])  # 0, 2 and 3 have degree 1, 1 has 4
    network = build(task, settings_of())
    row = network.table.row.tolist()
    assert row == [0, 1, 0, 0, 0]
    assert network.table.width == 4


# Batches, padding and replicas


@pytest.mark.parametrize("changes", VARIANTS[1:6:2])
def test_an_answer_depends_on_the_subgraph_alone(changes) -> None:
    task, settings = mixed_task(), settings_of(**changes)
    network = build(task, settings).eval()
    scatter_parameters(network)
    close = {"rtol": 1e-3, "atol": 1e-3}  # norms of equal members divide rounding by sqrt(ε)
    with torch.no_grad():
        everything = network(np.arange(len(task)))  # in batches of 4
        assert everything[1].shape == (2, len(task), 2)
        assert everything[1].isfinite().all()
        for i in range(len(task)):
            alone, expected = network(np.array([i])), tuple(v[:, [i]] for v in everything)
            torch.testing.assert_close(alone, expected, **close)
        order = generator(1).permutation(len(task))
        network.batch = 7
        shuffled = tuple(value[:, order.copy()] for value in everything)
        torch.testing.assert_close(network(order), shuffled, **close)
        mixed = np.stack([order, order[::-1]])
        logits = network.answer(mixed)[1]
        for r in range(2):
            torch.testing.assert_close(logits[r], everything[1][r, mixed[r].tolist()], **close)


@pytest.mark.parametrize("changes", VARIANTS)
def test_gradients_of_a_batch_are_those_of_its_subgraphs(changes) -> None:
    network = build(mixed_task(), settings_of(**changes))
    scatter_parameters(network)
    rows = np.array([0, 2, 9, 4])
    parameters, above = list(useful(network).values()), drawn(2, 4, 2)
    together = torch.autograd.grad(network(rows)[1], parameters, above)
    alone = [
        torch.autograd.grad(network(rows[[i]])[1], parameters, above[:, [i]]) for i in range(4)
    ]
    for grad, *parts in zip(together, *alone, strict=True):
        assert grad.isfinite().all()
        scale = 1 + float(grad.abs().max())
        torch.testing.assert_close(grad / scale, sum(parts) / scale, rtol=1e-3, atol=1e-4)


def steps_of(seeds: Sequence[int]) -> list[Array]:
    """Batches of three steps, each replica its own."""
    return [
        np.stack([generator(100 * n + seed).permutation(10)[:4] for seed in seeds])
        for n in range(3)
    ]


def check_alone(settings: SegregatedSettings, seeds: Sequence[int] = (4, 9, 2)) -> None:
    task = mixed_task()
    together = build(task, settings, seeds)
    answers = [together.train().answer(rows)[1] for rows in steps_of(seeds)]
    for r, seed in enumerate(seeds):
        alone = build(task, settings, [seed])
        for name, parameter in together.named_parameters():
            assert torch.equal(parameter[r : r + 1], dict(alone.named_parameters())[name]), name
        for rows, answer in zip(steps_of([seed]), answers, strict=True):
            own = alone.train().answer(rows)[1]
            torch.testing.assert_close(answer[r : r + 1], own, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("changes", VARIANTS)
def test_a_replica_is_what_it_is_alone(changes) -> None:
    check_alone(settings_of(**changes))


@pytest.mark.parametrize("layers", [1, 2])
def test_what_a_replica_drops_does_not_depend_on_others(layers) -> None:
    check_alone(settings_of(layers=layers, **{"model.dropout": 0.4}))


@pytest.mark.parametrize("layers", [1, 2])
def test_all_parameters_are_read(layers) -> None:
    network = build(mixed_task(), settings_of(layers=layers))
    network(np.arange(10))[1].square().sum().backward()
    unread = [name for name, p in network.named_parameters() if p.grad is None]
    assert unread == []


def test_dropout_is_of_channels_scaled_up_and_only_while_training() -> None:
    task, settings = mixed_task(), settings_of(layers=2, **{"model.dropout": 0.5})
    network = build(task, settings)
    rows = np.stack([np.arange(10)] * 2)
    one, two = (network.train().answer(rows) for _ in range(2))
    assert not torch.equal(one[1], two[1])
    dropped = (one[0] == 0).float().mean()
    assert 0.25 < dropped < 0.75
    again = build(task, settings).train().answer(rows)
    assert torch.equal(one[1], again[1])
    quiet = network.eval().answer(rows)
    plain = build(task, settings_of(layers=2)).train().answer(rows)
    assert torch.equal(quiet[1], plain[1])
    assert not (quiet[0] == 0).any()


@pytest.mark.parametrize("conv", ["gcn", "gin"])
@pytest.mark.parametrize("layers", [1, 3])
def test_no_edges_at_all(conv, layers) -> None:
    task = task_of(Graph.from_edges([], [], num_nodes=4), [[0, 1, 2], [3]])
    settings = settings_of(conv=conv, layers=layers, degrees=False)
    network = build(task, settings)
    scatter_parameters(network)
    logits = network(np.arange(2))[1]
    for r in range(2):
        for i in range(2):
            expected = explicit(network, task, settings, r, i, network.table.table[r])[1]
            torch.testing.assert_close(logits[r, i], expected, rtol=1e-3, atol=1e-3)
    logits.sum().backward()
    assert all(p.grad.isfinite().all() for p in useful(network).values())
    heard = network.table.table.grad.any()  # by GCN, members without neighbours are not
    assert heard == (conv == "gin")


def test_nothing_outside_a_subgraph_is_seen() -> None:
    inside = ([0, 1, 2], [1, 2, 0])
    sets = [[0, 1, 2], [3, 4]]
    plain = Graph.from_edges(*inside, num_nodes=6)
    more = Graph.from_edges([*inside[0], 2, 3, 4], [*inside[1], 3, 5, 5], num_nodes=6)
    settings = settings_of(degrees=False, layers=2)
    one, two = (build(task_of(graph, sets), settings)(np.arange(2))[1] for graph in (plain, more))
    assert torch.equal(one, two)


def test_a_network_depends_on_its_seeds_alone() -> None:
    task, settings, rows = mixed_task(), settings_of(layers=2), np.arange(10)
    torch.manual_seed(0)
    one = build(task, settings)(rows)[1]
    torch.manual_seed(1)
    assert torch.equal(one, build(task, settings)(rows)[1])
    three = build(task, settings, (3, 12))(rows)[1]
    torch.testing.assert_close(one[0], three[0], rtol=1e-3, atol=1e-3)
    assert not torch.allclose(one[1], three[1])


# Training


@pytest.fixture(scope="module")
def generated() -> SubgraphTask:
    return s2n.load_task("generate:component,subgraphs=30")


def train(task: SubgraphTask, seeds: Sequence[int], **changes: Any) -> Any:
    settings = {**SMALL, "epochs": 4, "batch": 8, "layers": 2, "lr": 0.01, **changes}
    model = baseline(task, "gnn-seg", settings=settings, device="cpu").model
    return assess(task, model, seeds=seeds)


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{"degrees": True, "conv": "gcn"}, {"degrees": False}])
def test_training_together_is_training_alone(generated, changes) -> None:
    changes = {"kind": "random", **changes}
    both = train(generated, [1, 2], **changes)
    assert both.model.startswith("gnn-seg")
    assert both.outputs["test"].logits.shape == (2, 3, 2)
    for r, seed in enumerate((1, 2)):
        alone = train(generated, [seed], **changes)
        values = both.outputs["test"].logits
        np.testing.assert_allclose(values[[r]], alone.outputs["test"].logits, atol=0.01)
        loss = both.history["train_loss"]
        np.testing.assert_allclose(loss[:, [r]], alone.history["train_loss"], atol=0.01)
    assert not np.allclose(*both.outputs["test"].logits, atol=0.05)


def test_edges_alone_can_be_learned() -> None:
    """Triangles and paths of three, all nodes the same: only edges tell them apart."""
    base = 3 * np.arange(20)
    source = np.concatenate([base, base + 1, base[::2]])
    target = np.concatenate([base + 1, base + 2, base[::2] + 2])
    sets, labels = [[b, b + 1, b + 2] for b in base], np.arange(20) % 2
    split = s2n.Split.random(labels, seed=1, fractions=(0.5, 0.25, 0.25))
    graph = Graph.from_edges(source, target)
    task = SubgraphTask(graph, Subgraphs.from_lists(sets), labels, split=split)
    same = {"degrees": False, "kind": "constant", "trainable": False}
    result = train(task, [1, 2], conv="gin", epochs=40, lr=0.05, hidden=8, layers=1, **same)
    assert result.test["micro_f1"].mean == 1
    loss = result.history["train_loss"]
    assert (loss[-5:].mean(0) < 0.7 * loss[0]).all()


@pytest.mark.slow
def test_several_labels(generated) -> None:
    labels = np.eye(2, dtype=bool)[generated.labels]
    labels = np.column_stack([labels, np.arange(30) % 3 == 0])
    task = SubgraphTask(generated.graph, generated.subgraphs, labels, split=generated.split)
    result = train(task, [1, 2], epochs=10, degrees=True)
    assert result.outputs["test"].logits.shape == (2, 3, 3)
    loss = result.history["train_loss"]
    assert np.isfinite(loss).all()
    assert (loss[-1] < loss[0]).all()
