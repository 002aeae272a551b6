"""Overlap of parts: whether subgraphs of val and test were seen in training already."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from ..base.ragged import Array, blocks, distinct
from ..base.records import Count
from ..task import Part, SubgraphTask

SIMILAR = 0.5  # Jaccard index from which two node sets count as nearly the same
_CHUNK = 1 << 22  # shared nodes processed together


@dataclass(frozen=True)
class Overlap:
    """What one part has in common with another, by node sets.

    Args:
        part: The part whose subgraphs are counted; ``any``: all subgraphs.
        known: The part it is compared with; ``any``: all the other subgraphs.
        subgraphs: Number of subgraphs in ``part``.
        equal: How many of them have exactly the nodes of a subgraph of ``known``.
        contained: How many have all their nodes in one subgraph of ``known``, equal ones included.
        similar: How many share half of the union (Jaccard index) or more with one, equal ones
            included.
        nodes: Different nodes in subgraphs of ``part``.
        shared_nodes: How many of those occur in subgraphs of ``known`` too.
    """

    part: str
    known: str
    subgraphs: Count
    equal: Count
    contained: Count
    similar: Count
    nodes: Count
    shared_nodes: Count

    def to_dict(self) -> dict[str, object]:
        """The fields, for JSON."""
        return asdict(self)


def overlaps(task: SubgraphTask, *, splits: bool = False) -> tuple[Overlap, ...]:
    """Compare val and test with train, and test with val.

    Args:
        task: The data, with a split.
        splits: Whether there are many random splits; the parts then change from one to the next,
            so all subgraphs are compared with all others instead.
    """
    real = np.ones(len(task), bool) if task.split is None else ~task.split.mask("virtual")
    if splits or task.split is None:
        everything = np.flatnonzero(real)
        return (_count_overlap(task, ("any", "any"), (everything, everything)),)
    pairs: tuple[tuple[Part, Part], ...] = (("val", "train"), ("test", "train"), ("test", "val"))
    return tuple(
        _count_overlap(
            task,
            (part, other),
            (np.flatnonzero(task.split.mask(part)), np.flatnonzero(task.split.mask(other))),
        )
        for part, other in pairs
        if task.split.count(part) and task.split.count(other)
    )


def _count_overlap(
    task: SubgraphTask, parts: tuple[str, str], positions: tuple[Array, Array]
) -> Overlap:
    """Count from M_part M_otherᵀ, the nodes that two sets share, in chunks of bounded size.

    Args:
        task: The data.
        parts: Names of the part that is counted and of the one it is compared with.
        positions: Positions of the subgraphs of the two parts.
    """
    (part, other_part), (rows, columns) = parts, positions
    members = task.subgraphs.membership(task.graph.num_nodes)
    members.data = np.ones(len(members.data), np.float32)  # sets, whatever the weights
    sizes, self_pairs = task.subgraphs.sizes, part == other_part
    own_members, other_members = members[rows], members[columns].T.tocsr()
    uses = np.diff(other_members.indptr)  # subgraphs of the other part that each node is in
    indices, starts = own_members.indices, own_members.indptr[:-1]
    work = np.add.reduceat(uses[indices], starts) if len(rows) else uses[:0]
    matches = np.zeros((3, len(rows)), bool)
    for start, stop in blocks(work, _CHUNK):
        shared = (own_members[start:stop] @ other_members).tocoo()
        row, column = shared.coords
        size, other_size = sizes[rows[start + row]], sizes[columns[column]]
        common = shared.data.astype(np.int64)
        inside = common == size
        similar = common >= SIMILAR * (size + other_size - common)
        hits = (inside & (common == other_size), inside, similar)
        different = (rows[start + row] != columns[column]) | (not self_pairs)
        for kind, hit in enumerate(hits):
            matches[kind, start + row[hit & different]] = True
    nodes = distinct(indices)
    shared_nodes = int((uses[nodes] > (1 if self_pairs else 0)).sum())
    equal_count, contained_count, similar_count = matches.sum(axis=1).tolist()
    return Overlap(
        part=part,
        known=other_part,
        subgraphs=len(rows),
        equal=equal_count,
        contained=contained_count,
        similar=similar_count,
        nodes=len(nodes),
        shared_nodes=shared_nodes,
    )
