"""Statistics of nodes and subgraphs against networkx."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from networkx_graphs import to_networkx
from strategies import graphs, tasks
from sub2node.base.errors import ConfigError
from sub2node.encode import (
    SubgraphScale,
    border_of,
    encode,
    node_statistics,
    subgraph_inputs,
    subgraph_statistics,
)
from sub2node.encode.structure_statistics import NODE_COLUMNS, SUBGRAPH_COLUMNS, triangles
from sub2node.task import Border, Graph, Split, Subgraphs, SubgraphTask
from traced_memory import peak_of

MODULE = sys.modules["sub2node.encode.structure_statistics"]


def node_truth(graph: Graph) -> Any:
    made = to_networkx(graph)
    cores, clustering = nx.core_number(made), nx.clustering(made)
    rows = []
    for node in made:
        around = [made.degree[other] for other in made[node]] or [0]
        profile = (min(around), max(around), np.mean(around), np.std(around))
        rows.append((made.degree[node], cores[node], clustering[node], *profile))
    return np.array(rows)


def subgraph_truth(task: SubgraphTask) -> Any:
    whole, rows = to_networkx(task.graph), []
    sets = task.subgraphs
    for number in range(len(sets)):
        nodes = sets.nodes[sets.ptr[number] : sets.ptr[number + 1]].tolist()
        inner = nx.Graph(whole.subgraph(nodes))
        crossing = sum(1 for u, v in whole.edges if (u in nodes) != (v in nodes))
        if sets.edges is not None:
            inner = nx.empty_graph(0)
            inner.add_nodes_from(nodes)
            inner.add_edges_from(
                sets.edges[sets.edge_ptr[number] : sets.edge_ptr[number + 1]].tolist()
            )
        size, across = len(nodes), len(nodes) * (len(whole) - len(nodes))
        degrees, inner_degrees = [whole.degree[v] for v in nodes], [inner.degree[v] for v in nodes]
        rows.append((
            size, inner.number_of_edges(), nx.density(inner), crossing,
            crossing / across if across else 0, nx.number_connected_components(inner),
            np.mean(list(nx.core_number(inner).values())), np.mean(degrees), np.std(degrees),
            np.mean(inner_degrees), np.std(inner_degrees),
        ))  # fmt: skip
    return np.array(rows)


@given(graph=graphs(plain=True))
def test_node_statistics_are_those_of_networkx(graph: Graph) -> None:
    found = node_statistics(graph)
    assert found.shape == (graph.num_nodes, len(NODE_COLUMNS))
    assert found == pytest.approx(node_truth(graph), abs=1e-9)


@pytest.mark.parametrize(
    "made",
    [
        nx.barabasi_albert_graph(150, 4, seed=1), nx.complete_graph(12), nx.star_graph(20),
        nx.windmill_graph(5, 4), nx.empty_graph(4), nx.cycle_graph(9),
    ],
)  # fmt: skip
def test_hubs_cliques_and_bare_graphs(made: nx.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = np.array(made.edges, dtype=np.int64).reshape(-1, 2)
    graph = Graph.from_edges(*ends.T, num_nodes=len(made))
    whole = node_statistics(graph)
    assert whole == pytest.approx(node_truth(graph), abs=1e-9)
    monkeypatch.setattr(MODULE, "_WEDGES", 7)  # block by block
    assert np.array_equal(node_statistics(graph), whole)


@given(graph=graphs(plain=True))
def test_triangles_are_those_of_the_third_power(graph: Graph) -> None:
    dense = (graph.adjacency().toarray() > 0).astype(int)
    assert triangles(graph).tolist() == (np.linalg.matrix_power(dense, 3).diagonal() // 2).tolist()


def test_a_graph_without_nodes_has_no_statistics() -> None:
    none = np.empty(0, np.int64)
    graph = Graph.from_edges(none, none, num_nodes=0)
    assert node_statistics(graph).shape == (0, 7)
    assert triangles(graph).shape == (0,)


@given(task=tasks())
def test_subgraph_statistics_are_those_of_a_loop(task: SubgraphTask) -> None:
    found = subgraph_statistics(task)
    assert found.shape == (len(task), len(SUBGRAPH_COLUMNS))
    assert found == pytest.approx(subgraph_truth(task), abs=1e-9)


def task_of(lists: list[list[int]], words: list[str]) -> SubgraphTask:
    ring = np.arange(30)
    graph = Graph.from_edges(
        np.r_[ring, ring], np.r_[(ring + 1) % 30, (ring + 2) % 30], features=FEATURES
    )
    return SubgraphTask(graph, Subgraphs.from_lists(lists), split=Split.given(words))


KINDS = ("structure", "wl", "border", "border2")
FEATURES = np.random.default_rng(5).normal(scale=9, size=(30, 2))
TRAIN = [[0, 1], [4, 5, 6], [9, 12, 13], [20, 25], [7]]
LATER = [[0, 1, 2, 3, 4, 5, 6, 7], list(range(30))]


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_have_mean_0_and_sd_1_over_training(kind: str) -> None:
    task = task_of([*TRAIN, *LATER], ["train"] * 5 + ["val", "test"])
    found = subgraph_inputs(task, kind)
    assert found.dtype == np.float32
    assert len(found) == 7
    train = found[:5].astype(np.float64)
    assert train.mean(axis=0) == pytest.approx(np.zeros(found.shape[1]), abs=1e-5)
    spread = train.std(axis=0)
    constant = spread < 1e-6
    assert spread[~constant] == pytest.approx(np.ones((~constant).sum()), abs=1e-5)
    assert not constant.all()
    assert np.isfinite(found).all()


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_without_a_split_are_standardized_over_all(kind: str) -> None:
    task = task_of([*TRAIN, *LATER], ["train"] * 7)
    bare = SubgraphTask(task.graph, task.subgraphs)
    assert np.array_equal(subgraph_inputs(bare, kind), subgraph_inputs(task, kind))


def test_other_sizes_in_val_and_test_change_no_scale() -> None:
    one = task_of([*TRAIN, [1, 2, 3], [0, 1, 2, 3]], ["train"] * 5 + ["val", "test"])
    other = task_of([*TRAIN, *LATER], ["train"] * 5 + ["val", "test"])
    for kind in KINDS:
        same = np.array_equal(subgraph_inputs(one, kind)[:5], subgraph_inputs(other, kind)[:5])
        assert same


def test_no_value_of_val_or_test_changes_those_of_train() -> None:
    train = [[0, 1, 10], [5, 15], [20, 21]]  # mean core 2/3, 0 and 1
    small, large = [3, 4], [0, 1, 2, 3]
    words = ["train"] * 3 + ["val", "test"]
    one, other = (
        subgraph_inputs(task_of([*train, small, last], words), "structure")[:3]
        for last in (small, large)
    )
    assert one == pytest.approx(other)


@pytest.mark.slow
@given(task=tasks())
def test_inputs_are_finite_numbers_whatever_the_task(task: SubgraphTask) -> None:
    for kind in KINDS:
        found = subgraph_inputs(task, kind)
        assert len(found) == len(task)
        assert np.isfinite(found).all()


def test_no_label_of_val_or_test_is_read() -> None:
    rng = np.random.default_rng(0)
    lists = [rng.integers(0, 30, size) for size in rng.integers(1, 12, 60)]
    task = task_of(lists, ["train"] * 30 + ["val"] * 15 + ["test"] * 15)
    labels = rng.integers(0, 3, 60)
    other = np.r_[labels[:30], rng.permutation(labels[30:])]
    for kind in KINDS:
        one, two = (
            subgraph_inputs(replace(task, labels=which, class_names=("x", "y", "z")), kind)
            for which in (labels, other)
        )
        assert np.array_equal(one, two)


@pytest.mark.slow
@settings(max_examples=20)
@given(
    later=st.lists(st.sets(st.integers(0, 29), min_size=1), min_size=2, max_size=4),
    classes=st.lists(st.integers(0, 1), min_size=4, max_size=4),
)
def test_nothing_of_a_border_is_fitted_on_what_is_not_train(later, classes) -> None:
    rng = np.random.default_rng(4)
    own, truth = [rng.choice(30, 3, replace=False) for _ in range(12)], [0, 1] * 6
    rest = [sorted(nodes) for nodes in later]
    words = ["train"] * 12 + ["val"] + ["test"] * (len(rest) - 1)
    scales = []
    for sets, labels in ((rest, classes), ([[0]] * len(rest), [0, 1, 1, 0])):
        task = task_of([*own, *sets], words)
        given_labels = np.array([*truth, *labels[: len(sets)]])
        task = replace(task, labels=given_labels, class_names=("x", "y"))
        scales.append(SubgraphScale.of(task, "border"))
        plain = SubgraphScale.plain(task, "border")
        assert np.array_equal(plain.mean, scales[-1].mean)
        assert plain.heights is None
    one, other = scales
    assert np.array_equal(one.mean, other.mean)
    assert np.array_equal(one.sd, other.sd)
    assert np.array_equal(one.heights, other.heights)
    assert all(map(np.array_equal, one.edges, other.edges))


def test_border_columns_are_as_large_as_they_tell_the_training_classes_apart() -> None:
    rng = np.random.default_rng(3)
    lists = [rng.choice(30, 3, replace=False) for _ in range(20)]
    task = task_of(lists, ["train"] * 16 + ["val", "test"] * 2)
    labels = np.r_[[0, 1] * 8, [0, 0, 1, 1]]
    plain = subgraph_inputs(task, "border")
    raised = subgraph_inputs(replace(task, labels=labels, class_names=("x", "y")), "border")
    width, gains, steps = plain.shape[1], [], []
    for column in plain[:16].T.astype(np.float64):
        tree = DecisionTreeClassifier(max_leaf_nodes=4, min_samples_leaf=3, random_state=0)
        leaves = tree.fit(column[:, None], labels[:16]).apply(column[:, None])
        sides = [labels[:16][leaves == leaf] for leaf in np.unique(leaves)]
        gains.append(1 - sum(len(s) * s.mean() * (1 - s.mean()) for s in sides) / 4)
        steps.append(len(sides) - 1)
    heights = np.array(gains) / np.sqrt(np.mean(np.square(gains)))
    assert raised[:, :width] == pytest.approx(plain * heights, rel=1e-4, abs=1e-5)
    high = heights > 1
    assert 0 < high.sum() < width
    expected = np.repeat(5 * heights[high], np.array(steps)[high])
    assert np.abs(raised[:, width:]) == pytest.approx(np.tile(expected, (20, 1)), rel=1e-5)
    one = replace(task, labels=np.zeros(20, int), class_names=("x", "y"))
    assert np.array_equal(subgraph_inputs(one, "border"), plain)


@pytest.mark.parametrize("hops", [1, 2])
def test_border_inputs_are_logarithms_with_the_sign_of_their_number(hops: int) -> None:
    task = task_of([*TRAIN, *LATER], ["train"] * 5 + ["val", "test"])
    values = border_of(task.graph, task.subgraphs, hops=hops).values.astype(np.float64)
    logs = np.sign(values) * np.log(1 + np.abs(values))
    mean, sd = logs[:5].mean(axis=0), logs[:5].std(axis=0)
    found = subgraph_inputs(task, "border" if hops == 1 else "border2")
    assert found == pytest.approx((logs - mean) / np.where(sd < 1e-9, 1, sd), rel=1e-5, abs=1e-6)
    assert values.min() < 0


@pytest.mark.parametrize("kind", ["structure", "wl", "border", "border2"])
def test_inputs_are_made_row_by_row_as_at_once(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    lists = [rng.choice(30, size, replace=False).tolist() for size in rng.integers(1, 12, 40)]
    task = task_of(lists, ["train"] * 20 + ["val"] * 10 + ["test"] * 10)
    task = replace(task, labels=np.arange(40) % 2, class_names=("x", "y"))
    whole = subgraph_inputs(task, kind)
    monkeypatch.setattr(MODULE, "_SCRATCH", 1)
    assert np.array_equal(subgraph_inputs(task, kind), whole)
    assert np.array_equal(SubgraphScale.of(task, kind).inputs(task), whole)


@pytest.mark.process
@pytest.mark.slow
def test_inputs_take_little_memory_beside_themselves() -> None:
    assert peak_of(_read_wide_border) < 4 * 4 * _WIDE[0] * _WIDE[1]


_WIDE = 20_000, 700


def _read_wide_border() -> None:
    border = Border(
        tuple(f"any.outside.x{n}.sum" for n in range(_WIDE[1])), np.ones(_WIDE, np.float32)
    )
    graph, ptr = Graph.from_edges([], [], num_nodes=1), np.arange(_WIDE[0] + 1)
    subgraphs = Subgraphs(ptr, np.zeros(_WIDE[0], np.int64), border=border)
    scale = SubgraphScale("border", np.zeros(_WIDE[1]), np.ones(_WIDE[1]))
    scale.inputs(SubgraphTask(graph, subgraphs))


def test_unknown_inputs_are_one_sentence() -> None:
    with pytest.raises(ConfigError, match="structure, wl, border or border2, not 'lw'"):
        subgraph_inputs(task_of(TRAIN, ["train"] * 5), "lw")


def test_node_statistics_as_inputs_are_standardized() -> None:
    made = nx.barabasi_albert_graph(80, 3, seed=1)
    graph = Graph.from_edges(*np.array(made.edges).T)
    found = encode(graph, "structure", fresh=True)
    assert found.facts["column_names"] == list(NODE_COLUMNS)
    assert found.values.mean(axis=0) == pytest.approx(np.zeros(7), abs=1e-5)
    assert found.values.std(axis=0) == pytest.approx(np.ones(7), abs=1e-4)
    some = encode(graph, "structure", nodes=[3, 50], fresh=True)
    assert np.array_equal(some.values, found.values[[3, 50]])
    with pytest.raises(ConfigError, match="no setting 'depth'"):
        encode(graph, "structure", depth=3)
