"""Answers of a model, and their form in JSON, which the command and the service share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base.plotting import draw
from ..base.plural import plural
from ..base.ragged import Array
from ..base.records import JsonObject

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from .doubt import AnswerWarning
    from .explanation import Explanation
    from .name_mapping import MappedName


@dataclass(frozen=True, eq=False, repr=False)
class Answers:
    """Answers of a model for the subgraphs of a query, in its order.

    Args:
        names: Names of the subgraphs, as in the query.
        probabilities: Probabilities of the classes, means over seeds; (K, C).
        spread: Standard deviations over seeds; NaN with one seed, which has none; (K, C).
        known: Share of each subgraph's nodes that the graph has; (K,).
        unknown: Ids of the other nodes, by subgraph.
        predicted: Which classes are predicted; bool (K, C).
        classes: Names of the classes.
        multilabel: Whether a subgraph may have several classes, or none.
        warnings: In what each subgraph is unlike the training subgraphs.
        null: How often a random set of the same size and node degrees gets as high a probability;
            (K, C), or None where that was not asked.
        mapping: What was meant by members that were not given by their id, by subgraph.
        learned: Which classes the model has learned from, bool (C,); None: all of them.
    """

    names: tuple[str, ...]
    probabilities: Array
    spread: Array
    known: Array
    unknown: tuple[tuple[str, ...], ...]
    predicted: Array
    classes: tuple[str, ...]
    multilabel: bool
    warnings: tuple[tuple[AnswerWarning, ...], ...] = ()
    null: Array | None = None
    mapping: tuple[tuple[MappedName, ...], ...] = ()
    learned: Array | None = None

    def __post_init__(self) -> None:
        for name in ("warnings", "mapping"):
            if not getattr(self, name):
                object.__setattr__(self, name, ((),) * len(self))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def has_spread(self) -> bool:
        """Whether there are standard deviations; one seed has none."""
        return not np.isnan(self.spread).any()

    @property
    def labels(self) -> list[str] | list[list[str]]:
        """The class of each subgraph, or its list of classes."""
        lists = self.label_lists
        return lists if self.multilabel else [labels[0] for labels in lists]

    @property
    def label_lists(self) -> list[list[str]]:
        """The classes of each subgraph, likeliest first."""
        order = np.argsort(-self.probabilities, axis=1, kind="stable")
        ranked = np.take_along_axis(self.predicted, order, axis=1)
        return [
            [self.classes[c] for c in row[said]] for row, said in zip(order, ranked, strict=True)
        ]

    @property
    def decisive_classes(self) -> Array:
        """The class whose probability is that of the prediction, by number; (K,).

        Of several classes the most probable; of none, the most probable of all.
        """
        if not self.multilabel:
            return np.asarray(self.predicted.argmax(axis=1))
        first = np.where(self.predicted, self.probabilities, -np.inf).argmax(axis=1)
        best = np.where(self.predicted.any(axis=1), first, self.probabilities.argmax(axis=1))
        return np.asarray(best)

    @property
    def doubt(self) -> Array:
        """Entropy of the probabilities as a share of the highest possible; (K,).

        0: one class for sure; 1: all classes alike, or in multi-label data each an even chance.
        Classes that the model has not learned from do not count.
        """
        if self.multilabel:
            learned = slice(None) if self.learned is None else self.learned
            p = np.clip(self.probabilities[:, learned], 1e-300, 1.0)
            rest = np.clip(1 - self.probabilities[:, learned], 1e-300, 1.0)
            return np.asarray(-(p * np.log2(p) + rest * np.log2(rest)).mean(axis=1))
        return entropy_shares(self.probabilities, self.learned)

    def to_frame(self) -> pd.DataFrame:
        """One row per subgraph as a pandas data frame.

        The columns of the files that ``s2n predict`` writes (``subgraph_id``, ``prediction``,
        ``probability``, ``spread``, ``known``, ``p CLASS``, ``warnings``), and ``doubt``.
        """
        from .answer_views import answers_frame

        return answers_frame(self)

    def plot(self, subgraph: int | str = 0, most: int = 10) -> Figure:
        """The likeliest classes of one subgraph as bars, as a Matplotlib figure.

        Args:
            subgraph: Its name, or its place in the query; by default the first.
            most: The number of classes.
        """
        return draw("draw_answer", self, subgraph=subgraph, most=most)

    def _repr_html_(self) -> str:
        from .answer_views import answers_html

        return answers_html(self)

    def __repr__(self) -> str:
        kind = ", several each" if self.multilabel else ""
        return f"Answers({plural(len(self), 'subgraph')}, {len(self.classes)} classes{kind})"

    def part(self, rows: range, names: Sequence[str]) -> Answers:
        """The answers in some rows, under other names."""
        part = slice(rows.start, rows.stop)
        return Answers(
            names=tuple(names),
            probabilities=self.probabilities[part],
            spread=self.spread[part],
            known=self.known[part],
            unknown=self.unknown[part],
            predicted=self.predicted[part],
            classes=self.classes,
            multilabel=self.multilabel,
            warnings=self.warnings[part],
            null=None if self.null is None else self.null[part],
            mapping=self.mapping[part],
            learned=self.learned,
        )


def entropy_shares(probabilities: Array, learned: Array | None = None) -> Array:
    """Entropy of each row of probabilities, as a share of the highest possible; (K,).

    Args:
        probabilities: Probabilities of the classes, (K, C).
        learned: Which classes are possible, bool (C,), whose probabilities are taken to add up to
            1; None: all of them.
    """
    if learned is not None:
        probabilities = probabilities[:, learned]
        probabilities = probabilities / np.maximum(probabilities.sum(axis=1), 1e-300)[:, None]
    p = np.clip(probabilities, 1e-300, 1.0)
    return np.asarray(-(p * np.log(p)).sum(axis=1) / np.log(max(p.shape[1], 2)))


class Neighbor(NamedTuple):
    """A known subgraph whose vector is similar to that of the queried one.

    Args:
        name: Its id.
        title: Its title, may be empty.
        labels: Its labels.
        similarity: Cosine of the vectors.
        shared: Members that both have, by title, else id.
        size: Its number of members.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    similarity: float
    shared: tuple[str, ...] = ()
    size: int = 0


