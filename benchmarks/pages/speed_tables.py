"""Tables of speed and memory."""

from __future__ import annotations

from pages.markdown import digits, generates, table
from pages.rows import read

SHAPES = ("ppi_bp", "hpo_neuro", "hpo_metab", "em_user")
H200_MODELS = {
    "separated gcn2": "Separated GCNII",
    "connected gcn2": "Connected GCNII",
    "s2n+0 gcn2": "S2N+0 GCNII",
    "s2n+a gcn2": "S2N+A GCNII",
    "glass": "GLASS",
}


@generates("readme-speed")
def readme_speed() -> str:
    """Time of a training epoch on an H200, and subgraphs per second."""
    rows = []
    for model, title in H200_MODELS.items():
        replay = "no" if model == "glass" else "yes"
        line = [title, replay]
        for shape in SHAPES:
            found = read("efficiency-h200.csv").where(data=f"like:{shape}", model=model)
            epoch = 1000 * found.number("train_seconds")
            line.append(f"{digits(epoch)} ms ({short(found.number('train_throughput'))}/s)")
        rows.append(line)
    head = ["Training epoch (subgraphs per second)", "CUDA graph", *SHAPES]
    return table(head, rows)


def short(value: float) -> str:
    """A count as 7.0k or 6.65M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.0f}"
