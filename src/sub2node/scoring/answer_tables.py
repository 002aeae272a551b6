"""Answers as files, piece by piece: tables, lines of JSON, or diagnoses as one JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol, TextIO

import numpy as np
import pyarrow as pa

from ..base.errors import ConfigError
from ..base.ragged import Array
from ..base.records import JsonObject
from ..io.table_writer import ENDINGS as TABLE_ENDINGS
from ..io.table_writer import TableWriter, open_table
from .answer_extras import AnswerExtras
from .answers import Answers, answer_columns, answer_objects

DIAGNOSES = ".json"
ENDINGS = (*TABLE_ENDINGS, DIAGNOSES)
_NAMED_ID = re.compile(r"(?P<label>.+) \((?P<id>\w+:\w+)\)")


class AnswerWriter(Protocol):
    """Writes answers, piece by piece."""

    def __call__(self, answers: Answers, ranks: Array | None = None) -> None:
        """Write a piece, with the ranks that extras give it."""


@contextmanager
def answer_writer(
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
        if ending not in (".jsonl", DIAGNOSES):
            path.touch()
            yield _AnswerTable(path, ending, stack, extras)
            return
        text = stack.enter_context(path.open("w", encoding="utf-8", newline=""))
        if ending == ".jsonl":
            yield _JsonlWriter(text, extras)
            return
        writer = _DiagnosisWriter(text, extras)
        yield writer
        writer.end()


class _AnswerTable:
    """A table that is opened with the first piece, whose columns it has."""

    def __init__(self, path: Path, ending: str, stack: ExitStack, extras: AnswerExtras) -> None:
        self.path, self.ending, self.stack, self.extras = path, ending, stack, extras
        self.write: TableWriter | None = None

    def __call__(self, answers: Answers, ranks: Array | None = None) -> None:
        table = answers_table(answers, self.extras, ranks)
        if self.write is None:
            place = open_table(self.path, self.ending, table.schema)
            self.write = self.stack.enter_context(place)
        self.write(table)


class _JsonlWriter:
    def __init__(self, text: TextIO, extras: AnswerExtras) -> None:
        self.text, self.extras = text, extras

    def __call__(self, answers: Answers, ranks: Array | None = None) -> None:
        for row in extended_objects(answers, self.extras, ranks):
            self.text.write(json.dumps(row, ensure_ascii=False) + "\n")


class _DiagnosisWriter:
    """One JSON list: for each subgraph its id, and the classes by rank with their probability."""

    def __init__(self, text: TextIO, extras: AnswerExtras) -> None:
        self.text, self.extras, self.before = text, extras, "["

    def __call__(self, answers: Answers, ranks: Array | None = None) -> None:
        top = self.extras.top or len(answers.classes)
        rankings = AnswerExtras(top).rankings(answers)
        for name, ranking in zip(answers.names, rankings, strict=True):
            diagnoses = [
                {"rank": rank, **_split_class(label), "score": score}
                for rank, (label, score) in enumerate(ranking, start=1)
            ]
            row = json.dumps({"id": name, "diagnoses": diagnoses}, ensure_ascii=False)
            self.text.write(f"{self.before}\n{row}")
            self.before = ","

    def end(self) -> None:
        """Close the list."""
        self.text.write("[]\n" if self.before == "[" else "\n]\n")


def _split_class(name: str) -> JsonObject:
    """Id and label of a class that is called ``Sotos syndrome (OMIM:117550)``; else its name."""
    found = _NAMED_ID.fullmatch(name)
    return {"id": found["id"], "label": found["label"]} if found else {"id": name, "label": name}


def answers_table(answers: Answers, extras: AnswerExtras, ranks: Array | None = None) -> pa.Table:
    """Answers as a table; arguments as of :func:`extended_objects`."""
    columns = _table_columns(answers, extras, ranks)
    kind = pa.list_(pa.string()) if answers.multilabel else pa.string()
    columns["prediction"] = pa.array(columns["prediction"], kind)
    for name in ("subgraph_id", "warnings"):
        columns[name] = pa.array(columns[name], pa.string())
    arrays = {
        name: values if isinstance(values, pa.Array) else pa.array(values, pa.float64())
        for name, values in columns.items()
    }
    return pa.table(arrays)


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
