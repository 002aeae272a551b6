"""Numbers in sentences of the page on theory."""

from __future__ import annotations

from collections.abc import Iterator

from pages.claims import Claim, claim, claims_on
from pages.guide_claims import minutes
from pages.rows import read
from pages.theory_tables import growth, table_of, verified

THEORY = "docs/theory.md"


def least(column: str, **which: str) -> float:
    """The smallest value of a column of the rows of Proposition 3."""
    return min(table_of("gcn-error").where(**which).numbers(column))


@claims_on(THEORY)
def propositions() -> Iterator[Claim]:
    """Counts of cases, and slack."""
    yield claim("random graphs; {m:.0f} minutes on 2 CPU cores", m=minutes("theory"))
    whole, few = "ppi_bp, all subgraphs", "ppi_bp, 20 subgraphs"
    squares = {  # the bounds differ by ‖R‖ instead of M^½
        name: (least("smallest slack", subgraphs=name, features="normal")
               / least("smallest printed slack", subgraphs=name, features="normal")) ** 2
        for name in (whole, few)
    }  # fmt: skip
    seen = table_of("gcn-error").where(subgraphs=few, features=lambda kind: kind != "rebuilt")
    yield claim(
        "PPI-BP has ‖R‖² = {all:.2f} M, so the printed bound follows. With 20 of them, as with few"
        " labels, ‖R‖² is {few:.0f} M: it does not follow, yet it held with a slack of"
        " {slack:.1f} at the least.",
        all=squares[whole],
        few=squares[few],
        slack=min(seen.numbers("smallest printed slack")),
    )
    relu = table_of("gcn-error").where(features="with ReLU")
    yield claim(
        "In {cases:,} random cases the corrected bound held in {held:,} with a ReLU.",
        cases=int(relu.number("cases")),
        held=int(relu.number("corrected held")),
    )
    yield claim(
        "({positive:.0f} times on PPI-BP with positive features, {normal:.0f} with normal ones;"
        " printed: {printed:.0f} and {printed_normal:,.0f})",
        positive=least("smallest tight slack", subgraphs=whole, features="positive"),
        normal=least("smallest tight slack", subgraphs=whole, features="normal"),
        printed=least("smallest printed slack", subgraphs=whole, features="positive"),
        printed_normal=least("smallest printed slack", subgraphs=whole, features="normal"),
    )
    gin = verified("gin-error")
    yield claim(
        "It held in all {tried:,} cases; the printed one failed in {failed} of them, by a factor of"
        " {factor:.2f} at the worst,",
        tried=gin["cases"],
        failed=gin["cases"] - gin["printed_held"],
        factor=gin["printed_slack"]["low"],
    )


@claims_on(THEORY)
def links() -> Iterator[Claim]:
    """How heavy links are."""
    own = table_of("link-probability").where(degrees="its own").numbers("mean weight / formula")
    yield claim(
        "where links are {low:.0f} to {high:.0f} times heavier than it has them.",
        low=min(own),
        high=max(own),
    )
    found = verified("link-probability")
    curves = [curve for curve in found["data"]["curves"] if curve["sets"] == "uniform"]
    above = sum(
        share > bound
        for curve in curves
        for share, bound in zip(curve["measured"], curve["bound"], strict=True)
    )
    uniform = table_of("link-probability").where(sets="uniform")
    yield claim(
        "now and then: {above} of the {all} shares did, by {percent:.0f} % at most;",
        above=above,
        all=found["cases"],
        percent=100 * (1 / min(uniform.numbers("smallest slack")) - 1),
    )
    yield claim(
        "A bound above 1 says nothing, and is counted as held ({count:.0f} of {all}).",
        count=sum(uniform.numbers("bound above 1")),
        all=found["cases"],
    )


@claims_on(THEORY)
def virtual_subgraphs() -> Iterator[Claim]:
    """How often errors and bounds fell."""
    found, rows = verified("virtual-subgraphs"), table_of("virtual-subgraphs")
    cases, fell = found["cases"], found["printed_held"]
    drawn = rows.where(data="random graphs")
    data = rows.where(data=lambda name: name != "random graphs")
    yield claim("comes nearer. {held:,} of {cases:,} cases.", held=found["held"], cases=cases)
    assert min(data.numbers("rest fell, %")) == 100
    yield claim(
        "fell in {low:.0f} to {high:.0f} % of random cases and in all cases on real data.",
        low=min(drawn.numbers("rest fell, %")),
        high=max(drawn.numbers("rest fell, %")),
    )
    shares = zip(data.numbers("error fell, %"), data.numbers("cases"), strict=True)
    yield claim(
        "the error itself fell in {fell} of {cases:,} cases ({share:.0f} %): in {data:.0f} of"
        " {data_cases:.0f} on PPI-BP, Density and HPO-Metab, in {low:.0f} to {high:.0f} % of"
        " random",
        fell=fell,
        cases=cases,
        share=100 * fell / cases,
        data=sum(share * count / 100 for share, count in shares),
        data_cases=sum(data.numbers("cases")),
        low=min(drawn.numbers("error fell, %")),
        high=max(drawn.numbers("error fell, %")),
    )
    yield claim(
        "the printed bound fell in {low:.0f} to {high:.0f} % of random cases,",
        low=min(drawn.numbers("bound fell, %")),
        high=max(drawn.numbers("bound fell, %")),
    )


@claims_on(THEORY)
def operations() -> Iterator[Claim]:
    """Multiplications and time of a layer."""
    rows = read("theory/operations.csv")
    ours = rows.where(data="ppi_bp", hidden="64")
    names = {"glass": "glass", "connected": "connected", "s2n_a": "s2n+a", "s2n_0": "s2n+0"}
    yield claim(
        "GLASS {glass:.0f} M multiplications, connected {connected:.0f} M, S2N+A {s2n_a:.0f} M,"
        " S2N+0 {s2n_0:.0f} M.",
        **{word: ours.where(structure=n).number("counted") / 1e6 for word, n in names.items()},
    )
    batched = rows.where(data="M = 3200", batch=lambda size: size != "0")
    yield claim(
        "it counts {times:.0f} times the formula.",
        times=batched.number("counted") / batched.number("formula"),
    )
    times = read("theory/time.csv")
    ratios = zip(times.numbers("fitted_seconds"), times.numbers("seconds"), strict=True)
    yield claim(
        "within {percent:.0f} % in all of {count} measurements,",
        percent=100 * max(abs(fit / seconds - 1) for fit, seconds in ratios),
        count=len(times),
    )
    wide = times.where(structure="connected", varied="F")
    long = times.where(structure="connected", varied="degree")
    yield claim(
        "so that F grows {f:.0f} times, the formula {formula:.0f} times and the time of connected"
        " {time:.0f} times. While E grows {e:.0f} times, connected takes {long:.1f} times as long;",
        f=growth(wide, "value"),
        formula=growth(wide, "formula"),
        time=growth(wide, "seconds"),
        e=growth(long, "value"),
        long=growth(long, "seconds"),
    )
