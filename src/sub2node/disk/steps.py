"""The steps of a pass over tables: what is there from an earlier try is not made again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from ..task.reading_options import Reading
from .backends import Backend
from .large_files import parquet_files
from .source_tables import SourceTables

if TYPE_CHECKING:
    import ibis.expr.types as ir

_GROUP = 1 << 17  # rows of a Parquet file that are read together
_PIECE = 1 << 13  # rows of a wide one


@dataclass
class Pass:
    """One pass over the tables: what is there is not made again.

    Args:
        folder: Where it writes; what stands there is whole.
        source: The tables.
        backend: The engine.
        directed: Whether edges have a direction.
        reading: What to do about problems.
        hops: How far the border reaches.
    """

    folder: Path
    source: SourceTables
    backend: Backend
    directed: bool
    reading: Reading
    hops: int
    tables: dict[str, ir.Table] = field(default_factory=dict)

    def make(self, name: str, query: Callable[[], ir.Table], *, what: str) -> ir.Table:
        """The table of this name: the one that is there, or that of a query."""
        path = self.folder / name
        if not path.exists():
            self.backend.store(query(), path, what=what, group_rows=_GROUP)
        if name not in self.tables:
            self.tables[name] = self.backend.read(path)
        return self.tables[name]

    def load(self, name: str, query: Callable[[], ir.Table], *, what: str) -> pa.Table:
        """As :meth:`make`, but small enough to be read."""
        self.make(name, query, what=what)
        return self.stored(name)

    def pieces(self, name: str) -> Iterator[pa.Table]:
        """A table that was made, some rows at a time."""
        for path in parquet_files(self.folder / name):
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(_PIECE):
                    yield pa.Table.from_batches([batch])

    def stored(self, name: str) -> pa.Table:
        """A table that was made."""
        files = parquet_files(self.folder / name)
        return pa.concat_tables([pq.read_table(file) for file in files])
