"""Tasks on disk are made once, found again by their content, and options are checked."""

from __future__ import annotations

import os
from pathlib import Path
from shutil import make_archive

import numpy as np
import pyarrow.parquet as pq
import pytest

import sub2node as s2n
from disk_tables import check_part, disk_tables, on_disk, write_elliptic2
from stores import pretend_store
from sub2node.base.errors import ConfigError, DataError, Sub2NodeError
from sub2node.base.notes import NoteKind
from sub2node.datasets.on_disk import EngineRequest, on_disk_folder, on_disk_folders
from sub2node.disk import SourceRequest
from sub2node.disk.unfinished import unfinished_path
from sub2node.encode import border_of
from sub2node.task.problems import DataProblemsError
from sub2node.task.reading_options import Reading, ReadingOptions
from web_server import served

pytest.importorskip("ibis")


@pytest.mark.slow
def test_the_second_load_makes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = disk_tables(tmp_path / "tables")
    first = on_disk(folder)
    assert first.graph.whole is not None
    assert first.graph.whole.folder is not None
    left = unfinished_path(first.graph.whole.folder)
    left.mkdir()  # of a process that was killed at its last step
    monkeypatch.setattr("sub2node.datasets.on_disk.make_part_folder", None)
    again = on_disk(folder)
    assert again == first
    assert not left.exists()
    note = again.notes[-1]
    assert "the graph stays on disk; what is needed of it lies in" in note
    assert getattr(note, "kind", None) == NoteKind.SOURCE
    assert first.name == "tables"
    check_part(again, s2n.load_task(folder))


def test_another_request_has_another_folder(tmp_path: Path) -> None:
    folder = disk_tables(tmp_path / "tables")
    reading = Reading(ReadingOptions(repeated="sum"))
    places = {
        on_disk_folder(SourceRequest(folder), EngineRequest("duckdb"), Reading()),
        on_disk_folder(SourceRequest(folder), EngineRequest("duckdb"), reading),
        on_disk_folder(SourceRequest(folder), EngineRequest("duckdb", border_hops=2), Reading()),
        on_disk_folder(SourceRequest(folder, node_features=[]), EngineRequest("duckdb"), Reading()),
    }
    assert len(places) == 4
    # How it is made does not matter.
    spark = EngineRequest("spark", master="local[2]")
    assert on_disk_folder(SourceRequest(folder), spark, Reading()) in places


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"engine": "duck"}, "no engine 'duck'.*'duckdb'"),
        ({"memory": "8GB"}, r"memory \(--memory\) goes with engine='duckdb' or 'spark'"),
        ({"border_hops": 2}, r"border_hops \(--border-hops\) goes with"),
        ({"engine": "duckdb", "memory": "much"}, "much"),
        ({"engine": "duckdb", "spill": "nowhere"}, "there is no folder nowhere to spill into"),
        ({"engine": "duckdb", "master": "local"}, "a master"),
        ({"engine": "spark", "master": "local", "spill": "."}, "are DuckDB's"),
        ({"engine": "duckdb", "graph": "x"}, "reads a folder of tables; omit graph"),
        ({"engine": "duckdb", "missing_features": "impute"}, "duckdb fills no missing features"),
        ({"engine": "duckdb", "no_header": True}, "wants headers; omit no_header"),
        ({"engine": "duckdb", "node_separator": ";"}, "wants a row for each member"),
        ({"engine": "duckdb", "score_weights": True}, "omit score_weights"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    tmp_path: Path, options: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ConfigError, match=sentence):
        s2n.load_task(disk_tables(tmp_path / "tables"), **options)  # type: ignore[arg-type]


def test_without_an_engine_an_address_is_refused_without_its_secrets() -> None:
    with pytest.raises(ConfigError, match=r"^s3://bucket/tables is an address, and without an eng"):
        s2n.load_task("s3://key:secret@bucket/tables?x=secret")


