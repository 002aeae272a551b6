"""GMX: gene sets as columns, https://docs.gsea-msigdb.org (Data formats).

The first line has the names, the second the descriptions, all others the genes; separated by tabs,
a shorter set has blank cells below.
"""

from __future__ import annotations

from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from ..base.errors import DataError
from .tables import SetTables, check_unique_sets
from .text_files import first_line, opened, raw_lines
from .white_space import StrippedValues


class GeneSetColumn(NamedTuple):
    """One column of a GMX file; ``problem`` says what is wrong with it."""

    name: str
    title: str
    genes: list[str]
    problem: str = ""


def gmx_columns(path: Path, stripped: StrippedValues | None = None) -> list[GeneSetColumn]:
    """The gene sets of a GMX file in their order.

    Args:
        path: The file, plain or gzipped.
        stripped: Counts values that lose the white space around them.
    """
    first_line(path)
    stripped = stripped or StrippedValues()
    columns = []
    for number, column in enumerate(zip_longest(*_rows(path), fillvalue=""), 1):
        name, title, *genes = [*map(stripped.strip, column), ""]
        genes = [gene for gene in genes if gene]
        if not (name or title or genes):
            continue  # a tab at the ends of lines
        problem = ""
        if not name:
            problem = f"the set of column {number} has no name."
        elif not genes:
            problem = (
                f"the set {name!r} (column {number}) is empty; expected a line of names, a line of"
                " descriptions, and the genes of each set below its name."
            )
        columns.append(GeneSetColumn(name, title, genes, problem))
    return columns


def _rows(path: Path) -> list[list[str]]:
    """The cells of each line; the line of descriptions may be blank."""
    rows: list[list[str]] = []
    with opened(path) as stream:
        for number, raw in enumerate(raw_lines(stream), 1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise DataError("this line is not UTF-8 text.", path=path, line=number) from None
            if rows or line.strip():
                rows.append(line.split("\t"))
    return rows


def read_gmx(path: Path, *, stripped: StrippedValues | None = None) -> SetTables:
    """Gene sets as tables of members and titles.

    Args:
        path: The file, plain or gzipped.
        stripped: Counts values that lose the white space around them.
    """
    columns = gmx_columns(path, stripped)
    for column in islice((one for one in columns if one.problem), 1):
        raise DataError(column.problem, path=path)
    names: list[str | int] = [column.name for column in columns]
    check_unique_sets(names, path)
    members = pa.table(
        {
            "subgraph_id": [column.name for column in columns for _ in column.genes],
            "node_id": [gene for column in columns for gene in column.genes],
        }
    )
    titles = [column.title for column in columns]
    titled = any(title not in ("", "na", "NA") for title in titles)
    return SetTables(members, pa.table({"subgraph_id": names, "title": titles}) if titled else None)
