"""The subgraphs of a task as a dataset of PyG, against what the task says of each."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from sub2node.io import to_pyg_dataset
from sub2node.task import PARTS, Graph, Split, Subgraphs, SubgraphTask
from sub2node.task.names import Names

EDGES = ([0, 1, 2, 3, 0], [1, 2, 3, 4, 2])
IDS = ["s1", "s10", "s2", "s0"]
SETS = [[0, 1, 2], [4], [1, 2, 3, 4], [0, 4]]


def dense(index: np.ndarray, weights: np.ndarray, size: int) -> np.ndarray:
    matrix = np.zeros((size, size))
    matrix[tuple(index)] = weights
    return matrix


@pytest.mark.slow  # imports torch_geometric
def test_each_graph_is_a_subgraph() -> None:
    pytest.importorskip("torch_geometric")
    from torch_geometric.loader import DataLoader

    graph = Graph.from_edges(*EDGES, weights=[2, 3, 4, 5, 6], features=np.eye(5))
    sets = Subgraphs.from_lists(SETS)
    labels = np.array([[True, False], [True, True], [False, False], [False, True]])
    words = ["test", "train", "val", "train"]  # rows of the task are 1, 3, 2, 0
    sets = replace(sets, names=Names(IDS))
    task = SubgraphTask(graph, sets, labels, split=Split.given(words))
    dataset = to_pyg_dataset(task)
    assert len(dataset) == 4
    assert task.subgraph_ids != IDS == [data.subgraph_id for data in dataset]
    whole = graph.adjacency().toarray()
    for number, nodes in enumerate(SETS):
        data = dataset[number]
        assert data.validate()
        assert data.num_nodes == len(nodes)
        assert data.node_id.tolist() == nodes
        found = dense(data.edge_index.numpy(), data.edge_weight.numpy(), len(nodes))
        assert np.array_equal(found, whole[np.ix_(nodes, nodes)])
        assert data.edge_index.shape[1] == np.count_nonzero(found)
        assert data.x.tolist() == np.eye(5)[nodes].tolist()
        assert data.y.tolist() == [labels[number].tolist()]
        assert PARTS[data.part.item()] == words[number]
    (batch,) = DataLoader(dataset, batch_size=4)
    assert batch.validate()
    assert batch.node_id.tolist() == list(chain.from_iterable(SETS))
    assert batch.edge_index.max() < batch.num_nodes == 10
    assert batch.subgraph_id == IDS


@pytest.mark.slow
def test_own_edges_and_weights_of_members() -> None:
    pytest.importorskip("torch_geometric")
    sets = Subgraphs(
        np.array([0, 3, 5]), np.array([0, 1, 2, 3, 4]), np.array([1.0, 2, 3, 4, 5]),
        np.array([0, 1, 1]), np.array([[0, 2]]),
    )  # fmt: skip
    first, second = to_pyg_dataset(SubgraphTask(Graph.from_edges(*EDGES), sets))
    assert (first.subgraph_id, second.subgraph_id) == ("0", "1")  # without names: numbers
    assert sorted(map(tuple, first.edge_index.T.tolist())) == [(0, 2), (2, 0)]
    assert second.edge_index.shape == (2, 0)
    assert (first.member_weight.tolist(), second.num_nodes) == ([1, 2, 3], 2)
    assert "excluded_id" not in first
    assert "y" not in first


@pytest.mark.slow
def test_excluded_nodes_come_along() -> None:
    pytest.importorskip("torch_geometric")
    from torch_geometric.loader import DataLoader

    absent = Subgraphs(np.array([0, 0, 2, 3, 3]), np.array([0, 3, 0]), np.array([1.0, 2, 3]))
    sets = replace(Subgraphs.from_lists(SETS), excluded=absent)
    task = SubgraphTask(
        Graph.from_edges(*EDGES), sets, [0, 1, 0, 1], split=Split.given(["test", *["train"] * 3])
    )
    dataset = to_pyg_dataset(task)
    assert [data.excluded_id.tolist() for data in dataset] == [[], [0, 3], [0], []]
    assert dataset[1].excluded_weight.tolist() == [1, 2]
    (batch,) = DataLoader(dataset, batch_size=4)
    assert batch.excluded_id.tolist() == [0, 3, 0]  # positions in the global graph
