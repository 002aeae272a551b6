"""Tables of the equal search: the same trials, splits and rules for every model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pages.claims import Claim, claim, claims_on
from pages.markdown import generates, points, table
from pages.rows import Rows, mean, read
from pages.verdicts import Difference, paired_difference

_DATA = {
    "ppi_bp": "PPI-BP",
    "hpo_orpha_neuro": "HPO-Neuro (stand-in)",
    "hpo_orpha_metab": "HPO-Metab (stand-in)",
    "patients": "patients",
    "density": "Density",
    "cut_ratio": "Cut-Ratio",
    "coreness": "Coreness",
    "component": "Component",
}
_MODELS = {
    "glass": "GLASS",
    "separated gcn2": "Separated GCNII",
    "connected gcn2": "Connected GCNII",
    "s2n+0 gcn2": "S2N+0 GCNII",
    "s2n+a gcn2": "S2N+A GCNII",
}


def _score(rows: Rows) -> str:
    """Mean and spread of a cell, with marks.

    A † where a training was ended by the clock, a ‡ where the authors published no settings for
    these data, so that the package's default is in their place.
    """
    if not len(rows):
        return "-"
    row = rows.only()
    marks = "†" * ("late" in row["ended"]) + "‡" * (row["origin"] == "default")
    return " ".join(
        [points(float(row["test"]), float(row["test_sd"]), int(row["n"])), marks]
    ).strip()


def columns(split: str) -> dict[str, str]:
    """The data that have scores on a kind of split, with their titles."""
    there = set(read("equal-search.csv").where(split=split).distinct("data"))
    return {data: title for data, title in _DATA.items() if data in there}


def _scores(split: str) -> str:
    scores, data = read("equal-search.csv").where(split=split), columns(split)
    rows = []
    for model, title in _MODELS.items():
        for settings in ("searched", "published"):
            own = scores.where(model=model, settings=settings)
            rows.append([f"{title}, {settings}", *(_score(own.where(data=name)) for name in data)])
    return table(["", *data.values()], rows)


@generates("equal-search")
def equal_search() -> str:
    """Test scores over ten random splits, the same for all models."""
    return _scores("random")


@generates("equal-search-given")
def equal_search_given() -> str:
    """Test scores of ten seeds on the split that the data come with."""
    return _scores("published")


@generates("equal-search-tests")
def equal_search_tests() -> str:
    """Differences from GLASS over the same splits, both with searched settings."""
    tests = read("equal-search-tests.csv").where(settings="searched")
    counts = read("equal-search-counts.csv").where(settings="searched")
    rivals = read("equal-search.csv").where(split="random", settings="searched", model="glass")
    data = {
        name: title for name, title in columns("random").items() if name in rivals.distinct("data")
    }
    rows = []
    for model, title in list(_MODELS.items())[1:]:
        cells = []
        for name in data:
            found = tests.where(model=model, data=name)
            cells.append(_difference(found) if len(found) else "-")
        count = counts.where(model=model).only()
        rows.append([title, *cells, f"{count['wins']} / {count['ties']} / {count['losses']}"])
    return table(["minus GLASS", *data.values(), "wins / ties / losses"], rows)


def _difference(found: Rows) -> str:
    value, p = found.number("difference"), found.number("p")
    return f"{value:+.1f} ({'p < 0.001' if p < 0.001 else f'p = {p:.2g}'})"


def equal_scores(rows: Rows) -> list[float]:
    """Scores of each split, in points."""
    return [100 * float(value) for value in rows.only()["scores"].split()]


def equal_difference(
    first: str,
    second: str,
    data: str,
    title: str,
    *,
    kinds: Sequence[str] = ("searched", "published"),
) -> Difference | None:
    """One model minus another over the same ten random splits, corrected; None without both.

    With searched settings where both have them, else with those that their searches began with,
    which a ‡ marks; or with settings of one kind.
    """
    for settings in kinds:
        mark = "‡" * (settings == "published")
        found = read("equal-search.csv").where(data=data, split="random", settings=settings)
        sides = [found.where(model=model) for model in (first, second)]
        if all(map(len, sides)):
            overlap = sides[0].number("test_size") / sides[0].number("train")
            late = "†" * any("late" in side.only()["ended"] for side in sides)
            scores = map(equal_scores, sides)
            return paired_difference(title, *scores, overlap=overlap, mark=mark + late)
    return None


def longer_search(data: str) -> Rows:
    """S2N+A GCNII with its settings of 100 trials or more, over the same ten random splits.

    The search was on train and val of the published split, so it had seen most of the test parts;
    of tied epochs that of the lowest loss counts, as in the equal search.
    """
    return read("ties-splits.csv").where(data=data, model="loss")


def longer_difference(data: str, title: str) -> Difference | None:
    """Such an S2N+A minus GLASS of the equal search; None without both."""
    own, found = longer_search(data), read("equal-search.csv").where(data=data, split="random")
    rival = found.where(model="glass", settings="searched")
    if not len(own) or not len(rival):
        return None
    overlap = float(own.rows[0]["test_size"]) / float(own.rows[0]["train"])
    late = "†" * ("late" in rival.only()["ended"])
    scores = own.numbers("test"), equal_scores(rival)
    return paired_difference(title, *scores, overlap=overlap, mark="§" + late)


@generates("equal-search-overlap")
def equal_search_overlap() -> str:
    """How much of the random test parts the search had seen."""
    rows = []
    for data, title in _DATA.items():
        overlap = read("equal-search-overlap.csv").where(data=data)
        rows.append(
            [
                title,
                overlap.rows[0]["test"],
                f"{min(seen_shares(data)):.0f} %",
                f"{mean(seen_shares(data)):.0f} %",
                f"{max(seen_shares(data)):.0f} %",
            ]
        )
    head = ["", "test subgraphs", "seen by the search, least", "mean", "most"]
    return table(head, rows)  # fmt: skip


def seen_shares(data: str) -> list[float]:
    """Per cent of each random test part that was in train or val of the published split."""
    rows = read("equal-search-overlap.csv").where(data=data)
    return [100 * float(row["seen"]) / float(row["test"]) for row in rows]


@claims_on("docs/results/equal-search.md")
def what_the_search_had_seen() -> Iterator[Claim]:
    """The least and the largest mean share over the data."""
    shares = [mean(seen_shares(data)) for data in _DATA]
    yield claim(
        "on average {least:.0f} to {most:.0f} % of a random test part had taken part in the search",
        least=min(shares), most=max(shares),
    )  # fmt: skip
    assert set(read("equal-search.csv").where(origin="default").distinct("data")) == {"patients"}


@claims_on("docs/results/equal-search.md")
def five_trials_are_few() -> Iterator[Claim]:
    """What a longer search of S2N+A has on the same splits, beside the five trials."""
    searched = read("equal-search.csv").where(split="random", settings="searched")
    values: dict[str, object] = {}
    for data, mark in (("cut_ratio", "c"), ("density", "d"), ("coreness", "k")):
        values[mark] = searched.where(data=data, model="s2n+a gcn2").number("test")
        values[f"{mark}l"] = mean(longer_search(data).numbers("test"))
    yield claim(
        "S2N+A has {cl:.1f} on Cut-Ratio over the same splits, where five trials have {c:.1f}, and"
        " {dl:.1f} for {d:.1f} on Density and {kl:.1f} for {k:.1f} on Coreness ([the first table]",
        **values,
    )
