"""Limits on what compressed inputs expand to, and inputs that are no files."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sub2node as s2n
from commands import refused
from commands import s2n as command
from sub2node.base.errors import ConfigError, DataError
from sub2node.encode.encoding_files import load_encoding
from sub2node.io import expansion
from sub2node.io.expansion import check_parquet, expansion_limit
from sub2node.io.sets import read_sets


@pytest.fixture
def small(monkeypatch) -> None:
    """What any file may expand to is a hundred kilobytes here, not a gigabyte."""
    for function in (check_parquet, expansion.allowed_bytes):
        changed = {**function.__kwdefaults__, "least": 100_000}
        monkeypatch.setattr(function, "__kwdefaults__", changed)


def folder(tmp_path: Path) -> Path:
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\n")
    (tmp_path / "labels.csv").write_text("subgraph_id,label\nx,1\ny,2\n")
    (tmp_path / "members.csv").write_text("subgraph_id,node_id\nx,a\nx,b\ny,b\ny,c\n")
    return tmp_path


def packed(path: Path, content: bytes) -> None:
    path.unlink()
    path.with_name(path.name + ".gz").write_bytes(gzip.compress(content))


@pytest.mark.slow
def test_gzip_that_expands_to_too_much(tmp_path: Path, small) -> None:
    data = folder(tmp_path)
    packed(data / "edges.csv", b"source,target\nb,c\n" + b"a,b\n" * 500_000)
    with pytest.raises(DataError, match=r"edges.csv.gz: .* more than .* bytes \(200 times"):
        s2n.load_task(data)
    refused(command("describe", data), "--max-expansion")
    assert s2n.load_task(data, max_expansion=2000).graph.num_edges == 2
    assert command("describe", data, "--max-expansion", "2000").code == 0


def test_ordinary_gzip_is_read(tmp_path: Path, small) -> None:
    data = folder(tmp_path)
    packed(data / "edges.csv", (data / "edges.csv").read_bytes())
    assert s2n.load_task(data).graph.num_edges == 2


def test_parquet_with_more_rows_than_it_can_have(tmp_path: Path, small) -> None:
    path = tmp_path / "edges.parquet"
    pq.write_table(pa.table({"source": np.zeros(10**6, np.int64)}), path, compression="zstd")
    with pytest.raises(DataError, match="max-expansion"):
        check_parquet(path, path.stat().st_size, path=path)
    with expansion_limit(100_000):
        check_parquet(path, path.stat().st_size, path=path)


@pytest.mark.slow
@pytest.mark.parametrize("nested", [False, True])
def test_parquet_with_one_long_text_for_many_rows(tmp_path: Path, small, nested: bool) -> None:
    path = tmp_path / "new.parquet"
    text = ["x" * 10_000] * 5000
    nodes = pa.array([[value] for value in text]) if nested else pa.array(text)
    names = pa.array(map(str, range(5000)))
    table = pa.table({"subgraph_id": names, "nodes" if nested else "node_id": nodes})
    pq.write_table(table, path, compression="zstd")
    assert path.stat().st_size < 50_000
    with pytest.raises(DataError, match="max-expansion"):
        list(read_sets(path))


def test_parquet_whose_text_repeats_a_little_is_read(tmp_path: Path, small) -> None:
    path = tmp_path / "new.parquet"
    names = [f"subgraph {number // 10}" for number in range(20_000)]
    nodes = [f"node {number % 70}" for number in range(20_000)]
    pq.write_table(pa.table({"subgraph_id": names, "node_id": nodes}), path)
    assert sum(map(len, read_sets(path))) == 2000


def test_archives_of_arrays(tmp_path: Path, small) -> None:
    path = tmp_path / "x.npz"
    np.savez_compressed(path, features=np.zeros((10**5, 10)))
    graph = s2n.load_task(folder(tmp_path)).graph
    with pytest.raises(DataError, match="max-expansion"):
        load_encoding(path, graph)


def test_limits_that_are_none() -> None:
    for times in (0.5, float("nan"), float("inf")):
        with pytest.raises(ConfigError, match="from 1"), expansion_limit(times):
            pass


@pytest.mark.slow
@pytest.mark.parametrize("name", ["edges.csv", "members.csv", "labels.csv", "edges.parquet"])
def test_pipes_and_devices_are_no_tables(tmp_path: Path, name: str) -> None:
    data = folder(tmp_path)
    (data / f"{name.split('.', maxsplit=1)[0]}.csv").unlink()
    os.mkfifo(data / name)
    refused(command("describe", data), "this is a named pipe, expected a file")
    (data / name).unlink()
    (data / name).symlink_to("/dev/zero")
    refused(command("describe", data), "this is a device, expected a file")


def test_pipes_are_no_graphs_and_no_presets(tmp_path: Path) -> None:
    data = folder(tmp_path)
    os.mkfifo(data / "pipe.csv")
    os.mkfifo(data / "pipe.toml")
    done = command("describe", data / "members.csv", "--graph", data / "pipe.csv")
    refused(done, "this is a named pipe, expected a file")
    refused(command("run", data, "--preset", data / "pipe.toml"), "this is a named pipe")


def test_a_text_outside_of_its_dictionary_is_damage() -> None:
    words = pa.DictionaryArray.from_arrays(
        pa.array([0, 2, None], pa.int32()), ["a", "bc"], safe=False
    )
    with pytest.raises(pa.ArrowInvalid, match="outside of the dictionary"):
        expansion._dense_bytes(words)
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1, None], pa.int32()), ["a", "bc"])
    assert expansion._dense_bytes(words) == 5 + 4 * 3
