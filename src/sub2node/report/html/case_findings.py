"""What a case report shows of each subgraph that was asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...base.progress import counted
from ...base.ragged import Array
from ...scoring import Answers, AnswerWarning, Explanation, Query, Scorer
from ...scoring.name_mapping import MappedName
from ...scoring.positive_alerts import PositiveAlerts
from ...scoring.scorer import PlacedSubgraphs

EXPLAINED = 3  # classes whose probabilities are explained
_RANKED, _SIMILAR = 8, 5


@dataclass(frozen=True)
class RankedClass:
    """A class and its probability.

    Args:
        name: Name of the class.
        probability: Its probability.
        spread: Standard deviation over seeds; None with one seed.
        predicted: Whether it is predicted.
        null: How often random sets get as high a probability; None where that was not asked.
    """

    name: str
    probability: float
    spread: float | None
    predicted: bool
    null: float | None


@dataclass(frozen=True)
class ContributionRow:
    """What one thing adds to the probabilities of the explained classes.

    Args:
        name: What it is, for people.
        id: Id of a member; "" for other rows.
        values: One number per explained class.
    """

    name: str
    id: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class ClassReasons:
    """The probabilities of the explained classes, taken apart; every column adds up.

    Args:
        classes: The explained classes.
        baseline: What the model gives an empty subgraph.
        members: One row per member, the largest first.
        others: Rows of known subgraphs and statistics, where the model reads them.
        total: The probabilities.
    """

    classes: tuple[str, ...]
    baseline: tuple[float, ...]
    members: tuple[ContributionRow, ...]
    others: tuple[ContributionRow, ...]
    total: tuple[float, ...]

    @property
    def largest(self) -> float:
        """The largest contribution, by its size."""
        values = [abs(v) for row in (*self.members, *self.others) for v in row.values]
        return max(values, default=0.0)


@dataclass(frozen=True)
class SimilarSubgraph:
    """A known subgraph that is similar to the one that was asked about.

    Args:
        name: Its title, or its id.
        id: Its id; "" where that is its name.
        labels: Its classes.
        similarity: How similar it is, at most 1.
        shared: Names of the members that both have.
        size: Its number of members.
    """

    name: str
    id: str
    labels: tuple[str, ...]
    similarity: float
    shared: tuple[str, ...]
    size: int


@dataclass(frozen=True)
class Case:
    """One subgraph, the answer to it, and its reasons.

    Args:
        name: Its name.
        ranking: The likeliest classes.
        others: How many classes there are beside, of those that the model has learned from.
        doubt: Entropy of the probabilities, 0 (sure) to 1.
        warnings: Reasons to doubt the answer.
        reasons: Why the likeliest classes are likely.
        size: Number of its members that the graph has.
        unknown: Ids of the others, which were dropped.
        mapped: What was meant by members that were not given by their id.
        excluded: Members that were looked for and are absent: name and id.
        similar: The most similar known subgraphs; without vectors, those with a common member.
        by_vectors: Whether similarity is that of the model's vectors, not of the members.
        alert: Whether it is an alert; None where the model has no positive class.
        positive: The positive class and its probability, where the model has one.
    """

    name: str
    ranking: tuple[RankedClass, ...]
    others: int
    doubt: float
    warnings: tuple[AnswerWarning, ...]
    reasons: ClassReasons
    size: int
    unknown: tuple[str, ...]
    mapped: tuple[MappedName, ...]
    excluded: tuple[tuple[str, str], ...]
    similar: tuple[SimilarSubgraph, ...]
    by_vectors: bool
    alert: bool | None
    positive: RankedClass | None = None


def collect_cases(
    scorer: Scorer,
    query: Query,
    *,
    answers: Answers | None = None,
    positive: PositiveAlerts | None = None,
) -> list[Case]:
    """Ask and explain, one case per subgraph.

    Args:
        scorer: The model.
        query: The subgraphs.
        answers: What the model answers to them, where that is known already.
        positive: Which answers are alerts; None: what the model's card says.
    """
    positive = positive or PositiveAlerts.of_model(
        scorer.card, scorer.classes, multilabel=scorer.multilabel
    )
    answers = scorer.predict(query) if answers is None else answers
    numbers = counted(range(len(query)), "Case")
    return [
        _collect_case(
            scorer,
            scorer.place(query.take([number])),
            answers.part(range(number, number + 1), [query.names[number]]),
            positive=positive,
        )
        for number in numbers
    ]


def _collect_case(
    scorer: Scorer,
    placed: PlacedSubgraphs,
    answers: Answers,
    *,
    positive: PositiveAlerts | None,
) -> Case:
    order = np.argsort(-answers.probabilities[0], kind="stable")
    if answers.learned is not None:  # a class that nothing was learned about is no candidate
        order = order[answers.learned[order]]
    given = {one.node_id: one.given for one in answers.mapping[0] if one.node_id}
    similar, by_vectors = _find_similar(scorer, placed, given)
    nodes = placed.query.subgraphs.nodes
    absent = placed.query.subgraphs.excluded
    return Case(
        name=answers.names[0],
        ranking=tuple(_ranked_class(answers, int(c)) for c in order[:_RANKED]),
        others=max(0, len(order) - _RANKED),
        doubt=float(answers.doubt[0]),
        warnings=answers.warnings[0],
        reasons=_take_apart(
            [scorer.explain_one(placed, c) for c in _explained_classes(answers, order, positive)],
            given,
        ),
        size=len(nodes),
        unknown=answers.unknown[0],
        mapped=tuple(one for one in answers.mapping[0] if one.node_id or one.candidates),
        excluded=tuple(
            (_member_name(scorer, node, given), scorer.index.name(node))
            for node in ([] if absent is None else absent.nodes.tolist())
        ),
        similar=tuple(similar),
        by_vectors=by_vectors,
        alert=None if positive is None else bool(positive.alerts(answers)[0]),
        positive=None if positive is None else _ranked_class(answers, positive.target.index),
    )


def _ranked_class(answers: Answers, number: int) -> RankedClass:
    return RankedClass(
        answers.classes[number],
        float(answers.probabilities[0, number]),
        float(answers.spread[0, number]) if answers.has_spread else None,
        bool(answers.predicted[0, number]),
        None if answers.null is None else float(answers.null[0, number]),
    )


def _explained_classes(
    answers: Answers, order: Array, positive: PositiveAlerts | None
) -> list[int]:
    """The likeliest classes; of two that exclude each other one, the positive one if there is."""
    if len(order) == 2 and not answers.multilabel:
        return [int(order[0]) if positive is None else positive.target.index]
    return [int(number) for number in order[:EXPLAINED]]


def _take_apart(explanations: Sequence[Explanation], given: Mapping[str, str]) -> ClassReasons:
    """Explanations of several classes side by side; `given` has the reader's names of members."""
    values: dict[str, list[float]] = {}
    names: dict[str, str] = {}
    for column, explanation in enumerate(explanations):
        for part in explanation.members:
            absent = " (excluded)" if part.excluded else ""
            names.setdefault(part.id, f"{part.title or given.get(part.id, part.id)}{absent}")
            values.setdefault(part.id, [0.0] * len(explanations))[column] = part.value
    order = sorted(values, key=lambda member: -max(map(abs, values[member])))
    others = {
        "neighbors": tuple(sum(n.value for n in one.neighbors) for one in explanations),
        "statistics": tuple(one.statistics or 0.0 for one in explanations),
        "border": tuple(one.border or 0.0 for one in explanations),
        "rounding": tuple(one.gap for one in explanations),
    }
    shown = {"neighbors": any(one.neighbors for one in explanations)}
    shown["statistics"] = any(one.statistics is not None for one in explanations)
    shown["border"] = any(one.border is not None for one in explanations)
    shown["rounding"] = any(abs(gap) >= 0.0005 for gap in others["rounding"])
    return ClassReasons(
        classes=tuple(one.label for one in explanations),
        baseline=tuple(one.baseline for one in explanations),
        members=tuple(ContributionRow(names[m], m, tuple(values[m])) for m in order),
        others=tuple(ContributionRow(name, "", others[name]) for name in others if shown[name]),
        total=tuple(one.probability for one in explanations),
    )


