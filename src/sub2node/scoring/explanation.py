"""What an explanation consists of: contributions that add up to a probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..base.plotting import draw
from ..base.plural import plural
from ..base.ragged import Array
from .answer_views import explanation_frame, explanation_html

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from .query import Query
    from .scorer import Scorer


@dataclass(frozen=True)
class Contribution:
    """What a member or a known subgraph adds to a probability.

    Args:
        id: Id of the node, or of the known subgraph.
        title: A name for people to read, may be empty.
        value: What it adds to the probability.
        weight: Weight of the link to a known subgraph; None for a member.
        labels: Labels of the known subgraph.
        excluded: Whether it is a node that was looked for and is absent.
    """

    id: str
    title: str
    value: float
    weight: float | None = None
    labels: tuple[str, ...] = ()
    excluded: bool = False

    @property
    def member_kind(self) -> str:
        """What tables call it among members: ``member``, or ``excluded``."""
        return "excluded" if self.excluded else "member"


@dataclass(frozen=True, repr=False)
class Explanation:
    """Baseline and contributions that add up to a probability.

    Args:
        name: Name of the subgraph.
        label: The class that is explained.
        probability: Probability of that class.
        baseline: Probability of that class for an empty subgraph without links.
        members: Contributions of the members, and of excluded nodes where the model reads them,
            largest first.
        neighbors: Contributions of the known subgraphs it is joined to, largest first.
        statistics: What its statistics contribute together, where the network reads some.
        gap: What is missing in the sum, by rounding and by the number of points on the line.
        joins: Whether the model joins subgraphs at all; if so, one without ``neighbors`` is too
            weakly joined to any known one.
        border: What the neighbours and edges around it contribute together, where the model reads
            them.
    """

    name: str
    label: str
    probability: float
    baseline: float
    members: tuple[Contribution, ...]
    neighbors: tuple[Contribution, ...]
    statistics: float | None
    gap: float
    joins: bool = True
    border: float | None = None

    def to_frame(self) -> pd.DataFrame:
        """One row per contribution as a pandas data frame; points add up to the probability.

        Columns ``what`` (an id), ``kind`` (baseline, member, excluded, neighbour, statistics,
        border or rounding), ``points`` (percentage points) and ``title``.
        """
        return explanation_frame(self)

    def plot(self, most: int = 15) -> Figure:
        """The largest contributions as bars, as a Matplotlib figure.

        Args:
            most: The number of bars; the other contributions are drawn as one.
        """
        return draw("draw_explanation", self, most=most)

    def _repr_html_(self) -> str:
        return explanation_html(self)

    def __repr__(self) -> str:
        return (
            f"Explanation({self.name}: {self.label} {self.probability:.3f}, from"
            f" {self.baseline:.3f} by {plural(len(self.members), 'member')} and"
            f" {plural(len(self.neighbors), 'neighbour')})"
        )


def rank_members(scorer: Scorer, query: Query, values: Array) -> tuple[Contribution, ...]:
    """Contributions of the members of the one subgraph of a query, largest first.

    Args:
        scorer: The model.
        query: The subgraph.
        values: What each member adds, then what each excluded node adds where those are read.
    """
    index, members, excluded = scorer.index, query.subgraphs.nodes, query.subgraphs.excluded
    absent = [] if excluded is None else excluded.nodes.tolist()
    nodes = [*members.tolist(), *absent][: len(values)]
    return tuple(
        Contribution(
            index.name(nodes[i]),
            index.title(nodes[i]),
            float(values[i]),
            excluded=i >= len(members),
        )
        for i in np.argsort(-np.abs(values), kind="stable").tolist()
    )
