"""Rows that cannot be used are found, all of them, and dropped only when that was asked for."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.task.clean_tables import clean_table, drop_repeated_nodes, row_texts
from sub2node.task.frames import Frame
from sub2node.task.reading_options import Reading, ReadingOptions

EDGES = {"source": ["a", "", "c", "d"], "target": ["b", "c", None, "a"], "weight": [1, 1, 1, 0]}


def clean(what: str, columns: dict[str, object], ids: list[str], **options: str):
    reading, notes = Reading(ReadingOptions(**options)), list[str]()
    frame = clean_table(Frame.of(columns, what, {}), ids, reading, notes)
    return frame, reading.problems, notes


def test_all_rows_without_ids_or_weights_are_problems() -> None:
    frame, problems, notes = clean("edges", EDGES, ["source", "target"])
    assert frame.table["source"].to_pylist() == ["a"]
    assert frame.rows.tolist() == [0]
    kinds = {problem.kind: problem.rows.tolist() for problem in problems.open}
    assert kinds == {"missing id": [1, 2], "unusable weight": [3]}
    assert problems.all[1].values.to_pylist() == ["'d' to 'a' (weight 0)"]
    assert notes == []


@pytest.mark.parametrize(("policy", "weights"), [("drop", [1]), ("one", [1, 1])])
def test_policies_say_what_they_did(policy: str, weights: list[float]) -> None:
    options = {"bad_rows": "drop", "bad_weights": policy}
    frame, problems, notes = clean("edges", EDGES, ["source", "target"], **options)
    assert frame.weights().tolist() == weights
    assert not problems.open
    assert notes[0].startswith("1 row of the edges table dropped (1 missing id): row 2: no source")
    taken = "taken as 1" if policy == "one" else "dropped (1 unusable weight)"
    assert taken in notes[-1]


@given(st.lists(st.sampled_from([1.0, 0.5, 0.0, -1.0, np.nan, np.inf, 1e300, 1e-60])))
def test_weights_that_are_left_are_usable(weights: list[float]) -> None:
    columns = {"subgraph_id": [0] * len(weights), "node_id": list(range(len(weights)))}
    columns["weight"] = pa.array(weights, pa.float64())
    frame, problems, _ = clean("members", columns, ["subgraph_id", "node_id"], bad_weights="drop")
    left = frame.weights().astype(np.float32)
    assert (np.isfinite(left) & (left > 0)).all()
    assert len(left) == sum(w in (1.0, 0.5) for w in weights)
    assert sum(len(p.rows) for p in problems.all) == len(weights) - len(left)


def test_the_first_row_of_a_node_counts() -> None:
    reading, notes = Reading(ReadingOptions(bad_rows="drop")), list[str]()
    nodes = Frame.of({"node_id": [7, 8, 7, 7], "x": [1, 2, 3, 4]}, "nodes", {})
    left = drop_repeated_nodes(nodes, reading, notes)
    assert left.table["x"].to_pylist() == [1, 2]
    assert reading.problems.all[0].rows.tolist() == [2, 3]
    assert notes == ["2 rows of the nodes table dropped (2 repeated nodes): row 3: 7, row 4: 7."]
    assert drop_repeated_nodes(left, reading, notes) is left


def test_rows_are_told_by_their_ids() -> None:
    members = Frame.of({"subgraph_id": ["s", "t"], "node_id": [1, 2]}, "members", {})
    assert row_texts(members, np.array([1])).to_pylist() == ["2 in subgraph 't'"]
