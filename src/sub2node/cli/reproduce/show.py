"""Reproduced tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from ...base.notes import NoteKind, has_kind
from ..output import console, say, table, warn

if TYPE_CHECKING:
    from ...reproduce.paper_tables import Entry, Line, PaperTable

_DIM = ("missing", "left out", "not yet")


def show_table(reproduced: PaperTable) -> None:
    """A table: ours, under it in brackets the published number and the difference."""
    from ...reproduce.table_text import short_kind

    quick = " · QUICK, no result" if reproduced.quick else ""
    titles = [
        f"{title}\n{short_kind(kind)}" if kind else title
        for title, kind in zip(reproduced.columns, reproduced.kinds, strict=True)
    ]
    source = f" ({reproduced.source})" if reproduced.source else ""
    view = table(f"{reproduced.title}{source}{quick}", reproduced.head, *titles)
    view.columns[0].no_wrap = len(reproduced.columns) < 5
    last = reproduced.lines[0].group if reproduced.lines else ""
    for line in reproduced.lines:
        if line.group != last:
            view.add_section()
            last = line.group
        view.add_row(*_line_cells(line))
    console.print(view)
    for note in reproduced.notes:
        if has_kind(note, NoteKind.QUICK):
            warn(note, to=console)
        else:
            say("Note", note, style="dim")
    console.print()


def _line_cells(line: Line) -> Sequence[Text | str]:
    return [line.title, *(_cell_text(entry) for entry in line.entries)]


def _cell_text(entry: Entry) -> Text:
    from ...reproduce.table_text import difference_text, ours_text, published_text

    style = "dim" if entry.status in _DIM else "red" if entry.status == "failed" else ""
    text = Text(ours_text(entry), style=style)
    printed, gap = published_text(entry), difference_text(entry)
    if entry.style == "ratio" and entry.text:
        text.append(f"\n{entry.text}", style="dim")
    if printed:
        text.append(f"\n({printed})", style="dim")
        text.append(f" {gap}" if gap else "", style="dim")
    return text
