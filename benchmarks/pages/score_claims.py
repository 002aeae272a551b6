"""Numbers in sentences about scores."""

from __future__ import annotations

from collections.abc import Iterator

from pages.claims import Claim, claim, claims_on
from pages.rows import cell, cell_scores, machine_of, mean, p_text, read, welch
from pages.score_tables import REAL, SYNTHETIC, TABLE_OF, against_glass
from pages.speed_claims import ratio_claims
from pages.study_tables import STUDIES

INDEX, REAL_PAGE = "docs/results/index.md", "docs/results/scores-real.md"
SYNTHETIC_PAGE, ABLATIONS = "docs/results/scores-synthetic.md", "docs/results/ablations.md"
LEVEL = 0.01


def names(items: list[str]) -> str:
    """A list in words."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def score_text(table: str, row: str, column: str) -> str:
    """A cell as it stands in the table."""
    selected = cell(table, row, column)
    return f"{selected.number('ours'):.1f} ± {selected.number('ours_sd'):.1f}"


@claims_on(INDEX)
def comparison_with_glass() -> Iterator[Claim]:
    """S2N+A against GLASS, with tests."""
    results = {data: against_glass("S2N+A GCNII", data) for data in TABLE_OF}
    better = [data for data, (points, p) in results.items() if points > 0 and p < LEVEL]
    worse = [data for data, (points, p) in results.items() if points < 0 and p < LEVEL]
    assert not worse
    yield claim(
        "better than GLASS on {better}** at level 0.01. On the other {others} data sets there is"
        " no significant difference; on Density it is behind by {points:.1f} points ({p}).",
        better=names([REAL.get(data, data) for data in better]),
        others=len(results) - len(better),
        points=-results["Density"][0],
        p=p_text(results["Density"][1]),
    )
    points, p = against_glass("S2N+A GCNII, RWPE", "Cut-Ratio")
    yield claim("behind on Cut-Ratio by {points:.1f} points ({p}).", points=-points, p=p_text(p))
    points, p = against_glass("S2N+A GIN", "Density")
    yield claim("ahead on Density by {points:.1f} points ({p}).", points=points, p=p_text(p))
    yield claim("so its {score} may be", score=score_text("real", "GLASS", "HPO-Metab"))


@claims_on(INDEX)
def effort_of_search() -> Iterator[Claim]:
    """How many trials stand behind S2N+A."""
    trials: dict[str, int] = {}
    for study, _ in STUDIES:
        data = study.partition("-")[0]
        trials[data] = trials.get(data, 0) + len(read(f"studies/{study}.csv"))
    yield claim(
        "for each data set ({least} to {most} trials)",
        least=min(trials.values()),
        most=max(trials.values()),
    )


@claims_on(INDEX)
def simple_models() -> Iterator[Claim]:
    """Bag of nodes and exact statistics."""
    statistics_scores = {
        cell("synthetic", "exact statistics", data).number("ours") for data in SYNTHETIC
    }
    (solved,) = statistics_scores
    yield claim("solve all four synthetic data sets ({solved:.1f} on each).", solved=solved)


@claims_on(INDEX)
def index_speed() -> Iterator[Claim]:
    """Speed in one sentence."""
    yield from ratio_claims(
        "an epoch of S2N+A takes {plain_low:.1f} to {plain_high:.1f} times less than one of GLASS"
        " on an H200; replayed against not replayed the ratio is {low:,.0f} to {high:,.0f}."
    )


@claims_on(REAL_PAGE)
def real_data() -> Iterator[Claim]:
    """The best network on PPI-BP, and the rehearsal."""
    networks = read("reproduction/real.csv").where(
        column="PPI-BP", status="done", group=lambda group: group != "Simple models"
    )
    best = max(networks, key=lambda row: float(row["ours"]))
    yield claim(
        "On PPI-BP the bag of nodes has {bag:.1f}; the best network, {name}, has {score}. PPI",
        bag=cell("real", "bag of nodes", "PPI-BP").number("ours"),
        name=best["row"].replace(", ", " with "),
        score=score_text("real", best["row"], "PPI-BP"),
    )
    texts = {}
    for row in read("ppi_bp-rehearsal.csv"):
        texts[row["model"]] = f"{float(row['held_out']):.1f} ± {float(row['held_out_sd']):.1f}"
    yield claim(
        "the order is another: S2N+0 {s2n0}, S2N+A {s2na}, diffused bag {diffused}, bag of nodes"
        " {bag} (held-out micro-F1)",
        s2n0=texts["s2n+0"],
        s2na=texts["s2n+a"],
        diffused=texts["diffused-bag"],
        bag=texts["bag"],
    )


@claims_on(REAL_PAGE)
def models_on_ppi_bp() -> Iterator[Claim]:
    """The machine of the table with default settings."""
    yield claim("in points; measured on {machine}.", machine=machine_of("ppi_bp-models.csv"))


@claims_on(REAL_PAGE)
def error_of_a_share() -> Iterator[Claim]:
    """The standard error of a share over PPI-BP's 159 test subgraphs."""
    yield claim(
        "the standard error of a share near {share} % is {error:.1f} points whatever",
        share=62,
        error=100 * (0.62 * 0.38 / 159) ** 0.5,
    )


