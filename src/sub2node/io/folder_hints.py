"""How to read a folder whose files are not called as tables of ours."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

from ..base.errors import DataError
from ..base.plural import examples
from ..task.column_names import NEEDED, column_in
from .excel import tables_of_workbook
from .gmx import GMX
from .set_files import GMT
from .tables import DELIMITERS, EXCEL, PARQUET, PLAIN, suffix
from .text_files import first_line

_MOST_FILES = 50
_ALIASES = "string_protein_id"  # in the header of STRING's aliases
_ERRORS = (DataError, OSError, ValueError)


def describe_files(folder: Path) -> str:
    """How to read the files of a folder, as a sentence; '' where none is a table.

    Args:
        folder: The folder.
    """
    endings = (*GMT, *GMX, *PARQUET, *DELIMITERS, *PLAIN, EXCEL)
    paths = [path for path in sorted(folder.iterdir()) if suffix(path) in endings][:_MOST_FILES]
    zipped = [path.name for path in sorted(folder.glob("*.zip"))]
    if zipped:
        return f" Unpack {examples(zipped, len(zipped))} first."
    if not paths:
        return ""
    for path in paths:
        if suffix(path) == EXCEL and {"edges", "members"} <= tables_of_workbook(path):
            return f" It has {path.name}: s2n doctor {shlex.quote(str(path))} reads it."
    names = examples((path.name for path in paths), len(paths))
    roles = _find_roles(paths)
    if "members" not in roles or "edges" not in roles:
        what = "call them edges, members and labels, or name them (--graph)"
        return f" It has {names}: {what}."
    words = [str(roles["members"]), "--graph", str(roles["edges"])]
    words += ["--format", "tables"] if suffix(roles["members"]) in PLAIN else []
    for what in ("labels", "aliases"):
        words += [f"--{what}", str(roles[what])] if what in roles else []
    return f" It has {names}: s2n doctor {shlex.join(words)} reads them."


def _find_roles(paths: list[Path]) -> dict[str, Path]:
    """Which file is likely to be which table, by its ending and the names of its columns."""
    sets = [path for path in paths if suffix(path) in (*GMT, *GMX)]
    roles = {"members": sets[0]} if sets else {}
    headers = {path: _header(path) for path in paths if path not in sets}
    if path := next((path for path, header in headers.items() if _ALIASES in header), None):
        roles["aliases"] = path
    for what in ("edges", "members", "labels"):
        for path, header in headers.items():
            needed = NEEDED[what][:1] if what == "labels" else NEEDED[what]
            fits = all(column_in(header, ours, what, {}) for ours in needed)
            if fits and what not in roles and path not in roles.values():
                roles[what] = path
    tables = [path for path, header in headers.items() if len(header) > 1]
    left = [path for path in tables if path not in roles.values() and not _is_prose(path)]
    if "labels" not in roles and len(left) == 1:
        roles["labels"] = left[0]
    return roles


def _is_prose(path: Path) -> bool:
    """Whether a text file begins with words, as a README does."""
    return suffix(path) in PLAIN and not re.search(r"[,;\t|]", first_line(path))


def _header(path: Path) -> list[str]:
    """The names in the first line of a table, [] where it cannot be read."""
    try:
        if suffix(path) in PARQUET:
            return list(pq.read_schema(path).names)
        line = first_line(path).lstrip("#")
    except _ERRORS:
        return []
    marks = Counter(re.findall(r"[,;\t|]", line)) or Counter({" ": 1})
    return [name.strip(' "') for name in line.split(marks.most_common(1)[0][0])]
