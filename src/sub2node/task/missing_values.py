"""Words that stand for a missing value, and columns of text that are meant as numbers."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.ragged import Array
from .ids import Column

# How programs write that a value is missing.
NA_WORDS = frozenset({"NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "NULL", "null", "None"})
_NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"


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


def odd_values(texts: pa.Array, numbers: Array) -> Array | None:
    """Rows of a column of numbers that are none; None where most values are no numbers.

    Args:
        texts: The column, null where a value is missing.
        numbers: What :func:`parse_numbers` made of it.
    """
    odd = np.asarray(texts.is_valid()) & np.isnan(numbers)
    return np.flatnonzero(odd) if np.isfinite(numbers).sum() > odd.sum() else None
