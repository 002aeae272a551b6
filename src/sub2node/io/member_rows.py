"""Rows ``subgraph_id, node_id`` of CSV, TSV and Parquet files, as columns and block by block.

Every row has the number of its line. A bad row keeps its place and says why, so that it
spoils its own subgraph and no other.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..base.errors import DataError
from ..base.progress import step
from ..base.ragged import Array
from ..task.column_names import column_in, likely_column
from ..task.member_pairs import read_signs, sign_problem
from ..task.node_lists import split_texts
from .arrow_values import as_text, id_text, python_values
from .set_batch import concat_signs
from .text_files import opened
from .white_space import StrippedValues, mark_quoted, split_mark

if TYPE_CHECKING:
    import _csv

CsvReader: TypeAlias = "_csv.Reader"
_BLOCK = 1 << 18  # bytes of text that are parsed together
_ROWS = 1 << 13  # rows that are parsed one by one, put together


class MissingMemberColumnError(DataError):
    """A table of members has none of the columns that one of ours may be.

    Args:
        message: What is missing.
        columns: The columns that it has.
        path: The file.
    """

    def __init__(self, message: str, columns: Sequence[str], *, path: Path) -> None:
        super().__init__(message, path=path, line=1)
        self.columns = tuple(columns)


@dataclass(frozen=True, eq=False)
class MemberRows:
    """Rows of a table of members.

    Args:
        lines: Line of each row (Parquet: number of the row), from 1; (n,).
        names: Name of the subgraph, "" where the row does not tell it; Arrow text (n,).
        nodes: Name of the node; Arrow text (n,).
        problems: What is wrong with some rows, by position, ascending.
        absent: Which rows are excluded nodes; bool (n,). None: none of them.
    """

    lines: Array
    names: pa.Array
    nodes: pa.Array
    problems: Mapping[int, str]
    absent: Array | None = None

    def __len__(self) -> int:
        return len(self.lines)

    def split(self, separator: str) -> MemberRows:
        """A row for each node, where a separator stands between several in one value."""
        owner, nodes = split_texts(self.nodes, separator)
        first = np.searchsorted(owner, list(self.problems)).tolist()
        return MemberRows(
            self.lines[owner],
            self.names.take(pa.array(owner)),
            nodes,
            dict(zip(first, self.problems.values(), strict=True)),
            None if self.absent is None else self.absent[owner],
        )

    @classmethod
    def concat(cls, parts: Sequence[MemberRows]) -> MemberRows:
        """Rows of several blocks, one after the other."""
        if len(parts) == 1:
            return parts[0]
        starts = np.cumsum([0, *map(len, parts)])[:-1].tolist()
        problems = {
            start + row: text
            for part, start in zip(parts, starts, strict=True)
            for row, text in part.problems.items()
        }
        return cls(
            np.concatenate([part.lines for part in parts]),
            pa.concat_arrays([part.names for part in parts]),
            pa.concat_arrays([part.nodes for part in parts]),
            problems,
            concat_signs([(part.absent, len(part)) for part in parts]),
        )

    def part(self, first: int, last: int) -> MemberRows:
        """Rows from ``first`` up to ``last``."""
        problems = {row - first: text for row, text in self.problems.items() if first <= row < last}
        names, nodes = (column.slice(first, last - first) for column in (self.names, self.nodes))
        absent = None if self.absent is None else self.absent[first:last]
        return MemberRows(self.lines[first:last], names, nodes, problems, absent)

    @cached_property
    def codes(self) -> pa.DictionaryArray:
        """Names as an Arrow dictionary, in the order of their first rows."""
        return self.names.dictionary_encode()


class _Row(NamedTuple):
    """One row that was parsed by itself."""

    line: int
    name: str
    node: str
    problem: str = ""
    absent: bool = False


def _as_columns(rows: Iterable[_Row]) -> Iterator[MemberRows]:
    """Single rows as columns."""
    remaining = iter(rows)
    while block := list(islice(remaining, _ROWS)):
        lines, names, nodes, problems, absent = zip(*block, strict=True)
        yield MemberRows(
            np.array(lines, np.int64),
            pa.array(names, pa.large_string()),
            pa.array(nodes, pa.large_string()),
            {at: text for at, text in enumerate(problems) if text},
            np.array(absent) if any(absent) else None,
        )


@dataclass(frozen=True)
class _Layout:
    """How a line of a delimited file is cut.

    Args:
        delimiter: The character between fields.
        places: Positions of the fields that name subgraph and node and, where there is one, of
            that which says whether the node is excluded.
        width: Number of fields of the header.
        stripped: Counts values that lose the white space around them.
    """

    delimiter: str
    places: tuple[int, ...]
    width: int
    stripped: StrippedValues

    @classmethod
    def of(
        cls,
        header: Sequence[str],
        delimiter: str,
        columns: Mapping[str, str],
        *,
        path: Path,
        stripped: StrippedValues,
    ) -> _Layout:
        """The layout of a file whose columns are known."""
        places = tuple(column_place(header, ours, columns, path) for ours in _ours(header, columns))
        return cls(delimiter, places, len(header), stripped)

    def reader(self, lines: Iterable[bytes]) -> CsvReader:
        """The csv module's reader; a mark begins the values that are quoted."""
        return _csv_reader(lines, self.delimiter)


