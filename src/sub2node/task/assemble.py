"""Tables of edges, members, labels and nodes → one checked task.

Every format is read into these tables, so ids, policies and errors are the same for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import DataError
from ..base.ragged import Array
from .clean_tables import (
    clean_table,
    drop_repeated_nodes,
    drop_rows,
    row_texts,
    with_usable_weights,
)
from .edges import conflicting_weights, undirected
from .frames import Frame, TableLike, check_mapping
from .graph import Graph
from .ids import IdSpace, concat
from .impute_features import fill_features
from .learnable import require_learnable
from .member_pairs import read_members
from .names import Names
from .problems import Problem
from .reading_notes import edge_notes, unused_columns, unused_features
from .reading_options import Reading
from .subgraph_tables import SubgraphTables, build_parts, clean_subgraphs
from .task import SubgraphTask


def assemble(
    edges: TableLike | Graph | None,
    members: TableLike | None,
    labels: TableLike | None = None,
    *,
    nodes: TableLike | None = None,
    subgraph_edges: TableLike | None = None,
    columns: Mapping[str, str] | None = None,
    reading: Reading | None = None,
    name: str = "",
    paths: Mapping[str, str | Path] | None = None,
    lines: Mapping[str, Array] | None = None,
    by_position: bool = False,
    classes: tuple[str, ...] = (),
    strict: bool = True,
    notes: tuple[str, ...] = (),
) -> SubgraphTask:
    """Make a task from tables; arguments as in :meth:`SubgraphTask.from_tables`.

    All problems of all tables are collected before they are raised together.

    Args:
        edges: A table, or a ready :class:`Graph`; None: it could not be read, as the problems say.
        members: The table of members; None: as for edges.
        labels: The table of labels.
        reading: What to do about problems, and those that were found before.
        paths: The file each table came from, for error messages.
        lines: Line of each row of a table, where the rows are not those of its file.
        by_position: The node ids are positions, whatever names the graph has.
        classes: All classes in order, where they are known; else those that occur, sorted.
        strict: Whether to refuse what nothing can be learned from: no edges, no subgraphs, a class
            without a training subgraph.
        notes: Sentences to put before those that assembling adds.
    """
    reading, changes = reading or Reading(), list[str]()
    tables = {"edges": edges, "nodes": nodes, "members": members, "labels": labels}
    tables["subgraph_edges"] = subgraph_edges
    frames = _read_frames(tables, columns or {}, paths or {}, lines or {}, reading)
    changes += unused_columns(list(frames.values()))
    labelled, unlabelled = clean_subgraphs(frames, reading, changes, known_classes=bool(classes))
    source = edges if isinstance(edges, Graph) else frames.get("edges")
    space, graph = _read_graph(source, frames, labelled, reading, changes, strict=strict)
    if by_position and graph is not None:
        space = IdSpace(np.arange(graph.num_nodes))
    parts = [part for part in (labelled, unlabelled) if part is not None]
    pairs = []
    for part in parts:
        with reading.problems.collected():
            pairs.append(read_members(part.members, space, reading, strict=strict))
    if reading.problems.open:
        reading.problems.notes = [*reading.problems.notes, *changes]
    reading.problems.raise_open()
    assert graph is not None  # for mypy: else it is among the problems
    assert space is not None
    built = [
        build_parts(part, sets, space, reading, classes=classes)
        for part, sets in zip(parts, pairs, strict=True)
    ]
    main, *others = built
    if strict and not len(main.subgraphs):
        raise parts[0].members.error("no subgraph is left; the members table names no known node.")
    task = SubgraphTask(
        graph,
        main.subgraphs,
        labels=main.labels,
        class_names=main.class_names,
        split=main.split,
        name=name,
        notes=(*notes, *changes, *(note for part in built for note in part.notes)),
        input_order=main.order,
        attributes=main.attributes,
        unlabelled=None if not others else others[0].without_labels(graph, name),
    )
    if strict:
        require_learnable(task, parts=())
    return task


def _read_frames(
    tables: Mapping[str, TableLike | Graph | None],
    columns: Mapping[str, str],
    paths: Mapping[str, str | Path],
    lines: Mapping[str, Array],
    reading: Reading,
) -> dict[str, Frame]:
    """The tables that are there and can be read, by what their rows are."""
    frames = {}
    for what, data in tables.items():
        if data is None or isinstance(data, Graph):
            continue
        path = paths.get(what)
        with reading.problems.collected(path):
            frame = Frame.of(data, what, columns, None if path is None else str(path))
            frames[what] = replace(frame, lines=lines.get(what))
    if not reading.problems.open:
        check_mapping(columns, frames.values())
    return frames


def _read_graph(
    source: Frame | Graph | None,
    frames: Mapping[str, Frame],
    labelled: SubgraphTables | None,
    reading: Reading,
    notes: list[str],
    *,
    strict: bool,
) -> tuple[IdSpace | None, Graph | None]:
    """The ids of nodes and the graph; None where they cannot be read."""
    nodes, path = frames.get("nodes"), source.path if isinstance(source, Frame) else None
    if nodes is not None:
        with reading.problems.collected():
            nodes = clean_table(nodes, ["node_id"], reading, notes, weighted=False)
            nodes = drop_repeated_nodes(nodes, reading, notes)
            members, labels = (None, None) if labelled is None else labelled[:2]
            nodes = fill_features(nodes, members, labels, reading, notes)
    if source is None:
        return None, None
    with reading.problems.collected():
        space, graph = build_graph(source, nodes, reading, notes)
        if strict and not graph.num_edges and not reading.problems.open:
            raise DataError(
                "the graph has no edges between different nodes; there is nothing to learn from.",
                path=path,
            )
        return (space, graph) if graph.num_nodes or not reading.problems.open else (None, None)
    return None, None


def build_graph(
    edges: Frame | Graph, nodes: Frame | None, reading: Reading, notes: list[str]
) -> tuple[IdSpace, Graph]:
    """The graph of an edge table (and a node table), and the ids of its nodes.

    Args:
        edges: The edges, or a ready graph.
        nodes: The node table, clean.
        reading: What to do about problems; takes them.
        notes: Takes sentences about what was done.
    """
    if isinstance(edges, Graph):
        ids = np.arange(edges.num_nodes) if edges.names is None else edges.names.arrow
        return IdSpace(ids), edges
    edges = clean_table(edges, ["source", "target"], reading, notes, weighted=False)
    source, target = edges.ids("source"), edges.ids("target")
    titles, features, extra_notes = None, None, list[str]()
    if nodes is None:
        if not len(source) and not reading.problems.open:
            raise edges.error("the graph has no edges: the edges table has no rows.")
        space = IdSpace.sorted(concat([source, target]))
    else:
        space = IdSpace.in_order(nodes.ids("node_id"))
        titles, features, extra_notes = _read_node_extras(nodes)
    ends = [space.find(source), space.find(target)]
    unknown = [np.flatnonzero(positions < 0) for positions in ends]
    if rows := np.union1d(*unknown).tolist():
        end = source if ends[0][rows[0]] < 0 else target
        edges = drop_rows(
            edges,
            np.array(rows),
            reading,
            notes,
            kind="unknown edge end",
            message=f"edge {rows[0] + 1} ends at node {end[rows[0]].as_py()!r}, which the nodes"
            " table does not have.",
        )
    weighted = with_usable_weights(edges, reading, notes)
    if weighted.rows is not None:  # rows were dropped, whose nodes stay
        ends = [space.find(weighted.ids(ours)) for ours in ("source", "target")]
    weights, repeated = weighted.weights(), reading.options.repeated
    if repeated == "same" and weights is not None:
        clash = conflicting_weights(ends, weights)
        if len(clash):
            reading.problems.add(_weight_conflict(weighted, clash))
            repeated = "max"  # to go on; nothing comes of it
    try:
        merged = undirected(
            *ends, weights=weights, repeated=repeated, name=lambda i: space.text()[i]
        )
        graph = Graph.from_undirected(
            merged, num_nodes=len(space), names=space.names(), titles=titles, features=features
        )
    except DataError as error:
        raise edges.error(str(error)) from None
    notes += extra_notes
    if repeated == reading.options.repeated and (merged.repeats or len(merged.loops)):
        notes += edge_notes(merged, repeated, space.shown())
    return space, graph


def _weight_conflict(edges: Frame, rows: Array) -> Problem:
    first, other = (edges.need(ours)[int(rows[0])].as_py() for ours in ("source", "target"))
    return edges.problem(
        "conflicting edge weight",
        f"the edge {first}-{other} is given several times with different weights; say what they"
        " mean together with repeated='sum' or repeated='max'.",
        rows,
        values=row_texts(edges, rows),
        option="--repeated max",
    )


def _read_node_extras(nodes: Frame) -> tuple[Names | None, Array | None, list[str]]:
    """Titles and features of the node table; what is neither is named in a note."""
    used = (nodes.column_name("node_id"), nodes.column_name("title"))
    titles = nodes.text("title")
    blocks, ignored = [], []
    for name in nodes.table.column_names:
        if name in used:
            continue
        block = _read_features(nodes, name)
        if block is None:
            ignored.append(name)
        else:
            blocks.append(block)
    features = np.concatenate(blocks, axis=1) if blocks else None
    return None if titles is None else Names(titles), features, list(unused_features(ignored))


def _read_features(nodes: Frame, name: str) -> Array | None:
    """A column of numbers, or of lists of numbers of one length, as float32 (N, width)."""
    column = nodes.table.column(name).combine_chunks()
    missing, width, values = np.asarray(column.is_null()), 1, column
    if pa.types.is_list(column.type) or pa.types.is_fixed_size_list(column.type):
        widths = np.asarray(pc.list_value_length(column).fill_null(0))[~missing]
        width = int(widths[0]) if len(widths) else 0
        if (widths != width).any() or not width:
            raise nodes.error(f"the lists of the feature column '{name}' differ in length.")
        values = column.flatten()
    kind = values.type
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if not numeric and not pa.types.is_boolean(kind):
        return None
    if not missing.any():
        numbers = np.asarray(values.cast(pa.float64(), safe=False).fill_null(np.nan))
        missing = ~np.isfinite(numbers).reshape(-1, width).all(axis=1)
    if missing.any():
        row = int(np.argmax(missing)) + 1
        raise nodes.error(f"the feature '{name}' of row {row} is missing or not finite.")
    with np.errstate(over="ignore"):
        features = numbers.reshape(-1, width).astype(np.float32)
    large = np.flatnonzero(~np.isfinite(features).all(axis=1))
    if len(large):
        largest = np.abs(numbers.reshape(-1, width)[large[0]]).max()
        raise nodes.error(
            f"the feature '{name}' of row {large[0] + 1} is {largest:g}, which is too"
            f" large; features are up to {np.finfo(np.float32).max:.2g}."
        )
    return features
