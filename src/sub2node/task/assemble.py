"""Tables of edges, members, labels and nodes → one checked task.

Every format is read into these tables, so ids, policies and errors are the same for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import ConfigError, DataError
from ..ragged import Array, pointers
from .frames import Frame
from .graph import Graph, Repeated, undirected
from .ids import IdSpace, concat, id_column
from .names import Names
from .split import PARTS, Split
from .subgraphs import Subgraphs
from .task import SubgraphTask

UnknownNodes = Literal["error", "drop", "ignore-subgraph"]


@dataclass
class _Sets:
    """Members while they are put together: which subgraph, which node, and what was dropped."""

    space: IdSpace
    subgraph: Array
    node: Array
    weights: Array | None
    kept: Array
    notes: list[str] = field(default_factory=list)


def assemble(
    edges: Any,
    members: Any,
    labels: Any = None,
    *,
    nodes: Any = None,
    subgraph_edges: Any = None,
    columns: Mapping[str, str] | None = None,
    unknown_nodes: UnknownNodes = "error",
    repeated: Repeated = "same",
    name: str = "",
    paths: Mapping[str, Any] | None = None,
    by_position: bool = False,
    classes: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> SubgraphTask:
    """Make a task from tables; arguments as in :meth:`SubgraphTask.from_tables`.

    Args:
        edges: May be a ready :class:`Graph`.
        paths: The file each table came from, for error messages.
        by_position: The node ids are positions, whatever names the graph has.
        classes: All classes in order, where they are known; else those found, sorted.
        notes: Sentences to put before those that assembling adds.
    """
    if unknown_nodes not in get_args(UnknownNodes):
        raise ConfigError(
            f"unknown_nodes is one of {', '.join(get_args(UnknownNodes))}, not {unknown_nodes!r}."
        )

    def frame(data: Any, what: str) -> Frame:
        path = (paths or {}).get(what)
        return Frame.of(data, what, columns or {}, None if path is None else str(path))

    space, graph, graph_notes = build_graph(
        edges if isinstance(edges, Graph) else frame(edges, "edges"),
        None if nodes is None else frame(nodes, "nodes"),
        repeated=repeated,
    )
    if not graph.num_edges:
        raise DataError(
            "the graph has no edges between different nodes; there is nothing to learn from.",
            path=(paths or {}).get("edges"),
        )
    if by_position:
        space = IdSpace(np.arange(graph.num_nodes))
    member_frame = frame(members, "members")
    sets = _members(member_frame, space, unknown_nodes)
    subgraphs = _subgraphs(member_frame, sets, len(sets.space))
    label_frame = None if labels is None else frame(labels, "labels")
    values, class_names, split, titles = _labels(label_frame, sets.space, classes)
    if subgraph_edges is not None:
        subgraphs = _with_edges(subgraphs, frame(subgraph_edges, "subgraph_edges"), sets, space)
    subgraphs = _named(subgraphs, sets.space.names(), titles)
    if not sets.kept.all():
        left = np.flatnonzero(sets.kept)
        subgraphs = subgraphs.take(left)
        values = None if values is None else values[left]
        split = None if split is None else Split(split.codes[left])
    if not len(subgraphs):
        raise member_frame.error("no subgraph is left; the members table names no known node.")
    task = SubgraphTask(
        graph,
        subgraphs,
        labels=values,
        class_names=class_names,
        split=split,
        name=name,
        notes=(*notes, *graph_notes, *sets.notes),
    )
    task.require_learnable()
    return task


def build_graph(
    edges: Frame | Graph, nodes: Frame | None, *, repeated: Repeated
) -> tuple[IdSpace, Graph, list[str]]:
    """The graph of an edge table (and a node table), the ids of its nodes, and notes."""
    if isinstance(edges, Graph):
        known = np.arange(edges.num_nodes) if edges.names is None else edges.names.arrow
        return IdSpace(known), edges, []
    source, target = edges.ids("source"), edges.ids("target")
    if not len(source):
        raise edges.error("the graph has no edges: the edges table has no rows.")
    if nodes is None:
        space = IdSpace.sorted(concat([source, target]))
        titles, features, notes = None, None, list[str]()
    else:
        column = nodes.ids("node_id")
        space = IdSpace.in_order(column)
        if len(space) != len(column):
            raise nodes.error("a node is listed twice in the nodes table.")
        titles, features, notes = _node_extras(nodes)
    ends = [space.find(source), space.find(target)]
    for column, found in zip((source, target), ends, strict=True):
        if (found < 0).any():
            row = int(np.argmax(found < 0))
            raise edges.error(
                f"edge {row + 1} ends at node {column[row].as_py()!r}, which the nodes table does"
                " not have."
            )
    try:
        merged = undirected(*ends, weights=edges.weights(), repeated=repeated)
        graph = Graph.from_undirected(
            merged, num_nodes=len(space), names=space.names(), titles=titles, features=features
        )
    except DataError as error:
        raise edges.error(str(error)) from None
    if merged.repeats:
        notes.append(f"{merged.repeats:,} repeated edges merged.")
    return space, graph, notes


def _node_extras(nodes: Frame) -> tuple[Names | None, Array | None, list[str]]:
    """Titles and features of the node table; what is neither is named in a note."""
    id_name, title_name = nodes.column_name("node_id"), nodes.column_name("title")
    titles = None
    if title_name is not None:
        titles = Names(nodes.table.column(title_name).cast(pa.large_string()).fill_null(""))
    blocks, ignored = [], []
    for name in nodes.table.column_names:
        if name in (id_name, title_name):
            continue
        column = nodes.table.column(name).combine_chunks()
        width = 1
        if pa.types.is_fixed_size_list(column.type):
            width, column = column.type.list_size, column.flatten()
        if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            ignored.append(name)
            continue
        values = np.asarray(column.cast(pa.float64(), safe=False).fill_null(np.nan))
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values))) // width
            raise nodes.error(
                f"the feature '{name}' of row {row + 1} is missing or not finite; fill it first."
            )
        blocks.append(values.reshape(-1, width).astype(np.float32))
    notes = [f"Node columns not used (no numbers): {', '.join(ignored)}."] if ignored else []
    return titles, np.concatenate(blocks, axis=1) if blocks else None, notes


def _members(members: Frame, nodes: IdSpace, unknown: UnknownNodes) -> _Sets:
    """Members as positions, the policy for unknown nodes applied."""
    who, what = members.ids("subgraph_id"), members.ids("node_id")
    if not len(who):
        raise members.error("there are no subgraphs; the members table has no rows.")
    space = IdSpace.in_order(who)
    sets = _Sets(
        space, space.find(who), nodes.find(what), members.weights(), np.ones(len(space), bool)
    )
    lost = sets.node < 0
    if not lost.any():
        return sets
    hit = np.unique(sets.subgraph[lost])
    counts = f"{int(lost.sum()):,} unknown members in {len(hit):,} subgraphs"
    if unknown == "error":
        row = int(np.argmax(lost))
        raise members.error(
            f"subgraph {who[row].as_py()!r} has the node {what[row].as_py()!r}, which is not in the"
            f" graph ({counts}); unknown_nodes='drop' or 'ignore-subgraph' goes on without."
        )
    if unknown == "drop":
        sets.notes.append(f"{counts} dropped.")
    else:
        sets.kept[hit] = False
        sets.notes.append(f"{len(hit):,} subgraphs with unknown members left out ({counts}).")
    sets.subgraph, sets.node = sets.subgraph[~lost], sets.node[~lost]
    sets.weights = None if sets.weights is None else sets.weights[~lost]
    empty = sets.kept & (np.bincount(sets.subgraph, minlength=len(space)) == 0)
    if empty.any():
        sets.kept[empty] = False
        sets.notes.append(f"{int(empty.sum()):,} subgraphs had no known member and were left out.")
    return sets


def _subgraphs(members: Frame, sets: _Sets, count: int) -> Subgraphs:
    try:
        subgraphs = Subgraphs.from_pairs(sets.subgraph, sets.node, count, weights=sets.weights)
    except DataError as error:
        raise members.error(str(error)) from None
    if repeats := len(sets.node) - len(subgraphs.nodes):
        sets.notes.append(f"{repeats:,} repeated members merged.")
    return subgraphs


def _named(subgraphs: Subgraphs, names: Names | None, titles: Names | None) -> Subgraphs:
    return Subgraphs(
        subgraphs.ptr, subgraphs.nodes, subgraphs.weights, subgraphs.edge_ptr, subgraphs.edges,
        names=names, titles=titles,
    )  # fmt: skip


def _with_edges(subgraphs: Subgraphs, frame: Frame, sets: _Sets, nodes: IdSpace) -> Subgraphs:
    owner = sets.space.find(frame.ids("subgraph_id"))
    ends = np.stack([nodes.find(frame.ids("source")), nodes.find(frame.ids("target"))])
    if (owner < 0).any() or (ends < 0).any():
        row = int(np.argmax((owner < 0) | (ends < 0).any(axis=0)))
        raise frame.error(f"row {row + 1} names a subgraph or node that the members do not have.")
    ends.sort(axis=0)
    table = np.unique(np.stack([owner, *ends], axis=1), axis=0)
    counts = np.bincount(table[:, 0], minlength=len(subgraphs))
    try:
        return Subgraphs(
            subgraphs.ptr, subgraphs.nodes, subgraphs.weights, pointers(counts), table[:, 1:]
        )
    except DataError as error:
        raise frame.error(str(error)) from None


def _labels(
    frame: Frame | None, space: IdSpace, classes: tuple[str, ...]
) -> tuple[Array | None, tuple[str, ...], Split | None, Names | None]:
    """Labels, class names, split and titles, one entry a subgraph of ``space``."""
    if frame is None:
        return None, (), None, None
    if all(frame.get(column) is None for column in ("label", "split", "title")):
        frame.need("label")
    who = frame.ids("subgraph_id")
    rows = space.find(who)
    if (rows < 0).any():
        lost = who[int(np.argmax(rows < 0))].as_py()
        raise frame.error(f"subgraph {lost!r} has a label but no members: it is empty.")
    seen = np.bincount(rows, minlength=len(space))
    if (seen == 0).any():
        lost = space.text()[int(np.argmax(seen == 0))]
        raise frame.error(
            f"the label of subgraph {lost!r} is missing: the labels table has no row for it."
        )
    first = np.full(len(space), len(rows))
    np.minimum.at(first, rows, np.arange(len(rows)))
    split = _split(frame, rows, first)
    virtual = np.zeros(len(space), bool) if split is None else split.mask("virtual")
    labels, class_names = _label_values(frame, rows, virtual, classes)
    titles = frame.get("title")
    if titles is not None:
        titles = Names(titles.combine_chunks().cast(pa.large_string()).fill_null("").take(first))
    return labels, class_names, split, titles


def _label_values(
    frame: Frame, rows: Array, virtual: Array, known: tuple[str, ...]
) -> tuple[Array | None, tuple[str, ...]]:
    """Labels of the subgraphs: (M,) numbers, or (M, C) booleans where one has several."""
    column = frame.get("label")
    if column is None:
        return None, ()
    column, rows, several = _flat_labels(frame, column.combine_chunks(), rows, virtual)
    found = id_column(column, f"{frame.what} column '{frame.column_name('label')}'")
    classes = IdSpace(Names(known).arrow) if known else IdSpace.sorted(found)
    number = classes.find(found)
    if (number < 0).any():
        raise frame.error(f"the label {column[int(np.argmax(number < 0))].as_py()!r} is no class.")
    table = np.zeros((len(virtual), len(classes)), dtype=bool)
    table[rows, number] = True
    names = tuple(classes.text())
    if several or (table.sum(axis=1) > 1).any():
        return table, names
    single = np.full(len(virtual), -1, dtype=np.int64)
    single[rows] = number
    return single, names


def _flat_labels(frame: Frame, column: Any, rows: Array, virtual: Array) -> tuple[Any, Array, bool]:
    """One label a row: lists taken apart, virtual subgraphs left away, a missing label refused."""
    several = pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
    if several:
        sizes = np.asarray(pc.list_value_length(column).fill_null(0))
        missing = sizes == 0
    else:
        missing = np.asarray(column.is_null())
        if pa.types.is_floating(column.type):
            missing = missing | np.isnan(np.asarray(column.fill_null(np.nan)))
        elif pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            missing = missing | np.asarray(pc.equal(column, "").fill_null(True))
    if (missing & ~virtual[rows]).any():
        row = int(np.argmax(missing & ~virtual[rows]))
        raise frame.error(f"the label of row {row + 1} is missing.")
    if several:
        return column.flatten(), np.repeat(rows, sizes), True
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.string())
    return column.filter(pa.array(~missing)), rows[~missing], False


def _split(frame: Frame, rows: Array, first: Array) -> Split | None:
    column = frame.get("split")
    if column is None:
        return None
    words = column.combine_chunks()
    if words.null_count or not (
        pa.types.is_string(words.type) or pa.types.is_large_string(words.type)
    ):
        words = words.cast(pa.string()).fill_null("")
    encoded = words.dictionary_encode()
    for word in encoded.dictionary.to_pylist():
        if word not in PARTS:
            row = words.index(word).as_py()
            raise frame.error(f"row {row + 1} has the split word {word!r}; use train, val or test.")
    codes = np.array([PARTS.index(word) for word in encoded.dictionary.to_pylist()], np.int8)
    codes = codes[np.asarray(encoded.indices)]
    clash = codes != codes[first][rows]
    if clash.any():
        raise frame.error(f"row {int(np.argmax(clash)) + 1} puts its subgraph in a second part.")
    return Split(codes[first])
