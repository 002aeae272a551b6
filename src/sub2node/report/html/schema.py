"""What a report expects in ``result.json`` and ``comparison.json``; the rest is not read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

from ...errors import DataError

Count = Annotated[int, Field(ge=0)]
Kind = TypeVar("Kind", bound="_File")


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class _Score(_Strict):
    values: Annotated[list[FiniteFloat], Field(min_length=1)]


class _Data(_Strict):
    name: str
    hash: str
    nodes: Count
    edges: Count
    subgraphs: Count
    classes: Count
    multilabel: bool
    split: dict[str, Count]
    splits: Count = 0


class _Overlap(_Strict):
    part: str
    known: str
    subgraphs: Count
    equal: Count
    contained: Count
    similar: Count
    nodes: Count
    shared_nodes: Count


class _Size(_Strict):
    mean: FiniteFloat
    min: Count
    max: Count


class Picture(_Strict):
    """How the S2N graph in the folder was made, and how much of it is there."""

    model: str
    a: FiniteFloat
    delta: FiniteFloat
    self_loops: bool
    subgraphs: Count
    links: Count
    shown_subgraphs: Count
    shown_links: Count


class _File(_Strict):
    picture: Picture | None = None


class RunFile(_File):
    """``result.json``; what older versions did not write has a default."""

    model: str
    val: dict[str, _Score]
    test: dict[str, _Score]
    per_class: dict[str, dict[str, _Score]]
    data: _Data
    seconds: FiniteFloat
    seeds: Annotated[list[int], Field(min_length=1)]
    config: dict[str, Any] = {}
    preset: str = ""
    best_epoch: list[Count] = []
    ended: str = "complete"
    parameters: int | None = None
    thresholds: list[FiniteFloat] = []
    notes: list[str] = []
    versions: dict[str, str] = {}
    overlap: list[_Overlap] = []
    class_counts: dict[str, dict[str, Count]] = {}
    sizes: dict[str, _Size] = {}

    @model_validator(mode="after")
    def _complete(self) -> RunFile:
        if not {"micro_f1", "macro_f1"} <= self.test.keys() <= self.val.keys():
            raise ValueError("the scores of val and test are not the same ones")
        if not self.per_class.get("test"):
            raise ValueError("the scores by class are missing")
        return self


class _Named(_Strict):
    model: str


class ComparisonFile(_File):
    """``comparison.json``."""

    models: Annotated[list[_Named], Field(min_length=1)]


def read_file(kind: type[Kind], file: Path, what: str, **defaults: Any) -> Kind:
    """Read and check a JSON file.

    Args:
        kind: What is in it.
        file: Where.
        what: Whose result it is, for the message.
        defaults: For fields that it does not have.
    """
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return kind.model_validate({**defaults, **found})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        why = f"{place}: {first['msg']}" if place else first["msg"]
    except (OSError, ValueError, TypeError) as error:
        why = str(error)
    raise DataError(f"this is not the result of a {what} ({why}).", path=file)
