"""Hashes of content: the same for the same values, different for any others."""

from __future__ import annotations

import numpy as np
import pytest

from sub2node.task import Names
from sub2node.task import content_hash as module
from sub2node.task.content_hash import digest
from traced_memory import peak_of


def test_the_width_of_integers_does_not_matter() -> None:
    numbers = np.arange(5)
    same = {digest(numbers.astype(kind)) for kind in (np.int8, np.uint16, np.int64, ">i4")}
    assert same == {digest(numbers)}
    assert digest(numbers.astype(float)) != digest(numbers)
    assert digest(numbers.astype(np.float32)) != digest(numbers.astype(float))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ((np.arange(4),), (np.arange(4).reshape(2, 2),)),
        ((np.arange(2), np.arange(2)), (np.array([0, 1, 0, 1]),)),
        ((None, "a"), ("a", None)),
        (("1",), (1,)),
        ((Names(["ab", "c"]),), (Names(["a", "bc"]),)),
        ((Names(["a"]), Names([])), (Names([]), Names(["a"]))),
        ((), (None,)),
    ],
)
def test_other_content_has_another_hash(one, two) -> None:
    assert digest(*one) != digest(*two)


def test_large_arrays_hash_piece_by_piece(monkeypatch) -> None:
    table = np.arange(30).reshape(10, 3)
    whole = digest(table)
    monkeypatch.setattr(module, "_BYTES", 4 * 8 * 3)
    assert digest(table) == whole == digest(np.asfortranarray(table))
    monkeypatch.setattr(module, "_BYTES", 1)
    assert digest(table) == whole == digest(table.astype(np.int8))
    assert digest(np.empty((0, 3))) != digest(np.empty((3, 0)))
    assert len(whole) == 64


@pytest.mark.process
@pytest.mark.slow
def test_a_wide_array_takes_no_second_copy() -> None:
    assert peak_of(_digest_of_wide) < 1.5 * 8 * _WIDE[0] * _WIDE[1]


_WIDE = 5_000, 800


def _digest_of_wide() -> None:
    digest(np.zeros(_WIDE))
