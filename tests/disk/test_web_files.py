"""Files of a web server: found by their names, read on, and refused in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sub2node.base.errors import ConfigError, DataError
from sub2node.disk.remote_place import ConnectionLostError, RemoteFile
from sub2node.disk.web_files import WebPlace
from web_server import WebFolder, served


@pytest.fixture
def web(tmp_path: Path) -> Iterator[WebFolder]:
    (tmp_path / "edges.csv").write_bytes(b"source,target\n1,2\n")
    (tmp_path / "members.csv.gz").write_bytes(b"")
    (tmp_path / "notes.txt").write_bytes(b"no table")
    (tmp_path / "all.zip").write_bytes(b"0123456789")
    with served(tmp_path) as state:
        yield state


@pytest.mark.parametrize("ranges", [True, False])
def test_tables_are_found_by_their_names(web: WebFolder, *, ranges: bool) -> None:
    web.ranges, web.pages = ranges, True
    expected = [RemoteFile("members.csv.gz", 0, '"1"'), RemoteFile("edges.csv", 18, '"1"')]
    assert sorted(WebPlace(web.address).files()) == sorted(expected)


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("start", [0, 4, 10])
def test_an_archive_is_read_on(web: WebFolder, start: int, *, ranges: bool) -> None:
    web.ranges = ranges
    place = WebPlace(f"{web.address}/all.zip?signature=x")
    (file,) = place.files()
    assert file == RemoteFile("all.zip", 10, '"1"')
    if start == 10 and ranges:  # nothing is there to ask for
        return
    with place.read(file, start) as blocks:
        assert b"".join(blocks) == b"0123456789"[start:]


def test_what_changed_meanwhile_is_not_mixed(web: WebFolder) -> None:
    place = WebPlace(f"{web.address}/all.zip")
    (file,) = place.files()
    web.tag = '"2"'
    with pytest.raises(DataError, match=r"^http.*/all.zip: the file changed while"):
        place.read(file, 3).__enter__()
    (web.folder / "all.zip").unlink()
    with pytest.raises(DataError, match="the file changed while it was read; use the same"):
        place.read(file, 3).__enter__()


def test_a_file_that_is_not_there(web: WebFolder) -> None:
    with pytest.raises(DataError, match=r"^http://[^?]*/none.zip: the server has no such file"):
        WebPlace(f"{web.address}/none.zip?signature=secret").files()
    assert WebPlace(f"{web.address}/none").files() == []


@pytest.mark.parametrize("code", [401, 403])
def test_what_may_not_be_read(web: WebFolder, code: int) -> None:
    web.codes["all.zip"] = code
    with pytest.raises(ConfigError, match=r"all.zip may not be read: the server asks who does"):
        WebPlace(f"{web.address}/all.zip").files()


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_server_in_trouble(web: WebFolder, code: int) -> None:
    web.codes["all.zip"] = code
    with pytest.raises(ConnectionLostError, match=rf"answers {code} for .*/all.zip; try again"):
        WebPlace(f"{web.address}/all.zip").files()


def test_no_server(web: WebFolder) -> None:
    with pytest.raises(ConnectionLostError, match=r"x.zip cannot be reached \(Connection refused"):
        WebPlace("http://127.0.0.1:1/x.zip").files()


def test_redirects_are_few_and_to_web_addresses(web: WebFolder) -> None:
    web.moved["moved.zip"] = f"{web.address}/all.zip"
    assert WebPlace(f"{web.address}/moved.zip").files()[0].size == 10
    web.moved |= {"file.zip": (web.folder / "all.zip").as_uri(), "ftp.zip": "ftp://127.0.0.1/x"}
    web.moved["round.zip"] = f"{web.address}/round.zip"
    for number in range(9):
        web.moved[f"{number}.zip"] = f"{web.address}/{number + 1}.zip"
    for name in ("file", "ftp", "round", "0"):
        with pytest.raises(ConfigError, match=f"{name}.zip leads elsewhere too often, or where"):
            WebPlace(f"{web.address}/{name}.zip").files()


def test_a_size_is_needed(web: WebFolder) -> None:
    web.sized = web.ranges = False
    with pytest.raises(DataError, match=r"all.zip: the server does not tell its size"):
        WebPlace(f"{web.address}/all.zip").files()


@pytest.mark.parametrize("address", ["https://", "http:///x", "http://[x", "http://x:port/y"])
def test_no_whole_address(address: str) -> None:
    with pytest.raises(ConfigError, match="is no whole address: https://HOST/FOLDER"):
        WebPlace(address)
