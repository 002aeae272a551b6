"""The table of what borders bring on tables like Elliptic2."""

from __future__ import annotations

from pages.markdown import generates, table
from pages.rows import mean, read

NAMES = {
    ("directed", "border"): "border, by direction",
    ("undirected", "border"): "border, directions not read",
    ("directed", "none"): "without a border",
}


@generates("border")
def border() -> str:
    """PR-AUC of each model with and without the border."""
    found, rows = read("border.csv"), []
    for model in found.distinct("model"):
        for (edges, inputs), name in NAMES.items():
            some = found.where(model=model, edges=edges, inputs=inputs)
            if len(some):
                areas = some.numbers("pr_auc")
                rows.append([model, name, f"{mean(areas):.2f}"])
    return table(["model", "what it reads", "test PR-AUC"], rows)
