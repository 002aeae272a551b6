"""What a network reads in each stage: edges, weights and self-loops of the task."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

import sub2node as s2n
from small_networks import config_of, task_of
from sub2node import ConfigError, DataError, Graph, Split, Subgraphs, SubgraphTask
from sub2node.config import Config
from sub2node.nn import build_network, build_stages
from sub2node.nn.build import members_stage


@pytest.mark.parametrize("structure", ["s2n+a", "separated", "connected"])
def test_inner_weights_are_used(structure: str) -> None:
    task, config = task_of(), config_of(structure, layers=1)
    low, high, weights = task.graph.edges()
    inside = [{u, v} <= {2, 3, 4, 5} for u, v in zip(low, high, strict=True)]
    assert weights is not None
    changed = weights.copy()
    changed[inside.index(True)] *= 3
    graph = Graph.from_edges(low, high, num_nodes=13, weights=changed, features=task.graph.features)
    stages = (build_stages(each, config) for each in (task, replace(task, graph=graph)))
    before, after = (stage["train"].nodes for stage in stages)
    assert before is not None
    assert after is not None
    ratio = torch.unique(after.values[before.present] / before.values[before.present])
    assert ratio.tolist() == pytest.approx([1, 3])


def test_explicit_edges_of_subgraphs_are_the_inner_ones() -> None:
    task = task_of()
    ptr, ends = task.internal_edges()
    first = np.sort(task.subgraphs.nodes[ends[:, ptr[1]]])  # one edge, of the second subgraph
    edge_ptr = np.repeat([0, 1], [2, len(task) - 1])
    sets = Subgraphs(task.subgraphs.ptr, task.subgraphs.nodes, edge_ptr=edge_ptr, edges=first[None])
    nodes = build_stages(replace(task, subgraphs=sets), config_of("s2n+a"))["train"].nodes
    assert nodes is not None
    edges, weights = nodes.edge_list()
    assert edges.T.tolist() == [ends[::-1, ptr[1]].tolist(), ends[:, ptr[1]].tolist()]
    assert weights[0] == task.graph.edge_weights(first[:1], first[1:])[0]


@pytest.mark.parametrize("structure", ["separated", "connected", "s2n+a"])
def test_self_loops_of_the_global_graph_are_kept(structure) -> None:
    graph = Graph.from_edges([0, 1, 1, 2], [1, 2, 1, 2], weights=[1.0, 2.0, 5.0, 7.0], num_nodes=4)
    sets = Subgraphs.from_lists([[0, 1], [1, 2, 3], [2]])
    task = SubgraphTask(graph, sets, np.array([0, 1, 0]), split=Split.sizes(train=3))
    config = Config().with_settings({"structure": structure, "a": -0.5})
    nodes = build_stages(task, config, parts=("train",))["train"].nodes
    loops = nodes.values[nodes.diagonal].tolist()
    members = [0, 5, 5, 7, 0, 7]  # of 0 1, 1 2 3, 2
    assert loops == ([0, 5, 7, 0] if structure == "connected" else members)


@pytest.mark.parametrize("structure", ["separated", "connected"])
def test_degree_code_is_for_s2n(structure: str) -> None:
    with pytest.raises(ConfigError, match="S2N structures only"):
        build_stages(task_of(), config_of(structure, readout="degree-code"))


def test_a_task_needs_a_split_and_labels() -> None:
    whole = task_of()
    config = config_of("s2n+0")
    with pytest.raises(DataError, match="not split"):
        build_stages(SubgraphTask(whole.graph, whole.subgraphs, labels=whole.labels), config)
    bare = SubgraphTask(whole.graph, whole.subgraphs, split=whole.split)
    with pytest.raises(DataError, match="no labels"):
        build_network(bare, config, build_stages(bare, config), (5, 6))


def test_the_graph_of_another_task_is_refused() -> None:
    one, other = (s2n.load_task(f"generate:density,subgraphs=12,seed={seed}") for seed in (1, 2))
    with pytest.raises(ConfigError, match="another task"):
        build_stages(one, Config(), graph=s2n.translate(other))


@pytest.mark.parametrize("structure", ["separated", "s2n+a"])
def test_a_stage_is_built_when_it_is_first_read(structure: str) -> None:
    task, config = task_of(), config_of(structure)
    stages = build_stages(task, config, parts=("train",))
    assert list(stages.by_part) == ["train"]
    late, early = stages["test"], build_stages(task, config)["test"]
    assert list(stages.by_part) == ["train", "test"]
    assert late.scored == early.scored
    assert torch.equal(late.nodes.values, early.nodes.values)
    assert stages["test"] is late


def test_subgraphs_by_themselves_need_no_split() -> None:
    task, config = task_of(), config_of("s2n+a", readout="degree")
    bare = SubgraphTask(task.graph, task.subgraphs)
    stage = members_stage(bare, config, np.arange(13))
    assert (stage.scored, stage.subgraphs) == (slice(0, len(task)), None)
    assert stage.members.weights is None  # degrees of subgraphs depend on others
    whole = build_stages(task, config)["test"]
    assert torch.equal(stage.nodes.values, whole.nodes.values)