def text_rows(
    path: Path,
    delimiter: str,
    columns: Mapping[str, str],
    *,
    header: Sequence[str] | None = None,
    skip: int = 0,
    stripped: StrippedValues | None = None,
) -> Iterator[MemberRows]:
    """Rows of a CSV or TSV file, each byte of which is read once.

    Lines without quotes are cut all at once, a block at a time. A block with something unusual
    (a row too short, bytes that are no text) goes through the csv module, and so does, from the
    first quote on, the rest of the file, for a quoted field may hold line ends.

    Args:
        path: The file to read.
        delimiter: The character between fields.
        columns: The user's column for ours.
        header: The columns of a file whose header is not its first line.
        skip: How many lines come before the first row then.
        stripped: Counts values that lose the white space around them.
    """
    stripped, done = stripped or StrippedValues(), skip
    with opened(path) as stream:
        for _ in range(skip):
            stream.readline()
        if header is None:
            seen: list[bytes] = []
            rows = _csv_reader(_raw_lines(stream, seen), delimiter)
            header = _read_header(rows, path)
            done = rows.line_num
        layout = _Layout.of(header, delimiter, columns, path=path, stripped=stripped)
        if not skip and done and any(b"\r" in line.removesuffix(b"\r\n") for line in seen):
            yield from _as_columns(_parse_rows(rows, 0, layout))  # old line ends, unknown to blocks
            return
        while block := stream.read(_BLOCK):
            block += stream.readline()
            block = block if done else block.removeprefix(b"\xef\xbb\xbf")
            if b'"' in block:
                rest = layout.reader(chain([block], _raw_lines(stream)))
                yield from _as_columns(_parse_rows(rest, done, layout))
                return
            plain = _plain_rows(block, done + 1, layout)
            if plain is not None:
                yield plain
                done += block.count(b"\n")
                continue
            reader = layout.reader([block])
            yield from _as_columns(_parse_rows(reader, done, layout))
            done += reader.line_num


def _read_header(rows: CsvReader, path: Path) -> list[str]:
    """The names of the columns: the first row with something in it."""
    try:
        names = next((row for row in rows if any(row)), [])
    except csv.Error as error:
        message = f"the header cannot be read: {error}."
        raise DataError(message, path=path, line=rows.line_num) from None
    return [split_mark(name)[0].strip() for name in names]


def _ours(header: Sequence[str], columns: Mapping[str, str]) -> list[str]:
    """Our columns: those that must be there, and that of excluded nodes where there is one."""
    signed = "excluded" in columns or "excluded" in header
    return ["subgraph_id", "node_id", *["excluded"] * signed]


def _raw_lines(stream: IO[bytes], seen: list[bytes] | None = None) -> Iterator[bytes]:
    """Lines as they come; the first without its byte-order mark."""
    while line := stream.readline():
        if seen is not None:
            line = line if seen else line.removeprefix(b"\xef\xbb\xbf")
            seen.append(line)
        yield line


