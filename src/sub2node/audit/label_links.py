"""Links between subgraphs and their labels: as information, since links may agree for good reasons.

Data in which edges were drawn from labels, as in co-annotation networks, cannot be told from data
in which alike things are linked. The numbers say how much there is to explain.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp

from ..base.ragged import Array
from ..task import SubgraphTask
from .chance import SIGNIFICANT
from .check import Check, Verdict, not_applicable
from .quick_models import truth_of_part

_NAME, _TITLE = "label_links", "Links that agree with labels"


def check_label_links(task: SubgraphTask) -> Check:
    """Compare links of test subgraphs to training subgraphs of the same and of other labels.

    Observed links over those expected in a random graph with the same degrees,
    Σ_{u∈A, v∈B} d_u d_v / 2m; and how far the agreement lies above that of test labels in random
    order, in standard deviations.

    Args:
        task: The data, with labels and a split.
    """
    assert task.split is not None
    edges = task.graph.num_edges
    truth, train = truth_of_part(task, "test"), truth_of_part(task, "train")
    if not edges or len(truth) < 2:
        return not_applicable(
            _NAME,
            _TITLE,
            reason="there are no edges, or fewer than two test subgraphs.",
            advice="Nothing to do.",
        )
    members = task.subgraphs.membership(task.graph.num_nodes, np.float64)
    members.data = np.ones(len(members.data))
    adjacency = task.graph.adjacency(dtype=np.float64)
    adjacency.data = np.ones(len(adjacency.data))
    test = members[task.split.mask("test")]
    # Members of each class in train, with multiplicity: (C, N), never subgraphs × subgraphs.
    classes = sp.csr_array(train.T.astype(np.float64)) @ members[task.split.mask("train")]
    links = np.asarray((test @ (adjacency @ classes.T)).todense())
    degrees = task.graph.degrees.astype(np.float64)
    expected = np.outer(test @ degrees, classes @ degrees) / (2 * edges)
    same, other = (
        float(links[chosen].sum() / max(expected[chosen].sum(), 1e-12))
        for chosen in (truth, ~truth)
    )
    z = _agreement(links - expected, truth.astype(np.float64))
    found = (
        f"{same:.2f} times the links that degrees alone give to train subgraphs of the same label,"
        f" {other:.2f} times to others ({z:+.1f} standard deviations from chance)."
    )
    advice = "Nothing to do: links do not follow labels."
    if z > SIGNIFICANT:
        advice = (
            "Say where the edges come from: if their source knew the labels, as co-annotation does,"
            " every score on this data is too high."
        )
    numbers = {"same_label": same, "other_label": other, "z": z}
    return Check(_NAME, _TITLE, Verdict.INFORMATION, found, advice, numbers)


def _agreement(excess: Array, truth: Array) -> float:
    """Standard deviations of Σ_i excess(i, label i) above its mean over all orders of labels."""
    size = len(truth)
    total = float((excess * truth).sum())
    mean = float(excess.sum(axis=0) @ truth.sum(axis=0)) / size
    centred, labels = excess - excess.mean(axis=0), truth - truth.mean(axis=0)
    variance = float(((centred.T @ centred) * (labels.T @ labels)).sum()) / (size - 1)
    return (total - mean) / math.sqrt(variance) if variance > 1e-12 else 0.0