def _find_similar(
    scorer: Scorer, placed: PlacedSubgraphs, given: Mapping[str, str]
) -> tuple[list[SimilarSubgraph], bool]:
    """The nearest known subgraphs, by the model's vectors or else by common members."""
    known, nodes = scorer.task.subgraphs, placed.query.subgraphs.nodes
    count = scorer.num_labelled
    inside = known.nodes[: known.ptr[count]]
    common = np.isin(inside, nodes)
    shared = np.bincount(known.owner[: len(inside)][common], minlength=count)
    similarities = scorer.similarities(placed)
    values: Array
    if similarities is None:
        values = shared / np.maximum(known.sizes[:count] + len(nodes) - shared, 1)
    else:
        values = similarities[0]
    best = np.argsort(-values, kind="stable")[:_SIMILAR]
    if similarities is None:  # one without a common member is not similar
        best = best[values[best] > 0]
    bounds = [(known.ptr[i], known.ptr[i + 1]) for i in best.tolist()]
    found = []
    for number, (start, end) in zip(best.tolist(), bounds, strict=True):
        name, title, labels = scorer.describe_known(number)
        members = inside[start:end][common[start:end]]
        found.append(
            SimilarSubgraph(
                title or name,
                name if title and title != name else "",
                labels,
                float(values[number]),
                tuple(_member_name(scorer, int(node), given) for node in members),
                int(end - start),
            )
        )
    return found, similarities is not None


def _member_name(scorer: Scorer, node: int, given: Mapping[str, str]) -> str:
    """What to call a member: its title, else as the reader did, else its id."""
    name = scorer.index.name(node)
    return scorer.index.title(node) or given.get(name, name)
