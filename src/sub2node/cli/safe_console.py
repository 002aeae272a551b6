"""A console and tables that show names of unknown origin without obeying them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ..base.shown_text import clip_names, escape_controls, has_controls


class SafeConsole(Console):
    """A console that shows control characters of what it prints, instead of sending them."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Text from a string with markup."""
        return super().render_str(escape_controls(text, keep_lines=True), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Pieces of whatever is printed; also called for each part of it."""
        safe = escape_text(renderable) if isinstance(renderable, Text) else renderable
        yield from super().render(safe, options)


class SafeTable(Table):
    """A table whose cells are escaped and clipped before their widths are measured."""

    def add_row(self, *cells: RenderableType | None, **options: Any) -> None:
        """Add a row, as in :class:`rich.table.Table`."""
        super().add_row(*map(_shown_cell, cells), **options)


def escape_text(text: Text) -> Text:
    """The same text and styles, with control characters escaped."""
    if not has_controls(text.plain):
        return text
    safe = text.blank_copy()
    for position in range(len(text)):
        piece = text[position]
        piece.plain = escape_controls(piece.plain, keep_lines=True)
        piece.spans = [span._replace(end=len(piece)) for span in piece.spans]
        safe.append_text(piece)
    return safe


def _shown_cell(cell: RenderableType | None) -> RenderableType | None:
    if isinstance(cell, str):
        return escape_controls(clip_names(cell), keep_lines=True)
    if isinstance(cell, Text):
        clipped = clip_names(cell.plain)
        return escape_text(cell if clipped == cell.plain else Text(clipped, style=cell.style))
    return cell
