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
    """PR-AUC of each model with and without the border, by the number of subgraphs."""
    found, rows = read("border.csv"), []
    sizes = found.distinct("subgraphs")
    for model in found.distinct("model"):
        for (edges, inputs), name in NAMES.items():
            cells = []
            for size in sizes:
                some = found.where(model=model, edges=edges, inputs=inputs, subgraphs=size)
                cells.append(f"{mean(some.numbers('pr_auc')):.2f}" if len(some) else "")
            rows.append([model, name, *cells])
    rows = [row for row in rows if any(row[2:])]
    heads = [f"{int(size):,} subgraphs" for size in sizes]
    return table(["test PR-AUC", "what it reads", *heads], rows)
