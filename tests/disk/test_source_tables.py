"""The tables of some data are found, their columns named, and what does not fit is told."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from disk_tables import disk_tables, write_elliptic2
from sub2node.base.errors import ConfigError, DataError
from sub2node.disk.source_tables import SourceRequest, find_source


def table(folder: Path, name: str, **columns: object) -> Path:
    pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return disk_tables(tmp_path / "tables", weighted=True)


def test_tables_and_columns_are_found(folder: Path) -> None:
    source = find_source(SourceRequest(folder), folder)
    assert source.edges.columns == {"source": "source", "target": "target", "weight": "weight"}
    assert source.edges.features == ()
    assert source.nodes is not None
    assert source.nodes.features == ("age0", "age1", "age2")
    assert source.node_features == 3
    assert source.sets.name == "members.parquet"
    assert list(source.small) == ["labels"]
    chosen = find_source(SourceRequest(folder, node_features=["age1"]), folder)
    assert chosen.node_features == 1
    assert "2 columns of nodes not used: 'age0', 'age2'." in chosen.notes


def test_directed_edges_have_features(tmp_path: Path, folder: Path) -> None:
    ends = np.arange(4)
    table(folder, "edges", source=ends, target=ends + 1, amount=ends * 0.5, word=list("abcd"))
    source = find_source(SourceRequest(folder, directed=True), tmp_path)
    assert source.edges.features == ("amount",)
    assert "1 column of edges not used: 'word'." in source.notes


def test_features_in_one_list_are_counted(tmp_path: Path, folder: Path) -> None:
    lists = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(8, dtype=np.float32)), 4)
    table(folder, "nodes", node_id=[1, 2], features=lists)
    source = find_source(SourceRequest(folder), tmp_path)
    assert source.node_features == 4


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"from_no": [1], "target": [2]}, "no column 'source' in the edges table"),
        ({"source": [1.5], "target": [2]}, "'source' has the type double; ids are integers"),
        ({"source": ["a"], "target": ["b"]}, r"ids are numbers in nodes\.node_id but text in"),
    ],
)
def test_edges_that_do_not_fit_are_told(
    folder: Path, columns: dict[str, object], sentence: str
) -> None:
    with pytest.raises(DataError, match=sentence):
        find_source(SourceRequest(table(folder, "edges", **columns)), folder)


def test_what_is_not_there_is_told(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(ConfigError, match="no column of numbers 'age9'"):
        find_source(SourceRequest(folder, node_features=["age9"]), folder)
    (folder / "members.parquet").unlink()
    with pytest.raises(DataError, match="no members table"):
        find_source(SourceRequest(folder), folder)
    (folder / "edges.parquet").unlink()
    with pytest.raises(DataError, match="no edges table"):
        find_source(SourceRequest(folder), folder)
    with pytest.raises(DataError, match="there is no such file or folder"):
        SourceRequest(tmp_path / "none").fingerprint()


def test_data_are_known_by_their_files_and_by_what_is_asked_for(folder: Path) -> None:
    first = SourceRequest(folder).fingerprint()
    assert SourceRequest(folder).fingerprint() == first
    asked = {"columns": {"source": "x"}, "node_features": ["age1"], "directed": True}
    others = [SourceRequest(folder, **{k: v}).fingerprint() for k, v in asked.items()]  # type: ignore[arg-type]
    assert len({first, *others}) == 4
    path = folder / "labels.parquet"
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert SourceRequest(folder).fingerprint() != first


def test_the_files_of_elliptic2_are_known(tmp_path: Path) -> None:
    source = find_source(SourceRequest(write_elliptic2(tmp_path / "data")), tmp_path)
    assert source.edges.columns == {"source": "clId1", "target": "clId2"}
    assert source.nodes is not None
    assert source.nodes.features == ("a", "b")
    assert set(source.small) == {"labels", "subgraph_edges"}
    with pytest.raises(ConfigError, match="columns of their own; omit columns"):
        find_source(SourceRequest(tmp_path / "data", columns={"source": "x"}), tmp_path)
    directed = find_source(SourceRequest(tmp_path / "data", directed=True), tmp_path)
    assert directed.edges.features == ("amount",)
