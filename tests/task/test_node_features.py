"""Columns of the node table that become features: numbers, and categories as 0 and 1."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pytest

from sub2node import ConfigError, DataError, SubgraphTask, load_task, save_task
from sub2node.base.notes import NoteKind, has_kind
from sub2node.cli.data_arguments import DataArguments
from sub2node.task.node_features import MOST_CATEGORIES

NODES = {
    "node_id": list("abcd"),
    "age": [10, 20, 30, 40],
    "city": ["Rome", "Oslo", " Rome", ""],
    "seen": [datetime.date(2024, 1, day) for day in (1, 2, 3, 4)],
    "mixed": ["1", "2.5", "old", "-4e1"],
    "empty": ["", " ", "", ""],
}


def read(chosen: list[str] | None, nodes: dict[str, list] | None = None) -> SubgraphTask:
    return SubgraphTask.from_tables(
        {"source": ["a", "b", "c"], "target": ["b", "c", "d"]},
        {"subgraph_id": ["s", "t"], "node_id": ["a", "c"]},
        nodes=nodes or NODES,
        node_features=chosen,
    )


def features_of(task: SubgraphTask) -> list[list[float]]:
    assert task.graph.features is not None
    return task.graph.features.tolist()


def test_numbers_and_categories_in_the_order_asked_for() -> None:
    task = read(["city", "age"])
    assert features_of(task) == [[1, 0, 10], [0, 1, 20], [1, 0, 30], [0, 0, 40]]
    note = next(note for note in task.notes if "city" in note)
    assert note == (
        "The node column 'city' became 2 features for its categories: 'Rome', 'Oslo'; 1 node"
        " without a value has zeros."
    )
    assert has_kind(note, NoteKind.CHANGED)
    assert "3 node columns not used (not chosen): 'seen', 'mixed', 'empty'." in task.notes
    plain = {name: NODES[name] for name in ("node_id", "age", "city", "seen", "empty")}
    assert features_of(read(None, plain)) == [[10], [20], [30], [40]]  # all numbers
    assert read([]).graph.features is None
    assert features_of(read(["age", "age"])) == features_of(read(["age"]))


def test_rare_categories_share_a_feature() -> None:
    names = [f"n{i:03}" for i in range(100)]
    kinds = [f"k{min(i // 2, 30 + i % 7):02}" for i in range(100)]
    nodes = {"node_id": [*"abcd", *names], "kind": ["k00"] * 4 + kinds}
    task = read(["kind"], nodes)
    found = np.array(features_of(task))
    assert found.shape == (104, MOST_CATEGORIES + 1)
    assert (found.sum(axis=1) == 1).all()
    values, counts = np.unique(nodes["kind"], return_counts=True)
    order = np.lexsort((values, -counts))
    for column, kind in enumerate(values[order][:MOST_CATEGORIES]):
        assert found[:, column].tolist() == [float(value == kind) for value in nodes["kind"]]
    rarer = len(values) - MOST_CATEGORIES
    assert any(f"and one for the {rarer} rarer ones together." in note for note in task.notes)


@pytest.mark.parametrize(
    ("chosen", "error", "message"),
    [
        (["aeg"], ConfigError, "has no column 'aeg', which is to be a feature. Did you mean 'age'"),
        (["node_id"], ConfigError, "ids of the nodes, which are no feature"),
        (["seen"], DataError, r"'seen' holds date32.*numbers, or text for categories"),
        (["empty"], DataError, "'empty' has no value, so it is no feature"),
        (["mixed"], DataError, r"'mixed' has numbers, but 'old' in row 3 \(1 row so\)"),
        ("age", ConfigError, "node_features is a list of column names, found 'age'"),
    ],
)
def test_what_cannot_be_a_feature(chosen: list[str], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        read(chosen)


def test_columns_are_chosen_of_a_table_that_is_there(small: Path, tables: Path) -> None:
    nobody = "chooses columns of a table of nodes"
    for source in (small, tables):
        with pytest.raises(ConfigError, match=nobody):
            load_task(source, node_features=["age"])
    with pytest.raises(ConfigError, match=nobody):
        load_task(tables / "members.csv", graph=tables / "edges.csv", node_features=[])
    with pytest.raises(ConfigError, match="ppi_bp has no table of nodes"):
        load_task("ppi_bp", node_features=["age"])


def test_the_command_line_chooses_columns(tables: Path) -> None:
    rows = "a,1,x\nb,2,y\nc,3,x\nd,4,y\n"
    (tables / "nodes.csv").write_text("node_id,age,city\n" + rows)
    for text, width in (("age", 1), ("city, age", 3), ("city", 2)):
        task = DataArguments(str(tables), node_features=text).load(quiet=True)
        assert len(features_of(task)[0]) == width
    without = DataArguments(str(tables), node_features="none").load(quiet=True)
    assert without.graph.features is None
    with pytest.raises(ConfigError, match="wants names of columns"):
        DataArguments(str(tables), node_features=" , ").load(quiet=True)
    saved = save_task(load_task(tables, node_features=["city", "age"]), tables / "saved")
    assert len(features_of(load_task(saved))[0]) == 3
    assert load_task(saved, node_features=[]).graph.features is None
