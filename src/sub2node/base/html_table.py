"""Small HTML for notebooks: a heading, facts and a table that scrolls, without style sheets.

Colours are inherited, so that light and dark notebooks both show it well, and every text is
escaped: a name may hold anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import islice

from .plural import plural

MAX_ROWS = 200  # rows of a table; a notebook keeps its output
_LINE = "1px solid rgba(128, 128, 128, 0.35)"
_CELL = "padding: 2px 10px 2px 0; vertical-align: top; color: inherit; background: none;"
_SCROLL = "max-height: 22em; max-width: 100%; width: fit-content; overflow: auto; margin-top: 6px;"


def html_view(
    title: str,
    facts: Mapping[str, object],
    *,
    columns: Sequence[str] = (),
    rows: Iterable[Sequence[object]] = (),
    count: int = 0,
    caption: str = "",
) -> str:
    """One value as HTML.

    Args:
        title: What it is.
        facts: Its properties by name; those that are "" or None are omitted.
        columns: The header of the table.
        rows: The cells of the table; numbers are aligned to the right.
        count: How many rows there are in all, where only the first are given.
        caption: A sentence under the table.
    """
    shown = [value for value in facts.items() if value[1] not in ("", None)]
    parts = [
        '<div style="font-size: 0.95em; color: inherit;">',
        f"<div><strong>{escape(title)}</strong></div>",
        _facts_table(shown) if shown else "",
        _rows_table(columns, rows, count) if columns else "",
        f'<div style="opacity: 0.75; margin-top: 4px;">{escape(caption)}</div>' if caption else "",
        "</div>",
    ]
    return "".join(parts)


def _facts_table(facts: Sequence[tuple[str, object]]) -> str:
    lines = "".join(
        f'<tr style="background: none;"><td style="{_CELL} text-align: left; opacity: 0.75;">'
        f'{escape(name)}</td><td style="{_CELL} text-align: left;">{escape(str(value))}</td></tr>'
        for name, value in facts
    )
    return f'<table style="border: none; margin: 2px 0;"><tbody>{lines}</tbody></table>'


def _rows_table(columns: Sequence[str], rows: Iterable[Sequence[object]], count: int) -> str:
    shown = list(islice(rows, MAX_ROWS))
    numeric = [
        bool(shown) and all(isinstance(row[place], int | float) for row in shown)
        for place in range(len(columns))
    ]
    aligned = ["right" if number else "left" for number in numeric]
    header = "".join(
        f'<th style="{_CELL} text-align: {side}; border-bottom: {_LINE};">{escape(name)}</th>'
        for name, side in zip(columns, aligned, strict=True)
    )
    body = "".join(
        '<tr style="background: none;">'
        + "".join(
            f'<td style="{_CELL} text-align: {side}; white-space: nowrap;">'
            f"{escape(cell_text(cell))}</td>"
            for cell, side in zip(row, aligned, strict=True)
        )
        + "</tr>"
        for row in shown
    )
    rest = count - len(shown)
    more = f'<div style="opacity: 0.75;">{plural(rest, "more row")}</div>' if rest > 0 else ""
    table = (
        f'<table style="border-collapse: collapse; border: none; margin: 0;"><thead><tr>{header}'
        f"</tr></thead><tbody>{body}</tbody></table>"
    )
    return f'<div style="{_SCROLL}">{table}{more}</div>'


def cell_text(cell: object) -> str:
    """A cell as text: a list by commas, a fraction with three decimals, nothing for None."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        if abs(cell) < 0.0005 and cell:
            return f"{cell:.1g}"
        return f"{cell:.3f}" if abs(cell) < 1000 and not cell.is_integer() else f"{cell + 0.0:.4g}"
    if isinstance(cell, int) and not isinstance(cell, bool):
        return f"{cell:,}"
    if isinstance(cell, list | tuple):
        return ", ".join(map(str, cell))
    return str(cell)
