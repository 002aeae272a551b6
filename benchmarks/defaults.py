"""Which settings hold across data: a random search over many tasks, judged by regret.

Every point of the search is tried on every task, always on a rehearsal: the test part is set aside
unread, and train and val are split anew into 70/10/20, so that a point's score comes from subgraphs
that chose nothing. A point's regret on a task is the distance to the best point there; a default is
judged by the regret it has on a task that had no say in choosing it (leave one data set out).

    python benchmarks/suite.py suite                                   # write the tasks
    python benchmarks/defaults.py search suite --out rows.csv --minutes 8 --workers 10
    python benchmarks/defaults.py judge rows.csv --out benchmarks/results/defaults.csv
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

SEEDS = (10, 11, 12)
SPLITS = 2  # rehearsals per task
STRUCTURES = ("s2n+0", "s2n+a")
COLUMNS = (
    "task",
    "family",
    "point",
    "structure",
    "score",
    "sd",
    "runs",
    "epoch",
    "seconds",
    "settings",
)
TODAY: dict[str, Any] = {  # preset default of version 0.1, nodes with vectors of their own
    "hidden": 64, "features.width": 64, "layers": 2, "inner_layers": 1, "dropout": 0.1,
    "edge_dropout": 0.2, "outer.alpha": 0.2, "outer.theta": 1.8, "inner.alpha": 0.6,
    "inner.theta": 0.5, "features.scale": 0.1, "translation.a": 1.0, "translation.delta": 1.5,
    "lr": 0.003, "clip": 0.4, "weight_decay": 1e-8, "readout": "sum", "batch_norm": False,
    "ties": "first", "features.kind": "random",
}  # fmt: skip
SPACE: dict[str, tuple[Any, ...]] = {
    "hidden": (64, 128, 256),
    "layers": (1, 2),
    "dropout": (0.1, 0.3, 0.5, 0.6),
    "edge_dropout": (0.0, 0.2, 0.4),
    "outer.alpha": (0.1, 0.2, 0.5),
    "outer.theta": (0.5, 1.0, 1.8),
    "inner.alpha": (0.2, 0.6),
    "features.scale": (0.03, 0.1, 0.3, 1.0),
    "translation.a": (0.0, 1.0, 2.0, 3.0),
    "translation.delta": (0.5, 1.0, 2.0),
    "lr": (0.001, 0.003, 0.01),
    "clip": (0.0, 0.4),
    "weight_decay": (1e-8, 1e-5, 1e-4, 1e-3),
    "readout": ("sum", "mean"),
    "batch_norm": (False, True),
    "features.kind": ("random", "random", "svd"),
}
# What the issue of this study had found by hand, and variations of it.
WIDE = {**TODAY, "hidden": 256, "features.width": 256, "dropout": 0.5, "ties": "loss"}
FIRST = (
    TODAY,
    {**TODAY, "ties": "loss"},
    WIDE,
    {**WIDE, "readout": "mean"},
    {**WIDE, "weight_decay": 1e-4},
    {**WIDE, "features.kind": "svd"},
    {**WIDE, "edge_dropout": 0.4, "weight_decay": 1e-5},
    {**WIDE, "batch_norm": True},
)
# Around the best of those, one change at a time.
CENTRE = {**WIDE, "features.kind": "svd", "weight_decay": 1e-4}
AROUND = (
    CENTRE,
    {**CENTRE, "edge_dropout": 0.4},
    {**CENTRE, "weight_decay": 3e-4},
    {**CENTRE, "weight_decay": 1e-3},
    {**CENTRE, "dropout": 0.6},
    {**CENTRE, "dropout": 0.3},
    {**CENTRE, "features.scale": 0.3},
    {**CENTRE, "features.scale": 0.03},
    {**CENTRE, "translation.a": 2.0},
    {**CENTRE, "translation.a": 0.0},
    {**CENTRE, "translation.delta": 0.7},
    {**CENTRE, "lr": 0.001},
    {**CENTRE, "lr": 0.006},
    {**CENTRE, "outer.alpha": 0.5},
    {**CENTRE, "outer.theta": 1.0},
    {**CENTRE, "layers": 1},
    {**CENTRE, "hidden": 128, "features.width": 128},
    {**CENTRE, "inner.alpha": 0.3},
    {**CENTRE, "edge_dropout": 0.4, "weight_decay": 3e-4, "translation.a": 2.0},
    {**CENTRE, "edge_dropout": 0.4, "weight_decay": 3e-4, "outer.alpha": 0.5},
    {**CENTRE, "edge_dropout": 0.4, "weight_decay": 3e-4, "features.scale": 0.3},
    {**CENTRE, "features.kind": "random", "edge_dropout": 0.4},
    {**CENTRE, "features.kind": "random", "edge_dropout": 0.4, "weight_decay": 3e-4},
)


def points(around: bool = False) -> Iterator[dict[str, Any]]:
    """The points of the search, the same for all tasks; or only those around the centre."""
    if around:
        yield from AROUND
        return
    yield from FIRST
    rng = np.random.default_rng(25)
    while True:
        drawn = {name: values[rng.integers(len(values))] for name, values in SPACE.items()}
        point = {**TODAY, **drawn, "ties": "loss", "inner.theta": 0.5}
        # Vectors as wide as the network, so that nothing is squeezed on the way in.
        yield {**point, "features.width": point["hidden"]}


def rehearsal(task: Any, seed: int) -> Any:
    """Train and val of a task, split anew; its test part is gone."""
    from sub2node.task import Split

    seen = task.subset(~task.split.mask("test"))
    return seen.with_split(Split.random(seen.labels, fractions=(0.7, 0.1, 0.2), seed=seed))


def measure(task: Any, structure: str, point: dict[str, Any]) -> dict[str, Any]:
    """Scores of one point on the rehearsals of a task."""
    from sub2node.base.metrics import micro_f1
    from sub2node.config import Config
    from sub2node.models.graph_network import GraphNetwork

    config = Config().with_settings({**point, "structure": structure})
    scores, epochs, start = [], [], time.perf_counter()
    for seed in range(SPLITS):
        split = rehearsal(task, seed)
        labels = {part: split.labels[split.split.mask(part)] for part in ("train", "val")}
        trained = GraphNetwork((config,)).fit(split, labels, SEEDS)
        truth = split.labels[split.split.mask("test")]
        outputs = trained.outputs("test").logits
        scores += [micro_f1(truth, logits, multilabel=task.multilabel) for logits in outputs]
        epochs += trained.fitted.best_epoch.tolist()
    seconds = time.perf_counter() - start
    return {
        "score": f"{np.mean(scores):.5f}",
        "sd": f"{np.std(scores, ddof=1):.5f}",
        "runs": len(scores),
        "epoch": f"{np.mean(epochs):.0f}",
        "seconds": f"{seconds:.2f}",
    }


def search_task(job: tuple[str, str, float, bool]) -> None:
    """All points on one task, until the time is up; rows are appended as they come."""
    folder, out, until, around = job
    import torch

    import sub2node as s2n

    torch.set_num_threads(1)
    task, name = s2n.load_task(folder), Path(folder).name
    first = 1000 if around else 0
    for number, point in enumerate(points(around), first):
        for structure in STRUCTURES:
            if time.time() > until:
                return
            row = {"task": name, "family": "identity", "point": number, "structure": structure}
            try:
                row |= measure(task, structure, point)
            except Exception as error:  # a row without a score says why
                row["score"] = " ".join(f"{type(error).__name__}: {error}".split())[:120]
            row["settings"] = json.dumps(point)
            with Path(out).open("a", newline="") as file:
                csv.DictWriter(file, COLUMNS).writerow(row)


def search(arguments: argparse.Namespace) -> None:
    """Search all tasks side by side."""
    folders = [path for path in sorted(arguments.suite.iterdir()) if path.is_dir()]
    wanted = arguments.only.split(",") if arguments.only else [path.name for path in folders]
    with arguments.out.open("w", newline="") as file:
        csv.DictWriter(file, COLUMNS).writeheader()
    until = time.time() + 60 * arguments.minutes
    chosen = [path for path in folders if path.name in wanted]
    jobs = [(str(path), str(arguments.out), until, arguments.around) for path in chosen]
    os.environ.setdefault("S2N_CACHE", str(arguments.out.parent / "cache"))
    with multiprocessing.get_context("spawn").Pool(arguments.workers) as pool:
        pool.map(search_task, jobs, chunksize=1)


def judge(arguments: argparse.Namespace) -> None:
    """Regret of every point on every task; the default that each task would have been given."""
    import pandas as pd

    frame = pd.read_csv(arguments.rows)
    frame["score"] = pd.to_numeric(frame["score"], errors="coerce")
    settings = frame.drop_duplicates("point").set_index("point")["settings"]
    rows = []
    for structure, part in frame.groupby("structure"):
        table = part.pivot_table(index="point", columns="task", values="score").dropna()
        regret = table.max() - table
        whole = int(regret.mean(axis=1).idxmin())
        for task in table.columns:
            others = regret.drop(columns=task).mean(axis=1)
            chosen = int(others.idxmin())
            rows.append(
                {
                    "structure": structure,
                    "task": task,
                    "points": len(table),
                    "best": f"{table[task].max():.4f}",
                    "today": f"{table.loc[0, task]:.4f}",
                    "left_out_point": chosen,
                    "left_out": f"{table.loc[chosen, task]:.4f}",
                    "chosen_point": whole,
                    "chosen": f"{table.loc[whole, task]:.4f}",
                }
            )
        mean = {
            name: float(
                np.mean(
                    [float(r["best"]) - float(r[name]) for r in rows if r["structure"] == structure]
                )
            )
            for name in ("today", "left_out", "chosen")
        }
        print(structure, {name: round(100 * value, 2) for name, value in mean.items()})
        for point in regret.mean(axis=1).nsmallest(8).index:
            changed = {k: v for k, v in json.loads(settings[point]).items() if TODAY[k] != v}
            print(f"  {point:4d} {100 * regret.loc[point].mean():.2f} {changed}")
    if arguments.out is not None:
        with arguments.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    print(pd.DataFrame(rows).to_string())


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("search")
    one.add_argument("suite", type=Path)
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--minutes", type=float, default=8.0)
    one.add_argument("--workers", type=int, default=10)
    one.add_argument("--around", action="store_true", help="Only the points around the centre.")
    one.add_argument("--only", default="", help="Names of tasks, joined by commas.")
    one.set_defaults(work=search)
    two = commands.add_parser("judge")
    two.add_argument("rows", type=Path)
    two.add_argument("--out", type=Path)
    two.set_defaults(work=judge)
    arguments = parser.parse_args()
    arguments.work(arguments)


if __name__ == "__main__":
    main()
