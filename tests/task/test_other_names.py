"""Names beside ids and titles: which are kept, and the table that they are written to."""

from __future__ import annotations

import numpy as np
import pytest

from sub2node import DataError
from sub2node.task import Graph, Names
from sub2node.task.other_names import OtherNames, alias_table, rank_of

GRAPH = Graph.from_edges([0, 1], [1, 2], names=Names(["n1", "n2", "n3"]))
TABLE = {
    "alias": ["CAT", " pet ", "pet", "n2", "", "bird", "CAT"],
    "node_id": ["n1", "n2", "n3", "n2", "n1", "n9", "n1"],
    "kind": ["symbol", "", None, "symbol", "symbol", "symbol", "symbol"],
}


def rows(graph: Graph) -> list[tuple[str, str, str]]:
    assert graph.other_names is not None
    table = graph.other_names.to_table(graph.ids())
    assert table.column_names == ["alias", "node_id", "kind"]
    return [tuple(row.values()) for row in table.to_pylist()]


def test_what_is_no_other_name_of_a_node_is_left_out() -> None:
    wanted = [("CAT", "n1", "symbol"), ("pet", "n2", "alias"), ("pet", "n3", "alias")]
    assert rows(GRAPH.with_other_names(TABLE)) == wanted
    assert GRAPH.with_other_names(None) is GRAPH
    unknown = GRAPH.with_other_names({"alias": ["x"], "node_id": ["n9"]})
    assert unknown.other_names is None
    assert GRAPH.with_other_names(TABLE) == GRAPH  # the content hash stays


def test_names_are_added_to_those_that_are_there() -> None:
    twice = GRAPH.with_other_names(TABLE).with_other_names(
        alias_table({"synonym": [("n3", "dog")], "symbol": [("n1", "CAT")]})
    )
    assert rows(twice)[3:] == [("dog", "n3", "synonym")]
    assert rows(twice)[:3] == rows(GRAPH.with_other_names(TABLE))


def test_graphs_whose_ids_are_positions_have_other_names_too() -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    graph = graph.with_other_names({"alias": ["last", "second"], "node_id": [2, 1]})
    assert rows(graph) == [("last", "2", "alias"), ("second", "1", "alias")]


def test_kinds_of_the_user_count_as_aliases() -> None:
    assert rank_of("former id") < rank_of("symbol") < rank_of("title") < rank_of("synonym")
    assert rank_of("synonym") < rank_of("alias") == rank_of("nickname")


def test_broken_names_are_refused() -> None:
    with pytest.raises(DataError, match="needs one kind for each"):
        OtherNames(np.array([0]), Names(["a"]), np.array([0, 0]), ("alias",))
    with pytest.raises(DataError, match="a kind that no word"):
        OtherNames(np.array([0]), Names(["a"]), np.array([1]), ("alias",))
    with pytest.raises(DataError, match="no column 'alias'"):
        GRAPH.with_other_names({"name": ["x"], "node_id": ["n1"]})
    too_far = OtherNames(np.array([3]), Names(["a"]), np.array([0]), ("alias",))
    with pytest.raises(DataError, match=r"nodes in 0…2"):
        Graph(GRAPH.indptr, GRAPH.indices, names=GRAPH.names, other_names=too_far)
