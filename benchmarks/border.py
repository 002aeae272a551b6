"""What lies around subgraphs, and whether it is found: tables like Elliptic2, with and without it.

    python benchmarks/border.py --out benchmarks/results/border.csv --scales 0.01 --work FOLDER

Every row is one model on the tables of one scale under one random split of 50, 10 and 40 %, so that
a small scale has suspicious subgraphs to test on; the test part is read once. ``directed`` reads
edges with directions, ``undirected`` without; ``none`` is what the model reads otherwise: the nodes
and their features, of gbdt the statistics too.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from measuring import save_rows
from sklearn.metrics import average_precision_score

import sub2node as s2n
from sub2node.datasets import EllipticShape, make_elliptic_like

SEEDS, SHARES = (10, 11, 12), (0.5, 0.1, 0.4)
NETWORK = {"features.kind": "given"}
TREES = {"rate": 0.1, "leaves": 15, "features.kind": "given"}
SETTINGS: dict[str, dict[str, dict[str, Any]]] = {
    "s2n+0": {"border": {**NETWORK, "features.subgraphs": "border"}, "none": NETWORK},
    "gbdt": {"border": {**TREES, "inputs": "border"}, "none": {**TREES, "inputs": "both"}},
    "hops": {"border": {"inputs": "border"}, "none": {}},
}


def assess(task: Any, model: str, settings: dict[str, Any]) -> Any:
    """One model, its test part read once."""
    if model == "s2n+0":
        return s2n.run(task, structure=model, preset="fast", seeds=list(SEEDS), settings=settings)
    return s2n.run(task, model=model, settings=settings)


def pr_auc(task: Any, result: Any) -> float:
    """Mean over replicas of the area under the precision-recall curve, of suspicious subgraphs."""
    truth = task.labels[task.split.mask("test")]
    logits = result.outputs["test"].logits
    scores = logits[:, :, 1] - logits[:, :, 0]
    return float(np.mean([average_precision_score(truth, replica) for replica in scores]))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="where the tables are made")
    parser.add_argument("--scales", default="0.01")
    parser.add_argument("--splits", type=int, default=5)
    options, rows = parser.parse_args(), []
    for scale in map(float, options.scales.split(",")):
        folder = options.work / f"elliptic-like-{scale:g}"
        if not folder.exists():
            make_elliptic_like(folder, shape=EllipticShape.of_scale(scale))
        for direction in ("directed", "undirected"):
            whole = s2n.load_task(folder, directed=direction == "directed")
            for number in range(options.splits):
                task = whole.with_split(
                    s2n.Split.random(whole.labels, fractions=SHARES, seed=number)
                )
                for model, by_inputs in SETTINGS.items():
                    for inputs, settings in by_inputs.items():
                        if direction == "undirected" and (inputs == "none" or model != "gbdt"):
                            continue  # to show that directions count, one model will do
                        start = time.perf_counter()
                        area = pr_auc(task, assess(task, model, settings))
                        row = {"scale": f"{scale:g}", "edges": direction, "split": number}
                        row |= {"model": model, "inputs": inputs, "pr_auc": f"{area:.5f}"}
                        tested = task.labels[task.split.mask("test")]
                        row |= {"subgraphs": len(task), "test": len(tested)}
                        row |= {"positive": int(tested.sum())}
                        rows.append(row | {"seconds": f"{time.perf_counter() - start:.1f}"})
                        print(*rows[-1].values(), flush=True)
                save_rows(options.out, rows)


if __name__ == "__main__":
    main()
