"""Files beside the tables of a task: the larger graph, borders and arcs come back as they were."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import sub2node as s2n
from sub2node.base.errors import ConfigError, DataError
from sub2node.encode import border_of
from sub2node.io.part_files import ARCS, BORDER, INDEX_CARD, WHOLE, read_part
from sub2node.task import Arcs, Graph, Subgraphs, SubgraphTask, WholeGraph
from sub2node.task.names import Names


def part_task(*, named: bool = True, unlabelled: bool = True, whole: bool = True) -> SubgraphTask:
    """A directed graph of six nodes that is a part of one of nine, and five subgraphs."""
    arcs = Arcs(
        np.array([0, 1, 1, 4, 5, 2]),
        np.array([1, 0, 2, 5, 5, 3]),
        np.array([1, 2, 3, 1, 2, 4], np.float32),
        np.arange(12, dtype=np.float32).reshape(6, 2),
        ("amount", "fee"),
    )
    features = np.arange(12, dtype=np.float32).reshape(6, 2)
    names = Names([f"n{i}" for i in (3, 1, 2, 5, 4, 0)]) if named else None
    graph = Graph.from_arcs(arcs, num_nodes=6, features=features, names=names)
    ids = Names(list("cabed")) if named else None
    subgraphs = Subgraphs.from_lists([[0, 1], [2], [1, 3], [4], [5, 0]], names=ids)
    subgraphs = replace(subgraphs, border=border_of(graph, subgraphs))
    if whole:
        about = WholeGraph(9, 11, graph.degrees + 2, np.arange(6) + 7.5)
        graph = replace(graph, whole=about)
    others = None
    if unlabelled:
        sets = Subgraphs.from_lists([[0, 4], [1]], names=Names(["x", "y"]))
        sets = replace(sets, border=border_of(replace(graph, whole=None), sets))
        others = SubgraphTask(graph, sets)
    task = SubgraphTask(graph, subgraphs, np.array([0, 1, 0, 0, 1]), unlabelled=others)
    return task.with_split(["test", "train", "val", "train", "train"])


@pytest.mark.parametrize("named", [True, False])
def test_a_part_comes_back_as_it_was(tmp_path: Path, *, named: bool) -> None:
    task = part_task(named=named, unlabelled=named)
    again = s2n.load_task(s2n.save_task(task, tmp_path / "task"))
    assert again == task
    assert again.graph.whole is not None
    assert again.graph.whole.folder is None
    assert again.graph.arcs == task.graph.arcs
    assert again.subgraphs.border == task.subgraphs.border
    if named:
        assert again.unlabelled is not None
        assert again.unlabelled.subgraphs.border == task.unlabelled.subgraphs.border  # type: ignore[union-attr]
        assert again.unlabelled.graph is again.graph


def test_borders_follow_their_subgraphs_through_a_second_split(tmp_path: Path) -> None:
    task = part_task().with_split(["train", "test", "train", "val", "train"])
    again = s2n.load_task(s2n.save_task(task, tmp_path / "task"))
    assert again == task
    expected = border_of(replace(again.graph, whole=None), again.subgraphs)
    assert again.subgraphs.border == expected


def test_only_a_folder_with_a_part_has_the_new_version(tmp_path: Path) -> None:
    plain = part_task(whole=False)
    graph = replace(plain.graph, arcs=None)
    subgraphs = replace(plain.subgraphs, border=None)
    plain = replace(plain, graph=graph, subgraphs=subgraphs, unlabelled=None)
    versions = []
    for name, task in (("plain", plain), ("part", part_task())):
        folder = s2n.save_task(task, tmp_path / name)
        versions.append(json.loads((folder / "task.json").read_text("utf-8"))["version"])
    assert versions == [1, 2]
    assert not any((tmp_path / "plain" / name).exists() for name in (WHOLE, BORDER, ARCS))


def test_the_index_is_the_folder_or_where_the_part_came_from(tmp_path: Path) -> None:
    task = part_task()
    assert task.graph.whole is not None
    whole = replace(task.graph.whole, folder=tmp_path / "index")
    task = replace(task, graph=replace(task.graph, whole=whole))
    folder = s2n.save_task(task, tmp_path / "copy")
    assert s2n.load_task(folder).graph.whole.folder == tmp_path / "index"  # type: ignore[union-attr]
    (folder / INDEX_CARD).write_text("{}", "utf-8")
    assert s2n.load_task(folder).graph.whole.folder == folder  # type: ignore[union-attr]


def test_text_has_the_arcs_as_edges_and_refuses_a_part(tmp_path: Path) -> None:
    task = part_task(whole=False, unlabelled=False)
    folder = s2n.save_task(task, tmp_path / "text", format="csv")
    lines = (folder / "edges.csv").read_text("utf-8").splitlines()
    assert lines[0].replace('"', "") == "source,target,weight,amount,fee"
    assert len(lines) == 1 + len(task.graph.arcs)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="part of a larger one on disk; write parquet"):
        s2n.save_task(part_task(), tmp_path / "part", format="csv")
    assert not (tmp_path / "part").exists()


def test_a_part_without_its_card_is_not_read_as_the_whole(tmp_path: Path) -> None:
    folder = s2n.save_task(part_task(), tmp_path / "task")
    (folder / "task.json").unlink()
    with pytest.raises(DataError, match=r"task\.json that says so is missing"):
        s2n.load_task(folder)


def test_a_background_is_refused_for_a_part(tmp_path: Path) -> None:
    folder = s2n.save_task(part_task(), tmp_path / "task")
    with pytest.raises(ConfigError, match="omit it for this folder"):
        s2n.load_task(folder, background=["n1", "n2"])


def test_damage_is_told(tmp_path: Path) -> None:
    folder = s2n.save_task(part_task(), tmp_path / "task")
    (folder / "checksums.json").unlink()
    table = pq.read_table(folder / BORDER)
    pq.write_table(table.slice(1), folder / BORDER)
    with pytest.raises(DataError, match="has no row; make the folder anew"):
        s2n.load_task(folder)
    (folder / WHOLE).unlink()
    with pytest.raises(DataError, match="the card names this file, which cannot be read"):
        s2n.load_task(folder)
    card = json.loads((folder / "task.json").read_text("utf-8"))
    card["whole"] = 3
    (folder / "task.json").write_text(json.dumps(card), "utf-8")
    pq.write_table(table.select([]), folder / WHOLE)
    with pytest.raises(DataError, match="no column 'degree'"):
        s2n.load_task(folder)


@pytest.mark.parametrize("pairs", [3, {"age": 1}, {"age": [0, 9]}, {"age": ["x", 1]}])
def test_imputed_features_of_a_card_must_be_features(tmp_path: Path, pairs: object) -> None:
    edges = {"source": ["a", "b"], "target": ["b", "c"]}
    members = {"subgraph_id": ["s"], "node_id": ["a"]}
    nodes = {"node_id": list("abc"), "age": [1.0, None, 3.0]}
    task = SubgraphTask.from_tables(edges, members, nodes=nodes, missing_features="impute")
    folder = s2n.save_task(task, tmp_path / "saved")
    card = json.loads((folder / "task.json").read_text())
    assert card["imputed"] == {"age": [0, 1]}
    assert s2n.load_task(folder).graph.imputed == {"age": (0, 1)}
    assert s2n.load_task(folder, node_features=[]).graph.features is None
    with pytest.raises(DataError, match="'imputed' must name two features"):
        read_part(task, folder, card | {"imputed": pairs})
