"""Words for missing values, and text that is meant as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sub2node import ConfigError, DataError, SubgraphTask
from sub2node.task.missing_values import (
    NA_WORDS,
    is_word,
    number_like,
    odd_values,
    parse_numbers,
    read_written_numbers,
    without_words,
)

EDGES = {"source": list("abcd"), "target": list("bcde")}
MEMBERS = {"subgraph_id": list("stuv"), "node_id": list("abcd")}
NODES = {"node_id": list("abcde"), "age": ["1", "2", "NA", "4", "-"]}


def task_of(nodes: dict[str, list[str]] = NODES, **options: Any) -> SubgraphTask:
    return SubgraphTask.from_tables(EDGES, MEMBERS, nodes=nodes, **options)


def test_words_and_numbers() -> None:
    texts = pa.array(["1", " -2.5e1 ", "NA", None, "", "+3", "1,5", "nan", "inf"])
    assert is_word(texts, NA_WORDS).tolist() == [False, False, True, *[False] * 4, True, False]
    left = without_words(texts, NA_WORDS)
    assert left.is_null().to_pylist() == [False, False, True, True, True, False, False, True, False]
    numbers = parse_numbers(left)
    assert np.nan_to_num(numbers, nan=99).tolist() == [1, -25, 99, 99, 99, 3, 99, 99, 99]
    assert odd_values(left, numbers).tolist() == [6, 8]
    assert odd_values(pa.array(["a", "1"]), np.array([np.nan, 1])) is None
    assert without_words(pa.array([1, 2]), NA_WORDS).to_pylist() == [1, 2]


def test_a_column_of_numbers_with_other_words_is_one_of_numbers() -> None:
    with pytest.raises(DataError) as error:
        task_of()
    found = {p.kind: (p.rows.tolist(), p.option) for p in error.value.problems}
    option = "--missing-features impute"
    assert found == {"non-numeric value": ([4], option), "missing feature": ([2], option)}
    task = task_of(missing_features="impute")
    assert task.graph.features.tolist() == [[1, 0], [2, 0], [2, 1], [4, 0], [2, 1]]
    with pytest.raises(DataError) as error:
        task_of(na_words=["-"])
    assert [problem.rows.tolist() for problem in error.value.problems] == [[2, 4]]


def test_a_missing_category_is_none() -> None:
    nodes = {"node_id": list("abcde"), "city": ["Oslo", "NA", "Rome", "?", "Oslo"]}
    task = task_of(nodes, node_features=["city"], na_words=["?"])
    assert task.graph.features.tolist() == [[1, 0], [0, 0], [0, 1], [0, 0], [1, 0]]


def test_words_count_in_labels_attributes_weights_and_ids() -> None:
    members = {"subgraph_id": list("stuvv"), "node_id": ["a", "b", "c", "d", "?"]}
    labels = {"subgraph_id": list("stuv"), "label": ["x", "y", "?", "x"]}
    labels["paper"] = ["1", "NA", "?", "2"]
    edges = {**EDGES, "weight": ["1", "2.5", "NA", "3"]}
    options = {"na_words": ["?"], "bad_rows": "drop", "bad_weights": "one"}
    task = SubgraphTask.from_tables(edges, members, labels, **options)
    assert task.unlabelled.subgraph_ids == ["u"]
    assert list(task.attributes["paper"]) == ["1", "", "2"]
    assert task.graph.edges()[2].tolist() == [1, 2.5, 1, 3]
    assert "(1 missing id): row 5: no node_id." in " ".join(task.notes)
    with pytest.raises(DataError, match="the weight in row 3 of the edges table is missing"):
        SubgraphTask.from_tables(edges, MEMBERS)
    odd = {**edges, "weight": ["1", "2.5", "much", "3"]}
    with pytest.raises(DataError, match="of the edges table is 'much'; weights are finite"):
        SubgraphTask.from_tables(odd, MEMBERS)


def test_words_are_a_list() -> None:
    with pytest.raises(ConfigError, match="na_words is a list of words, found '-'"):
        SubgraphTask.from_tables(EDGES, MEMBERS, na_words="-")


@pytest.mark.parametrize(
    ("texts", "numbers", "style"),
    [
        (["12,50", "1.234,5", "-3", None], [12.5, 1234.5, -3, None], "decimal commas"),
        (["1,234.50", "12", "+1,234,567"], [1234.5, 12, 1234567], "marks between thousands"),
        (["1 234,5", "2\u00a0000", "7"], [1234.5, 2000, 7], "decimal commas"),
        (["1'234.5", "0.5"], [1234.5, 0.5], "marks between thousands"),
        (["1,234", "12"], [None, 12], ""),  # 1.234 or 1234
        (["1 234", "12"], [1234, 12], "decimal commas"),  # the same in both ways
        (["1.234", "2.5", "0,5"], [1.234, 2.5, None], ""),
        (["1.234", "2.345", "0,5"], [1234, 2345, 0.5], "decimal commas"),
        (["1,23,4", "12,", ",5", "a,5", "1,5e3"], [None] * 5, ""),
        ([None], [None], ""),
    ],
)
def test_numbers_as_people_write_them(
    texts: list[str | None], numbers: list[float | None], style: str
) -> None:
    found = read_written_numbers(pa.array(texts, pa.string()))
    assert [None if np.isnan(value) else value for value in found.values] == numbers
    assert found.style == style
    assert bool(found.example) == bool(style)


@pytest.mark.parametrize(
    ("texts", "example"),
    [
        (["12 kg", "7 kg", None], "12 kg"),
        (["x", "30 %", "€5", "1,234"], "30 %"),
        (["12p", "1p36", "2024-01-05", "x 1"], ""),
        ([None], ""),
    ],
)
def test_what_is_almost_a_number(texts: list[str | None], example: str) -> None:
    assert number_like(pa.array(texts, pa.string())) == example


def test_how_numbers_are_written_is_said() -> None:
    nodes = {"node_id": list("abcde"), "balance": ["12,50", "1.234,5", "3", "4", "x"]}
    nodes["size"] = ["1 kg", "2 kg", "3 kg", "4 kg", ""]
    task = task_of(nodes, missing_features="impute")
    assert task.graph.features.tolist() == [[12.5, 0], [1234.5, 0], [3, 0], [4, 0], [8.25, 1]]
    assert task.notes[:2] == (
        "The node column 'balance' is read with decimal commas, as in '12,50'.",
        "the node column 'size' is no feature, though its values look like numbers, as '1 kg';"
        " write them as 1234.5.",
    )
