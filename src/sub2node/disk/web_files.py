"""Files of a web server: a folder of tables, of which names are tried, or a zip archive."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from email.message import Message
from http.client import HTTPException, HTTPMessage
from typing import IO, Any
from urllib import request
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit, urlunsplit

from ..base.addresses import shown_address
from ..base.errors import ConfigError, DataError, Sub2NodeError
from .remote_place import BLOCK, STEMS, ConnectionLostError, RemoteFile

# A server does not list a folder, so these are tried.
ENDINGS = (".parquet", ".csv", ".csv.gz", ".tsv", ".tsv.gz")
_SECONDS = 60.0  # without a byte, after which a server counts as gone
_TRIED_TOGETHER = 8
_ABSENT, _DENIED, _EMPTY = (404, 410), (401, 403), 416
_NETWORK = (OSError, HTTPException)


class _Redirects(request.HTTPRedirectHandler):
    """Follows few redirects, between web addresses only, and none from https to http."""

    max_redirections = 5

    def redirect_request(
        self, req: Any, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> request.Request | None:
        scheme = urlsplit(newurl).scheme
        if scheme not in ("http", "https") or (req.type, scheme) == ("https", "http"):
            raise HTTPError(req.full_url, code, "refused", headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _make_opener() -> request.OpenerDirector:
    """What opens web addresses; the usual one reads files of this machine too."""
    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(),
        request.HTTPHandler(),
        request.HTTPSHandler(),
        request.HTTPDefaultErrorHandler(),
        request.HTTPErrorProcessor(),
        _Redirects(),
    ):
        opener.add_handler(handler)
    return opener


class WebPlace:
    """A folder or a zip archive of a web server.

    Args:
        address: Its address; what follows a question mark goes with each file of it.
    """

    def __init__(self, address: str) -> None:
        try:
            parts = urlsplit(address)
            known = parts.hostname is not None and (parts.port or True)
        except ValueError:
            known = False
        if not known:
            raise ConfigError(f"{shown_address(address)} is no whole address: https://HOST/FOLDER.")
        self._parts, self._opener = parts, _make_opener()
        self.shown = shown_address(address).rstrip("/")
        self.single = parts.path.lower().endswith(".zip")

    def files(self) -> list[RemoteFile]:
        """The files that may be tables of a task."""
        names = [""] if self.single else [stem + end for stem in STEMS for end in ENDINGS]
        with ThreadPoolExecutor(_TRIED_TOGETHER) as pool:
            answers = list(pool.map(self._look_at, names))
        files = [one for one in answers if isinstance(one, RemoteFile)]
        if not files and any(code in _DENIED for code in answers):
            raise ConfigError(
                f"{self.shown} may not be read: the server asks who does; give an address with a"
                " signature, or copy the files."
            )
        if not files and self.single:
            raise DataError("the server has no such file.", path=self.shown)
        return files

    @contextmanager
    def read(self, file: RemoteFile, start: int) -> Iterator[Iterator[bytes]]:
        """The bytes of a file from ``start`` on, block by block."""
        name = "" if self.single else file.name
        try:
            answer = self._open(name, f"bytes={start}-")
        except HTTPError as error:
            error.close()
            if error.code in (*_ABSENT, _EMPTY):
                raise _changed(self._shown(name)) from None
            raise self._refused(name, error) from None
        with answer:
            if _described(answer, file.name) != file:
                raise _changed(self._shown(name))
            skipped = 0 if answer.status == 206 else start  # the server begins anew
            yield self._blocks(name, answer, skipped)

    def _blocks(self, name: str, answer: Any, skipped: int) -> Iterator[bytes]:
        try:
            while skipped:
                block = answer.read(min(skipped, BLOCK))
                if not block:
                    return
                skipped -= len(block)
            while block := answer.read(BLOCK):
                yield block
        except _NETWORK as error:
            raise self._lost(name, error) from None

    def _look_at(self, name: str) -> RemoteFile | int:
        """A file of the server, or the code it answers with instead."""
        try:
            with self._open(name, "bytes=0-0") as answer:
                if answer.headers.get_content_type() == "text/html":
                    return _ABSENT[0]  # a page that says so
                shown = name or self._parts.path.rpartition("/")[2]
                if (file := _described(answer, shown)) is None:
                    raise DataError("the server does not tell its size.", path=self._shown(name))
                return file
        except HTTPError as error:
            error.close()
            if error.code in (*_ABSENT, *_DENIED):
                return error.code
            if error.code == _EMPTY:
                return RemoteFile(name, 0, _tag(error.headers))
            raise self._refused(name, error) from None

    def _open(self, name: str, wanted: str) -> Any:
        """The answer of the server for some bytes of a file."""
        parts = self._parts
        path = f"{parts.path.rstrip('/')}/{name}" if name else parts.path
        path = quote(path, safe="/%:@!$&'()*+,;=~")
        url = urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
        headers = {"Range": wanted, "Accept-Encoding": "identity", "User-Agent": "sub2node"}
        try:
            return self._opener.open(request.Request(url, headers=headers), timeout=_SECONDS)
        except HTTPError:
            raise
        except _NETWORK as error:
            raise self._lost(name, error) from None

    def _shown(self, name: str) -> str:
        return f"{self.shown}/{name}" if name else self.shown

    def _lost(self, name: str, error: Exception) -> ConnectionLostError:
        reason = error.reason if isinstance(error, URLError) else error
        text = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
        return ConnectionLostError(f"{self._shown(name)} cannot be reached ({text}).")

    def _refused(self, name: str, error: HTTPError) -> Sub2NodeError:
        place = self._shown(name)
        if error.code // 100 == 3:
            return ConfigError(f"{place} leads elsewhere too often, or where nothing is read from.")
        return ConnectionLostError(f"the server answers {error.code} for {place}; try again later.")


def _described(answer: Any, name: str) -> RemoteFile | None:
    """What an answer tells of the whole file; None where its size is missing."""
    size = answer.headers.get("Content-Length", "")
    if answer.status == 206:
        size = answer.headers.get("Content-Range", "").rpartition("/")[2]
    return RemoteFile(name, int(size), _tag(answer.headers)) if size.isdecimal() else None


def _tag(headers: Message) -> str:
    return headers.get("ETag") or headers.get("Last-Modified") or ""


def _changed(place: str) -> DataError:
    return DataError("the file changed while it was read; use the same command again.", path=place)
