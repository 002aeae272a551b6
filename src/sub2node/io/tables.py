"""Tables in files: CSV, TSV, JSON lines, Parquet and Excel, by column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from ..base.errors import DataError
from ..base.ragged import Array
from ..base.regular_files import require_regular_file
from ..task.column_names import NEEDED, column_in
from ..task.frames import check_unique_columns
from ..task.reading_options import Reading
from .bad_lines import BadLines
from .excel import read_excel
from .expansion import check_parquet
from .json_tables import JSONL, read_json_table
from .table_layout import TableLayout
from .text_files import PACKED
from .text_tables import text_table
from .white_space import StrippedValues, needed_quoting

DELIMITERS = {
    f"{kind}{packed}": mark
    for packed in ("", *PACKED)
    for kind, mark in ((".csv", ","), (".tsv", "\t"))
}
PARQUET = (".parquet", ".pq")
EXCEL = ".xlsx"
SUFFIXES = (*PARQUET, *DELIMITERS, EXCEL, *JSONL)
PLAIN = tuple(f".txt{packed}" for packed in ("", *PACKED))
# Columns of ids and words: they stay the text that the file has. All of the labels table do.
_TEXT = {
    "edges": ("source", "target"),
    "subgraph_edges": ("subgraph_id", "source", "target"),
    "members": ("subgraph_id", "node_id"),
    "excluded": ("subgraph_id", "node_id"),
    "nodes": ("node_id", "title"),
    "aliases": ("alias", "node_id", "kind"),
}


def suffix(path: Path) -> str:
    """The ending that tells the format: ``.csv``, ``.csv.gz``, …"""
    parts = path.suffixes[-2:] if path.suffix.lower() in PACKED else path.suffixes[-1:]
    return "".join(parts).lower()


@dataclass
class TableReader:
    """Reads the tables of one input, and knows what was odd about them and where each row stands.

    Args:
        columns: The user's column for ours, as in :meth:`SubgraphTask.from_tables`.
        reading: What to do about bad lines; takes the problems.
        stripped: Counts values that lose the white space around them.
        notes: Sentences about the files.
        row_lines: The row of the sheet of each row of a table that was read from a workbook.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    reading: Reading = field(default_factory=Reading)
    stripped: StrippedValues = field(default_factory=StrippedValues)
    notes: list[str] = field(default_factory=list)
    row_lines: dict[str, Array] = field(default_factory=dict)
    _finders: dict[str, Callable[[Array], Array]] = field(default_factory=dict)

    def read(self, path: Path, what: str) -> pa.Table:
        """One table. Ids, labels and words stay text, as written; other types are inferred.

        Args:
            path: A CSV, TSV or JSONL file (each may be packed), a Parquet or an Excel file.
            what: What the rows are: "edges", "members", "excluded", "labels", "nodes" or
                "subgraph_edges".
        """
        ending = suffix(path)
        if ending in PARQUET:
            return _read_parquet(path)
        is_text = self._keeps_text(what)
        if ending == EXCEL:
            sheet_rows = list[int]()
            table = read_excel(
                path, what, self.columns, is_text=is_text, notes=self.notes, lines=sheet_rows
            )
            self.row_lines[what] = np.array(sheet_rows, np.int64)
            return table
        if ending in JSONL:
            bad = BadLines(path, self.reading, self.notes)
            table, numbers = read_json_table(path, is_text, bad)
            self._finders[str(path)] = numbers.__getitem__
            bad.report()
            return table
        if ending not in (*DELIMITERS, *PLAIN):
            raise DataError(f"a table ends in {', '.join(SUFFIXES)}, not '{ending}'.", path=path)
        mark = DELIMITERS.get(ending, "\t")
        no_header = self.reading.options.no_header
        layout = TableLayout.sniff(path, mark, what, self.columns, no_header=no_header)
        self._finders[str(path)] = layout.row_lines
        self.notes += layout.notes
        return text_table(
            layout,
            text=[name for name in layout.names if is_text(name, layout.names)],
            stripped=self.stripped,
            reading=self.reading,
            notes=self.notes,
        )

    def _keeps_text(self, what: str) -> Callable[[str, Sequence[str]], bool]:
        """Which of the columns of a table stay text: ids and words; of labels, all.

        All do where a column of ids has no name that is known, so that any may be it.
        """

        def is_text(name: str, names: Sequence[str]) -> bool:
            if what not in _TEXT:
                return True
            ids = {column_in(names, ours, what, self.columns) for ours in NEEDED[what]}
            if None in ids:
                return True
            return name in {column_in(names, ours, what, self.columns) for ours in _TEXT[what]}

        return is_text

    def find_lines(self, path: str, rows: Array) -> Array | None:
        """The lines of rows of a table that was read, where its file has lines."""
        find = self._finders.get(path)
        return None if find is None else find(rows)


def _read_parquet(path: Path) -> pa.Table:
    size = require_regular_file(path)
    if not size:
        raise DataError("the file is empty.", path=path)
    try:
        check_parquet(path, size, path=path)
        check_unique_columns(pq.ParquetFile(path).schema_arrow.names, path.stem, path)
        return pq.read_table(path)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"this is no whole Parquet file ({reason}).", path=path) from error


def write_table(table: pa.Table, path: Path) -> None:
    """Write one table; the ending of the path tells the format."""
    if suffix(path) in PARQUET:
        pq.write_table(table, path)
        return
    quoting = needed_quoting(table)
    options = pacsv.WriteOptions(delimiter=DELIMITERS[suffix(path)], quoting_style=quoting)
    pacsv.write_csv(table, path, options)
