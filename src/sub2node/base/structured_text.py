"""JSON and TOML of unknown origin: whatever is wrong with them is a ``ValueError``."""

from __future__ import annotations

import json
import tomllib
from typing import Any

_DEEPEST = 50  # levels of a TOML file


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: It is not JSON, or nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text.

    Raises:
        ValueError: It is not TOML, has a number of thousands of digits, or is nested too deeply.
    """
    try:
        tree = tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    level: list[Any] = [tree]
    for _ in range(_DEEPEST):
        level = [inner for value in level for inner in _values_inside(value)]
        if not level:
            return tree
    raise ValueError("it is nested too deeply")


def _values_inside(value: object) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
