"""Simple models, and rules for ties, over the ten random splits of the equal search.

    python benchmarks/paired_splits.py simple --out benchmarks/results/simple-splits.csv
    python benchmarks/paired_splits.py ties --out benchmarks/results/ties-splits.csv
    python benchmarks/paired_splits.py given --out benchmarks/results/simple-given.csv

`simple`: models in which little is chosen, on splits that are the same for all models (patients of
one publication in one part), seed 10. `ties`: S2N+A with searched settings, of epochs that tie on
validation the first or the one of the lowest loss, on the same splits with the number of the split
as seed. `given`: simple models on the split that patients come with. A row is one score on one test
part, in points; rows that a file has are kept.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import sub2node as s2n

GROUPS = {"patients": "publication"}
SIMPLE = ("bag", "statistics")
TIES = ("first", "loss")
DATA = {
    "simple": ("ppi_bp", "density", "cut_ratio", "coreness", "component", "hpo_orpha_metab",
               "hpo_orpha_neuro", "patients"),
    "ties": ("density", "cut_ratio", "coreness", "ppi_bp"),
    "given": ("patients",),
}  # fmt: skip
COLUMNS = ("data", "model", "split", "test", "train", "test_size")


def score(task: Any, what: str, name: str, number: int | str) -> float:
    """Micro-F1 on the test part of a split.

    Args:
        task: The task under the split.
        what: ``simple``, ``ties`` or ``given``.
        name: The simple model, or the rule for ties.
        number: The number of the split.
    """
    if what != "ties":
        result = s2n.run(task, model=name, seeds=[10])
    else:
        options: dict[str, Any] = {"structure": "s2n+a", "preset": "tuned"}
        result = s2n.run(task, seeds=[number], settings={"training.ties": name}, **options)
    return 100 * result.test["micro_f1"].mean


def rows(
    what: str, data_names: Sequence[str], done: set[tuple[str, str, str]]
) -> Iterator[dict[str, object]]:
    """A row for each data set, model and split that is missing."""
    for data in data_names:
        task = s2n.load_task(data)
        drawn_splits = s2n.evaluate.random_splits(task, 10, groups=GROUPS.get(data))
        splits = {"given": task} if what == "given" else dict(enumerate(drawn_splits))
        for name in TIES if what == "ties" else SIMPLE:
            for number, drawn in splits.items():
                if (data, name, str(number)) in done:
                    continue
                assert drawn.split is not None
                sizes = [drawn.split.count(part) for part in ("train", "test")]
                value = score(drawn, what, name, number)
                values = (data, name, number, f"{value:.4f}", *sizes)
                yield dict(zip(COLUMNS, values, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=list(DATA))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", help="Names with commas; by default all.")
    asked = parser.parse_args()
    done = set()
    if asked.out.exists():
        with asked.out.open(encoding="utf-8", newline="") as file:
            done = {(row["data"], row["model"], row["split"]) for row in csv.DictReader(file)}
    else:
        asked.out.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    names = asked.data.split(",") if asked.data else DATA[asked.what]
    for row in rows(asked.what, names, done):
        with asked.out.open("a", encoding="utf-8", newline="") as file:
            csv.DictWriter(file, COLUMNS, lineterminator="\n").writerow(row)
        print(*row.values(), flush=True)


if __name__ == "__main__":
    main()