def _text_lines(lines: Iterable[bytes]) -> Iterator[str]:
    """Text, cut where the csv module wants it: after every kind of line end."""
    for line in lines:
        yield from io.StringIO(line.decode(errors="surrogateescape"), newline="")


def _csv_reader(lines: Iterable[bytes], delimiter: str) -> CsvReader:
    marked = mark_quoted(_text_lines(lines), delimiter)
    return csv.reader(marked, delimiter=delimiter, strict=True)


def _parse_rows(rows: CsvReader, before: int, layout: _Layout) -> Iterator[_Row]:
    """Rows one by one, from a reader of the csv module that begins after so many lines."""
    while True:
        line = before + rows.line_num + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield _Row(line, "", "", f"this row cannot be read: {error}.")
            continue
        if any(row):
            yield _parse_row(line, row, layout)


def _parse_row(line: int, row: list[str], layout: _Layout) -> _Row:
    texts = [split_mark(row[place] if place < len(row) else "") for place in layout.places]
    name, node, *sign = (text if quoted else layout.stripped.strip(text) for text, quoted in texts)
    if any("\udc80" <= c <= "\udcff" for c in name + node):
        return _Row(line, clean(name), "", "this row is not UTF-8 text.")
    if len(row) != layout.width:
        return _Row(line, name, "", f"{len(row)} fields, the header has {layout.width}.")
    if not name or not node:
        return _Row(line, name, "", f"the {'node' if name else 'subgraph'} is missing.")
    return _signed_row(_Row(line, name, node), *sign)


def _signed_row(row: _Row, sign: str = "") -> _Row:
    """A row with what its column ``excluded`` says."""
    absent = read_signs(pa.array([clean(sign)]))[0].as_py()
    if absent is None:
        return row._replace(node="", problem=sign_problem(clean(sign)))
    return row._replace(absent=absent)


def clean(text: str) -> str:
    """Text that can be written, whatever was read."""
    return text.encode("utf-8", "backslashreplace").decode()


def _plain_rows(block: bytes, first: int, layout: _Layout) -> MemberRows | None:
    """Whole lines without quotes, cut all at once; None where one of them needs a closer look.

    Args:
        block: The lines, as bytes.
        first: Number of the first line.
        layout: How the lines are cut.
    """
    block = block.replace(b"\r\n", b"\n")
    try:
        block.decode()
    except UnicodeDecodeError:
        return None
    if not block.endswith(b"\n"):
        block += b"\n"
    data = np.frombuffer(block, np.uint8)
    ends, cuts = (np.flatnonzero(data == ord(mark)) for mark in ("\n", layout.delimiter))
    starts = np.concatenate([[0], ends[:-1] + 1])
    sizes, inner = ends - starts, layout.width - 1
    counts = np.diff(np.searchsorted(cuts, ends), prepend=0)
    if b"\r" in block or sizes.max() > csv.field_size_limit() or (counts[sizes > 0] != inner).any():
        return None
    has_content = sizes > inner  # a line of nothing but delimiters counts as blank
    between = cuts[np.repeat(has_content, counts)].reshape(np.count_nonzero(has_content), inner)
    bounds = np.column_stack([starts[has_content] - 1, between, ends[has_content]])
    names, nodes, *signs = (
        layout.stripped.strip_column(_cut(block, bounds[:, place] + 1, bounds[:, place + 1]))
        for place in layout.places
    )
    return _column_rows(first + np.flatnonzero(has_content), names, nodes, *signs)


def _column_rows(
    lines: Array, names: pa.Array, nodes: pa.Array, signs: pa.Array | None = None
) -> MemberRows:
    """Rows from columns of text; ``signs`` says which nodes are excluded."""
    problems = _missing_ids(names, nodes)
    if signs is None:
        return MemberRows(lines, names, nodes, problems)
    absent = read_signs(signs)
    bad = np.flatnonzero(np.asarray(absent.is_null())).tolist()
    problems |= {row: sign_problem(signs[row].as_py()) for row in bad if row not in problems}
    flags = np.asarray(absent.fill_null(False))
    return MemberRows(lines, names, nodes, dict(sorted(problems.items())), flags)


