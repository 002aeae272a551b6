"""Tables and sentences about excluded findings of patients."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from pages.claims import Claim, claim, claims_on
from pages.markdown import generates, table
from pages.rows import mean, p_text, read
from sub2node.evaluate.significance import corrected_resampled_t_test

PAGE = "docs/excluded.md"
VARIANTS = {
    "without": "observed only",
    "with": "observed and excluded",
    "unsigned": "all that was looked for, sign dropped",
}


def scores(model: str, variant: str) -> list[float]:
    """Test micro-F1 of each split, in points."""
    rows = read("excluded.csv").where(model=model, excluded=variant)
    return [100 * score for score in rows.numbers("micro_f1")]


def gain(model: str, variant: str, other: str) -> tuple[float, float]:
    """Mean difference over the splits in points, and the p-value of the corrected t-test."""
    rows = read("excluded.csv").where(model=model, excluded=variant)
    train, test = (round(mean(rows.numbers(column))) for column in ("train", "test"))
    ours, theirs = scores(model, variant), scores(model, other)
    p = corrected_resampled_t_test(ours, theirs, train=train, test=test)
    return mean([a - b for a, b in zip(ours, theirs, strict=True)]), p


@generates("excluded")
def excluded() -> str:
    """Each model on what a patient's record says, by what of it the model sees."""
    rows = []
    for model in read("excluded.csv").distinct("model"):
        for variant, name in VARIANTS.items():
            values = scores(model, variant)
            score = f"{mean(values):.1f} ± {statistics.stdev(values):.1f}"
            more, p = gain(model, variant, "without") if variant != "without" else (0.0, 1.0)
            difference = ["", ""] if variant == "without" else [f"{more:+.1f}", p_text(p)]
            rows.append([model, name, score, *difference])
    return table(["model", "what it sees", "test micro-F1", "gain", "test"], rows)


@claims_on(PAGE)
def control() -> Iterator[Claim]:
    """What is left of the gain when the sign is dropped."""
    more, p = gain("bag", "unsigned", "with")
    assert more > 0
    yield claim(
        "even {more:.1f} points better ({p}, `bag`) than with the sign", more=more, p=p_text(p)
    )
