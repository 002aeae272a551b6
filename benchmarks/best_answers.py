"""How long does ``best`` take for an answer, beside each of its members alone?

    python benchmarks/best_answers.py SUITE --only ppi_bp --out benchmarks/results/best-answers.csv

Fits ``best`` and times the same questions, one at a time and a hundred at once, asked of the whole
and of every member; medians, on one core.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch
from measuring import save_rows

import sub2node as s2n
from scoring import sets_of, timed
from sub2node.scoring import Scorer


def answer_times(scorer: Scorer, sets: list[list[str]]) -> dict[str, str]:
    """Milliseconds of a single question and of a hundred at once."""
    single, many = scorer.ask([sets[0]]), scorer.ask(sets)
    times = {
        "one_ms": timed(lambda: scorer.predict(single), 15),
        "hundred_ms": timed(lambda: scorer.predict(many), 5),
    }
    return {name: f"{1000 * np.median(seconds):.2f}" for name, seconds in times.items()}


def rows_of(task: Any, minutes: float) -> list[dict[str, object]]:
    """The ensemble and its members."""
    model = s2n.SubgraphClassifier(model="best", time_limit=60 * minutes).fit(task)
    scorer: Any = model.scorer_
    sets = sets_of(scorer, 100)
    parts = [("best", 1.0, scorer)]
    parts += [
        (f"member: {member.title}", weight, member)
        for weight, member in zip(scorer.weights, scorer.members, strict=True)
    ]
    return [
        {"model": name, "weight": f"{weight:.3f}", **answer_times(one, sets)}
        for name, weight, one in parts
    ]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", type=Path)
    parser.add_argument("--only", default="ppi_bp", help="Names of tasks, with commas.")
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rows: list[dict[str, object]] = []
    for name in arguments.only.split(","):
        task = s2n.load_task(arguments.suite.resolve() / name)
        rows += [{"task": name, **row} for row in rows_of(task, arguments.minutes)]
    for row in rows:
        print(*row.values())
    save_rows(arguments.out, rows)


if __name__ == "__main__":
    main()
