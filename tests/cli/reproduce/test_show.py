"""Reproduced tables on the terminal: ours, under it what was published."""

from __future__ import annotations

import pytest

from sub2node.base.notes import Note, NoteKind
from sub2node.cli.output import console
from sub2node.cli.reproduce.show import show_table
from sub2node.reproduce.paper_tables import Entry, Line, PaperTable
from sub2node.reproduce.published import Published

PUBLISHED = Published("64.3 ± 1.8", 64.3, 1.8, kind="sd", mark="∗", source="tab:real")
TABLE = PaperTable(
    "real",
    "Real data",
    "Table 2",
    ("PPI-BP", "EM-User"),
    ("authentic", ""),
    (
        Line("S2N+0", "ours", (Entry("done", 63.7, 2.0, 10, published=PUBLISHED), Entry("failed"))),
        Line(
            "GLASS", "others", (Entry("done", 711.4, style="ratio", text="7 h"), Entry("missing"))
        ),
    ),
    notes=(Note(NoteKind.QUICK, "3 epochs are no result."), "n = 10 seeds."),
    quick=True,
)


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(console, "_width", 120)
    show_table(TABLE)
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_the_title_names_the_source_and_says_what_is_no_result(lines: list[str]) -> None:
    assert lines[0] == "Real data (Table 2) · QUICK, no result"
    assert "Warning: 3 epochs are no result." in lines
    assert "Note: n = 10 seeds." in lines


def test_ours_stands_over_the_published_number_and_the_difference(lines: list[str]) -> None:
    at = lines.index("S2N+0 63.7 ± 2.0 failed")
    assert lines[at + 1] == "(64.3 ± 1.8∗) -0.6"


def test_a_ratio_has_its_text_and_groups_are_apart(lines: list[str]) -> None:
    at = lines.index("GLASS ×711 no data")
    assert lines[at + 1] == "7 h"
    assert lines[at - 1] == ""
