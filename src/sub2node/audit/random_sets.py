"""Random-set control: what remains of a score where each subgraph is a random set of its size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..base.progress import counted
from ..base.ragged import Array, generator
from ..task import Graph, Subgraphs, SubgraphTask
from .chance import SIGNIFICANT, binomial_error
from .check import Check, Verdict, grade, points
from .quick_models import (
    QuickScore,
    labels_of_part,
    majority_score,
    model_of_numbers,
    quick_models,
    truth_of_part,
)

_NAME, _TITLE = "random_sets", "Size, degrees and random sets"
_BIN = 50  # nodes of about the same degree that stand for each other
_GAINS = (0.05, 0.2)  # by size alone over the commonest class: a warning, a problem


def random_sets(graph: Graph, subgraphs: Subgraphs, *, seed: int) -> Subgraphs:
    """Random sets of the same sizes, each member replaced by a node of about the same degree.

    Args:
        graph: The global graph.
        subgraphs: The sets to replace; their weights, edges of their own and excluded nodes are
            not kept.
        seed: Seed of the draw.
    """
    rng, count, owner = generator(seed), graph.num_nodes, subgraphs.owner
    order = np.argsort(graph.degrees, kind="stable")
    rank = np.empty(count, np.int64)
    rank[order] = np.arange(count)
    cuts = np.linspace(0, count, max(1, count // _BIN) + 1).astype(np.int64)
    place = np.searchsorted(cuts, rank[subgraphs.nodes], side="right") - 1
    low, width = cuts[place], (cuts[place + 1] - cuts[place])
    nodes = subgraphs.nodes.astype(np.int64)
    redraw = unsettled = np.arange(len(nodes))
    while len(redraw):  # ends: members of one bin are never more than the nodes of the bin
        nodes[redraw] = order[low[redraw] + rng.integers(0, width[redraw])]
        redraw = unsettled[_repeated_members(owner[unsettled], nodes[unsettled])]
        affected = np.zeros(len(subgraphs), bool)
        affected[owner[redraw]] = True
        unsettled = unsettled[affected[owner[unsettled]]]
    return Subgraphs.from_pairs(owner, nodes, len(subgraphs), names=subgraphs.names)


def _repeated_members(owner: Array, nodes: Array) -> Array:
    """Positions of members that their subgraph has already."""
    order = np.lexsort((nodes, owner))
    one, two = order[:-1], order[1:]
    return np.asarray(two[(owner[one] == owner[two]) & (nodes[one] == nodes[two])])


def check_random_sets(
    task: SubgraphTask, scores: Sequence[QuickScore], *, draws: int, seed: int
) -> Check:
    """Score models that know only sizes, sizes and degrees, or random sets with both.

    Args:
        task: The data, with labels and a split.
        scores: Scores of the quick models on the true sets.
        draws: How often random sets are drawn.
        seed: Seed of the draws.
    """
    truth, majority = truth_of_part(task, "test"), majority_score(task)
    sizes = task.subgraphs.sizes.astype(np.float64)
    degrees = np.bincount(task.subgraphs.owner, np.log1p(task.graph.degrees)[task.subgraphs.nodes])
    both = np.stack([sizes, degrees / np.maximum(sizes, 1)], axis=1)
    by_size = _score(task, truth, both[:, :1])
    by_both = _score(task, truth, both)
    drawn = []
    for number in counted(range(draws), "Draw of random sets"):
        random = random_sets(task.graph, task.subgraphs, seed=seed + number)
        replaced = replace(task, subgraphs=random)
        labels = labels_of_part(task, "train")
        found = [
            QuickScore.of(truth, model.predict(labels, classes=task.num_classes))
            for model in quick_models(replaced)
        ]
        drawn.append(max(one.score for one in found))
    best, mean = max(scores, key=lambda one: one.score), float(np.mean(drawn))
    floor = max(by_size.score, by_both.score, majority, by_size.chance.mean)
    # Two scores on one part, each with its own error.
    limit = floor + SIGNIFICANT * math.sqrt(2) * binomial_error(floor, len(truth))
    gains = {name: _gain(one, majority) for name, one in (("size", by_size), ("degree", by_both))}
    verdict, advice = _judge(gains, remains=mean > limit)
    found_text = (
        f"{points(by_size.score)} points by size alone, {points(by_both.score)} by size and"
        f" degrees, {points(mean)} with random sets of these, {points(best.score)} with the true"
        f" sets; the commonest class gives {points(majority)}."
    )
    numbers = {
        "size": by_size.score,
        "size_and_degree": by_both.score,
        "random_sets": drawn,
        "true_sets": best.score,
        "majority": majority,
        "size_z": by_size.chance.z_score(by_size.score),
        "size_and_degree_z": by_both.chance.z_score(by_both.score),
    }
    return Check(_NAME, _TITLE, verdict, found_text, advice, numbers)


def _score(task: SubgraphTask, truth: Array, values: Array) -> QuickScore:
    labels = labels_of_part(task, "train")
    model = model_of_numbers(task, "numbers", values)
    return QuickScore.of(truth, model.predict(labels, classes=task.num_classes))


def _gain(found: QuickScore, majority: float) -> float:
    """Points over the commonest class and over chance; 0 where chance could be the reason."""
    if found.chance.z_score(found.score) <= SIGNIFICANT:
        return 0.0
    return found.score - max(majority, found.chance.mean)


def _judge(gains: dict[str, float], *, remains: bool) -> tuple[Verdict, str]:
    if remains:
        return Verdict.PROBLEM, (
            "Find what random sets still tell about the label besides size and degrees, such as the"
            " order or the number of the nodes."
        )
    verdict = grade(gains["size"], warning=_GAINS[0], problem=_GAINS[1])
    if verdict is not Verdict.OK:
        return verdict, (
            "Ask whether size is part of the question; if it comes from how the data was collected,"
            " match sizes over the classes."
        )
    if grade(gains["degree"], warning=_GAINS[0], problem=_GAINS[1]) is not Verdict.OK:
        return Verdict.WARNING, (
            "Compare with a model of sizes and degrees: how well known the members are tells much"
            " of the label."
        )
    return Verdict.OK, "Nothing to do: size and degrees say little about the label."
