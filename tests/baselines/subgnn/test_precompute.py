"""Anchors and their weights: by distance, by warping, and of one's own seed."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import sub2node.baselines.subgnn.precompute as stage
from sub2node.base.ragged import Array, owners
from sub2node.baselines.subgnn.precompute import SIDES, Precomputed, precompute
from sub2node.baselines.subgnn.subgnn_settings import SubGNNModel
from sub2node.task import Graph, SubgraphTask
from subgnn_cases import (
    CHANNELS,
    PATCH_AROUND,
    PATCH_INSIDE,
    PATH_TASK,
    SEEDS,
    build,
    mixed_task,
    settings_of,
    task_of,
)

# Weights of anchors


def spread_out(graph: Graph, members: Array) -> dict[int, int]:
    whole = nx.Graph()
    whole.add_nodes_from(range(graph.num_nodes))
    low, high, _ = graph.edges()
    whole.add_edges_from(zip(low.tolist(), high.tolist(), strict=True))
    return nx.multi_source_dijkstra_path_length(whole, set(members.tolist()), weight=None)


def weight(far: float | None, similarity: str, limit: int) -> float:
    if far is None or far > limit:
        return 0.0
    return 1 / (1 + far) if similarity == "inverse" else float(far)


def check_node_weights(
    task: SubgraphTask, found: Precomputed, model: SubGNNModel, side: str
) -> None:
    all_of = found.components
    for layer in range(model.layers):
        near, place = found.neighborhood[layer][side], found.position[layer][side]
        assert near.weights.dtype == place.weights.dtype == np.float32
        for r in range(len(SEEDS)):
            for k, owner in enumerate(all_of.owner):
                members = all_of.nodes[all_of.ptr[k] : all_of.ptr[k + 1]]
                far = spread_out(task.graph, members)
                inside = set(members.tolist())
                around = {v for v, d in far.items() if 0 < d <= model.border_hops}
                every = set(all_of.nodes[all_of.owner[owners(all_of.ptr)] == owner].tolist())
                if side == "border":
                    every = set(range(task.graph.num_nodes))
                whole = [inside if side == "internal" else around, every]
                own = place.ids[r, owner] if side == "internal" else place.ids[r]
                for ids, weights, among in (
                    (near.ids[r, k], near.weights[r, k], whole[0]),
                    (own, place.weights[r, k], whole[1]),
                ):
                    count = min(len(ids), len(among))
                    assert set(ids[:count].tolist()) <= among
                    assert len(set(ids[:count].tolist())) == count
                    expected = [
                        weight(far.get(int(v)), model.similarity, model.limit) for v in ids[:count]
                    ]
                    expected += [0.0] * (len(ids) - count)
                    np.testing.assert_allclose(weights, expected, rtol=1e-6)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("similarity", ["inverse", "distance"])
@pytest.mark.parametrize(("limit", "hops"), [(16, 1), (2, 2)])
def test_weights_of_nodes_are_by_distance(side, similarity, limit, hops) -> None:
    task = mixed_task()
    model = settings_of(
        similarity=similarity, limit=limit, border_hops=hops, layers=2, position_out=30
    ).model
    check_node_weights(task, precompute(task, model, SEEDS), model, side)


def test_weights_by_hand() -> None:
    for similarity, expected in (("inverse", [1, 1 / 2, 1 / 3, 1 / 4]), ("distance", [0, 1, 2, 3])):
        model = settings_of(similarity=similarity, position_out=9, structure=False).model
        found = precompute(PATH_TASK, model, [0])
        place = found.position[0]["border"]
        of_nodes = dict(zip(place.ids[0, :5].tolist(), place.weights[0, 1, :5], strict=True))
        by_distance = [of_nodes[3], of_nodes[2], of_nodes[1], of_nodes[0]]  # from {3}
        np.testing.assert_allclose(by_distance, expected, rtol=1e-6)
        assert of_nodes[4] == of_nodes[2]
        assert place.ids[0, 5:].tolist() == place.weights[0, 1, 5:].tolist() == [0] * 4


@pytest.mark.parametrize("hops", [1, 2])
def test_raw_distances_silence_the_inside_of_components(hops) -> None:
    task = mixed_task()
    settings = settings_of(
        similarity="distance", position=False, structure=False, layers=2, border_hops=hops
    )
    found = precompute(task, settings.model, SEEDS)
    for sides in found.neighborhood:
        assert not sides["internal"].weights.any()
        reached = sides["border"].weights
        assert set(np.unique(reached).tolist()) == set(range(hops + 1))
    network = build(task, settings)
    network(np.arange(len(task)))[1].square().sum().backward()
    for number in (0, 2):
        grad = network.updates[number].linear.weight.grad
        assert grad[:, :3].any()
        assert not grad[:, 3:].any()  # of messages
    assert network.updates[1].linear.weight.grad[:, 3:].any()


@pytest.mark.parametrize("count", [1, 3])
def test_weights_of_patches_are_by_warping(monkeypatch, count) -> None:
    ptr, nodes = np.array([0, 2, 5]), np.array([0, 1, 1, 2, 3])
    monkeypatch.setattr(stage, "patches", lambda *_, **__: (ptr, nodes))
    model = settings_of(patches=2, neighborhood=False, position=False, layers=2).model
    found = precompute(PATH_TASK, model, list(range(count)))
    assert found.neighborhood == found.position == ()
    for sides in found.structure:
        for side, expected in (("internal", PATCH_INSIDE), ("border", PATCH_AROUND)):
            weights = sides[side].weights
            assert weights.shape == (count, 3, 2)
            assert weights.dtype == np.float32
            np.testing.assert_allclose(weights, [expected] * count, rtol=1e-6)
            assert sides[side].walks.shape == (count, 2, 2, 4)
        inside = sides["internal"].walks
        assert set(np.unique(inside[:, 0]).tolist()) == {0, 1}
        assert set(np.unique(inside[:, 1]).tolist()) <= {1, 2, 3}
        assert np.isin(sides["border"].walks[:, 1, :, 0], [1, 3]).all()  # 2 has no way out


def test_patches_of_replicas_are_not_mixed_up() -> None:
    """Each seed's patches have a length of their own: those of one node are told by their walks."""
    graph = Graph.from_edges([0, 1, 2, 0, 5], [1, 2, 0, 3, 6], num_nodes=8)  # 4 and 7 are isolated
    task = task_of(graph, [[4], [0, 1, 2]])
    model = settings_of(patches=12, neighborhood=False, position=False).model
    anchors_of = precompute(task, model, range(6)).structure[0]["internal"]
    single = (anchors_of.walks[..., 1:] < 0).all(axis=(2, 3))  # (R, n)
    assert single.any()
    assert len(np.unique(single, axis=0)) > 2
    # The component {4} is as alike as can be to exactly these.
    assert np.array_equal(anchors_of.weights[:, 0] == 1, single)


