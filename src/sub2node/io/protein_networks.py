"""Networks of proteins as STRING and BioGRID publish them, and STRING's aliases of proteins.

STRING (https://string-db.org/cgi/download): ``protein1 protein2 … combined_score``, separated by
spaces. BioGRID (https://wiki.thebiogrid.org, "tab3"): tabs, and a header that begins with
``#BioGRID Interaction ID``. Only the columns that are needed are parsed.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from ..base.errors import DataError
from ..base.notes import dropped
from ..base.plural import plural
from ..base.ragged import Array
from ..task import Graph, Names
from ..task.edges import Repeated, undirected
from ..task.other_names import COLUMNS
from ..task.reading_notes import edge_notes
from .text_files import first_line, lines, opened

_BLOCK = 1 << 24  # bytes parsed together
_IDS = pa.dictionary(pa.int32(), pa.string())
_SCORE = "combined_score"
_SYMBOLS = ("Official Symbol Interactor A", "Official Symbol Interactor B")
_SYMBOL_SOURCES = "(?i)symbol|gene_name|HUGO|preferred"


def is_string_header(line: str) -> bool:
    """Whether a first line is that of a file of STRING's links."""
    names = line.split()
    return names[:2] == ["protein1", "protein2"] and _SCORE in names


def is_biogrid_header(line: str) -> bool:
    """Whether a first line is that of a BioGRID file in the format tab3 (or tab2)."""
    return line.lstrip("#").startswith("BioGRID Interaction ID\t")


def read_string_links(
    path: Path,
    *,
    min_score: float | None = None,
    score_weights: bool = False,
    repeated: Repeated = "same",
) -> tuple[Graph, list[str]]:
    """The graph of a file of STRING's links, and what was omitted or merged.

    Args:
        path: Plain or gzipped.
        min_score: Links of a lower combined score (0 to 1000) are omitted.
        score_weights: Whether the combined score, divided by 1000, is the weight of a link.
        repeated: What a link that is given again means, as in :meth:`Graph.from_edges`.
    """
    scored, notes = score_weights or min_score is not None, list[str]()
    names = ["protein1", "protein2", *([_SCORE] if scored else [])]
    types = {"protein1": _IDS, "protein2": _IDS, _SCORE: pa.int32()}
    table = _read_columns(path, " ", names, types)
    if min_score is not None:
        enough = pc.greater_equal(table[_SCORE], min_score)
        count, table = len(table), table.filter(enough)
        omitted = plural(count - len(table), "line")
        notes.append(dropped(f"{omitted} with a combined score below {min_score:g} omitted."))
    weights = None
    if score_weights:
        weights = np.asarray(table[_SCORE], np.float32) / np.float32(1000)
    return _graph_of_pairs(table, weights, path=path, repeated=repeated, notes=notes)


def read_biogrid(path: Path) -> tuple[Graph, list[str]]:
    """The graph of a BioGRID file, its nodes called by their official symbols, and notes."""
    table = _read_columns(path, "\t", list(_SYMBOLS), dict.fromkeys(_SYMBOLS, _IDS))
    return _graph_of_pairs(table, None, path=path, repeated="same", notes=[])


def is_string_aliases(header: str) -> bool:
    """Whether a first line is that of STRING's file of aliases."""
    return header.lstrip("#").split("\t")[:3] == ["string_protein_id", "alias", "source"]


def read_string_aliases(path: Path) -> pa.Table:
    """STRING's aliases of proteins as a table of aliases; their kinds are symbol and alias.

    Args:
        path: ``#string_protein_id``, ``alias``, ``source``, separated by tabs; plain or gzipped.
    """
    if len(first_two := list(islice(lines(path), 2))) < 2:
        raise DataError(f"there is no row below the header {first_two[0][1]!r}.", path=path)
    kinds = {"string_protein_id": pa.large_string(), "alias": pa.large_string(), "source": _IDS}
    table = _read_columns(path, "\t", list(kinds), kinds).unify_dictionaries()
    source = table["source"].combine_chunks()
    is_symbol = np.asarray(
        pc.match_substring_regex(source.dictionary.cast(pa.string()), _SYMBOL_SOURCES)
    )
    kind = pc.if_else(pa.array(is_symbol).take(source.indices), "symbol", "alias")
    return pa.table([table["alias"], table["string_protein_id"], kind], names=list(COLUMNS))


def _read_columns(
    path: Path, delimiter: str, wanted: list[str], types: dict[str, pa.DataType]
) -> pa.Table:
    """Some columns of a delimited file with a header, which may begin with ``#``."""
    header = first_line(path).lstrip("#").rstrip("\r\n").split(delimiter)
    lacking = [name for name in wanted if name not in header]
    if lacking:
        raise DataError(f"the file has no column {lacking[0]!r}.", path=path, line=1)
    try:
        with opened(path) as stream:
            return pacsv.read_csv(
                stream,
                read_options=pacsv.ReadOptions(column_names=header, skip_rows=1, block_size=_BLOCK),
                parse_options=pacsv.ParseOptions(delimiter=delimiter, quote_char=False),
                convert_options=pacsv.ConvertOptions(
                    include_columns=wanted,
                    column_types={name: types[name] for name in wanted},
                    strings_can_be_null=False,
                ),
            )
    except pa.ArrowException as error:
        reason = " ".join(str(error).split())
        raise DataError(f"a line does not fit the header ({reason}).", path=path) from None


def _graph_of_pairs(
    table: pa.Table, weights: Array | None, *, path: Path, repeated: Repeated, notes: list[str]
) -> tuple[Graph, list[str]]:
    """The graph whose edges are the first two columns of a table."""
    if not len(table):
        raise DataError("no link is left in it.", path=path)
    first, second = (column.unify_dictionaries().combine_chunks() for column in table.columns[:2])
    used = [column.dictionary.take(column.indices.unique()) for column in (first, second)]
    ids = pa.concat_arrays(used).unique().sort()
    ends = []
    for column in (first, second):
        place = np.asarray(pc.index_in(column.dictionary, value_set=ids).fill_null(-1))
        ends.append(place.astype(np.int64)[np.asarray(column.indices)])
    names = Names(ids)
    once = _single_direction(*ends) if weights is None else None
    if once is not None:
        ends = [end[once] for end in ends]
    try:
        edges = undirected(*ends, weights=weights, repeated=repeated, name=names.__getitem__)
        graph = Graph.from_undirected(edges, num_nodes=len(ids), names=names)
    except DataError as error:
        raise DataError(error.reason, path=path) from None
    notes += edge_notes(edges, repeated, lambda node: repr(names[node]))
    return graph, notes


def _single_direction(source: Array, target: Array) -> Array | None:
    """Where a file lists every edge in both directions, the edges in one of them; else None."""
    forward, backward = source < target, source > target
    if 2 * int(forward.sum()) != len(source) or not backward.any():
        return None
    size = np.int64(max(source.max(), target.max()) + 1)
    one = np.sort(source[forward] * size + target[forward])
    other = np.sort(target[backward] * size + source[backward])
    return forward if np.array_equal(one, other) else None
