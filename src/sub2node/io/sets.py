"""Subgraphs without a graph: what a file asks about, some at a time, however long it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..base.errors import ConfigError, DataError, suggest
from ..base.ragged import owners, pointers
from ..base.regular_files import require_regular_file
from ..base.structured_text import parse_json
from ..task.column_names import ALIASES, NEEDED, column_in, words_taken
from ..task.reading_notes import taken_by_words
from .arrow_values import as_text, id_text, is_lists, python_values
from .elliptic2 import MEMBER_COLUMNS, is_elliptic2, members_file
from .encodings import saying_encodings
from .expansion import check_parquet
from .folder import find_sets, format_of_sets
from .gmx import GMX, gmx_columns
from .grouped_rows import group_rows
from .ibm_aml import attempts, is_patterns
from .json_tables import JSONL
from .member_rows import (
    MemberRows,
    clean,
    column_place,
    parquet_batches,
    parquet_rows,
    table_rows,
    text_rows,
)
from .phenopacket_files import is_phenopackets
from .phenopackets import phenopacket_batches
from .set_batch import SetBatch, in_sizes
from .set_files import GMT, json_row, split_gmt_line
from .table_layout import TableLayout
from .tables import DELIMITERS, EXCEL, PARQUET, TableReader, suffix
from .text_files import first_line, opened, raw_lines
from .unlabelled_sets import excluded_nodes, find_unlabelled, without_labelled
from .white_space import StrippedValues

FORMATS = (*DELIMITERS, *PARQUET, EXCEL, *JSONL, *GMT)
NAMED_FORMATS = ("tables", "elliptic2", "ibm-aml", "phenopackets", "gmt", "gmx", "jsonl")
_OURS = ("subgraph_id", "node_id", "nodes", "excluded")
_LINES = 1000  # of subgraphs that are put together


def read_sets(
    path: str | Path,
    columns: Mapping[str, str] | None = None,
    *,
    size: int | None = _LINES,
    at_once: bool = False,
    stripped: StrippedValues | None = None,
    notes: list[str] | None = None,
    format: str | None = None,
    node_separator: str | None = None,
) -> Iterator[SetBatch]:
    """The subgraphs of a file in their order; a bad one says what is wrong, and the rest goes on.

    Args:
        path: CSV, TSV or Excel with the columns ``subgraph_id, node_id[, excluded]``, or CSV
            without a header; Parquet with the same, or with ``subgraph_id`` and list columns
            ``nodes[, excluded]``; JSONL with ``{"id": …, "nodes": […], "excluded": […]}``; GMT or
            GMX; phenopackets: a JSON file, a folder or a zip archive of them; a folder of
            Elliptic2; or laundering attempts of IBM AML. Of a folder of tables, the subgraphs that
            have no label.
        columns: The user's column for ours, as for a task; those of other tables do not matter.
        size: Subgraphs per batch; None for all of them in one.
        at_once: Whether to read the file to its end before the first batch, as is needed where
            the rows of a subgraph do not stand together.
        stripped: Counts values that lose the white space around them.
        notes: Takes sentences about how the file was read.
        format: One of :data:`NAMED_FORMATS`; None: it is recognised.
        node_separator: What separates several nodes in one value of a table of members.

    Raises:
        DataError: The file as a whole cannot be read.
        ScatteredRowsError: A subgraph came back after others, and ``at_once`` is not set.
    """
    path, columns = Path(path), columns or {}
    check_columns(columns)
    kind = _find_format(path, format)
    stripped = stripped or StrippedValues()
    way = _Way(columns, at_once or size is None, stripped, notes, separator=node_separator)
    if kind == "tables" and path.is_dir() and (format or find_sets(path)):
        members, labelled = find_unlabelled(path, columns)
        batches = _read_batches(members, format_of_sets(members), replace(way, in_folder=True))
        excluded = excluded_nodes(path, columns)
        batches = (batch.with_excluded(excluded) for batch in batches)
        batches = without_labelled(batches, labelled)
    elif kind == "elliptic2":
        batches = _read_batches(members_file(path), "tables", replace(way, columns=MEMBER_COLUMNS))
    else:
        batches = _read_batches(path, kind, way)
    yield from saying_encodings(in_sizes(batches, size), notes)


@dataclass(frozen=True)
class _Way:
    """How the subgraphs of one file are read.

    Args:
        columns: The user's column for ours.
        at_once: Whether to wait for all rows.
        stripped: Counts values that lose the white space around them.
        notes: Takes sentences about how the file was read.
        in_folder: Whether there are other tables, which a column may be meant for.
        separator: What separates several nodes in one value.
    """

    columns: Mapping[str, str]
    at_once: bool
    stripped: StrippedValues
    notes: list[str] | None
    in_folder: bool = False
    separator: str | None = None

    def group(self, rows: Iterator[MemberRows], *, at_once: bool = False) -> Iterator[SetBatch]:
        """The subgraphs that rows of members tell of."""
        if self.separator is not None:
            rows = (block.split(self.separator) for block in rows)
        return group_rows(rows, at_once=at_once or self.at_once)

    def own_columns(self, names: Sequence[str], notes: Sequence[str] = ()) -> dict[str, str]:
        """The user's columns for ours of a table of members with these columns.

        Args:
            names: The columns of the table.
            notes: What is to be said of the table besides the columns that words have chosen.
        """
        own = dict[str, str]()
        for ours in _OURS:
            theirs = self.columns.get(f"members.{ours}")
            general = self.columns.get(ours)
            if theirs is None and (general in names or not self.in_folder):
                theirs = general
            if theirs is not None:
                own[ours] = theirs
        if self.notes is not None:
            self.notes.extend(notes)
            if taken := words_taken(names, "members", own):
                self.notes.append(taken_by_words(taken, "members"))
        return own


def _read_batches(path: Path, kind: str, way: _Way) -> Iterator[SetBatch]:
    """The subgraphs of a file of a format."""
    if kind == "tables":
        return _read_member_table(path, way)
    return _mark_repeated(_read_whole_sets(path, kind, way.stripped))


def _find_format(path: Path, named: str | None) -> str:
    """The format of a file or folder: the one that is named, or that which is recognised."""
    if named is not None:
        if named not in NAMED_FORMATS:
            suggested = suggest(named, NAMED_FORMATS)
            raise ConfigError(f"there is no format {named!r} of subgraphs.{suggested}")
        return named
    if is_elliptic2(path):
        return "elliptic2"
    if path.is_dir() and find_sets(path) is not None:
        return "tables"
    if is_phenopackets(path):
        return "phenopackets"
    if is_patterns(path):
        return "ibm-aml"
    if suffix(path) not in (*FORMATS, *GMX):
        endings = ", ".join((*FORMATS, *GMX, ".json", ".zip"))
        raise DataError(f"subgraphs to predict end in {endings}.", path=path)
    return format_of_sets(path)


def _read_whole_sets(path: Path, kind: str, stripped: StrippedValues) -> Iterator[SetBatch]:
    """The subgraphs of a file where each stands in one place: a line, a column or a record."""
    if kind == "phenopackets":
        return phenopacket_batches(path)
    if kind == "gmx":
        sets = enumerate(gmx_columns(path, stripped), 1)
        return _as_batches(
            _Set(at, one.name, [] if one.problem else one.genes, one.problem) for at, one in sets
        )
    if kind == "ibm-aml":
        numbered = enumerate(attempts(path), 1)
        return _as_batches(_Set(one.line, str(at), one.accounts) for at, one in numbered)
    first_line(path)
    parse_line = partial(_parse_gmt_line, stripped=stripped) if kind == "gmt" else _parse_jsonl_line
    return _as_batches(
        _Set(number, "", [], "this line is not UTF-8 text.")
        if line is None
        else parse_line(path, number, line, position)
        for position, (number, line) in enumerate(_decoded_lines(path))
    )


def _read_member_table(path: Path, way: _Way) -> Iterator[SetBatch]:
    """The subgraphs of a table with one member per row, or of Parquet with lists of them."""
    ending = suffix(path)
    if ending in PARQUET:
        return _read_parquet_sets(path, way)
    if ending in (EXCEL, *JSONL):
        table = TableReader(way.columns).read(path, "members")
        rows = table_rows(
            table, path, way.own_columns(table.column_names), first=2 if ending == EXCEL else 1
        )
        return way.group(rows, at_once=True)
    layout = TableLayout.sniff(path, DELIMITERS.get(ending, "\t"), "members", way.columns)
    rows = text_rows(
        path,
        layout.delimiter,
        way.own_columns(layout.names, layout.notes),
        header=None if layout.is_plain else layout.names,
        skip=0 if layout.is_plain else layout.header_line,
        stripped=way.stripped,
    )
    return way.group(rows)


def check_columns(columns: Mapping[str, str]) -> None:
    """Raise for a mapping from a name that is none of ours."""
    for key in columns:
        table, dot, ours = key.rpartition(".")
        if ours not in (*ALIASES, *_OURS):
            raise ConfigError(f"no column of ours is called {ours!r}.{suggest(ours, _OURS)}")
        if dot and table not in NEEDED:
            raise ConfigError(f"{key!r}: there is no table {table!r}.{suggest(table, NEEDED)}")


# A line, or a row, is a subgraph.


class _Set(NamedTuple):
    line: int
    name: str
    nodes: Sequence[str]
    problem: str = ""
    excluded: Sequence[str] = ()


def _as_batches(sets: Iterable[_Set]) -> Iterator[SetBatch]:
    remaining = iter(sets)
    while block := list(islice(remaining, _LINES)):
        lines, names, nodes, problems, excluded = zip(*block, strict=True)
        yield SetBatch.of_lists(lines, names, nodes, problems=problems, excluded=excluded)


def _mark_repeated(batches: Iterable[SetBatch]) -> Iterator[SetBatch]:
    """The same subgraphs; one whose name came before is bad."""
    seen: set[str] = set()
    for batch in batches:
        repeated = {}
        for at, name in enumerate(batch.names):
            if at in batch.problems:
                continue
            if name in seen:
                repeated[at] = "a subgraph of this name came before."
            seen.add(name)
        yield batch.with_problems(repeated)


def _decoded_lines(path: Path) -> Iterator[tuple[int, str | None]]:
    """Lines with something on them; None for one that is not text."""
    with opened(path) as stream:
        for number, raw in enumerate(raw_lines(stream), 1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                yield number, None
                continue
            if line.strip():
                yield number, line


def _parse_jsonl_line(path: Path, number: int, line: str, position: int) -> _Set:
    try:
        row = json_row(path, number, line)
    except DataError as error:
        return _Set(number, _find_name(line), [], error.reason)
    nodes, excluded = (list(map(str, row.get(field, ()))) for field in ("nodes", "excluded"))
    return _Set(number, str(row.get("id", position)), nodes, excluded=excluded)


def _find_name(line: str) -> str:
    """The name of the subgraph of a bad line, "" where the line does not tell it."""
    try:
        row = parse_json(line)
    except ValueError:
        return ""
    name = row.get("id", row.get("subgraph_id")) if isinstance(row, dict) else None
    is_id = isinstance(name, str | int) and not isinstance(name, bool)
    return clean(str(name)) if is_id else ""


def _parse_gmt_line(
    path: Path, number: int, line: str, position: int, *, stripped: StrippedValues
) -> _Set:
    name, _, nodes = split_gmt_line(line, stripped)
    if not name:
        return _Set(number, "", [], "the set has no name.")
    if not nodes:
        return _Set(number, name, [], "the set is empty: name, description, genes, by tabs.")
    return _Set(number, name, nodes)


# Parquet.


def _read_parquet_sets(path: Path, way: _Way) -> Iterator[SetBatch]:
    size = require_regular_file(path)
    try:
        check_parquet(path, size, path=path)
        file = pq.ParquetFile(path)
        columns = way.own_columns(file.schema_arrow.names)
        if _has_lists(file.schema_arrow, columns):
            yield from _mark_repeated(_read_list_rows(file, path, columns))
        else:
            yield from way.group(parquet_rows(file, path, columns))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"this is no whole Parquet file ({reason}).", path=path) from error


def _has_lists(schema: pa.Schema, columns: Mapping[str, str]) -> bool:
    """Whether a table has lists of nodes; one with a column of single nodes too has them if so."""
    name = columns.get("nodes", "nodes")
    if schema.names.count(name) != 1:
        return False
    alone = not {columns.get("node_id", "node_id"), "node"} & set(schema.names)
    return alone or is_lists(schema.field(name).type)


def _read_list_rows(
    file: pq.ParquetFile, path: Path, columns: Mapping[str, str]
) -> Iterator[SetBatch]:
    header, list_column = file.schema_arrow.names, columns.get("nodes", "nodes")
    if not is_lists(file.schema_arrow.field(list_column).type):
        raise DataError(f"the column {list_column!r} must hold lists of node ids.", path=path)
    name = column_in(header, "subgraph_id", "members", {}) or ("id" if "id" in header else "")
    if "subgraph_id" in columns:
        name = header[column_place(header, "subgraph_id", columns, path)]
    excluded = columns.get("excluded", "excluded")
    if "excluded" in columns:
        excluded = header[column_place(header, "excluded", columns, path)]
    used = [list_column, *[name] * bool(name), *[excluded] * (excluded in header)]
    for start, batch in parquet_batches(file, path, used):
        lists, rows = batch[0], range(start, start + len(batch[0]))
        names = batch[1] if name else pa.array(map(str, rows))
        texts, nodes = as_text(names), as_text(lists.flatten())
        if texts is not None and nodes is not None and excluded not in header:
            yield _list_batch(start, texts, lists, nodes)
            continue
        lists_of = [names, lists, *batch[-1:] * (excluded in header)]
        values = zip(rows, *map(python_values, lists_of), strict=True)
        yield from _as_batches(_check_list_row(*row) for row in values)


def _list_batch(start: int, names: pa.Array, lists: pa.Array, nodes: pa.Array) -> SetBatch:
    """Rows with lists, all at once."""
    sizes = np.asarray(pc.list_value_length(lists).fill_null(0)).astype(np.int64)
    ptr = pointers(sizes)
    lacking = np.flatnonzero(sizes == 0)
    null = np.asarray(lists.flatten().is_null())
    if null.any():
        lacking = np.union1d(lacking, owners(ptr)[null])
    problems = {int(at): "it is empty or has a missing node." for at in lacking}
    nameless = np.flatnonzero(np.asarray(pc.binary_length(names)) == 0)
    problems |= {int(at): "it has no name." for at in nameless}
    lines = start + np.arange(len(names))
    return SetBatch(lines, names.to_pylist(), ptr, nodes, {}).with_problems(problems)


def _check_list_row(
    row: int, who: object, nodes: list[object] | None, excluded: object = None
) -> _Set:
    if who is None or who in ("", b""):
        return _Set(row, "", [], "it has no name.")
    try:
        name = id_text(who)
    except ValueError:
        return _Set(row, "", [], f"its name is {who!r}; ids are integers or text.")
    if not nodes or any(node is None for node in nodes):
        return _Set(row, name, [], "it is empty or has a missing node.")
    absent = excluded or []
    if not isinstance(absent, list):
        return _Set(row, name, [], f"its excluded nodes are {absent!r}, expected a list.")
    try:
        return _Set(row, name, list(map(id_text, nodes)), excluded=list(map(id_text, absent)))
    except ValueError:
        return _Set(row, name, [], "a node of it is neither text nor an integer.")
