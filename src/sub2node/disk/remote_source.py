"""Tables at an address: found there, named by their tags, and fetched once for a pass."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import unquote

from ..base import progress
from ..base.addresses import shown_address
from ..base.byte_sizes import size_words
from ..base.errors import ConfigError, DataError, Sub2NodeError
from ..base.renames import flush
from ..task.content_hash import digest
from .remote_place import ConnectionLostError, RemoteFile, RemotePlace
from .store_files import STORES, StorePlace
from .web_files import ENDINGS, WebPlace

_WAITS = (1.0, 4.0, 15.0)  # seconds before each further try that brings nothing
_PART = ".fetching"


@dataclass(frozen=True)
class RemoteSource:
    """A folder of tables, or a zip archive of one, at an address.

    Args:
        shown: The address as messages show it.
        place: What reads from there.
        files: The files that are there.
    """

    shown: str
    place: RemotePlace
    files: tuple[RemoteFile, ...]

    @classmethod
    def at(cls, address: str) -> Self:
        """Look at an address."""
        shown, place = shown_address(address).rstrip("/"), _open(address)
        with progress.activity(f"Looking at {shown}"):
            files = tuple(place.files())
        if not files:
            tried = ", ".join(f"edges{end}" for end in ENDINGS)
            raise DataError(f"there are no tables ({tried} and so on were tried).", path=shown)
        return cls(shown, place, files)

    @property
    def name(self) -> str:
        """What the data are called: the last word of the address."""
        return unquote(self.shown.rpartition("/")[2]).replace("/", "_").lstrip(".") or "data"

    def files_digest(self) -> str:
        """Names the files by their address, sizes and tags."""
        return digest("files at an address", self.shown, *map(repr, map(tuple, self.files)))

    def fetch(self, folder: Path) -> Path:
        """The files here: a folder, or an archive. Goes on where another process stopped.

        Args:
            folder: Where to put them; what it holds came from the same files.
        """
        local = folder / self.name
        folder.mkdir(exist_ok=True)
        paths = [local if self.place.single else local / file.name for file in self.files]
        self._require_room(folder, paths)
        for file, path in zip(self.files, paths, strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                self._fetch(file, path)
        return local

    def place_of(self, path: Path, local: Path) -> str:
        """The address of a file that was fetched to a path below ``local``."""
        below = path.relative_to(local).as_posix()
        return self.shown if below == "." else f"{self.shown}/{below}"

    def _require_room(self, folder: Path, paths: list[Path]) -> None:
        lacking = sum(file.size for file in self.files) - sum(
            held.stat().st_size
            for path in paths
            for held in (path, _part_of(path))
            if held.exists()
        )
        if lacking > (free := shutil.disk_usage(folder).free):
            raise Sub2NodeError(
                f"fetching {self.shown} takes {size_words(lacking)}, and {size_words(free)} are"
                f" free in {folder}; free some, or name another cache (S2N_CACHE)."
            )

    def _fetch(self, file: RemoteFile, path: Path) -> None:
        """Fetch a file, with further tries as long as some bytes come."""
        part, waits = _part_of(path), list(_WAITS)
        part.touch()
        while (held := part.stat().st_size) < file.size:
            lost = "the other side stopped sending."
            try:
                self._append(file, part, held)
            except ConnectionLostError as error:
                lost = str(error)
            if part.stat().st_size > held:
                waits = list(_WAITS)
            elif waits:
                time.sleep(waits.pop(0))
            else:
                raise ConnectionLostError(
                    f"{size_words(held)} of {size_words(file.size)} of {file.name} are here: {lost}"
                    " The same command goes on from there."
                )
        progress.step(f"Fetching {file.name}", 1, 1)
        if part.stat().st_size > file.size:
            part.unlink()
            raise DataError("the file is longer than it was said to be.", path=self.shown)
        flush(part)
        part.rename(path)

    def _append(self, file: RemoteFile, part: Path, held: int) -> None:
        with self.place.read(file, held) as blocks, part.open("ab") as out:
            for block in blocks:
                out.write(block)
                held += len(block)
                progress.step(f"Fetching {file.name}", held, file.size)
                if held > file.size:
                    return


def _part_of(path: Path) -> Path:
    return path.with_name(path.name + _PART)


def _open(address: str) -> RemotePlace:
    scheme, _, rest = address.partition("://")
    scheme, address = scheme.lower(), f"{scheme.lower()}://{rest}"
    if scheme not in ("http", "https", *STORES):
        known = ", ".join(f"{name}://" for name in ("https", "http", *STORES))
        raise ConfigError(f"{shown_address(address)} is no address to read from: {known} are.")
    if "@" in rest.partition("/")[0]:
        raise ConfigError(
            f"omit the name and the password from {shown_address(address)}: they would be kept in"
            " the history of commands."
        )
    return WebPlace(address) if scheme in ("http", "https") else StorePlace(address)
