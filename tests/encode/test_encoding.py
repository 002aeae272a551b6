"""Tables of node vectors: checked when they are made, read by node."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.base.errors import ConfigError, DataError
from sub2node.encode import Encoding
from sub2node.encode.encoding import check_count, wanted_nodes

VALUES = np.arange(6.0).reshape(3, 2)


@given(st.lists(st.sampled_from([2, 5, 7])))
def test_rows_are_found_by_node(nodes) -> None:
    encoding = Encoding("x", np.array([2, 5, 7]), VALUES)
    rows = encoding.at(np.array(nodes, dtype=np.int64))
    assert rows.tolist() == [VALUES[[2, 5, 7].index(node)].tolist() for node in nodes]
    with pytest.raises(ConfigError, match="x was made for 3 nodes; node 3 is not among them"):
        encoding.at(np.array([2, 3, 9]))


@pytest.mark.parametrize(
    ("nodes", "values", "words"),
    [
        ([0, 1], VALUES, r"shape \(3, 2\) for 2 nodes"),
        ([0, 1, 2], VALUES[:, 0], "one row per node"),
        ([0, 2, 1], VALUES, "must ascend"),
        ([0, 1, 1], VALUES, "must ascend"),
        ([4, 5, 6], VALUES * [1, np.inf], "column 1 of x is inf at node 4"),
        ([4, 5, 6], np.where(VALUES == 4, np.nan, VALUES), "column 0 of x is nan at node 6"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in multiply")
def test_what_is_no_table_of_vectors(nodes, values, words) -> None:
    with pytest.raises(DataError, match=words):
        Encoding("x", np.array(nodes), values)


def test_a_table_cannot_be_changed() -> None:
    encoding = Encoding("x", np.arange(3), VALUES)
    assert encoding.values.dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        encoding.values[0] = 1
    assert (encoding.width, repr(encoding)) == (2, "Encoding(x, 3 nodes, 2 columns)")


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({}, ""),
        ({"error": 0, "route": "products", "device": "cpu"}, "exact, by products, on cpu"),
        ({"error": 0.0123, "route": "leading"}, "error at most 1.2e-02, by leading"),
        ({"residual": 2e-9}, "residual at most 2.0e-09"),
        ({"auc": 0.87654}, "validation AUC 0.877"),
    ],
)
def test_a_table_says_how_good_it_is(facts, text) -> None:
    assert Encoding("x", np.arange(3), VALUES, facts).about == text


def test_wanted_nodes_ascend_without_repetition() -> None:
    assert wanted_nodes([3, 1, 3], 5).tolist() == [1, 3]
    assert wanted_nodes(None, 3).tolist() == [0, 1, 2]
    assert wanted_nodes([], 3).tolist() == []
    with pytest.raises(ConfigError, match="nodes lie in 0…2, found 1…7"):
        wanted_nodes([7, 1], 3)


@pytest.mark.parametrize("count", [0, -1, True, 2.0, "2", None])
def test_a_count_is_a_whole_number_from_1(count) -> None:
    with pytest.raises(ConfigError, match="the number of columns is a whole number from 1"):
        check_count(count, "columns")
    assert check_count(np.int32(3), "columns") == 3
