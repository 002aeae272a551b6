"""How often a random set of the same size and node degrees gets as high a probability.

Each member is replaced by a random node of about the same degree, all of a set distinct; the model
answers for the random sets, and the p-value of a class is (1 + how many of them have at least the
probability of the set that was asked) / (1 + draws), as of a permutation test (Phipson and Smyth,
https://arxiv.org/abs/1603.05766).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..base.errors import ConfigError, DataError
from ..base.progress import step
from ..base.ragged import Array, lengths, pointers, ranges
from ..task import Subgraphs
from ..task.whole_graph import require_loaded
from .answers import Answers
from .query import Query
from .scorer import PlacedSubgraphs

if TYPE_CHECKING:
    from .scorer import Scorer

DRAWS = 200
_SMALLEST_BIN = 50  # nodes
_MOST_SETS = 1000  # answered together
_MOST_MEMBERS = 1_000_000  # of these sets
_ROUNDING = 1e-6  # probabilities that differ by less are the same, answered in other company


@dataclass(frozen=True, eq=False)
class DegreeBins:
    """The nodes of a graph in bins of similar degree; nodes of one degree are in one bin.

    Args:
        order: The nodes, by degree; (N,).
        ptr: Bin b has the nodes ``order[ptr[b]:ptr[b + 1]]``.
        bin_of: The bin of each node; (N,).
    """

    order: Array
    ptr: Array
    bin_of: Array

    @classmethod
    def of(cls, degrees: Array, *, smallest: int = _SMALLEST_BIN) -> DegreeBins:
        """Bins of at least ``smallest`` nodes each, or one bin of all where there are fewer.

        Args:
            degrees: Degree of each node; (N,).
            smallest: Fewest nodes of a bin.
        """
        ends = np.cumsum(np.unique(degrees, return_counts=True)[1])
        bounds, count = [0], len(degrees)
        while bounds[-1] < count:
            last = np.searchsorted(ends, bounds[-1] + smallest)
            bounds.append(int(ends[last]) if last < len(ends) else count)
        if len(bounds) > 2 and bounds[-1] - bounds[-2] < smallest:
            del bounds[-2]  # what is left over joins the bin below
        ptr, order = np.array(bounds, np.int64), np.argsort(degrees, kind="stable")
        bin_of = np.empty(count, np.int64)
        bin_of[order] = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        return cls(order, ptr, bin_of)

    def draw(self, nodes: Array, draws: int, random: np.random.Generator) -> Array:
        """Random sets with as many nodes of each bin as these; every such set is equally likely.

        Args:
            nodes: Distinct nodes; (k,).
            draws: Number of sets.
            random: Source of random numbers.

        Returns:
            One set per row, (draws, k): its j-th node is of the bin of the j-th of ``nodes``.
        """
        bins = self.bin_of[nodes]
        counts = np.bincount(bins, minlength=len(self.ptr) - 1)
        crowded = 2 * counts > np.diff(self.ptr)
        places = np.empty((draws, len(nodes)), np.int64)
        for part, draw_places in ((crowded, self._draw_by_keys), (~crowded, self._draw_again)):
            columns = np.flatnonzero(part[bins])
            columns = columns[np.argsort(bins[columns], kind="stable")]
            places[:, columns] = draw_places(bins[columns], draws, random)
        return np.asarray(self.order[places])

    def _draw_by_keys(self, bins: Array, draws: int, random: np.random.Generator) -> Array:
        """Places in ``order``: all nodes of each bin shuffled, and the first ones taken."""
        chosen, counts = np.unique(bins, return_counts=True)
        widths = lengths(self.ptr, chosen)
        ranks = np.repeat(np.arange(len(chosen)), widths)
        shuffled = np.argsort(ranks + random.random((draws, len(ranks))), axis=1)
        first = ranges(pointers(widths)[:-1], counts)
        return np.asarray(ranges(self.ptr[chosen], widths)[shuffled[:, first]])

    def _draw_again(self, bins: Array, draws: int, random: np.random.Generator) -> Array:
        """Places in ``order``: drawn until all of a row differ.

        Of places that are the same the first column stays. The rule does not depend on which node
        it is, so that no set is likelier than another.
        """
        low, high = self.ptr[bins], self.ptr[bins + 1]
        places = random.integers(low, high, size=(draws, len(bins)))
        rows = np.arange(draws)
        while len(rows):
            columns = np.argsort(places[rows], axis=1, kind="stable")
            ascending = np.take_along_axis(places[rows], columns, axis=1)
            row, rank = np.nonzero(ascending[:, 1:] == ascending[:, :-1])
            again = columns[row, rank + 1]
            places[rows[row], again] = random.integers(low[again], high[again])
            rows = rows[np.unique(row)]
        return places


def null_p_values(
    scorer: Scorer,
    query: Query,
    *,
    probabilities: Array | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Array:
    """How often random sets get probabilities at least as high, by subgraph and class; (K, C).

    The random sets of a subgraph depend on the seed and on its nodes alone, not on what else is
    asked. They are answered independently of each other.

    Args:
        scorer: The model.
        query: The subgraphs.
        probabilities: What the model answers for them, in mode ``independent``, where that is
            known; (K, C).
        draws: Number of random sets per subgraph; the lowest possible value is 1 / (1 + draws).
        seed: Seed of the random sets.
    """
    check_draws(draws, seed)
    if query.subgraphs.edges is not None:
        raise DataError(
            "random sets have the edges of the graph, but these subgraphs have edges of their own;"
            " give their nodes only."
        )
    if probabilities is None:
        probabilities = scorer.predict(query).probabilities
    require_loaded(scorer.graph, "drawing random sets like a subgraph")
    bins = DegreeBins.of(scorer.graph.degrees)
    counts = np.zeros_like(probabilities, dtype=np.int64)
    total = draws * len(query)
    for number in range(len(query)):
        members = query.subgraphs.take(np.array([number]))
        random = np.random.default_rng([seed, *members.nodes.tolist()])
        size = max(min(_MOST_SETS, _MOST_MEMBERS // max(len(members.nodes), 1)), 1)
        for start in range(0, draws, size):
            step("Answering for random sets", number * draws + start, total)
            sets = draw_like(members, bins, min(size, draws - start), random)
            drawn = scorer.predict(Query.of(sets)).probabilities
            counts[number] += (drawn >= probabilities[number] - _ROUNDING).sum(axis=0)
    step("Answering for random sets", total, total)
    return np.asarray((1 + counts) / (1 + draws))


def compare_with_null(
    scorer: Scorer,
    query: Query | PlacedSubgraphs,
    *,
    answers: Answers,
    draws: int = DRAWS,
    seed: int = 0,
) -> Answers:
    """Answers with their p-values: :func:`null_p_values` as the field ``null``."""
    plain = query.query if isinstance(query, PlacedSubgraphs) else query
    null = null_p_values(scorer, plain, probabilities=answers.probabilities, draws=draws, seed=seed)
    return replace(answers, null=null)


def draw_like(
    members: Subgraphs, bins: DegreeBins, draws: int, random: np.random.Generator
) -> Subgraphs:
    """Random subgraphs like one: as many nodes of each degree bin, its weights and excluded nodes.

    Args:
        members: One subgraph.
        bins: The nodes of the graph by degree.
        draws: Number of random subgraphs.
        random: Source of random numbers.
    """
    nodes = bins.draw(members.nodes, draws, random)
    order = np.argsort(nodes, axis=1)
    ptr = np.arange(draws + 1) * nodes.shape[1]
    weights = None if members.weights is None else members.weights[order].ravel()
    excluded = members.excluded
    if excluded is not None:
        own = None if excluded.weights is None else np.tile(excluded.weights, draws)
        ends = np.arange(draws + 1) * len(excluded.nodes)
        excluded = Subgraphs(ends, np.tile(excluded.nodes, draws), own)
    return Subgraphs(
        ptr, np.take_along_axis(nodes, order, axis=1).ravel(), weights, excluded=excluded
    )


def check_draws(draws: int, seed: int = 0) -> None:
    """Raise unless these can be a number of random sets and a seed."""
    if draws < 1:
        raise ConfigError(f"a null distribution needs 1 random set or more, found {draws}.")
    if seed < 0:
        raise ConfigError(f"a seed is 0 or more, found {seed}.")
