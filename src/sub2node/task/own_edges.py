"""A table of edges of subgraphs, where they are not those of the graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..base.ragged import Array, pointers
from .clean_tables import drop_rows, row_texts
from .frames import Frame
from .graph import Graph
from .ids import IdSpace
from .member_pairs import MemberPairs
from .reading_notes import own_edges_changed
from .reading_options import Reading
from .subgraphs import Subgraphs


def with_own_edges(
    subgraphs: Subgraphs,
    frame: Frame,
    *,
    sets: MemberPairs,
    nodes: IdSpace,
    reading: Reading,
    graph: Graph | None = None,
) -> Subgraphs:
    """The subgraphs with the edges of a table; what is wrong with it is collected.

    Args:
        subgraphs: The subgraphs by their members.
        frame: The table of edges, each row of which has ids.
        sets: How the subgraphs are called; takes notes.
        nodes: How nodes are called.
        reading: What to do about rows that cannot be used; takes them.
        graph: Whose edges they are, where it is known by now.
    """
    frame, lost_count = _known_rows(frame, sets, nodes, reading)
    loops = np.flatnonzero(np.equal(*_ends(frame, nodes)))
    if len(loops):
        node = frame.need("source")[int(loops[0])].as_py()
        message = f"row {frame.row(loops[0])}: the node {node!r} is joined to itself."
        frame = drop_rows(frame, loops, reading, sets.notes, kind="self-loop", message=message)
    owner, ends = sets.space.find(frame.ids("subgraph_id")), _ends(frame, nodes)
    members = subgraphs.owner * len(nodes) + subgraphs.nodes
    inside = np.isin(owner * len(nodes) + ends, members).all(axis=0)
    if not inside.all():
        rows = np.flatnonzero(~inside)
        who = frame.need("subgraph_id")[int(rows[0])].as_py()
        message = f"row {frame.row(rows[0])} has an edge to a node that is no member of {who!r}."
        kind = "edge outside of its subgraph"
        frame = drop_rows(frame, rows, reading, sets.notes, kind=kind, message=message)
        owner, ends = owner[inside], ends[:, inside]
    if graph is not None and not (present := graph.has_edges(*ends)).all():
        rows = np.flatnonzero(~present)
        a, b = (frame.need(end)[int(rows[0])].as_py() for end in ("source", "target"))
        message = f"row {frame.row(rows[0])} has the edge {a}-{b}, which the graph does not have."
        kind = "edge outside of the graph"
        frame = drop_rows(frame, rows, reading, sets.notes, kind=kind, message=message)
        owner, ends = owner[present], ends[:, present]
    table = np.unique(np.stack([owner, *np.sort(ends, axis=0)], axis=1), axis=0)
    sets.notes += own_edges_changed(lost_count, len(owner) - len(table))
    counts = np.bincount(table[:, 0], minlength=len(subgraphs))
    return replace(
        subgraphs, edge_ptr=pointers(counts), edges=table[:, 1:], names=sets.space.names()
    )


def _ends(frame: Frame, nodes: IdSpace) -> Array:
    """Both ends of each edge as positions, -1 where a node is unknown; (2, E)."""
    return np.stack([nodes.find(frame.ids("source")), nodes.find(frame.ids("target"))])


def _known_rows(
    frame: Frame, sets: MemberPairs, nodes: IdSpace, reading: Reading
) -> tuple[Frame, int]:
    """Rows whose subgraph and nodes are known, and the number of others."""
    owner, ends = sets.space.find(frame.ids("subgraph_id")), _ends(frame, nodes)
    lost = (owner < 0) | (ends < 0).any(axis=0)
    rows = np.flatnonzero(lost)
    if not len(rows):
        return frame, 0
    reading.problems.add(
        frame.problem(
            "unknown edge end",
            f"row {frame.row(rows[0])} names a subgraph or node that the members do not have.",
            rows,
            values=row_texts(frame, rows),
            option="--unknown-nodes drop",
            outcome="" if reading.options.unknown_nodes == "error" else "dropped",
        )
    )
    return frame.filter(~lost), len(rows)
