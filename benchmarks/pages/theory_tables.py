"""Tables of the theory, checked by numbers."""

from __future__ import annotations

from pages.markdown import digits, generates, table
from pages.rows import Rows, read

CLAIMS = {
    "lemma": "lemma",
    "gcn": "Proposition 3 (GCN), corrected constant",
    "gin": "GIN Sum-1-Layer and corollary, corrected constant",
    "links": "Proposition 2, uniform nodes",
    "virtual": "virtual subgraphs, best features X̂",
    "operations": "Proposition 1, operations",
    "time": "Proposition 1, time to a factor of 2",
}


def claim_row(name: str) -> Rows:
    """The summary of a claim."""
    return read("theory/claims.csv").where(claim=name)


@generates("theory-claims")
def theory_claims() -> str:
    """All claims: cases tried, cases that held, slack."""
    rows = []
    for name, title in CLAIMS.items():
        row = claim_row(name).only()
        held = f"{int(row['held']):,}"
        printed = "the same" if row["held"] == row["held_as_printed"] else row["held_as_printed"]
        if printed != "the same":
            printed = f"{int(printed):,}"
        rows.append([title, f"{int(row['cases']):,}", held, printed, _slack(row)])
    head = ["claim", "tried", "held", "as printed", "bound / measured: least, median, most"]
    return table(head, rows)


def _slack(row: dict[str, str]) -> str:
    if not row["slack_least"]:
        return row["note"]
    text = " … ".join(_short(row[f"slack_{end}"]) for end in ("least", "median", "most"))
    if row["slack_least"] == row["printed_least"]:
        return f"{text} ({row['note']})"
    printed = " … ".join(_short(row[f"printed_{end}"]) for end in ("least", "median", "most"))
    return f"{text} (as printed {printed})"


def _short(text: str) -> str:
    return digits(float(text), 2) if float(text) >= 100 else text


@generates("theory-gcn-cases")
def theory_gcn_cases() -> str:
    """Random cases of Proposition 3."""
    rows = [
        [row["case"], *(f"{int(row[name]):,}" for name in ("tried", "printed_holds")),
         row["slack_printed"], row["slack_corrected"], row["slack_tight"]]
        for row in read("theory/gcn-cases.csv")
    ]  # fmt: skip
    head = ["random cases", "tried", "printed holds", "smallest slack: printed", "corrected"]
    return table([*head, "tight"], rows, right=1)


@generates("theory-links")
def theory_links() -> str:
    """How often the bound of Proposition 2 held."""
    rows = [list(row.values()) for row in read("theory/links.csv")]
    head = ["sets", "degrees", "cases", "held", "smallest slack", "mean weight / formula"]
    return table(head, rows, right=2)


@generates("theory-virtual")
def theory_virtual() -> str:
    """Median relative errors with and without virtual subgraphs."""
    rows = [
        [row["graphs"], f"{int(row['subgraphs']):,}", row["features"], row["without"], row["with"]]
        for row in read("theory/virtual.csv")
    ]
    return table(["median error, relative", "subgraphs", "features", "without", "with"], rows)
