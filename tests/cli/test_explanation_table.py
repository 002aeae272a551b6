"""The table of an explanation."""

from __future__ import annotations

import pytest

from sub2node.cli.explanation_table import show_explanation
from sub2node.scoring import Contribution, Explanation


def test_contributions_in_points(capsys: pytest.CaptureFixture[str]) -> None:
    members = tuple(Contribution(f"g{i}", f"Gene [{i}]", 0.01) for i in range(12))
    show_explanation(Explanation("s", "x", 0.7, 0.5, members, (), 0.08, 0.0))
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.split()]
    assert rows[0] == ["Why", "x:", "percentage", "points", "of", "its", "probability"]
    assert ["g3", "(Gene", "[3])", "member", "+1.0"] in rows
    assert ["2", "more", "member", "+2.0"] in rows
    assert ["no", "link", "to", "known", "subgraphs"] in rows
    assert ["its", "statistics", "+8.0"] in rows
    assert rows[-1] == ["together", "70.0"]
