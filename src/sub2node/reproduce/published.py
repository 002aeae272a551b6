"""What the paper printed, to stand beside what comes out here."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from ..base.errors import ConfigError, suggest

_NUMBER = re.compile(r"([\d,]*\.?\d+)(?: ± ([\d.]+))?(?: ([*~]))?")
_MARKS = {"*": "∗", "~": "∼"}


@dataclass(frozen=True)
class Published:
    """One printed number.

    Args:
        text: As printed, such as ``63.7 ± 2.3`` or ``OOM``.
        value: The number, in the unit of its table (scores are in percent); None where it is none.
        spread: The number behind ±; None without.
        kind: Whether that is a standard deviation (``sd``) or a standard error (``se``).
        mark: The result of the paper's t-test: ∗ significantly better than the best baseline, ∼ no
            significant difference.
        source: The label of the table, section or figure.
        reprinted: The paper that the number was taken from; empty where it is the paper's own.
    """

    text: str
    value: float | None
    spread: float | None
    kind: Literal["sd", "se"]
    mark: str
    source: str
    reprinted: str = ""


@cache
def _read_tables() -> dict[str, dict[str, Any]]:
    file = files("sub2node") / "reproduce" / "published.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def published_tables() -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Rows and columns of every table that there is, by its name."""
    return {name: (tuple(t["rows"]), tuple(t["columns"])) for name, t in _read_tables().items()}


def published(table: str, row: str, column: str) -> Published | None:
    """A printed number; None where the paper has none at this place.

    Args:
        table: The name of a table, as ``results_real``: the label in the paper without its prefix.
        row: The row, as ``s2n+a gcn2 rwpe``.
        column: A dataset, as ``ppi_bp``.
    """
    tables = _read_tables()
    if table not in tables:
        raise ConfigError(f"the paper has no table {table!r}.{suggest(table, tables)}")
    content = tables[table]
    if row not in content["rows"] or column not in content["columns"]:
        return None
    text = str(content["rows"][row][content["columns"].index(column)])
    error = row in content.get("standard_error", ())
    origin = {"source": content["source"], "reprinted": content.get("reprinted", {}).get(row, "")}
    match = _NUMBER.fullmatch(text)
    if match is None:
        return Published(text, None, None, "sd", "", **origin)
    value, spread, mark = match.groups()
    printed = text.removesuffix(f" {mark}") if mark else text
    return Published(
        printed,
        float(value.replace(",", "")),
        None if spread is None else float(spread),
        "se" if error else content["spread"],
        _MARKS.get(mark, ""),
        **origin,
    )
