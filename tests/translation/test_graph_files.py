"""Stored graphs: read back the same, damaged ones refused."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

import sub2node as s2n
from directed_tasks import directed_task
from strategies import tasks
from sub2node import ConfigError, DataError, S2NGraph, Subgraphs, SubgraphTask
from sub2node.evaluate import homophily
from sub2node.evaluate.homophily import homophily_of_pairs
from sub2node.translation.graph_files import read_labels, read_pairs


@pytest.mark.slow
@given(tasks())
def test_graphs_read_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, task: SubgraphTask
) -> None:
    if task.split is not None and not task.split.visible("train"):
        task = replace(task, split=None)
    path = tmp_path_factory.mktemp("graph") / "g"
    graph = s2n.translate(task)
    graph.save(path, task)
    again = S2NGraph.load(path, task=task)
    assert np.array_equal(again.weights.toarray(), graph.weights.toarray())
    assert again.weights.dtype in (graph.weights.dtype, np.float32)  # narrow where it is exact
    assert (again.statistics, again.settings) == (graph.statistics, graph.settings)
    assert again.split.words() == graph.split.words()
    fresh = Subgraphs.from_lists([[0, 1]])
    assert np.array_equal(again.attach(fresh).known.toarray(), graph.attach(fresh).known.toarray())
    labels = read_labels(path)
    if task.labels is None:
        assert labels is None
    else:
        assert labels is not None
        stored = homophily_of_pairs(read_pairs(path), labels, half=True)
        whole = homophily(graph.weights, task.labels)
        assert stored.edges == whole.edges
        assert stored.edge == pytest.approx(whole.edge, nan_ok=True)
        assert stored.node == pytest.approx(whole.node, nan_ok=True)


@pytest.mark.parametrize("direction", ["out", "in"])
def test_a_graph_of_one_direction_reads_back_whole(direction: Any, tmp_path: Path) -> None:
    task = directed_task(weighted=True)
    graph = s2n.translate(task, direction=direction)
    path = graph.save(tmp_path / "g", task)
    again = S2NGraph.load(path, task=task)
    assert np.array_equal(again.weights.toarray(), graph.weights.toarray())
    assert (again.settings, again.num_edges) == (graph.settings, graph.num_edges)
    fresh = Subgraphs.from_lists([[0, 1]])
    assert np.array_equal(again.attach(fresh).known.toarray(), graph.attach(fresh).known.toarray())
    labels = read_labels(path)
    assert labels is not None
    stored, whole = homophily_of_pairs(read_pairs(path), labels), homophily(graph.weights, labels)
    assert (stored.edge, stored.edges) == (whole.edge, whole.edges)


@pytest.fixture
def stored(tmp_path: Path) -> tuple[SubgraphTask, Path]:
    task = s2n.datasets.generate("density", subgraphs=20)
    path = s2n.translate(task).normalize(1.0, 2.0).save(tmp_path / "g", task)
    return task, path


def test_without_its_task_nothing_is_attached(stored: tuple[SubgraphTask, Path]) -> None:
    task, path = stored
    graph = S2NGraph.load(path)
    assert graph.normalized
    assert graph.task_hash == task.hash
    with pytest.raises(ConfigError, match="load it with task="):
        graph.attach(task.subgraphs)
    other = s2n.datasets.generate("density", subgraphs=20, seed=1)
    with pytest.raises(ConfigError, match="another task"):
        S2NGraph.load(path, task=other)
    with pytest.raises(ConfigError, match="another task"):
        graph.save(path.parent / "h", other)
    with pytest.raises(ConfigError, match="exists already"):
        graph.save(path, task)
    graph.save(path, task, overwrite=True)


def test_own_operators_are_not_stored(tmp_path: Path) -> None:
    task = s2n.datasets.generate("density", subgraphs=20)
    path = s2n.translate(task, te=task.graph.adjacency()).save(tmp_path / "g", task)
    assert len(S2NGraph.load(path)) == 20
    with pytest.raises(ConfigError, match="which is not stored"):
        S2NGraph.load(path, task=task)


def replaced(table: pa.Table, name: str, values: object) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, pa.array(values))


@pytest.mark.slow
def test_a_flipped_bit_is_seen(stored: tuple[SubgraphTask, Path]) -> None:
    _, path = stored
    content = (path / "weights.parquet").read_bytes()
    for at in range(0, len(content), max(len(content) // 40, 1)):
        flipped = content[:at] + bytes([content[at] ^ 16]) + content[at + 1 :]
        (path / "weights.parquet").write_bytes(flipped)
        with pytest.raises(DataError, match="not the one that was written"):
            S2NGraph.load(path)


@pytest.mark.slow
def test_damaged_graphs_are_refused(stored: tuple[SubgraphTask, Path]) -> None:
    _, path = stored
    (path / "checksums.json").unlink()  # as of 0.1: the content has to be checked itself
    card = json.loads((path / "graph.json").read_text())
    whole = (path / "weights.parquet").read_bytes()
    for change, message in (
        ({"entries": 1}, "entries, the card says 1"),
        ({"format": "x"}, "no card of the kind"),
        ({"version": 9}, "version 9"),
        ({"nodes": 3}, "its counts disagree"),
        ({"nodes": None}, "the card is damaged"),
        ({"settings": {"colour": 1}}, "the card is damaged"),
        ({"statistics": {"subgraphs": 16, "total": "a", "squares": 1}}, "the card is damaged"),
        ({"split": {"train": -1}}, "the card is damaged"),
    ):
        (path / "graph.json").write_text(json.dumps({**card, **change}))
        with pytest.raises(DataError, match=message):
            S2NGraph.load(path)
    (path / "graph.json").write_text("{")
    with pytest.raises(DataError, match="not JSON"):
        S2NGraph.load(path)
    (path / "graph.json").write_text(json.dumps(card))
    table = pq.read_table(path / "weights.parquet")
    weight = table["weight"].to_numpy().copy()
    for bad, message in (
        (table.drop_columns(["weight"]), "the weights cannot be read"),
        (replaced(table, "weight", weight.astype(str)), "the weights cannot be read"),
        (replaced(table, "weight", np.where(weight > 0, np.nan, 0)), "missing, not finite"),
        (replaced(table, "row", table["column"].to_numpy() + 1), "outside the upper half"),
        (pa.concat_tables([table.slice(0, 1), table.slice(0, len(table) - 1)]), "there twice"),
    ):
        pq.write_table(bad, path / "weights.parquet")
        with pytest.raises(DataError, match=message):
            S2NGraph.load(path)
    (path / "weights.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="the weights cannot be read"):
        S2NGraph.load(path)
    (path / "graph.json").unlink()
    with pytest.raises(DataError, match=r"graph\.json is missing"):
        S2NGraph.load(path)


def test_what_is_no_file_or_much_larger_than_its_files(stored: tuple[SubgraphTask, Path]) -> None:
    _, folder = stored
    (folder / "checksums.json").unlink()
    card = json.loads((folder / "graph.json").read_text())
    large = {**card, "nodes": 2**40, "split": {**card["split"], "train": 2**40}}
    (folder / "graph.json").write_text(json.dumps(large))
    with pytest.raises(DataError, match="bytes of weights"):
        S2NGraph.load(folder)
    (folder / "graph.json").write_text(json.dumps(card))
    for name in ("weights.parquet", "subgraphs.parquet", "graph.json", "checksums.json"):
        content = (folder / name).read_bytes() if (folder / name).exists() else b""
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)
        with pytest.raises(DataError, match="a named pipe"):
            S2NGraph.load(folder)
        (folder / name).unlink()
        if content:
            (folder / name).write_bytes(content)
