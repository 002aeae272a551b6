"""Sentences of conclusion, each with the test that it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from scipy import stats

from pages.claims import Claim, claim, claims_on
from pages.equal_tables import equal_scores
from pages.headline_tables import above_bag as bag_over_splits
from pages.rows import cell, cell_scores, mean, p_text, paired, read, seed_scores
from pages.score_tables import REAL, SYNTHETIC
from pages.speed_tables import SHAPES, h200
from pages.study_tables import SIZES
from pages.verdicts import paired_difference

LEVEL = 0.01
FEW, INDEX = "docs/results/few-subgraphs.md", "docs/results/index.md"


def above_bag(row: str, column: str) -> tuple[float, float]:
    """Points of a network above the bag of nodes on the published split, and p.

    The bag has one score without chance: the mean over seeds is tested against it.
    """
    bag = cell("real", "bag of nodes", column).number("ours")
    scores = cell_scores("real", row, column)
    return mean(scores) - bag, float(stats.ttest_1samp(scores, bag).pvalue)


def networks_on(column: str) -> list[str]:
    """Rows of networks on a real data set."""
    rows = read("reproduction/real.csv").where(
        column=column, status="done", group=lambda group: group != "Simple models"
    )
    return [row["row"] for row in rows if float(row["ours_sd"] or 0) > 0]


@claims_on(INDEX)
def bag_and_networks() -> Iterator[Claim]:
    """All networks of the table of real data against the bag of nodes."""
    for column, title in REAL.items():
        found = [above_bag(row, column) for row in networks_on(column)]
        yield claim(
            f"{title}: {{above}} above, {{below}} below",
            above=sum(points > 0 and p < LEVEL for points, p in found),
            below=sum(points < 0 and p < LEVEL for points, p in found),
        )
    yield claim(
        "of the {count} networks of the table", count=max(len(networks_on(c)) for c in REAL)
    )


def solved_by_statistics(text: str) -> Claim:
    """That exact statistics are enough for all synthetic data, in the words of a page."""
    assert {score for name in SYNTHETIC for score in exact_statistics(name)} == {100.0}
    return claim(text)


def exact_statistics(column: str) -> list[float]:
    """Test scores of a random forest on exact statistics, of each seed on the published split."""
    return cell_scores("synthetic", "exact statistics", column)


@claims_on("docs/baselines.md")
def statistics_of_baselines() -> Iterator[Claim]:
    """Exact statistics on synthetic data, beside the baselines."""
    yield solved_by_statistics("A random forest on eleven exact measures solves all four synthetic")


@claims_on("docs/evaluation.md")
def statistics_of_evaluation() -> Iterator[Claim]:
    """The same beside the kinds of data."""
    yield solved_by_statistics("A random forest on eleven exact statistics of each subgraph solves")


@claims_on("docs/results/scores-synthetic.md")
def statistics_of_scores() -> Iterator[Claim]:
    """The same beside the scores."""
    yield solved_by_statistics("A random forest on eleven exact statistics of each subgraph solves")


@claims_on("docs/start.md")
def bag_is_hard_to_beat() -> Iterator[Claim]:
    """On the published splits of real data few networks are significantly above the bag."""
    found = [above_bag(row, column) for column in REAL for row in networks_on(column)]
    above = sum(points > 0 and p < LEVEL for points, p in found)
    assert above < len(found) / 10
    yield claim("because on real data it is often hard to beat")


@claims_on("docs/baselines.md")
def bag_on_ppi_bp() -> Iterator[Claim]:
    """The bag of nodes and the best networks on PPI-BP."""
    names = networks_on("PPI-BP")
    found = {name: above_bag(name, "PPI-BP") for name in names}
    sure = sum(points < 0 and p < LEVEL for points, p in found.values())
    best = max(found, key=lambda name: found[name][0])
    yield claim(
        "a bag of nodes is significantly ahead of {sure} of {all} networks on this test part (the"
        " best, {best}, is behind by {points:.1f} points, {p}), and",
        sure=sure,
        all=len(names),
        best=best.replace(", ", " with "),
        points=-found[best][0],
        p=p_text(found[best][1]),
    )


def published_gain(kind: str, size: str) -> tuple[float, float]:
    """CoS2N minus S2N with published settings on the same subsets, and p of a paired t-test."""
    runs = read("reproduction/data-scarce-ppi_bp.csv").where(column=f"n = {size}")
    sides = [seed_scores(runs.where(row=f"{name}{kind}")) for name in ("CoS2N", "S2N")]
    return mean(sides[0]) - mean(sides[1]), paired(*sides)


@claims_on(FEW)
def few_subgraphs_published() -> Iterator[Claim]:
    """CoS2N against S2N with published settings."""
    zero, inner = ([published_gain(kind, n) for n in SIZES] for kind in ("+0", "+A"))
    assert all(points > 0 for points, _ in zero)
    assert all(points < 0 for points, _ in inner)
    yield claim(
        "CoS2N+0 is above S2N+0 by {least:.1f} to {most:.1f} points, significantly at {sure} of"
        " {all} sizes ({z0}, {z1}, {z2}, {z3}). CoS2N+A is below S2N+A by {low:.1f} to {high:.1f}"
        " points, significantly at {under} of {again} ({a0}, {a1}, {a2}, {a3}),",
        least=min(points for points, _ in zero),
        most=max(points for points, _ in zero),
        sure=sum(p < LEVEL for _, p in zero),
        all=len(zero),
        low=min(-points for points, _ in inner),
        high=max(-points for points, _ in inner),
        under=sum(p < LEVEL for _, p in inner),
        again=len(inner),
        **{f"z{k}": p_text(p) for k, (_, p) in enumerate(zero)},
        **{f"a{k}": p_text(p) for k, (_, p) in enumerate(inner)},
    )


def train_seconds(model: str, shape: str) -> float:
    """Seconds of an epoch on the H200."""
    return h200(model, shape).number("train_seconds")


def faster_separated() -> None:
    """Times have no test: each of the four shapes has to agree."""
    for shape in SHAPES:
        a, separated, zero = (
            train_seconds(f"{name} gcn2", shape) for name in ("s2n+a", "separated", "s2n+0")
        )
        assert zero < separated < a


@claims_on("README.md")
def front_page_times() -> Iterator[Claim]:
    """Separated subgraphs against S2N+A."""
    faster_separated()
    yield claim("Separated, which ignores all edges between sets, trains faster than S2N+A at all")


@claims_on(INDEX)
def index_times() -> Iterator[Claim]:
    """The same among the results."""
    faster_separated()
    yield claim("trained separately are faster than S2N+A at all four shapes")


@claims_on("docs/results/speed.md")
def times_of_s2n_zero() -> Iterator[Claim]:
    """S2N+0 against S2N+A and Separated."""
    faster_separated()
    yield claim("S2N+0 is faster than both")


@claims_on("docs/results/searches.md")
def preset_of_ppi_bp() -> Iterator[Claim]:
    """The winner on fresh splits of PPI-BP came from no study."""
    won = read("studies/confirmed.csv").where(data="ppi_bp", won="True").only()
    assert won["study"] == "preset ppi_bp-rwpe"
    yield claim("and no study above beat it on fresh splits")


@claims_on("docs/evaluation.md")
def one_part() -> Iterator[Claim]:
    """The bag of nodes on the published part of PPI-BP and over splits."""
    names = networks_on("PPI-BP")
    found = [above_bag(name, "PPI-BP") for name in names]
    splits = bag_over_splits("PPI-BP")
    assert splits is not None
    yield claim(
        "on PPI-BP's published part a bag of nodes is significantly ahead of {ahead} of {all}"
        " networks; over ten random splits S2N+A minus the bag is {points:+.1f} points ({p})",
        ahead=sum(points < 0 and p < LEVEL for points, p in found),
        all=len(names),
        points=splits.points,
        p=p_text(splits.p),
    )


def worth_of_ties(data: str) -> tuple[float, str]:
    """What the lowest loss instead of the first epoch changes over ten random splits, and p."""
    rows = read("ties-splits.csv").where(data=data)
    sides = [rows.where(model=rule).numbers("test") for rule in ("loss", "first")]
    overlap = float(rows.rows[0]["test_size"]) / float(rows.rows[0]["train"])
    found = paired_difference(data, *sides, overlap=overlap)
    return found.points, p_text(found.p)


def tie_claims(text: str) -> Iterator[Claim]:
    """The same on both data sets, in the words of a page."""
    (density, dp), (cut, cp) = map(worth_of_ties, ("density", "cut_ratio"))
    yield claim(text, density=density, dp=dp, cut=cut, cp=cp)


@claims_on(INDEX)
def ties_of_index() -> Iterator[Claim]:
    """What the rule for ties is worth, among the results."""
    yield from tie_claims(
        "which over ten random splits changes S2N+A by {density:+.1f} ({dp}) and {cut:+.1f} points"
        " ({cp});"
    )


@claims_on("docs/audit.md")
def ties_of_audit() -> Iterator[Claim]:
    """The same on the page on audits."""
    yield from tie_claims(
        "changed S2N+A by {density:+.1f} points on Density ({dp}) and by {cut:+.1f} on Cut-Ratio"
        " ({cp}) over ten random splits"
    )


@claims_on("docs/results/searches.md")
def ties_of_searches() -> Iterator[Claim]:
    """The same beside the five splits on which the rule was chosen."""
    yield from tie_claims(
        "Over ten random splits the difference is {density:+.1f} ({dp}) and {cut:+.1f} points"
        " ({cp}): not shown."
    )


@claims_on("docs/results/scores-real.md")
def networks_on_patients() -> Iterator[Claim]:
    """S2N against the bag of nodes over splits that keep publications apart."""
    bag = [100 * float(row["micro_f1"]) for row in read("patients.csv").where(model="bag")]
    own = read("equal-search.csv").where(data="patients", split="random")
    values: dict[str, object] = {}
    for model, mark in (("s2n+0 gcn2", "z"), ("s2n+a gcn2", "a")):
        rows = own.where(model=model)
        overlap = rows.number("test_size") / rows.number("train")
        found = paired_difference(model, equal_scores(rows), bag, overlap=overlap)
        values |= {mark: f"{rows.only()['test']} ± {rows.only()['test_sd']}"}
        values |= {f"{mark}d": found.points, f"{mark}p": p_text(found.p)}
    yield claim(
        "default settings have {z} (S2N+0) and {a} (S2N+A, [An equal search](equal-search.md)):"
        " {zd:+.1f} ({zp}) and {ad:+.1f} points ({ap}) against the bag.",
        **values,
    )
