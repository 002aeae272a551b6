"""The one interface over networks, baselines and ensembles: fit → Trained → logits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ..base.ragged import Array
from ..task import Part, SubgraphTask

Labels = dict[Part, Array]


@dataclass(frozen=True, eq=False)
class Outputs:
    """What all replicas predict for one part, its subgraphs in the order of the task's rows.

    Args:
        logits: Logits of the subgraphs, (R, m, C).
        vectors: Vectors of the subgraphs, (R, m, F); None where the model has none.
        tied: For each replica, logits (m, C) of all epochs that tie for the best on validation;
            empty unless the published rule needs them.
    """

    logits: Array
    vectors: Array | None = None
    tied: Sequence[Sequence[Array]] = ()


class Model(Protocol):
    """Something that learns from train and val labels and then predicts any part."""

    @property
    def name(self) -> str:
        """What tables call it."""

    def fit(self, task: SubgraphTask, labels: Labels, seeds: Sequence[int]) -> Trained:
        """Learn; ``labels`` has train and val only."""


class Trained(Protocol):
    """A model that has learned."""

    @property
    def facts(self) -> dict[str, Any]:
        """Fields of the :class:`Result` that come from the model itself."""

    def outputs(self, part: Part) -> Outputs:
        """Logits for a part."""


M_co = TypeVar("M_co", bound=Model, covariant=True)


@dataclass(frozen=True)
class ModelSpec(Generic[M_co]):
    """A model by name, with where its settings come from.

    Args:
        model: The model, ready to learn.
        preset_name: Name of the preset that its settings come from.
        notes: Sentences about these settings.
    """

    model: M_co
    preset_name: str
    notes: tuple[str, ...]
