"""Reports of progress: who sends them, who hears them, and what they say."""

from __future__ import annotations

import contextvars

import pytest

from sub2node.base.progress import Report, activity, counted, item, listen, step


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (Report("Model", 3, 18, "wl", counted=True), "Model 4 of 18: wl"),
        (Report("Split", 0, 1200, counted=True), "Split 1 of 1,200"),
        (Report("Trial", 5, 5, counted=True), "Trial 5 of 5"),
        (Report("Training s2n+a", 3, 9, "loss 0.1"), "Training s2n+a · loss 0.1"),
        (Report("Reading edges.csv", 100, 1000), "Reading edges.csv"),
        (Report("Answering", 0, None, "2,000 subgraphs"), "Answering · 2,000 subgraphs"),
    ],
)
def test_a_report_in_words(report: Report, text: str) -> None:
    assert report.text == text


def test_items_are_reported_one_by_one_and_at_their_end() -> None:
    heard: list[Report] = []
    with listen(heard.append):
        names = list(counted(iter("abc"), "Letter", name=str.upper, even=False))
    assert names == ["a", "b", "c"]
    assert [report.text for report in heard[:-1]] == [
        "Letter 1 of 3: A",
        "Letter 2 of 3: B",
        "Letter 3 of 3: C",
    ]
    assert [report.finished for report in heard] == [False, False, False, True]
    assert not any(report.even for report in heard[:-1])


def test_one_item_is_not_reported() -> None:
    heard: list[Report] = []
    with listen(heard.append):
        assert list(counted(["a"], "Letter")) == ["a"]
        assert list(counted([], "Letter")) == []
    assert heard == []


def test_items_end_where_the_loop_does() -> None:
    heard: list[Report] = []

    def work() -> None:
        for letter in counted("abc", "Letter"):
            if letter == "b":
                raise ValueError

    with listen(heard.append):
        with pytest.raises(ValueError):  # noqa: PT011
            work()
        assert [report.done for report in heard] == [0, 1, 3]
        for letter in counted("abc", "Letter"):
            if letter == "a":
                break
    assert [report.done for report in heard[3:]] == [0, 3]


def test_an_activity_has_no_end_until_it_ends() -> None:
    heard: list[Report] = []
    with listen(heard.append), activity("Loading") as tell:
        tell("2 files")
        assert not any(report.finished for report in heard)
    assert [report.text for report in heard] == ["Loading", "Loading · 2 files", "Loading"]
    assert heard[-1].finished


def test_without_a_listener_nothing_happens() -> None:
    heard: list[Report] = []
    with listen(heard.append):
        pass
    step("Reading", 1, 2)
    item("Model", 1, 2)
    with activity("Loading"):
        assert list(counted("ab", "Letter")) == ["a", "b"]
    assert heard == []


def test_reports_reach_the_innermost_listener() -> None:
    outer: list[Report] = []
    inner: list[Report] = []
    with listen(outer.append):
        step("work", 1, 3)
        with listen(inner.append):
            step("work", 2, 3, "part")
        step("work", 3, 3)
    assert [report.done for report in outer] == [1, 3]
    assert [(report.done, report.detail) for report in inner] == [(2, "part")]


def test_another_context_is_not_heard() -> None:
    heard: list[Report] = []
    empty = contextvars.Context()
    with listen(heard.append):
        empty.run(step, "elsewhere", 1, 1)
    assert heard == []
