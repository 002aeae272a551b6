"""What a person sees of the progress of a command."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from sub2node.base.progress import Report, step
from sub2node.cli.progress_rows import ProgressRows, duration, show_progress


class Clock:
    """A time that passes on request."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rows(clock: Clock) -> ProgressRows:
    return ProgressRows(clock)


def model(number: int, name: str) -> Report:
    return Report("Model", number, 18, name, counted=True, even=False)


def test_work_gets_a_row_after_a_second(clock: Clock, rows: ProgressRows) -> None:
    rows.update(Report("Training", 0, 10))
    clock.now += 0.9
    assert rows.lines() == []
    clock.now += 0.1
    assert [text for text, _, _ in rows.lines()] == ["Training"]


def test_work_that_is_finished_goes(clock: Clock, rows: ProgressRows) -> None:
    rows.update(Report("Training", 5, 10))
    rows.update(Report("Reading", 5, 10))
    rows.update(Report("Training", 1, 1))
    clock.now += 2
    assert [text for text, _, _ in rows.lines()] == ["Reading"]


def test_the_next_item_takes_the_rows_of_the_one_before_along(
    clock: Clock, rows: ProgressRows
) -> None:
    rows.update(model(3, "wl"))
    rows.update(Report("Candidate", 0, 96, "wl, 1 round", counted=True))
    clock.now += 2
    assert [text for text, _, _ in rows.lines()] == [
        "Model 4 of 18: wl",
        "Candidate 1 of 96: wl, 1 round",
    ]
    rows.update(model(4, "bag"))  # wl failed in the midst of its candidates
    assert [text for text, _, _ in rows.lines()] == ["Model 5 of 18: bag"]


def test_work_beside_other_work_stays(clock: Clock, rows: ProgressRows) -> None:
    rows.update(Report("Reading new.csv", 0, 10))
    rows.update(Report("Answering", 0, None, "1,000 subgraphs"))
    clock.now += 4
    rows.update(Report("Reading new.csv", 5, 10))
    assert rows.lines() == [
        ("Reading new.csv", 0.5, "4 s left"),
        ("Answering · 1,000 subgraphs", None, "4 s so far"),
    ]


def test_time_left_is_that_of_the_units_so_far(clock: Clock, rows: ProgressRows) -> None:
    rows.update(Report("Training", 300, 500))  # resumed
    clock.now += 10
    assert [time for _, _, time in rows.lines()] == ["10 s so far"]
    rows.update(Report("Training", 350, 500))
    assert [time for _, _, time in rows.lines()] == ["30 s left"]
    clock.now += 10
    assert [time for _, _, time in rows.lines()] == ["20 s left"]
    clock.now += 100  # a slow epoch
    assert [time for _, _, time in rows.lines()] == ["0 s left"]


def test_time_left_of_items_is_at_least_that_of_those_to_come(
    clock: Clock, rows: ProgressRows
) -> None:
    rows.update(Report("Split", 0, 4, counted=True))
    clock.now += 10
    rows.update(Report("Split", 1, 4, counted=True))
    for seconds, left in ((0, "30 s left"), (4, "26 s left"), (60, "20 s left")):
        clock.now += seconds
        assert [time for _, _, time in rows.lines()] == [left]


def test_items_that_differ_have_no_time_left(clock: Clock, rows: ProgressRows) -> None:
    rows.update(model(0, "bag"))
    rows.update(model(9, "glass"))
    clock.now += 75
    assert rows.lines()[-1] == ("Model 10 of 18: glass", 0.5, "1 min 15 s so far")


def test_work_with_a_limit_tells_the_time_to_it(clock: Clock, rows: ProgressRows) -> None:
    """Whatever the units take, and by the last report: a limit may have moved."""
    for number, left in enumerate((300.0, 280.0)):
        rows.update(Report("Member", number, 9, "wl", counted=True, even=False, seconds_left=left))
        clock.now += 5
    assert rows.lines()[0][2] == "4 min 35 s left"
    clock.now += 300
    assert rows.lines()[0][2] == "0 s left"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.4, "59 s"), (200, "3 min 20 s"), (1234, "20 min"), (7500, "2 h 5 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_rows_fit_in_80_columns(clock: Clock, rows: ProgressRows) -> None:
    rows.update(Report("Training a structure with a long name", 3, 9, "loss 0.123 · best val 0.9"))
    rows.update(model(3, "wl"))
    clock.now += 5000
    out = io.StringIO()
    Console(file=out, width=80).print(rows)
    lines = out.getvalue().splitlines()
    assert len(lines) == 2
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("Training a structure with a long name")
    assert "…" in lines[0]
    assert lines[1].startswith("Model 4 of 18: wl ")
    assert lines[1].rstrip().endswith("1 h 23 min so far")


def test_no_control_characters_without_a_terminal() -> None:
    out = io.StringIO()
    with show_progress(Console(file=out, force_terminal=False)):
        step("Training", 1, 2)
    assert out.getvalue() == ""


def test_a_terminal_is_left_as_it_was() -> None:
    out = io.StringIO()
    with show_progress(Console(file=out, force_terminal=True, width=80)):
        step("Training", 1, 2)
    assert "Training" not in out.getvalue()  # it did not take a second
    assert out.getvalue().rstrip("\r").endswith("\x1b[?25h")  # the cursor is shown again
    assert "\n" not in out.getvalue()
