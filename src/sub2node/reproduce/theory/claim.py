"""One claim of the paper with the results of its check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

import numpy as np

from ...base.errors import DataError

Cell = str | int | float | bool | None


@dataclass(frozen=True)
class Slack:
    """Bound over measured value: 1 is tight, below 1 it does not hold.

    Args:
        low: The smallest ratio.
        median: The median ratio.
        high: The largest ratio.
    """

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Slack | None:
        """The slack of some ratios; those that are not finite (nothing measured) are ignored."""
        array = np.asarray(values, dtype=np.float64)
        array = array[np.isfinite(array)]
        if not len(array):
            return None
        return cls(float(array.min()), float(np.median(array)), float(array.max()))

    def __str__(self) -> str:
        return f"{self.low:.3g} … {self.median:.3g} … {self.high:.3g}"


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, what was tried of it, and the outcome.

    Args:
        name: Its name, in files too.
        title: A short title.
        statement: What was verified, in one sentence.
        cases: The number of cases that were tried.
        held: The number of cases in which the statement held.
        printed_held: In how many the claim held as it is printed; None where that is the statement.
        slack: Bound over measured, of the statement.
        printed_slack: The slack of the claim as it is printed.
        notes: What exactly was verified, and which steps are loose; sentences.
        rows: A table, one dictionary per row, all with the same keys.
        data: What its figure shows.
        seconds: How long it took.
    """

    name: str
    title: str
    statement: str
    cases: int
    held: int
    printed_held: int | None
    slack: Slack | None
    printed_slack: Slack | None
    notes: tuple[str, ...]
    rows: tuple[dict[str, Cell], ...]
    data: dict[str, Any]
    seconds: float = 0.0

    def to_dict(self) -> dict[str, object]:
        """The claim as values that JSON can hold."""
        return asdict(self) | {"notes": list(self.notes), "rows": [dict(row) for row in self.rows]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """From what :meth:`to_dict` gave."""
        try:
            values = {item.name: data[item.name] for item in fields(cls)}
            for name in ("slack", "printed_slack"):
                values[name] = None if values[name] is None else Slack(**values[name])
            return cls(**values | {"notes": tuple(values["notes"]), "rows": tuple(values["rows"])})
        except (KeyError, TypeError) as error:
            raise DataError(f"this is no finished claim ({error!r}); verify it again.") from None
