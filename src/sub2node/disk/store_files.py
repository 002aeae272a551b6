"""Files of an object store or of Hadoop, as Arrow reads them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs

from ..base.addresses import shown_address
from ..base.errors import ConfigError, DataError, Sub2NodeError
from .remote_place import BLOCK, ConnectionLostError, RemoteFile, is_table

STORES = {"s3": "s3", "s3a": "s3", "gs": "gs", "hdfs": "hdfs"}  # what Arrow calls each
_GOOGLE_SECONDS = "retry_limit_seconds=60"  # it tries for a quarter of an hour otherwise
_DENIED = ("ACCESS_DENIED", "PERMISSION_DENIED", "UNAUTHENTICATED", "Permission denied")


class StorePlace:
    """A folder or a zip archive of a store.

    Args:
        address: Its address, as ``s3://bucket/tables``; Arrow's options follow a question mark.
    """

    def __init__(self, address: str) -> None:
        self.shown = shown_address(address).rstrip("/")
        scheme, _, rest = address.partition("://")
        if scheme == "gs" and "retry_limit_seconds" not in rest:
            rest += f"{'&' if '?' in rest else '?'}{_GOOGLE_SECONDS}"
        try:
            self._store, path = open_store(f"{STORES[scheme]}://{rest}")
        except (OSError, pa.ArrowException, ImportError) as error:
            raise self._explain(self.shown, error) from None
        self._path = path.rstrip("/")
        self.single = self._path.lower().endswith(".zip")

    def files(self) -> list[RemoteFile]:
        """The files that may be tables of a task."""
        wanted = [self._path] if self.single else pafs.FileSelector(self._path, recursive=True)
        try:
            entries = self._store.get_file_info(wanted)
        except FileNotFoundError:
            entries = []
        except (OSError, pa.ArrowException) as error:
            raise self._explain(self.shown, error) from None
        start = self._path.rfind("/") + 1 if self.single else len(self._path) + 1
        files = [
            RemoteFile(entry.path[start:], entry.size, str(entry.mtime_ns))
            for entry in entries
            if entry.type == pafs.FileType.File and (self.single or is_table(entry.path[start:]))
        ]
        if not files:
            raise DataError("there is no such folder of tables.", path=self.shown)
        return sorted(files)

    @contextmanager
    def read(self, file: RemoteFile, start: int) -> Iterator[Iterator[bytes]]:
        """The bytes of a file from ``start`` on, block by block."""
        path = self._path if self.single else f"{self._path}/{file.name}"
        place = self.shown if self.single else f"{self.shown}/{file.name}"
        try:
            stream = self._store.open_input_file(path)
        except (OSError, pa.ArrowException) as error:
            raise self._explain(place, error) from None
        with stream:
            yield self._blocks(stream, file, start, place)

    def _blocks(self, stream: Any, file: RemoteFile, start: int, place: str) -> Iterator[bytes]:
        try:
            if stream.size() != file.size:
                raise DataError(
                    "the file changed while it was read; use the same command again.", path=place
                )
            stream.seek(start)
            while block := stream.read(BLOCK):
                yield block
        except (OSError, pa.ArrowException) as error:
            raise self._explain(place, error) from None

    def _explain(self, place: str, error: Exception) -> Sub2NodeError:
        text = " ".join(str(error).split())
        if isinstance(error, (pa.ArrowNotImplementedError, ImportError)) or "libjvm" in text:
            return ConfigError(
                f"{place} cannot be read: what Arrow needs for it is not on this machine; copy the"
                " files."
            )
        if isinstance(error, pa.ArrowInvalid):
            return ConfigError(f"{place} is no whole address: {place.partition('://')[0]}://PLACE.")
        if isinstance(error, PermissionError) or any(word in text for word in _DENIED):
            return ConfigError(
                f"{place} may not be read: the store asks who does; give it your keys as its own"
                " tools want them (AWS_PROFILE, GOOGLE_APPLICATION_CREDENTIALS)."
            )
        return ConnectionLostError(f"{place} cannot be reached ({_first_words(text)}).")


def open_store(address: str) -> tuple[Any, str]:
    """Arrow's file system for an address, and the path there."""
    store, path = pafs.FileSystem.from_uri(address)
    return store, path


def _first_words(text: str, most: int = 120) -> str:
    """The beginning of what a store's library says, which may go on for a page."""
    return text if len(text) <= most else f"{text[:most].rpartition(' ')[0]} …"
