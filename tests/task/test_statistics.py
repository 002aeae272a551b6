"""What a description says of a task, and what it warns of."""

from __future__ import annotations

import pytest
from hypothesis import given

from strategies import tasks
from sub2node import Graph, Split, Subgraphs, SubgraphTask
from sub2node.task import describe


@given(tasks())
def test_describe_fits_the_task(task: SubgraphTask) -> None:
    facts = describe(task)
    assert facts["nodes"] == task.graph.num_nodes
    assert facts["edges"] == task.graph.num_edges
    assert facts["subgraphs"] == len(task)
    assert facts["subgraph_nodes"]["mean"] == pytest.approx(task.subgraphs.sizes.mean())
    if task.labels is not None and not task.multilabel:
        assert sum(sum(part.values()) for part in facts["label_counts"].values()) == len(task)


def test_describe_warns_of_what_matters() -> None:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], num_nodes=5)
    task = SubgraphTask(
        graph,
        Subgraphs.from_lists([[0, 1], [2], [0, 1], [3]]),
        labels=[0, 1, 0, 1],
        split=Split.given(["train", "train", "test", "test"]),
    )
    text = " ".join(describe(task)["warnings"])
    assert "1 test subgraph has exactly the nodes of a training subgraph" in text
    assert "Only 2 test subgraphs: one of them is 50.0 points" in text
    assert "No val subgraphs" in text
    assert "1 node has no neighbour" in text
    assert describe(task)["node_overlap"] == {"test_in_train": 2 / 3}
    unlabelled = SubgraphTask(graph, task.subgraphs)
    assert "No labels" in " ".join(describe(unlabelled)["warnings"])
    assert "No split" in " ".join(describe(unlabelled)["warnings"])
