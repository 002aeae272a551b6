"""What the first equal search had seen of the test parts that it was confirmed on.

    python benchmarks/equal_overlap.py --out benchmarks/results/equal-search-overlap.csv

That search was on train and val of the published split, its confirmation on random splits of all
subgraphs. A row has a random split: how many of its test subgraphs the search had (`seen`), and of
how many groups (publications) that have test subgraphs some are in train or val too (`shared`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from equal_search import DATA, GROUPS
from measuring import save_rows

import sub2node as s2n


def rows(data: str, count: int) -> Iterator[dict[str, object]]:
    """A row for each random split of some data, drawn without groups as they were then."""
    task = s2n.load_task(data)
    assert task.split is not None
    searched = np.empty(len(task), bool)
    searched[task.input_order] = ~task.split.mask("test")
    for number, drawn in enumerate(s2n.evaluate.random_splits(task, count)):
        assert drawn.split is not None
        test = drawn.split.mask("test")
        row = {"data": data, "split": number, "test": int(test.sum())}
        row["seen"] = int(searched[drawn.input_order[test]].sum())
        if data in GROUPS:
            groups = drawn.attributes.groups(GROUPS[data])
            tested = set(groups[test])
            row |= {"groups": len(tested), "shared": len(tested & set(groups[~test]))}
        yield {**row, "groups": row.get("groups", ""), "shared": row.get("shared", "")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=10)
    asked = parser.parse_args()
    save_rows(asked.out, [row for data in DATA for row in rows(data, asked.splits)])


if __name__ == "__main__":
    main()
