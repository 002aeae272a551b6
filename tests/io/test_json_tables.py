"""Tables as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sub2node import DataError, load_task
from sub2node.io.bad_lines import BadLines
from sub2node.io.json_tables import is_json_table, read_json_table
from sub2node.io.sets import read_sets
from sub2node.task.reading_options import Reading

TABLES = {
    "edges": [{"source": "a", "target": b, "weight": w} for b, w in (("b", 1), ("c", 2.5))],
    "members": [{"subgraph_id": i, "node_id": n} for i, n in ((1, "a"), (1, "b"), ("007", "c"))],
    "labels": [{"subgraph_id": 1, "label": True}, {"subgraph_id": "007", "label": "no", "date": 3}],
    "nodes": [{"node_id": n, "age": i or None, "x": [i, 2]} for i, n in enumerate("abc")],
}


def write(folder: Path, tables: dict[str, Any]) -> Path:
    for name, rows in tables.items():
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text)
    return folder


def test_every_table_may_be_json_lines(tmp_path: Path) -> None:
    task = load_task(write(tmp_path, TABLES), missing_features="impute")
    assert task.subgraph_ids == ["1", "007"]
    assert task.class_names == ("no", "true")
    assert list(task.attributes["date"]) == ["", "3"]
    assert task.graph.features.tolist() == [[1.5, 0, 2, 1], [1, 1, 2, 0], [2, 2, 2, 0]]
    assert task.graph.edges()[2].tolist() == [1, 2.5]
    asked = load_task(tmp_path / "members.jsonl", graph=tmp_path / "edges.jsonl")
    assert asked.subgraph_ids == ["1", "007"]
    (batch,) = read_sets(tmp_path / "members.jsonl")
    assert batch.names == ["1", "007"]


def test_bad_lines_are_listed_and_rows_keep_their_lines(tmp_path: Path) -> None:
    folder = write(tmp_path, TABLES)
    path = folder / "members.jsonl"
    rows = '{"subgraph_id": {}}\n\n[3]\n{"subgraph_id": 1, "node_id": "zz"}\n'
    path.write_text(path.read_text() + rows)
    with pytest.raises(DataError) as error:
        load_task(folder, missing_features="impute")
    found = {p.kind: p.lines.tolist() for p in error.value.problems}
    assert found == {"unusable line": [4, 6], "unknown member": [7]}
    options = {"missing_features": "impute", "bad_rows": "drop", "unknown_nodes": "drop"}
    assert len(load_task(folder, **options)) == 2


def test_types_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"a": 1, "b": "x", "c": [1]}\n{"a": 2.5, "b": 3, "c": ["y", null]}\n{"c": 4}\n'
    )
    table, numbers = read_json_table(path, lambda _name, _names: False, BadLines(path, Reading()))
    assert table.to_pydict() == {
        "a": [1, 2.5, None],
        "b": ["x", "3", None],
        "c": [["1"], ["y"], ["4"]],
    }
    assert numbers.tolist() == [1, 2, 3]
    table, _ = read_json_table(path, lambda name, _: name == "a", BadLines(path, Reading()))
    assert table["a"].to_pylist() == ["1", "2.5", None]
    path.write_text(
        '{"a": 1, "b": [1]}\n{"a": true, "b": [1e999]}\n{"a": 1e30, "b": [' + "9" * 400 + "]}\n{}\n"
    )
    bad = BadLines(path, Reading())
    table, _ = read_json_table(path, lambda _name, _names: False, bad)
    assert table["a"].to_pylist() == ["1", "true", "1e+30"]
    assert (table["b"].to_pylist()[0], bad.count) == (["1"], 1)
    path.write_text("nothing\n")
    with pytest.raises(DataError, match=r"t\.jsonl:1: expected an object .* found 'nothing'"):
        read_json_table(path, lambda _name, _names: True, BadLines(path, Reading()))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"subgraph_id": 1, "node_id": 2}', True),
        ('{"id": 1, "nodes": [2]}', False),
        ('{"label": {}, "x": 1}', False),
        ("", False),
    ],
)
def test_which_json_lines_are_members(tmp_path: Path, line: str, expected: bool) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(line)
    assert is_json_table(path) is expected
