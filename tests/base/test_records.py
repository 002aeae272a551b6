"""JSON values as dataclasses: what is taken, what is refused, and what the message names."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from sub2node.base.records import Count, RecordError, from_json


@dataclass(frozen=True)
class Point:
    x: float
    y: float = 0.0

    def __post_init__(self) -> None:
        if self.x > 100:
            raise ValueError(f"x: expected 100 at most, found {self.x:g}")


@dataclass(frozen=True)
class Shape:
    name: str
    size: Count
    points: tuple[Point, ...]
    closed: bool = False
    shift: int | None = None
    places: dict[str, dict[str, Point]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


WHOLE = {"name": "box", "size": 3, "points": [{"x": 1}, {"x": 0.5, "y": 2}]}


def test_values_become_dataclasses() -> None:
    shape = from_json(Shape, {**WHOLE, "places": {"a": {"b": {"x": 2}}}, "colour": "ignored"})
    assert shape == Shape(
        "box", 3, (Point(1.0), Point(0.5, 2.0)), places={"a": {"b": Point(2.0)}}
    )  # fmt: skip
    assert type(shape.points[0].x) is float
    full = {**WHOLE, "closed": True, "shift": -1, "facts": {"any": [None, {"thing": 1}]}}
    shape = from_json(Shape, json.loads(json.dumps(full)))
    assert (shape.closed, shape.shift, shape.facts) == (True, -1, full["facts"])
    assert from_json(Shape, {**WHOLE, "shift": None}).shift is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 3}, "name: expected text, found 3"),
        ({"name": None}, "name: expected text, found None"),
        ({"size": -1}, "size: expected a whole number from 0, found -1"),
        ({"size": 3.0}, "size: expected a whole number from 0, found 3.0"),
        ({"size": True}, "size: expected a whole number from 0, found True"),
        ({"shift": 1.5}, "shift: expected a whole number, found 1.5"),
        ({"closed": 1}, "closed: expected true or false, found 1"),
        ({"points": {}}, "points: expected a list, found {}"),
        ({"points": [{"x": 1}, {"y": 1}]}, "points.1: 'x' is missing"),
        ({"points": [{"x": 1}, 7]}, "points.1: expected an object, found 7"),
        ({"points": [{"x": "1"}]}, "points.0.x: expected a finite number, found '1'"),
        ({"points": [{"x": math.nan}]}, "points.0.x: expected a finite number, found nan"),
        ({"points": [{"x": -math.inf}]}, "points.0.x: expected a finite number, found -inf"),
        ({"points": [{"x": 10**400}]}, "points.0.x: expected a finite number, found 1000"),
        ({"points": [{"x": 101}]}, "points.0: x: expected 100 at most, found 101"),
        ({"places": []}, "places: expected an object, found []"),
        ({"places": {"a": {"b": {}}}}, "places.a.b: 'x' is missing"),
        ({"facts": "none"}, "facts: expected an object, found 'none'"),
    ],
)
def test_the_first_wrong_field_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError) as caught:
        from_json(Shape, {**WHOLE, **change})
    assert str(caught.value).startswith(message)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize("value", [None, [], "text", 3])
def test_only_an_object_is_a_dataclass(value: Any) -> None:
    with pytest.raises(RecordError, match=r"^expected an object, found"):
        from_json(Shape, value)
