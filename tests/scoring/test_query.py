"""Ids are looked up all at once as they would be one by one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.base.errors import ConfigError, DataError
from sub2node.scoring.node_index import NodeIndex
from sub2node.scoring.query import IdLists, Query, ask, look_up, read_id_lists
from sub2node.task import Graph

NAMED = Graph.from_edges([0, 1, 2], [1, 2, 3], names=["a", "b", "c", "7"])
PLAIN = Graph.from_edges([0, 1, 2], [1, 2, 7])
IDS = st.sampled_from(["a", "b", "c", "7", "x", "y", "07", "", 7, 2, -1, 99, "2", "٣", "9" * 30])


def one_by_one(graph: Graph, sets, unknown: str):
    """The plain definition: positions, share of known ids and unknown ids, or why there is none."""
    if graph.names is None:
        place = {str(i): i for i in range(graph.num_nodes)}
    else:
        place = {name: i for i, name in enumerate(graph.names)}
    answers, problems = [], {}
    for at, nodes in enumerate(sets):
        ids = list(dict.fromkeys(map(str, nodes)))
        here = sorted(place[i] for i in ids if i in place)
        lost = tuple(i for i in ids if i not in place)
        if not ids:
            problems[at] = "is empty"
        elif lost and unknown == "error":
            problems[at] = "not in the graph"
        elif not here:
            problems[at] = "no node of subgraph"
        else:
            answers.append((f"set {at}", here, 1 - len(lost) / len(ids), lost))
    return answers, problems


def test_excluded_ids_are_looked_up_beside_the_members() -> None:
    lists = IdLists.of([["a", "b"], ["c"]], ["s", "t"], excluded=[["c", "a", "c"], []])
    query, problems = look_up(NodeIndex(NAMED), lists, "error")
    assert not problems
    assert query.subgraphs.nodes.tolist() == [0, 1, 2]
    assert query.subgraphs.excluded.ptr.tolist() == [0, 1, 1]
    assert query.subgraphs.excluded.nodes.tolist() == [2]  # a member is none of them
    again = Query.join([query, ask(NodeIndex(NAMED), IdLists.of([["b"]], None), "error")])
    assert again.subgraphs.excluded.ptr.tolist() == [0, 1, 1, 1]
    assert again.take([0, 0]).subgraphs.excluded.nodes.tolist() == [2, 2]
    frame = {"subgraph_id": ["t", "s", "s"], "node_id": ["c", "b", "c"], "excluded": [0, 0, 1]}
    by_frame = ask(NodeIndex(NAMED), read_id_lists(frame), "error")
    assert by_frame.subgraphs.excluded.nodes.tolist() == [2]
    with pytest.raises(DataError, match="row 1: the column 'excluded' has 'x'"):
        read_id_lists({**frame, "excluded": ["x", "", ""]})


def test_unknown_excluded_ids_and_sets_of_nothing_else() -> None:
    index = NodeIndex(NAMED)
    lists = IdLists.of([["a"], []], ["s", "t"], excluded=[["zz", "b"], ["c"]])
    for unknown_nodes in ("error", "drop"):  # an excluded node that is unknown costs no answer
        query, problems = look_up(index, lists, unknown_nodes)
        assert problems == {1: "subgraph 't' has excluded nodes only; it needs a member."}
        assert query.unknown == (("zz",),)
        assert query.known == pytest.approx([2 / 3])
        assert [(row.given, row.how) for row in query.mapping[0]] == [("zz", "unknown")]
    lists = IdLists.of([["a", "yy"], []], ["s", "t"], excluded=[["zz"], ["zz"]])
    _, problems = look_up(index, lists, "error")
    assert "not in the graph: 'yy'; unknown" in problems[0]
    assert "excluded nodes only" in problems[1]
    with pytest.raises(DataError, match="2 subgraphs but 1 list of excluded nodes"):
        IdLists.of([["a"], ["b"]], None, excluded=[["c"]])
    with pytest.raises(DataError, match="expected a list of node ids"):
        IdLists.of([["a"]], None, excluded=["bc"])


@given(st.lists(st.lists(IDS, max_size=6), max_size=6), st.sampled_from(["error", "drop"]),
       st.booleans())  # fmt: skip
def test_all_at_once_is_as_one_by_one(sets, unknown, named) -> None:
    graph = NAMED if named else PLAIN
    names = [f"set {at}" for at in range(len(sets))]
    wanted, wanted_problems = one_by_one(graph, sets, unknown)
    flat = pa.array([str(i) for nodes in sets for i in nodes], pa.large_string())
    ptr = np.cumsum([0, *map(len, sets)])
    for lists in (IdLists.of(sets, names), IdLists.of_arrow(names, ptr, flat)):
        query, problems = look_up(NodeIndex(graph), lists, unknown)
        subgraphs = query.subgraphs
        nodes = [
            subgraphs.nodes[a:b].tolist()
            for a, b in zip(subgraphs.ptr[:-1], subgraphs.ptr[1:], strict=True)
        ]
        rows = zip(query.names, nodes, query.known.tolist(), query.unknown, strict=True)
        assert list(rows) == wanted
        assert list(problems) == list(wanted_problems)
        for at, words in wanted_problems.items():
            assert words in problems[at]
            assert f"'set {at}'" in problems[at]
    if wanted_problems:
        with pytest.raises(DataError, match=next(iter(wanted_problems.values()))):
            ask(NodeIndex(graph), IdLists.of(sets, names), unknown)


def test_unknown_nodes_are_named_but_not_all() -> None:
    lists = IdLists.of([[f"x{i}" for i in range(9)] + ["a"]], ["s"])
    (problem,) = look_up(NodeIndex(NAMED), lists, "error")[1].values()
    assert "'x0', 'x1', 'x2', 'x3', 'x4' and 4 more;" in problem
    with pytest.raises(ConfigError, match="error or drop"):
        look_up(NodeIndex(NAMED), lists, "ignore")


def test_text_that_cannot_be_written_is_unknown() -> None:
    query = ask(NodeIndex(NAMED), IdLists.of([["a", "\udcff"]], None), "drop")
    assert query.unknown == (("\udcff",),)


def test_frames_of_members_are_lists() -> None:
    frame = {"subgraph_id": [5, 3, 5], "node_id": ["c", "a", "b"]}
    query = ask(NodeIndex(NAMED), read_id_lists(frame), "error")
    assert query.names == ("5", "3")
    assert query.subgraphs.nodes.tolist() == [1, 2, 0]
    numbers = {"subgraph_id": ["s", "s"], "node_id": [7, 2]}
    assert ask(NodeIndex(PLAIN), read_id_lists(numbers), "error").subgraphs.nodes.tolist() == [2, 7]
