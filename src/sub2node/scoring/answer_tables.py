"""Answers as tables: Parquet, CSV or JSONL, piece by piece."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from ..base.errors import ConfigError
from .answers import Answers, answer_columns, answer_objects

ENDINGS = (".parquet", ".csv", ".tsv", ".jsonl")


class AnswerWriter(Protocol):
    """Writes answers, piece by piece."""

    def __call__(self, answers: Answers) -> None:
        """Write a piece."""


@contextmanager
def table_writer(path: Path, ending: str) -> Iterator[AnswerWriter]:
    """Open a file of answers.

    Args:
        path: The file to write.
        ending: The format, one of :data:`ENDINGS`.
    """
    if ending not in ENDINGS:
        raise ConfigError(f"answers are written as {', '.join(ENDINGS)}, not {ending!r}.")
    with ExitStack() as stack:
        if ending == ".parquet":
            yield _ParquetWriter(path, stack)
        else:
            text = stack.enter_context(path.open("w", encoding="utf-8", newline=""))
            yield _JsonlWriter(text) if ending == ".jsonl" else _DelimitedWriter(text, ending)


class _ParquetWriter:
    def __init__(self, path: Path, stack: ExitStack) -> None:
        self.path, self.stack = path, stack
        self.writer: pq.ParquetWriter | None = None

    def __call__(self, answers: Answers) -> None:
        columns = answer_columns(answers)
        kind = pa.list_(pa.string()) if answers.multilabel else pa.string()
        columns["prediction"] = pa.array(columns["prediction"], kind)
        columns["subgraph_id"] = pa.array(columns["subgraph_id"], pa.string())
        arrays = {
            name: values if isinstance(values, pa.Array) else pa.array(values, pa.float64())
            for name, values in columns.items()
        }
        table = pa.table(arrays)
        if self.writer is None:
            self.writer = self.stack.enter_context(pq.ParquetWriter(self.path, table.schema))
        self.writer.write_table(table)


class _JsonlWriter:
    def __init__(self, text: TextIO) -> None:
        self.text = text

    def __call__(self, answers: Answers) -> None:
        for row in answer_objects(answers, columns=True):
            self.text.write(json.dumps(row, ensure_ascii=False) + "\n")


class _DelimitedWriter:
    def __init__(self, text: TextIO, ending: str) -> None:
        self.writer = csv.writer(text, delimiter="\t" if ending == ".tsv" else ",")
        self.has_header = False

    def __call__(self, answers: Answers) -> None:
        columns = answer_columns(answers)
        if not self.has_header:
            self.writer.writerow(columns)
            self.has_header = True
        if answers.multilabel:
            columns["prediction"] = [";".join(labels) for labels in columns["prediction"]]
        self.writer.writerows(zip(*columns.values(), strict=True))
