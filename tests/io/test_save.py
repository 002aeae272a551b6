"""What is saved reads back: every format, or a sentence on what it cannot hold."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given

from saved_tasks import same_labels
from strategies import signed_tasks, tasks
from sub2node import (
    ConfigError,
    Graph,
    Split,
    Sub2NodeError,
    Subgraphs,
    SubgraphTask,
    load_task,
    save_task,
)
from sub2node.coarsen import coarsen, with_virtual
from sub2node.io import read_task
from sub2node.task import SubgraphAttributes


def test_whatever_can_be_made_can_be_read_back(tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 2], weights=[0.5, 1, 2])
    plain = Graph(graph.indptr, graph.indices, weights=graph.weights)  # loop weights left away
    sets = Subgraphs.from_lists([[0], [1], [2]])
    some = (
        SubgraphTask(plain, sets),
        SubgraphTask(graph, sets, labels=[0, -1, 1], split=Split.sizes(train=1, virtual=1, val=1)),
        SubgraphTask(graph, sets, labels=np.array([[True, False], [False, False], [True, True]])),
        SubgraphTask(graph, sets, labels=[0, 1, 1], split=Split.given(["val", "test", "train"])),
        SubgraphTask(graph, sets, labels=[1, 1, 1], class_names=("10", "9")),
        SubgraphTask(graph, sets).subset([]),
        SubgraphTask(Graph.from_edges([], [], num_nodes=3), sets),
    )
    for number, task in enumerate(some):
        assert read_task(save_task(task, tmp_path / str(number))) == task


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        yield Path(place) / "task"


@pytest.mark.slow
@given(tasks())
def test_parquet_reads_back_identical(task: SubgraphTask) -> None:
    with folder() as path:
        save_task(task, path)
        again = read_task(path)
    assert again == task
    assert np.array_equal(again.input_order, task.input_order)
    assert again.name == task.name
    assert again.class_names == task.class_names


@pytest.mark.slow
@given(tasks())
@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl"])
def test_text_tables_keep_the_content(format: str, task: SubgraphTask) -> None:
    assert_content_kept(task, format)


@pytest.mark.slow
@given(signed_tasks())
@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl"])
def test_excluded_nodes_are_kept(format: str, task: SubgraphTask) -> None:
    assert_content_kept(task, format)


@pytest.mark.slow
@given(tasks(plain=True))
@pytest.mark.parametrize("format", ["subgnn", "gmt"])
def test_old_formats_keep_what_they_can_hold(format: str, task: SubgraphTask) -> None:
    assume(format != "gmt" or all(name == name.strip() for name in task.subgraph_ids))
    assert_content_kept(task, format)


def assert_content_kept(task: SubgraphTask, format: str) -> None:
    with folder() as path:
        save_task(task, path, format=format)  # type: ignore[arg-type]
        again = read_task(path)
    assert again.graph == task.graph
    assert again.subgraphs == task.subgraphs
    assert np.array_equal(again.input_order, task.input_order)
    assert same_labels(again, task)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("format", ["parquet", "csv", "tsv", "jsonl", "gmt"])
def test_virtual_subgraphs_survive_every_format(tmp_path: Path, format: str, several: bool) -> None:
    task = load_task("generate:density,subgraphs=30,seed=3")
    if several:
        labels = np.stack([task.labels == 0, task.labels != 0, task.labels > -1], axis=1)
        task = replace(task, labels=labels, class_names=("a", "b", "c"))
    bridged = with_virtual(task, coarsen(task.graph, "heavy_edge", 0.3).subgraphs)
    save_task(bridged, tmp_path / "out", format=format)
    assert load_task(tmp_path / "out") == bridged


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


ATTRIBUTES = {"paper": ["007", "", "x, y"], "size": ["1", "2", "3"]}


def with_attributes(**columns: list[str]) -> SubgraphTask:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3])
    sets = Subgraphs.from_lists([[0], [1], [2]])
    parts = Split.given(["test", "train", "train"])
    return SubgraphTask(
        graph, sets, labels=[0, 1, 0], split=parts, attributes=SubgraphAttributes(columns)
    )


@pytest.mark.parametrize("format", ["parquet", "csv", "tsv", "jsonl", "gmt"])
def test_attributes_are_saved(format: Any, tmp_path: Path) -> None:
    task = with_attributes(**ATTRIBUTES)
    again = read_task(save_task(task, tmp_path / "task", format=format))
    rows = {name: list(values.take(again.input_order)) for name, values in again.attributes.items()}
    assert rows == ATTRIBUTES
    assert not any("not used" in note for note in again.notes)


def test_attributes_that_a_format_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the SubGNN layout has no attributes of subgraphs"):
        save_task(with_attributes(**ATTRIBUTES), tmp_path / "task", format="subgnn")
    with pytest.raises(ConfigError, match="'name' would be read back as 'title'"):
        save_task(with_attributes(name=["a", "b", "c"]), tmp_path / "task")
