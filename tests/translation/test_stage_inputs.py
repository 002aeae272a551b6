"""Members, internal edges and readout weights against their definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sub2node as s2n
from strategies import tasks
from sub2node import ConfigError, SubgraphTask
from sub2node.translation import stage_inputs


@pytest.mark.slow
@given(tasks(), st.sampled_from(["train", "val", "test"]))
def test_members_and_edges_are_those_of_the_visible_subgraphs(
    task: SubgraphTask, stage: str
) -> None:
    inputs = stage_inputs(task, stage)  # type: ignore[arg-type]
    count = len(task) if task.split is None else task.split.visible(stage)  # type: ignore[arg-type]
    part = task.subset(np.arange(count)) if count else None
    flat = int(task.subgraphs.ptr[count])
    assert np.array_equal(inputs.nodes, task.subgraphs.nodes[:flat])
    assert np.array_equal(inputs.owner, task.subgraphs.owner[:flat])
    if part is not None:
        assert np.array_equal(inputs.edges, part.internal_edges()[1])
    assert (inputs.owner[inputs.edges[0]] == inputs.owner[inputs.edges[1]]).all()


@given(tasks(), st.sampled_from(["train", "test"]))
def test_readout_weights_follow_their_formulas(task: SubgraphTask, stage: str) -> None:
    if task.split is not None and not task.split.visible("train"):
        task = replace(task, split=None)
    graph = s2n.translate(task)
    dense = task.graph.adjacency(dtype=np.float64).toarray()
    loops = np.ones(task.graph.num_nodes)
    if task.graph.loop_weights is not None:
        loops[task.graph.loops] = task.graph.loop_weights
    degree = dense.sum(axis=1) + loops
    raw = graph.stage(stage).toarray().astype(np.float64)  # type: ignore[arg-type]
    own = task.subgraphs.weights
    for readout, expected in (
        ("sum", lambda v, i: 1.0),
        ("mean", lambda v, i: 1 / task.subgraphs.sizes[i]),
        ("node-degree", lambda v, i: np.sqrt(degree[v] / degree.mean())),
        ("volume", lambda v, i: degree[v] / degree.mean()),
        ("degree", lambda v, i: np.sqrt(degree[v] / raw[i].sum())),
        ("degree-code", lambda v, i: np.sqrt(degree[v] / ((raw[i] != 0).sum() + 1))),
    ):
        result = stage_inputs(task, stage, readout=readout, graph=graph)  # type: ignore[arg-type]
        values = [expected(v, i) for v, i in zip(result.nodes, result.owner, strict=True)]
        if own is not None:
            values = [value * w for value, w in zip(values, own, strict=False)]
        assert result.weights == pytest.approx(np.array(values), rel=1e-5)


def test_readouts_that_cannot_be(tables: object) -> None:
    task = s2n.load_task(str(tables))
    with pytest.raises(ConfigError, match="Did you mean 'degree'"):
        stage_inputs(task, readout="degre")  # type: ignore[arg-type]
    raw = s2n.translate(task)
    for graph in (None, s2n.translate(task, min_weight=2.0), raw.normalize(1, 1)):
        with pytest.raises(ConfigError, match="needs the raw, complete S2N graph"):
            stage_inputs(task, readout="degree-code", graph=graph)
