"""A part of a graph fits the whole, tells its sizes, and is not taken for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sub2node.base.errors import ConfigError, DataError
from sub2node.task import Graph, WholeGraph
from sub2node.task.whole_graph import draw_numbers, full_strengths, require_loaded


def part(**changes: object) -> Graph:
    graph = Graph.from_edges([0, 1], [1, 2], features=np.ones((3, 4)))
    whole = WholeGraph(50_000_000, 200_000_000, np.array([3, 2, 1]))
    return replace(graph, whole=replace(whole, **changes))  # type: ignore[arg-type]


def test_sizes_and_degrees_are_those_of_the_whole() -> None:
    graph = part()
    assert (graph.full_size, graph.full_edges) == (50_000_000, 200_000_000)
    assert graph.full_degrees.tolist() == full_strengths(graph).tolist() == [3, 2, 1]
    weighted = part(strengths=np.array([3.5, 2.5, 1.0]))
    assert full_strengths(weighted).tolist() == [3.5, 2.5, 1.0]
    alone = replace(graph, whole=None)
    assert (alone.full_size, alone.full_edges) == (3, 2)
    assert alone.full_degrees.tolist() == full_strengths(alone).tolist() == [1, 2, 1]


def test_where_the_index_lies_is_no_content() -> None:
    assert part() == part(folder=__file__)
    assert part() != part(num_edges=200_000_001)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"degrees": np.array([3, 2])}, "2 degrees in the whole graph for 3 nodes"),
        ({"degrees": np.array([3, 1, 1])}, "cannot have more nodes or edges than the whole"),
        ({"num_nodes": 2}, "cannot have more nodes or edges than the whole"),
        ({"strengths": np.ones(2)}, "2 strengths for 3 degrees"),
    ],
)
def test_what_is_no_part_is_refused(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        part(**changes)


def test_what_needs_the_whole_graph_says_how_much_memory_that_takes() -> None:
    require_loaded(replace(part(), whole=None), "coarsening")
    sentence = (
        "coarsening needs the whole graph, 50,000,000 nodes and 200,000,000 edges, of which 3 nodes"
        r" are loaded; read the data without an engine, in about 31\.8 GB of memory\."
    )
    with pytest.raises(ConfigError, match=sentence):
        require_loaded(part(), "coarsening")


def test_random_vectors_are_drawn_by_ids_where_positions_change() -> None:
    graph = part()
    numbers, every = (draw_numbers(graph, np.array(nodes)) for nodes in ([2, 0], [0, 1, 2]))
    assert numbers is not None
    assert every is not None
    assert numbers.tolist() == every[[2, 0]].tolist()
    assert len(set(every.tolist())) == 3
    assert draw_numbers(replace(graph, whole=None), np.arange(3)) is None
