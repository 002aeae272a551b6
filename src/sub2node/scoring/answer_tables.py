"""Answers as tables: Parquet, CSV or JSONL, piece by piece."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol, TextIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..base.errors import ConfigError
from ..base.ragged import Array
from ..base.records import JsonObject
from .answer_extras import AnswerExtras
from .answers import Answers, answer_columns, answer_objects

ENDINGS = (".parquet", ".csv", ".tsv", ".jsonl")


class AnswerWriter(Protocol):
    """Writes answers, piece by piece."""

    def __call__(self, answers: Answers, ranks: Array | None = None) -> None:
        """Write a piece, with the ranks that extras give it."""


@contextmanager
def table_writer(
    path: Path, ending: str, extras: AnswerExtras | None = None
) -> Iterator[AnswerWriter]:
    """Open a file of answers.

    Args:
        path: The file to write.
        ending: The format, one of :data:`ENDINGS`.
        extras: What is added to the answers.
    """
    extras = extras or AnswerExtras()
    if ending not in ENDINGS:
        raise ConfigError(f"answers are written as {', '.join(ENDINGS)}, not {ending!r}.")
    with ExitStack() as stack:
        if ending == ".parquet":
            yield _ParquetWriter(path, stack, extras)
        else:
            text = stack.enter_context(path.open("w", encoding="utf-8", newline=""))
            is_json = ending == ".jsonl"
            yield _JsonlWriter(text, extras) if is_json else _DelimitedWriter(text, ending, extras)


class _ParquetWriter:
    def __init__(self, path: Path, stack: ExitStack, extras: AnswerExtras) -> None:
        self.path, self.stack, self.extras = path, stack, extras
        self.writer: pq.ParquetWriter | None = None

    def __call__(self, answers: Answers, ranks: Array | None = None) -> None:
        columns = _table_columns(answers, self.extras, ranks)
        kind = pa.list_(pa.string()) if answers.multilabel else pa.string()
        columns["prediction"] = pa.array(columns["prediction"], kind)
        for name in ("subgraph_id", "warnings"):
            columns[name] = pa.array(columns[name], pa.string())
        arrays = {
            name: values if isinstance(values, pa.Array) else pa.array(values, pa.float64())
            for name, values in columns.items()
        }
        table = pa.table(arrays)
        if self.writer is None:
            self.writer = self.stack.enter_context(pq.ParquetWriter(self.path, table.schema))
        self.writer.write_table(table)


class _JsonlWriter:
    def __init__(self, text: TextIO, extras: AnswerExtras) -> None:
        self.text, self.extras = text, extras

    def __call__(self, answers: Answers, ranks: Array | None = None) -> None:
        for row in extended_objects(answers, self.extras, ranks):
            self.text.write(json.dumps(row, ensure_ascii=False) + "\n")


class _DelimitedWriter:
    def __init__(self, text: TextIO, ending: str, extras: AnswerExtras) -> None:
        self.extras = extras
        self.writer = csv.writer(text, delimiter="\t" if ending == ".tsv" else ",")
        self.has_header = False

    def __call__(self, answers: Answers, ranks: Array | None = None) -> None:
        columns = _table_columns(answers, self.extras, ranks)
        if not self.has_header:
            self.writer.writerow(columns)
            self.has_header = True
        if answers.multilabel:
            columns["prediction"] = [";".join(labels) for labels in columns["prediction"]]
        plain = (_as_text(v) if isinstance(v, pa.Array) else v for v in columns.values())
        self.writer.writerows(zip(*plain, strict=True))


def _as_text(values: pa.Array) -> list[Any]:
    """Values for CSV; true and false as every language writes them, not as Python does."""
    is_truth = pa.types.is_boolean(values.type)
    return list(values.cast(pa.string()).to_pylist() if is_truth else values.to_pylist())


def _table_columns(answers: Answers, extras: AnswerExtras, ranks: Array | None) -> dict[str, Any]:
    """Columns of the answers, those that were asked for before the probabilities by class."""
    columns, more = answer_columns(answers), extras.columns(answers, _no_ranks(ranks))
    names = list(columns)
    place = names.index("known") + 1
    first, rest = (
        {name: columns[name] for name in part} for part in (names[:place], names[place:])
    )
    return {**first, **more, **rest}


def extended_objects(
    answers: Answers, extras: AnswerExtras, ranks: Array | None = None
) -> list[JsonObject]:
    """Answers as JSON objects, with what was asked for beside them.

    Args:
        answers: A piece of the answers.
        extras: What is added to them.
        ranks: Their ranks, as ``extras.rank`` gives them.
    """
    rows = answer_objects(answers, columns=True)
    more = extras.objects(answers, _no_ranks(ranks))
    return [{**row, **added} for row, added in zip(rows, more, strict=True)]


def _no_ranks(ranks: Array | None) -> Array:
    return np.empty(0, np.int64) if ranks is None else ranks
