"""Near copies: subgraphs that have nearly the nodes of one in an earlier part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..base.plural import plural
from ..base.ragged import Array, blocks
from ..base.records import JsonObject
from ..task import Part, SubgraphTask
from .check import Check, Verdict, grade, not_applicable, worst

NEAR = 0.8  # Jaccard similarity from which a subgraph counts as a near copy
_NAME, _TITLE = "near_copies", "Near copies between parts"
_PROBLEM = 0.05  # share of a part from which near copies are a problem
_CHUNK = 1 << 22  # shared nodes that are processed together
_ROUNDING = 1e-9


class Nearest(NamedTuple):
    """How near the nearest subgraph of another part is, for each subgraph of a part.

    Args:
        similarity: The largest Jaccard similarity to any subgraph of the other part, (m,).
        same_label: The largest to one with the same labels, (m,); None without labels.
    """

    similarity: Array
    same_label: Array | None


def nearest_in(other: Part, task: SubgraphTask, part: Part) -> Nearest:
    """The largest Jaccard similarity |A ∩ B| / |A ∪ B| of each subgraph to those of another part.

    From the sparse product of memberships, in blocks of bounded size.

    Args:
        other: The part in which the nearest is looked for.
        task: The data, with a split.
        part: The part whose subgraphs are compared with it.
    """
    assert task.split is not None
    rows, known = (np.flatnonzero(task.split.mask(name)) for name in (part, other))
    members = task.subgraphs.membership(task.graph.num_nodes)
    members.data = np.ones(len(members.data), np.float32)  # sets, whatever the weights
    sizes = task.subgraphs.sizes
    own, others = members[rows], members[known].T.tocsr()
    work = np.asarray(own.astype(np.int64) @ np.diff(others.indptr)) + 1
    classes = None if task.labels is None else _label_sets(task.labels)
    similarity, same = np.zeros(len(rows)), np.zeros(len(rows))
    for start, stop in blocks(work, _CHUNK):
        shared = (own[start:stop] @ others).tocoo()
        row, column = start + shared.coords[0], shared.coords[1]
        common = shared.data.astype(np.float64)
        jaccard = common / (sizes[rows[row]] + sizes[known[column]] - common)
        np.maximum.at(similarity, row, jaccard)
        if classes is not None:
            alike = classes[rows[row]] == classes[known[column]]
            np.maximum.at(same, row[alike], jaccard[alike])
    return Nearest(similarity, None if classes is None else same)


def check_near_copies(task: SubgraphTask, parts: Sequence[Part]) -> Check:
    """Count near copies of training subgraphs in each part, and of val subgraphs in test.

    A copy in train is learned by heart; one between val and test lifts the test score of what is
    chosen on val, which is a warning at most.

    Args:
        task: The data, with a split.
        parts: The parts to compare with train: val and test, where they have subgraphs.
    """
    assert task.split is not None
    if not parts or not task.split.count("train"):
        return not_applicable(
            _NAME, _TITLE, reason="train, or val and test, are empty.", advice="Split the data."
        )
    rows = {part: _count_copies(nearest_in("train", task, part)) for part in parts}
    verdicts = [
        grade(row["near"] / row["subgraphs"], warning=_ROUNDING, problem=_PROBLEM)
        for row in rows.values()
    ]
    found = [_describe(part, row, "train") for part, row in rows.items()]
    numbers: JsonObject = {"near": NEAR, "parts": rows}
    if "val" in parts and "test" in parts:
        numbers["test_near_val"] = row = _count_copies(nearest_in("val", task, "test"))
        verdicts.append(Verdict.WARNING if row["near"] else Verdict.OK)
        found.append(_describe("test", row, "val"))
    verdict = worst(*verdicts)
    advice = {
        Verdict.OK: "Nothing to do.",
        Verdict.WARNING: "Remove these subgraphs from the part, or say how many there are.",
        Verdict.PROBLEM: "Put copies of each other into one part, by a group for each"
        " (Split.random(labels, groups=…)): a score on copies measures memory.",
    }[verdict]
    return Check(_NAME, _TITLE, verdict, f"{'; '.join(found)}.", advice, numbers)


def _count_copies(nearest: Nearest) -> JsonObject:
    near, equal = (nearest.similarity >= limit - _ROUNDING for limit in (NEAR, 1.0))
    counts: JsonObject = {
        "subgraphs": len(near),
        "equal": int(equal.sum()),
        "near": int(near.sum()),
        "largest": float(nearest.similarity.max(initial=0.0)),
        "median": float(np.median(nearest.similarity)) if len(near) else 0.0,
    }
    if nearest.same_label is not None:
        counts["equal_same_label"] = int((nearest.same_label >= 1.0 - _ROUNDING).sum())
        counts["near_same_label"] = int((nearest.same_label >= NEAR - _ROUNDING).sum())
    return counts


def _describe(part: Part, row: JsonObject, other: Part) -> str:
    text = f"{row['near']:,} of {plural(row['subgraphs'], f'{part} subgraph')} near a {other} one"
    if not row["near"]:
        return f"{text} (largest Jaccard {row['largest']:.2f})"
    labels = ""
    if "near_same_label" in row:
        labels = f", {row['near_same_label']:,} near one of the same label"
    return f"{text} (Jaccard ≥ {NEAR:g}), {row['equal']:,} equal{labels}"


def _label_sets(labels: Array) -> Array:
    """One number for each different set of labels, (M,)."""
    if labels.ndim == 1:
        return labels
    return np.asarray(np.unique(labels, axis=0, return_inverse=True)[1]).ravel()
