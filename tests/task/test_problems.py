"""Problems: collected, merged, listed, and raised together."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sub2node import DataError
from sub2node.task.problems import DataProblemsError, Problem, Problems


def unknown(rows: list[int], **options: object) -> Problem:
    values = pa.array([f"value {row}" for row in rows], pa.large_string())
    message = f"row {rows[0] + 1} is unknown."
    return Problem("unknown member", message, "m.csv", np.array(rows), values=values, **options)


def test_one_problem_is_one_sentence_and_several_are_a_list() -> None:
    problems = Problems()
    problems.raise_open()
    problems.add(unknown([4, 7], option="--unknown-nodes drop"))
    with pytest.raises(DataProblemsError) as caught:
        problems.raise_open()
    assert str(caught.value) == (
        "m.csv: row 5 is unknown. --unknown-nodes drop (unknown_nodes='drop') goes on."
    )
    with problems.collected("n.csv"):
        raise DataError("this is no table.")
    with pytest.raises(
        DataProblemsError, match=r"2 kinds of problems: \(1\) m.csv: 2 unknown"
    ) as c:
        problems.raise_open()
    assert "(2) n.csv: this is no table." in str(c.value)
    assert [problem.count for problem in c.value.problems] == [2, 1]


def test_what_was_settled_is_no_error() -> None:
    problems = Problems()
    problems.add(unknown([1], outcome="dropped"))
    problems.raise_open()
    assert problems.all[0].examples() == ["row 2: value 1"]


def test_one_kind_of_one_table_is_one_problem() -> None:
    problems = Problems()
    problems.find_lines = lambda path, rows: rows + 2
    problems.add(unknown([4, 9]))
    problems.add(unknown([2]))
    problems.add(unknown([0], outcome="dropped"))
    first, other = problems.all
    assert first.rows.tolist() == [2, 4, 9]
    assert first.examples() == ["line 4: value 2", "line 6: value 4", "line 11: value 9"]
    assert first.message == "row 3 is unknown."
    assert first.heading == "m.csv: 3 unknown members"
    assert other.outcome == "dropped"


def test_an_error_that_has_all_problems_passes_through() -> None:
    problems = Problems()
    with pytest.raises(DataProblemsError), problems.collected():
        raise DataProblemsError([unknown([0])])
    assert problems.all == []
