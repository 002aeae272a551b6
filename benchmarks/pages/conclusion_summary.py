"""The conclusions of the paper in short: each with its verdict and one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pages.claims import Claim, claim, claims_on
from pages.conclusion_tables import ABLATIONS, SCORES, counts, efficiency, few_subgraphs
from pages.markdown import generates, table
from pages.verdicts import Claimed, Difference, verdict


def in_short(differences: Sequence[Difference], claimed: Claimed) -> str:
    """How many comparisons show what is claimed, how many the opposite, and how far they reach."""
    points = [difference.points for difference in differences]
    shown = sum(difference.passes(claimed) for difference in differences)
    against = sum(difference.contradicts for difference in differences)
    spread = f"{min(points):+.1f} to {max(points):+.1f} points"
    if len(points) == 1:
        spread = f"{points[0]:+.1f} points"
    opposite = f", the opposite in {against}" * bool(against)
    return f"shown in {shown} of {len(points)}{opposite}; {spread}"


def word_of(text: str) -> str:
    """The word of a verdict, without where it holds."""
    return text.split("**")[1]


def tested_rows() -> Iterator[list[str]]:
    """Statements with a test: the sentence, the verdict, one line, and where the evidence is."""
    for part, statements in (
        ("scores", SCORES),
        ("readout-layers-encodings-convolutions", ABLATIONS),
    ):
        for statement in statements:
            found = [*statement.over_seeds(), *statement.over_splits()]
            word = word_of(verdict(found, statement.claimed))
            line = in_short(found, statement.claimed)
            yield [statement.text, f"**{word}**", line, f"[rows](#{part})"]
    for few in few_subgraphs():
        line = f"{few.settings} settings: {in_short(few.found, 'above')}"
        yield [few.text, f"**{word_of(verdict(few.found))}**", line, "[rows](#few-subgraphs)"]


@generates("conclusions-summary")
def conclusions_summary() -> str:
    """Every conclusion in one line; counts and times have no verdict."""
    untested = [
        [said, "no verdict", here, f"[rows](#{part})"]
        for part, rows in (("scores", counts()), ("speed-and-memory", efficiency()))
        for said, here, *_ in rows
    ]
    return table(["the paper says", "verdict", "here", ""], [*tested_rows(), *untested])


@claims_on("docs/results/conclusions.md")
def verdicts_counted() -> Iterator[Claim]:
    """How many conclusions have which verdict."""
    words = Counter(row[1].strip("*") for row in tested_rows())
    yield claim(
        "Of {all} tested statements {confirmed} is confirmed, {contradicted} are contradicted and"
        " {rest} are not confirmed",
        all=words.total(),
        confirmed=words["confirmed"],
        contradicted=words["contradicted"],
        rest=words["not confirmed"],
    )
