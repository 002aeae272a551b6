"""What the checks of an audit are about, in numbers that were measured here."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pages.claims import Claim, claim, claims_on
from pages.equal_tables import _DATA, _MODELS, _score, equal_scores
from pages.markdown import generates, table
from pages.rows import Rows, mean, p_text, read, welch
from pages.verdicts import Difference, paired_difference
from sub2node.audit.part_power import smallest_difference

PAGE = "docs/audit.md"
_SHOWN = ("glass", "s2n+a gcn2")


def standard_error(size: int) -> float:
    """Of a score of one half on so many subgraphs with one label each, in points."""
    return 100 * math.sqrt(0.25 / size)


@generates("audit-splits")
def published_and_random() -> str:
    """Scores on the published part beside those over ten random splits, with searched settings."""
    scores, rows = read("equal-search.csv").where(settings="searched"), []
    for data, title in _DATA.items():
        of_data = scores.where(data=data)
        random = of_data.where(split="random").rows
        size = int(random[0]["test_size"]) if random else 1
        cells = [
            _score(of_data.where(model=model, split=split))
            for model in _SHOWN
            for split in ("published", "random")
        ]
        if "-" not in cells:
            rows.append([title, str(size), f"{standard_error(size):.1f}", *cells])
    heads = [
        f"{_MODELS[model]}, {split}" for model in _SHOWN for split in ("given part", "ten splits")
    ]
    return table(["", "test subgraphs", "standard error at most", *heads], rows)


@claims_on(PAGE)
def what_a_part_can_show() -> Iterator[Claim]:
    """The smallest difference that two sizes of a part can show, as the audit computes it."""
    few, more = (standard_error(size) for size in (25, 160))
    yield claim(
        "With 25 test subgraphs the standard error is up to {few:.0f} points and the smallest"
        " difference up to {few_least:.0f}, with 160 up to {more:.0f} and {more_least:.0f}: about",
        few=few,
        few_least=smallest_difference(few),
        more=more,
        more_least=smallest_difference(more),
    )


def worth_of_groups(model: str) -> tuple[Rows, Rows, float]:
    """Patients over ten splits with publications apart, and mixed; and p of Welch's test.

    The two kinds of splits are different ones, so nothing can be paired.
    """
    scores = read("equal-search.csv").where(data="patients", settings="published", model=model)
    apart, mixed = (scores.where(split=s) for s in ("random", "random, publications mixed"))
    return apart, mixed, welch(equal_scores(apart), equal_scores(mixed))


@claims_on(PAGE)
def what_groups_are_worth() -> Iterator[Claim]:
    """Patients of one publication in two parts against publications kept apart."""
    for model, title in (("s2n+0 gcn2", "S2N+0"), ("s2n+a gcn2", "S2N+A")):
        apart, mixed, p = worth_of_groups(model)
        yield claim(
            f"{title} has {{apart}} ± {{sd}} where publications are kept apart and {{mixed}} ±"
            " {mixed_sd} where they are not ({p})",
            apart=apart.only()["test"],
            sd=apart.only()["test_sd"],
            mixed=mixed.only()["test"],
            mixed_sd=mixed.only()["test_sd"],
            p=p_text(p),
        )
    given = read("equal-search.csv").where(data="patients", settings="published")
    yield claim(
        "keeps publications apart too, S2N+0 has {score}: such",
        score=given.where(model="s2n+0 gcn2", split="published").only()["test"],
    )
    overlap = read("equal-search-overlap.csv").where(data="patients")
    shared = [100 * float(row["shared"]) / float(row["groups"]) for row in overlap]
    yield claim(
        "In the latter {least:.0f} to {most:.0f} % of the publications of a test part are in train"
        " or val too",
        least=min(shared),
        most=max(shared),
    )


def worth_of_copies(model: str, share: str) -> Difference:
    """What near copies of a share of the test subgraphs add, over the same random splits."""
    rows = read("near-copies.csv").where(model=model)
    sides = [rows.where(share=value) for value in (share, "0.0")]
    sizes = sides[0].rows[0]
    overlap = float(sizes["test"]) / float(sizes["train"])
    return paired_difference("", *(side.numbers("score") for side in sides), overlap=overlap)


@generates("near-copies")
def near_copies() -> str:
    """What near copies are worth, by their share of the test part."""
    rows = read("near-copies.csv")
    lines = []
    for model in rows.distinct("model"):
        for share in rows.distinct("share")[1:]:
            own, found = rows.where(model=model, share=share), worth_of_copies(model, share)
            right = f"{mean(own.numbers('score_of_copied')):.1f}"
            before = mean(rows.where(model=model, share="0.0").numbers("score"))
            line = [model, f"{100 * float(share):.0f} %", f"{before:.1f}"]
            lines.append([*line, f"{found.points:+.1f} ({p_text(found.p)})", right])
    head = ["quick model", "test subgraphs with a near copy", "without", "change of the score"]
    return table([*head, "score of the copied"], lines)
