"""Known subgraphs by their members: which of them are the very sets that are asked about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base.keyed_numbers import set_keys
from ..base.plural import examples, plural_of
from ..base.ragged import Array, ranges
from ..task import Subgraphs, SubgraphTask
from .card_words import CardWords


@dataclass(frozen=True, eq=False)
class KnownSets:
    """The training subgraphs of a model.

    Args:
        task: Its known subgraphs, which begin with them.
        count: How many they are.
    """

    task: SubgraphTask
    count: int

    @cached_property
    def _sorted_keys(self) -> tuple[Array, Array]:
        """Their keys, ascending, and whose they are; of one key in their order."""
        known = self.task.subgraphs
        keys = set_keys(known.ptr[: self.count + 1], known.nodes[: known.ptr[self.count]])
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def find(self, asked: Subgraphs) -> dict[int, Array]:
        """By the row of a set that is asked about, the training subgraphs with the same members.

        Args:
            asked: The sets; those that are no training subgraph are left out.
        """
        (keys, order), known = self._sorted_keys, self.task.subgraphs
        wanted = set_keys(asked.ptr, asked.nodes)
        starts, ends = (np.searchsorted(keys, wanted, side) for side in ("left", "right"))
        rows = np.flatnonzero(ends > starts)
        first = order[starts[rows]]
        alike = (asked.sizes[rows] == known.sizes[first]) & (asked.sizes[rows] > 0)
        rows, first = rows[alike], first[alike]
        sizes = asked.sizes[rows]  # equal keys are no proof: their members are compared
        members = asked.nodes[ranges(asked.ptr[rows], sizes)]
        other = members != known.nodes[ranges(known.ptr[first], sizes)]
        owner = np.repeat(np.arange(len(rows)), sizes)
        same = np.bincount(owner[other], minlength=len(rows)) == 0
        return {row: order[starts[row] : ends[row]] for row in rows[same].tolist()}

    def describe(self, numbers: Array, words: CardWords) -> str:
        """What is the matter with a set that these training subgraphs are.

        Args:
            numbers: Their rows.
            words: What a node, a subgraph and a class are called.
        """
        one = len(numbers) == 1
        subgraph, label = (
            noun if one else plural_of(noun) for noun in (words.subgraph, words.label)
        )
        shown = examples(map(self._name, numbers[:3].tolist()), len(numbers))
        return (
            f"its {plural_of(words.member)} are those of the training {subgraph} {shown}, whose"
            f" {label} the model has learned"
        )

    def _name(self, number: int) -> str:
        task = self.task
        assert task.labels is not None, "a model has learned from labels"
        own = np.flatnonzero(task.labels[number]) if task.multilabel else [task.labels[number]]
        classes = ", ".join(task.class_names[c] for c in own) or "none"
        titles = task.subgraphs.titles
        title = "" if titles is None else titles[number]
        return f"{title or task.subgraphs.name_of(number)!r} ({classes})"
