"""Published patients: simple models and `best` over random splits by publication.

    python benchmarks/patients.py --out benchmarks/results/patients.csv --minutes 5
    python benchmarks/patients.py --splits 2 --models "majority,s2n+0 fast" --out rows.csv

One row per model and split, the same splits for all models: every publication is in one part, and
parts have the shares of the task's own split. Each test part is read once per row. Rows that the
file has already are kept and not computed again. Scores are shares: micro-F1 (with one label each
the top-1 accuracy), macro-F1, top-3, top-5 and mean reciprocal rank.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import Any

SIMPLE = ("majority", "bag", "diffused-bag", "hops", "statistics", "wl", "gbdt")
COLUMNS = ("task", "split", "model", "micro_f1", "macro_f1", "top_3", "top_5", "mrr", "subgraphs",
           "seconds")  # fmt: skip
GROUPS = "publication"


def assess(task: Any, name: str, minutes: float) -> dict[str, Any]:
    """Scores of a model on the test part, from seed 10.

    Args:
        task: The task under one split.
        name: The model; a network with the name of a preset after it, as in ``s2n+0 fast``.
        minutes: How long `best` may take.
    """
    import sub2node as s2n

    start = time.perf_counter()
    if name == "best":
        model = s2n.SubgraphClassifier(model="best", time_limit=60 * minutes, seeds=3)
        scores = model.fit(task, groups=GROUPS).test_ or {}
    else:
        model_name, _, preset = name.partition(" ")
        result = s2n.run(task, model=model_name, seeds=1, preset=preset or "default")
        scores = {key: float(value.mean) for key, value in result.test.items()}
    row = {key: f"{scores[key]:.5f}" for key in COLUMNS if key in scores and key != "subgraphs"}
    return {**row, "subgraphs": task.split.count("test"),
            "seconds": f"{time.perf_counter() - start:.1f}"}  # fmt: skip


def main() -> None:
    """Read the command line and append the rows that are missing."""
    from sub2node import load_task
    from sub2node.evaluate.protocol import random_splits

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="patients")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=5.0, help="Of best, for each split.")
    parser.add_argument(
        "--cpu-time", action="store_true", help="Seconds and minutes of CPU time of one thread."
    )
    parser.add_argument("--models", default=",".join((*SIMPLE, "best")))
    options = parser.parse_args()
    if options.cpu_time:  # so that other work on the machine does not count
        import torch

        torch.set_num_threads(1)
        time.perf_counter = time.process_time
    task = load_task(options.data)
    done = set()
    if options.out.is_file():
        with options.out.open(newline="", encoding="utf-8") as file:
            done = {(row["split"], row["model"]) for row in csv.DictReader(file)}
    else:
        with options.out.open("w", newline="", encoding="utf-8") as file:
            csv.DictWriter(file, COLUMNS).writeheader()
    for number, drawn in enumerate(random_splits(task, options.splits, groups=GROUPS)):
        for name in options.models.split(","):
            if (str(number), name) in done:
                continue
            row = {"task": task.name, "split": number, "model": name}
            row |= assess(drawn, name, options.minutes)
            with options.out.open("a", newline="", encoding="utf-8") as file:
                csv.DictWriter(file, COLUMNS).writerow(row)
            print(
                number, name, row["micro_f1"], row.get("top_3", ""), row.get("mrr", ""), flush=True
            )


if __name__ == "__main__":
    main()
