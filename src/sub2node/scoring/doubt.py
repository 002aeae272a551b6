"""Warnings with an answer: in what the question is unlike the training subgraphs.

The limits come from the training subgraphs (virtual ones aside), once per model:

=================  ================================================================================
kind               said where
=================  ================================================================================
``unknown-nodes``  a node of the subgraph is not in the graph
``size``           it has fewer nodes than the 0.5 % quantile of the training subgraphs' sizes, or
                   more than the 99.5 % quantile
``no-link``        none of its nodes, nor a neighbour of one, is in a training subgraph
``undecided``      the entropy of the probabilities is above 0.9 of the highest possible; or, with
                   one class each, it is above that of the classes' shares among the training
                   subgraphs, and the predicted class has less than its share
``many-classes``   several classes each: more are claimed than 99 % of the training subgraphs have
``known``          a training subgraph has the same members, so the answer was learned
``excluded``       it has excluded nodes, and the model has learned from present ones only
=================  ================================================================================

Texts speak of nodes, subgraphs and classes by the words of the model's card.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..base.plural import plural, plural_of
from ..base.ragged import Array, ranges
from ..task import Graph, SubgraphTask
from .answers import Answers, entropy_shares
from .card_words import CardWords
from .known_sets import KnownSets

if TYPE_CHECKING:
    from .query import Query

_UNDECIDED = 0.9  # share of the highest entropy
_SIZES = (0.005, 0.995)  # quantiles
_LABELS = 0.99  # quantile


class WarningKind(StrEnum):
    """What a warning is about."""

    UNKNOWN_NODES = "unknown-nodes"
    SIZE = "size"
    NO_LINK = "no-link"
    UNDECIDED = "undecided"
    MANY_CLASSES = "many-classes"
    EXCLUDED = "excluded"
    KNOWN = "known"


class AnswerWarning(NamedTuple):
    """Why an answer is to be doubted.

    Args:
        kind: What the warning is about, for programs.
        text: The same in words, without a full stop.
    """

    kind: WarningKind
    text: str


class _Finding(NamedTuple):
    """A warning, and the position in the query of the subgraph that it is about."""

    position: int
    warning: AnswerWarning


@dataclass(frozen=True, eq=False)
class TrainingProfile:
    """What training subgraphs are like, as far as warnings need it.

    Args:
        fewest_nodes: The 0.5 % quantile of their sizes.
        most_nodes: The 99.5 % quantile.
        near: Which nodes are in one of them, or have a neighbour in one; bool (N,).
        class_shares: Share of them that has each class; (C,).
        most_labels: The 99 % quantile of their numbers of labels.
        known: They themselves.
        words: What nodes, subgraphs and classes are called.
    """

    fewest_nodes: int
    most_nodes: int
    near: Array
    class_shares: Array
    most_labels: int
    known: KnownSets
    words: CardWords

    @property
    def learned(self) -> Array:
        """Which classes some of them have; bool (C,)."""
        return self.class_shares > 0

    @classmethod
    def of(cls, task: SubgraphTask, words: CardWords | None = None) -> TrainingProfile:
        """The profile of the training subgraphs of a model's task, which come first in it.

        Args:
            task: The task.
            words: What nodes, subgraphs and classes are called.
        """
        count = len(task) - task.num_virtual
        sizes, classes = task.subgraphs.sizes[:count], task.num_classes
        assert task.labels is not None, "a model has learned from labels"
        labels, most_labels = task.labels[:count], 1
        if task.multilabel:
            shares = labels.mean(axis=0)
            most_labels = int(np.quantile(labels.sum(axis=1), _LABELS, method="inverted_cdf"))
        else:
            shares = np.bincount(labels, minlength=classes) / count
        return cls(
            # Quantiles are sizes that occur, and the range between has 99 % at least.
            fewest_nodes=int(np.quantile(sizes, _SIZES[0], method="lower")),
            most_nodes=int(np.quantile(sizes, _SIZES[1], method="higher")),
            near=_find_near(task.graph, task.subgraphs.nodes[: task.subgraphs.ptr[count]]),
            class_shares=shares,
            most_labels=most_labels,
            known=KnownSets(task, count),
            words=words or CardWords(),
        )

    def find_warnings(
        self, query: Query, answers: Answers, *, reads_excluded: bool = False
    ) -> tuple[tuple[AnswerWarning, ...], ...]:
        """The warnings of each subgraph of a query.

        Args:
            query: The question.
            answers: What the model answers to it.
            reads_excluded: Whether the model reads excluded nodes.
        """
        by_subgraph: list[list[AnswerWarning]] = [[] for _ in query.names]
        check_classes = self._check_claims if answers.multilabel else self._check_shares
        for findings in (
            self._check_unknown(query),
            self._check_known(query),
            self._check_sizes(query.subgraphs.sizes),
            self._check_links(query),
            self._check_entropy(answers),
            check_classes(answers),
            () if reads_excluded else self._check_excluded(query),
        ):
            for position, warning in findings:
                by_subgraph[position].append(warning)
        return tuple(map(tuple, by_subgraph))

    def _check_sizes(self, sizes: Array) -> Iterator[_Finding]:
        fewest, most = self.fewest_nodes, self.most_nodes
        usual = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
        for position in _positions((sizes < fewest) | (sizes > most)):
            found = plural(int(sizes[position]), self.words.member)
            text = f"{found}, where 99 % of the {self._training} have {usual}"
            yield _Finding(position, AnswerWarning(WarningKind.SIZE, text))

    def _check_links(self, query: Query) -> Iterator[_Finding]:
        subgraphs = query.subgraphs
        near = np.bincount(subgraphs.owner[self.near[subgraphs.nodes]], minlength=len(subgraphs))
        text = (
            f"none of its {plural_of(self.words.member)}, nor a neighbour of one, is in a training"
            f" {self.words.subgraph}"
        )
        for position in _positions(near == 0):
            yield _Finding(position, AnswerWarning(WarningKind.NO_LINK, text))

    def _check_shares(self, answers: Answers) -> Iterator[_Finding]:
        doubt, best = answers.doubt, answers.probabilities.argmax(axis=1)
        highest, shares = answers.probabilities.max(axis=1), self.class_shares[best]
        above = doubt > entropy_shares(self.class_shares[None], answers.learned)
        for position in _positions((doubt <= _UNDECIDED) & above & (highest < shares)):
            text = (
                f"{answers.classes[best[position]]!r} has {highest[position]:.2f}, less than its"
                f" share of {shares[position]:.2f} among the {self._training}"
            )
            yield _Finding(position, AnswerWarning(WarningKind.UNDECIDED, text))

    def _check_claims(self, answers: Answers) -> Iterator[_Finding]:
        claimed = answers.predicted.sum(axis=1)
        for position in _positions(claimed > self.most_labels):
            count = plural(len(answers.classes), self.words.label)
            text = (
                f"{claimed[position]} of {count} are claimed, where 99 % of the {self._training}"
                f" have at most {self.most_labels}"
            )
            yield _Finding(position, AnswerWarning(WarningKind.MANY_CLASSES, text))

    def _check_entropy(self, answers: Answers) -> Iterator[_Finding]:
        doubt, label = answers.doubt, self.words.label
        what = f"the {plural_of(label)} are almost equally probable"
        if answers.multilabel:
            what = f"every {label} has about an even chance"
        for position in _positions(doubt > _UNDECIDED):
            text = f"{what}: {100 * doubt[position]:.0f} % of the highest entropy"
            yield _Finding(position, AnswerWarning(WarningKind.UNDECIDED, text))

    def _check_unknown(self, query: Query) -> Iterator[_Finding]:
        sizes, excluded = query.subgraphs.sizes, query.subgraphs.excluded
        sizes = sizes if excluded is None else sizes + excluded.sizes
        for position in _positions(query.known < 1):
            unknown = len(query.unknown[position])
            count = plural(int(sizes[position]) + unknown, self.words.member)
            text = f"{unknown:,} of {count} {'is' if unknown == 1 else 'are'} not in the graph"
            yield _Finding(position, AnswerWarning(WarningKind.UNKNOWN_NODES, text))

    def _check_excluded(self, query: Query) -> Iterator[_Finding]:
        excluded = query.subgraphs.excluded
        counts = np.zeros(len(query), np.int64) if excluded is None else excluded.sizes
        for position in _positions(counts > 0):
            count = plural(int(counts[position]), f"excluded {self.words.member}")
            text = (
                f"{count} not used: the model has learned from present ones only, so check whether"
                " they speak against the answer"
            )
            yield _Finding(position, AnswerWarning(WarningKind.EXCLUDED, text))

    def _check_known(self, query: Query) -> Iterator[_Finding]:
        for position, numbers in self.known.find(query.subgraphs).items():
            text = self.known.describe(numbers, self.words)
            yield _Finding(position, AnswerWarning(WarningKind.KNOWN, text))

    @property
    def _training(self) -> str:
        return f"training {plural_of(self.words.subgraph)}"


def _find_near(graph: Graph, nodes: Array) -> Array:
    """Which nodes are among these, or have a neighbour among them; bool (N,)."""
    members = np.zeros(graph.num_nodes, bool)
    members[nodes] = True
    inside = np.flatnonzero(members)
    members[graph.indices[ranges(graph.indptr[inside], graph.degrees[inside])]] = True
    return members


def _positions(mask: Array) -> list[int]:
    positions: list[int] = np.flatnonzero(mask).tolist()
    return positions