def change(table: str, before: str, after: str, column: str) -> tuple[float, str]:
    """Points from one row to another, and the p-value of Welch's test in words."""
    first, second = (cell_scores(table, row, column) for row in (before, after))
    return mean(second) - mean(first), p_text(welch(first, second))


@claims_on(SYNTHETIC_PAGE)
def synthetic_data() -> Iterator[Claim]:
    """What RWPE and GIN change in S2N+A."""
    plain, encoded, gin = "S2N+A GCNII", "S2N+A GCNII, RWPE", "S2N+A GIN"
    d, c, k = (change("synthetic", plain, encoded, data) for data in SYNTHETIC[:3])
    yield claim(
        "by {d:.1f} points on Density ({dp}), by {c:.1f} on Cut-Ratio ({cp}) and by {k:+.1f} on"
        " Coreness ({kp}): no gain",
        d=d[0], dp=d[1], c=c[0], cp=c[1], k=k[0], kp=k[1],
    )  # fmt: skip
    yield claim("one subgraph is {low:.1f} to {high:.1f} points.", low=100 / 25, high=100 / 23)
    settings = read("networks.csv").where(block="synthetic", data="coreness")
    search, default = (settings.where(settings=name) for name in ("search", "default"))
    yield claim(
        "`search` and `default` differ by {val:.1f} points on validation and by {test:.1f} on"
        " test.",
        val=search.number("val") - default.number("val"),
        test=search.number("test") - default.number("test"),
    )
    assert not any(points > 0 and p == "p < 0.001" for points, p in (d, c, k))
    d, c, k = (change("synthetic", plain, gin, data) for data in SYNTHETIC[:3])
    yield claim(
        "on Density GIN is ahead by {d:.1f} points ({dp}); on Cut-Ratio it is behind by {c:.1f}"
        " ({cp}); on Coreness the difference is {k:+.1f} ({kp}).",
        d=d[0], dp=d[1], c=-c[0], cp=c[1], k=k[0], kp=k[1],
    )  # fmt: skip


@claims_on(ABLATIONS)
def ablations() -> Iterator[Claim]:
    """What layers and encodings change on PPI-BP."""
    zero, a = (change("layers", f"{s} 0", f"{s} 2", "PPI-BP") for s in ("S2N+0", "S2N+A"))
    yield claim(
        "two layers against none change S2N+0 by {zero:+.1f} points ({zp}) and S2N+A by {a:+.1f}"
        " ({ap}).",
        zero=zero[0], zp=zero[1], a=a[0], ap=a[1],
    )  # fmt: skip
    none = "S2N+A no encoding"
    rwpe, lappe = (change("encoding", none, f"S2N+A {e}", "PPI-BP") for e in ("RWPE", "LapPE"))
    yield claim(
        "RWPE by {rwpe:+.1f} points ({rp}), LapPE by {lappe:+.1f} ({lp}).",
        rwpe=rwpe[0], rp=rwpe[1], lappe=lappe[0], lp=lappe[1],
    )  # fmt: skip
