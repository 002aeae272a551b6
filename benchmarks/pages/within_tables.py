"""The equal search within each random split, which sees no subgraph of that split's test part."""

from __future__ import annotations

from collections.abc import Iterator

from pages.claims import Claim, claim, claims_on
from pages.equal_tables import _DATA, _MODELS, _score, equal_scores
from pages.markdown import generates, table
from pages.rows import Rows, p_text, read
from pages.verdicts import Difference, paired_difference

FILE = "equal-search-within.csv"
PAGE = "docs/results/equal-search.md"


def within(model: str, data: str, settings: str = "searched") -> Rows:
    """Scores of a model whose settings were searched within each split."""
    return read(FILE).where(model=model, data=data, settings=settings, split="random")


def within_difference(first: str, second: str, data: str, title: str) -> Difference | None:
    """One model minus another over the same splits, both searched within each; None without."""
    sides = [within(model, data) for model in (first, second)]
    if not all(map(len, sides)):
        return None
    overlap = sides[0].number("test_size") / sides[0].number("train")
    return paired_difference(title, *map(equal_scores, sides), overlap=overlap)


@generates("equal-search-within")
def equal_search_within() -> str:
    """Each model searched within each split, beside the search that was done once."""
    data = read(FILE).distinct("data")
    once = read("equal-search.csv").where(split="random", settings="searched")
    rows = []
    for model in read(FILE).distinct("model"):
        line = [_MODELS[model]]
        for name in data:
            line += [_score(within(model, name)), _score(once.where(model=model, data=name))]
        rows.append(line)
    for model in ("s2n+0 gcn2", "s2n+a gcn2"):
        line = [f"*{_MODELS[model]} minus GLASS*"]
        for name in data:
            found = within_difference(model, "glass", name, "")
            tests = read("equal-search-tests.csv").where(settings="searched", model=model)
            earlier = tests.where(data=name)
            line.append("-" if found is None else f"{found.points:+.1f} ({p_text(found.p)})")
            line.append(f"{earlier.number('difference'):+.1f} ({p_text(earlier.number('p'))})")
        rows.append(line)
    head = [f"{_DATA[name]}, {kind}" for name in data for kind in ("within", "once")]
    return table(["", *head], rows)


@claims_on(PAGE)
def within_and_once() -> Iterator[Claim]:
    """What the search within each split says of S2N+A and GLASS."""
    found = within_difference("s2n+a gcn2", "glass", "cut_ratio", "Cut-Ratio")
    assert found is not None
    assert found.contradicts
    own = within("s2n+a gcn2", "cut_ratio")
    yield claim(
        "within each split S2N+A is below GLASS on Cut-Ratio by {points:.1f} points ({p}, {trials}"
        " trials)",
        points=-found.points,
        p=p_text(found.p),
        trials=int(own.number("trials")),
    )
    yield claim(
        "on validation S2N+A has {val:.1f}, on test {test:.1f} points",
        val=own.number("val"),
        test=own.number("test"),
    )
