"""Verdicts: which is worse, and from where on a number is one."""

from __future__ import annotations

import json

from sub2node.audit.check import Check, Verdict, grade, not_applicable, points, worst


def test_the_worst_verdict_wins_and_others_are_harmless() -> None:
    assert worst(Verdict.OK, Verdict.PROBLEM, Verdict.WARNING) is Verdict.PROBLEM
    assert worst(Verdict.NOT_APPLICABLE, Verdict.WARNING) is Verdict.WARNING
    assert worst() is Verdict.OK
    assert [verdict.severity for verdict in Verdict] == [0, 0, 0, 1, 2]


def test_a_number_is_graded_from_its_limits_on() -> None:
    grades = [grade(value, warning=0.1, problem=0.2) for value in (0.09, 0.1, 0.19, 0.2)]
    assert grades == [Verdict.OK, Verdict.WARNING, Verdict.WARNING, Verdict.PROBLEM]
    assert points(0.6416) == "64.2"


def test_a_check_is_json() -> None:
    check = Check("a", "A", Verdict.WARNING, "1 of 2.", "Do it.", {"count": 1})
    assert json.loads(json.dumps(check.to_dict())) == {
        "name": "a",
        "title": "A",
        "verdict": "warning",
        "found": "1 of 2.",
        "advice": "Do it.",
        "numbers": {"count": 1},
    }
    assert not_applicable("a", "A", reason="None.", advice="B.").verdict is Verdict.NOT_APPLICABLE
