"""Which settings hold across data: a random search over many tasks, judged by regret.

Every point of the search is tried on every task, always on a rehearsal: the test part is set aside
unread, and train and val are split anew into 70/10/20, so that a point's score comes from subgraphs
that chose nothing; where subgraphs belong to groups (patients of one publication), a group is in
one part, as in the split that the data come with. A point's regret on a task is the distance to the
best point there; a default is judged by the regret it has on a task that had no say in choosing it
(leave one data set out).

    python benchmarks/suite.py suite                                   # write the tasks
    python benchmarks/defaults.py search suite --out rows.csv --minutes 8 --workers 14
    python benchmarks/defaults.py search suite --out last.csv --stage last --points 20
    python benchmarks/defaults.py judge rows.csv last.csv
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

SEEDS = (10, 11, 12)
SPLITS = 3  # rehearsals per task
GROUPS = "publication"  # the attribute whose values stay in one part, where a task has it
STRUCTURES = ("s2n+0", "s2n+a")
COLUMNS = (
    "task",
    "family",
    "point",
    "structure",
    "score",
    "sd",
    "runs",
    "by_split",  # scores of each rehearsal's test part, mean over seeds
    "val_by_split",
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

# Candidates for the place of the default: vectors at random or singular, and more dropout.
RANDOM = {**WIDE, "weight_decay": 1e-4}
LAST = (
    RANDOM,
    {**RANDOM, "dropout": 0.6},
    {**RANDOM, "edge_dropout": 0.4, "dropout": 0.6},
    {**RANDOM, "edge_dropout": 0.4, "weight_decay": 3e-4},
    {**RANDOM, "dropout": 0.6, "weight_decay": 3e-4},
    {**CENTRE, "dropout": 0.6, "edge_dropout": 0.4},
    {**CENTRE, "dropout": 0.6, "weight_decay": 3e-4},
    {**CENTRE, "dropout": 0.6, "lr": 0.006},
    {**CENTRE, "dropout": 0.6, "features.scale": 0.15},
    {**CENTRE, "dropout": 0.6, "features.scale": 0.3, "weight_decay": 3e-4},
    {**RANDOM, "dropout": 0.6, "lr": 0.006},
)


def points(stage: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The points of the search with their numbers, the same for all tasks.

    Args:
        stage: ``first`` draws without end; ``around`` and ``last`` are lists.
    """
    if stage == "around":
        yield 0, TODAY
        yield from enumerate(AROUND, 1000)
        return
    if stage == "last":
        yield from enumerate(LAST, 2000)
        return
    yield from enumerate(FIRST)
    rng = np.random.default_rng(25)
    for number in itertools.count(len(FIRST)):
        drawn = {name: values[rng.integers(len(values))] for name, values in SPACE.items()}
        point = {**TODAY, **drawn, "ties": "loss", "inner.theta": 0.5}
        # Vectors as wide as the network, so that nothing is squeezed on the way in.
        yield number, {**point, "features.width": point["hidden"]}


def rehearsal(task: Any, seed: int) -> Any:
    """Train and val of a task, split anew; its test part is gone."""
    from sub2node.task import Split

    seen = task.subset(~task.split.mask("test"))
    groups = seen.attributes.groups(GROUPS) if GROUPS in seen.attributes else None
    split = Split.random(seen.labels, fractions=(0.7, 0.1, 0.2), seed=seed, groups=groups)
    return seen.with_split(split)


def measure(task: Any, structure: str, point: dict[str, Any]) -> dict[str, Any]:
    """Scores of one point on the rehearsals of a task."""
    from sub2node.base.metrics import micro_f1
    from sub2node.config import Config
    from sub2node.models.graph_network import GraphNetwork

    config = Config().with_settings({**point, "structure": structure})
    scores, val_scores, epochs, start = [], [], [], time.perf_counter()
    for seed in range(SPLITS):
        split = rehearsal(task, seed)
        labels = {part: split.labels[split.split.mask(part)] for part in ("train", "val")}
        trained = GraphNetwork((config,)).fit(split, labels, SEEDS)
        for part, kept in (("val", val_scores), ("test", scores)):
            truth = split.labels[split.split.mask(part)]
            outputs = trained.outputs(part).logits
            kept.append([micro_f1(truth, one, multilabel=task.multilabel) for one in outputs])
        epochs += trained.fitted.best_epoch.tolist()
    seconds = time.perf_counter() - start
    return {
        "score": f"{np.mean(scores):.5f}",
        "sd": f"{np.std(scores, ddof=1):.5f}",
        "runs": np.size(scores),
        "by_split": json.dumps(np.mean(scores, axis=1).round(5).tolist()),
        "val_by_split": json.dumps(np.mean(val_scores, axis=1).round(5).tolist()),
        "epoch": f"{np.mean(epochs):.0f}",
        "seconds": f"{seconds:.2f}",
    }


@cache
def load(folder: str) -> Any:
    """A task of the suite; a process reads each once."""
    import sub2node as s2n

    return s2n.load_task(folder)


