"""Tables of the theory, checked by numbers."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from pages.markdown import digits, generates, table
from pages.rows import RESULTS, Rows, read

TITLES = {
    "lemma": "lemma",
    "gcn-error": "Proposition 3 (GCN), corrected constant",
    "gin-error": "GIN Sum-1-Layer and corollary, corrected constant",
    "link-probability": "Proposition 2, uniform nodes",
    "virtual-subgraphs": "virtual subgraphs, best features X̂",
}
FEATURES = {
    "normal": "X normal, X̂ = RᵀX",
    "positive": "X positive, X̂ = RᵀX",
    "free": "X and X̂ normal",
    "rebuilt": "X = R X̂ (the error is 0)",
    "worst": "worst X (power iteration), X̂ = 0",
}
SETS = {
    "uniform": "uniform",
    "by degree": "drawn by degree",
    "walks": "met by random walks",
    "density": "Density's own",
    "ppi_bp": "PPI-BP's own",
    "hpo_orpha_metab": "HPO-Metab's own (stand-in)",
}
DATA = {
    "ppi_bp": "PPI-BP",
    "hpo_orpha_metab": "HPO-Metab (stand-in)",
    "density": "Density",
    "random graphs": "random graphs",
}
VIRTUAL = (
    ("ppi_bp", 20, "smooth"),
    ("ppi_bp", 1591, "smooth"),
    ("ppi_bp", 20, "normal"),
    ("hpo_orpha_metab", 20, "smooth"),
    ("density", 20, "smooth"),
    ("random graphs", 5, "smooth"),
    ("random graphs", 60, "smooth"),
)


@cache
def verified(name: str) -> dict[str, Any]:
    """A claim that was checked."""
    lines = (RESULTS / "theory" / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    return next(claim for claim in map(json.loads, lines) if claim["name"] == name)


def table_of(name: str) -> Rows:
    """The table of a claim, with texts as a CSV file has them; what is missing is empty."""
    rows = [
        {column: "" if cell is None else str(cell) for column, cell in row.items()}
        for row in verified(name)["rows"]
    ]
    return Rows(rows, f"theory/claims.jsonl [{name}]")


def growth(rows: Rows, column: str) -> float:
    """The last value of a column over the first."""
    values = rows.numbers(column)
    return values[-1] / values[0]


@generates("theory-claims")
def theory_claims() -> str:
    """All claims: cases tried, cases that held, slack."""
    rows = []
    for name, title in TITLES.items():
        claim = verified(name)
        printed = claim["printed_held"]
        same = printed in (None, claim["held"])
        held = [f"{claim['cases']:,}", f"{claim['held']:,}", "the same" if same else f"{printed:,}"]
        rows.append([title, *held, _slack(claim)])
    for title, file, note in (
        ("Proposition 1, operations", "operations", "counted / formula"),
        ("Proposition 1, time to a factor of 2", "time", "fitted / measured"),
    ):
        tried, ratios, held = _layers(file)
        low, high = min(ratios), max(ratios)
        text = f"{note}: {digits(low, 2)} … {digits(high, 2)}"
        rows.append([title, str(tried), str(held), "the same", text])
    head = ["claim", "tried", "held", "as printed", "bound / measured: least, median, most"]
    return table(head, rows)


def _layers(file: str) -> tuple[int, list[float], int]:
    """Cases of Proposition 1, their ratios, and in how many it held."""
    rows = read(f"theory/{file}.csv")
    if file == "operations":
        rows = rows.where(batch="0")
        ratios = [float(row["counted"]) / float(row["formula"]) for row in rows]
        held = [1 <= r <= float(row["most"]) for r, row in zip(ratios, rows, strict=True)]
    else:
        ratios = [float(row["fitted_seconds"]) / float(row["seconds"]) for row in rows]
        held = [0.5 <= ratio <= 2 for ratio in ratios]
    return len(rows), ratios, sum(held)


def _slack(claim: dict[str, Any]) -> str:
    if claim["name"] == "lemma":
        most = max(float(row["largest difference"]) for row in claim["rows"])
        return f"largest difference {most:.0e}"
    if claim["slack"] is None:
        return "as printed: the error fell"
    text = _ends(claim["slack"])
    if claim["printed_slack"] is None:
        return f"{text} (below 1 by chance)"
    return f"{text} (as printed {_ends(claim['printed_slack'])})"


def _ends(slack: dict[str, float]) -> str:
    return " … ".join(digits(slack[end], 2) for end in ("low", "median", "high"))


@generates("theory-gcn-cases")
def theory_gcn_cases() -> str:
    """Random cases of Proposition 3."""
    drawn = table_of("gcn-error").where(subgraphs=lambda kind: "subgraphs" not in kind)
    rows = []
    for features, title in FEATURES.items():
        mine = drawn.where(features=features)
        counts = [f"{sum(mine.numbers(name)):,.0f}" for name in ("cases", "printed held")]
        slacks = [""] * 3
        if features != "rebuilt":
            names = ("smallest printed slack", "smallest slack", "smallest tight slack")
            slacks = [digits(min(mine.numbers(name)), 2) for name in names]
        rows.append([title, *counts, *slacks])
    head = ["random cases", "tried", "printed holds", "smallest slack: printed", "corrected"]
    return table([*head, "tight"], rows, right=1)


@generates("theory-links")
def theory_links() -> str:
    """How often the bound of Proposition 2 held."""
    rows = []
    for row in table_of("link-probability"):
        own = row["degrees"] == "its own"
        degrees = "" if own else row["degrees"].replace("poisson", "Poisson")
        slack = digits(float(row["smallest slack"]), 2) if row["smallest slack"] else ">1"
        weight = digits(float(row["mean weight / formula"]), 2)
        rows.append([SETS[row["sets"]], degrees, row["cases"], row["held"], slack, weight])
    head = ["sets", "degrees", "cases", "held", "smallest slack", "mean weight / formula"]
    return table(head, rows, right=2)


@generates("theory-virtual")
def theory_virtual() -> str:
    """Median relative errors with and without virtual subgraphs."""
    rows = []
    for data, count, features in VIRTUAL:
        found = table_of("virtual-subgraphs").where(
            data=data, subgraphs=str(count), features=features
        )
        errors = [f"{found.number(f'error {word}'):.2f}" for word in ("without", "with")]
        rows.append([DATA[data], f"{count:,}", features, *errors])
    return table(["median error, relative", "subgraphs", "features", "without", "with"], rows)
