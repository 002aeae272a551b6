"""Small tasks and settings for SubGNN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from sub2node.base.ragged import generator
from sub2node.baselines.subgnn.lstm import BiLSTM
from sub2node.baselines.subgnn.subgnn_network import SubGNN, build_subgnn
from sub2node.baselines.subgnn.subgnn_settings import SubGNNSettings
from sub2node.nn import Init, Streams
from sub2node.nn.node_inputs import node_inputs
from sub2node.task import Graph, Subgraphs, SubgraphTask

SEEDS = (3, 11)
SMALL = {
    "neighborhood_in": 3, "neighborhood_out": 4, "position_in": 3, "position_out": 5, "patches": 4,
    "patch_length": 5, "walks": 2, "walk_length": 4, "head": 6, "head_last": 5, "width": 3,
    "batch": 4, "model.dropout": 0.0,
}  # fmt: skip
CHANNELS = ("neighborhood", "position", "structure")


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def settings_of(**changes: Any) -> SubGNNSettings:
    return SubGNNSettings().with_settings({**SMALL, **changes})


def build(task: SubgraphTask, settings: SubGNNSettings, seeds: Sequence[int] = SEEDS) -> SubGNN:
    inputs = node_inputs(task, settings.features, np.arange(task.graph.num_nodes))
    return build_subgnn(task, settings, seeds=seeds, inputs=inputs, device="cpu")[0]


def task_of(graph: Graph, sets: list[list[int]]) -> SubgraphTask:
    return SubgraphTask(graph, Subgraphs.from_lists(sets), np.arange(len(sets)) % 2)


def mixed_task() -> SubgraphTask:
    """Thin graph; subgraphs of one node, of many components, of isolated nodes, of all nodes."""
    ends = generator(5).integers(0, 20, (2, 26))
    graph = Graph.from_edges(*ends, num_nodes=24, repeated="same")  # 20 to 23 are isolated
    some = generator(6).integers(0, 24, (5, 6)).tolist()
    return task_of(graph, [[0], [21], [20, 22, 23], *some, [1, 2], list(range(24))])


def scatter_parameters(network: nn.Module, seed: int = 0) -> None:
    """Values of which about as many are above as below 0, in biases too."""
    with torch.no_grad():
        for number, parameter in enumerate(network.parameters()):
            parameter.copy_(drawn(*parameter.shape, seed=1000 * seed + number) * 0.6)


def lstm(width: int, hidden: int, layers: int, dropout: float) -> BiLSTM:
    init, streams = Init(SEEDS), Streams(SEEDS)
    return BiLSTM(width, hidden, layers=layers, dropout=dropout, init=init, streams=streams)


# Five nodes on a path, by hand: subgraph 0 is {0, 1} and {3}, subgraph 1 is {2, 3, 4}

PATH = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
PATH_TASK = task_of(PATH, [[0, 1, 3], [2, 3, 4]])


PATCH_INSIDE = [[1, 2 / 3], [1 / 3, 1 / 5], [2 / 3, 1]]  # of {0, 1} and {1, 2, 3}
PATCH_AROUND = [[1, 1], [2 / 7, 1 / 4], [1, 1]]
