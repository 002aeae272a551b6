"""What near copies between parts are worth: training subgraphs that are nearly test subgraphs.

    python benchmarks/near_copies.py --out benchmarks/results/near-copies.csv

In each random split, some test subgraphs get a near copy in train: in place of a training subgraph
of the same label, with a tenth of the members replaced by other nodes. Sizes of parts and classes
stay. A row has a split and a share of test subgraphs with a near copy: micro-F1 of the quick models
of the audit, in points, on the whole test part and on those subgraphs alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from measuring import save_rows

import sub2node as s2n
from sub2node.audit.quick_models import labels_of_part, one_hot, quick_models

SHARES = (0.0, 0.05, 0.1, 0.2)
SWAPPED = 0.1
GROUPS = {"patients": "publication"}


def with_copies(task: Any, share: float, seed: int) -> tuple[Any, np.ndarray]:
    """The task with near copies, and the test rows that have one.

    Args:
        task: The data under one split, with one label each.
        share: Share of the test subgraphs.
        seed: Seed of what is drawn.
    """
    rng = np.random.default_rng(seed)
    nodes, ptr = task.subgraphs.nodes, task.subgraphs.ptr
    sets = [nodes[a:b] for a, b in pairwise(ptr)]
    train, test = (np.flatnonzero(task.split.mask(part)) for part in ("train", "test"))
    free = rng.permutation(train).tolist()
    copied = rng.permutation(test)[: round(share * len(test))]
    done = []
    for row in copied.tolist():
        place = next((k for k in free if task.labels[k] == task.labels[row]), None)
        if place is None:
            continue
        free.remove(place)
        members = sets[row].copy()
        swapped = rng.permutation(len(members))[: round(SWAPPED * len(members))]
        others = np.setdiff1d(np.arange(task.graph.num_nodes), members)
        members[swapped] = rng.choice(others, len(swapped), replace=False)
        sets[place] = members
        done.append(row)
    subgraphs = s2n.Subgraphs.from_lists([members.tolist() for members in sets])
    return replace(task, subgraphs=subgraphs, attributes={}), np.array(done, np.int64)


def rows(data: str, count: int) -> Iterator[dict[str, object]]:
    """A row for each split, share and quick model."""
    task = s2n.load_task(data)
    splits = s2n.evaluate.random_splits(task, count, groups=GROUPS.get(data))
    for number, drawn in enumerate(splits):
        test = np.flatnonzero(drawn.split.mask("test"))
        for share in SHARES:
            changed, copied = with_copies(drawn, share, seed=number)
            labels = labels_of_part(changed, "train")
            truth = labels_of_part(changed, "test")
            chosen = np.isin(test, copied)
            for model in quick_models(changed)[:2]:
                table = model.predict(labels, classes=changed.num_classes)
                right = (table & one_hot(truth, changed.num_classes)).any(axis=1)
                own = f"{100 * right[chosen].mean():.2f}" if chosen.any() else ""
                yield {
                    "data": data, "split": number, "share": share, "model": model.name,
                    "test": len(test), "train": len(labels), "copies": int(chosen.sum()),
                    "score": f"{100 * right.mean():.2f}", "score_of_copied": own,
                }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--data", default="ppi_bp,patients")
    asked = parser.parse_args()
    save_rows(asked.out, [r for data in asked.data.split(",") for r in rows(data, asked.splits)])


if __name__ == "__main__":
    main()
