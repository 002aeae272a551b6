"""What a place elsewhere is to those who fetch from it: files that are listed, and read on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from ..base.errors import Sub2NodeError
from ..io.elliptic2 import FILES
from ..io.gmx import GMX
from ..io.set_files import GMT
from ..io.tables import suffix

BLOCK = 1 << 20  # bytes that are read at a time
_LARGE = ("edges", "nodes", "background_edges", "background_nodes")
_SMALL = ("members", "labels", "subgraph_edges", "excluded", "aliases")
STEMS = tuple(dict.fromkeys((*_LARGE, *_SMALL, *(name.partition(".")[0] for name in FILES))))


class RemoteFile(NamedTuple):
    """A file elsewhere.

    Args:
        name: Its path below the place, with slashes; of a single file, its name.
        size: Its bytes.
        tag: What changes with its content: an entity tag or the time of the last change.
    """

    name: str
    size: int
    tag: str


class ConnectionLostError(Sub2NodeError):
    """The other side cannot be reached, or stopped sending; another try may succeed."""


class RemotePlace(Protocol):
    """A folder or an archive elsewhere.

    Args:
        single: Whether it is an archive, the only file.
    """

    single: bool

    def files(self) -> list[RemoteFile]:
        """The files that may be tables of a task."""

    def read(self, file: RemoteFile, start: int) -> AbstractContextManager[Iterator[bytes]]:
        """The bytes of a file from ``start`` on, block by block.

        Raises:
            ConnectionLostError: They end too early.
        """


def is_table(name: str) -> bool:
    """Whether a file of this path in a folder may be a table of a task."""
    path = PurePosixPath(name)
    if path.is_absolute() or any(part.startswith(".") or "\\" in part for part in path.parts):
        return False
    stem = path.parts[0].partition(".")[0]
    if len(path.parts) > 1:
        return stem in _LARGE and path.suffix == ".parquet"
    return stem in (*STEMS, "subgraphs") or suffix(Path(name)) in (*GMT, *GMX)
