"""A task of 13 nodes, and small networks for it."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import Tensor

from sub2node import Graph, Split, Subgraphs, SubgraphTask
from sub2node.config import Config
from sub2node.nn import Network, Stages, build_network, build_stages
from sub2node.nn.adjacency import Adjacency
from sub2node.nn.node_inputs import node_inputs
from sub2node.nn.ring_adjacency import Ring
from sub2node.ops.pattern import Pattern

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


def ring_of(adjacency: Adjacency, targets: int) -> Ring:
    """The normalised messages to the first nodes of a graph."""
    pattern = adjacency.pattern
    last = int(pattern.ptr[targets])
    few = Pattern.from_csr(
        pattern.ptr[: targets + 1].numpy(), pattern.index[:last].numpy(), pattern.num_rows, "cpu"
    )
    return Ring(few, adjacency.normalized[:last])
