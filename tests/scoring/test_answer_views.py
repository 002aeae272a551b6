"""Answers and explanations in a notebook."""

from __future__ import annotations

import numpy as np
import pytest

from report_runs import NASTY
from sub2node.scoring import Answers, Contribution, Explanation


def answers(probabilities: list[list[float]], *, multilabel: bool = False) -> Answers:
    table = np.array(probabilities)
    best = table.argmax(axis=1)[:, None] == range(table.shape[1])
    return Answers(
        names=tuple(f"{NASTY} {number}" for number in range(len(table))),
        probabilities=table,
        spread=np.full_like(table, 0.25),
        known=np.ones(len(table)),
        unknown=((),) * len(table),
        predicted=table > 0.5 if multilabel else best,
        classes=(NASTY, *"abcdefghij"[: table.shape[1] - 1]),
        multilabel=multilabel,
    )


EXPLANATION = Explanation(
    name=NASTY, label=NASTY, probability=0.75, baseline=0.5,
    members=(Contribution(NASTY, NASTY, 0.125), Contribution("n", "", -0.0625)),
    neighbors=(Contribution("s", "Set", 0.0625, 0.3, (NASTY,)),),
    statistics=0.12, gap=0.005,
)  # fmt: skip


def test_a_frame_has_a_row_per_answer() -> None:
    frame = answers([[0.2, 0.8], [0.9, 0.1]]).to_frame()
    columns = ["subgraph_id", "prediction", "probability", "spread", "doubt", "known"]
    assert list(frame) == [*columns, f"p {NASTY}", "p a", "warnings"]
    assert frame["prediction"].tolist() == ["a", NASTY]
    assert frame["probability"].tolist() == [0.8, 0.9]
    assert frame["p a"].tolist() == [0.8, 0.1]


def test_doubt_is_0_for_sure_and_1_for_all_alike() -> None:
    single = answers([[1.0, 0.0, 0.0], [1 / 3] * 3, [0.5, 0.5, 0.0]]).doubt
    assert single == pytest.approx([0, 1, np.log(2) / np.log(3)])
    several = answers([[1.0, 0.0], [0.5, 0.5], [0.5, 1.0]], multilabel=True).doubt
    assert several == pytest.approx([0, 1, 0.5])


def test_answers_are_short_and_safe() -> None:
    many = answers(np.full((500, 11), 1 / 11).tolist())
    page = many._repr_html_()
    assert "<script" not in page
    assert "300 more rows" in page
    assert "p a" not in page  # eleven columns of probabilities are too many
    assert "p a" in answers([[0.2, 0.8]])._repr_html_()
    assert "several labels possible" in answers([[0.2, 0.8]], multilabel=True)._repr_html_()
    assert repr(many) == "Answers(500 subgraphs, 11 classes)"


def test_points_of_an_explanation_add_up() -> None:
    frame = EXPLANATION.to_frame()
    assert list(frame) == ["what", "kind", "points", "title"]
    kinds = ["baseline", "member", "member", "neighbour", "statistics", "rounding"]
    assert frame["kind"].tolist() == kinds
    assert frame["points"].sum() == pytest.approx(75)
    assert frame["title"].tolist()[3] == "Set"


def test_an_explanation_is_short_and_safe() -> None:
    page = EXPLANATION._repr_html_()
    assert "<script" not in page
    assert "together 75.0" in page
    assert "12.500" in page
    assert repr(EXPLANATION).endswith("0.750, from 0.500 by 2 members and 1 neighbour)")
    assert len(repr(EXPLANATION).splitlines()) == 1
