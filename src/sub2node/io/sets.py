"""Subgraphs without a graph, one after the other: what a file asks about, however long it is."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import DataError
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
    seen: set[str] = set()
    for number, line in _lines(path):
        found = Given(number, "", [], "this line is not UTF-8 text.")
        if line is not None:
            found = read(path, number, line)
        if not found.problem and found.name in seen:
            found = Given(number, found.name, [], "a subgraph of this name came before.")
        seen.add(found.name)
        yield found


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


def _jsonl(path: Path, number: int, line: str) -> Given:
    try:
        row = json_row(path, number, line)
    except DataError as error:
        return Given(number, "", [], error.reason)
    return Given(number, str(row.get("id", number)), row["nodes"])


def _gmt(path: Path, number: int, line: str) -> Given:
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
        rows = csv.reader(text, delimiter=delimiter)
        header = [name.strip() for name in next(rows, [])]
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
    return text.encode("utf-8", "replace").decode()


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
    if not path.is_file():
        raise DataError("there is no such file.", path=path)
    try:
        file = pq.ParquetFile(path)
        header = file.schema_arrow.names
        if "nodes" in header:
            yield from _list_rows(file, path, columns)
        else:
            yield from _sets(lambda: _pair_rows(file, path, columns))
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"this is no whole Parquet file ({reason}).", path=path) from error


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
        both = (batch.column(name).to_pylist() for name in names)
        for row, (who, node) in enumerate(zip(*both, strict=True), start):
            if who is None or node is None:
                what = "subgraph" if who is None else "node"
                yield _Pair(row, "" if who is None else str(who), "", f"the {what} is missing.")
            else:
                yield _Pair(row, str(who), str(node))


def _list_rows(file: Any, path: Path, columns: Mapping[str, str]) -> Iterator[Given]:
    header = file.schema_arrow.names
    named = any(name in header for name in (columns.get("subgraph_id", "subgraph_id"), "id"))
    if not pa.types.is_list(file.schema_arrow.field("nodes").type):
        raise DataError("the column 'nodes' must hold lists of node ids.", path=path)
    name = next((n for n in (columns.get("subgraph_id", "subgraph_id"), "id") if n in header), "")
    wanted = [name, "nodes"] if named else ["nodes"]
    for start, batch in _batches(file, path, wanted):
        lists = batch.column("nodes").to_pylist()
        names = batch.column(name).to_pylist() if named else range(start, start + len(lists))
        for row, (who, nodes) in enumerate(zip(names, lists, strict=True), start):
            if who is None or not nodes or any(node is None for node in nodes):
                what = "it has no name" if who is None else "it is empty or has a missing node"
                yield Given(row, "" if who is None else str(who), [], f"{what}.")
            else:
                yield Given(row, str(who), nodes)
