"""Members as positions: unknown nodes by policy, every row of them known."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sub2node.task.frames import Frame
from sub2node.task.ids import IdSpace
from sub2node.task.member_pairs import build_subgraphs, read_members
from sub2node.task.reading_options import Reading, ReadingOptions

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
    assert build_subgraphs(members, sets, SPACE).nodes.tolist() == [0, 1]


def test_without_a_graph_no_node_is_unknown() -> None:
    reading = Reading()
    members = Frame.of({"subgraph_id": ["s"], "node_id": ["zz"]}, "members", {})
    assert read_members(members, None, reading, strict=True).keep.all()
    assert not reading.problems.all