# Seeds, channels and settings


def test_seeds_and_layers_have_anchors_of_their_own() -> None:
    task, model = mixed_task(), settings_of(layers=2).model
    first, again = precompute(task, model, [5, 6]), precompute(task, model, [6, 5])
    other = precompute(task, model, [7])
    for channel in CHANNELS:
        one, two, three = (getattr(found, channel) for found in (first, again, other))
        assert len(one) == 2
        for layer in range(2):
            for side in SIDES:
                word = "walks" if channel == "structure" else "ids"
                values, swapped, foreign = (
                    getattr(found[layer][side], word) for found in (one, two, three)
                )
                assert np.array_equal(values, swapped[::-1])
                weights = [found[layer][side].weights for found in (one, two)]
                assert np.array_equal(weights[0], weights[1][::-1])
                assert not np.array_equal(values[0], values[1])
                assert not np.array_equal(values[0], foreign[0])
                between = getattr(one[1 - layer][side], word)
                assert not np.array_equal(values[0], between[0])


def test_other_subgraphs_change_no_anchors_of_a_subgraph() -> None:
    task, model = mixed_task(), settings_of(layers=2).model
    found = precompute(task, model, SEEDS)
    kept = np.array([3, 1, 6])  # fewer, and in another order
    alone = precompute(SubgraphTask(task.graph, task.subgraphs.take(kept)), model, SEEDS)
    first = found.components.first
    rows = np.concatenate([np.arange(first[i], first[i + 1]) for i in kept])
    for layer, side in ((layer, side) for layer in range(2) for side in SIDES):
        near, fewer = found.neighborhood[layer][side], alone.neighborhood[layer][side]
        assert np.array_equal(near.ids[:, rows], fewer.ids)
        assert np.array_equal(near.weights[:, rows], fewer.weights)
        place, fewer = found.position[layer][side], alone.position[layer][side]
        own = place.ids[:, kept] if side == "internal" else place.ids
        assert np.array_equal(own, fewer.ids)
        assert np.array_equal(place.weights[:, rows], fewer.weights)
        patch, others = found.structure[layer][side], alone.structure[layer][side]
        assert np.array_equal(patch.walks, others.walks)
        assert np.array_equal(patch.weights[:, rows], others.weights)
