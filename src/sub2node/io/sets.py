"""Subgraphs without a graph, one after the other: what a file asks about, however long it is."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import ConfigError, DataError, suggest
from ..progress import step
from ..task.frames import ALIASES
from .tables import DELIMITERS, PARQUET, json_row, suffix
from .text import first_line, opened

FORMATS = (*DELIMITERS, *PARQUET, ".jsonl", ".ndjson", ".jsonl.gz", ".gmt", ".gmt.gz")


class Given(NamedTuple):
    """A subgraph of a file, or why it is none.

    Args:
        line: Where it begins (Parquet: its row), from 1.
        name: What it is called; ``""`` where that cannot be told.
        nodes: Ids.
        problem: What is wrong with it; ``""`` for nothing.
    """

    line: int
    name: str
    nodes: list[Any]
    problem: str = ""


def read_sets(path: str | Path, columns: Mapping[str, str] | None = None) -> Iterator[Given]:
    """The subgraphs of a file in their order; a bad one is said to be so, and the rest goes on.

    Args:
        path: CSV or TSV with the columns ``subgraph_id, node_id``; Parquet with the same, or with
            ``subgraph_id`` and a list column ``nodes``; JSONL with ``{"id": …, "nodes": […]}``; or
            GMT.
        columns: The user's column for ours.

    Raises:
        DataError: The file as a whole cannot be read.
    """
    path, columns = Path(path), columns or {}
    check_columns(columns)
    ending = suffix(path)
    if ending not in FORMATS:
        raise DataError(f"subgraphs to predict end in {', '.join(FORMATS)}.", path=path)
    if ending in PARQUET:
        yield from _parquet(path, columns)
        return
    first_line(path)
    if ending in DELIMITERS:
        yield from _sets(lambda: _pairs(path, DELIMITERS[ending], columns))
        return
    read = _gmt if ".gmt" in ending else _jsonl
    yield from _once(
        Given(number, "", [], "this line is not UTF-8 text.")
        if line is None
        else read(path, number, line, position)
        for position, (number, line) in enumerate(_lines(path))
    )


def check_columns(columns: Mapping[str, str]) -> None:
    """Raise for a mapping from a word that is none of ours."""
    known = ("subgraph_id", "node_id", "nodes")
    for ours in columns:
        if ours not in known:
            raise ConfigError(f"no column of ours is called {ours!r}.{suggest(ours, known)}")


def _once(rows: Iterable[Given]) -> Iterator[Given]:
    """Rows, of which one whose name came before is bad."""
    seen: set[str] = set()
    for row in rows:
        if not row.problem and row.name in seen:
            yield Given(row.line, row.name, [], "a subgraph of this name came before.")
            continue
        if not row.problem:
            seen.add(row.name)
        yield row


def _lines(path: Path) -> Iterator[tuple[int, str | None]]:
    """Lines with something on them; None for one that is not text."""
    with opened(path) as stream:
        for number, raw in enumerate(stream, 1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                yield number, None
                continue
            if line.strip():
                yield number, line


def _jsonl(path: Path, number: int, line: str, position: int) -> Given:
    try:
        row = json_row(path, number, line)
    except DataError as error:
        return Given(number, _told(line), [], error.reason)
    return Given(number, str(row.get("id", position)), row["nodes"])


def _told(line: str) -> str:
    """The name of a bad line, where it can be told."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    name = row.get("id", row.get("subgraph_id")) if isinstance(row, dict) else None
    told = isinstance(name, str | int) and not isinstance(name, bool)
    return _clean(str(name)) if told else ""


def _gmt(path: Path, number: int, line: str, position: int) -> Given:
    fields = line.split("\t")
    nodes = [node for node in fields[2:] if node]
    if not fields[0]:
        return Given(number, "", [], "the set has no name.")
    if not nodes:
        return Given(number, fields[0], [], "the set is empty: name, description, genes, by tabs.")
    return Given(number, fields[0], nodes)


