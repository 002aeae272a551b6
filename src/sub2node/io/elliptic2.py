"""The folder of Elliptic2, subgraphs of Bitcoin clusters (https://arxiv.org/abs/2404.19109).

``background_nodes.csv`` (``clId`` and features), ``background_edges.csv`` (``clId1``, ``clId2``,
``txId`` and features, which are read where edges are directed), ``connected_components.csv``
(``ccId``, ``ccLabel``), ``nodes.csv`` (``clId``, ``ccId``) and ``edges.csv`` (``clId1``, ``clId2``,
``txId``); each may be gzipped. Only the columns that are needed are parsed, block by block.
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
from ..task.assemble import assemble
from ..task.reading_options import Reading
from .csv_columns import header_of, read_columns
from .subgnn import find

if TYPE_CHECKING:
    from ..task import SubgraphTask

FILES = {
    "background_nodes.csv": ("clId",),
    "background_edges.csv": ("clId1", "clId2"),
    "connected_components.csv": ("ccId", "ccLabel"),
    "nodes.csv": ("clId", "ccId"),
    "edges.csv": ("clId1", "clId2"),
}
# Columns of ours in the two large files.
BACKGROUND_COLUMNS = {"source": "clId1", "target": "clId2", "node_id": "clId"}
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
    reading: Reading | None = None,
    node_features: Sequence[str] | None = None,
    **options: Any,
) -> SubgraphTask:
    """Read a folder with the files of Elliptic2.

    A cluster is a node, a component a subgraph with edges of its own, ``ccLabel`` its label.

    Args:
        folder: Has the five files.
        reading: What to do about problems, and whether edges are directed.
        node_features: The columns of ``background_nodes.csv`` that become features; None: all.
        options: As for :func:`sub2node.task.assemble.assemble`.
    """
    reading, nodes_path = reading or Reading(), _file(folder, "background_nodes.csv")
    features = [name for name in header_of(nodes_path, ",") if name != "clId"]
    if node_features is not None:
        features = [name for name in features if name in node_features]
    nodes = _read(nodes_path, ["clId"], dict.fromkeys(features, pa.float32()))
    nodes = nodes.rename_columns(["node_id", *features])
    edges, skipped = _background_edges(folder, directed=reading.options.directed)
    small, notes = small_tables(folder)
    if skipped:
        notes.append(unused(f"{plural(skipped, 'column')} of background_edges.csv not used."))
    tables = ("background_nodes.csv", "background_edges.csv", "nodes.csv")
    paths = dict(zip(("nodes", "edges", "members"), tables, strict=True))
    paths |= {"labels": "connected_components.csv", "subgraph_edges": "edges.csv"}
    return assemble(
        edges,
        small["members"],
        small["labels"],
        nodes=nodes,
        subgraph_edges=small["subgraph_edges"],
        reading=reading,
        node_features=node_features,
        paths={what: _file(folder, name) for what, name in paths.items()},
        notes=tuple(notes),
        **options,
    )


def _background_edges(folder: Path, *, directed: bool) -> tuple[pa.Table, int]:
    """The edges, where they are directed with their features, and how many columns are not read."""
    path = _file(folder, "background_edges.csv")
    others = [name for name in header_of(path, ",") if name not in ("clId1", "clId2")]
    if not directed:
        return _columns(folder, "background_edges.csv").rename_columns(["source", "target"]), len(
            others
        )
    table = _read(path, ["clId1", "clId2"], dict.fromkeys(others, pa.float32()))
    return table.rename_columns(["source", "target", *others]), 0


def small_tables(folder: Path) -> tuple[dict[str, pa.Table], list[Note]]:
    """The members, labels and own edges of the components, with our names of columns; and notes."""
    members = _columns(folder, "nodes.csv").rename_columns(["node_id", "subgraph_id"])
    labels = _columns(folder, "connected_components.csv").rename_columns(["subgraph_id", "label"])
    own_edges, notes = _own_edges(folder, members)
    text = "Elliptic2 has clusters of accounts: pages and reports call them so."
    notes.append(Note(NoteKind.ACCOUNTS, text))
    return {"members": members, "labels": labels, "subgraph_edges": own_edges}, notes


def _file(folder: Path, name: str) -> Path:
    path = find(folder, name)
    if path is None:
        raise DataError(
            f"the folder has no {name} (or {name}.gz); the files of Elliptic2 are"
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


def _own_edges(folder: Path, members: pa.Table) -> tuple[pa.Table, list[Note]]:
    """Edges by component, that of both their ends; one from a node to itself is omitted."""
    edges = _columns(folder, "edges.csv").rename_columns(["source", "target"])
    inside = pc.not_equal(edges["source"], edges["target"])
    loops = len(edges) - int(pc.sum(inside).as_py() or 0)
    edges = edges.filter(inside)
    nodes = members["node_id"].combine_chunks()
    owners = []
    for end in ("source", "target"):
        place = pc.index_in(edges[end].combine_chunks().cast(nodes.type), value_set=nodes)
        owners.append(members["subgraph_id"].combine_chunks().take(place))
    same = np.asarray(pc.equal(*owners).fill_null(False))
    if not same.all():
        row = {name: edges[name][int(np.argmin(same))].as_py() for name in ("source", "target")}
        raise DataError(
            f"the edge from {row['source']} to {row['target']} does not join two nodes of one"
            " component of nodes.csv.",
            path=_file(folder, "edges.csv"),
        )
    notes: list[Note] = []
    if loops:
        notes.append(changed(f"{plural(loops, 'self-loop')} of edges.csv omitted."))
    return edges.add_column(0, "subgraph_id", owners[0]), notes
