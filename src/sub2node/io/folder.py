"""A task as a folder of tables, in and out.

``edges`` and ``members`` (or ``subgraphs.jsonl``, or one file of gene sets), and where there are
such: ``labels``, ``nodes``, ``aliases``, ``subgraph_edges``, ``excluded``; each as .parquet, .csv,
.tsv, .jsonl or .xlsx. A folder that we wrote as Parquet also has ``task.json``, a card with the
content hash, which is checked on reading.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import ConfigError, DataError
from ..base.files import read_card
from ..base.notes import Note, NoteKind
from ..base.ragged import Array
from ..base.seals import check_seal
from ..task import Graph, SubgraphTask
from ..task.assemble import assemble
from ..task.frames import Frame, TableLike
from ..task.reading_options import Reading
from .aliases import read_aliases
from .bad_lines import BadLines
from .folder_hints import describe_files
from .gmx import GMX, read_gmx
from .json_tables import JSONL, is_json_table
from .part_files import PART_VERSION, WHOLE, read_part
from .protein_networks import ALL_LINKS, LinkOptions, is_string_header, read_string_table
from .set_files import GMT, SetTables, read_gmt, read_jsonl
from .subgnn import EDGE_LISTS, is_edge_list, read_edge_list
from .tables import DELIMITERS, PLAIN, SUFFIXES, TableReader, suffix
from .text_files import first_line

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

CARD = "task.json"
CARD_FORMAT = "sub2node-task"
CARD_VERSION = 1


def find_table(folder: Path, stem: str) -> Path | None:
    """The table of this name in a folder; two of them are an error."""
    matches = [folder / f"{stem}{end}" for end in SUFFIXES if (folder / f"{stem}{end}").exists()]
    if len(matches) > 1:
        raise DataError(
            f"both {matches[0].name} and {matches[1].name} are in the folder; keep one.",
            path=folder,
        )
    return matches[0] if matches else None


def find_sets(folder: Path) -> Path | None:
    """The file that holds the members: a table, ``subgraphs.jsonl`` or one of gene sets."""
    table = find_table(folder, "members")
    matches = [] if table is None else [table]
    for pattern in (*(f"subgraphs{end}" for end in JSONL), *(f"*{end}" for end in (*GMT, *GMX))):
        matches += sorted(folder.glob(pattern))
    if len(matches) > 1:
        raise DataError(
            f"both {matches[0].name} and {matches[1].name} are in the folder; keep one.",
            path=folder,
        )
    return matches[0] if matches else None


def format_of_sets(path: Path) -> str:
    """The format of a file of subgraphs: gmt, gmx, jsonl or tables.

    Its ending tells; JSON lines with one member each are a table.
    """
    if suffix(path) in JSONL and is_json_table(path):
        return "tables"
    endings = {"gmt": GMT, "gmx": GMX, "jsonl": JSONL}
    return next((name for name, known in endings.items() if suffix(path) in known), "tables")


def read_sets(path: Path, reader: TableReader, *, format: str | None = None) -> SetTables:
    """Members, and labels where the same file has them; the ending tells the format otherwise."""
    format = format or format_of_sets(path)
    if format in ("jsonl", "gmt", "gmx"):
        readers = {"jsonl": read_jsonl, "gmt": read_gmt, "gmx": read_gmx}
        return readers[format](path, reader)
    return SetTables(reader.read(path, "members"), None)


def find_edges(folder: Path) -> Path | None:
    """The table of edges of a folder, which may end in .txt too."""
    places = (folder / f"edges{end}" for end in PLAIN)
    return find_table(folder, "edges") or next((path for path in places if path.exists()), None)


def read_edges(path: Path, reader: TableReader, links: LinkOptions = ALL_LINKS) -> pa.Table:
    """An edge table, links of STRING, or a text file with two integers per line.

    Args:
        path: The file.
        reader: Reads tables, and takes what is wrong with the file.
        links: What the scores of STRING's links mean.
    """
    if suffix(path) in (*DELIMITERS, *PLAIN) and is_string_header(first_line(path)):
        return read_string_table(path, links, reader.notes)
    links.refuse(path.name)
    if suffix(path) in EDGE_LISTS and is_edge_list(path):
        bad = BadLines(path, reader.reading, reader.notes)
        source, target = read_edge_list(path, bad=bad)
        bad.report()
        return pa.table({"source": source, "target": target})
    return reader.read(path, "edges")


def read_tables(
    edges: Path | Graph | TableLike | None,
    sets: Path,
    *,
    labels: Path | None = None,
    nodes: Path | None = None,
    subgraph_edges: Path | None = None,
    excluded: Path | None = None,
    columns: Mapping[str, str] | None = None,
    reading: Reading | None = None,
    node_features: Sequence[str] | None = None,
    background: pa.Array | None = None,
    name: str = "",
    card: Mapping[str, Any] | None = None,
    notes: tuple[str, ...] = (),
    aliases: Path | None = None,
    set_tables: SetTables | None = None,
    format: str | None = None,
    links: LinkOptions = ALL_LINKS,
) -> SubgraphTask:
    """Read a task from files; ``edges`` may also be a graph or frame, or None: see the problems.

    ``set_tables`` are those of the path ``sets``, where they have been read already; ``format`` is
    that of the path, ``links`` says what the scores of STRING's links mean. A file that cannot be
    read is a problem like others: all files are looked at before one is refused.
    """
    reader = TableReader(columns or {}, reading or Reading())
    problems = reader.reading.problems
    problems.notes = reader.notes
    problems.find_lines = reader.find_lines
    files = {"edges": edges if isinstance(edges, Path) else None, "members": sets}
    files |= {"nodes": nodes, "subgraph_edges": subgraph_edges, "labels": labels}
    files |= {"aliases": aliases, "excluded": excluded}
    tables = dict[str, Any]({} if isinstance(edges, Path) else {"edges": edges})
    found, lines = set_tables, dict[str, Array]()
    for what, path in files.items():
        if path is None:
            continue
        with problems.collected(path):
            if what == "members":
                if found is None and format not in ("phenopackets", "ibm-aml"):
                    found = read_sets(path, reader, format=format)
            elif what == "edges":
                tables[what] = read_edges(path, reader, links)
            elif what == "aliases":
                tables[what] = read_aliases(path, reader)
            else:
                tables[what] = reader.read(path, what)
    if found is not None:
        tables["members"], lines = found.members, found.row_lines()
        tables.setdefault("subgraph_edges", found.edges)
        if found.excluded is not None and excluded is not None:
            raise DataError(
                f"excluded nodes are given twice: in {sets.name} and in a table.", path=excluded
            )
        tables.setdefault("excluded", found.excluded)
        if labels is not None:
            lines.pop("labels", None)
        with problems.collected(labels):
            if found.labels is not None and labels is not None and "labels" in tables:
                tables["labels"] = _join_labels(tables["labels"], found.labels, reader.columns)
            elif labels is None and found.labels is not None:
                tables["labels"] = found.labels
    lines |= {what: rows for what, rows in reader.row_lines.items() if what in tables}
    paths = {what: path for what, path in files.items() if path is not None}
    task = assemble(
        tables.get("edges"),
        tables.get("members"),
        tables.get("labels"),
        nodes=tables.get("nodes"),
        subgraph_edges=tables.get("subgraph_edges"),
        aliases=tables.get("aliases"),
        excluded=tables.get("excluded"),
        columns=reader.columns,
        reading=reader.reading,
        node_features=node_features,
        background=background,
        name=name,
        paths={"labels": sets, "excluded": sets, **paths},
        lines=lines,
        classes=tuple((card or {}).get("class_names", ())),
        notes=(
            *(card or {}).get("notes", ()),
            *reader.notes,
            *notes,
            *reader.stripped.notes(),
        ),
        strict=card is None,
    )
    told = _subject_notes(format or format_of_sets(sets))
    return replace(task, notes=(*task.notes, *told)) if told else task


def _subject_notes(format: str) -> list[Note]:
    """What the members are, where the format of the subgraphs says it."""
    if format in ("gmt", "gmx"):
        text = f"{format.upper()} is a format of gene sets: pages and reports call them so."
        return [Note(NoteKind.GENES, text)]
    if format == "ibm-aml":
        text = "IBM AML has accounts and patterns of laundering: pages and reports call them so."
        return [Note(NoteKind.LAUNDERING, text)]
    return []


def _join_labels(labels: pa.Table, more: pa.Table, columns: Mapping[str, str]) -> pa.Table:
    """The labels table, with the columns it lacks from the file of the subgraphs (GMT, JSONL)."""
    if "label" in more.column_names:
        raise DataError("labels are given twice: in the file of the subgraphs and in a table.")
    frame = Frame.of(labels, "labels", columns)
    ids = frame.ids("subgraph_id").cast(pa.string())
    if frame.column_name("label") is None and frame.column_name("split") is None:
        return labels  # which says nothing of the subgraphs, and is refused
    where = pc.index_in(ids, value_set=more["subgraph_id"].combine_chunks().cast(pa.string()))
    for name in more.column_names:
        if name != "subgraph_id" and frame.column_name(name) is None:
            labels = labels.append_column(name, more[name].take(where))
    return labels


def read_workbook(
    path: Path, sheets: Collection[str], *, name: str = "", **options: Any
) -> SubgraphTask:
    """Read a task whose tables are sheets of one workbook.

    Args:
        path: The workbook.
        sheets: The tables that it has.
        name: What the task is called; "": as the file.
        options: As of :func:`read_tables`.
    """
    optional = ("labels", "nodes", "subgraph_edges", "excluded")
    given: dict[str, Any] = {what: path for what in optional if what in sheets}
    return read_tables(path, path, name=name or path.stem, **given, **options)


def read_folder(
    folder: Path,
    *,
    columns: Mapping[str, str] | None = None,
    reading: Reading | None = None,
    node_features: Sequence[str] | None = None,
    background: pa.Array | None = None,
    aliases: Path | None = None,
    links: LinkOptions = ALL_LINKS,
    name: str = "",
) -> SubgraphTask:
    """Read a folder of tables; a card beside them is checked against what was read.

    ``aliases`` is a table to read in place of the folder's own, ``links`` as of
    :func:`read_tables`.
    """
    card = None
    if (folder / CARD).is_file():
        check_tables(folder)
        card = _read_card(folder / CARD)
        if background is not None and card.keys() & {"whole", "arcs"}:
            raise ConfigError("a background goes with tables of edges; omit it for this folder.")
        if reading is not None and reading.options.directed:
            if "arcs" not in card:
                raise ConfigError(
                    "these tables were written without directions; read the data that they were"
                    " made of with directed (--directed)."
                )
            undirected = replace(reading.options, directed=False)  # arcs lie beside the tables
            reading = replace(reading, options=undirected)
    elif (folder / WHOLE).exists():
        raise DataError(
            f"the folder is a part of a larger graph, and {CARD} that says so is missing; make it"
            " anew.",
            path=folder,
        )
    edges, sets = find_edges(folder), find_sets(folder)
    if edges is None or sets is None:
        missing = "edges" if edges is None else "members"
        reason = f"the folder has no {missing} table ({missing}.csv, …)."
        raise DataError(f"{reason}{describe_files(folder)}", path=folder)
    task = read_tables(
        edges,
        sets,
        labels=find_table(folder, "labels"),
        nodes=find_table(folder, "nodes"),
        subgraph_edges=find_table(folder, "subgraph_edges"),
        excluded=find_table(folder, "excluded"),
        aliases=aliases or find_table(folder, "aliases"),
        columns=columns,
        reading=reading,
        node_features=node_features,
        background=background,
        links=links,
        name=name or (card or {}).get("name") or folder.name,
        card=card,
    )
    if card is not None:
        task = read_part(task, folder, card)
    as_written = node_features is None and background is None
    if card is not None and as_written and task.hash != card.get("hash"):
        raise DataError(
            "the tables are not those that the card was written for: the content hash is"
            f" {task.hash[:12]}…, the card says {str(card.get('hash'))[:12]}…; remove {CARD} to"
            " read them all the same.",
            path=folder / CARD,
        )
    return task


def check_tables(folder: Path) -> None:
    """Raise where a file of a folder that we wrote as Parquet is not the one that was written."""
    try:
        check_seal(folder, CARD, "*.parquet", complete=False)
    except DataError as error:
        reason = f"{error.reason.rstrip('.')}; remove {CARD} to read the tables all the same."
        raise DataError(reason, path=error.path) from None


def _read_card(path: Path) -> dict[str, Any]:
    card = read_card(path, CARD_FORMAT, CARD_VERSION, PART_VERSION)
    for field in ("class_names", "notes"):
        texts = card.get(field, [])
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise DataError(f"'{field}' must be a list of text.", path=path)
    return card
