"""A model keeps what it needs of a graph on disk, and damage is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sub2node.base.errors import DataError
from sub2node.scoring.part_arrays import (
    as_part,
    border_arrays,
    graph_arrays,
    part_facts,
    read_border,
)
from sub2node.task import Border, Graph, Subgraphs, SubgraphTask, WholeGraph


def part_task() -> SubgraphTask:
    graph = Graph.from_edges([0, 1], [1, 2])
    graph = replace(graph, whole=WholeGraph(9, 11, graph.degrees + 1, np.arange(3) + 0.5))
    border = Border(("any.outside.count",), np.array([[3.0], [4.0]]))
    return SubgraphTask(graph, replace(Subgraphs.from_lists([[0, 1], [2]]), border=border))


def test_a_part_comes_back() -> None:
    task = part_task()
    facts = part_facts(task)
    arrays = {**graph_arrays(task.graph), **border_arrays(task.subgraphs)}
    plain = replace(task.graph, whole=None)
    assert as_part(plain, facts, arrays) == task.graph  # type: ignore[arg-type]
    assert read_border(facts, arrays) == task.subgraphs.border  # type: ignore[arg-type]


def test_a_graph_in_memory_keeps_nothing() -> None:
    task = part_task()
    task = SubgraphTask(replace(task.graph, whole=None), replace(task.subgraphs, border=None))
    assert part_facts(task) == graph_arrays(task.graph) == border_arrays(task.subgraphs) == {}
    assert as_part(task.graph, {}, {}) is task.graph
    assert read_border({}, {}) is None


def test_damage_is_told() -> None:
    task = part_task()
    with pytest.raises(DataError, match="'whole' must have nodes, edges and a folder"):
        as_part(task.graph, {"whole": {"nodes": 3}}, {})
    whole = {"nodes": 9, "edges": 11, "folder": 3}
    with pytest.raises(DataError, match="must be text"):
        as_part(task.graph, {"whole": whole}, {"whole.degrees": np.arange(3)})
    with pytest.raises(DataError, match="'border' must be a list of text"):
        read_border({"border": "x"}, {})
