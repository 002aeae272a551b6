"""Label conflicts: equal subgraphs with different labels, which no model can get right."""

from __future__ import annotations

import numpy as np

from ..base.plural import examples, plural
from ..base.ragged import Array, generator
from ..task import Subgraphs, SubgraphTask
from .check import Check, Verdict, grade, not_applicable, points

_NAME, _TITLE = "label_conflicts", "Equal subgraphs with different labels"
_PROBLEM = 0.05  # share of subgraphs in conflict from which it is a problem


def equal_sets(subgraphs: Subgraphs, num_nodes: int) -> Array:
    """One number for each different set of nodes (and edges, where they are given); int64 (M,).

    Sets are compared by sums of random 128-bit numbers of their nodes: different sets agree with a
    probability of about M² / 2^128.

    Args:
        subgraphs: The sets.
        num_nodes: Number of nodes of the graph.
    """
    keys = generator(0).integers(0, 1 << 63, (2, num_nodes), dtype=np.uint64)
    columns = [_sums(key[subgraphs.nodes], subgraphs.ptr) for key in keys]
    if subgraphs.edges is not None and subgraphs.edge_ptr is not None:
        low, high = subgraphs.edges.T
        turn, odd = np.uint64(31), np.uint64(0x9E3779B97F4A7C15)
        for key in keys:
            mixed = key[low] * odd ^ ((key[high] << turn) | (key[high] >> (np.uint64(64) - turn)))
            columns.append(_sums(mixed * odd, subgraphs.edge_ptr))
    columns.append(subgraphs.sizes.astype(np.uint64))
    table = np.stack(columns, axis=1)
    return np.asarray(np.unique(table, axis=0, return_inverse=True)[1]).ravel()


def _sums(values: Array, ptr: Array) -> Array:
    """Sums of each list modulo 2^64."""
    total = np.zeros(len(values) + 1, np.uint64)
    np.cumsum(values, out=total[1:])
    return np.asarray(total[ptr[1:]] - total[ptr[:-1]])


def check_label_conflicts(task: SubgraphTask) -> Check:
    """Count equal subgraphs with different labels, and the best score that they leave.

    Args:
        task: The data, with a split.
    """
    if task.labels is None:
        return not_applicable(
            _NAME, _TITLE, reason="the data has no labels.", advice="Nothing to do."
        )
    assert task.split is not None
    sets = equal_sets(task.subgraphs, task.graph.num_nodes)
    labels = task.labels
    if labels.ndim == 2:
        labels = np.asarray(np.unique(labels, axis=0, return_inverse=True)[1]).ravel()
    conflicting = _in_conflict(sets, labels)
    rows = np.flatnonzero(conflicting)
    test = task.split.mask("test")
    ceiling = _best_share(sets[test], labels[test])
    verdict = grade(len(rows) / max(len(task), 1), warning=1e-9, problem=_PROBLEM)
    found = (
        f"{len(rows):,} of {plural(len(task), 'subgraph')} equal to one with another label; at most"
        f" {points(ceiling)} % of test can be right"
    )
    if len(rows):
        names = (task.subgraphs.name_of(int(row)) for row in rows)
        found += f" (such as {examples(names, len(rows))})"
    advice = {
        Verdict.OK: "Nothing to do.",
        Verdict.WARNING: "Look at these subgraphs: one of the labels is wrong, or subgraphs need"
        " several labels.",
        Verdict.PROBLEM: "Correct the labels, or give subgraphs several: no model can be right on"
        " both of two equal ones.",
    }[verdict]
    numbers = {
        "subgraphs": len(task),
        "in_conflict": len(rows),
        "equal_to_another": int((np.bincount(sets)[sets] > 1).sum()),
        "test_ceiling": ceiling,
    }
    return Check(_NAME, _TITLE, verdict, f"{found}.", advice, numbers)


def _in_conflict(sets: Array, labels: Array) -> Array:
    """Which subgraphs are equal to one with another label; bool (M,)."""
    pairs = np.unique(np.stack([sets, labels], axis=1), axis=0)
    return np.asarray(np.bincount(pairs[:, 0], minlength=1)[sets] > 1)


def _best_share(sets: Array, labels: Array) -> float:
    """The largest share that answers can get right which depend on the set alone."""
    if not len(sets):
        return 1.0
    pairs, counts = np.unique(np.stack([sets, labels], axis=1), axis=0, return_counts=True)
    best = np.zeros(int(sets.max()) + 1, np.int64)
    np.maximum.at(best, pairs[:, 0], counts)
    return float(best.sum() / len(sets))
