"""Lines that cannot be used, counted by kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node import DataError
from sub2node.io.bad_lines import BadLines, StrictLines
from sub2node.task.reading_options import Reading, ReadingOptions


def some_lines(reading: Reading) -> BadLines:
    bad = BadLines(Path("a/sets.txt"), reading)
    bad.add("odd line", 3, "it is odd.")
    bad.add("odd line", 7, "it is odder.", name="seven")
    bad.add("empty subgraph", 2, "it is empty.")
    return bad


def test_they_are_problems_until_they_are_dropped() -> None:
    reading = Reading()
    some_lines(reading).report()
    found = {p.kind: (p.lines.tolist(), p.values.to_pylist()) for p in reading.problems.open}
    assert found == {
        "odd line": ([3, 7], ["it is odd.", "it is odder."]),
        "empty subgraph": ([2], ["it is empty."]),
    }
    reading = Reading(ReadingOptions(bad_rows="drop"))
    bad = some_lines(reading)
    bad.report("column")
    assert not reading.problems.open
    assert reading.problems.all[0].lines is None
    assert bad.count == 3
    assert bad.notes == [
        "2 columns of sets.txt dropped (2 odd lines): column 3, seven.",
        "1 column of sets.txt dropped (1 empty subgraph): column 2.",
    ]


def test_the_first_may_be_an_error() -> None:
    with pytest.raises(DataError, match=r"a/sets\.txt:2: it is empty"):
        some_lines(Reading()).raise_first()
    BadLines(Path("x"), Reading()).raise_first()
    with pytest.raises(DataError, match="x:4: no"):
        StrictLines(Path("x"), Reading()).add("odd line", 4, "no.")
