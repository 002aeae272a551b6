"""Embeddings from link prediction: what is learned, and from which pairs."""

from __future__ import annotations

import sys
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from networkx_graphs import graph_of
from strategies import graphs
from sub2node.base.errors import ConfigError, DataError, Sub2NodeError
from sub2node.encode import LinkSettings, link_prediction
from sub2node.task import Graph

MODULE = sys.modules["sub2node.encode.link_prediction"]
QUICK = LinkSettings(epochs=4, every=2, lr=0.01)


def communities() -> Graph:
    return graph_of(nx.planted_partition_graph(4, 30, 0.4, 0.01, seed=0))


def pairs_of(graph: Graph, share: float = 0.2, seed: int = 0) -> Any:
    return MODULE._Pairs(graph, share, np.random.default_rng(seed))


def keys(ends: Any, size: int) -> set[int]:
    return set((ends.min(axis=0) * size + ends.max(axis=0)).tolist())


@pytest.mark.slow
@pytest.mark.parametrize("aggregation", ["mean", "sum", "gcn"])
def test_communities_are_learned(aggregation: Any) -> None:
    how = LinkSettings(aggregation=aggregation, lr=0.01, epochs=60, held_out=0.1)
    encoding = link_prediction(communities(), 16, how, device="cpu")
    assert encoding.values.shape == (120, 16)
    assert encoding.facts["auc"] > 0.75
    assert encoding.facts["auc"] == max(look["auc"] for look in encoding.facts["history"])
    values = (encoding.values - encoding.values.mean(axis=0)) / encoding.values.std(axis=0)
    near = values.reshape(4, 30, 16)
    within = near.std(axis=1).mean()
    assert within < values.std(axis=0).mean()  # members of a community lie together


def test_random_edges_cannot_be_learned() -> None:
    graph = graph_of(nx.gnm_random_graph(150, 1500, seed=0))
    how = LinkSettings(lr=0.01, epochs=20, held_out=0.2)
    assert link_prediction(graph, 8, how).facts["auc"] < 0.65


def test_a_seed_decides_everything_and_nothing_else_does() -> None:
    graph = communities()
    first = link_prediction(graph, 8, QUICK, device="cpu")
    torch.manual_seed(77)
    before = torch.get_rng_state()
    second = link_prediction(graph, 8, QUICK, device="cpu")
    assert torch.equal(torch.get_rng_state(), before)
    assert np.array_equal(first.values, second.values)
    assert first.facts["history"] == second.facts["history"]
    other = link_prediction(graph, 8, LinkSettings(epochs=4, every=2, lr=0.01, seed=1))
    assert not np.allclose(first.values, other.values)


