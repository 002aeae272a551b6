"""Files of a store: listed, read on, and refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pytest

from stores import pretend_store
from sub2node.base.errors import ConfigError, DataError, Sub2NodeError
from sub2node.disk import store_files
from sub2node.disk.remote_place import ConnectionLostError
from sub2node.disk.store_files import StorePlace


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = pretend_store(tmp_path, monkeypatch) / "tables"
    (folder / "edges").mkdir(parents=True)
    (folder / "edges" / "part-0.parquet").write_bytes(b"0123456789")
    (folder / "edges" / "_SUCCESS").write_bytes(b"")
    (folder / "members.csv").write_bytes(b"abc")
    (folder / "other.bin").write_bytes(b"abc")
    (folder / "all.zip").write_bytes(b"packed")
    return folder


def test_tables_are_listed_and_read_on(bucket: Path) -> None:
    place = StorePlace("s3a://bucket/tables/?region=x")
    assert (place.shown, place.single) == ("s3a://bucket/tables", False)
    files = place.files()
    assert [file[:2] for file in files] == [("edges/part-0.parquet", 10), ("members.csv", 3)]
    with place.read(files[0], 4) as blocks:
        assert b"".join(blocks) == b"456789"
    (bucket / "members.csv").write_bytes(b"abcd")
    with (
        pytest.raises(DataError, match=r"members.csv: the file changed while it was read"),
        place.read(files[1], 0) as blocks,
    ):
        next(blocks)


def test_an_archive_is_one_file(bucket: Path) -> None:
    place = StorePlace("gs://bucket/tables/all.zip")
    (file,) = place.files()
    assert (file.name, file.size, place.single) == ("all.zip", 6, True)
    with place.read(file, 2) as blocks:
        assert b"".join(blocks) == b"cked"


@pytest.mark.parametrize("name", ["none", "none.zip", "tables/edges/none"])
def test_nothing_is_there(bucket: Path, name: str) -> None:
    with pytest.raises(DataError, match=f"^s3://bucket/{name}: there is no such folder of tables"):
        StorePlace(f"s3://bucket/{name}").files()


@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        (OSError("AWS Error ACCESS_DENIED in ListObjectsV2"), ConfigError, "may not be read"),
        (OSError("Could not resolve " + "host " * 99), ConnectionLostError, r"host …\)\.$"),
        (pa.ArrowNotImplementedError("no s3"), ConfigError, "Arrow needs for it is not on"),
        (OSError("Unable to load libjvm"), ConfigError, "Arrow needs for it is not on"),
        (pa.ArrowInvalid("no bucket"), ConfigError, "is no whole address: s3://PLACE"),
    ],
)
def test_errors_are_one_sentence_without_secrets(
    monkeypatch: pytest.MonkeyPatch, error: Exception, kind: type[Sub2NodeError], sentence: str
) -> None:
    def fail(address: str) -> None:
        raise error

    monkeypatch.setattr(store_files, "open_store", fail)
    with pytest.raises(kind, match=f"^s3://bucket/x .*{sentence}") as caught:
        StorePlace("s3://bucket/x?secret=1")
    assert len(str(caught.value)) < 300


def test_google_is_not_waited_for_a_quarter_of_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def note(address: str) -> tuple[pafs.FileSystem, str]:
        asked.append(address)
        return pafs.LocalFileSystem(), "x"

    monkeypatch.setattr(store_files, "open_store", note)
    StorePlace("gs://bucket/x")
    StorePlace("gs://bucket/x?project_id=y")
    StorePlace("gs://bucket/x?retry_limit_seconds=3")
    assert asked == [
        "gs://bucket/x?retry_limit_seconds=60",
        "gs://bucket/x?project_id=y&retry_limit_seconds=60",
        "gs://bucket/x?retry_limit_seconds=3",
    ]
