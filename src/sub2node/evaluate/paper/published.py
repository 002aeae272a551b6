"""What the paper printed, to stand beside what comes out here."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from ...errors import ConfigError, suggest

_NUMBER = re.compile(r"([\d,]*\.?\d+)(?: ± ([\d.]+))?(?: ([*~]))?")
_MARKS = {"*": "∗", "~": "∼"}


@dataclass(frozen=True)
class Published:
    """One printed number.

    Args:
        text: As printed, such as ``63.7 ± 2.3`` or ``OOM``.
        value: The number, in the unit of its table (scores are in percent); None where it is none.
        spread: What stands behind ±; None without.
        kind: ``sd`` or ``se``: what that is.
        mark: Of the paper's t-test: ∗ significantly better than the best baseline, ∼ no significant
            difference.
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
def _tables() -> dict[str, dict[str, Any]]:
    file = files("sub2node") / "evaluate" / "paper" / "published.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def published_tables() -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Rows and columns of every table that there is, by its name."""
    return {name: (tuple(t["rows"]), tuple(t["columns"])) for name, t in _tables().items()}


def published(table: str, row: str, column: str) -> Published | None:
    """A printed number; None where the paper has none at this place.

    Args:
        table: As ``results_real``, the label in the paper without its prefix.
        row: As ``s2n+a gcn2 rwpe``.
        column: A dataset, as ``ppi_bp``.
    """
    known = _tables()
    if table not in known:
        raise ConfigError(f"the paper has no table {table!r}.{suggest(table, known)}")
    found = known[table]
    if row not in found["rows"] or column not in found["columns"]:
        return None
    text = str(found["rows"][row][found["columns"].index(column)])
    error = row in found.get("standard_error", ())
    more = {"source": found["source"], "reprinted": found.get("reprinted", {}).get(row, "")}
    match = _NUMBER.fullmatch(text)
    if match is None:
        return Published(text, None, None, "sd", "", **more)
    value, spread, mark = match.groups()
    printed = text.removesuffix(f" {mark}") if mark else text
    return Published(
        printed,
        float(value.replace(",", "")),
        None if spread is None else float(spread),
        "se" if error else found["spread"],
        _MARKS.get(mark, ""),
        **more,
    )
