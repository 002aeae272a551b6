"""GMX: gene sets as columns, https://docs.gsea-msigdb.org (Data formats).

The first line has the names, the second the descriptions, all others the genes; separated by tabs,
a shorter set has blank cells below.
"""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from ..base.errors import DataError
from .bad_lines import BadLines
from .set_files import SetTables, is_title, repeated_name
from .tables import TableReader
from .text_files import PACKED, first_line, opened, raw_lines
from .white_space import StrippedValues

GMX = tuple(f".gmx{packed}" for packed in ("", *PACKED))


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


def read_gmx(path: Path, reader: TableReader) -> SetTables:
    """Gene sets as tables of members and titles.

    Args:
        path: The file, plain or packed.
        reader: Takes what is wrong with sets, by their columns.
    """
    bad, good = BadLines(path, reader.reading, reader.notes), dict[str, GeneSetColumn]()
    for number, column in enumerate(gmx_columns(path, reader.stripped), 1):
        if column.problem:
            bad.add("empty subgraph" if column.name else "unusable set", number, column.problem)
        elif column.name in good:
            bad.add("repeated subgraph", number, repeated_name(column.name))
        else:
            good[column.name] = column
    bad.report("column")
    text, names = pa.string(), list(good)
    owners = [name for name, column in good.items() for _ in column.genes]
    genes = [gene for column in good.values() for gene in column.genes]
    members = pa.table({"subgraph_id": pa.array(owners, text), "node_id": pa.array(genes, text)})
    titles = [column.title for column in good.values()]
    if not any(map(is_title, titles)):
        return SetTables(members, None)
    labels = {"subgraph_id": pa.array(names, text), "title": pa.array(titles, text)}
    return SetTables(members, pa.table(labels))