def _unfinished() -> list[Path]:
    return sorted(on_disk_folders().glob(".*.unfinished"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["parquet", "csv", "csv.gz", "zip"])
def test_tables_of_a_web_server_are_those_of_a_folder(tmp_path: Path, kind: str) -> None:
    local = disk_tables(tmp_path / "my tables", kind=kind, weighted=True)
    with served(tmp_path) as web:
        address = f"{web.address}/{local.name.replace(' ', '%20')}"
        part = on_disk(address, repeated="sum")
        check_part(part, s2n.load_task(tmp_path / "my tables", repeated="sum"))
        assert part == on_disk(local, repeated="sum")
        assert part.name == "my tables"
        fetched = len(web.asked)
        assert fetched == (1 if kind == "zip" else 4)
        assert on_disk(f"{address}?signature=x", repeated="sum") == part
        assert len(web.asked) == fetched
        web.tag = '"2"'  # the files are others by now
        on_disk(address, repeated="sum")
        assert len(web.asked) == 2 * fetched
    assert part.graph.whole is not None
    assert part.graph.whole.folder is not None
    assert not list(part.graph.whole.folder.rglob("*fetch*"))
    assert _unfinished() == []


@pytest.mark.slow
def test_tables_of_a_store_are_those_of_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = pretend_store(tmp_path, monkeypatch)
    local = disk_tables(bucket / "tables", seed=5)
    rows = pq.read_table(local / "edges.parquet")
    (local / "edges.parquet").unlink()
    (local / "edges").mkdir()
    for number, part in enumerate((rows.slice(0, 100), rows.slice(100))):
        pq.write_table(part, local / "edges" / f"part-{number}.parquet")
    found = on_disk("s3://bucket/tables")
    assert found == on_disk(local)
    os.utime(local / "nodes.parquet", ns=(1, 1))
    monkeypatch.setattr("sub2node.datasets.on_disk.make_part_folder", None)
    with pytest.raises(TypeError):  # it would be made anew
        on_disk("s3://bucket/tables")


def test_errors_in_fetched_tables_name_the_address_and_leave_nothing(tmp_path: Path) -> None:
    local = disk_tables(tmp_path / "tables", kind="csv")
    with served(tmp_path) as web:
        with (local / "labels.csv").open("a", encoding="utf-8") as file:
            file.write("99,a,train\n")
        with pytest.raises(DataProblemsError, match=rf"^{web.address}/tables/labels.csv:14: "):
            on_disk(f"{web.address}/tables?signature=secret")
        (local / "labels.csv").unlink()
        (local / "edges.csv").write_text("x,y\n1,2\n", "utf-8")
        web.tag = '"2"'
        with pytest.raises(DataError, match=rf"^{web.address}/tables/edges.csv: no column 'sou"):
            on_disk(f"{web.address}/tables?signature=secret")
        (local / "edges.csv").unlink()
        with pytest.raises(DataError, match=rf"^{web.address}/tables: the folder has no edges tab"):
            on_disk(f"{web.address}/tables?signature=secret")
    assert _unfinished() == []


def test_what_was_fetched_when_a_server_stopped_is_not_fetched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sub2node.disk.remote_source._WAITS", ())
    disk_tables(tmp_path / "tables", kind="csv")
    with served(tmp_path) as web:
        web.stops = [200, 0]
        with pytest.raises(Sub2NodeError, match=r"of edges.csv are here: the other side stopped"):
            on_disk(f"{web.address}/tables")
        assert len(_unfinished()) == 1
        web.stops = []
        on_disk(f"{web.address}/tables")
        assert [start for name, start in web.asked if name == "tables/edges.csv"] == [0, 200, 200]
        assert _unfinished() == []


def test_an_address_of_a_local_file_is_its_path(tmp_path: Path) -> None:
    source = disk_tables(tmp_path / "own tables")
    assert "%20" in source.as_uri()
    assert s2n.load_task(source.as_uri()) == s2n.load_task(source)


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
def test_the_files_of_elliptic2_are_those_in_memory(tmp_path: Path, *, packed: bool) -> None:
    source = folder = write_elliptic2(tmp_path / "elliptic2")
    if packed:
        source = Path(make_archive(str(tmp_path / "packed"), "zip", tmp_path, "elliptic2"))
    for directed in (False, True):
        part, whole = on_disk(source, directed=directed), s2n.load_task(folder, directed=directed)
        assert part.subgraph_ids == whole.subgraph_ids
        assert part.subgraphs.border == border_of(whole.graph, whole.subgraphs)
        assert np.array_equal(part.labels, whole.labels)  # type: ignore[arg-type]
        assert part.subgraphs.edges is not None
        assert part.graph.arcs is None or part.graph.arcs.feature_names == ("amount",)


@pytest.mark.slow
def test_a_task_without_labels_or_nodes_is_read(tmp_path: Path) -> None:
    folder = disk_tables(tmp_path / "tables")
    (folder / "labels.parquet").unlink()
    (folder / "nodes.parquet").unlink()
    part, whole = on_disk(folder), s2n.load_task(folder)
    assert part.graph.features is None
    assert part.subgraph_ids == whole.subgraph_ids
    assert np.array_equal(part.subgraphs.sizes, whole.subgraphs.sizes)
    graphs = s2n.translate(part), s2n.translate(whole)
    assert np.array_equal(*(one.weights.toarray() for one in graphs))
