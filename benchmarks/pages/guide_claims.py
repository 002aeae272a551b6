"""Numbers in sentences of the guide: baselines, choosing, tuning, reproducing."""

from __future__ import annotations

from collections.abc import Iterator

from pages.claims import Claim, claim, claims_on
from pages.rows import read
from pages.study_claims import stage_claims
from pages.study_tables import STUDIES, best_trial, confirmed

BASELINES = "docs/baselines.md"


@claims_on(BASELINES)
def small_parts() -> Iterator[Claim]:
    """What one subgraph of a small test part is worth."""
    yield claim(
        "one is {low:.1f} to {high:.1f} points, and the standard error of any score near {share}"
        " is {error:.1f} points,",
        low=100 / 25,
        high=100 / 23,
        share=85,
        error=standard_error(85, 25),
    )


@claims_on(BASELINES)
def tie_rule() -> Iterator[Claim]:
    """What the published tie rule is worth."""
    rows = read("baselines.csv").where(model="glass", split="file", settings="")
    ours, theirs = (rows.where(ties=ties).numbers("test") for ties in ("ours", "published"))
    lifts = [b - a for a, b in zip(ours, theirs, strict=True)]
    yield claim(
        "lifts GLASS by {low:.1f} to {high:.1f} points on the file's splits.",
        low=min(lifts),
        high=max(lifts),
    )
    reported = {"ppi_bp": 61.9, "density": 93.0, "cut_ratio": 93.5, "coreness": 84.0}
    reported["component"] = 100.0
    names = rows.where(ties="published").distinct("data")
    apart = [abs(score - reported[name]) for name, score in zip(names, theirs, strict=True)]
    yield claim("are within {apart:.1f} points of the published ones.", apart=max(apart))


def baseline(model: str, data: str, settings: str, split: str = "file") -> str:
    """A score with its spread, as it is printed."""
    rows = read("baselines.csv").where(model=model, data=data, settings=settings)
    row = rows.where(split=split, ties="ours").only()
    return f"{row['test']} ± {row['test_sd']}"


@claims_on(BASELINES)
def other_settings() -> Iterator[Claim]:
    """Scores with settings that were replaced, and spreads."""
    older = "benchmarks/presets/subgnn-coreness.toml"
    yield claim(
        "(`--settings paper`: {score} over 7 random splits)",
        score=baseline("glass", "coreness", "paper", "50/25/25"),
    )
    yield claim(
        "subgnn-coreness.toml`: {coreness} and {cut}, ten seeds)",
        coreness=baseline("subgnn", "coreness", older),
        cut=baseline("subgnn", "cut_ratio", older),
    )
    trees = read("baselines.csv").where(model="gbdt", settings=lambda text: text.startswith("link"))
    yield claim("columns at each split ({score}).", score=trees.only()["test"])
    spreads = read("baselines.csv").where(model="subgnn", settings="")
    values = {
        data: spreads.where(data=data).only()["test_sd"]
        for data in ("coreness", "density", "cut_ratio")
    }
    yield claim(
        "its standard deviation is {coreness} points on coreness, {density} on density and"
        " {cut_ratio} on cut ratio.",
        **values,
    )
    yield claim(
        "(`wl:coreness:rehearse:0-9`) give {score}.",
        score=baseline("wl", "coreness", "", "rehearse"),
    )
    one, ten = read("subgnn-anchors.csv").numbers("seconds")
    yield claim(
        "four layers take {one:.0f} s for one seed and {ten:.0f} s for ten,", one=one, ten=ten
    )


@claims_on("docs/choosing.md")
def advice() -> Iterator[Claim]:
    """How far the advice and the rules were off."""

    def behind(data: str, who: str) -> float:
        rows = read("advice.csv").where(data=data)
        scores = {row["structure"]: float(row["val"]) for row in rows if row["val"]}
        return max(scores.values()) - scores[rows.rows[0][who]]

    yield claim(
        "(`hpo_orpha_metab`: {points:.1f} points behind)",
        points=behind("hpo_orpha_metab", "advised"),
    )
    yield claim(
        "and {points:.0f} points off on `cut_ratio`.", points=behind("cut_ratio", "by_rules")
    )


@claims_on("docs/tuning.md")
def tuning() -> Iterator[Claim]:
    """The search on PPI-BP."""
    times = read("search-times.csv").where(processes="1")
    yield claim(
        "100 trials of ten seeds, {seconds:.0f} s on one H200 with nothing given up early,"
        " {share:.0f} % of the trials' time",
        seconds=times.number("seconds"),
        share=times.number("outside_epochs_percent"),
    )
    study = "ppi_bp-paper"
    first = read(f"studies/{study}.csv").where(number="0")
    tested = read("studies/tests.csv").where(study=study).only()
    fresh = confirmed(study, dict(STUDIES)[study])
    default = read("studies/confirmed.csv").where(study="preset default")
    yield claim(
        "from {first:.1f} (the published settings, trial 0) to {best:.1f}; on the 159 test"
        " subgraphs the winner reaches {test}, and on splits of train and val that the search had"
        " not seen {fresh:.1f} ± {fresh_sd:.1f}, where the package's `default` with link features"
        " has {default:.1f} ± {default_sd:.1f}:",
        first=100 * first.number("value"),
        best=100 * float(best_trial(study)["value"]),
        test=f"{tested['test']} ± {tested['test_sd']}",
        fresh=100 * fresh.number("mean"),
        fresh_sd=100 * fresh.number("sd"),
        default=100 * default.number("mean"),
        default_sd=100 * default.number("sd"),
    )


@claims_on("docs/translation.md")
def stages() -> Iterator[Claim]:
    """A readout that depends on the stage."""
    yield from stage_claims(
        "`degree-code` that have {here} of {count} validation subgraphs right in the validation"
        " stage have {there} of the same {count} right in the test stage"
    )


@claims_on("docs/evaluation.md")
def small_test_parts() -> Iterator[Claim]:
    """What one test subgraph is worth, and the standard error of a share."""
    for name, count, score in (("PPI-BP", 159, 62), ("HPO-Metab", 235, 63), ("EM-User", 49, 89)):
        yield claim(
            f"| {name} | " + "{count} | {one:.1f} points | {error:.1f} points, {score} |",
            count=count,
            one=100 / count,
            error=standard_error(score, count),
            score=score,
        )
    yield claim("about {error:.1f} points, 68 |", error=standard_error(68, 396))
    yield claim(
        "| 23 to 25 | {one:.0f} points | {error:.0f} points, 85 |",
        one=100 / 25,
        error=standard_error(85, 25),
    )
    rows = read("baselines.csv").where(model="glass", split="file", settings="")
    ours, theirs = (rows.where(ties=ties).numbers("test") for ties in ("ours", "published"))
    most = max(b - a for a, b in zip(ours, theirs, strict=True))
    yield claim("lifts a score by up to {most} points;", most=_WORDS[round(most)])


_WORDS = {7: "seven", 8: "eight", 9: "nine", 10: "ten"}


def standard_error(score: float, count: int) -> float:
    """Of a share over so many subgraphs, in points."""
    share = score / 100
    return 100 * (share * (1 - share) / count) ** 0.5


@claims_on("docs/reproduce.md")
def quick_look() -> Iterator[Claim]:
    """How long a quick look takes."""
    yield claim("does everything work? {m:.0f} minutes on two cores", m=minutes("--quick"))


def minutes(command: str) -> float:
    """How long a command takes, found by the end of its name."""
    rows = read("timings.csv").where(command=lambda text: text.endswith(command))
    return rows.number("seconds") / 60
