"""Sentences about what reading did to the data: omitted, merged, exchanged, with examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ..base.notes import Note, NoteKind, changed, dropped, unused
from ..base.plural import examples, plural
from ..base.ragged import Array, repeated_entries
from .arc_features import number_columns
from .arcs import Arcs
from .column_names import fold, words_taken
from .edges import Edges, Repeated
from .frames import Frame
from .graph import Graph

_MERGED = {
    "same": "merged",
    "sum": "merged, their weights added up",
    "max": "merged, the largest weight kept",
}
# The columns that are read from each table; of nodes, every column of numbers is a feature, of
# labels, every column of text is an attribute.
_COLUMNS = {
    "edges": ("source", "target", "weight"),
    "members": ("subgraph_id", "node_id", "weight", "excluded"),
    "excluded": ("subgraph_id", "node_id", "weight"),
    "subgraph_edges": ("subgraph_id", "source", "target"),
}
# Words of a trade as names of columns, and what they say of the data.
_TRADES = {
    **dict.fromkeys(("payer", "payee", "account", "accountid", "accountno"), NoteKind.ACCOUNTS),
    **dict.fromkeys(("accountnumber", "alert", "alertid", "isfraud"), NoteKind.ACCOUNTS),
    **dict.fromkeys(("geneset", "genesetname", "gsname", "pathway", "gene"), NoteKind.GENES),
    **dict.fromkeys(("geneid", "genesymbol", "protein", "proteinid", "symbol"), NoteKind.GENES),
}
Name = Callable[[int], str]


def edge_notes(edges: Edges, repeated: Repeated, name: Name = str) -> Iterator[Note]:
    """Repeated edges and self-loops.

    Args:
        edges: The edges, each once.
        repeated: What an edge that is given again means.
        name: How to call the node at a position.
    """
    if edges.repeats:
        how = _MERGED[repeated if edges.weights is not None else "same"]
        pairs = (f"{name(int(a))} to {name(int(b))}" for a, b in edges.repeated_pairs)
        shown = examples(pairs, len(edges.repeated_pairs))
        yield changed(f"{plural(edges.repeats, 'repeated edge')} {how}: {shown}.")
    if count := len(edges.loops):
        shown = examples((name(int(node)) for node in edges.loops), count)
        yield changed(f"{plural(count, 'self-loop')} kept, but not counted as edges: {shown}.")


def arc_notes(arcs: Arcs, graph: Graph) -> Iterator[Note]:
    """Arcs that were kept, and the edges that they are."""
    kept = f"{plural(len(arcs), 'directed edge')} kept as they came"
    if names := arcs.feature_names:
        shown = examples(map(repr, names), len(names))
        kept += f", with {plural(len(names), 'feature')}: {shown}"
    weigh = "number" if arcs.weights is None else "sum"
    yield changed(f"{kept}; {plural(graph.num_edges, 'pair')} of nodes, which weigh their {weigh}.")


def unused_columns(frames: Sequence[Frame], *, directed: bool = False) -> Iterator[Note]:
    """Columns of tables that are not read.

    Args:
        frames: The tables.
        directed: Whether columns of numbers of the edges are read.
    """
    for frame in frames:
        if frame.what in _COLUMNS:
            used = {frame.column_name(ours) for ours in _COLUMNS[frame.what]}
            used |= set(number_columns(frame)) if directed and frame.what == "edges" else set()
            others = [name for name in frame.table.column_names if name not in used]
            yield from unread_columns(others, frame.what)


def named_by_words(frames: Sequence[Frame]) -> Iterator[str]:
    """Columns that were taken for ours because of what they are called."""
    for frame in frames:
        taken = words_taken(frame.table.column_names, frame.what, frame.columns)
        if taken:
            yield taken_by_words(taken, frame.what)


def taken_by_words(taken: Mapping[str, str], what: str) -> str:
    """Columns of one table that were taken for ours, as :func:`words_taken` gives them."""
    listed = ", ".join(f"'{name}' as {ours}" for name, ours in taken.items())
    text = f"Columns of the {what} table taken by their names: {listed}."
    kind = next((_TRADES[fold(name)] for name in taken if fold(name) in _TRADES), None)
    return text if kind is None else Note(kind, text)


def unread_columns(names: Sequence[str], what: str) -> Iterator[Note]:
    """Columns of one table that are not read."""
    if names:
        shown = examples(map(repr, names), len(names))
        yield unused(f"{plural(len(names), 'column')} of the {what} table not used: {shown}.")


def attributes_merged(column: str, subgraphs: Array, name: Name) -> Iterator[Note]:
    """Subgraphs whose rows of the labels table differ in an attribute."""
    if count := len(subgraphs):
        shown = examples((name(int(subgraph)) for subgraph in subgraphs), count)
        yield changed(
            f"{plural(count, 'subgraph')} with several values of '{column}', the first kept:"
            f" {shown}."
        )


def unused_features(names: Sequence[str], why: str) -> Iterator[Note]:
    """Columns of the node table that are no features."""
    if names:
        shown = examples(map(repr, names), len(names))
        yield unused(f"{plural(len(names), 'node column')} not used ({why}): {shown}.")


def members_dropped(
    pairs: Sequence[tuple[object, object]],
    members: int,
    subgraphs: int,
    *,
    kind: str = "unknown",
    hints: Sequence[str] = (),
) -> Note:
    """Members that no node is meant by.

    Args:
        pairs: Some of them, as subgraph and node.
        members: How many there are.
        subgraphs: In how many subgraphs.
        kind: ``unknown`` or ``ambiguous``.
        hints: What may be meant by each.
    """
    shown = examples(
        (
            f"{node!r} in subgraph {subgraph!r}{hints[at] if hints else ''}"
            for at, (subgraph, node) in enumerate(pairs)
        ),
        members,
    )
    counts = f"{plural(members, f'{kind} member')} in {plural(subgraphs, 'subgraph')}"
    return dropped(f"{counts} dropped: {shown}.")


def excluded_dropped(
    pairs: Sequence[tuple[object, object]], count: int, why: str
) -> Iterator[Note]:
    """Excluded nodes that are of no use; ``pairs`` are some of them, as subgraph and node."""
    if count:
        shown = examples((f"{node!r} in subgraph {subgraph!r}" for subgraph, node in pairs), count)
        yield dropped(f"{plural(count, 'excluded node')} dropped ({why}): {shown}.")


def subgraphs_omitted(names: Sequence[str], why: str) -> Note:
    """Subgraphs that are omitted, as ``2 subgraphs without a known member omitted``."""
    shown = examples(names, len(names))
    return dropped(f"{plural(len(names), 'subgraph')} {why} omitted: {shown}.")


def classes_omitted(before: Sequence[str], after: Sequence[str]) -> Iterator[Note]:
    """Classes that no subgraph has any more."""
    lost = [name for name in before if name not in set(after)]
    if lost:
        shown = examples(map(repr, lost), len(lost))
        yield dropped(f"{plural(len(lost), 'class')} without a subgraph omitted: {shown}.")


def na_classes_kept(names: Sequence[str]) -> Iterator[Note]:
    """Classes that are called as missing values are."""
    if names:
        shown = examples(map(repr, names), len(names))
        verb = "reads" if len(names) == 1 else "read"
        yield changed(
            f"{plural(len(names), 'class')} kept that {verb} as a missing value: {shown}."
        )


def members_merged(
    subgraph: Array, node: Array, *, subgraph_names: Name, node_names: Name
) -> Iterator[Note]:
    """Members that a subgraph lists more than once."""
    again = repeated_entries(subgraph, node)
    if len(again):
        shown = examples(
            (
                f"{node_names(int(node[i]))} in subgraph {subgraph_names(int(subgraph[i]))}"
                for i in again
            ),
            len(again),
        )
        yield changed(f"{plural(len(again), 'repeated member')} merged: {shown}.")


def own_edges_changed(dropped_count: int, merged_count: int) -> Iterator[Note]:
    """Edges of subgraphs that are omitted because an end is unknown, or given again."""
    if dropped_count:
        yield dropped(f"{plural(dropped_count, 'edge')} of subgraphs with unknown ends dropped.")
    if merged_count:
        yield changed(f"{plural(merged_count, 'repeated edge')} of subgraphs merged.")


def parts_swapped(counts: Mapping[str, int]) -> Note:
    """Val and test exchanged."""
    return changed(
        f"Val ({counts['val']}) and test ({counts['test']}) swapped, as the public readers do where"
        " val is smaller."
    )
