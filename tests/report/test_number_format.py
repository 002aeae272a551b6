"""Numbers as tables and figures write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.report.number_format import log_ticks, ratio_text, short


@given(st.floats(1e-9, 1e12))
def test_short_numbers_are_near(value) -> None:
    text = short(value)
    size = {"k": 1e3, "M": 1e6, "G": 1e9}.get(text[-1], 1)
    assert float(text.rstrip("kMG")) * size == pytest.approx(value, rel=0.0051)
    if 0.001 < value < 999e9:
        assert len(text) <= 8


@pytest.mark.parametrize(
    ("value", "text"), [(999.4, "999"), (999.6, "1k"), (12345, "12.3k"), (1, "1"), (0.012, "0.012")]
)  # fmt: skip
def test_short_numbers(value, text) -> None:
    assert short(value) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(710.7, "×711"), (9.96, "×10"), (7.34, "×7.3"), (1.05, "×1.1"), (0.0523, "×0.052"),
     (12345, "×12,345")],
)  # fmt: skip
def test_ratios_as_text(ratio, text) -> None:
    assert ratio_text(ratio) == text


@given(st.floats(1e-6, 1e9), st.floats(1.7, 1e12))
def test_ticks_are_few_and_inside(low, times) -> None:
    ticks = log_ticks(low, low * times)
    assert 1 <= len(ticks) <= 8
    assert all(low <= tick <= low * times for tick in ticks)
    assert ticks == sorted(set(ticks))
