"""What an explanation consists of, and the order of its parts."""

from __future__ import annotations

import numpy as np
import pytest

from scoring_tasks import named, small_task, trained
from sub2node.scoring import Query
from sub2node.scoring.explanation import Contribution, Explanation, rank_members
from sub2node.scoring.restore import build_scorer
from sub2node.task import Subgraphs

PARTS = Explanation(
    name="s", label="red", probability=0.75, baseline=0.5,
    members=(Contribution("n1", "One", 0.25), Contribution("n2", "", -0.125)),
    neighbors=(Contribution("k", "Known", 0.0625, 0.3, ("red",)),),
    statistics=0.05, gap=0.0125,
)  # fmt: skip


def test_members_are_ranked_by_size_with_ids_and_titles() -> None:
    task = named(small_task())
    scorer = build_scorer(trained(task, structure="s2n+0", seeds=1), task)
    query = Query.of(Subgraphs.from_lists([[3, 8, 20, 41]]))
    ranked = rank_members(scorer, query, np.array([0.1, -0.4, 0.0, 0.1]))
    assert [(one.id, one.value) for one in ranked] == [
        ("g8", -0.4), ("g3", 0.1), ("g41", 0.1), ("g20", 0.0)
    ]  # of equal ones the first node comes first  # fmt: skip
    assert ranked[0].title == "Gene № 1"
    assert all(one.weight is None and one.labels == () for one in ranked)


def test_the_rows_of_a_frame_add_up_to_the_probability() -> None:
    frame = PARTS.to_frame()
    assert list(frame["kind"]) == [
        "baseline", "member", "member", "neighbour", "statistics", "rounding",
    ]  # fmt: skip
    assert frame["points"].sum() == pytest.approx(100 * PARTS.probability)
    assert "Why red: s" in PARTS._repr_html_()


def test_it_says_in_short_what_it_is() -> None:
    assert repr(PARTS) == "Explanation(s: red 0.750, from 0.500 by 2 members and 1 neighbour)"


def test_the_largest_parts_as_a_figure() -> None:
    matplotlib = pytest.importorskip("matplotlib.pyplot")
    figure = PARTS.plot(most=2)
    assert figure.axes
    matplotlib.close("all")