@given(graph=graphs(plain=True), count=st.integers(1, 40), seed=st.integers(0, 9))
def test_negatives_are_no_edges_and_no_pairs_of_a_node_with_itself(
    graph: Graph, count: int, seed: int
) -> None:
    size = graph.num_nodes
    assume(2 <= graph.num_edges < size * (size - 1) // 2)
    pairs = pairs_of(graph, seed=seed)
    for drawn in (pairs.without_edge(count), pairs._draw_from_list(count)):
        assert drawn.shape == (2, count)
        assert (drawn[0] != drawn[1]).all()
        assert not graph.has_edges(drawn[0], drawn[1]).any()
    assert not graph.has_edges(*pairs.not_joined).any()


@given(graph=graphs(plain=True), share=st.sampled_from([0.01, 0.3, 0.99]))
def test_no_message_passes_over_a_validation_edge(graph: Graph, share: float) -> None:
    size = graph.num_nodes
    assume(2 <= graph.num_edges < size * (size - 1) // 2)
    pairs = pairs_of(graph, share)
    held, kept = keys(pairs.held_out, size), keys(pairs.ends[:, pairs.train_edges], size)
    assert held
    assert kept
    assert not held & kept
    assert held | kept == keys(np.stack(graph.edges()[:2]).astype(np.int64), size)
    for how in ("mean", "sum", "gcn"):
        rows, columns = pairs.adjacency(pairs.train_edges, how).nonzero()
        assert keys(np.stack([rows, columns]).astype(np.int64), size) == kept


def test_the_training_passes_messages_over_kept_edges_only() -> None:
    graph = communities()
    for messages in (0, 50):
        how = LinkSettings(messages=messages, epochs=1, held_out=0.3)
        training = MODULE._Training(graph, 4, how, torch.device("cpu"))
        seen: list[Any] = []
        original = training._messages
        training._messages = lambda edges, to=seen, do=original: (to.append(edges), do(edges))[1]
        training._epoch()
        assert len(seen) == (1 if messages else 0)
        for edges in seen:
            assert len(edges) == len(set(edges.tolist())) == messages
            assert set(edges.tolist()) <= set(training.pairs.train_edges.tolist())
        assert len(training.messages[1]) == 2 * len(training.pairs.train_edges)


@given(graph=graphs(plain=True, edges=1, weighted=True))
def test_messages_are_weighted_and_normalised(graph: Graph) -> None:
    size = graph.num_nodes
    assume(2 <= graph.num_edges < size * (size - 1) // 2)
    dense, pairs = graph.adjacency().toarray().astype(np.float64), pairs_of(graph)
    degree = dense.sum(axis=1)
    one_over = np.divide(1, degree, out=np.zeros(size), where=degree > 0)
    truth = {
        "sum": dense,
        "mean": one_over[:, None] * dense,
        "gcn": np.sqrt(one_over)[:, None] * dense * np.sqrt(one_over),
    }
    for how, matrix in truth.items():
        assert pairs.adjacency(None, how).toarray() == pytest.approx(matrix, abs=1e-6)


def test_weights_change_the_vectors() -> None:
    made = nx.planted_partition_graph(3, 15, 0.5, 0.05, seed=0)
    count = made.number_of_edges()
    plain = link_prediction(graph_of(made), 4, QUICK)
    ones, twos = (link_prediction(graph_of(made, np.full(count, w)), 4, QUICK) for w in (1.0, 2.0))
    uneven = link_prediction(graph_of(made, np.r_[9.0, np.ones(count - 1)]), 4, QUICK)
    assert ones.values == pytest.approx(plain.values, abs=1e-3)  # sums on a GPU vary in order
    assert twos.values == pytest.approx(ones.values, abs=1e-3)  # the mean is the same
    assert not np.allclose(uneven.values, ones.values, atol=1e-2)


@pytest.mark.slow
def test_sampled_messages_and_small_batches_still_learn() -> None:
    how = LinkSettings(messages=300, batch=100, steps=3, lr=0.01, epochs=80, held_out=0.1)
    encoding = link_prediction(communities(), 16, how)
    assert encoding.facts["auc"] > 0.7
    assert encoding.facts["settings"]["messages"] == 300


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (nx.empty_graph(0), "two edges at least, the graph has 0"),
        (nx.empty_graph(5), "two edges at least, the graph has 0"),
        (nx.path_graph(2), "two edges at least, the graph has 1"),
        (nx.complete_graph(3), "every pair of nodes has an edge"),
        (nx.complete_graph(20), "every pair of nodes has an edge"),
    ],
)
def test_graphs_without_links_to_predict(made: nx.Graph, message: str) -> None:
    with pytest.raises(DataError, match=message):
        link_prediction(graph_of(made), 4, QUICK)


def test_a_nearly_complete_graph_works() -> None:
    made = nx.complete_graph(25)
    made.remove_edge(3, 4)
    encoding = link_prediction(graph_of(made), 4, QUICK)
    assert np.isfinite(encoding.values).all()


@pytest.mark.slow
def test_small_graphs_work_whatever_the_seed() -> None:
    for seed in range(8):
        encoding = link_prediction(graph_of(nx.path_graph(4)), 4, LinkSettings(seed=seed, epochs=5))
        assert encoding.values.shape == (4, 4)
        assert np.isfinite(encoding.values).all()


def test_a_rate_that_is_far_too_high_is_said() -> None:
    with pytest.raises(Sub2NodeError, match="lower the learning rate"):
        link_prediction(communities(), 4, LinkSettings(lr=1e30, epochs=5))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("layers", -1, "is at least 0"),
        ("layers", 1.0, "is a whole number"),
        ("epochs", 0, "is at least 1"),
        ("batch", 0, "is at least 1"),
        ("seed", -1, "is at least 0"),
        ("every", 0, "is at least 1"),
        ("patience", True, "is a whole number"),
        ("steps", "2", "is a whole number"),
        ("messages", -5, "is at least 0"),
        ("aggregation", "max", "cannot be 'max'"),
        ("dropout", 1.0, "is at least 0 and at most 0.99"),
        ("dropout", np.nan, "is a finite number"),
        ("dropout", "none", "is a number"),
        ("held_out", 0.0, "is at least 1e-06 and at most 0.99"),
        ("held_out", 1.0, "is at least 1e-06 and at most 0.99"),
        ("held_out", None, "is a number"),
        ("lr", 0.0, "is at least 1e-09"),
        ("lr", np.nan, "is a finite number"),
        ("lr", np.inf, "is a finite number"),
        ("lr", "high", "is a number"),
    ],
)
def test_bad_settings_are_one_sentence(name: str, value: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{name} {message}"):
        LinkSettings(**{name: value})


@pytest.mark.parametrize("layers", [0, 1, 3])
def test_any_number_of_layers(layers: int) -> None:
    how = LinkSettings(layers=layers, epochs=2, every=1, dropout=0.3)
    encoding = link_prediction(communities(), 5, how)
    assert encoding.values.shape == (120, 5)
    assert encoding.values.std() > 0.05


def test_isolated_nodes_have_finite_vectors() -> None:
    graph = graph_of(nx.compose(nx.empty_graph(70), nx.gnm_random_graph(60, 120, seed=0)))
    for aggregation in ("mean", "sum", "gcn"):
        how = LinkSettings(epochs=5, every=1, aggregation=aggregation, held_out=0.2)
        assert np.isfinite(link_prediction(graph, 3, how).values).all()


@given(st.integers(1, 12), st.integers(0, 5))
def test_scores_of_pairs_are_those_of_the_network_on_means(count: int, seed: int) -> None:
    """The first layer goes over nodes instead of pairs; values and gradients are as written."""
    stream = torch.Generator().manual_seed(seed)
    network = MODULE._Network(5, 3, LinkSettings())
    vectors = torch.randn(5, 3, generator=stream, requires_grad=True)
    ends = torch.randint(0, 5, (2, count), generator=stream)
    rows = MODULE.Pattern.from_csr(np.arange(0, 2 * count + 1, 2), ends.T.ravel().numpy(), 5)
    weights = torch.randn(count, generator=stream)
    score = torch.nn.Sequential(network.first, torch.nn.ReLU(), network.last)
    inputs = [vectors, *score.parameters()]
    logits = network.logits(vectors, rows)
    expected = score((vectors[ends[0]] + vectors[ends[1]]) / 2)[:, 0]
    torch.testing.assert_close(logits, expected)
    for one, other in zip(
        torch.autograd.grad(logits @ weights, inputs),
        torch.autograd.grad(expected @ weights, inputs),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


def test_a_layer_is_the_map_of_normalised_messages_beside_the_input() -> None:
    torch.manual_seed(0)
    layer, x = MODULE._Layer(3), torch.randn(6, 3, requires_grad=True)
    with torch.no_grad():
        for part in layer.parameters():
            part.add_(torch.randn(part.shape) / 2)
    dense = (torch.rand(6, 6) < 0.5).float()
    dense = dense.maximum(dense.T)
    matrix = sp.csr_array(dense.numpy())
    pattern = MODULE.Pattern.from_csr(matrix.indptr, matrix.indices, 6)
    values = torch.from_numpy(matrix.data)
    result = layer(x, pattern, values, values[pattern.back_order])
    message = layer.norm(dense @ layer.before(x).relu())
    expected = layer.after(torch.cat([message, x], dim=-1))
    torch.testing.assert_close(result, expected)
    inputs = [x, *layer.parameters()]
    for one, other in zip(
        torch.autograd.grad(result.square().sum(), inputs),
        torch.autograd.grad(expected.square().sum(), inputs),
        strict=True,
    ):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)
