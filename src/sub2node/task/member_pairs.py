"""Tables of members, and of nodes that are excluded from subgraphs, as pairs of positions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.plural import plural
from ..base.ragged import Array
from .frames import Frame
from .graph import Graph
from .ids import IdSpace
from .node_names import match_members
from .reading_notes import excluded_dropped, members_dropped, members_merged, subgraphs_omitted
from .subgraphs import Subgraphs

UnknownNodes = Literal["error", "drop", "ignore-subgraph"]
# What a column ``excluded`` may say, in any case.
_SIGN_WORDS = {
    **dict.fromkeys(("true", "1", "yes", "y", "t", "excluded", "absent", "-"), True),
    **dict.fromkeys(("false", "0", "no", "n", "f", "observed", "present", "+", ""), False),
}


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
    members: Frame, nodes: IdSpace, unknown: UnknownNodes, *, graph: Graph | None, strict: bool
) -> MemberPairs:
    """Members as positions, the policy for unknown nodes applied.

    Args:
        members: The table of members.
        nodes: How nodes are called.
        unknown: What becomes of nodes that the graph does not have.
        graph: Whose other names of nodes members may be given by; None: by ids only.
        strict: Whether a table without rows is an error.
    """
    who, what = members.ids("subgraph_id"), members.ids("node_id")
    if strict and not len(who):
        raise members.error("there are no subgraphs; the members table has no rows.")
    space = IdSpace.in_order(who)
    sets = MemberPairs(
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


def build_subgraphs(members: Frame, sets: MemberPairs, nodes: IdSpace) -> Subgraphs:
    """Pairs as subgraphs, repeated ones merged; a note says so."""
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


def _check_member_weights(members: Frame, sets: MemberPairs, nodes: IdSpace) -> None:
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


def read_signs(column: pa.Array) -> pa.Array:
    """Which rows are excluded nodes, by the words of a column; null where a word says neither."""
    texts = column.cast(pa.large_string()).fill_null("")
    words = pc.utf8_lower(pc.utf8_trim_whitespace(texts)).dictionary_encode()
    signs = [_SIGN_WORDS.get(word) for word in words.dictionary.to_pylist()]
    return pa.array(signs, pa.bool_()).take(words.indices)


def sign_problem(value: object) -> str:
    """What is wrong with a value of the column ``excluded``."""
    return f"the column 'excluded' has {value!r}; it says true or false."


def split_by_sign(members: Frame, excluded: Frame | None) -> tuple[Frame, Frame | None]:
    """Members and excluded nodes, where the table of members tells them apart by a column."""
    column = members.get("excluded")
    if column is None:
        return members, excluded
    if excluded is not None:
        raise members.error(
            "excluded nodes are given twice: by a column of the members table and by a table."
        )
    absent = read_signs(column.combine_chunks())
    if absent.null_count:
        row = int(np.argmax(np.asarray(absent.is_null())))
        raise members.error(f"row {row + 1}: {sign_problem(column[row].as_py())}")
    present = members.table.filter(pc.invert(absent))
    return replace(members, table=present), replace(members, table=members.table.filter(absent))


def read_excluded(
    excluded: Frame | None,
    members: Subgraphs,
    *,
    sets: MemberPairs,
    nodes: IdSpace,
    unknown: UnknownNodes,
    graph: Graph | None = None,
) -> Subgraphs | None:
    """Excluded nodes of the subgraphs; those that are members too, or of no subgraph, are dropped.

    Args:
        excluded: The table; None: there is none.
        members: The subgraphs by their members.
        sets: How the subgraphs are called; gets the notes.
        nodes: How nodes are called.
        unknown: What becomes of nodes that the graph does not have; ``ignore-subgraph`` drops them.
        graph: Whose other names of nodes they may be given by; None: by ids only.
    """
    if excluded is None:
        return None
    who, what = excluded.ids("subgraph_id"), excluded.ids("node_id")
    pairs = MemberPairs(
        sets.space, sets.space.find(who), nodes.find(what), excluded.weights(), sets.keep
    )
    if graph is not None:
        pairs.node, notes = match_members(graph, what, pairs.node)
        sets.notes += notes
    lost = pairs.node < 0
    if lost.any() and unknown == "error":
        row = int(np.argmax(lost))
        raise excluded.error(
            f"subgraph {who[row].as_py()!r} excludes the node {what[row].as_py()!r}, which is not"
            f" in the graph ({plural(int(lost.sum()), 'unknown node')}); unknown_nodes='drop' goes"
            " on without."
        )
    size = len(nodes)
    nowhere = ~lost & (pairs.subgraph < 0)
    keys = members.owner * size + members.nodes
    both = ~lost & ~nowhere & np.isin(pairs.subgraph * size + pairs.node, keys)
    for rows, why in (
        (lost, "unknown to the graph"),
        (nowhere, "of a subgraph without members"),
        (both, "a member too"),
    ):
        some = np.flatnonzero(rows)[:3].tolist()
        examples = [(who[row].as_py(), what[row].as_py()) for row in some]
        sets.notes += excluded_dropped(examples, int(rows.sum()), why)
    kept = ~(lost | nowhere | both)
    pairs.subgraph, pairs.node = pairs.subgraph[kept], pairs.node[kept]
    pairs.weights = None if pairs.weights is None else pairs.weights[kept]
    absent = build_subgraphs(excluded, pairs, nodes)
    sets.notes += pairs.notes
    return absent
