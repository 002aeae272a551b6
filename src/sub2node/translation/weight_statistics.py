"""Mean and standard deviation over all entries of the train block, zeros and diagonal included."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, nan, sqrt

from ..base.errors import ConfigError, DataError

_ROUNDING = 1e-12  # a relative spread that sums of fractions have by rounding alone


@dataclass(frozen=True)
class Statistics:
    """Sums over the train block of W, and what follows from them.

    Args:
        subgraphs: Rows of the train block (virtual subgraphs included).
        total: Σ w.
        squares: Σ w².
    """

    subgraphs: int
    total: float
    squares: float

    @property
    def entries(self) -> int:
        """All of them: rows times rows."""
        return self.subgraphs**2

    @property
    def mean(self) -> float:
        """Σ w / n."""
        return self.total / self.entries

    @property
    def std(self) -> float:
        """With n - 1; not a number where there is one entry only."""
        if self.entries < 2:
            return nan
        # Whole sums (counts of edges) are subtracted as integers: no digit is lost.
        exact = self.total.is_integer() and self.squares.is_integer()
        total, squares = (
            (int(self.total), int(self.squares)) if exact else (self.total, self.squares)
        )
        spread = self.entries * squares - total * total
        if spread <= (0 if exact else _ROUNDING * self.entries * squares):
            return 0.0
        return sqrt(spread) / sqrt(self.entries) / sqrt(self.entries - 1)

    def weight_at(self, score: float) -> float:
        """The weight whose standard score this is; refuses one that would keep zeros."""
        if self.entries < 2:
            raise DataError(
                "one training subgraph has no spread of weights, so there is no standard score;"
                " two are needed."
            )
        if self.std == 0:
            raise DataError(
                f"all weights between training subgraphs are {self.mean:g}, so they have no"
                " standard score; take a structure without one (--structure separated or"
                " connected), or raw weights (s2n translate without --a)."
            )
        zero = -self.mean / self.std
        if zero > score:
            raise ConfigError(
                f"a cut at {score:g} would keep pairs without any edge, whose standard score is"
                f" {zero:.3f}, and make the graph full; use {ceil(zero * 1000) / 1000:.3f} or more."
            )
        return self.mean + score * self.std
