"""Why a score is below the published one: the same cell again, one difference at a time.

    python benchmarks/diagnosis.py --out FILE.csv [CELL …] [--seeds 5]

Each cell is run as in the table (`as in the table`), then with changes that the published code, or
the paper, may mean. `one table` gives constants and encodings as one table of features, which is
how the published code holds them; there its encodings are trained.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import sub2node as s2n
from sub2node.encode.encode import encode
from sub2node.reproduce.published import published

COLUMNS = ["cell", "data", "change", "val", "test", "test_sd", "n", "published", "difference"]
WIDTH = 64


@dataclass(frozen=True)
class Change:
    """A way to run a cell.

    Args:
        name: What differs from the table.
        settings: Settings that differ from the preset.
        table: Columns of RWPE in a table of features with constants; 0: no such table.
        value: The constant in that table.
        splits: Shares of random splits, one for each seed; None: the published split.
    """

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    table: int = 0
    value: float = 1.0
    splits: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Args:
        row: Its row, as in the tables of published numbers.
        source: The table.
        model: A baseline's name; empty for a structure.
        structure: The structure and the convolution; empty for a baseline.
        preset: The preset of the table.
        changes: How it is run.
    """

    row: str
    source: str
    model: str = ""
    structure: str = ""
    preset: str = "paper"
    changes: tuple[Change, ...] = ()


TABLE = Change("as in the table")
_RWPE = {"features.encoding": "rwpe"}
HALF = (0.5, 0.25, 0.25)


def with_walks(name: str, **settings: Any) -> Change:
    """A change on top of RWPE in half of the columns."""
    named = {key.replace("__", "."): value for key, value in settings.items()}
    return Change(name, {**_RWPE, **named})


WALKS = (
    with_walks("as in the table"),
    with_walks("RWPE in a quarter of the columns", features__encoding_width=16),
    with_walks("sum as readout", model__readout="sum"),
    with_walks("constants of 1", features__value=1.0),
    Change("one table, nothing trained", {"features.trainable": False}, table=32),
    Change("one table, trained", {"features.trainable": True}, table=32),
    with_walks("RWPE standardised", features__scaling="standard"),
    with_walks("RWPE standardised after a logarithm", features__scaling="log"),
    with_walks(
        "RWPE standardised, sum, constants of 1",
        features__scaling="standard",
        model__readout="sum",
        features__value=1.0,
    ),
)
SUBGNN = (
    Change("as in the table", {"features.kind": "link"}),
    Change("similarity as the published code has it",
           {"features.kind": "link", "model.similarity": "distance"}),
    Change("of tied epochs the lower loss", {"features.kind": "link", "training.ties": "loss"}),
    Change("random vectors", {"features.kind": "random"}),
    Change("splits of 50/25/25", {"features.kind": "link"}, splits=HALF),
)  # fmt: skip
CELLS = {
    "s2n+0 rwpe": Cell("s2n+0 gcn2 rwpe", "results_syn", structure="s2n+0 gcn2", changes=WALKS),
    "s2n+a rwpe": Cell("s2n+a gcn2 rwpe", "results_syn", structure="s2n+a gcn2", changes=WALKS),
    "s2n+0": Cell(
        "s2n+0 gcn2", "results_syn", structure="s2n+0 gcn2",
        changes=(
            TABLE,
            Change("of tied epochs the lower loss", {"training.ties": "loss"}),
            Change("constants of 1", {"features.value": 1.0}),
            Change("sum as readout", {"model.readout": "sum"}),
            Change("constants trained", {"features.trainable": True}),
        ),
    ),
    "subgnn": Cell("subgnn", "results_syn", model="subgnn", changes=SUBGNN),
    "glass": Cell(
        "glass", "results_syn", model="glass",
        changes=(TABLE, Change("splits of 50/25/25", splits=HALF)),
    ),
    "gin": Cell(
        "s2n+a gin", "results_diff_gnn", structure="s2n+a gin",
        changes=(
            Change("as in the table", {"features.kind": "link", "translation.weighted": True}),
            Change("links without weights", {"features.kind": "link"}),
        ),
    ),
}  # fmt: skip
DEFAULT = {
    "s2n+0 rwpe": ("density", "cut_ratio"),
    "s2n+a rwpe": ("cut_ratio", "density"),
    "s2n+0": ("density",),
    "subgnn": ("density", "cut_ratio", "coreness"),
    "glass": ("coreness",),
    "gin": ("ppi_bp",),
}


def prepared(task: s2n.SubgraphTask, change: Change) -> s2n.SubgraphTask:
    """The task with constants and encodings as features, where the change asks for it."""
    if not change.table:
        return task
    walks = encode(task.graph, "rwpe", width=change.table).values
    constants = np.full((task.graph.num_nodes, WIDTH - change.table), change.value)
    features = np.concatenate([constants, walks], axis=1).astype(np.float32)
    return replace(task, graph=replace(task.graph, features=features))


def score(cell: Cell, task: s2n.SubgraphTask, change: Change, seeds: range) -> tuple[Any, Any]:
    """Scores of validation and test over seeds, or over random splits with a seed each."""
    structure, _, conv = cell.structure.partition(" ")
    choice = {"structure": structure, "conv": conv} if structure else {"model": cell.model}
    settings = dict(change.settings)
    if change.table:
        settings["features.kind"] = "given"
    options: dict[str, Any] = {**choice, "preset": f"{cell.preset}:{task.name}"}
    task = prepared(task, change)
    if change.splits is None:
        result = s2n.run(task, seeds=seeds, settings=settings, **options)
        return result.val["micro_f1"], result.test["micro_f1"]
    splits = s2n.evaluate.random_splits(task, len(seeds), change.splits)
    results = [
        s2n.run(each, seeds=[seed], settings=settings, **options)
        for seed, each in zip(seeds, splits, strict=True)
    ]
    parts = ([r.val["micro_f1"] for r in results], [r.test["micro_f1"] for r in results])
    val, test = (s2n.evaluate.Summary(tuple(s.mean for s in part)) for part in parts)
    return val, test


def rows(names: list[str], seeds: range) -> Iterator[dict[str, object]]:
    """A row for each cell, data and change."""
    for name in names:
        cell = CELLS[name]
        for data in DEFAULT[name]:
            task = s2n.load_task(data)
            printed = published(cell.source, cell.row, data)
            for change in cell.changes:
                val, test = score(cell, task, change, seeds)
                row = {
                    "cell": cell.row, "data": data, "change": change.name,
                    "val": f"{100 * val.mean:.1f}", "test": f"{100 * test.mean:.1f}",
                    "test_sd": f"{100 * (test.sd or 0):.1f}", "n": test.n,
                }  # fmt: skip
                if printed is not None and printed.value is not None:
                    row["published"] = f"{printed.value:.1f}"
                    row["difference"] = f"{100 * test.mean - printed.value:+.1f}"
                yield row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cells", nargs="*", choices=[*CELLS, []], default=[])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    new = not asked.out.exists()
    with asked.out.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        if new:
            writer.writeheader()
        for row in rows(asked.cells or list(CELLS), range(10, 10 + asked.seeds)):
            writer.writerow(row)
            file.flush()
            print(row, flush=True)


if __name__ == "__main__":
    main()
