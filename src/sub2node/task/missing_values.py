"""Words that stand for a missing value, and columns of text that are meant as numbers."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.ragged import Array
from .ids import Column

# How programs write that a value is missing.
NA_WORDS = frozenset({"NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "NULL", "null", "None"})
_NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"
_GAPS = " '\u2019\u00a0\u202f"  # which may stand between thousands
_COMMAS = rf"^[-+]?(\d{{1,3}}([.{_GAPS}]\d{{3}})+|\d+)(,\d+)?$"
_GROUPS = rf"^[-+]?(\d{{1,3}}([,{_GAPS}]\d{{3}})+|\d+)(\.\d*)?$"
_SIGNS = "%€$£¥"  # one of which may stand before or after all numbers of a column
_WITH_UNIT = r"^[€$£¥<>~]?\s*[-+]?\d[\d.,]*(\s*[%€$£¥]|\s+[A-Za-zµ°/]{1,8})?$"


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is one of text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def is_word(texts: pa.Array, words: Collection[str]) -> Array:
    """Which values are one of some words; bool (n,).

    Args:
        texts: The values; other types than text have none.
        words: The words.
    """
    if not is_text(texts.type) or not words:
        return np.zeros(len(texts), bool)
    hit = pc.is_in(texts, value_set=pa.array(sorted(words), texts.type))
    return np.asarray(pc.fill_null(hit, False))


def without_words(column: Column, words: Collection[str]) -> pa.Array:
    """A column whose values are null where they are empty or one of some words.

    White space around them does not count.

    Args:
        column: The column; one of another type than text stays as it is.
        words: The words.
    """
    texts = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not is_text(texts.type):
        return texts
    missing = is_word(pc.utf8_trim_whitespace(texts), {*words, ""})
    return pc.if_else(pa.array(missing), pa.scalar(None, texts.type), texts)


def parse_numbers(texts: pa.Array) -> Array:
    """Text as numbers, NaN where it is none or missing; float64 (n,)."""
    trimmed = pc.utf8_trim_whitespace(texts)
    fits = pc.match_substring_regex(trimmed, _NUMBER).fill_null(False)
    plain = pc.replace_substring_regex(trimmed, r"^\+", "")
    numbers = pc.if_else(fits, plain, pa.scalar(None, texts.type)).cast(pa.float64())
    return np.asarray(numbers.fill_null(np.nan))


class WrittenNumbers(NamedTuple):
    """A column of text as numbers.

    Args:
        values: The numbers, NaN where there is none; float64 (n,).
        style: How they are written, '' where they are plain.
        example: The first that is not plain.
    """

    values: Array
    style: str = ""
    example: str = ""


def read_written_numbers(texts: pa.Array) -> WrittenNumbers:
    """Text as numbers, which may have decimal commas or marks between thousands.

    All are read in one way: that in which most of them are numbers, plain numbers first. Where two
    ways read as many and do not agree, as for ``1,234``, none is taken. A sign that all of them
    have, as in ``95 %``, does not count.
    """
    sign, bare = _without_sign(texts)
    if sign:
        numbers = read_written_numbers(bare)
        first = int(np.argmax(np.isfinite(numbers.values)))
        if np.isfinite(numbers.values[first]):
            style = " and ".join(filter(None, (numbers.style, f"no {sign!r}")))
            return WrittenNumbers(numbers.values, style, texts[first].as_py())
    plain = parse_numbers(texts)
    trimmed = pc.utf8_trim_whitespace(texts)
    ways = [
        (_with_marks(trimmed, _COMMAS, ",", _GAPS + "."), "decimal commas"),
        (_with_marks(trimmed, _GROUPS, ".", _GAPS + ","), "marks between thousands"),
    ]
    counts = [int(np.isfinite(values).sum()) for values, _ in ways]
    best = int(np.argmax(counts))
    if counts[best] <= np.isfinite(plain).sum():
        return WrittenNumbers(plain)
    if counts[0] == counts[1] and not np.array_equal(ways[0][0], ways[1][0], equal_nan=True):
        return WrittenNumbers(plain)
    values, style = ways[best]
    first = int(np.argmax(np.isfinite(values) & np.isnan(plain)))
    return WrittenNumbers(values, style, texts[first].as_py())


def _without_sign(texts: pa.Array) -> tuple[str, pa.Array]:
    """The sign that all texts begin or end with, and the texts without it; '' if there is none."""
    trimmed = pc.utf8_trim_whitespace(texts).drop_null()
    first = trimmed[0].as_py() if len(trimmed) else ""
    for sign in filter(first.__contains__, _SIGNS):
        if pc.all(pc.starts_with(trimmed, sign)).as_py():
            return sign, pc.replace_substring_regex(texts, rf"^\s*[{sign}]\s*", "")
        if pc.all(pc.ends_with(trimmed, sign)).as_py():
            return sign, pc.replace_substring_regex(texts, rf"\s*[{sign}]\s*$", "")
    return "", texts


def _with_marks(texts: pa.Array, pattern: str, decimal: str, marks: str) -> Array:
    """Text as numbers of one way of writing, NaN where it is none."""
    fits = pc.match_substring_regex(texts, pattern).fill_null(False)
    whole = pc.replace_substring_regex(texts, f"[+{marks}]", "")
    numbers = pc.replace_substring(whole, decimal, ".")
    kept = pc.if_else(fits, numbers, pa.scalar(None, texts.type))
    return np.asarray(kept.cast(pa.float64()).fill_null(np.nan))


def number_like(texts: pa.Array) -> str:
    """A value of a column most of whose values are numbers with something to them; '' else."""
    hit = pc.match_substring_regex(texts, _WITH_UNIT).fill_null(False)
    count = pc.sum(hit).as_py() or 0
    return texts.filter(hit)[0].as_py() if 2 * count > pc.count(texts).as_py() else ""


def odd_values(texts: pa.Array, numbers: Array) -> Array | None:
    """Rows of a column of numbers that are none; None where most values are no numbers.

    Args:
        texts: The column, null where a value is missing.
        numbers: What :func:`parse_numbers` made of it.
    """
    odd = np.asarray(texts.is_valid()) & np.isnan(numbers)
    return np.flatnonzero(odd) if np.isfinite(numbers).sum() > odd.sum() else None
