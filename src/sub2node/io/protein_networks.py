"""Networks of proteins as STRING and BioGRID publish them, and STRING's aliases of proteins.

STRING (https://string-db.org/cgi/download): ``protein1 protein2 … combined_score``, separated by
spaces. BioGRID (https://wiki.thebiogrid.org, "tab3"): tabs, and a header that begins with
``#BioGRID Interaction ID``. Only the columns that are needed are parsed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import ConfigError, DataError
from ..base.notes import dropped, unused
from ..base.plural import plural
from ..base.ragged import Array
from ..task import Graph, Names
from ..task.edges import Repeated, undirected
from ..task.other_names import COLUMNS
from ..task.reading_notes import edge_notes
from .csv_columns import IDS, common_codes, header_of, read_columns
from .text_files import first_line, lines

_SCORE = "combined_score"
_SYMBOLS = ("Official Symbol Interactor A", "Official Symbol Interactor B")
_SYNONYMS = ("Synonyms Interactor A", "Synonyms Interactor B")
_SYMBOL_SOURCES = "(?i)symbol|gene_name|HUGO|preferred"


def is_string_header(line: str) -> bool:
    """Whether a first line is that of a file of STRING's links."""
    names = line.replace('"', "").split(_mark(line))
    return names[:2] == ["protein1", "protein2"] and _SCORE in names


def is_biogrid_header(line: str) -> bool:
    """Whether a first line is that of a BioGRID file in the format tab3 (or tab2)."""
    return line.lstrip("#").startswith("BioGRID Interaction ID\t")


@dataclass(frozen=True)
class LinkOptions:
    """What the scores of STRING's links mean.

    Args:
        min_score: Links of a lower combined score (0 to 1000) are omitted.
        score_weights: Whether the combined score, divided by 1000, is the weight of a link.
    """

    min_score: float | None = None
    score_weights: bool = False

    def refuse(self, what: str) -> None:
        """Raise where one is given, for what has no such scores."""
        if self.min_score is not None or self.score_weights:
            raise ConfigError(
                f"min_score and score_weights are for links of STRING, not for {what}."
            )


ALL_LINKS = LinkOptions()


def read_string_links(
    path: Path, links: LinkOptions = ALL_LINKS, *, repeated: Repeated = "same"
) -> tuple[Graph, list[str]]:
    """The graph of a file of STRING's links, and what was omitted or merged.

    Args:
        path: Separated by spaces, as published, or by tabs or commas; plain or packed.
        links: What the scores mean.
        repeated: What a link that is given again means, as in :meth:`Graph.from_edges`.
    """
    notes = list[str]()
    table, weights = _read_links(path, links, notes)
    return _graph_of_pairs(table, weights, path=path, repeated=repeated, notes=notes)


def read_string_table(path: Path, links: LinkOptions, notes: list[str]) -> pa.Table:
    """The same links as a table of edges.

    Args:
        path: The file.
        links: What the scores mean.
        notes: Takes sentences about what was omitted.
    """
    table, weights = _read_links(path, links, notes)
    ends = [table[name].cast(pa.string()) for name in ("protein1", "protein2")]
    edges = pa.table(ends, names=["source", "target"])
    return edges if weights is None else edges.append_column("weight", pa.array(weights))


def _read_links(path: Path, links: LinkOptions, notes: list[str]) -> tuple[pa.Table, Array | None]:
    """Both ends of each link that counts, and its weight where it has one."""
    scored = links.score_weights or links.min_score is not None
    names = ["protein1", "protein2", *([_SCORE] if scored else [])]
    types = {"protein1": IDS, "protein2": IDS, _SCORE: pa.int32()}
    table = read_columns(path, _mark(first_line(path)), names, types)
    if not scored:
        notes.append(unused(f"The scores of {path.name} not used; --min-score omits low ones."))
    if links.min_score is not None:
        enough = pc.greater_equal(table[_SCORE], links.min_score)
        count, table = len(table), table.filter(enough)
        omitted = plural(count - len(table), "line")
        notes.append(dropped(f"{omitted} with a combined score below {links.min_score:g} omitted."))
    if not links.score_weights:
        return table, None
    return table, np.asarray(table[_SCORE], np.float32) / np.float32(1000)


def _mark(header: str) -> str:
    """What separates the columns of links."""
    return next((mark for mark in "\t," if mark in header), " ")


def read_biogrid(path: Path) -> tuple[Graph, list[str]]:
    """The graph of a BioGRID file, and notes.

    Its nodes are called by their official symbols, and have the synonyms as other names.
    """
    has_synonyms = set(_SYNONYMS) <= set(header_of(path, "\t"))
    names = [*_SYMBOLS, *_SYNONYMS * has_synonyms]
    table = read_columns(path, "\t", names, dict.fromkeys(names, IDS))
    graph, notes = _graph_of_pairs(table, None, path=path, repeated="same", notes=[])
    return graph.with_other_names(_synonyms(table)) if has_synonyms else graph, notes


def _synonyms(table: pa.Table) -> pa.Table:
    """The synonyms of both ends of links, ``A|B`` or ``-``, as a table of aliases."""
    parts = []
    for columns in zip(_SYMBOLS, _SYNONYMS, strict=True):
        symbols, lists = (
            table[name].unify_dictionaries().combine_chunks() for name in columns
        )  # each pair of a symbol and a list once, of which there are many
        size = max(len(lists.dictionary), 1)
        keys = np.asarray(symbols.indices).astype(np.int64) * size + np.asarray(lists.indices)
        of_symbol, of_list = np.divmod(np.unique(keys), size)
        split = pc.split_pattern(lists.dictionary.take(pa.array(of_list)), "|")
        nodes = symbols.dictionary.take(pa.array(of_symbol)).take(pc.list_parent_indices(split))
        names = split.flatten()
        parts.append(pa.table([names, nodes], names=COLUMNS[:2]).filter(pc.not_equal(names, "-")))
    both = pa.concat_tables(parts)
    return both.append_column(COLUMNS[2], pa.array(["synonym"] * len(both), pa.string()))


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
    kinds = {"string_protein_id": pa.large_string(), "alias": pa.large_string(), "source": IDS}
    table = read_columns(path, "\t", list(kinds), kinds).unify_dictionaries()
    source = table["source"].combine_chunks()
    is_symbol = np.asarray(
        pc.match_substring_regex(source.dictionary.cast(pa.string()), _SYMBOL_SOURCES)
    )
    kind = pc.if_else(pa.array(is_symbol).take(source.indices), "symbol", "alias")
    return pa.table([table["alias"], table["string_protein_id"], kind], names=list(COLUMNS))


def _graph_of_pairs(
    table: pa.Table, weights: Array | None, *, path: Path, repeated: Repeated, notes: list[str]
) -> tuple[Graph, list[str]]:
    """The graph whose edges are the first two columns of a table."""
    if not len(table):
        raise DataError("no link is left in it.", path=path)
    ids, ends = common_codes(table.columns[:2])
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
