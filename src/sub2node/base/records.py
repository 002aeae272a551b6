"""JSON values as frozen dataclasses: every field is checked, and the first wrong one is named."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache
from itertools import repeat
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
JsonObject = dict[str, Any]  # what ``json.loads`` makes of {…}, and what --json prints
Converter = Callable[[Any], Any]  # what JSON holds → what a field holds

Count = Annotated[int, "from 0"]  # the only annotation that is understood


class RecordError(ValueError):
    """A JSON value is not what a dataclass expects; the message names field and value."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path: list[str] = []

    def __str__(self) -> str:
        return f"{'.'.join(reversed(self.path))}: {self.problem}" if self.path else self.problem


def from_json(kind: type[T], value: object) -> T:
    """A dataclass from what ``json.loads`` returned.

    Types come from the annotations: str, bool, int, float (finite; a whole number counts), ``Any``,
    :data:`Count`, ``X | None``, ``tuple[X, ...]``, ``dict[str, X]`` (or ``Mapping``) and
    dataclasses. Nothing is converted but int to float and list to tuple. Keys that the dataclass
    does not have are ignored, so that files of later versions can be read; fields with a default
    may be missing. What a ``__post_init__`` raises as ``ValueError`` counts as a wrong value.

    Args:
        kind: The dataclass to make.
        value: The object that was parsed from JSON.

    Raises:
        RecordError: A field is missing or has another type.
    """
    converter: Converter = _converter(kind)  # type: ignore[arg-type]  # a type is hashable
    converted: T = converter(value)
    return converted


@cache
def _converter(kind: Any) -> Converter:
    """The function that checks and converts values of a type; made once per type."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in _SCALARS:
        return _SCALARS[kind]
    if origin in (Union, UnionType):
        (inner,) = (_converter(item) for item in arguments if item is not NoneType)
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        return _sequence(_converter(arguments[0]))
    if origin in (dict, Mapping):
        return _table(_converter(arguments[1]))
    return _dataclass(kind)


def _type_error(expected: str, value: object) -> RecordError:
    text = repr(value)
    return RecordError(f"expected {expected}, found {text if len(text) <= 60 else text[:57] + '…'}")


def _exact_type(kind: type, expected: str) -> Converter:
    def convert(value: Any) -> Any:
        if type(value) is not kind:  # true is no number here
            raise _type_error(expected, value)
        return value

    return convert


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise _type_error("a whole number from 0", value)
    return value


def _number(value: object) -> float:
    if type(value) is float and math.isfinite(value):
        return value
    if type(value) is int and abs(value) < 1 << 1023:
        return float(value)
    raise _type_error("a finite number", value)


_list, _object = _exact_type(list, "a list"), _exact_type(dict, "an object")
_SCALARS: dict[Any, Converter] = {
    str: _exact_type(str, "text"),
    bool: _exact_type(bool, "true or false"),
    int: _exact_type(int, "a whole number"),
    Count: _count,
    float: _number,
    Any: lambda value: value,
}


def _convert_all(
    names: Sequence[Any], converters: Iterable[Converter], values: Iterable[Any]
) -> list[Any]:
    """Converted values; an error gets the name of its value."""
    converted: list[Any] = []
    try:
        for convert, value in zip(converters, values, strict=False):  # one may be endless
            converted.append(convert(value))  # its length names the place
    except RecordError as error:
        error.path.append(str(names[len(converted)]))
        raise
    return converted


def _sequence(item: Converter) -> Converter:
    def convert(value: Any) -> tuple[Any, ...]:
        return tuple(_convert_all(range(len(_list(value))), repeat(item), value))

    return convert


def _table(item: Converter) -> Converter:
    def convert(value: Any) -> dict[str, Any]:
        names = list(_object(value))
        return dict(zip(names, _convert_all(names, repeat(item), value.values()), strict=True))

    return convert


def _dataclass(kind: Any) -> Converter:
    hints = get_type_hints(kind, include_extras=True)
    converters = {field.name: _converter(hints[field.name]) for field in fields(kind)}
    required = [
        field.name
        for field in fields(kind)
        if field.default is MISSING and field.default_factory is MISSING
    ]

    def convert(value: Any) -> Any:
        for name in required:
            if name not in _object(value):
                raise RecordError(f"{name!r} is missing")
        names = [name for name in converters if name in _object(value)]
        converted = _convert_all(
            names, map(converters.__getitem__, names), map(value.__getitem__, names)
        )
        try:
            return kind(**dict(zip(names, converted, strict=True)))
        except ValueError as error:
            raise RecordError(str(error)) from None

    return convert
