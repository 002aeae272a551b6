"""The members table as pairs of positions, and as subgraphs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..base.plural import plural
from ..base.ragged import Array
from .clean_tables import row_texts
from .frames import Frame
from .graph import Graph
from .ids import IdSpace
from .node_names import match_members
from .reading_notes import members_dropped, members_merged, subgraphs_omitted
from .reading_options import Reading
from .subgraphs import Subgraphs


@dataclass
class MemberPairs:
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


def read_members(
    members: Frame,
    nodes: IdSpace | None,
    reading: Reading,
    *,
    graph: Graph | None = None,
    strict: bool,
) -> MemberPairs:
    """Members as positions, the policy for unknown nodes applied.

    Args:
        members: The table of members, clean.
        nodes: How nodes are called; None: the graph could not be read, and no node is looked up.
        reading: What to do about nodes that the graph does not have; takes the problem.
        graph: Members that are given by other names than ids are found by those of it.
        strict: Whether a table without rows is an error.
    """
    who, what = members.ids("subgraph_id"), members.ids("node_id")
    if strict and not len(who) and not reading.problems.open:
        raise members.error("there are no subgraphs; the members table has no rows.")
    space = IdSpace.in_order(who)
    sets = MemberPairs(
        space,
        subgraph=space.find(who),
        node=np.zeros(len(what), np.int64) if nodes is None else nodes.find(what),
        weights=members.weights(),
        keep=np.ones(len(space), bool),
    )
    if graph is not None and nodes is not None:
        sets.node, notes = match_members(graph, what, sets.node)
        sets.notes += notes
    lost = sets.node < 0
    if not lost.any():
        return sets
    rows, policy = np.flatnonzero(lost), reading.options.unknown_nodes
    hit = np.unique(sets.subgraph[lost])
    unknown_count = plural(len(rows), "unknown member")
    reading.problems.add(
        members.problem(
            "unknown member",
            f"subgraph {who[rows[0]].as_py()!r} has the node {what[rows[0]].as_py()!r}, which is"
            f" not in the graph ({unknown_count} in {plural(len(hit), 'subgraph')}).",
            rows,
            values=row_texts(members, rows),
            option="--unknown-nodes drop",
            outcome={"error": "", "drop": "dropped"}.get(policy, "subgraph omitted"),
        )
    )
    if policy == "ignore-subgraph":
        sets.keep[hit] = False
        sets.notes.append(subgraphs_omitted(sets.names_of(hit), f"with {unknown_count}"))
    else:
        pairs = [(who[row].as_py(), what[row].as_py()) for row in rows[:3].tolist()]
        sets.notes.append(members_dropped(pairs, len(rows), len(hit)))
    sets.subgraph, sets.node = sets.subgraph[~lost], sets.node[~lost]
    sets.weights = None if sets.weights is None else sets.weights[~lost]
    empty = sets.keep & (np.bincount(sets.subgraph, minlength=len(space)) == 0)
    if empty.any():
        sets.keep[empty] = False
        names = sets.names_of(np.flatnonzero(empty))
        sets.notes.append(subgraphs_omitted(names, "without a known member"))
    return sets


def build_subgraphs(members: Frame, sets: MemberPairs, nodes: IdSpace) -> Subgraphs:
    """Pairs as subgraphs, repeated ones merged; a note says so."""
    if sets.weights is not None:
        _check_repeated(members, sets, nodes)
    count = len(sets.space)
    subgraphs = Subgraphs.from_pairs(sets.subgraph, sets.node, count, weights=sets.weights)
    if len(sets.node) > len(subgraphs.nodes):
        sets.notes += members_merged(
            sets.subgraph,
            sets.node,
            subgraph_names=sets.space.shown(),
            node_names=nodes.shown(),
        )
    return subgraphs


def _check_repeated(members: Frame, sets: MemberPairs, nodes: IdSpace) -> None:
    """Raise unless a member that is given again has the same weight."""
    assert sets.weights is not None  # for mypy
    order = np.lexsort((sets.weights, sets.node, sets.subgraph))
    one, two = order[:-1], order[1:]
    same = (sets.subgraph[one] == sets.subgraph[two]) & (sets.node[one] == sets.node[two])
    clash = one[same & (sets.weights[one] != sets.weights[two])]
    if len(clash):
        who = sets.space.text()[int(sets.subgraph[clash[0]])]
        what = nodes.text()[int(sets.node[clash[0]])]
        raise members.error(f"subgraph {who!r} has the node {what!r} with two different weights.")
