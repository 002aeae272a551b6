"""Lines of another length than the header: all of them found, and dropped only on demand."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node import DataError
from sub2node.io.table_layout import TableLayout
from sub2node.io.text_tables import text_table
from sub2node.task.reading_options import Reading, ReadingOptions

TEXT = "id,weight\na,1\nb\nc,2,3\n d,4\n"


@pytest.mark.parametrize("policy", ["error", "drop"])
def test_uneven_lines(tmp_path: Path, policy: str) -> None:
    path, notes = tmp_path / "a.csv", list[str]()
    path.write_text(TEXT)
    reading = Reading(ReadingOptions(bad_rows=policy))
    layout = TableLayout.of_header(path, ",")
    table = text_table(layout, reading=reading, notes=notes)
    assert table.to_pydict() == {"id": ["a", "d"], "weight": ["1", "4"]}
    (problem,) = reading.problems.all
    assert (problem.kind, problem.lines.tolist()) == ("uneven line", [3, 4])
    assert problem.values.to_pylist() == ["b", "c,2,3"]
    assert len(notes) == (policy == "drop")
    with pytest.raises(DataError, match=r"a\.csv:3: this line has 1 fields, the header has 2: 'b'"):
        text_table(layout)
