"""What excluded findings bring: `patients` with and without them, over splits by publication.

    S2N_DATA=… python benchmarks/excluded.py --out benchmarks/results/excluded.csv

Every row is one model under one random split that keeps the patients of a publication together; the
test part is read once. Networks have the preset `fast`, and their row is the mean over seeds.
`unsigned` is a control: excluded findings as members, so that a model sees what was looked for and
not what was found.
"""

from __future__ import annotations

import argparse
import csv
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from measuring import save_rows

import sub2node as s2n
from sub2node.baselines import SIMPLE

SEEDS = (10, 11, 12)


def unsigned(task: Any) -> Any:
    """The task with excluded nodes as members: what was looked for, whatever was found."""
    own, absent = task.subgraphs, task.excluded
    owner = np.concatenate([own.owner, absent.owner])
    nodes = np.concatenate([own.nodes, absent.nodes])
    return replace(
        task, subgraphs=s2n.Subgraphs.from_pairs(owner, nodes, len(own), names=own.names)
    )


def assess(task: Any, model: str, seeds: list[int]) -> Any:
    """One model, its test part read once."""
    if model in SIMPLE:
        return s2n.run(task, model=model)
    return s2n.run(task, structure=model, preset="fast", seeds=seeds)


def kept_rows(path: Path, models: list[str]) -> list[dict[str, Any]]:
    """Rows of models that are not measured now."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return [row for row in csv.DictReader(stream) if row["model"] not in models]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--models", default="bag,hops,s2n+0")
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="Of networks.")
    options = parser.parse_args()
    task, models = s2n.load_task("patients"), options.models.split(",")
    rows = kept_rows(options.out, models)
    groups = list(task.attributes["publication"])
    for model in models:
        for number in range(options.splits):
            split = s2n.Split.random(task.labels, groups=groups, seed=number)
            drawn = task.with_split(split)
            variants = {"with": drawn, "without": drawn.without_excluded()}
            variants["unsigned"] = unsigned(drawn)
            for excluded, one in variants.items():
                start = time.perf_counter()
                result = assess(one, model, list(SEEDS[: options.seeds]))
                score = result.test["micro_f1"].mean
                row = {"model": model, "split": number, "excluded": excluded}
                row |= {"micro_f1": f"{score:.5f}", "val": f"{result.val['micro_f1'].mean:.5f}"}
                row |= {"train": split.count("train"), "test": split.count("test")}
                row |= {"runs": result.test["micro_f1"].n}
                rows.append(row | {"seconds": f"{time.perf_counter() - start:.1f}"})
                print(*rows[-1].values(), flush=True)
                save_rows(options.out, rows)


if __name__ == "__main__":
    main()
