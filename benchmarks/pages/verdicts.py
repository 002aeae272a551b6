"""One rule for every conclusion: differences with their tests, and the verdict that follows.

A statement is that one side is *above* another, or *not below* it. Each of its differences is
tested at level 0.01:

- above: the difference is positive, and significantly so;
- not below: the difference is significantly larger than minus a margin (one-sided).

A verdict is *contradicted* where any difference is significant in the other direction, else
*confirmed* where every difference passes its test, else *not confirmed*: that no difference shows
confirms nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scipy import stats

from pages.rows import deviation, mean, p_text

LEVEL = 0.01
MARGIN = 2.0  # points that do not count as below
Claimed = Literal["above", "not below"]


@dataclass(frozen=True)
class Difference:
    """What one side is above the other.

    Args:
        where: The data, or the condition.
        points: The difference of the means.
        error: Its standard error; 0 where neither side varies.
        freedom: Degrees of freedom of the t-test.
        mark: What follows the data in a list.
    """

    where: str
    points: float
    error: float
    freedom: float
    mark: str = ""

    @property
    def p(self) -> float:
        """That there is no difference, two-sided."""
        if self.error == 0:
            return float(self.points == 0)
        return float(2 * stats.t.sf(abs(self.points) / self.error, self.freedom))

    @property
    def p_not_below(self) -> float:
        """That the first side is below by the margin or more, one-sided."""
        if self.error == 0:
            return float(self.points <= -MARGIN)
        return float(stats.t.sf((self.points + MARGIN) / self.error, self.freedom))

    def reversed(self) -> Difference:
        """The second side against the first."""
        return Difference(self.where, -self.points, self.error, self.freedom, self.mark)

    def passes(self, claimed: Claimed) -> bool:
        """Whether it shows what is claimed."""
        if claimed == "above":
            return self.points > 0 and self.p < LEVEL
        return self.p_not_below < LEVEL

    @property
    def contradicts(self) -> bool:
        """Whether the first side is significantly below."""
        return self.points < 0 and self.p < LEVEL

    def text(self, claimed: Claimed = "above") -> str:
        """As in a list of evidence."""
        said = f"{self.where}{self.mark} {self.points:+.1f} ({p_text(self.p)}"
        if claimed == "not below":
            said += f"; {p_text(self.p_not_below).replace('p', 'margin p', 1)}"
        return said + ")"


def welch_difference(
    where: str, first: Sequence[float], second: Sequence[float], mark: str = ""
) -> Difference:
    """Over seeds on one split: Welch's t-test."""
    parts = [deviation(side) ** 2 / len(side) for side in (first, second)]
    error = math.sqrt(sum(parts))
    scale = sum(p**2 / (len(s) - 1) for p, s in zip(parts, (first, second), strict=True) if p)
    freedom = sum(parts) ** 2 / scale if scale else 1.0
    return Difference(where, mean(first) - mean(second), error, freedom, mark)


def paired_difference(
    where: str,
    first: Sequence[float],
    second: Sequence[float],
    *,
    overlap: float = 0.0,
    mark: str = "",
) -> Difference:
    """Over the same subsets or splits: the paired t-test.

    Args:
        where: The data.
        first: Scores of one side.
        second: Scores of the other side, on the same splits.
        overlap: Test over train subgraphs, for splits that share subgraphs (Nadeau and Bengio).
        mark: What follows the data in a list.
    """
    gaps = [a - b for a, b in zip(first, second, strict=True)]
    error = deviation(gaps) * math.sqrt(1 / len(gaps) + overlap)
    return Difference(where, mean(gaps), error, len(gaps) - 1, mark)


def verdict(differences: Sequence[Difference], claimed: Claimed = "above") -> str:
    """The verdict on a statement, and where it fails or holds."""
    against = [d.where for d in differences if d.contradicts]
    passed = sum(d.passes(claimed) for d in differences)
    if against:
        return f"**contradicted** on {', '.join(dict.fromkeys(against))}"
    if differences and passed == len(differences):
        return "**confirmed**"
    return f"**not confirmed**: shown in {passed} of {len(differences)}"


def listed(differences: Sequence[Difference], claimed: Claimed = "above") -> str:
    """Differences in one line; a dash for none."""
    return ", ".join(d.text(claimed) for d in differences) or "-"