def store_vectors(folders: Sequence[str], widths: Sequence[int]) -> None:
    """Singular vectors of each graph into the cache, before all processes ask for them at once."""
    from sub2node.encode import encode

    for folder, width in itertools.product(folders, widths):
        encode(load(folder).graph, "svd", width=width)


def search_point(job: tuple[str, str, float, int, dict[str, Any], str]) -> None:
    """One point on one task, unless the time is up; its row is appended."""
    folder, out, until, number, point, structure = job
    if time.time() > until:
        return
    import torch

    torch.set_num_threads(1)
    name = Path(folder).name
    row = {"task": name, "family": "identity", "point": number, "structure": structure}
    try:
        row |= measure(load(folder), structure, point)
    except Exception as error:  # a row without a score says why
        row["score"] = " ".join(f"{type(error).__name__}: {error}".split())[:120]
    row["settings"] = json.dumps(point)
    with Path(out).open("a", newline="") as file:
        csv.DictWriter(file, COLUMNS).writerow(row)


def search(arguments: argparse.Namespace) -> None:
    """Search all tasks side by side, point by point, so that all tasks have the same ones."""
    folders = [path for path in sorted(arguments.suite.iterdir()) if path.is_dir()]
    wanted = arguments.only.split(",") if arguments.only else [path.name for path in folders]
    with arguments.out.open("w", newline="") as file:
        csv.DictWriter(file, COLUMNS).writeheader()
    until = time.time() + 60 * arguments.minutes
    chosen = [str(path) for path in folders if path.name in wanted]
    drawn = list(itertools.islice(points(arguments.stage), arguments.points))
    jobs = [
        (folder, str(arguments.out), until, number, point, structure)
        for number, point in drawn
        for folder in chosen
        for structure in STRUCTURES
    ]
    os.environ.setdefault("S2N_CACHE", str(arguments.out.parent / "cache"))
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    widths = {point["features.width"] for _, point in drawn if point["features.kind"] == "svd"}
    store_vectors(chosen, sorted(widths))
    with multiprocessing.get_context("spawn").Pool(arguments.workers) as pool:
        for _ in pool.imap_unordered(search_point, jobs, chunksize=1):
            pass


def regrets(frame: Any, structure: str) -> Any:
    """Regret in points: one row per point, or pair of points of which validation chose, by task."""
    import pandas as pd

    part = frame[frame.structure == structure].dropna(subset="score")
    chosen: dict[str, dict[str, float]] = {}
    for task, rows in part.groupby("task"):
        by_point = {
            row.point: (np.array(json.loads(row.by_split)), np.array(json.loads(row.val_by_split)))
            for row in rows.itertuples()
        }
        for first, second in itertools.combinations_with_replacement(sorted(by_point), 2):
            (test, val), (other_test, other_val) = by_point[first], by_point[second]
            score = np.where(other_val > val, other_test, test).mean()
            name = f"{first}" if first == second else f"{first} or {second}"
            chosen.setdefault(name, {})[task] = 100 * float(score)
    scores = pd.DataFrame.from_dict(chosen, orient="index").dropna()
    return scores[~scores.index.str.contains("or")].max() - scores


def judge(arguments: argparse.Namespace) -> None:
    """The points and pairs of least regret; what each task would have been given by the others."""
    import pandas as pd

    frame = pd.concat([pd.read_csv(path) for path in arguments.rows])
    frame["score"] = pd.to_numeric(frame["score"], errors="coerce")
    settings = frame.drop_duplicates("point").set_index("point")["settings"]
    for structure in STRUCTURES:
        regret = regrets(frame, structure)
        pairs = regret.index.str.contains("or")
        for kind, table in (("points", regret[~pairs]), ("pairs", regret[pairs])):
            left_out = [
                table.loc[[table.drop(columns=task).mean(axis=1).idxmin()], task].iloc[0]
                for task in table.columns
            ]
            print(f"{structure}, {kind}: {len(table)}; left out {np.mean(left_out):.2f}")
            best = table.assign(mean=table.mean(axis=1)).nsmallest(8, "mean")
            print(best.round(2).to_string())
    for point in sorted(settings.index):
        changed = {k: v for k, v in json.loads(settings[point]).items() if TODAY[k] != v}
        print(f"{point:5d} {changed}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("search")
    one.add_argument("suite", type=Path)
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--minutes", type=float, default=8.0)
    one.add_argument("--workers", type=int, default=10)
    one.add_argument("--points", type=int, default=200, help="The most points.")
    one.add_argument("--stage", choices=("first", "around", "last"), default="first")
    one.add_argument("--only", default="", help="Names of tasks, joined by commas.")
    one.set_defaults(work=search)
    two = commands.add_parser("judge")
    two.add_argument("rows", type=Path, nargs="+")
    two.set_defaults(work=judge)
    arguments = parser.parse_args()
    arguments.work(arguments)


if __name__ == "__main__":
    main()
