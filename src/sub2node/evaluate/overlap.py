"""Overlap of parts: whether subgraphs of val and test were seen in training already."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..ragged import Array, blocks, distinct
from ..task import Part, SubgraphTask

SIMILAR = 0.5  # Jaccard index from which two node sets count as nearly the same
_PIECE = 1 << 22  # shared nodes looked at together


@dataclass(frozen=True)
class Overlap:
    """What one part has in common with another, by node sets.

    Args:
        part: The one that is looked at; ``any``: all subgraphs.
        known: The one it is held against; ``any``: all the other subgraphs.
        subgraphs: In ``part``.
        equal: Of them, how many have exactly the nodes of a subgraph of ``known``.
        contained: How many have all their nodes in one subgraph of ``known``, equal ones included.
        similar: How many share half of the union (Jaccard index) or more with one, likewise.
        nodes: Different nodes in subgraphs of ``part``.
        shared_nodes: How many of those occur in subgraphs of ``known`` too.
    """

    part: str
    known: str
    subgraphs: int
    equal: int
    contained: int
    similar: int
    nodes: int
    shared_nodes: int

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def overlaps(task: SubgraphTask, *, splits: bool = False) -> tuple[Overlap, ...]:
    """Val and test against train, and test against val.

    Args:
        task: With a split.
        splits: The parts change from one random split to the next; so all subgraphs are held
            against all others instead.
    """
    real = np.ones(len(task), bool) if task.split is None else ~task.split.mask("virtual")
    if splits or task.split is None:
        everything = np.flatnonzero(real)
        return (_overlap(task, "any", "any", everything, everything),)
    pairs: tuple[tuple[Part, Part], ...] = (("val", "train"), ("test", "train"), ("test", "val"))
    return tuple(
        _overlap(task, part, known, *(np.flatnonzero(task.split.mask(p)) for p in (part, known)))
        for part, known in pairs
        if task.split.count(part) and task.split.count(known)
    )


def _overlap(task: SubgraphTask, part: str, known: str, here: Array, there: Array) -> Overlap:
    """Counts from M_here M_thereᵀ, the nodes that two sets share, in pieces of bounded size."""
    members = task.subgraphs.membership(task.graph.num_nodes)
    members.data = np.ones(len(members.data), np.float32)  # sets, whatever the weights
    sizes, self_pairs = task.subgraphs.sizes, part == known
    ours, theirs = members[here], members[there].T.tocsr()
    seen = np.diff(theirs.indptr)  # subgraphs of `known` that each node is in
    work = np.add.reduceat(seen[ours.indices], ours.indptr[:-1]) if len(here) else seen[:0]
    found = np.zeros((3, len(here)), bool)
    for start, stop in blocks(work, _PIECE):
        shared = (ours[start:stop] @ theirs).tocoo()
        row, column = shared.coords
        own, other = sizes[here[start + row]], sizes[there[column]]
        both = shared.data.astype(np.int64)
        inside = both == own
        hits = (inside & (both == other), inside, both >= SIMILAR * (own + other - both))
        different = here[start + row] != there[column] if self_pairs else np.ones(len(row), bool)
        for kind, hit in enumerate(hits):
            found[kind, start + row[hit & different]] = True
    nodes = distinct(ours.indices)
    shared_nodes = int((seen[nodes] > (1 if self_pairs else 0)).sum())
    equal, contained, similar = found.sum(axis=1).tolist()
    return Overlap(part, known, len(here), equal, contained, similar, len(nodes), shared_nodes)
