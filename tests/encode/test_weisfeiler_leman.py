"""Weisfeiler-Leman histograms against a refinement by dictionaries."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import graphs, tasks
from sub2node.base.errors import ConfigError
from sub2node.encode import member_colours, weisfeiler_leman
from sub2node.encode.weisfeiler_leman import refined
from sub2node.task import Graph, Subgraphs, SubgraphTask

WIDE = 1 << 12  # so wide that colours do not meet


def partition(colours: Any) -> list[int]:
    """Each colour by the first node that has it."""
    colours = list(colours)
    return [colours.index(colour) for colour in colours]


def plain_refinement(neighbours: list[list[int]], rounds: int) -> list[list[Any]]:
    colours: list[Any] = [0] * len(neighbours)
    found = [colours]
    for _ in range(rounds):
        names: dict[Any, int] = {}
        colours = [
            names.setdefault((colours[v], tuple(sorted(colours[u] for u in around))), len(names))
            for v, around in enumerate(neighbours)
        ]
        found.append(colours)
    return found


def neighbours_of(graph: Graph) -> list[list[int]]:
    return [part.tolist() for part in np.split(graph.indices, graph.indptr[1:-1])]


@given(graph=graphs(plain=True), rounds=st.integers(1, 5))
def test_refinement_is_the_plain_one(graph: Graph, rounds: int) -> None:
    colours = np.zeros(graph.num_nodes, np.uint64)
    for truth in plain_refinement(neighbours_of(graph), rounds)[1:]:
        colours = refined(colours, graph.indptr, graph.indices)
        assert partition(colours.tolist()) == partition(truth)


def test_a_new_colour_keeps_the_old_one_apart() -> None:
    graph = Graph.from_edges([0, 1], [2, 2], num_nodes=4)
    one, other, *_ = refined(np.array([1, 2, 3, 4], np.uint64), graph.indptr, graph.indices)
    assert one != other  # both have the neighbour 2 alone


def test_refinement_of_a_large_graph_is_the_plain_one() -> None:
    made = nx.gnm_random_graph(400, 700, seed=5)
    graph = Graph.from_edges(*np.array(made.edges).T, num_nodes=400)
    colours = np.zeros(400, np.uint64)
    for truth in plain_refinement(neighbours_of(graph), 6)[1:]:
        colours = refined(colours, graph.indptr, graph.indices)
        assert partition(colours.tolist()) == partition(truth)
    assert len(set(colours.tolist())) > 100


@given(task=tasks(), view=st.sampled_from(["induced", "hops"]), rounds=st.integers(0, 3))
def test_histograms_count_every_member(task: SubgraphTask, view: Any, rounds: int) -> None:
    found = weisfeiler_leman(task, rounds=rounds, width=5, view=view)
    assert found.shape == (len(task), (rounds + 1) * 5)
    sums = found.reshape(len(task), rounds + 1, 5).sum(axis=2)
    assert (sums == task.subgraphs.sizes[:, None]).all()
    assert (found >= 0).all()


@given(task=tasks(), rounds=st.integers(1, 3))
def test_subgraphs_are_told_apart_as_by_plain_colours(task: SubgraphTask, rounds: int) -> None:
    sets = task.subgraphs
    ptr, ends = task.internal_edges()
    around: list[list[int]] = [[] for _ in sets.nodes]
    for low, high in ends.T.tolist():
        around[low].append(high)
        around[high].append(low)
    views = {
        "induced": (around, np.arange(len(sets.nodes))),
        "hops": (neighbours_of(task.graph), sets.nodes),
    }
    assert len(ptr) == len(task) + 1
    for view, (neighbours, members) in views.items():
        found = weisfeiler_leman(task, rounds=rounds, width=WIDE, view=view)  # type: ignore[arg-type]
        truth = plain_refinement(neighbours, rounds)
        counts = [
            [
                sorted(colours[v] for v in members[sets.ptr[i] : sets.ptr[i + 1]])
                for colours in truth
            ]
            for i in range(len(task))
        ]
        assert partition(map(bytes, found)) == partition(counts)


def ring_with_tail() -> SubgraphTask:
    """A ring of ten; a triangle and a tail of it far away; a square."""
    ends = [(i, (i + 1) % 10) for i in range(10)]
    ends += [(10, 11), (11, 12), (12, 10), (12, 13), (20, 21), (21, 22), (22, 20), (21, 23)]
    graph = Graph.from_edges(*np.array(ends).T, num_nodes=24)
    return SubgraphTask(
        graph, Subgraphs.from_lists([[0, 1, 2], [4, 5, 6], [10, 11, 12], [20, 21, 22],
                                     [10, 11, 12, 13], [20, 21, 22, 23], [11, 12, 13]])
    )  # fmt: skip


def test_isomorphic_subgraphs_have_equal_histograms() -> None:
    found = weisfeiler_leman(ring_with_tail())
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[6])  # paths of three, wherever they are
    assert np.array_equal(found[2], found[3])
    assert np.array_equal(found[4], found[5])
    assert not np.array_equal(found[0], found[2])


def test_the_hops_view_sees_beyond_the_subgraph() -> None:
    found = weisfeiler_leman(ring_with_tail(), view="hops")
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[2], found[3])
    assert not np.array_equal(found[0], found[6])
    first = weisfeiler_leman(ring_with_tail(), view="hops", rounds=0)
    assert np.array_equal(first[0], first[6])  # no round: nothing but sizes


def test_round_1_tells_degrees_apart() -> None:
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], num_nodes=5)
    one = SubgraphTask(graph, Subgraphs.from_lists([[0, 1, 2], [0, 1, 2, 3], [4]]))
    first = weisfeiler_leman(one, rounds=1, width=WIDE)[:, WIDE:]
    assert [sorted(row[row > 0].tolist()) for row in first] == [[1, 2], [4], [1]]


@given(task=tasks(), view=st.sampled_from(["induced", "hops"]))
def test_colours_of_members_do_not_depend_on_other_subgraphs(task: SubgraphTask, view: Any) -> None:
    whole = list(member_colours(task, rounds=2, view=view))
    last = list(member_colours(task.subset([len(task) - 1]), rounds=2, view=view))
    start = task.subgraphs.ptr[-2]
    assert all(np.array_equal(a[start:], b) for a, b in zip(whole, last, strict=True))


@pytest.mark.process
def test_histograms_are_the_same_in_every_process() -> None:
    code = (
        "import numpy as np; from sub2node.encode import weisfeiler_leman as wl;"
        "from sub2node.task import Graph, Subgraphs, SubgraphTask;"
        "t = SubgraphTask(Graph.from_edges([0, 1, 2], [1, 2, 3]),"
        " Subgraphs.from_lists([[0, 1, 2], [1, 3]]));"
        "print(wl(t, rounds=2, width=7).tolist())"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    task = SubgraphTask(
        Graph.from_edges([0, 1, 2], [1, 2, 3]), Subgraphs.from_lists([[0, 1, 2], [1, 3]])
    )
    assert made.stdout.strip() == str(weisfeiler_leman(task, rounds=2, width=7).tolist())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rounds": -1}, "rounds is a whole number from 0, found -1"),
        ({"rounds": 1.0}, "rounds is a whole number from 0, found 1.0"),
        ({"width": 0}, "width is a whole number from 1, found 0"),
        ({"width": True}, "width is a whole number from 1, found True"),
        ({"view": "outside"}, "a view is induced or hops, not 'outside'"),
    ],
)
def test_bad_arguments_are_one_sentence(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        weisfeiler_leman(ring_with_tail(), **options)
