"""The conclusions of the paper, each with our rows, a test and a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pages.claims import Claim, claim, claims_on
from pages.markdown import generates, table
from pages.rows import cell_scores, mean, p_text, read, welch
from pages.score_tables import REAL, TABLE_OF
from pages.speed_tables import SHAPES, authors, captured_ratio, h200, plain_ratio
from pages.study_tables import SIZES, gain
from sub2node.reproduce.paper_tables import row_title

LEVEL = 0.01
SHORT = {"HPO-Neuro": "HPO-Neuro*", "HPO-Metab": "HPO-Metab*"}


@dataclass(frozen=True)
class Difference:
    """What one side is above the other in points, and the p-value."""

    where: str
    points: float
    p: float

    def __str__(self) -> str:
        return f"{SHORT.get(self.where, self.where)} {self.points:+.1f} ({p_text(self.p)})"


def differences(
    first: str, second: str, data: Iterable[str], *, table_name: str = ""
) -> list[Difference]:
    """One row minus another over ten seeds, on each data set."""
    found = []
    for name in data:
        sides = [cell_scores(table_name or TABLE_OF[name], row, name) for row in (first, second)]
        found.append(Difference(name, mean(sides[0]) - mean(sides[1]), welch(*sides)))
    return found


def verdict_above(found: Sequence[Difference]) -> str:
    """Whether the first side is above the second: significantly on all, on some, on none."""
    above = [d.where for d in found if d.points > 0 and d.p < LEVEL]
    below = [d.where for d in found if d.points < 0 and d.p < LEVEL]
    if len(above) == len(found):
        return "confirmed"
    parts = [f"confirmed on {', '.join(above)} only"] if above else []
    parts += [f"contradicted on {', '.join(below)}"] if below else []
    return "; ".join(parts) or "not confirmed"


def verdict_not_below(found: Sequence[Difference]) -> str:
    """Whether the first side is nowhere significantly below the second."""
    below = [d.where for d in found if d.points < 0 and d.p < LEVEL]
    return f"contradicted on {', '.join(below)}" if below else "confirmed: nowhere worse"


def listed(found: Sequence[Difference]) -> str:
    """Differences in one line."""
    return ", ".join(map(str, found))


def performance() -> list[list[str]]:
    """Conclusions about scores."""
    real, structural = tuple(REAL), ("Density", "Coreness", "Component")
    glass = differences("S2N+A GCNII", "GLASS", real)
    plus = differences("S2N+A GCNII", "S2N+0 GCNII", real)
    walks = [
        d for row in ("S2N+A GCNII", "S2N+0 GCNII") for d in differences(f"{row}, RWPE", row, real)
    ]
    synthetic = differences("S2N+A GCNII", "GLASS", structural)
    zero = differences("S2N+0 GCNII", "GLASS", ("Density", "Cut-Ratio", "Coreness"))
    cut = differences("GLASS", "S2N+A GCNII", ("Cut-Ratio",))
    lifted = [
        d
        for row in ("S2N+A GCNII", "S2N+0 GCNII")
        for d in differences(f"{row}, RWPE", row, ("Density", "Cut-Ratio"))
    ]
    core = differences("S2N+A GCNII, RWPE", "S2N+A GCNII", ("Coreness",))
    return [
        ["S2N is as good as GLASS or better on real data", verdict_not_below(glass),
         f"S2N+A GCNII - GLASS: {listed(glass)}"],
        ["S2N+A is better than S2N+0 on real data", verdict_above(plus),
         f"GCNII: {listed(plus)}"],
        ["RWPE generally raises scores on real data", verdict_above(walks),
         f"S2N+A, then S2N+0: {listed(walks)}"],
        ["S2N+A is as good as GLASS or better on Density, Coreness and Component",
         verdict_not_below(synthetic), listed(synthetic)],
        ["S2N+0 is below GLASS but on Component",
         verdict_above([Difference(d.where, -d.points, d.p) for d in zero]), listed(zero)],
        ["Cut-Ratio is hard for S2N: S2N+A is below GLASS", verdict_above(cut),
         f"GLASS - S2N+A: {listed(cut)}"],
        ["RWPE lifts S2N on Density and Cut-Ratio", verdict_above(lifted),
         f"S2N+A, then S2N+0: {listed(lifted)}; [why](#rwpe-on-density-and-cut-ratio)"],
        ["RWPE does not lift S2N on Coreness",
         "confirmed" if core[0].p >= LEVEL or core[0].points < 0 else "contradicted",
         listed(core)],
    ]  # fmt: skip


def ablations() -> list[list[str]]:
    """Conclusions about readouts, layers and few subgraphs."""
    real = tuple(REAL)
    worst = [
        d
        for other in ("sum", "mean", "degree")
        for d in differences(f"S2N+A {other}", "S2N+A max", real, table_name="readout")
    ]
    best = [
        d
        for other in ("mean", "degree")
        for d in differences("S2N+A sum", f"S2N+A {other}", real, table_name="readout")
    ]
    messages = differences("S2N+0 2", "S2N+0 0", real, table_name="layers")
    bridged = [
        Difference(f"{kind} n = {n}", *gain(kind, n)) for kind in ("+0", "+a") for n in SIZES
    ]
    significant = sum(d.points > 0 and d.p < LEVEL for d in bridged)
    above = sum(d.points > 0 for d in bridged)
    return [
        ["The sum is the best readout in general", _majority(best),
         f"S2N+A, sum - mean, then sum - degree: {listed(best)}"],
        ["The maximum is the worst readout", _majority(worst),
         f"S2N+A, sum, mean, degree - max: {listed(worst)}"],
        ["Messages between subgraphs raise scores", verdict_above(messages),
         f"S2N+0, 2 layers - none: {listed(messages)}"],
        ["CoS2N is above S2N with few subgraphs, in all conditions",
         "confirmed" if significant == len(bridged) else "not confirmed",
         f"above in {above} of {len(bridged)}, significantly in {significant}; settings differ"
         " too ([few subgraphs](few-subgraphs.md))"],
    ]  # fmt: skip


def _majority(found: Sequence[Difference]) -> str:
    """A statement about most cases."""
    above = sum(d.points > 0 and d.p < LEVEL for d in found)
    below = sum(d.points < 0 and d.p < LEVEL for d in found)
    if below:
        where = ", ".join(d.where for d in found if d.points < 0 and d.p < LEVEL)
        return f"significantly in {above} of {len(found)}; contradicted on {where}"
    word = "confirmed" if 2 * above > len(found) else "not confirmed"
    return f"{word}: significantly in {above} of {len(found)}"


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
         "depends on what is compared",
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
    """A statement that each ratio is above 1; times have no test here."""
    count = sum(ratio > 1 for ratio in ratios)
    if count == len(ratios):
        return "confirmed"
    return "contradicted" if count == 0 else f"at {count} of {len(ratios)} shapes only"


def conclusions_of(rows: Callable[[], list[list[str]]]) -> str:
    """A table of conclusions."""
    return table(["the paper says", "here", "evidence"], rows())


@generates("conclusions-performance")
def conclusions_performance() -> str:
    """What the paper concludes about scores."""
    return conclusions_of(performance)


@generates("conclusions-ablations")
def conclusions_ablations() -> str:
    """What the paper concludes about readout, layers and few subgraphs."""
    return conclusions_of(ablations)


@generates("conclusions-efficiency")
def conclusions_efficiency() -> str:
    """What the paper concludes about speed and memory."""
    return conclusions_of(efficiency)


@generates("diagnosis")
def diagnosis() -> str:
    """Cells below the published number, one difference at a time."""
    rows = [
        [row_title(row["cell"]),
         row["data"], row["change"], row["val"], f"{row['test']} ± {row['test_sd']}",
         row["published"], row["difference"]]
        for row in read("diagnosis.csv")
    ]  # fmt: skip
    head = ["cell", "data", "change", "val", "test", "published", "difference"]
    return table(head, rows)


@claims_on("docs/results/conclusions.md")
def scale_of_walks() -> Iterator[Claim]:
    """What standardised RWPE brings S2N+0 on Cut-Ratio."""
    rows = read("diagnosis.csv").where(cell="s2n+0 gcn2 rwpe", data="cut_ratio")

    def test(change: str) -> float:
        return rows.where(change=change).number("test")

    yield claim(
        "RWPE lifts Cut-Ratio from {before:.1f} to {after:.1f}, and to {most:.1f} with constants"
        " of 1",
        before=test("as in the table"),
        after=test("RWPE standardised"),
        most=test("RWPE standardised, sum, constants of 1"),
    )


@claims_on("docs/results/conclusions.md")
def weights_of_gin() -> Iterator[Claim]:
    """GIN with and without weights of links."""
    weighted, plain = (
        read("diagnosis.csv").where(cell="s2n+a gin", change=change).number("test")
        for change in ("as in the table", "links without weights")
    )
    yield claim(
        "change nothing ({weighted:.1f} to {plain:.1f}), so", weighted=weighted, plain=plain
    )


@claims_on("docs/results/conclusions.md")
def scale_of_walks_inside() -> Iterator[Claim]:
    """The same of S2N+A."""
    rows = read("diagnosis.csv").where(cell="s2n+a gcn2 rwpe", data="cut_ratio")
    yield claim(
        "S2N+A gets {after:.1f} instead of {before:.1f} there.",
        after=rows.where(change="RWPE standardised").number("test"),
        before=rows.where(change="as in the table").number("test"),
    )
