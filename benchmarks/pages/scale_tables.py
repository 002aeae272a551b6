"""The table of what data of Elliptic2's size takes, whose graph stays on disk."""

from __future__ import annotations

from pages.markdown import generates, table
from pages.rows import read

NAMES = {
    "describe": "the pass over the tables (`describe`)",
    "fit gbdt": "training `gbdt` on borders",
    "predict gbdt": "its answers for 10,000 new subgraphs",
    "fit s2n+0": "training S2N+0 with borders",
    "predict s2n+0": "its answers for 10,000 new subgraphs",
}


@generates("scale")
def scale() -> str:
    """Seconds, memory and disk of each command at scale 1."""
    rows = []
    for row in read("scale.csv").where(scale="1", memory="8GB", job=lambda job: job in NAMES):
        seconds, processor = (f"{float(row[name]):.0f}" for name in ("seconds", "processor"))
        memory, disk = (f"{float(row[name]) / 1000:.1f}" for name in ("peak_mb", "disk_mb"))
        found = f"{float(row['pr_auc']):.4f}" if row["pr_auc"] else ""
        rows.append([NAMES[row["job"]], seconds, processor, memory, disk, found])
    heads = ["", "s", "s of processors", "GB of memory", "GB of disk", "test PR-AUC"]
    return table(heads, rows)
