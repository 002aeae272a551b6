"""Files of answers, read back."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq

WORDS = ("subgraph_id", "prediction", "warnings")


def rows_in(path: Path, words: tuple[str, ...] = WORDS) -> list[dict]:
    """The answers of a file, numbers as numbers and these columns as words."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    with path.open(encoding="utf-8", newline="") as text:
        if path.suffix == ".jsonl":
            return [json.loads(line) for line in text]
        rows = list(csv.DictReader(text, delimiter="\t" if path.suffix == ".tsv" else ","))
    return [{k: v if k in words else float(v) for k, v in row.items()} for row in rows]
