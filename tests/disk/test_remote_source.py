"""Data at an address: fetched once, gone on with, and named by their tags."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest

from sub2node.base.errors import ConfigError, DataError, Sub2NodeError
from sub2node.disk import RemoteSource, remote_source, web_files
from sub2node.disk.remote_place import ConnectionLostError
from web_server import WebFolder, served

CONTENT = {"edges.csv": bytes(range(256)) * 40, "members.csv": b"subgraph_id,node_id\n1,1\n"}


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebFolder]:
    monkeypatch.setattr(remote_source, "_WAITS", (0.0,))
    monkeypatch.setattr(web_files, "BLOCK", 1000)
    folder = tmp_path / "web" / "tables"
    folder.mkdir(parents=True)
    for name, content in CONTENT.items():
        (folder / name).write_bytes(content)
    with served(tmp_path / "web") as state:
        yield state


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_files_are_fetched_whole_and_once(web: WebFolder, tmp_path: Path) -> None:
    source = RemoteSource.at(f"{web.address}/tables/?signature=secret")
    assert source.name == "tables"
    assert source.shown == f"{web.address}/tables"
    local = source.fetch(tmp_path / "here")
    assert local == tmp_path / "here" / "tables"
    assert contents(local) == CONTENT
    web.asked.clear()
    assert source.fetch(tmp_path / "here") == local
    assert web.asked == []
    assert source.place_of(local / "edges.csv", local) == f"{web.address}/tables/edges.csv"
    assert source.place_of(local, local) == f"{web.address}/tables"


@pytest.mark.parametrize("ranges", [True, False])
def test_a_server_that_stops_in_the_middle_is_asked_again(
    web: WebFolder, tmp_path: Path, *, ranges: bool
) -> None:
    web.ranges, web.stops = ranges, [3500, 6000 if ranges else 9000]
    local = RemoteSource.at(f"{web.address}/tables").fetch(tmp_path / "here")
    assert contents(local) == CONTENT
    assert [start for name, start in web.asked if name == "tables/edges.csv"][:3] == (
        [0, 3500, 9500] if ranges else [0, 0, 0]
    )


def test_one_that_stops_for_good_leaves_what_came(web: WebFolder, tmp_path: Path) -> None:
    web.stops = [2500, 0, 0, 0]
    source = RemoteSource.at(f"{web.address}/tables")
    with pytest.raises(ConnectionLostError, match=r"of edges.csv are here: .*goes on from there"):
        source.fetch(tmp_path / "here")
    web.stops = []
    web.asked.clear()
    assert contents(source.fetch(tmp_path / "here")) == CONTENT
    assert web.asked[0] == ("tables/edges.csv", 2500)


def test_the_digest_follows_the_files(web: WebFolder) -> None:
    def digest() -> str:
        return RemoteSource.at(f"{web.address}/tables").files_digest()

    first = digest()
    assert digest() == first
    assert RemoteSource.at(f"{web.address}/tables/?signature=x").files_digest() == first
    web.tag = '"2"'
    second = digest()
    (web.folder / "tables" / "edges.csv").write_bytes(b"other")
    assert len({first, second, digest()}) == 3


def test_room_is_asked_for_before(
    web: WebFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "free")
    monkeypatch.setattr(remote_source.shutil, "disk_usage", lambda path: usage(10))
    with pytest.raises(Sub2NodeError, match=r"takes 1 MB, and .* free in .*name another cache"):
        RemoteSource.at(f"{web.address}/tables").fetch(tmp_path / "here")
    assert web.asked == []


def test_what_is_no_source(web: WebFolder) -> None:
    with pytest.raises(DataError, match=r"/none: there are no tables \(edges.parquet, edges.csv"):
        RemoteSource.at(f"{web.address}/none")
    for address in ("ftp://host/x", "file://host/x", "abc://x"):
        with pytest.raises(ConfigError, match=f"^{address} is no address to read from: https://"):
            RemoteSource.at(address)
    with pytest.raises(ConfigError, match=r"^omit the name .* from https://host/x: they") as error:
        RemoteSource.at("https://me:secret@host/x")
    assert "secret" not in str(error.value)
