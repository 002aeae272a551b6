"""Numbers in sentences about few training subgraphs, searches and advice."""

from __future__ import annotations

from collections.abc import Iterator

from pages.claims import Claim, claim, claims_on
from pages.rows import cell, deviation, mean, p_text, paired, read
from pages.study_tables import SIZES, STUDIES, best_trial, confirmed, gain, scarce_scores

FEW, SEARCHES = "docs/results/few-subgraphs.md", "docs/results/searches.md"
LEVEL = 0.01


@claims_on(FEW)
def few_subgraphs() -> Iterator[Claim]:
    """What virtual subgraphs bring, and how good connected subgraphs are."""
    gains = [gain(kind, n) for kind in ("+0", "+a") for n in SIZES]
    assert all(points > 0 for points, _ in gains)
    yield claim(
        "above S2N in all {all} comparisons, by {least:.1f} to {most:.1f} points; {sure} of them"
        " is significant",
        all=len(gains),
        least=min(points for points, _ in gains),
        most=max(points for points, _ in gains),
        sure=sum(p < LEVEL for _, p in gains),
    )
    differences = {}
    for n in SIZES:
        best = max(("cos2n+0", "cos2n+a"), key=lambda s: mean(scarce_scores(s, n)))
        connected, coarse = scarce_scores("connected", n), scarce_scores(best, n)
        differences[n] = mean(connected) - mean(coarse), p_text(paired(connected, coarse))
    yield claim(
        "they differ by {ten:+.1f} points with ten subgraphs of each class ({tp}) and by"
        " {eighty:+.1f} with eighty ({ep}).",
        ten=differences["10"][0],
        tp=differences["10"][1],
        eighty=differences["80"][0],
        ep=differences["80"][1],
    )


@claims_on(FEW)
def few_subgraphs_by_ratio() -> Iterator[Claim]:
    """By ratio of coarsening, with published settings."""
    ratios = read("reproduction/ratio-ppi_bp.csv")
    spans = []
    for group in ratios.distinct("group"):
        for column in ratios.distinct("column"):
            scores = ratios.where(group=group, column=column).numbers("ours")
            spans.append(max(scores) - min(scores))
    spreads = ratios.numbers("ours_sd")
    yield claim(
        "lie {low:.1f} to {high:.1f} points; standard deviations over subsets are {least:.1f} to"
        " {most:.1f}.",
        low=min(spans), high=max(spans), least=min(spreads), most=max(spreads),
    )  # fmt: skip


def falls(studies: list[tuple[str, str]]) -> list[float]:
    """Points that the best trial of a study loses on fresh splits."""
    return [
        100 * (float(best_trial(study)["value"]) - confirmed(study, source).number("mean"))
        for study, source in studies
    ]


@claims_on(SEARCHES)
def searches() -> Iterator[Claim]:
    """What is left of the best trial on fresh splits."""
    own = [(study, source) for study, source in STUDIES if study == source]
    gin = falls([pair for pair in own if pair[0].endswith("-gin")])
    gcn2 = falls([pair for pair in own if not pair[0].endswith("-gin")])
    yield claim(
        "a study falls by up to {gin:.1f} points with GIN and by {low:.1f} to {high:.1f} with"
        " GCNII",
        gin=max(gin), low=min(gcn2), high=max(gcn2),
    )  # fmt: skip
    values = {}
    for data, mark in (("ppi_bp", "p"), ("density", "d")):
        values[mark] = 100 * float(best_trial(f"{data}-paper")["value"])
        values[f"{mark}f"] = 100 * confirmed(f"{data}-paper", "preset tuned").number("mean")
    yield claim(
        "winner by validation falls from {p:.1f} to {pf:.1f}, Density's from {d:.1f} to {df:.1f}.",
        **values,
    )
    on_ppi_bp = read("studies/confirmed.csv").where(data="ppi_bp")
    assert on_ppi_bp.where(won="True").only()["study"] == "preset ppi_bp-rwpe"
    rehearsed = ("ppi_bp-inputs", "ppi_bp-decay")
    best = max(100 * confirmed(study, study).number("mean") for study in rehearsed)
    default = read("studies/confirmed.csv").where(study="preset default")
    yield claim(
        "On PPI-BP {trials} rehearsed trials found {best:.1f} on fresh splits, the package's"
        " default settings with link features have {default:.1f} ± {sd:.1f}.",
        trials=sum(len(read(f"studies/{study}.csv")) for study in rehearsed),
        best=best,
        default=100 * default.number("mean"),
        sd=100 * default.number("sd"),
    )


