"""A task as a folder of tables, in and out.

``edges`` and ``members`` (or ``subgraphs.jsonl``, or one file of gene sets), and where there are
such: ``labels``, ``nodes``, ``aliases``, ``subgraph_edges``; each as .parquet, .csv or .tsv. A
folder that we wrote as Parquet also has ``task.json``, a card with the content hash, which is
checked on reading.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import DataError
from ..base.files import read_card
from ..base.seals import check_seal
from ..task import Graph, SubgraphTask
from ..task.assemble import UnknownNodes, assemble
from ..task.frames import Frame, TableLike
from .aliases import read_aliases
from .gmx import read_gmx
from .subgnn import read_edge_list
from .tables import SUFFIXES, SetTables, read_gmt, read_jsonl, read_table, suffix
from .white_space import StrippedValues

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..task.edges import Repeated
    from ..task.labels import NaLabels

_GENE_SETS = ("*.gmt", "*.gmt.gz", "*.gmx", "*.gmx.gz")
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
    for pattern in ("subgraphs.jsonl", "subgraphs.jsonl.gz", *_GENE_SETS):
        matches += sorted(folder.glob(pattern))
    if len(matches) > 1:
        raise DataError(
            f"both {matches[0].name} and {matches[1].name} are in the folder; keep one.",
            path=folder,
        )
    return matches[0] if matches else None


def format_of_sets(path: Path) -> str:
    """The format of a file of subgraphs, by its ending: gmt, gmx, jsonl or tables."""
    ending = suffix(path).removesuffix(".gz").removeprefix(".")
    return ending if ending in ("gmt", "gmx", "jsonl") else "tables"


def read_sets(
    path: Path,
    columns: Mapping[str, str],
    stripped: StrippedValues,
    *,
    format: str | None = None,
) -> SetTables:
    """Members, and labels where the same file has them; the ending tells the format otherwise."""
    format = format or format_of_sets(path)
    if format == "jsonl":
        return read_jsonl(path)
    if format == "gmt":
        return read_gmt(path, stripped=stripped)
    if format == "gmx":
        return read_gmx(path, stripped=stripped)
    return SetTables(read_table(path, "members", columns, stripped=stripped), None)


def read_edges(path: Path, columns: Mapping[str, str], stripped: StrippedValues) -> pa.Table:
    """An edge table, or a text file with two integers per line."""
    if suffix(path) in (".txt", ".txt.gz", ".edgelist", ".edgelist.gz"):
        source, target = read_edge_list(path)
        return pa.table({"source": source, "target": target})
    return read_table(path, "edges", columns, stripped=stripped)


def read_tables(
    edges: Path | Graph | TableLike,
    sets: Path,
    *,
    labels: Path | None = None,
    nodes: Path | None = None,
    subgraph_edges: Path | None = None,
    columns: Mapping[str, str] | None = None,
    unknown_nodes: UnknownNodes = "error",
    repeated: Repeated = "same",
    na_labels: NaLabels = "missing",
    node_features: Sequence[str] | None = None,
    background: pa.Array | None = None,
    name: str = "",
    card: Mapping[str, Any] | None = None,
    notes: tuple[str, ...] = (),
    aliases: Path | None = None,
    set_tables: SetTables | None = None,
    format: str | None = None,
) -> SubgraphTask:
    """Read a task from files; ``edges`` may also be a ready graph or frame.

    ``set_tables`` are those of the path ``sets``, where they have been read already; ``format`` is
    that of the path.
    """
    columns, stripped = columns or {}, StrippedValues()
    paths = {"members": sets, "labels": labels or sets, "nodes": nodes}
    if isinstance(edges, Path):
        paths["edges"] = edges
        edges = read_edges(edges, columns, stripped)
    set_tables = set_tables or read_sets(sets, columns, stripped, format=format)
    members, label_table, own_edges = set_tables
    if subgraph_edges is not None:
        own_edges = read_table(subgraph_edges, "subgraph_edges", columns, stripped=stripped)
    node_table = None if nodes is None else read_table(nodes, "nodes", columns, stripped=stripped)
    if labels is not None:
        own_table = read_table(labels, "labels", columns, stripped=stripped)
        label_table = (
            own_table if label_table is None else _join_labels(own_table, label_table, columns)
        )
    return assemble(
        edges,
        members,
        label_table,
        nodes=node_table,
        subgraph_edges=own_edges,
        aliases=None if aliases is None else read_aliases(aliases),
        columns=columns,
        unknown_nodes=unknown_nodes,
        repeated=repeated,
        na_labels=na_labels,
        node_features=node_features,
        background=background,
        name=name,
        paths={what: path for what, path in paths.items() if path is not None},
        classes=tuple((card or {}).get("class_names", ())),
        notes=(*(card or {}).get("notes", ()), *notes, *stripped.notes()),
        strict=card is None,
    )


def _join_labels(labels: pa.Table, more: pa.Table, columns: Mapping[str, str]) -> pa.Table:
    """The labels table, with the columns it lacks from the file of the subgraphs (GMT, JSONL)."""
    if "label" in more.column_names:
        raise DataError("labels are given twice: in the file of the subgraphs and in a table.")
    frame = Frame.of(labels, "labels", columns)
    ids = frame.ids("subgraph_id").cast(pa.string())
    where = pc.index_in(ids, value_set=more["subgraph_id"].combine_chunks().cast(pa.string()))
    for name in more.column_names:
        if name != "subgraph_id" and frame.column_name(name) is None:
            labels = labels.append_column(name, more[name].take(where))
    return labels


def read_folder(
    folder: Path,
    *,
    columns: Mapping[str, str] | None = None,
    unknown_nodes: UnknownNodes = "error",
    repeated: Repeated = "same",
    na_labels: NaLabels = "missing",
    node_features: Sequence[str] | None = None,
    background: pa.Array | None = None,
    aliases: Path | None = None,
    name: str = "",
) -> SubgraphTask:
    """Read a folder of tables; a card beside them is checked against what was read.

    ``aliases`` is a table to read in place of the folder's own.
    """
    card = None
    if (folder / CARD).is_file():
        check_tables(folder)
        card = _read_card(folder / CARD)
    edges, sets = find_table(folder, "edges"), find_sets(folder)
    if edges is None or sets is None:
        missing = "edges" if edges is None else "members"
        raise DataError(f"the folder has no {missing} table ({missing}.csv, …).", path=folder)
    task = read_tables(
        edges,
        sets,
        labels=find_table(folder, "labels"),
        nodes=find_table(folder, "nodes"),
        subgraph_edges=find_table(folder, "subgraph_edges"),
        aliases=aliases or find_table(folder, "aliases"),
        columns=columns,
        unknown_nodes=unknown_nodes,
        repeated=repeated,
        na_labels=na_labels,
        node_features=node_features,
        background=background,
        name=name or (card or {}).get("name") or folder.name,
        card=card,
    )
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
    card = read_card(path, CARD_FORMAT, CARD_VERSION)
    for field in ("class_names", "notes"):
        texts = card.get(field, [])
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise DataError(f"'{field}' must be a list of text.", path=path)
    return card
