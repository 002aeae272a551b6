"""Tables of members and labels → subgraphs and what is known of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.ragged import Array
from .attributes import SubgraphAttributes
from .clean_labels import clean_labels
from .clean_tables import clean_table
from .frames import Frame
from .graph import Graph
from .ids import IdSpace
from .label_spellings import with_one_spelling
from .labels import read_labels, used_classes
from .member_pairs import MemberPairs, build_subgraphs, read_excluded, split_by_sign
from .missing_values import NA_WORDS
from .node_lists import split_nodes
from .own_edges import with_own_edges
from .reading_notes import classes_omitted, na_classes_kept
from .reading_options import Reading
from .split import Split
from .subgraphs import Subgraphs
from .task import SubgraphTask
from .task_checks import renumber_order


class SubgraphTables(NamedTuple):
    """Tables about some of the subgraphs, clean."""

    members: Frame
    labels: Frame | None
    edges: Frame | None
    excluded: Frame | None = None

    def of(self, ids: pa.Array, *, others: bool = False) -> SubgraphTables:
        """The rows of these subgraphs, or of all others.

        Args:
            ids: Ids of subgraphs, text.
            others: Whether to take the rows of the others.
        """
        return SubgraphTables(
            *(None if frame is None else _rows_of(frame, ids, others) for frame in self)  # type: ignore[arg-type]
        )


def _rows_of(frame: Frame, ids: pa.Array, others: bool) -> Frame:
    column = frame.ids("subgraph_id").cast(pa.large_string())
    return frame.filter(np.asarray(pc.is_in(column, value_set=ids)) != others)


class SubgraphParts(NamedTuple):
    """Subgraphs and what is known of them, one entry per subgraph."""

    subgraphs: Subgraphs
    labels: Array | None
    class_names: tuple[str, ...]
    split: Split | None
    order: Array
    attributes: SubgraphAttributes
    notes: tuple[str, ...]

    def without_labels(self, graph: Graph, name: str) -> SubgraphTask | None:
        """A task that only asks; None where no subgraph is left."""
        if not len(self.subgraphs):
            return None
        return SubgraphTask(
            graph, self.subgraphs, name=name, input_order=self.order, attributes=self.attributes
        )


def clean_subgraphs(
    frames: Mapping[str, Frame], reading: Reading, notes: list[str], *, known_classes: bool
) -> tuple[SubgraphTables | None, SubgraphTables | None]:
    """The tables of subgraphs with labels, and of those without where they are kept.

    Where no subgraph has a label (there is no column of labels), all are among the first.

    Args:
        frames: The tables, by what their rows are.
        reading: What to do about problems; takes them.
        notes: Takes sentences about what was done.
        known_classes: Whether the classes are known, so that no word stands for a missing label.
    """
    members, labels, edges, excluded = (
        frames.get(what) for what in ("members", "labels", "subgraph_edges", "excluded")
    )
    if excluded is not None:
        excluded = split_nodes(excluded, reading, notes)
    if members is not None:
        with reading.problems.collected():
            members = split_nodes(members, reading, notes)
            members = clean_table(members, ["subgraph_id", "node_id"], reading, notes)
            members, excluded = split_by_sign(members, excluded, reading, notes)
    if excluded is not None:
        with reading.problems.collected():
            excluded = clean_table(excluded, ["subgraph_id", "node_id"], reading, notes)
    if edges is not None:
        with reading.problems.collected():
            ids = ["subgraph_id", "source", "target"]
            edges = clean_table(edges, ids, reading, notes, weighted=False)
    if members is None or not _has(members, "subgraph_id", "node_id"):
        if labels is not None:
            with reading.problems.collected():
                labels.need("subgraph_id")
        return None, None
    tables = SubgraphTables(members, labels, edges, excluded)
    if labels is None or not len(members.table):
        return tables._replace(labels=None), None
    with reading.problems.collected():
        words = frozenset[str]() if known_classes else reading.options.missing_labels
        known = clean_labels(labels, members, reading, notes, na_words=words)
        if not known_classes and known.labels.get("label") is not None:
            known = known._replace(labels=with_one_spelling(known.labels, reading, notes))
        if not len(known.unlabelled):
            return tables._replace(labels=known.labels), None
        apart = tables._replace(labels=_plain_labels(labels, known.unlabelled))
        kept = tables._replace(labels=known.labels).of(known.unlabelled, others=True)
        drop = reading.options.unlabelled == "drop"
        return kept, None if drop else apart.of(known.unlabelled)
    return tables._replace(labels=None), None


def _has(frame: Frame, *names: str) -> bool:
    return all(frame.column_name(ours) is not None for ours in names)


def _plain_labels(labels: Frame, ids: pa.Array) -> Frame:
    """One row for each of these subgraphs, without label and part, perhaps empty."""
    own = [labels.column_name(ours) for ours in ("label", "split")]
    names = [name for name in labels.table.column_names if name not in own]
    have = labels.need("subgraph_id").combine_chunks().cast(pa.large_string())
    rows = pc.index_in(ids, value_set=have)
    columns = {name: labels.table[name].combine_chunks().take(rows) for name in names}
    columns[str(labels.column_name("subgraph_id"))] = ids
    return replace(labels, table=pa.table(columns), rows=None, lines=None)


def build_sets(
    tables: SubgraphTables,
    sets: MemberPairs,
    nodes: IdSpace,
    reading: Reading,
    *,
    graph: Graph | None = None,
) -> Subgraphs:
    """Subgraphs with their excluded nodes and edges, from clean tables; problems are collected.

    Args:
        tables: The tables.
        sets: Their members as positions; takes notes.
        nodes: How nodes are called.
        reading: What to do about rows that cannot be used; takes them.
        graph: Whose other names excluded nodes may be given by, and whose edges subgraphs have.
    """
    subgraphs = build_subgraphs(tables.members, sets, nodes, reading)
    absent = read_excluded(
        tables.excluded, subgraphs, sets=sets, nodes=nodes, reading=reading, graph=graph
    )
    if tables.edges is not None:
        subgraphs = with_own_edges(
            subgraphs, tables.edges, sets=sets, nodes=nodes, reading=reading, graph=graph
        )
    return replace(subgraphs, names=sets.space.names(), excluded=absent)


def build_parts(
    tables: SubgraphTables,
    sets: MemberPairs,
    subgraphs: Subgraphs,
    reading: Reading,
    *,
    classes: tuple[str, ...] = (),
) -> SubgraphParts:
    """Subgraphs with what the labels table says, without those that lost all their members.

    Args:
        tables: The tables.
        sets: How the subgraphs are called, and which to keep.
        subgraphs: What :func:`build_sets` made of them.
        reading: Which labels are missing.
        classes: All classes in order, where they are known.
    """
    words = frozenset[str]() if classes else reading.options.missing_labels
    values, class_names, split, titles, order, attributes, label_notes = read_labels(
        tables.labels, sets.space, classes, na_words=words
    )
    if not classes:
        sets.notes += na_classes_kept([name for name in class_names if name in NA_WORDS])
    subgraphs = replace(subgraphs, titles=titles)
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
    notes = (*label_notes, *sets.notes)
    return SubgraphParts(subgraphs, values, class_names, split, order, attributes, notes)
