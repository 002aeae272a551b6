"""Tables of scores: the reproduction of the paper's tables."""

from __future__ import annotations

from collections.abc import Sequence

from pages.markdown import generates, points, table
from pages.rows import Rows, cell

REAL = {
    "PPI-BP": "PPI-BP",
    "HPO-Neuro": "HPO-Neuro (stand-in)",
    "HPO-Metab": "HPO-Metab (stand-in)",
}
SYNTHETIC = ("Density", "Cut-Ratio", "Coreness", "Component")
MODELS = ("bag of nodes", "exact statistics", "SubGNN", "GLASS")
S2N = ("S2N+0 GCNII", "S2N+A GCNII")


def score(found: Rows) -> str:
    """Our score of a cell; a dash where it was not run or is not in the table."""
    if not len(found) or found.only()["status"] != "done":
        return "-"
    return points(found.number("ours"), found.number("ours_sd"), int(found.number("n")))


def published(found: Rows) -> str:
    """The published score of a cell; (e) marks a standard error."""
    if not len(found) or not found.only()["published_text"]:
        return "-"
    row = found.only()
    return row["published_text"] + " (e)" * (row["published_spread_kind"] == "se")


def line(name: str, of: str = "score") -> list[str]:
    """A row over all seven data sets: of our scores, or of the published ones."""
    show = score if of == "score" else published
    real = [show(cell("real", name, data)) for data in REAL]
    return [*real, *(show(cell("synthetic", name, data)) for data in SYNTHETIC)]


def scores(names: Sequence[str], *, with_published: bool) -> str:
    """A table of models over all seven data sets."""
    rows = []
    for name in names:
        rows.append([name, *line(name)])
        if with_published and any(text != "-" for text in line(name, "published")):
            rows.append(["*published*", *line(name, "published")])
    return table(["", *REAL.values(), *SYNTHETIC], rows)


@generates("readme-results")
def readme_results() -> str:
    """The compact table of the front page."""
    return scores((*MODELS, *S2N, "S2N+A GIN"), with_published=False)
