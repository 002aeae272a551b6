"""Tables of edges, members, labels and nodes → one checked task.

Every format is read into these tables, so ids, policies and errors are the same for all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..base.errors import ConfigError, DataError
from ..base.notes import Note
from ..base.ragged import Array
from .arc_features import read_arc_features, with_usable_features, with_written_numbers
from .arcs import Arcs
from .background import within_background
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
from .impute_features import (
    fill_features,
    flag_name,
    impute_anew,
    imputed_places,
    read_numbers,
)
from .learnable import require_learnable
from .likely_columns import with_likely_columns
from .member_pairs import MemberPairs, read_members
from .names import Names
from .node_features import NodeFeatures, check_chosen, read_features
from .other_names import read_other_names
from .problems import Problem
from .reading_notes import arc_notes, edge_notes, named_by_words, unused_columns
from .reading_options import Reading
from .subgraph_tables import SubgraphTables, build_parts, build_sets, clean_subgraphs
from .subgraphs import Subgraphs
from .task import SubgraphTask
from .tidy_tables import labels_of_members, tidy_tables


def assemble(
    edges: TableLike | Graph | None,
    members: TableLike | None,
    labels: TableLike | None = None,
    *,
    nodes: TableLike | None = None,
    subgraph_edges: TableLike | None = None,
    excluded: TableLike | None = None,
    aliases: TableLike | None = None,
    columns: Mapping[str, str] | None = None,
    reading: Reading | None = None,
    node_features: Sequence[str] | None = None,
    background: pa.Array | None = None,
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
        excluded: The table of nodes that were looked for and are absent.
        reading: What to do about problems, and those that were found before.
        background: Ids of the universe, text: nodes outside of it are omitted with their edges.
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
    tables |= {"subgraph_edges": subgraph_edges, "aliases": aliases, "excluded": excluded}
    frames = _read_frames(tables, columns or {}, paths or {}, lines or {}, reading)
    frames = _tidy_frames(frames, reading, changes, node_features=node_features)
    directed = reading.options.directed
    if directed and isinstance(edges, Graph):
        raise ConfigError(
            "directed edges are read from a table of edges (source, target); this graph has come"
            " without directions, so omit directed (--directed)."
        )
    changes += unused_columns(list(frames.values()), directed=directed)
    check_chosen(node_features, has_nodes=nodes is not None)
    labelled, unlabelled = clean_subgraphs(frames, reading, changes, known_classes=bool(classes))
    space, graph = (node_ids(edges), edges) if isinstance(edges, Graph) else (None, None)
    with reading.problems.collected():
        nodes_frame, imputed = _clean_nodes(frames, reading, changes, node_features=node_features)
        if "edges" in frames:
            space, graph = build_graph(
                frames["edges"],
                nodes_frame,
                reading,
                changes,
                node_features=node_features,
                imputed=imputed,
            )
        if "aliases" in frames and graph is not None:
            names = read_other_names(frames["aliases"], graph.ids(), graph.other_names)
            graph = graph.renamed(names)
    if graph is not None and background is not None:
        graph, kept_note = within_background(graph, background)
        space = node_ids(graph)
        changes.append(kept_note)
    if graph is not None and not graph.num_edges and not reading.problems.open and strict:
        with reading.problems.collected((paths or {}).get("edges")):
            raise DataError(
                "the graph has no edges between different nodes; there is nothing to learn from."
            )
    if graph is not None and not graph.num_nodes and reading.problems.open:
        space = None  # nothing was left of it
    if by_position and graph is not None:
        space = IdSpace(np.arange(graph.num_nodes))
    parts = [part for part in (labelled, unlabelled) if part is not None]
    named = None if by_position else graph
    sets = [_read_sets(part, space, reading, graph=named, strict=strict) for part in parts]
    if reading.problems.open:
        reading.problems.notes = [*reading.problems.notes, *changes]
    reading.problems.raise_open()
    assert graph is not None  # for mypy: else it is among the problems
    main, *others = [
        build_parts(part, *own, reading, classes=classes)
        for part, own in zip(parts, filter(None, sets), strict=True)
    ]
    if strict and not len(main.subgraphs):
        raise parts[0].members.error("no subgraph is left; the members table names no known node.")
    task = SubgraphTask(
        graph,
        main.subgraphs,
        labels=main.labels,
        class_names=main.class_names,
        split=main.split,
        name=name,
        notes=(*notes, *changes, *(note for part in (main, *others) for note in part.notes)),
        input_order=main.order,
        attributes=main.attributes,
        unlabelled=None if not others else others[0].without_labels(graph, name),
    )
    with reading.problems.collected((paths or {}).get("nodes")):
        task = impute_anew(task)
    reading.problems.raise_open()
    if strict:
        require_learnable(task, parts=())
    return task


def _read_sets(
    part: SubgraphTables,
    space: IdSpace | None,
    reading: Reading,
    *,
    graph: Graph | None,
    strict: bool,
) -> tuple[MemberPairs, Subgraphs] | None:
    """Members, excluded nodes and own edges of subgraphs; None where they could not be read."""
    with reading.problems.collected():
        pairs = read_members(part.members, space, reading, graph=graph, strict=strict)
        if space is not None:
            return pairs, build_sets(part, pairs, space, reading, graph=graph)
    return None


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


def _tidy_frames(
    frames: dict[str, Frame],
    reading: Reading,
    notes: list[str],
    *,
    node_features: Sequence[str] | None,
) -> dict[str, Frame]:
    """The tables with all columns that they need, and without what is no data."""
    has_labels = "labels" in frames
    frames = with_likely_columns(frames, reading.problems)
    notes += named_by_words(list(frames.values()))
    if not has_labels and "members" in frames:
        frames |= labels_of_members(frames["members"], notes)
    frames = tidy_tables(frames, reading.problems, notes, chosen=node_features)
    if reading.options.directed and "edges" in frames:
        frames["edges"] = with_written_numbers(frames["edges"], reading, notes)
    return frames


def _clean_nodes(
    frames: Mapping[str, Frame],
    reading: Reading,
    notes: list[str],
    *,
    node_features: Sequence[str] | None,
) -> tuple[Frame | None, list[str]]:
    """The node table with each node once and no missing numbers, and the columns with such."""
    nodes = frames.get("nodes")
    if nodes is None:
        return None, []
    nodes = clean_table(nodes, ["node_id"], reading, notes, weighted=False)
    nodes = drop_repeated_nodes(nodes, reading, notes)
    nodes, odd_rows = read_numbers(nodes, reading, notes, chosen=node_features)
    return fill_features(nodes, reading, notes, chosen=node_features, odd_rows=odd_rows)


def node_ids(graph: Graph) -> IdSpace:
    """The ids of the nodes of a graph."""
    return IdSpace(np.arange(graph.num_nodes) if graph.names is None else graph.names.arrow)


def build_graph(
    edges: Frame,
    nodes: Frame | None,
    reading: Reading,
    notes: list[str],
    *,
    node_features: Sequence[str] | None = None,
    imputed: Sequence[str] = (),
) -> tuple[IdSpace, Graph]:
    """The graph of an edge table (and a node table), and the ids of its nodes.

    Args:
        edges: The edges.
        nodes: The node table, clean.
        reading: What to do about problems; takes them.
        notes: Takes sentences about what was done.
        node_features: The columns of the node table that become features; None: all with numbers.
        imputed: Those whose missing numbers were filled.
    """
    edges = clean_table(edges, ["source", "target"], reading, notes, weighted=False)
    source, target = edges.ids("source"), edges.ids("target")
    titles, features = None, NodeFeatures(None, {}, ())
    if nodes is None:
        if not len(source) and not reading.problems.open:
            raise edges.error("the graph has no edges: the edges table has no rows.")
        space = IdSpace.sorted(concat([source, target]))
    else:
        space = IdSpace.in_order(nodes.ids("node_id"))
        text = nodes.text("title")
        titles = None if text is None else Names(text)
        if node_features is not None:
            node_features = [*node_features, *map(flag_name, imputed)]
        features = read_features(nodes, reading.problems, node_features)
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
            message=f"edge {edges.row(rows[0])} ends at node {end[rows[0]].as_py()!r}, which the"
            " nodes table does not have.",
        )
    weighted = with_usable_weights(edges, reading, notes)
    if reading.options.directed:
        weighted = with_usable_features(weighted, reading, notes)
    if weighted.rows is not None:  # rows were dropped, whose nodes stay
        ends = [space.find(weighted.ids(ours)) for ours in ("source", "target")]
    common = dict[str, Any](num_nodes=len(space), names=space.names(), titles=titles)
    common |= {"imputed": imputed_places(imputed, features.places)}
    join = _join_arcs if reading.options.directed else _join_edges
    graph, edge_changes = join(
        weighted, ends, space, reading, {**common, "features": features.values}
    )
    notes += [*features.notes, *edge_changes]
    return space, graph


def _join_arcs(
    edges: Frame, ends: list[Array], space: IdSpace, reading: Reading, common: dict[str, Any]
) -> tuple[Graph, list[Note]]:
    """The graph of directed edges, and notes; arguments as of :func:`_join_edges`."""
    features, names = read_arc_features(edges)
    try:
        arcs = Arcs(ends[0], ends[1], edges.weights(), features, names)
        graph = Graph.from_arcs(arcs, **common)
    except DataError as error:
        raise edges.error(str(error)) from None
    return graph, list(arc_notes(arcs, graph))


def _join_edges(
    edges: Frame, ends: list[Array], space: IdSpace, reading: Reading, common: dict[str, Any]
) -> tuple[Graph, list[Note]]:
    """The graph of undirected edges, and notes about what became of them.

    Args:
        edges: The table, whose weights are usable.
        ends: Positions of sources and targets.
        space: The ids of the nodes.
        reading: What edges that are given again mean; takes problems.
        common: What the graph has besides edges.
    """
    weights, repeated = edges.weights(), reading.options.repeated
    if repeated == "same" and weights is not None:
        clash = conflicting_weights(ends, weights)
        if len(clash):
            reading.problems.add(_weight_conflict(edges, clash))
            repeated = "max"  # to go on; nothing comes of it
    try:
        merged = undirected(
            *ends, weights=weights, repeated=repeated, name=lambda i: space.text()[i]
        )
        graph = Graph.from_undirected(merged, **common)
    except DataError as error:
        raise edges.error(str(error)) from None
    notes = list[Note]()
    if repeated == reading.options.repeated and (merged.repeats or len(merged.loops)):
        notes += edge_notes(merged, repeated, space.shown())
    return graph, notes


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
