"""Answers as tables: Parquet, CSV or JSONL, piece by piece."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import ConfigError
from .scorer import Answers

ENDINGS = (".parquet", ".csv", ".tsv", ".jsonl")


def rows_of(answers: Answers) -> dict[str, list[Any]]:
    """Columns: ``subgraph_id``, ``prediction``, ``probability`` of it and its ``spread``, the share
    of ``known`` nodes, and ``p CLASS`` for each class. Multi-label: ``prediction`` is a list, and
    its probability the lowest of it (the highest of all where the list is empty)."""
    said, shown = answers.said, answers.probabilities
    if answers.multilabel:
        lowest = np.where(said, shown, np.inf).argmin(axis=1)
        best = np.where(said.any(axis=1), lowest, shown.argmax(axis=1))
    else:
        best = said.argmax(axis=1)
    here = np.arange(len(answers))
    return {
        "subgraph_id": list(answers.names),
        "prediction": list(answers.labels),
        "probability": shown[here, best].tolist(),
        "spread": answers.spread[here, best].tolist(),
        "known": answers.known.tolist(),
        **{f"p {name}": shown[:, c].tolist() for c, name in enumerate(answers.classes)},
    }


class Writer(Protocol):
    """Takes answers, piece by piece."""

    def __call__(self, answers: Answers) -> None:
        """Write some."""


@contextmanager
def table_writer(path: Path, ending: str) -> Iterator[Writer]:
    """A file of answers.

    Args:
        path: Where to write.
        ending: Of :data:`ENDINGS`: how.
    """
    if ending not in ENDINGS:
        raise ConfigError(f"answers are written as {', '.join(ENDINGS)}, not {ending!r}.")
    with ExitStack() as stack:
        if ending == ".parquet":
            yield _Parquet(path, stack)
        else:
            text = stack.enter_context(path.open("w", encoding="utf-8", newline=""))
            yield _Lines(text) if ending == ".jsonl" else _Delimited(text, ending)


class _Parquet:
    def __init__(self, path: Path, stack: ExitStack) -> None:
        self.path, self.stack = path, stack
        self.writer: Any = None

    def __call__(self, answers: Answers) -> None:
        columns = rows_of(answers)
        kind = pa.list_(pa.string()) if answers.multilabel else pa.string()
        columns["prediction"] = pa.array(columns["prediction"], kind)
        columns["subgraph_id"] = pa.array(columns["subgraph_id"], pa.string())
        numbers = {
            name: values if isinstance(values, pa.Array) else pa.array(values, pa.float64())
            for name, values in columns.items()
        }
        table = pa.table(numbers)
        if self.writer is None:
            self.writer = self.stack.enter_context(pq.ParquetWriter(self.path, table.schema))
        self.writer.write_table(table)


class _Lines:
    def __init__(self, text: Any) -> None:
        self.text = text

    def __call__(self, answers: Answers) -> None:
        columns = rows_of(answers)
        for row in zip(*columns.values(), strict=True):
            found = dict(zip(columns, row, strict=True))
            self.text.write(json.dumps(found, ensure_ascii=False) + "\n")


class _Delimited:
    def __init__(self, text: Any, ending: str) -> None:
        self.writer = csv.writer(text, delimiter="\t" if ending == ".tsv" else ",")
        self.begun = False

    def __call__(self, answers: Answers) -> None:
        columns = rows_of(answers)
        if not self.begun:
            self.writer.writerow(columns)
            self.begun = True
        if answers.multilabel:
            columns["prediction"] = [";".join(found) for found in columns["prediction"]]
        self.writer.writerows(zip(*columns.values(), strict=True))