class NearbySubgraph(NamedTuple):
    """A known subgraph near the queried one in the S2N graph."""

    name: str
    title: str
    labels: tuple[str, ...]
    weight: float | None
    hop: int


@dataclass(frozen=True)
class Surroundings:
    """The S2N graph around a subgraph: its strongest links, and the strongest links among the rest.

    Args:
        nodes: Known subgraphs, nearest first.
        links: Pairs of positions in ``nodes`` and their weight; -1 is the queried subgraph.
    """

    nodes: tuple[NearbySubgraph, ...]
    links: tuple[tuple[int, int, float], ...]


def answer_columns(answers: Answers) -> dict[str, list[Any]]:
    """Answers as a table: ``subgraph_id``, ``prediction``, ``probability`` of it and its
    ``spread``, the share of ``known`` nodes, ``p CLASS`` for each class, and ``warnings``; with
    random sets also ``null CLASS``. Multi-label: ``prediction`` is a list, likeliest first, and its
    probability that of the first (the highest of all where the list is empty). With one seed the
    spread is None."""
    probabilities, best = answers.probabilities, answers.decisive_classes
    rows, null = np.arange(len(answers)), answers.null
    return {
        "subgraph_id": list(answers.names),
        "prediction": list(answers.labels),
        "probability": probabilities[rows, best].tolist(),
        "spread": _without_nan(answers.spread[rows, best].tolist()),
        "known": answers.known.tolist(),
        **{f"p {name}": probabilities[:, c].tolist() for c, name in enumerate(answers.classes)},
        "warnings": ["; ".join(warning.text for warning in row) for row in answers.warnings],
        **{
            f"null {name}": null[:, c].tolist()
            for c, name in enumerate(answers.classes)
            if null is not None
        },
    }


def _without_nan(values: list[float]) -> list[float | None]:
    """None for NaN, which JSON does not have."""
    return [None if math.isnan(value) else value for value in values]


def answer_objects(answers: Answers, *, columns: bool = False) -> list[JsonObject]:
    """Answers as JSON objects.

    Command and service both give ``id``, ``labels``, ``prediction``, ``probability``,
    ``probabilities``, ``known``, ``unknown``, ``doubt``, ``mapping`` and ``warnings``. They differ
    in ``spread``, which the service gives by class and the command as one number, that of
    ``probability``; and the command adds the other columns of its tables (``subgraph_id``,
    ``p CLASS``). With one seed a spread is None. Where there are random sets, ``null`` is by
    class.

    Args:
        answers: Answers of a model.
        columns: Whether to add the columns of the command's tables.
    """
    classes, table = answers.classes, answer_columns(answers)
    probabilities = [dict(zip(classes, row, strict=True)) for row in answers.probabilities.tolist()]
    if not columns:
        table["spread"] = [
            dict(zip(classes, _without_nan(row), strict=True)) for row in answers.spread.tolist()
        ]
        table = {key: table[key] for key in ("prediction", "probability", "spread", "known")}
    table |= {
        "id": list(answers.names),
        "labels": answers.label_lists,
        "probabilities": probabilities,
        "unknown": list(map(list, answers.unknown)),
        "doubt": answers.doubt.tolist(),
        "mapping": [[name.to_json() for name in row] for row in answers.mapping],
        "warnings": [
            [{"kind": str(w.kind), "text": w.text} for w in row] for row in answers.warnings
        ],
    }
    if answers.null is not None:
        table["null"] = [dict(zip(classes, row, strict=True)) for row in answers.null.tolist()]
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def explanation_object(
    explanation: Explanation, around: Surroundings | None = None, *, id: str | None = None
) -> JsonObject:
    """An explanation as a JSON object; ``value`` and ``contribution`` are the same number.

    Args:
        explanation: Contributions to a probability.
        around: The S2N graph around the subgraph, for ``graph``.
        id: Name of the subgraph in the object, by default that of the explanation.
    """
    parts = {
        part: [
            {
                "id": item.id,
                "title": item.title,
                "value": item.value,
                "contribution": item.value,
                "weight": item.weight,
                "labels": list(item.labels),
                **({"excluded": item.excluded} if part == "members" else {}),
            }
            for item in getattr(explanation, part)
        ]
        for part in ("members", "neighbors")
    }
    name = explanation.name if id is None else id
    content: JsonObject = {
        "id": name,
        "name": name,
        "label": explanation.label,
        "probability": explanation.probability,
        "baseline": explanation.baseline,
        **parts,
        "statistics": explanation.statistics,
        "border": explanation.border,
        "gap": explanation.gap,
        "joins": explanation.joins,
    }
    if around is not None:
        nodes = [
            {
                "id": near.name,
                "title": near.title,
                "labels": list(near.labels),
                "weight": near.weight,
                "hop": near.hop,
            }
            for near in around.nodes
        ]
        content["graph"] = {"nodes": nodes, "links": list(map(list, around.links))}
    return content
