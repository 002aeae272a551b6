"""The conclusions of the paper, each with our rows, tests and a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pages.claims import Claim, claim, claims_on
from pages.equal_tables import equal_difference, longer_difference
from pages.markdown import generates, table
from pages.rows import cell_scores
from pages.score_tables import REAL, TABLE_OF, TASK_OF
from pages.speed_tables import SHAPES, authors, captured_ratio, h200, plain_ratio
from pages.study_tables import SIZES, scarce_scores
from pages.verdicts import (
    MARGIN,
    Claimed,
    Difference,
    listed,
    paired_difference,
    verdict,
    welch_difference,
)

SHORT = {"HPO-Neuro": "HPO-Neuro*", "HPO-Metab": "HPO-Metab*"}
EQUAL = {
    "GLASS": "glass",
    "S2N+0 GCNII": "s2n+0 gcn2",
    "S2N+A GCNII": "s2n+a gcn2",
}


@dataclass(frozen=True)
class Statement:
    """A conclusion about scores: one model above another, or not below it.

    Args:
        text: What the paper says.
        pairs: Rows that are compared: the first and the second side.
        data: The columns.
        claimed: What must hold of each difference.
        table: The table of the rows; empty: that of the data.
        note: What stands behind the evidence.
    """

    text: str
    pairs: Sequence[tuple[str, str]]
    data: Sequence[str]
    claimed: Claimed = "above"
    table: str = ""
    note: str = ""

    def over_seeds(self) -> list[Difference]:
        """On the published split."""
        return [d for pair in self.pairs for d in differences(*pair, self.data, table=self.table)]

    def over_splits(self) -> list[Difference]:
        """In the equal search, and against GLASS after a longer one, where both sides are there."""
        found = [
            difference
            for first, second in self.pairs
            if first in EQUAL and second in EQUAL and not self.table
            for name in self.data
            for difference in _split_differences(first, second, name)
        ]
        return [difference for difference in found if difference is not None]

    def row(self) -> list[str]:
        """As it stands in a table."""
        seeds, splits = self.over_seeds(), self.over_splits()
        return [
            self.text,
            verdict([*seeds, *splits], self.claimed),
            listed(seeds, self.claimed) + self.note,
            listed(splits, self.claimed),
        ]


def differences(
    first: str, second: str, data: Iterable[str], *, table: str = ""
) -> list[Difference]:
    """One row minus another over ten seeds, on each data set."""
    found = []
    for name in data:
        sides = [cell_scores(table or TABLE_OF[name], row, name) for row in (first, second)]
        found.append(welch_difference(SHORT.get(name, name), *sides))
    return found


def _split_differences(first: str, second: str, name: str) -> list[Difference | None]:
    """One row minus another over the same random splits: equal search, then the longer one."""
    task, title = TASK_OF[name], SHORT.get(name, name)
    found = [equal_difference(EQUAL[first], EQUAL[second], task, title)]
    if {first, second} == {_A, "GLASS"}:
        longer = longer_difference(task, title)
        found.append(longer.reversed() if longer is not None and first == "GLASS" else longer)
    return found


_REAL = tuple(REAL)
_A, _ZERO = "S2N+A GCNII", "S2N+0 GCNII"
_WALKS = [(f"{row}, RWPE", row) for row in (_A, _ZERO)]
SCORES = (
    Statement("S2N is as good as GLASS or better on real data", [(_A, "GLASS")], _REAL,
              "not below"),
    Statement("S2N+A is better than S2N+0 on real data", [(_A, _ZERO)], _REAL),
    Statement("RWPE generally raises scores on real data", _WALKS, _REAL,
              note="; S2N+A, then S2N+0"),
    Statement("S2N+A is as good as GLASS or better on Density, Coreness and Component",
              [(_A, "GLASS")], ("Density", "Coreness", "Component"), "not below"),
    Statement("S2N+0 is below GLASS but on Component", [("GLASS", _ZERO)],
              ("Density", "Cut-Ratio", "Coreness"), note="; GLASS minus S2N+0"),
    Statement("Cut-Ratio is hard for S2N: S2N+A is below GLASS", [("GLASS", _A)], ("Cut-Ratio",),
              note="; GLASS minus S2N+A"),
    Statement("RWPE lifts S2N on Density and Cut-Ratio", _WALKS, ("Density", "Cut-Ratio"),
              note="; S2N+A, then S2N+0; [why](below-published.md#rwpe-on-density-and-cut-ratio)"),
    Statement("RWPE does not lift S2N on Coreness", [(_A, f"{_A}, RWPE")], ("Coreness",),
              "not below", note="; without minus with"),
)  # fmt: skip
ABLATIONS = (
    Statement("The sum is the best readout in general",
              [("S2N+A sum", f"S2N+A {other}") for other in ("mean", "degree")], _REAL,
              table="readout", note="; mean, then degree"),
    Statement("The maximum is the worst readout",
              [(f"S2N+A {other}", "S2N+A max") for other in ("sum", "mean", "degree")], _REAL,
              table="readout", note="; sum, mean, degree"),
    Statement("Messages between subgraphs raise scores", [("S2N+0 2", "S2N+0 0")], _REAL,
              table="layers", note="; S2N+0, two layers against none"),
)  # fmt: skip


def few_subgraphs() -> list[str]:
    """CoS2N against S2N over subsets."""
    bridged = [
        paired_difference(f"{kind.upper()}, n = {n}", *sides)
        for kind in ("+0", "+a")
        for n in SIZES
        if (sides := (scarce_scores(f"cos2n{kind}", n), scarce_scores(f"s2n{kind}", n)))
    ]
    note = "; settings differ too ([few subgraphs](few-subgraphs.md))"
    text = "CoS2N is above S2N with few subgraphs, in all conditions"
    return [text, verdict(bridged), listed(bridged) + note, "-"]


def efficiency() -> list[list[str]]:
    """Conclusions about speed and memory."""

    def span(values: Sequence[float], form: str = ",.0f") -> str:
        return f"{min(values):{form}} to {max(values):{form}}"

    def faster(model: str) -> list[float]:
        return [
            h200(model, shape).number("train_seconds")
            / h200("s2n+a gcn2", shape).number("train_seconds")
            for shape in SHAPES
        ]

    plain = [plain_ratio(shape) for shape in SHAPES]
    replayed = [captured_ratio("s2n+a gcn2", shape) for shape in SHAPES]
    theirs = [
        authors("GLASS", shape).number("authors_epoch_ms")
        / authors("S2N+A GCNII", shape).number("authors_epoch_ms")
        for shape in SHAPES
    ]
    memory = [h200("s2n+a gcn2", shape).number("memory_ratio") for shape in SHAPES]
    connected, separated = faster("connected gcn2"), faster("separated gcn2")
    return [
        ["S2N trains ×183 to ×711 as fast as GLASS",
         "depends on what is compared, and is larger or smaller than that",
         f"S2N+A: authors' code ×{span(theirs)}; ours, plain against plain ×{span(plain, '.1f')};"
         f" ours replayed, GLASS not ×{span(replayed)}"],
        ["S2N trains faster than connected subgraphs", _all_above(connected),
         f"S2N+A ×{span(connected, '.2f')}"],
        ["S2N trains faster than separated subgraphs", _all_above(separated),
         f"S2N+A ×{span(separated, '.2f')}"],
        ["S2N takes less memory than GLASS", _all_above([1 / m for m in memory]),
         f"S2N+A ×{span(memory, '.2f')}"],
    ]  # fmt: skip


def _all_above(ratios: Sequence[float]) -> str:
    """At how many shapes a ratio is above 1; times and memory have no test, so no verdict."""
    return f"at {sum(ratio > 1 for ratio in ratios)} of {len(ratios)} shapes"


def conclusions_of(rows: Callable[[], list[list[str]]]) -> str:
    """A table of conclusions about cost."""
    return table(["the paper says", "here", "evidence"], rows())


HEAD = ["the paper says", "verdict", "published split, ten seeds", "ten random splits"]


@generates("conclusions-performance")
def conclusions_performance() -> str:
    """What the paper concludes about scores."""
    return table(HEAD, [statement.row() for statement in SCORES])


@generates("conclusions-ablations")
def conclusions_ablations() -> str:
    """What the paper concludes about readout, layers and few subgraphs."""
    return table(HEAD, [*(statement.row() for statement in ABLATIONS), few_subgraphs()])


@generates("conclusions-efficiency")
def conclusions_efficiency() -> str:
    """What the paper concludes about speed and memory."""
    return conclusions_of(efficiency)


@claims_on("docs/results/conclusions.md")
def margin() -> Iterator[Claim]:
    """What does not count as below."""
    yield claim("significantly larger than −{points:.0f} points, each time", points=MARGIN)