@claims_on(SEARCHES)
def lessons_of_searches() -> Iterator[Claim]:
    """Ties, stages, test parts."""
    density, cut = (read("ties.csv").where(data=data) for data in ("density", "cut_ratio"))
    yield claim(
        "held-out scores from {a} to {b} on Density and from {c} to {d} on Cut-Ratio, with nothing"
        " else changed ({splits} splits, once)",
        a=density.only()["first"], b=density.only()["loss"], c=cut.only()["first"],
        d=cut.only()["loss"], splits=cut.only()["splits"],
    )  # fmt: skip
    yield from stage_claims(
        "of {count} validation subgraphs {here} are right in the validation stage, and {there} of"
        " the same in the test stage. A rehearsal goes through all stages and gives those settings"
        " {bad}; with `node-degree`, which does not depend on the stage, {good} ({seeds} seeds)."
    )
    splits, published = read("random-splits.csv"), {}
    for data, column in (
        ("density", "Density"),
        ("cut_ratio", "Cut-Ratio"),
        ("coreness", "Coreness"),
    ):
        row = splits.where(data=data).only()
        published[data[:2]] = f"{row['test']} ± {row['test_sd']}"
        published[f"{data[:2]}_file"] = cell("synthetic", "S2N+A GIN", column).number("ours")
    yield claim(
        "the GIN winners reach {de} on Density, {cu} on Cut-Ratio and {co} on Coreness; on the"
        " published split they have {de_file:.1f}, {cu_file:.1f} and {co_file:.1f}.",
        **published,
    )


def stage_claims(text: str) -> Iterator[Claim]:
    """How a readout that depends on the stage goes wrong, in the words of a page."""
    rows = read("stages.csv")
    bad, good = (rows.where(readout=name).only() for name in ("degree-code", "node-degree"))
    yield claim(
        text,
        count=bad["val_subgraphs"],
        here=bad["right_in_val_stage"],
        there=bad["right_in_test_stage"],
        bad=bad["rehearsal"],
        good=good["rehearsal"],
        seeds=bad["seeds"],
    )


@claims_on(SEARCHES)
def time_of_searches() -> Iterator[Claim]:
    """How long searches take."""
    rows = read("search-times.csv")
    alone, shared = (rows.where(processes=count) for count in ("1", "4"))
    yield claim(
        "by validation in {seconds:.0f} s for {trials:.0f} trials of ten seeds with nothing given"
        " up early, start of the process included: {each:.1f} s per trial, {outside:.0f} % of the"
        " trials' time outside epochs. Four processes on one GPU did {more:.0f} rehearsed trials"
        " in {long:.0f} s.",
        seconds=alone.number("seconds"),
        trials=alone.number("trials"),
        each=alone.number("seconds") / alone.number("trials"),
        outside=alone.number("outside_epochs_percent"),
        more=shared.number("trials"),
        long=shared.number("seconds"),
    )


def largest_t(cells: list[tuple[list[float], list[float]]]) -> float:
    """The largest |t| of Welch's test."""
    return max(
        abs(mean(after) - mean(before))
        / (deviation(before) ** 2 / len(before) + deviation(after) ** 2 / len(after)) ** 0.5
        for before, after in cells
    )
