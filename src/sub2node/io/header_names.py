"""Names of the columns of a file: what stands before its header, and names that need repair."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..base.errors import DataError
from ..base.notes import changed, doubtful
from ..base.plural import examples
from ..task.column_names import NEEDED, column_in
from ..task.frames import check_unique_columns

_MOST_TITLE_LINES = 10
_NUMBER = re.compile(r"[-+]?[\d.,]+([eE][-+]?\d+)?")


def count_title_lines(rows: Sequence[Sequence[str]]) -> int:
    """Rows before the header, as the title and date of a report: one value and no more in each.

    Args:
        rows: The values of the first rows of a file.
    """
    filled = [sum(bool(value) for value in row) for row in rows]
    count = next((at for at, number in enumerate(filled) if number > 1), 0)
    titles = rows[:count]
    return count if count <= _MOST_TITLE_LINES and all(row[0] for row in titles if row) else 0


def common_width(rows: Sequence[Sequence[str]]) -> int:
    """The number of values that most rows have."""
    return Counter(map(len, rows)).most_common(1)[0][0] if rows else 0


def fit_header(
    names: Sequence[str], rows: Sequence[Sequence[str]], what: str, columns: Mapping[str, str]
) -> list[str]:
    """A name, perhaps blank, for each column, where all rows have one value more than the header.

    That is a delimiter at the end of each line, or the names of rows as R writes them. A header
    with all columns of ours may as well lack the name of its last one, as of weights: rows are
    named there if the first values count them and the last ones are no numbers.

    Args:
        names: The names in the header.
        rows: The values of the first rows.
        what: What the rows are, as "edges".
        columns: The user's column for ours.
    """
    if not rows or any(len(row) != len(names) + 1 for row in rows):
        return list(names)
    if not any(row[-1] for row in rows):
        return [*names, ""]
    complete = all(column_in(names, ours, what, columns) for ours in NEEDED.get(what, ()))
    first = [row[0] for row in rows]
    counts = any(first == [str(start + at) for at in range(len(rows))] for start in (0, 1))
    numbers = all(_NUMBER.fullmatch(row[-1]) for row in rows)
    return list(names) if complete and (numbers or not counts) else ["", *names]


def unique_columns(
    names: Sequence[str], what: str, columns: Mapping[str, str], path: Path
) -> tuple[list[str], list[str]]:
    """A name for each column of a file, and sentences about names that stand there twice.

    Args:
        names: The names in the file; blank ones become ``column 3``, a second ``note`` ``note.1``.
        what: What the rows are, as "edges".
        columns: The user's column for ours.
        path: The file.

    Raises:
        DataError: A name that stands twice is one of ours: which column is meant is not said.
    """
    unique = list[str]()
    for place, name in enumerate(names, 1):
        count = names[: place - 1].count(name)
        unique.append((f"{name}.{count}" if count else name) if name else f"column {place}")
    check_unique_columns(unique, what, path)
    twice = [name for name, count in Counter(names).items() if name and count > 1]
    for ours in NEEDED.get(what, ()):
        taken, key = column_in(unique, ours, what, columns), f"{what}.{ours}"
        if taken in twice and key not in columns:
            raise DataError(
                f"the {what} table has two columns called '{taken}'; --column {key}={taken}"
                f" (columns={{'{key}': '{taken}'}}) takes the first, --column {key}={taken}.1 the"
                " second.",
                path=path,
            )
    if not twice:
        return unique, []
    shown = examples(map(repr, twice), len(twice))
    text = f"{path.name} has several columns called {shown}; the second is read as '{twice[0]}.1'."
    return unique, [doubtful(text)]


def title_note(path: Path, titles: Sequence[Sequence[str]]) -> str:
    """The sentence that lines before the header were skipped."""
    shown = examples((repr(row[0]) for row in titles if row), len(titles))
    return changed(f"Lines of {path.name} before its header skipped: {shown}.")