def _cut(block: bytes, begin: Array, end: Array) -> pa.Array:
    """Pieces of a text, which follow one another, as an Arrow array."""
    if not len(begin):
        return pa.array([], pa.large_string())
    offsets = np.column_stack([begin, end]).astype(np.int64).ravel()
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(block)]
    pieces = pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers)
    return pieces.take(pa.array(np.arange(0, len(offsets) - 1, 2)))  # without what lies between


def _missing_ids(names: pa.Array, nodes: pa.Array) -> dict[int, str]:
    """Rows without a subgraph or a node, and which of the two it is."""
    nameless, nodeless = (np.asarray(pc.binary_length(ids)) == 0 for ids in (names, nodes))
    return {
        int(row): f"the {'subgraph' if nameless[row] else 'node'} is missing."
        for row in np.flatnonzero(nameless | nodeless)
    }


def column_place(header: Sequence[str], ours: str, columns: Mapping[str, str], path: Path) -> int:
    """Where our column stands in a header."""
    own = {f"members.{key}": name for key, name in columns.items()}
    name = column_in(header, ours, "members", own)
    if name is None:
        likely = likely_column(header, ours, "members", own) or "…"
        raise MissingMemberColumnError(
            f"no column {columns.get(ours, ours)!r}; columns found:"
            f" {', '.join(header) or 'none'}. Map it: --column {ours}={likely}.",
            header,
            path=path,
        )
    if header.count(name) > 1:
        raise DataError(f"two columns are called {name!r}.", path=path)
    return header.index(name)


def parquet_batches(
    file: pq.ParquetFile, path: Path, names: list[str]
) -> Iterator[tuple[int, list[pa.Array]]]:
    """Some columns of a Parquet file, piece by piece, and the row that each piece begins with."""
    start, total = 1, file.metadata.num_rows
    for batch in file.iter_batches(columns=names):
        yield start, [batch.column(name) for name in names]
        start += batch.num_rows
        step(f"Reading {path.name}", start - 1, total)


def parquet_rows(
    file: pq.ParquetFile, path: Path, columns: Mapping[str, str]
) -> Iterator[MemberRows]:
    """Rows of a Parquet file with one member per row."""
    header = file.schema_arrow.names
    ours = _ours(header, columns)
    fields = [header[column_place(header, name, columns, path)] for name in ours]
    for start, arrays in parquet_batches(file, path, fields):
        yield from _value_rows(start, *arrays)


def table_rows(
    table: pa.Table, path: Path, columns: Mapping[str, str], *, first: int
) -> Iterator[MemberRows]:
    """Rows of a table that was read at once.

    Args:
        table: The table, one member per row.
        path: Its file.
        columns: The user's column for ours.
        first: The line of its first row.
    """
    header = table.column_names
    places = [column_place(header, ours, columns, path) for ours in _ours(header, columns)]
    yield from _value_rows(first, *(table.column(at).combine_chunks() for at in places))


def _value_rows(
    first: int, names: pa.Array, nodes: pa.Array, *signs: pa.Array
) -> Iterator[MemberRows]:
    """Rows from columns of any type; ``first`` is the line of the first."""
    lines, texts = first + np.arange(len(names)), [as_text(names), as_text(nodes)]
    sign_texts = [column.cast(pa.large_string()) for column in signs]
    if all(text is not None for text in texts):
        yield _column_rows(lines, *texts, *sign_texts)
        return
    rows = zip(*map(python_values, (names, nodes, *sign_texts)), strict=True)
    yield from _as_columns(_check_row(row, *values) for row, values in enumerate(rows, first))


def _check_row(row: int, who: object, node: object, sign: str | None = None) -> _Row:
    texts: list[str] = []
    for what, value in (("subgraph", who), ("node", node)):
        name = texts[0] if texts else ""
        if value is None or value in ("", b""):
            return _Row(row, name, "", f"the {what} is missing.")
        try:
            texts.append(id_text(value))
        except ValueError:
            return _Row(row, name, "", f"the {what} is {value!r}; ids are integers or text.")
    return _signed_row(_Row(row, texts[0], texts[1]), sign or "")
