"""Tables of members, and of nodes that are excluded from subgraphs, as pairs of positions."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.notes import Note, doubtful
from ..base.plural import plural
from ..base.ragged import Array
from .clean_tables import drop_rows, join_texts, row_texts
from .frames import Frame
from .graph import Graph
from .ids import IdSpace
from .lost_names import LostNames
from .node_names import match_members
from .reading_notes import excluded_dropped, members_dropped, members_merged, subgraphs_omitted
from .reading_options import Reading
from .subgraphs import Subgraphs

# What a column ``excluded`` may say, in any case.
_SIGN_WORDS = {
    **dict.fromkeys(("true", "1", "yes", "y", "t", "excluded", "absent", "-"), True),
    **dict.fromkeys(("false", "0", "no", "n", "f", "observed", "present", "+", ""), False),
}


@dataclass
class MemberPairs:
    """Pairs of subgraph and node while members are put together, and which subgraphs to keep.

    ``rows`` are the rows of the table that the pairs are from.
    """

    space: IdSpace
    subgraph: Array
    node: Array
    weights: Array | None
    keep: Array
    rows: Array
    notes: list[str] = field(default_factory=list)

    def select(self, keep: Array) -> None:
        """Leave only the pairs of a mask."""
        self.subgraph, self.node, self.rows = self.subgraph[keep], self.node[keep], self.rows[keep]
        self.weights = None if self.weights is None else self.weights[keep]

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
        rows=np.arange(len(who)),
    )
    if graph is not None and nodes is not None:
        sets.node, notes = match_members(graph, what, sets.node)
        sets.notes += notes
    lost = sets.node < 0
    if not lost.any():
        return sets
    rows, policy = np.flatnonzero(lost), reading.options.unknown_nodes
    hit = np.unique(sets.subgraph[lost])
    lost_names = LostNames.of(None if nodes is None else graph, what.take(pa.array(rows)))
    kind = "unknown or ambiguous member" if lost_names.is_ambiguous.any() else "unknown member"
    notes = _report_lost(members, rows, lost_names, reading, graph=graph)
    if policy == "ignore-subgraph":
        sets.keep[hit] = False
        why = f"with {plural(len(rows), kind)}"
        sets.notes.append(subgraphs_omitted(sets.names_of(hit), why))
    else:
        sets.notes += notes
    sets.select(~lost)
    empty = sets.keep & (np.bincount(sets.subgraph, minlength=len(space)) == 0)
    if empty.any():
        sets.keep[empty] = False
        names = sets.names_of(np.flatnonzero(empty))
        sets.notes.append(subgraphs_omitted(names, "without a known member"))
    return sets


def _report_lost(
    members: Frame, rows: Array, names: LostNames, reading: Reading, *, graph: Graph | None
) -> list[Note]:
    """Note members that no node is meant by as problems, and say that they were dropped.

    Args:
        members: The table of members.
        rows: Their rows.
        names: What may be meant by them.
        reading: What to do about them; takes the problems.
        graph: Whose nodes they may be; None: positions.
    """
    notes, policy = list[Note](), reading.options.unknown_nodes
    who, what = members.ids("subgraph_id"), members.ids("node_id")
    for kind, some in (("unknown", ~names.is_ambiguous), ("ambiguous", names.is_ambiguous)):
        own, hints = rows[some], names.take(some).hints
        if not len(own):
            continue
        sets = len(pc.unique(who.take(pa.array(own))))
        pairs = [(who[row].as_py(), what[row].as_py()) for row in own[:3].tolist()]
        counts = f"({plural(len(own), f'{kind} member')} in {plural(sets, 'subgraph')})"
        subgraph, node = map(repr, pairs[0])
        message = f"subgraph {subgraph} has the node {node}, which is not in the graph{hints[0]}"
        if kind == "ambiguous":
            choice = hints[0].removeprefix(" (").removesuffix(")")
            message = f"subgraph {subgraph} has the name {node}, which {choice}"
        reading.problems.add(
            members.problem(
                f"{kind} member",
                f"{message} {counts}.",
                own,
                values=join_texts(row_texts(members, own), hints, between=""),
                option="--unknown-nodes drop" if len(own) < len(what) else "",
                outcome={"error": "", "drop": "dropped"}.get(policy, "subgraph omitted"),
            )
        )
        notes.append(members_dropped(pairs, len(own), sets, kind=kind, hints=hints))
        if graph is not None and kind == "unknown" and 2 * len(own) > len(what) > 1:
            nodes_called = graph.ids()[0].as_py()
            text = (
                f"{len(own):,} of {plural(len(what), 'member')} are unknown: the nodes of the graph"
                f" are called as {nodes_called!r}; --aliases FILE gives other names of nodes."
            )
            notes.append(doubtful(text))
            reading.problems.notes.append(doubtful(text))
    return notes


def build_subgraphs(
    members: Frame, sets: MemberPairs, nodes: IdSpace, reading: Reading
) -> Subgraphs:
    """Pairs as subgraphs, repeated ones merged; a note says so.

    Args:
        members: The table that the pairs are from.
        sets: The pairs; takes notes.
        nodes: How nodes are called.
        reading: What to do about a member that is given again with another weight.
    """
    if sets.weights is not None:
        _drop_other_weights(members, sets, reading)
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


def _drop_other_weights(members: Frame, sets: MemberPairs, reading: Reading) -> None:
    """Leave the first weight of members that are given again with another one."""
    assert sets.weights is not None  # for mypy
    key = sets.subgraph * (int(sets.node.max(initial=0)) + 1) + sets.node
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    weights = sets.weights.astype(np.float32)
    other = weights != weights[first[inverse]]
    if not other.any():
        return
    who = sets.space.text()[int(sets.subgraph[np.argmax(other)])]
    what = members.need("node_id")[int(sets.rows[np.argmax(other)])].as_py()
    drop_rows(
        members,
        sets.rows[other],
        reading,
        sets.notes,
        kind="second weight",
        message=f"subgraph {who!r} has the node {what!r} with two different weights.",
    )
    sets.select(~other)


def read_signs(column: pa.Array) -> pa.Array:
    """Which rows are excluded nodes, by the words of a column; null where a word says neither."""
    texts = column.cast(pa.large_string()).fill_null("")
    words = pc.utf8_lower(pc.utf8_trim_whitespace(texts)).dictionary_encode()
    signs = [_SIGN_WORDS.get(word) for word in words.dictionary.to_pylist()]
    return pa.array(signs, pa.bool_()).take(words.indices)


def sign_problem(value: object) -> str:
    """What is wrong with a value of the column ``excluded``."""
    return f"the column 'excluded' has {value!r}; it says true or false."


def split_by_sign(
    members: Frame, excluded: Frame | None, reading: Reading, notes: list[str]
) -> tuple[Frame, Frame | None]:
    """Members and excluded nodes, where the table of members tells them apart by a column.

    Args:
        members: The table of members.
        excluded: The table of excluded nodes, which is not beside such a column.
        reading: What to do about rows that say neither; takes the problem.
        notes: Takes the sentence about it.
    """
    column = members.get("excluded")
    if column is None:
        return members, excluded
    if excluded is not None:
        raise members.error(
            "excluded nodes are given twice: by a column of the members table and by a table."
        )
    absent = read_signs(column.combine_chunks())
    if absent.null_count:
        rows = np.flatnonzero(np.asarray(absent.is_null()))
        words = column.take(pa.array(rows)).combine_chunks()
        members = drop_rows(
            members,
            rows,
            reading,
            notes,
            kind="unclear row",
            message=f"row {rows[0] + 1}: {sign_problem(words[0].as_py())}",
            values=join_texts(row_texts(members, rows), " (excluded: ", words, ")", between=""),
        )
        absent = absent.drop_null()
    is_absent = np.asarray(absent)
    return members.filter(~is_absent), members.filter(is_absent)


def read_excluded(
    excluded: Frame | None,
    members: Subgraphs,
    *,
    sets: MemberPairs,
    nodes: IdSpace,
    reading: Reading,
    graph: Graph | None = None,
) -> Subgraphs | None:
    """Excluded nodes of the subgraphs; those that are members too, or of no subgraph, are dropped.

    Args:
        excluded: The table; None: there is none.
        members: The subgraphs by their members.
        sets: How the subgraphs are called; gets the notes.
        nodes: How nodes are called.
        reading: What becomes of nodes that the graph does not have; ``ignore-subgraph`` drops them.
        graph: Whose other names of nodes they may be given by; None: by ids only.
    """
    if excluded is None:
        return None
    who, what = excluded.ids("subgraph_id"), excluded.ids("node_id")
    rows = np.arange(len(who))
    pairs = MemberPairs(
        sets.space, sets.space.find(who), nodes.find(what), excluded.weights(), sets.keep, rows
    )
    if graph is not None:
        pairs.node, notes = match_members(graph, what, pairs.node)
        sets.notes += notes
    lost = pairs.node < 0
    nowhere = ~lost & (pairs.subgraph < 0)
    size = len(nodes)
    keys = members.owner * size + members.nodes
    both = ~lost & ~nowhere & np.isin(pairs.subgraph * size + pairs.node, keys)
    dropped = reading.options.unknown_nodes != "error"
    for some, kind, why, option in (
        (lost, "unknown excluded node", "unknown to the graph", "--unknown-nodes drop"),
        (nowhere, "excluded node without members", "of a subgraph without members", ""),
        (both, "excluded member", "a member too", ""),
    ):
        at = np.flatnonzero(some)
        if not len(at):
            continue
        first = (who[int(at[0])].as_py(), what[int(at[0])].as_py())
        names = LostNames.of(graph if some is lost else None, what.take(pa.array(at)))
        reading.problems.add(
            excluded.problem(
                kind,
                f"subgraph {first[0]!r} excludes the node {first[1]!r}, which is"
                f" {'not in the graph' if some is lost else why}{names.hints[0]}"
                f" ({plural(len(at), 'excluded node')} so).",
                at,
                values=join_texts(row_texts(excluded, at), names.hints, between=""),
                option=option,
                outcome="dropped" if dropped or not option else "",
            )
        )
        examples = [(who[row].as_py(), what[row].as_py()) for row in at[:3].tolist()]
        sets.notes += excluded_dropped(examples, len(at), why)
    pairs.select(~(lost | nowhere | both))
    absent = build_subgraphs(excluded, pairs, nodes, reading)
    sets.notes += pairs.notes
    return absent
