"""What commands print."""

from __future__ import annotations

import json

from sub2node.cli.output import print_json


def test_numbers_that_json_does_not_have_are_null(capsys) -> None:
    print_json({"ü": [1.5, float("nan")], "b": (float("inf"), -float("inf"), None)})
    out = capsys.readouterr().out
    assert json.loads(out, parse_constant=str) == {"ü": [1.5, None], "b": [None, None, None]}
    assert "ü" in out
