"""Columns of numbers of an edge table become features of directed edges."""

from __future__ import annotations

import numpy as np
import pytest

from sub2node import ConfigError, DataError, SubgraphTask
from sub2node.task.arc_features import number_columns, read_arc_features
from sub2node.task.frames import Frame

MEMBERS = {"subgraph_id": ["s", "s", "t"], "node_id": ["a", "b", "c"]}
EDGES = {
    "source": ["a", "b", "a", "c", "d"],
    "target": ["b", "a", "b", "d", "d"],
    "amount": [5, -1, 2, 4, 9],
    "rate": [0.5, 1.5, 2.5, 3.5, 4.5],
    "note": list("vwxyz"),
    "flag": [True, False, True, False, True],
}
make = SubgraphTask.from_tables


def test_numbers_are_features_and_texts_are_not() -> None:
    frame = Frame.of({**EDGES, "weight": [1.0] * 5}, "edges", {})
    assert number_columns(frame) == ("amount", "rate")
    values, names = read_arc_features(frame)
    assert names == ("amount", "rate")
    np.testing.assert_array_equal(values, np.transpose([EDGES["amount"], EDGES["rate"]]))
    assert values.dtype == np.float32
    assert read_arc_features(Frame.of({"source": [0], "target": [1]}, "edges", {})) == (None, ())


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), 1e39])
def test_rows_without_a_usable_feature_are_refused_or_dropped(value: float | None) -> None:
    edges = {**EDGES, "rate": [0.5, 1.5, 2.5, value, 4.5]}
    with pytest.raises(DataError, match="feature 'rate' of the edge in row 4 is missing or not"):
        make(edges, MEMBERS, directed=True)
    task = make(edges, MEMBERS, directed=True, bad_rows="drop")
    assert len(task.graph.arcs) == 4
    assert task.graph.num_nodes == 4  # the nodes of a dropped row stay
    assert any("1 missing edge feature" in note for note in task.notes)
    make(edges, MEMBERS)  # where edges have no direction, nothing reads the column


def test_directed_edges_are_kept_as_they_came() -> None:
    task = make(EDGES, MEMBERS, directed=True)
    graph, arcs = task.graph, task.graph.arcs
    names = [list(graph.names)[end] for end in arcs.source]
    assert (names, arcs.feature_names) == (EDGES["source"], ("amount", "rate"))
    assert arcs.features[:, 0].tolist() == EDGES["amount"]
    assert graph.num_edges == 2
    assert graph.edge_weights(np.array([0, 2]), np.array([1, 3])).tolist() == [3, 1]
    assert graph.loops.tolist() == [3]
    assert any("5 directed edges kept as they came, with 2 features" in n for n in task.notes)
    assert any("2 columns of the edges table not used: 'note', 'flag'" in n for n in task.notes)
    plain = make(EDGES, MEMBERS)
    assert (plain.graph.arcs, plain.graph.weights) == (None, None)


def test_weights_of_directed_edges_add_up() -> None:
    weighted = {**EDGES, "weight": [1, 2, 4, 8, 16]}
    graph = make(weighted, MEMBERS, directed=True).graph
    assert graph.edge_weights(np.array([0, 2]), np.array([1, 3])).tolist() == [7, 8]
    assert graph.loop_weights.tolist() == [16]
    assert graph.arcs.feature_names == ("amount", "rate")


def test_what_has_no_directions_is_refused() -> None:
    graph = make(EDGES, MEMBERS).graph
    with pytest.raises(ConfigError, match="has come without directions"):
        make(graph, MEMBERS, directed=True)
    with pytest.raises(ConfigError, match="omit repeated"):
        make(EDGES, MEMBERS, directed=True, repeated="sum")


def test_numbers_as_people_write_them_are_features() -> None:
    edges = {"source": ["a", "b"], "target": ["b", "c"], "amount": ["1,234.50", "7"],
             "fee": ["1%", "2%"], "day": ["Mon", "Tue"]}  # fmt: skip
    members = {"subgraph_id": ["s"], "node_id": ["a"]}
    task = SubgraphTask.from_tables(edges, members, directed=True)
    assert task.graph.arcs.feature_names == ("amount", "fee")
    assert sorted(task.graph.arcs.features.tolist()) == [[7, 2], [1234.5, 1]]
    assert "The edge column 'fee' is read with no '%', as in '1%'." in task.notes


def test_a_column_of_text_is_judged_by_its_first_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sub2node.task.arc_features._LOOKED_AT", 1)
    edges = {"source": ["a", "b"], "target": ["b", "c"], "amount": ["1,234.50", "7"],
             "day": ["Mon", "2"], "late": [None, "5"]}  # fmt: skip
    members = {"subgraph_id": ["s"], "node_id": ["a"]}
    with pytest.raises(DataError, match="'late'"):  # which is read, and has a missing value
        SubgraphTask.from_tables(edges, members, directed=True)
    del edges["late"]
    task = SubgraphTask.from_tables(edges, members, directed=True)
    assert task.graph.arcs.feature_names == ("amount",)