class _Pair(NamedTuple):
    line: int
    name: str
    node: str
    problem: str = ""


def _pairs(path: Path, delimiter: str, columns: Mapping[str, str]) -> Iterator[_Pair]:
    with opened(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
        rows = csv.reader(text, delimiter=delimiter, strict=True)
        try:
            header = [name.strip() for name in next((row for row in rows if any(row)), [])]
        except csv.Error as error:
            message = f"the header cannot be read: {error}."
            raise DataError(message, path=path, line=rows.line_num) from None
        places = [_place(header, ours, columns, path) for ours in ("subgraph_id", "node_id")]
        while True:
            line = rows.line_num + 1
            try:
                row = next(rows)
            except StopIteration:
                break
            except csv.Error as error:
                yield _Pair(line, "", "", f"this row cannot be read: {error}.")
                continue
            if not any(row):
                continue
            yield _pair(line, row, places, len(header))
        text.detach()


def _pair(line: int, row: list[str], places: list[int], width: int) -> _Pair:
    name, node = ((row[p].strip() if p < len(row) else "") for p in places)
    if any("\udc80" <= c <= "\udcff" for c in name + node):
        return _Pair(line, _clean(name), "", "this row is not UTF-8 text.")
    if len(row) != width:
        return _Pair(line, name, "", f"{len(row)} fields, the header has {width}.")
    if not name or not node:
        return _Pair(line, name, "", f"the {'node' if name else 'subgraph'} is missing.")
    return _Pair(line, name, node)


def _clean(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _place(header: list[str], ours: str, columns: Mapping[str, str], path: Path) -> int:
    """Where our column stands."""
    wanted = (columns[ours],) if ours in columns else (ours, *ALIASES[ours])
    found = next((name for name in wanted if name in header), None)
    if found is None:
        raise DataError(
            f"no column {wanted[0]!r}; columns found: {', '.join(header) or 'none'}. Map it:"
            f" --column {ours}=….",
            path=path,
            line=1,
        )
    if header.count(found) > 1:
        raise DataError(f"two columns are called {found!r}.", path=path)
    return header.index(found)


@dataclass
class _Open:
    """A subgraph whose rows are still coming."""

    line: int
    name: str
    nodes: list[str] = field(default_factory=list)
    problem: str = ""

    def add(self, pair: _Pair) -> None:
        if pair.problem and not self.problem:
            self.line, self.problem = pair.line, pair.problem
        self.nodes.append(pair.node)

    @property
    def given(self) -> Given:
        return Given(self.line, self.name, [] if self.problem else self.nodes, self.problem)


def _sets(pairs: Callable[[], Iterator[_Pair]]) -> Iterator[Given]:
    """Rows as subgraphs; one bad row makes its subgraph bad.

    Where the rows of each subgraph stand together, as a first look tells, they are read one
    subgraph at a time; else all of them are.
    """
    opened: dict[str, _Open] = {}
    together = _together(pairs())
    for pair in pairs():
        if not pair.name:
            yield Given(pair.line, "", [], pair.problem)
            continue
        if pair.name not in opened:
            if together:
                yield from (found.given for found in opened.values())
                opened.clear()
            opened[pair.name] = _Open(pair.line, pair.name)
        opened[pair.name].add(pair)
    yield from (found.given for found in opened.values())


def _together(pairs: Iterable[_Pair]) -> bool:
    """Whether no subgraph comes back after another one."""
    seen: set[str] = set()
    last = ""
    for pair in pairs:
        if pair.name and pair.name != last:
            if pair.name in seen:
                return False
            seen.add(pair.name)
            last = pair.name
    return True


def _parquet(path: Path, columns: Mapping[str, str]) -> Iterator[Given]:
    if path.is_dir():
        raise DataError("this is a folder, expected a file.", path=path)
    if not path.is_file():
        raise DataError("there is no such file.", path=path)
    try:
        file = pq.ParquetFile(path)
        if _has_lists(file.schema_arrow, columns):
            yield from _once(_list_rows(file, path, columns))
        else:
            yield from _sets(lambda: _pair_rows(file, path, columns))
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"this is no whole Parquet file ({reason}).", path=path) from error


def _has_lists(schema: Any, columns: Mapping[str, str]) -> bool:
    """Whether a table has lists of nodes; one with a column of single nodes too has them if so."""
    name = columns.get("nodes", "nodes")
    if schema.names.count(name) != 1:
        return False
    alone = not {columns.get("node_id", "node_id"), "node"} & set(schema.names)
    return alone or _is_lists(schema.field(name).type)


def _is_lists(kind: Any) -> bool:
    tests = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(test(kind) for test in tests)


def _values(column: Any) -> list[Any]:
    """What a column holds; as bytes where some of it is not UTF-8 text."""
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        binary = pa.list_(pa.binary()) if _is_lists(column.type) else pa.binary()
        return list(column.cast(binary).to_pylist())


def _id(value: Any) -> str:
    """An id as text; raises where it is none."""
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError
    return str(value)


def _batches(file: Any, path: Path, wanted: list[str]) -> Iterator[tuple[int, Any]]:
    """Pieces of some columns, and the row that each begins with."""
    start, total = 1, file.metadata.num_rows
    for batch in file.iter_batches(columns=wanted):
        yield start, batch
        start += batch.num_rows
        step(f"Reading {path.name}", start - 1, total)


def _pair_rows(file: Any, path: Path, columns: Mapping[str, str]) -> Iterator[_Pair]:
    header = file.schema_arrow.names
    names = [header[_place(header, ours, columns, path)] for ours in ("subgraph_id", "node_id")]
    for start, batch in _batches(file, path, names):
        both = (_values(batch.column(name)) for name in names)
        for row, (who, node) in enumerate(zip(*both, strict=True), start):
            yield _row_pair(row, who, node)


def _row_pair(row: int, who: Any, node: Any) -> _Pair:
    name = ""
    for what, value in (("subgraph", who), ("node", node)):
        if value is None or value in ("", b""):
            return _Pair(row, name, "", f"the {what} is missing.")
        try:
            found = _id(value)
        except ValueError:
            return _Pair(row, name, "", f"the {what} is {value!r}; ids are integers or text.")
        name = name or found
    return _Pair(row, name, found)


def _list_rows(file: Any, path: Path, columns: Mapping[str, str]) -> Iterator[Given]:
    header, many = file.schema_arrow.names, columns.get("nodes", "nodes")
    if not _is_lists(file.schema_arrow.field(many).type):
        raise DataError(f"the column {many!r} must hold lists of node ids.", path=path)
    known = ("subgraph_id", *ALIASES["subgraph_id"], "id")
    name = next((name for name in known if name in header), "")
    if "subgraph_id" in columns:
        name = header[_place(header, "subgraph_id", columns, path)]
    for start, batch in _batches(file, path, [name, many] if name else [many]):
        lists = _values(batch.column(many))
        names = _values(batch.column(name)) if name else range(start, start + len(lists))
        for row, (who, nodes) in enumerate(zip(names, lists, strict=True), start):
            yield _row_list(row, who, nodes)


def _row_list(row: int, who: Any, nodes: Any) -> Given:
    if who is None or who in ("", b""):
        return Given(row, "", [], "it has no name.")
    try:
        name = _id(who)
    except ValueError:
        return Given(row, "", [], f"its name is {who!r}; ids are integers or text.")
    if not nodes or any(node is None for node in nodes):
        return Given(row, name, [], "it is empty or has a missing node.")
    try:
        return Given(row, name, [node if isinstance(node, int) else _id(node) for node in nodes])
    except ValueError:
        return Given(row, name, [], "a node of it is neither text nor an integer.")
