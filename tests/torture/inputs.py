"""Small inputs for the commands that are killed."""

from __future__ import annotations

import random
from pathlib import Path

from torture.children import command, run_child

QUICK = ("--seeds", "1", "--device", "cpu", "--set", "epochs=3", "--set", "hidden=8",
         "--features", "random")  # fmt: skip


def write_inputs(folder: Path, scratch: Path) -> None:
    """Data, a task, a model and a run for commands to read."""
    draw, data = random.Random(7), folder / "data"
    data.mkdir()
    edges = [f"g{i},g{(i + 1) % 48}" for i in range(48)]
    edges += [f"g{i},g{i + 9}" for i in range(0, 36, 4)]
    members, labels = [], []
    for i in range(36):
        first = 24 * (i % 2)
        members += [f"s{i},g{n}" for n in draw.sample(range(first, first + 24), 4)]
        part = "train" if i < 20 else "val" if i < 28 else "test"
        labels.append(f"s{i},{'ab'[i % 2]},{part}")
    tables = {
        "edges": ["source,target", *edges],
        "members": ["subgraph_id,node_id", *members],
        "labels": ["subgraph_id,label,split", *labels],
    }
    for name, rows in tables.items():
        (data / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    for words in (
        ["convert", str(data), str(folder / "task")],
        ["fit", str(data), "-o", str(folder / "model"), *QUICK],
        ["run", str(data), "-o", str(folder / "run"), *QUICK],
    ):
        done = run_child(command(words, scratch), scratch / "log")
        if done.status:
            raise SystemExit(done.text)
