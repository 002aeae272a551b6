"""Answers piece by piece: at once, or held until they can be ranked."""

from __future__ import annotations

from ranked_answers import PIECES, RANKED, answers_of
from sub2node.cli.answer_collector import AnswerCollector
from sub2node.scoring.answer_extras import AnswerExtras


def test_without_a_positive_class_nothing_is_held() -> None:
    written = []
    collector = AnswerCollector(AnswerExtras(), lambda answers, ranks: written.append(answers), 3)
    for number, piece in enumerate(PIECES, 1):
        collector.add(piece)
        assert len(written) == number
    collector.finish()
    assert collector.facts() == {"answered": 5, "warned": 0}
    assert [name for answers, _ in collector.shown for name in answers.names] == ["s0", "s1", "s2"]


def test_ranked_answers_are_written_in_the_order_of_the_input() -> None:
    written = []
    collector = AnswerCollector(
        RANKED, lambda answers, ranks: written.append((answers.names, ranks.tolist())), 3
    )
    for piece in PIECES:
        collector.add(piece)
    assert written == []
    collector.finish()
    assert written == [(("s0", "s1"), [5, 2]), ((), []), (("s2", "s3", "s4"), [2, 1, 4])]
    assert collector.facts() == {
        "answered": 5, "warned": 0, "positive": {"label": "fraud", "threshold": 0.4}, "alerts": 3
    }  # fmt: skip
    shown = [(answers.names[0], int(ranks[0])) for answers, ranks in collector.shown]
    assert shown == [("s3", 1), ("s1", 2), ("s2", 2)]


def test_rows_for_json_are_kept_unless_they_are_written() -> None:
    for extras in (AnswerExtras(1), RANKED):
        collector = AnswerCollector(extras, None, None)
        collector.add(answers_of([0.5, 0.1]))
        collector.finish()
        assert [row["id"] for row in collector.rows] == ["s0", "s1"]
        assert all("ranking" in row for row in collector.rows)
        assert collector.shown == []
    assert [row["rank"] for row in collector.rows] == [1, 2]
