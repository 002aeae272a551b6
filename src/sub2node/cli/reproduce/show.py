"""Reproduced tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from ..output import console, say, table

if TYPE_CHECKING:
    from ...evaluate.paper.tables import Entry, Line, Table

_DIM = ("missing", "left out", "not yet")


def show(found: Table) -> None:
    """A table: ours, under it in brackets the published number and the difference."""
    from ...report.reproduction import short_kind

    quick = " · QUICK, no result" if found.quick else ""
    titles = [
        f"{title}\n{short_kind(kind)}" if kind else title
        for title, kind in zip(found.columns, found.kinds, strict=True)
    ]
    source = f" ({found.source})" if found.source else ""
    view = table(f"{found.title}{source}{quick}", found.head, *titles)
    view.columns[0].no_wrap = len(found.columns) < 5
    last = found.lines[0].group if found.lines else ""
    for line in found.lines:
        if line.group != last:
            view.add_section()
            last = line.group
        view.add_row(*_row(line))
    console.print(view)
    for note in found.notes:
        beware = note.startswith("QUICK")
        say("Beware" if beware else "Note", note, style="bold yellow" if beware else "dim")
    console.print()


def _row(line: Line) -> Sequence[Text | str]:
    return [line.title, *(_cell(entry) for entry in line.entries)]


def _cell(entry: Entry) -> Text:
    from ...report.reproduction import difference_text, ours_text, published_text

    style = "dim" if entry.status in _DIM else "red" if entry.status == "failed" else ""
    text = Text(ours_text(entry), style=style)
    printed, gap = published_text(entry), difference_text(entry)
    if entry.style == "ratio" and entry.text:
        text.append(f"\n{entry.text}", style="dim")
    if printed:
        text.append(f"\n({printed})", style="dim")
        text.append(f" {gap}" if gap else "", style="dim")
    return text
