"""Ids of Parquet columns as text."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sub2node.io.arrow_values import as_text, id_text, is_lists, python_values


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        (pa.array(["a", None]), ["a", ""]),
        (pa.array([7, -1], pa.int16()), ["7", "-1"]),
        (pa.array(["x", "y"]).dictionary_encode(), ["x", "y"]),
        (pa.array([1.0]), None),
    ],
)
def test_columns_of_text_and_integers_are_text(column: pa.Array, texts: list[str] | None) -> None:
    found = as_text(column)
    assert (None if found is None else found.to_pylist()) == texts


def test_an_id_is_text_or_a_whole_number() -> None:
    assert [id_text(value) for value in ("a", 3, 4.0, b"b")] == ["a", "3", "4", "b"]
    for value in (True, 1.5, None, b"\xff"):
        with pytest.raises(ValueError):  # noqa: PT011 (the caller says what is wrong)
            id_text(value)


def test_bytes_that_are_no_text_stay_bytes() -> None:
    broken = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")]
    )
    assert as_text(broken) is None
    assert python_values(broken) == [b"\xff"]
    assert is_lists(pa.list_(pa.int8()))
    assert not is_lists(pa.int8())
