"""Lines and cells about doubt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scorer_cases import SEVERAL
from sub2node.cli.doubt_lines import null_cells, say_null, say_warned, say_warnings
from sub2node.scoring import AnswerWarning, WarningKind

Captured = pytest.CaptureFixture[str]
FAR = AnswerWarning(WarningKind.NO_LINK, "far away")
LARGE = AnswerWarning(WarningKind.SIZE, "too [large]")


def test_a_line_per_subgraph_with_warnings(capsys: Captured) -> None:
    say_warnings(("a", "b"), ((FAR, LARGE), ()))
    assert capsys.readouterr().out == "Warning: 'a': far away; too [large].\n"
    say_warnings(("a",), ((FAR,),), named=False)
    assert capsys.readouterr().out == "Warning: far away.\n"


def test_how_many_answers_have_warnings(capsys: Captured) -> None:
    say_warned(0, 5)
    assert capsys.readouterr().out == ""
    say_warned(2, 1500)
    assert "2 of 1,500 answers with a doubt" in capsys.readouterr().out


def test_the_cell_is_that_of_the_class_in_probability() -> None:
    assert null_cells(SEVERAL) == [[], []]
    null = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    # The likeliest of two labels, and of none the likeliest class.
    assert null_cells(replace(SEVERAL, null=null)) == [["0.100"], ["0.500"]]


def test_what_null_means(capsys: Captured) -> None:
    say_null(None)
    assert capsys.readouterr().out == ""
    say_null(200)
    assert "how often 200 random sets of the same size" in capsys.readouterr().out
