"""Links between subgraphs and their labels: as information, since links may agree for good reasons.

Data in which edges were drawn from labels, as in co-annotation networks, cannot be told from data
in which alike things are linked. The numbers say how much there is to explain. Where the user names
the origin of edges, each origin is looked at alone, and a score with and without its edges says
what they are worth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..base.ragged import Array, SparseMatrix
from ..base.records import JsonObject
from ..task import SubgraphTask
from .chance import SIGNIFICANT
from .check import Check, Verdict, not_applicable, points, worst
from .edge_origins import EdgeOrigin
from .quick_models import truth_of_part

_NAME, _TITLE = "label_links", "Links that agree with labels"


class LinkCounts(NamedTuple):
    """Links of test subgraphs to training subgraphs, as multiples of what degrees alone give."""

    same: float
    other: float
    z: float


def check_label_links(
    task: SubgraphTask,
    origins: Sequence[EdgeOrigin] = (),
    best_score: Callable[[SubgraphTask], float] | None = None,
) -> Check:
    """Compare links of test subgraphs to training subgraphs of the same and of other labels.

    Observed links over those expected in a random graph with the same degrees,
    Σ_{u∈A, v∈B} d_u d_v / 2m; and how far the agreement lies above that of test labels in random
    order, in standard deviations. Of each origin of edges the same, over its edges alone.

    Args:
        task: The data, with labels and a split.
        origins: Where edges come from, as the user names it.
        best_score: The score on test that a task allows; to say what the edges of an origin are
            worth.
    """
    if not task.graph.num_edges or len(truth_of_part(task, "test")) < 2:
        return not_applicable(
            _NAME,
            _TITLE,
            reason="there are no edges, or fewer than two test subgraphs.",
            advice="Nothing to do.",
        )
    adjacency = task.graph.adjacency(dtype=np.float64)
    adjacency.data = np.ones(len(adjacency.data))
    counts = count_links(task, adjacency)
    numbers: JsonObject = {"same_label": counts.same, "other_label": counts.other, "z": counts.z}
    found = (
        f"{counts.same:.2f} times the links that degrees alone give to train subgraphs of the same"
        f" label, {counts.other:.2f} times to others ({counts.z:+.1f} standard deviations from"
        " chance)"
    )
    if origins:
        rows = {origin.name: _check_origin(task, origin, best_score) for origin in origins}
        return _of_origins(rows, found, numbers)
    advice = "Nothing to do: links do not follow labels."
    if counts.z > SIGNIFICANT:
        advice = (
            "Say where the edges come from (--edge-origins FILE): if their source knew the labels,"
            " as co-annotation does, every score on this data is too high."
        )
    return Check(_NAME, _TITLE, Verdict.INFORMATION, f"{found}.", advice, numbers)


def _check_origin(
    task: SubgraphTask, origin: EdgeOrigin, best_score: Callable[[SubgraphTask], float] | None
) -> JsonObject:
    """A warning if links of an origin follow labels, a problem if a score rests on them."""
    counts = count_links(task, origin.adjacency)
    verdict = Verdict.WARNING if counts.z > SIGNIFICANT else Verdict.OK
    row: JsonObject = {
        "edges": int(origin.chosen.sum()),
        "same_label": counts.same,
        "other_label": counts.other,
        "z": counts.z,
    }
    if verdict is Verdict.WARNING and best_score is not None:
        score, without = best_score(task), best_score(origin.without(task))
        error = math.sqrt(score * (1 - score) / len(truth_of_part(task, "test")))
        row |= {"score": score, "score_without": without}
        verdict = Verdict.PROBLEM if score - without > 2 * error else verdict
    return {**row, "verdict": str(verdict)}


def _of_origins(rows: dict[str, JsonObject], found: str, numbers: JsonObject) -> Check:
    """The check over all origins: the worst of them, and which they are."""
    said = [found]
    for name, row in rows.items():
        text = (
            f"{name} ({row['edges']:,} edges): {row['same_label']:.2f} and"
            f" {row['other_label']:.2f} times ({row['z']:+.1f})"
        )
        if "score" in row:
            text += (
                f", best quick model {points(row['score'])}, without them"
                f" {points(row['score_without'])}"
            )
        said.append(text)
    suspects = [name for name, row in rows.items() if row["verdict"] != Verdict.OK]
    advice = "Nothing to do: links of these origins do not follow labels."
    if suspects:
        advice = (
            f"Links of {', '.join(suspects)} follow the labels of test subgraphs: if this origin"
            " knew the labels, leave its edges out; every score with them is too high."
        )
    verdict = worst(*(Verdict(row["verdict"]) for row in rows.values()))
    numbers = {**numbers, "origins": rows}
    return Check(_NAME, _TITLE, verdict, "; ".join(said) + ".", advice, numbers)


def count_links(task: SubgraphTask, adjacency: SparseMatrix) -> LinkCounts:
    """Count links over the edges of an adjacency matrix of ones."""
    assert task.split is not None
    truth, train = truth_of_part(task, "test"), truth_of_part(task, "train")
    members = task.subgraphs.membership(task.graph.num_nodes, np.float64)
    members.data = np.ones(len(members.data))
    test = members[task.split.mask("test")]
    # Members of each class in train, with multiplicity: (C, N), never subgraphs × subgraphs.
    classes = sp.csr_array(train.T.astype(np.float64)) @ members[task.split.mask("train")]
    links = np.asarray((test @ (adjacency @ classes.T)).todense())
    degrees = np.asarray(adjacency.sum(axis=1)).ravel()
    expected = np.outer(test @ degrees, classes @ degrees) / max(degrees.sum(), 1.0)
    same, other = (
        float(links[chosen].sum() / max(expected[chosen].sum(), 1e-12))
        for chosen in (truth, ~truth)
    )
    return LinkCounts(same, other, _agreement(links - expected, truth.astype(np.float64)))


def _agreement(excess: Array, truth: Array) -> float:
    """Standard deviations of Σ_i excess(i, label i) above its mean over all orders of labels."""
    size = len(truth)
    total = float((excess * truth).sum())
    mean = float(excess.sum(axis=0) @ truth.sum(axis=0)) / size
    centred, labels = excess - excess.mean(axis=0), truth - truth.mean(axis=0)
    variance = float(((centred.T @ centred) * (labels.T @ labels)).sum()) / (size - 1)
    return (total - mean) / math.sqrt(variance) if variance > 1e-12 else 0.0
