"""Tables of the equal search: the same trials, splits and rules for every model."""

from __future__ import annotations

from pages.markdown import generates, points, table
from pages.rows import Rows, read
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


def equal_difference(first: str, second: str, data: str, title: str) -> Difference | None:
    """One model minus another over the same ten random splits, corrected; None without both.

    With searched settings where both have them, else with those that their searches began with,
    which a ‡ marks.
    """
    for settings, mark in (("searched", ""), ("published", "‡")):
        found = read("equal-search.csv").where(data=data, split="random", settings=settings)
        sides = [found.where(model=model) for model in (first, second)]
        if all(map(len, sides)):
            overlap = sides[0].number("test_size") / sides[0].number("train")
            late = "†" * any("late" in side.only()["ended"] for side in sides)
            scores = map(equal_scores, sides)
            return paired_difference(title, *scores, overlap=overlap, mark=mark + late)
    return None
