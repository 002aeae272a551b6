"""The folder of Elliptic2, subgraphs of Bitcoin clusters (https://arxiv.org/abs/2404.19109).

``background_nodes.csv`` (``clId`` and features), ``background_edges.csv`` (``clId1``, ``clId2``,
``txId`` and features, which are read where edges are directed), ``connected_components.csv``
(``ccId``, ``ccLabel``), ``nodes.csv`` (``clId``, ``ccId``) and ``edges.csv`` (``clId1``, ``clId2``,
``txId``); each may be packed. Only the columns that are needed are parsed, block by block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import DataError
from ..base.notes import Note, NoteKind, changed, unused
from ..base.plural import plural
from ..base.ragged import Array
from ..task.assemble import assemble
from ..task.clean_tables import drop_rows
from ..task.frames import Frame
from ..task.reading_options import Reading
from .csv_columns import header_of, read_columns
from .subgnn import find
from .table_layout import TableLayout

if TYPE_CHECKING:
    from ..task import SubgraphTask

FILES = {
    "background_nodes.csv": ("clId",),
    "background_edges.csv": ("clId1", "clId2"),
    "connected_components.csv": ("ccId", "ccLabel"),
    "nodes.csv": ("clId", "ccId"),
    "edges.csv": ("clId1", "clId2"),
}
_TABLES = {
    "nodes": "background_nodes.csv",
    "edges": "background_edges.csv",
    "members": "nodes.csv",
    "labels": "connected_components.csv",
    "subgraph_edges": "edges.csv",
}
# Columns of ours in the two large files.
BACKGROUND_COLUMNS = {"source": "clId1", "target": "clId2", "node_id": "clId"}
TRANSACTION = "txId"  # a number that names a row: no feature of an edge
MEMBER_COLUMNS = {"subgraph_id": "ccId", "node_id": "clId"}


def is_elliptic2(folder: Path) -> bool:
    """Whether a folder has the files of the background and of the components."""
    names = ("background_edges.csv", "connected_components.csv")
    return folder.is_dir() and all(find(folder, name) for name in names)


def members_file(folder: Path) -> Path:
    """The file with the nodes of the subgraphs."""
    return _file(folder, "nodes.csv")


def read_elliptic2(
    folder: Path,
    *,
    node_features: Sequence[str] | None = None,
    reading: Reading | None = None,
    **options: Any,
) -> SubgraphTask:
    """Read a folder with the files of Elliptic2.

    A cluster is a node, a component a subgraph with edges of its own, ``ccLabel`` its label.

    Args:
        folder: Has the five files.
        node_features: The columns of ``background_nodes.csv`` that become features; None: all.
        reading: What to do about problems, which it takes, and whether edges are directed.
        options: As for :func:`sub2node.task.assemble.assemble`.
    """
    reading = reading or Reading()
    files = {what: _file(folder, name) for what, name in _TABLES.items()}
    reading.problems.find_lines = _find_lines
    features = [name for name in header_of(files["nodes"], ",") if name != "clId"]
    if node_features is not None:
        features = [name for name in features if name in node_features]
    tables, notes, skipped = dict[str, pa.Table](), list[str](), 0
    with reading.problems.collected(files["nodes"]):
        nodes = _read(files["nodes"], ["clId"], dict.fromkeys(features, pa.float32()))
        tables["nodes"] = nodes.rename_columns(["node_id", *features])
    with reading.problems.collected(files["edges"]):
        tables["edges"], skipped = _background_edges(folder, directed=reading.options.directed)
    tables |= small_tables(folder, reading, notes)
    if skipped:
        notes.append(unused(f"{plural(skipped, 'column')} of background_edges.csv not used."))
    return assemble(
        tables.get("edges"),
        tables.get("members"),
        tables.get("labels"),
        nodes=tables.get("nodes"),
        subgraph_edges=tables.get("subgraph_edges"),
        reading=reading,
        node_features=node_features,
        paths=files,
        notes=tuple(notes),
        **options,
    )


def _find_lines(path: str, rows: Array) -> Array:
    return TableLayout.of_header(Path(path), ",").row_lines(rows)


def _background_edges(folder: Path, *, directed: bool) -> tuple[pa.Table, int]:
    """The edges, where they are directed with their features, and how many columns are not read."""
    path = _file(folder, "background_edges.csv")
    others = [name for name in header_of(path, ",") if name not in ("clId1", "clId2")]
    if not directed:
        table = _columns(folder, "background_edges.csv")
        return table.rename_columns(["source", "target"]), len(others)
    features = [name for name in others if name != TRANSACTION]
    table = _read(path, ["clId1", "clId2"], dict.fromkeys(features, pa.float32()))
    return table.rename_columns(["source", "target", *features]), len(others) - len(features)


def small_tables(folder: Path, reading: Reading, notes: list[str]) -> dict[str, pa.Table]:
    """The members, labels and own edges of the components, with our names of columns.

    Args:
        folder: Has the files.
        reading: What to do about rows that cannot be used; takes them, and files that are damaged.
        notes: Takes sentences about what was done.
    """
    tables = dict[str, pa.Table]()
    for what, names in (
        ("members", ["node_id", "subgraph_id"]),
        ("labels", ["subgraph_id", "label"]),
        ("subgraph_edges", ["source", "target"]),
    ):
        with reading.problems.collected(_file(folder, _TABLES[what])):
            tables[what] = _columns(folder, _TABLES[what]).rename_columns(names)
    if "members" in tables and "subgraph_edges" in tables:
        edges, members = tables["subgraph_edges"], tables["members"]
        path = _file(folder, _TABLES["subgraph_edges"])
        tables["subgraph_edges"] = _own_edges(edges, members, path, reading, notes)
    else:
        tables.pop("subgraph_edges", None)
    text = "Elliptic2 has clusters of accounts: pages and reports call them so."
    notes.append(Note(NoteKind.ACCOUNTS, text))
    return tables


def _file(folder: Path, name: str) -> Path:
    path = find(folder, name)
    if path is None:
        raise DataError(
            f"the folder has no {name} (or {name}.gz, {name}.zst); the files of Elliptic2 are"
            f" {', '.join(FILES)}.",
            path=folder,
        )
    return path


def _columns(folder: Path, name: str) -> pa.Table:
    """The columns of a file that are needed; a class stays the text that the file has."""
    ids = [column for column in FILES[name] if column != "ccLabel"]
    others = {column: pa.string() for column in FILES[name] if column not in ids}
    return _read(_file(folder, name), ids, others)


def _read(path: Path, ids: Sequence[str], others: Mapping[str, pa.DataType]) -> pa.Table:
    """Ids, numbers where they all are (as published) and else text, and columns of other types."""
    wanted = [*ids, *others]
    try:
        types = {**dict.fromkeys(ids, pa.int64()), **others}
        return read_columns(path, ",", wanted, types, quoted=True)
    except DataError:
        types = {**dict.fromkeys(ids, pa.string()), **others}
        return read_columns(path, ",", wanted, types, quoted=True)


def _own_edges(
    edges: pa.Table, members: pa.Table, path: Path, reading: Reading, notes: list[str]
) -> pa.Table:
    """Edges by component, that of both their ends; one from a node to itself is omitted."""
    nodes = members["node_id"].combine_chunks()
    kind = nodes.type if edges["source"].type == nodes.type else pa.string()
    nodes, owners = nodes.cast(kind), list[pa.Array]()
    ends = [edges[end].combine_chunks() for end in ("source", "target")]  # also of no rows
    for end in ends:
        place = pc.index_in(end.cast(kind), value_set=nodes)
        owners.append(members["subgraph_id"].combine_chunks().take(place))
    loops = np.asarray(pc.equal(*ends).fill_null(False))
    same = np.asarray(pc.equal(*owners).fill_null(False))
    frame = Frame(edges.add_column(0, "subgraph_id", owners[0]), "edges", {}, str(path))
    keep, foreign = ~loops, np.flatnonzero(~same & ~loops)
    if len(foreign):
        row = {name: edges[name][int(foreign[0])].as_py() for name in ("source", "target")}
        drop_rows(
            frame,
            foreign,
            reading,
            notes,
            kind="edge between components",
            message=f"the edge from {row['source']} to {row['target']} does not join two nodes of"
            " one component of nodes.csv.",
        )
        keep[foreign] = False
    if loops.any():
        notes.append(changed(f"{plural(int(loops.sum()), 'self-loop')} of edges.csv omitted."))
    return frame.filter(keep).table
