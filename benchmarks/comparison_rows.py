"""From folders of `s2n run -o` to rows: one line for each model, with means over its runs.

    python benchmarks/comparison_rows.py FOLDER… --out benchmarks/results/ppi_bp-models.csv

Scores are micro-F1 in points, `macro` is macro-F1 of test; sd has n - 1, and is 0 for one run.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measuring import save_rows


def rows_of(folder: Path) -> Iterator[dict[str, object]]:
    """The models of a comparison, or the one model of a run."""
    file = folder / "comparison.json"
    if file.is_file():
        models = json.loads(file.read_text(encoding="utf-8"))["models"]
    else:
        models = [json.loads((folder / "result.json").read_text(encoding="utf-8"))]
    yield from map(row_of, models)


def row_of(model: dict[str, Any]) -> dict[str, object]:
    row: dict[str, object] = {"model": model["model"]}
    for part in ("val", "test"):
        score = model[part]["micro_f1"]
        row |= {part: f"{100 * score['mean']:.1f}", f"{part}_sd": f"{100 * (score['sd'] or 0):.1f}"}
    row["macro"] = f"{100 * model['test']['macro_f1']['mean']:.1f}"
    return row | {"n": len(model["test"]["micro_f1"]["values"]), "seconds": round(model["seconds"])}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    save_rows(options.out, [row for folder in options.folders for row in rows_of(folder)])
