"""Subgraphs without a graph: what a file asks about, some at a time, however long it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..base.errors import ConfigError, DataError, Sub2NodeError, suggest
from ..base.ragged import Array, owners, pointers
from ..base.regular_files import require_regular_file
from ..base.structured_text import parse_json
from ..task.column_names import column_in
from .arrow_values import as_text, id_text, is_lists, python_values
from .elliptic2 import MEMBER_COLUMNS, is_elliptic2, members_file
from .expansion import check_parquet
from .folder import find_sets
from .gmx import GMX, gmx_columns
from .ibm_aml import attempts, is_patterns
from .member_rows import (
    MemberRows,
    clean,
    column_place,
    parquet_batches,
    parquet_rows,
    text_rows,
)
from .phenopackets import is_phenopackets, phenopacket_batches
from .set_batch import SetBatch, in_sizes
from .set_files import GMT, JSONL, json_row, split_gmt_line
from .table_layout import find_delimiter
from .tables import DELIMITERS, PARQUET, suffix
from .text_files import first_line, opened, raw_lines
from .unlabelled_sets import find_unlabelled, without_labelled
from .white_space import StrippedValues

FORMATS = (*DELIMITERS, *PARQUET, *JSONL, *GMT)
_LINES = 1000  # of subgraphs that are put together


class ScatteredRowsError(Sub2NodeError):
    """The rows of a subgraph do not stand together, so that the file has to be read at once."""


def read_sets(
    path: str | Path,
    columns: Mapping[str, str] | None = None,
    *,
    size: int | None = _LINES,
    at_once: bool = False,
    stripped: StrippedValues | None = None,
) -> Iterator[SetBatch]:
    """The subgraphs of a file in their order; a bad one says what is wrong, and the rest goes on.

    Args:
        path: CSV or TSV with the columns ``subgraph_id, node_id[, excluded]``; Parquet with the
            same, or with ``subgraph_id`` and list columns ``nodes[, excluded]``; JSONL with
            ``{"id": …, "nodes": […], "excluded": […]}``; GMT or GMX; phenopackets: a JSON file, a
            folder or a zip archive of them; a folder of Elliptic2; or laundering attempts of IBM
            AML. Of a folder of tables, the subgraphs that have no label.
        columns: The user's column for ours.
        size: Subgraphs per batch; None for all of them in one.
        at_once: Whether to read the file to its end before the first batch, as is needed where
            the rows of a subgraph do not stand together.
        stripped: Counts values that lose the white space around them.

    Raises:
        DataError: The file as a whole cannot be read.
        ScatteredRowsError: A subgraph came back after others, and ``at_once`` is not set.
    """
    path, columns, stripped = Path(path), columns or {}, stripped or StrippedValues()
    check_columns(columns)
    if is_elliptic2(path):
        path, columns = members_file(path), MEMBER_COLUMNS
    ending = suffix(path)
    if path.is_dir() and find_sets(path) is not None:
        members, labelled = find_unlabelled(path, columns)
        asked = {ours: theirs for ours, theirs in columns.items() if "." not in ours}
        batches = read_sets(members, asked, size=size, at_once=at_once, stripped=stripped)
        yield from in_sizes(without_labelled(batches, labelled), size)
        return
    foreign = _read_foreign_sets(path, stripped)
    if foreign is not None:
        yield from in_sizes(_mark_repeated(foreign), size)
        return
    if ending not in FORMATS:
        endings = ", ".join((*FORMATS, *GMX, ".json", ".zip"))
        raise DataError(f"subgraphs to predict end in {endings}.", path=path)
    at_once = at_once or size is None
    if ending in PARQUET:
        yield from in_sizes(_read_parquet_sets(path, columns, at_once=at_once), size)
        return
    first_line(path)
    if ending in DELIMITERS:
        rows = text_rows(path, find_delimiter(path, DELIMITERS[ending]), columns, stripped=stripped)
        yield from in_sizes(_group_rows(rows, at_once=at_once), size)
        return
    parse_line = (
        partial(_parse_gmt_line, stripped=stripped) if ".gmt" in ending else _parse_jsonl_line
    )
    sets = (
        _Set(number, "", [], "this line is not UTF-8 text.")
        if line is None
        else parse_line(path, number, line, position)
        for position, (number, line) in enumerate(_decoded_lines(path))
    )
    yield from in_sizes(_mark_repeated(_as_batches(sets)), size)


def _read_foreign_sets(path: Path, stripped: StrippedValues) -> Iterator[SetBatch] | None:
    """The subgraphs of a format of another program that is not read row by row; else None."""
    if is_phenopackets(path):
        return phenopacket_batches(path)
    if suffix(path) in GMX:
        sets = enumerate(gmx_columns(path, stripped), 1)
        return _as_batches(
            _Set(at, one.name, [] if one.problem else one.genes, one.problem) for at, one in sets
        )
    if is_patterns(path):
        numbered = enumerate(attempts(path), 1)
        return _as_batches(_Set(one.line, str(at), one.accounts) for at, one in numbered)
    return None


def check_columns(columns: Mapping[str, str]) -> None:
    """Raise for a mapping from a name that is none of ours."""
    names = ("subgraph_id", "node_id", "nodes", "excluded")
    for ours in columns:
        if ours not in names and not ours.startswith("labels."):
            raise ConfigError(f"no column of ours is called {ours!r}.{suggest(ours, names)}")


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


# A row is a member.


def _group_rows(blocks: Iterable[MemberRows], *, at_once: bool) -> Iterator[SetBatch]:
    """Rows as subgraphs; a bad row makes its subgraph bad.

    Args:
        blocks: Rows of members, block by block.
        at_once: Whether to wait for all rows; else a subgraph ends where another one begins.
    """
    seen: set[str] = set()
    waiting: list[MemberRows] = []
    for block in blocks:
        waiting.append(block)
        if at_once or (len(waiting) > 1 and not _begins_another(waiting[0], block)):
            continue
        rows = MemberRows.concat(waiting)
        last = _last_start(rows)
        waiting = [rows.part(last, len(rows))]
        yield _complete_batch(rows.part(0, last), seen)
    if waiting and at_once:
        yield _batch_by_subgraph(MemberRows.concat(waiting))[0]
    elif waiting:
        yield _complete_batch(MemberRows.concat(waiting), seen)


def _begins_another(rows: MemberRows, block: MemberRows) -> bool:
    """Whether a block has a subgraph besides the one that waiting rows belong to."""
    return bool(set(block.codes.dictionary.to_pylist()) - set(rows.codes.dictionary.to_pylist()))


def _named_runs(rows: MemberRows) -> tuple[Array, Array]:
    """Rows that have a name, and which of those begin a run of the same name."""
    named = np.flatnonzero(np.asarray(pc.binary_length(rows.names)) > 0)
    codes = np.asarray(rows.codes.indices)[named]
    return named, np.concatenate([[True], codes[1:] != codes[:-1]])[: len(named)]


def _last_start(rows: MemberRows) -> int:
    """Where the last subgraph, which may go on, begins."""
    named, starts = _named_runs(rows)
    return int(named[starts][-1]) if len(named) else len(rows)


def _complete_batch(rows: MemberRows, seen: set[str]) -> SetBatch:
    """Subgraphs all of whose rows are among these; none of them was seen before."""
    batch, together = _batch_by_subgraph(rows)
    names = {name for name in batch.names if name}
    if not together or names & seen:
        raise ScatteredRowsError("the rows of a subgraph do not stand together.")
    seen |= names
    return batch


def _batch_by_subgraph(rows: MemberRows) -> tuple[SetBatch, bool]:
    """Rows by subgraph, and whether those of each stand together.

    Subgraphs come in the order of their first rows. A bad row without a name is one by itself: it
    comes before the subgraph in whose rows it stands, or before all where they do not stand
    together.
    """
    named, starts = _named_runs(rows)
    codes = np.asarray(rows.codes.indices).astype(np.int64)
    together = int(starts.sum()) == len(np.unique(codes[named]))
    key = np.zeros(len(rows), np.int64)
    if together:
        run = np.zeros(len(rows), np.int64)
        run[named] = starts
        key = np.maximum(2 * np.cumsum(run) - 2, 0)
    else:
        key[named] = 2 * codes[named]
    key[named] += 1
    order = np.argsort(key, kind="stable")
    key = key[order]
    begins = (key % 2 == 0) | (np.diff(key, prepend=-1) != 0)
    firsts = order[begins]
    owner = np.cumsum(begins) - 1
    lines = rows.lines[firsts]
    names = rows.names.take(pa.array(firsts)).to_pylist()
    sizes = np.bincount(owner, minlength=len(firsts))
    absent = None if rows.absent is None else rows.absent[order]
    batch = SetBatch(lines, names, pointers(sizes), rows.nodes.take(pa.array(order)), {}, absent)
    if not rows.problems:
        return batch, together
    places = np.empty(len(rows), np.int64)
    places[order] = owner
    problems: dict[int, str] = {}
    for row, text in rows.problems.items():
        at = int(places[row])
        if at not in problems:
            problems[at], lines[at] = text, rows.lines[row]
    return batch.with_problems(problems), together


# Parquet.


def _read_parquet_sets(
    path: Path, columns: Mapping[str, str], *, at_once: bool
) -> Iterator[SetBatch]:
    size = require_regular_file(path)
    try:
        check_parquet(path, size, path=path)
        file = pq.ParquetFile(path)
        if _has_lists(file.schema_arrow, columns):
            yield from _mark_repeated(_read_list_rows(file, path, columns))
        else:
            yield from _group_rows(parquet_rows(file, path, columns), at_once=at_once)
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
