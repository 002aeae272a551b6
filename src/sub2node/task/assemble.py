"""Tables of edges, members, labels and nodes → one checked task.

Every format is read into these tables, so ids, policies and errors are the same for all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pyarrow as pa

from ..base.errors import ConfigError, DataError
from ..base.notes import Note
from ..base.plural import plural
from ..base.ragged import Array, pointers
from .background import within_background
from .edges import Repeated, undirected
from .frames import Frame, TableLike, check_mapping
from .graph import Graph
from .ids import IdSpace, concat
from .labels import NA_WORDS, NaLabels, read_labels, used_classes
from .learnable import require_learnable
from .names import Names
from .node_features import check_chosen, read_features
from .node_names import match_members
from .other_names import read_other_names
from .reading_notes import (
    classes_omitted,
    edge_notes,
    members_dropped,
    members_merged,
    na_classes_kept,
    own_edges_changed,
    subgraphs_omitted,
    unused_columns,
)
from .split import Split
from .subgraphs import Subgraphs
from .task import SubgraphTask
from .task_checks import renumber_order

UnknownNodes = Literal["error", "drop", "ignore-subgraph"]


@dataclass
class _MemberPairs:
    """Pairs of subgraph and node while members are put together, and which subgraphs to keep."""

    space: IdSpace
    subgraph: Array
    node: Array
    weights: Array | None
    keep: Array
    notes: list[str] = field(default_factory=list)

    def names_of(self, subgraphs: Array) -> list[str]:
        """How messages call some subgraphs."""
        name = self.space.shown()
        return [name(int(subgraph)) for subgraph in subgraphs]


def assemble(
    edges: TableLike | Graph,
    members: TableLike,
    labels: TableLike | None = None,
    *,
    nodes: TableLike | None = None,
    subgraph_edges: TableLike | None = None,
    aliases: TableLike | None = None,
    columns: Mapping[str, str] | None = None,
    unknown_nodes: UnknownNodes = "error",
    repeated: Repeated = "same",
    na_labels: NaLabels = "missing",
    node_features: Sequence[str] | None = None,
    background: pa.Array | None = None,
    name: str = "",
    paths: Mapping[str, str | Path] | None = None,
    by_position: bool = False,
    classes: tuple[str, ...] = (),
    strict: bool = True,
    notes: tuple[str, ...] = (),
) -> SubgraphTask:
    """Make a task from tables; arguments as in :meth:`SubgraphTask.from_tables`.

    Args:
        edges: A table, or a ready :class:`Graph`.
        members: The table of members.
        labels: The table of labels.
        background: Ids of the universe, text: nodes outside of it are omitted with their edges.
        paths: The file each table came from, for error messages.
        by_position: The node ids are positions, whatever names the graph has.
        classes: All classes in order, where they are known; else those that occur, sorted.
        strict: Whether to refuse what nothing can be learned from: no edges, no subgraphs, a class
            without a training subgraph.
        notes: Sentences to put before those that assembling adds.
    """
    if unknown_nodes not in get_args(UnknownNodes):
        raise ConfigError(
            f"unknown_nodes is one of {', '.join(get_args(UnknownNodes))}, not {unknown_nodes!r}."
        )
    if na_labels not in get_args(NaLabels):
        raise ConfigError(f"na_labels is missing or keep, not {na_labels!r}.")

    frames = []

    def frame(data: TableLike, what: str) -> Frame:
        path = (paths or {}).get(what)
        frames.append(Frame.of(data, what, columns or {}, None if path is None else str(path)))
        return frames[-1]

    edge_source = edges if isinstance(edges, Graph) else frame(edges, "edges")
    node_frame = None if nodes is None else frame(nodes, "nodes")
    member_frame = frame(members, "members")
    label_frame = None if labels is None else frame(labels, "labels")
    own_edges = None if subgraph_edges is None else frame(subgraph_edges, "subgraph_edges")
    alias_frame = None if aliases is None else frame(aliases, "aliases")
    check_mapping(columns or {}, frames)
    check_chosen(node_features, has_nodes=node_frame is not None)
    space, graph, graph_notes = build_graph(
        edge_source, node_frame, repeated=repeated, node_features=node_features
    )
    if alias_frame is not None:
        graph = graph.renamed(read_other_names(alias_frame, graph.ids(), graph.other_names))
    if background is not None:
        graph, kept_note = within_background(graph, background)
        space, graph_notes = node_ids(graph), [*graph_notes, kept_note]
    if strict and not graph.num_edges:
        raise DataError(
            "the graph has no edges between different nodes; there is nothing to learn from.",
            path=(paths or {}).get("edges"),
        )
    if by_position:
        space = IdSpace(np.arange(graph.num_nodes))
    sets = _read_members(
        member_frame, space, unknown_nodes, graph=None if by_position else graph, strict=strict
    )
    values, class_names, split, titles, order, attributes, label_notes = read_labels(
        label_frame, sets.space, classes, na_labels=na_labels
    )
    if not classes:
        sets.notes += na_classes_kept([name for name in class_names if name in NA_WORDS])
    subgraphs = _build_subgraphs(member_frame, sets, space)
    if own_edges is not None:
        subgraphs = _with_own_edges(
            subgraphs, own_edges, sets=sets, nodes=space, unknown=unknown_nodes
        )
    subgraphs = _with_names(subgraphs, sets.space.names(), titles)
    if not sets.keep.all():
        remaining = np.flatnonzero(sets.keep)
        subgraphs = subgraphs.take(remaining)
        split = None if split is None else Split(split.codes[remaining])
        order = renumber_order(order, remaining)
        attributes = attributes.take(remaining)
        if values is not None:
            all_names = class_names
            values, class_names = used_classes(
                values[remaining], class_names, keep_all=bool(classes)
            )
            sets.notes += classes_omitted(all_names, class_names)
    if strict and not len(subgraphs):
        raise member_frame.error("no subgraph is left; the members table names no known node.")
    task = SubgraphTask(
        graph,
        subgraphs,
        labels=values,
        class_names=class_names,
        split=split,
        name=name,
        notes=(*notes, *unused_columns(frames), *label_notes, *graph_notes, *sets.notes),
        input_order=order,
        attributes=attributes,
    )
    if strict:
        require_learnable(task, parts=())
    return task


def node_ids(graph: Graph) -> IdSpace:
    """The ids of the nodes of a graph."""
    return IdSpace(np.arange(graph.num_nodes) if graph.names is None else graph.names.arrow)


def build_graph(
    edges: Frame | Graph,
    nodes: Frame | None,
    *,
    repeated: Repeated,
    node_features: Sequence[str] | None = None,
) -> tuple[IdSpace, Graph, list[Note]]:
    """The graph of an edge table (and a node table), the ids of its nodes, and notes."""
    if isinstance(edges, Graph):
        return node_ids(edges), edges, []
    source, target = edges.ids("source"), edges.ids("target")
    if nodes is None:
        if not len(source):
            raise edges.error("the graph has no edges: the edges table has no rows.")
        space = IdSpace.sorted(concat([source, target]))
        titles, features, notes = None, None, list[Note]()
    else:
        column = nodes.ids("node_id")
        space = IdSpace.in_order(column)
        if len(space) != len(column):
            raise nodes.error("a node is listed twice in the nodes table.")
        titles = nodes.text("title")
        titles = None if titles is None else Names(titles)
        features, notes = read_features(nodes, node_features)
    ends = [space.find(source), space.find(target)]
    for column, positions in zip((source, target), ends, strict=True):
        if (positions < 0).any():
            row = int(np.argmax(positions < 0))
            raise edges.error(
                f"edge {row + 1} ends at node {column[row].as_py()!r}, which the nodes table does"
                " not have."
            )
    weights = edges.weights()
    try:
        merged = undirected(
            *ends, weights=weights, repeated=repeated, name=lambda i: space.text()[i]
        )
        graph = Graph.from_undirected(
            merged, num_nodes=len(space), names=space.names(), titles=titles, features=features
        )
    except DataError as error:
        raise edges.error(str(error)) from None
    if merged.repeats or len(merged.loops):
        notes += edge_notes(merged, repeated, space.shown())
    return space, graph, notes


def _read_members(
    members: Frame, nodes: IdSpace, unknown: UnknownNodes, *, graph: Graph | None, strict: bool
) -> _MemberPairs:
    """Members as positions, the policy for unknown nodes applied.

    Members that are given by other names than ids are found by those of ``graph``.
    """
    who, what = members.ids("subgraph_id"), members.ids("node_id")
    if strict and not len(who):
        raise members.error("there are no subgraphs; the members table has no rows.")
    space = IdSpace.in_order(who)
    sets = _MemberPairs(
        space,
        subgraph=space.find(who),
        node=nodes.find(what),
        weights=members.weights(),
        keep=np.ones(len(space), bool),
    )
    if graph is not None:
        sets.node, notes = match_members(graph, what, sets.node)
        sets.notes += notes
    lost = sets.node < 0
    if not lost.any():
        return sets
    hit = np.unique(sets.subgraph[lost])
    unknown_count = plural(int(lost.sum()), "unknown member")
    counts = f"{unknown_count} in {plural(len(hit), 'subgraph')}"
    if unknown == "error":
        row = int(np.argmax(lost))
        raise members.error(
            f"subgraph {who[row].as_py()!r} has the node {what[row].as_py()!r}, which is not in the"
            f" graph ({counts}); unknown_nodes='drop' or 'ignore-subgraph' goes on without."
        )
    if unknown == "drop":
        some = np.flatnonzero(lost)[:3]
        pairs = [(who[row].as_py(), what[row].as_py()) for row in some.tolist()]
        sets.notes.append(members_dropped(pairs, int(lost.sum()), len(hit)))
    else:
        sets.keep[hit] = False
        sets.notes.append(subgraphs_omitted(sets.names_of(hit), f"with {unknown_count}"))
    sets.subgraph, sets.node = sets.subgraph[~lost], sets.node[~lost]
    sets.weights = None if sets.weights is None else sets.weights[~lost]
    empty = sets.keep & (np.bincount(sets.subgraph, minlength=len(space)) == 0)
    if empty.any():
        sets.keep[empty] = False
        names = sets.names_of(np.flatnonzero(empty))
        sets.notes.append(subgraphs_omitted(names, "without a known member"))
    return sets


def _build_subgraphs(members: Frame, sets: _MemberPairs, nodes: IdSpace) -> Subgraphs:
    count = len(sets.space)
    if sets.weights is not None:
        _check_member_weights(members, sets, nodes)
    subgraphs = Subgraphs.from_pairs(sets.subgraph, sets.node, count, weights=sets.weights)
    if len(sets.node) > len(subgraphs.nodes):
        sets.notes += members_merged(
            sets.subgraph,
            sets.node,
            subgraph_names=sets.space.shown(),
            node_names=nodes.shown(),
        )
    return subgraphs


def _check_member_weights(members: Frame, sets: _MemberPairs, nodes: IdSpace) -> None:
    """Raise unless weights are above 0, and the same one where a member is given again."""
    assert sets.weights is not None  # for mypy
    with np.errstate(over="ignore", under="ignore"):
        single = sets.weights.astype(np.float32)
    bad = np.flatnonzero(~(sets.weights > 0) | ~np.isfinite(sets.weights))
    extreme = np.flatnonzero(~(single > 0) | ~np.isfinite(single))
    order = np.lexsort((sets.weights, sets.node, sets.subgraph))
    one, two = order[:-1], order[1:]
    same = (sets.subgraph[one] == sets.subgraph[two]) & (sets.node[one] == sets.node[two])
    clash = one[same & (sets.weights[one] != sets.weights[two])]
    for rows, problem in (
        (bad, "a weight that is not finite and above 0"),
        (extreme, "a weight that is too large or too small for single precision"),
        (clash, "two different weights"),
    ):
        if len(rows):
            who = sets.space.text()[int(sets.subgraph[rows[0]])]
            what = nodes.text()[int(sets.node[rows[0]])]
            raise members.error(f"subgraph {who!r} has the node {what!r} with {problem}.")


def _with_names(subgraphs: Subgraphs, names: Names | None, titles: Names | None) -> Subgraphs:
    return replace(subgraphs, names=names, titles=titles)


def _with_own_edges(
    subgraphs: Subgraphs,
    frame: Frame,
    *,
    sets: _MemberPairs,
    nodes: IdSpace,
    unknown: UnknownNodes,
) -> Subgraphs:
    owner = sets.space.find(frame.ids("subgraph_id"))
    ends = np.stack([nodes.find(frame.ids("source")), nodes.find(frame.ids("target"))])
    lost = (owner < 0) | (ends < 0).any(axis=0)
    if lost.any() and unknown == "error":
        row = int(np.argmax(lost)) + 1
        raise frame.error(f"row {row} names a subgraph or node that the members do not have.")
    owner, ends = owner[~lost], np.sort(ends[:, ~lost], axis=0)
    loop = np.flatnonzero(ends[0] == ends[1])
    if len(loop):
        raise frame.error(f"node {nodes.text()[int(ends[0, loop[0]])]!r} is joined to itself.")
    table = np.unique(np.stack([owner, *ends], axis=1), axis=0)
    sets.notes += own_edges_changed(int(lost.sum()), len(owner) - len(table))
    counts = np.bincount(table[:, 0], minlength=len(subgraphs))
    try:
        return Subgraphs(
            subgraphs.ptr, subgraphs.nodes, subgraphs.weights, pointers(counts), table[:, 1:]
        )
    except DataError as error:
        raise frame.error(str(error)) from None
