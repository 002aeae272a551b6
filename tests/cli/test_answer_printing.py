"""Tables of answers fit into 80 columns, and say what an alert is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ranked_answers import FRAUD, RANKED, answers_of
from sub2node.cli.answer_printing import describe_alerts, show_answers, unchosen_note
from sub2node.scoring.answer_extras import AnswerExtras

ANSWERS = answers_of([0.9, 0.2])
NO_RANKS = np.empty(0, int)


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    text = capsys.readouterr().out
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    return " ".join(text.split())


def test_the_likeliest_classes(capsys: pytest.CaptureFixture[str]) -> None:
    show_answers({"answered": 5}, [(ANSWERS, NO_RANKS)], AnswerExtras(2))
    text = printed(capsys)
    assert "s0 fraud 0.900, clean 0.067 100%" in text
    assert "More: 3" in text


def test_answers_by_rank(capsys: pytest.CaptureFixture[str]) -> None:
    facts = {"answered": 2, "alerts": 1}
    show_answers(facts, [(ANSWERS, np.array([1, 2]))], AnswerExtras(0, FRAUD))
    text = printed(capsys)
    assert "Answers by the probability of fraud" in text
    assert "1 s0 0.900 alert fraud 100%" in text
    assert "2 s1 0.200 clean 100%" in text
    assert "Alerts: 1, fraud above 0.400 (the model's threshold)" in text
    show_answers(facts, [(ANSWERS, np.array([1, 2]))], RANKED)
    assert "1 s0 0.900 alert fraud 0.900, clean 0.067 100%" in printed(capsys)


def test_a_threshold_that_nobody_chose_is_said() -> None:
    assert unchosen_note(None) == unchosen_note(FRAUD) == []
    half = replace(FRAUD, threshold=0.5, chosen=False)
    assert "one half" in describe_alerts(half)
    assert "no threshold for 'fraud'" in unchosen_note(half)[0]
