"""Tasks on disk are made once, found again by their content, and options are checked."""

from __future__ import annotations

from pathlib import Path
from shutil import make_archive
from typing import Any

import numpy as np
import pytest

import sub2node as s2n
from disk_tables import check_part, disk_tables, on_disk, write_elliptic2
from sub2node.base.errors import ConfigError
from sub2node.base.notes import NoteKind
from sub2node.datasets.on_disk import EngineRequest, on_disk_folder
from sub2node.disk import SourceRequest
from sub2node.disk.unfinished import unfinished_path
from sub2node.encode import border_of
from sub2node.task.reading_options import Reading, ReadingOptions

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


@pytest.mark.parametrize("options", [{}, {"engine": "duckdb"}])
def test_an_address_is_refused_as_it_was_given(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"^s3://bucket/tables is an address, and data is read"):
        s2n.load_task("s3://bucket/tables", **options)


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
