"""Why a score is below the published one: the same cell again, one difference at a time.

    python benchmarks/diagnosis.py --out FILE.csv [CELL …] [--seeds 10]

Each cell is run again as in its table (`as in the table`), then with changes that the published
code, or the paper, may mean; `p` is Welch's test of a change against the cell as in the table, run
again. `one table` gives constants and encodings as one table of features, which is how the
published code holds them; there its encodings are trained. Rows that the file has are kept.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from diagnosis_cells import AS_IN_TABLE, CELLS, Cell, Change
from scipy import stats

import sub2node as s2n
from sub2node.encode.encode import encode
from sub2node.reproduce.published import published

COLUMNS = ["cell", "data", "change", "val", "test", "test_sd", "n", "p", "published", "difference"]
COLUMNS += ["settings", "scores"]
WIDTH = 64
STUDIES = Path(__file__).with_name("results") / "studies"


def prepared(task: s2n.SubgraphTask, change: Change) -> s2n.SubgraphTask:
    """The task with constants and encodings as features, where the change asks for it."""
    if not change.table:
        return task
    walks = encode(task.graph, "rwpe", width=change.table).values
    constants = np.full((task.graph.num_nodes, WIDTH - change.table), change.value)
    features = np.concatenate([constants, walks], axis=1).astype(np.float32)
    return replace(task, graph=replace(task.graph, features=features))


def settings_of(cell: Cell, change: Change, data: str = "") -> dict[str, Any]:
    """What is set beside the preset: that of the cell, then that of the change."""
    settings = {**cell.settings, **change.settings}
    if change.study:
        settings |= best_point(STUDIES / f"{data}-{change.study}.csv")
    if change.table:  # the table has the encodings
        settings |= {"features.kind": "given", "features.encoding": "none"}
    return settings


def best_point(study: Path) -> dict[str, Any]:
    """The settings of a search's best trial; of equal ones that of the lowest loss."""
    with study.open(encoding="utf-8", newline="") as file:
        trials = [row for row in csv.DictReader(file) if row["state"] == "complete"]
    best = max(trials, key=lambda row: (float(row["value"]), -float(row["loss"])))
    return {name: _typed(text) for name, text in best.items() if "." in name}


def _typed(text: str) -> Any:
    """A setting as it stands in a table of trials."""
    try:
        return json.loads(text.lower() if text in ("True", "False") else text)
    except json.JSONDecodeError:
        return text


def score(cell: Cell, task: s2n.SubgraphTask, change: Change, seeds: range) -> tuple[Any, Any]:
    """Scores of validation and test over seeds, or over random splits with a seed each."""
    structure, _, conv = cell.structure.partition(" ")
    choice = {"structure": structure, "conv": conv} if structure else {"model": cell.model}
    settings = settings_of(cell, change, task.name)
    preset = f"{change.preset or cell.preset}:{task.name}"
    options: dict[str, Any] = {**choice, "preset": preset, "settings": settings}
    task = prepared(task, change)
    seeds = range(seeds.start + change.later_seeds, seeds.stop + change.later_seeds)
    if change.splits is None:
        result = s2n.run(task, seeds=seeds, **options)
        return result.val["micro_f1"], result.test["micro_f1"]
    splits = s2n.evaluate.random_splits(task, len(seeds), change.splits)
    results = [
        s2n.run(each, seeds=[seed], **options) for seed, each in zip(seeds, splits, strict=True)
    ]
    parts = ([r.val["micro_f1"] for r in results], [r.test["micro_f1"] for r in results])
    val, test = (s2n.evaluate.Summary(tuple(s.mean for s in part)) for part in parts)
    return val, test


def welch(first: Sequence[float], second: Sequence[float]) -> float:
    """The p-value of Welch's t-test; 1 where both are the same constant."""
    if np.ptp(first) == np.ptp(second) == 0:
        return float(first[0] == second[0])
    return float(stats.ttest_ind(first, second, equal_var=False).pvalue)


def row_of(
    cell: Cell, data: str, change: Change, seeds: range, base: list[float]
) -> dict[str, Any]:
    """The row of a change; scores of the cell as in the table go into ``base``."""
    val, test = score(cell, s2n.load_task(data), change, seeds)
    if not base:
        base.extend(test.values)
    printed = published(cell.source, cell.row, data)
    row = {
        "cell": cell.row, "data": data, "change": change.name,
        "val": f"{100 * val.mean:.1f}", "test": f"{100 * test.mean:.1f}",
        "test_sd": f"{100 * (test.sd or 0):.1f}", "n": test.n,
        "p": "" if change.name == AS_IN_TABLE else f"{welch(base, test.values):.3g}",
        "settings": "tuned" if change.study else change.preset or cell.preset,
        "scores": " ".join(f"{100 * value:.4f}" for value in test.values),
    }  # fmt: skip
    if printed is not None and printed.value is not None:
        row["published"] = f"{printed.value:.1f}"
        row["difference"] = f"{100 * test.mean - printed.value:+.1f}"
    return row


def rows(
    names: list[str], seeds: range, known: dict[tuple[str, str, str], str]
) -> Iterator[dict[str, Any]]:
    """A row for each cell, data and change that is not known, with the scores of those that are."""
    for name in names:
        cell = CELLS[name]
        for data in cell.data:
            scores = known.get((cell.row, data, AS_IN_TABLE), "")
            if not scores and (cell.row, data, AS_IN_TABLE) in known:
                raise SystemExit(f"no single scores of {name} on {data}: remove its rows first")
            base = [float(value) / 100 for value in scores.split()]
            for change in (Change(AS_IN_TABLE), *cell.changes):
                if (cell.row, data, change.name) not in known:
                    yield row_of(cell, data, change, seeds, base)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cells", nargs="*", choices=[*CELLS, []], default=[])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    new, known = not asked.out.exists(), {}
    if not new:
        with asked.out.open(encoding="utf-8", newline="") as file:
            known = {(r["cell"], r["data"], r["change"]): r["scores"] for r in csv.DictReader(file)}
    with asked.out.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        if new:
            writer.writeheader()
        for row in rows(asked.cells or list(CELLS), range(10, 10 + asked.seeds), known):
            writer.writerow(row)
            file.flush()
            print(row, flush=True)


if __name__ == "__main__":
    main()
