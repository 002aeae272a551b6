"""What a simple model has learned, by itself: it answers for any set of nodes of its graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol, Self

from ..base.ragged import Array
from ..base.records import JsonObject
from ..task import SubgraphTask


class SetClassifier(Protocol):
    """Answers for subgraphs that need not have been there when it learned.

    A model folder holds ``facts`` as JSON and ``arrays`` as numbers, from which :meth:`restore`
    makes the same again.
    """

    kind: ClassVar[str]  # by which a model folder says what it holds

    @property
    def facts(self) -> JsonObject:
        """What it consists of besides numbers."""

    @property
    def arrays(self) -> dict[str, Array]:
        """The numbers that it consists of."""

    @classmethod
    def restore(cls, facts: JsonObject, arrays: Mapping[str, Array]) -> Self:
        """The classifier that had these facts and arrays."""

    @property
    def reads_excluded(self) -> bool:
        """Whether excluded nodes have a say in its answers."""

    def logits(self, task: SubgraphTask) -> Array:
        """Logits (R, M, C) of all subgraphs of a task on the same graph."""

    def member_logits(self, task: SubgraphTask) -> Array | None:
        """What each member adds to the logits of its subgraph, (members, C); None: not separable.

        Where excluded nodes are read, their rows follow those of all members. Together with those
        of an empty subgraph, :attr:`empty_logits`, they add up to the logits, less
        :meth:`border_logits`.
        """

    @property
    def reads_border(self) -> bool:
        """Whether what lies around subgraphs has a say in its answers."""

    def border_logits(self, task: SubgraphTask) -> Array | None:
        """What lies around subgraphs adds to their logits, (M, C); None: nothing, or not apart."""

    @property
    def empty_logits(self) -> Array:
        """Logits of a subgraph about which nothing is known; (R, C)."""

    def vectors(self, task: SubgraphTask) -> Array | None:
        """Rows by which subgraphs can be compared, sparse or dense, of length 1; None for none."""
