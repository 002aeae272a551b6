"""A task of five nodes, and small networks of GLASS and of plain convolutions for it."""

from __future__ import annotations

import numpy as np
import torch

from sub2node.baselines.glass import (
    GLASS,
    GLASSModel,
    GLASSSettings,
    PlainModel,
    PlainSettings,
    build_glass,
)
from sub2node.nn.node_inputs import node_inputs
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask

CPU = torch.device("cpu")


def five_nodes() -> SubgraphTask:
    """0-1, 1-2, 0-2, 2-3; 4 alone."""
    graph = Graph.from_edges([0, 1, 0, 2], [1, 2, 2, 3], num_nodes=5)
    subgraphs = Subgraphs.from_lists([[0, 1], [2, 3], [1, 2], [4]])
    split = Split.given(["train", "train", "val", "test"])
    return SubgraphTask(graph, subgraphs, np.array([0, 1, 0, 1]), ("a", "b"), split)


def network(
    task: SubgraphTask, seeds: tuple[int, ...] = (1, 2), *, labelled: bool = True, **model: object
) -> GLASS:
    kind, settings = (GLASSModel, GLASSSettings) if labelled else (PlainModel, PlainSettings)
    config = settings(model=kind(**{"hidden": 3, "dropout": 0.0, **model})).with_settings(  # type: ignore
        {"features.width": 4, "batch": 2}
    )
    rows = np.arange(task.graph.num_nodes)
    inputs = node_inputs(task, config.features, rows)
    return build_glass(task, config, seeds=seeds, inputs=inputs, device=CPU)[0]
