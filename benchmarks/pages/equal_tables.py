"""Tables of the equal search: the same trials, splits and rules for every model."""

from __future__ import annotations

from pages.markdown import generates, points, table
from pages.rows import Rows, read

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
    """Mean and spread of a cell; a dagger where a training was ended by the clock."""
    if not len(rows):
        return "-"
    row = rows.only()
    mark = " †" if "late" in row["ended"] else ""
    return points(float(row["test"]), float(row["test_sd"]), int(row["n"])) + mark


def _scores(split: str) -> str:
    scores = read("equal-search.csv").where(split=split)
    rows = []
    for model, title in _MODELS.items():
        for settings in ("searched", "published"):
            own = scores.where(model=model, settings=settings)
            rows.append([f"{title}, {settings}", *(_score(own.where(data=data)) for data in _DATA)])
    return table(["", *_DATA.values()], rows)


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
    rows = []
    for model, title in list(_MODELS.items())[1:]:
        cells = []
        for data in _DATA:
            found = tests.where(model=model, data=data)
            cells.append(_difference(found) if len(found) else "-")
        count = counts.where(model=model).only()
        rows.append([title, *cells, f"{count['wins']} / {count['ties']} / {count['losses']}"])
    return table(["minus GLASS", *_DATA.values(), "wins / ties / losses"], rows)


def _difference(found: Rows) -> str:
    value, p = found.number("difference"), found.number("p")
    return f"{value:+.1f} ({'p < 0.001' if p < 0.001 else f'p = {p:.2g}'})"
