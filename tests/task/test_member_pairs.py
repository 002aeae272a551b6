"""Tables of members and of excluded nodes, put together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sub2node import DataError, SubgraphTask
from sub2node.task.frames import Frame
from sub2node.task.ids import IdSpace
from sub2node.task.member_pairs import build_subgraphs, read_members, read_signs
from sub2node.task.reading_options import Reading, ReadingOptions

EDGES = {"source": ["a", "b", "c", "d"], "target": ["b", "c", "d", "a"]}
MEMBERS = {"subgraph_id": ["s", "s", "t", "u"], "node_id": ["a", "b", "c", "d"]}


def task_of(excluded: Any, members: Any = MEMBERS, **options: Any) -> SubgraphTask:
    return SubgraphTask.from_tables(EDGES, members, excluded=excluded, **options)


def excluded_ids(task: SubgraphTask) -> dict[str, list[str]]:
    sets, names = task.excluded, task.graph.names
    if sets is None or names is None:
        return {}
    parts = np.split(sets.nodes, sets.ptr[1:-1])
    return {
        name: [names[int(node)] for node in part]
        for name, part in zip(task.subgraph_ids, parts, strict=True)
    }


def test_a_table_and_a_column_say_the_same() -> None:
    by_table = task_of({"subgraph_id": ["u", "s", "s"], "node_id": ["a", "d", "c"]})
    assert excluded_ids(by_table) == {"s": ["c", "d"], "t": [], "u": ["a"]}
    marked = {
        "subgraph_id": [*MEMBERS["subgraph_id"], "u", "s", "s"],
        "node_id": [*MEMBERS["node_id"], "a", "d", "c"],
        "excluded": ["", "No", "0", "observed", "TRUE", " yes", "1"],
    }
    by_column = task_of(None, marked)
    assert by_column == by_table
    assert not by_column.notes
    assert by_table.without_excluded() == task_of(None)
    with pytest.raises(DataError, match="excluded nodes are given twice"):
        task_of({"subgraph_id": ["s"], "node_id": ["c"]}, marked)


def test_an_empty_table_changes_nothing() -> None:
    none = {"subgraph_id": pa.array([], pa.string()), "node_id": pa.array([], pa.string())}
    assert task_of(none).hash == task_of(None).hash
    plain = {**MEMBERS, "excluded": [False] * 4}
    assert task_of(None, plain).hash == task_of(None).hash


def test_weights_of_excluded_nodes() -> None:
    excluded = {"subgraph_id": ["s", "t"], "node_id": ["d", "a"], "weight": [2.0, 0.5]}
    task = task_of(excluded)
    assert task.excluded is not None
    assert task.excluded.weights.tolist() == [2.0, 0.5]
    with pytest.raises(DataError, match="the weight in row 2 of the excluded table is 0"):
        task_of({**excluded, "weight": [2.0, 0.0]})


def test_what_is_dropped_is_said() -> None:
    excluded = {
        "subgraph_id": ["s", "s", "s", "new", "t"],
        "node_id": ["a", "c", "c", "a", "zz"],
    }
    with pytest.raises(DataError, match="'t' excludes the node 'zz', which is not in the graph"):
        task_of(excluded)
    task = task_of(excluded, unknown_nodes="drop")
    assert excluded_ids(task) == {"s": ["c"], "t": [], "u": []}
    assert task.notes == (
        "1 excluded node dropped (unknown to the graph): 'zz' in subgraph 't'.",
        "1 excluded node dropped (of a subgraph without members): 'a' in subgraph 'new'.",
        "1 excluded node dropped (a member too): 'a' in subgraph 's'.",
        "1 repeated member merged: 'c' in subgraph 's'.",
    )


def test_excluded_nodes_leave_with_their_subgraph() -> None:
    members = {"subgraph_id": ["s", "t", "u"], "node_id": ["zz", "c", "d"]}
    excluded = {"subgraph_id": ["s", "t"], "node_id": ["a", "b"]}
    task = task_of(excluded, members, unknown_nodes="ignore-subgraph")
    assert excluded_ids(task) == {"t": ["b"], "u": []}


def test_words_that_say_neither_are_refused() -> None:
    signs = read_signs(pa.array(["Excluded", "maybe", None, "-"]))
    assert signs.to_pylist() == [True, None, False, True]
    bad = {**MEMBERS, "excluded": ["no", "maybe", "no", "no"]}
    with pytest.raises(DataError, match="row 2: the column 'excluded' has 'maybe'"):
        task_of(None, bad)
    task = task_of(None, bad, bad_rows="drop")
    assert task.subgraphs.sizes.tolist() == [1, 1, 1]
    assert "(1 unclear row): row 2: 'b' in subgraph 's' (excluded: maybe)." in task.notes[0]


def test_of_several_weights_of_a_member_the_first_counts() -> None:
    members = {"subgraph_id": list("ssst"), "node_id": list("abac"), "weight": [1.0, 2, 3, 4]}
    with pytest.raises(DataError, match="'s' has the node 'a' with two different weights") as error:
        task_of(None, members)
    (problem,) = error.value.problems
    assert (problem.rows.tolist(), problem.option) == ([2], "--bad-rows drop")
    task = task_of(None, members, bad_rows="drop")
    assert task.subgraphs.weights.tolist() == [1, 2, 4]
    assert "1 row of the members table dropped (1 second weight): row 3" in task.notes[0]


SPACE = IdSpace(pa.array(["a", "b"], pa.large_string()))


@pytest.mark.parametrize(
    ("policy", "outcome", "kept"),
    [
        ("error", "", [True, False, True]),
        ("drop", "dropped", [True, False, True]),
        ("ignore-subgraph", "subgraph omitted", [False, False, True]),
    ],
)
def test_unknown_members(policy: str, outcome: str, kept: list[bool]) -> None:
    reading = Reading(ReadingOptions(unknown_nodes=policy))
    members = Frame.of({"subgraph_id": list("sstu"), "node_id": list("axyb")}, "members", {})
    sets = read_members(members, SPACE, reading, strict=True)
    (problem,) = reading.problems.all
    assert (problem.rows.tolist(), problem.outcome) == ([1, 2], outcome)
    assert problem.values.to_pylist() == ["'x' in subgraph 's'", "'y' in subgraph 't'"]
    assert sets.keep.tolist() == kept
    assert build_subgraphs(members, sets, SPACE, reading).nodes.tolist() == [0, 1]


def test_without_a_graph_no_node_is_unknown() -> None:
    reading = Reading()
    members = Frame.of({"subgraph_id": ["s"], "node_id": ["zz"]}, "members", {})
    assert read_members(members, None, reading, strict=True).keep.all()
    assert not reading.problems.all
