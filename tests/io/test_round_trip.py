"""What is written is read back: identical for Parquet, the same content for the others."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given

from strategies import tasks
from sub2node import ConfigError, DataError, Sub2NodeError, SubgraphTask, load_task, save_task
from sub2node.io import read_task
from sub2node.io.save import tables_of


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        yield Path(place) / "task"


@given(tasks())
def test_parquet_reads_back_identical(task: SubgraphTask) -> None:
    with folder() as path:
        save_task(task, path)
        again = read_task(path)
    assert again == task
    assert np.array_equal(again.input_order, task.input_order)
    assert again.name == task.name
    assert again.class_names == task.class_names


@given(tasks())
@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl"])
def test_text_tables_keep_the_content(format: str, task: SubgraphTask) -> None:
    assert_content_kept(task, format)


@given(tasks(plain=True))
@pytest.mark.parametrize("format", ["subgnn", "gmt"])
def test_old_formats_keep_what_they_can_hold(format: str, task: SubgraphTask) -> None:
    assert_content_kept(task, format)


def assert_content_kept(task: SubgraphTask, format: str) -> None:
    with folder() as path:
        save_task(task, path, format=format)  # type: ignore[arg-type]
        again = read_task(path)
    assert again.graph == task.graph
    assert again.subgraphs == task.subgraphs
    assert np.array_equal(again.input_order, task.input_order)
    assert same_labels(again, task)


def same_labels(one: SubgraphTask, two: SubgraphTask) -> bool:
    """Same class names for each subgraph, and the same parts; a class nobody has may be lost."""
    if (one.labels is None) != (two.labels is None) or one.multilabel != two.multilabel:
        several = two.multilabel and two.labels is not None and two.labels.sum(axis=1).max() == 1
        if not several:  # one label each, in rows of a text table: single-label when read back
            return False
    if (one.split is None) != (two.split is None):
        return False
    if one.split is not None and two.split is not None and one.split.words() != two.split.words():
        return False
    if one.labels is None:
        return True
    rows = [[sorted(row) for row in task.label_lists().to_pylist()] for task in (one, two)]
    return rows[0] == rows[1]


@given(tasks())
def test_frames_of_any_make(task: SubgraphTask) -> None:
    tables = tables_of(task)
    assert same_frames(task, tables, lambda t: t)
    if task.graph.features is None and not task.multilabel:  # lists are not every frame's thing
        assert same_frames(task, tables, lambda t: t.to_pandas())
        assert same_frames(task, tables, pytest.importorskip("polars").from_arrow)


def same_frames(task: SubgraphTask, tables: dict[str, pa.Table], convert: object) -> bool:
    made = {name: convert(table) for name, table in tables.items()}  # type: ignore[operator]
    again = SubgraphTask.from_tables(
        made["edges"],
        made["members"],
        made.get("labels"),
        nodes=made["nodes"],
        subgraph_edges=made.get("subgraph_edges"),
    )
    return (
        again.graph == task.graph and again.subgraphs == task.subgraphs and same_labels(again, task)
    )


def test_string_ids_survive() -> None:
    edges = pd.DataFrame({"source": ["TP53", "007", "NA"], "target": ["007", "NA", "ü β"]})
    members = pd.DataFrame({"subgraph_id": ["s", "s", "t"], "node_id": ["007", "NA", "ü β"]})
    task = SubgraphTask.from_tables(edges, members)
    assert task.graph.names is not None
    assert list(task.graph.names) == ["007", "NA", "TP53", "ü β"]
    with folder() as path:
        for format in ("parquet", "csv", "tsv", "jsonl", "gmt"):
            save_task(task, path, format=format, overwrite=True)  # type: ignore[arg-type]
            assert read_task(path) == task


def test_integer_ids_mean_the_same_everywhere(tmp_path: Path) -> None:
    edges = pd.DataFrame({"source": [7, 10], "target": [10, 3]})
    members = pd.DataFrame({"subgraph_id": [5, 5, 9], "node_id": [7.0, 3.0, 10.0]})
    task = SubgraphTask.from_tables(edges, members)
    assert task.graph.names is not None
    assert list(task.graph.names) == ["3", "7", "10"]
    edges.to_csv(tmp_path / "edges.csv", index=False)
    members.astype({"node_id": int}).to_csv(tmp_path / "members.csv", index=False)
    assert read_task(tmp_path) == task


def test_subgnn_and_tables_agree(small: Path) -> None:
    task = read_task(small)
    low, high, _ = task.graph.edges()
    tables = tables_of(task)
    again = SubgraphTask.from_tables({"u": low, "v": high}, tables["members"], tables["labels"])
    assert again == task


def test_a_card_guards_its_tables(tables: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    save_task(load_task(tables), out)
    card = json.loads((out / "task.json").read_text())
    (out / "task.json").write_text(json.dumps({**card, "hash": "0" * 64}))
    with pytest.raises(DataError, match=r"task\.json: the tables are not those"):
        read_task(out)
    (out / "task.json").write_text("{")
    with pytest.raises(DataError, match="not JSON"):
        read_task(out)
    (out / "task.json").write_text('{"format": "other"}')
    with pytest.raises(DataError, match="no card of the kind"):
        read_task(out)
    (out / "task.json").write_text(json.dumps({**card, "version": 99}))
    with pytest.raises(DataError, match="version 99"):
        read_task(out)


def test_nothing_is_written_half(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = load_task(tables)
    out = tmp_path / "out"
    save_task(task, out)
    before = (out / "edges.parquet").read_bytes()
    with pytest.raises(ConfigError, match="exists already"):
        save_task(task, out)
    monkeypatch.setattr(
        "sub2node.io.save.write_table", lambda *_: (_ for _ in ()).throw(OSError("disk full"))
    )
    for target in (out, tmp_path / "new"):
        with pytest.raises(Sub2NodeError, match="cannot be written: disk full"):
            save_task(task, target, overwrite=True)
    assert (out / "edges.parquet").read_bytes() == before
    assert not (tmp_path / "new").exists()
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_overwrite_replaces(tables: Path, tmp_path: Path) -> None:
    task = load_task(tables)
    out = tmp_path / "out"
    save_task(task, out, format="csv")
    save_task(task, out, overwrite=True)
    assert read_task(out) == task
    assert not (out / "edges.csv").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="is a file"):
        save_task(task, tmp_path / "file", overwrite=True)


@pytest.mark.parametrize(
    ("format", "message"),
    [("subgnn", "no edge weights"), ("gmt", "no member weights"), ("xml", "Known: parquet")],
)
def test_formats_say_what_they_cannot_hold(format: str, message: str, tmp_path: Path) -> None:
    task = SubgraphTask.from_tables(
        {"source": [0, 1], "target": [1, 2], "weight": [1.0, 2.0]},
        {"subgraph_id": [0, 1], "node_id": [0, 1], "weight": [0.5, 1.0]},
    )
    with pytest.raises(ConfigError, match=message):
        save_task(task, tmp_path / "out", format=format)  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


def test_subgnn_needs_labels_without_hyphens(tables: Path, tmp_path: Path) -> None:
    task = load_task(tables)
    with pytest.raises(ConfigError, match="needs labels"):
        save_task(SubgraphTask(task.graph, task.subgraphs), tmp_path / "o", format="subgnn")
    odd = SubgraphTask(
        task.graph, task.subgraphs, labels=task.labels, class_names=("a-b", "c"), split=task.split
    )
    with pytest.raises(ConfigError, match="joins labels by '-'"):
        save_task(odd, tmp_path / "o", format="subgnn")


def test_isolated_last_node_survives_every_format(tmp_path: Path) -> None:
    task = SubgraphTask.from_tables(
        {"source": [0], "target": [1]},
        {"subgraph_id": [0, 1], "node_id": [0, 3]},
        {"subgraph_id": [0, 1], "label": ["x", "y"], "split": ["train", "train"]},
        nodes={"node_id": np.arange(4)},
    )
    assert task.graph.num_nodes == 4
    for format in ("parquet", "csv", "jsonl", "gmt", "subgnn"):
        save_task(task, tmp_path / format, format=format)  # type: ignore[arg-type]
        assert read_task(tmp_path / format) == task, format
