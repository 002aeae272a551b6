"""Data frames where pandas is there, and a sentence where it is not."""

from __future__ import annotations

import sys

import pytest

from sub2node.base.data_frame import make_frame
from sub2node.base.errors import MissingExtraError


def test_columns_become_a_frame() -> None:
    frame = make_frame({"a": [1, 2], "b": ["x", "y"]})
    assert frame.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}


def test_missing_pandas_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        MissingExtraError, match=r"a data frame needs the package 'pandas'.*noteboo"
    ):
        make_frame({"a": [1]})
