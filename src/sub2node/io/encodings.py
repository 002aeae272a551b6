"""Text that is not UTF-8: UTF-16 by its byte-order mark, Windows-1252 where UTF-8 fails."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from ..base.errors import DataError
from ..base.notes import Note, changed, doubtful
from ..task.problems import DataProblemsError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from ..task import SubgraphTask

_Arguments = ParamSpec("_Arguments")
_Item = TypeVar("_Item")
_END = object()
Notes = dict[str, Note]
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BLOCK = 1 << 18  # bytes that are turned together
_SHOWN = 40  # characters of a line
_WINDOWS = "sub2node-windows-1252"  # how bytes that are not UTF-8 are taken
_listener: ContextVar[Notes | None] = ContextVar("encodings", default=None)


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are not UTF-8 as Windows-1252; the five that it lacks stay what they are."""
    assert isinstance(error, UnicodeDecodeError)
    odd = error.object[error.start : error.end]
    return odd.decode("cp1252", "surrogateescape"), error.end


codecs.register_error(_WINDOWS, _as_windows)


@contextmanager
def listening(found: Notes) -> Iterator[None]:
    """Texts that are opened inside tell how they are encoded, unless as UTF-8, by their path."""
    token = _listener.set(found)
    try:
        yield
    finally:
        _listener.reset(token)


def says_encodings(
    read: Callable[_Arguments, SubgraphTask],
) -> Callable[_Arguments, SubgraphTask]:
    """A function whose task, or whose problems, say how the files are encoded."""

    @wraps(read)
    def read_and_say(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> SubgraphTask:
        found: Notes = {}
        try:
            with listening(found):
                task = read(*args, **kwargs)
        except DataProblemsError:
            if reading := cast("Any", kwargs.get("reading")):
                reading.problems.notes = [*found.values(), *reading.problems.notes]
            raise
        return replace(task, notes=(*found.values(), *task.notes)) if found else task

    return read_and_say


def saying_encodings(items: Iterable[_Item], notes: list[str] | None) -> Iterator[_Item]:
    """What is read piece by piece; notes take how the files are encoded."""
    remaining, found = iter(items), Notes()
    while True:
        with listening(found):
            item = next(remaining, _END)
        if notes is not None:
            notes += [note for note in found.values() if note not in notes]
        if item is _END:
            return
        yield cast("_Item", item)


def as_utf8(stream: io.BufferedReader[Any], path: Path) -> IO[bytes]:
    """A stream of text as UTF-8.

    UTF-16 is known by its byte-order mark. Of other text, bytes that are not UTF-8 are taken as
    Windows-1252, the rest stays as it is; what is binary stays so too.

    Args:
        stream: The bytes.
        path: The file, for notes.
    """
    head = stream.peek(_BLOCK)
    if head[:2] in _UTF16 and head[:4] != codecs.BOM_UTF32_LE:
        return io.BufferedReader(_Utf16Reader(stream, path), _BLOCK)
    if b"\0" in head or head[:1] in (b"\x80", b"\x89", b"\x93"):  # formats that are not text
        return stream
    return io.BufferedReader(_Utf8Reader(stream, path), _BLOCK)


class _Reader(io.RawIOBase):
    """Bytes that are turned into others, a block at a time."""

    def __init__(self, source: IO[bytes], path: Path) -> None:
        self._source, self._path = source, path
        self._rest = b""  # turned, and not yet read
        self._listener = _listener.get()  # here: Arrow reads on other threads

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read on."""
        view = memoryview(buffer)
        while not self._rest:
            data = self._source.read(min(len(view), _BLOCK))
            self._rest = self._turn(data)
            if not data:
                break
        taken = self._rest[: len(view)]
        view[: len(taken)] = taken
        self._rest = self._rest[len(taken) :]
        return len(taken)

    def _turn(self, data: bytes) -> bytes:
        raise NotImplementedError

    def _say(self, note: Note) -> None:
        if self._listener is not None:
            self._listener.setdefault(str(self._path), note)


class _Utf16Reader(_Reader):
    """UTF-16 as UTF-8, without its mark."""

    def __init__(self, source: IO[bytes], path: Path) -> None:
        super().__init__(source, path)
        self._decoder = codecs.getincrementaldecoder("utf-16")()
        self._say(changed(f"{path.name} is read as UTF-16."))

    def _turn(self, data: bytes) -> bytes:
        try:
            return self._decoder.decode(data, final=not data).encode()
        except UnicodeDecodeError:
            raise DataError("the file is damaged: it is not all UTF-16.", path=self._path) from None


class _Utf8Reader(_Reader):
    """UTF-8, and Windows-1252 where it is none."""

    def __init__(self, source: IO[bytes], path: Path) -> None:
        super().__init__(source, path)
        self._cut = b""  # the begin of a character
        self._lines, self._is_odd = 1, False

    def _turn(self, data: bytes) -> bytes:
        if not self._cut and data.isascii():
            self._lines += data.count(b"\n")
            return data
        whole = self._cut + data
        try:
            _, used = codecs.utf_8_decode(whole, "strict", not data)
            turned = whole[:used]
        except UnicodeDecodeError as error:
            text, used = codecs.utf_8_decode(whole, _WINDOWS, not data)
            turned = text.encode("utf-8", "surrogateescape")
            self._say_odd(whole, error.start)
        self._cut = whole[used:]
        self._lines += turned.count(b"\n")
        return turned

    def _say_odd(self, block: bytes, place: int) -> None:
        """Say where the first byte is that is not UTF-8."""
        if self._is_odd:
            return
        self._is_odd = True
        begin, end = block.rfind(b"\n", 0, place) + 1, block.find(b"\n", place)
        line = block[begin : end if end >= 0 else len(block)].decode("utf-8", _WINDOWS)
        number = self._lines + block.count(b"\n", 0, place)
        shown = line.strip()[:_SHOWN].encode("utf-8", "replace").decode()
        self._say(
            doubtful(
                f"{self._path.name} is not all UTF-8; what is not, first in line {number}, is read"
                f" as Windows-1252: {shown!r}."
            )
        )
