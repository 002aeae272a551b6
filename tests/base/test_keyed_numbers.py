"""Random numbers by place: uniform, independent, and the same whatever else is drawn."""

from __future__ import annotations

import numpy as np

from sub2node.base.keyed_numbers import keyed_uniform, mix, set_keys


def test_the_numbers_are_those_of_splitmix64() -> None:
    # The first outputs of the published generator from the seed 1234567.
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    found = keyed_uniform(np.array([1234567], np.uint64), 3)[0]
    assert found.tolist() == [(number >> 11) * 2.0**-53 for number in expected]


def test_numbers_are_uniform_and_independent_between_keys_and_columns() -> None:
    numbers = keyed_uniform(set_keys(np.arange(40_001), np.arange(40_000)), 2)
    assert 0 <= numbers.min() < 1e-4
    assert 1 - 1e-4 < numbers.max() < 1
    shares = np.histogram(numbers, 20)[0] / numbers.size
    assert np.abs(shares - 1 / 20).max() < 0.004
    for one, other in ((numbers[1:, 0], numbers[:-1, 0]), (numbers[:, 0], numbers[:, 1])):
        assert abs(np.corrcoef(one, other)[0, 1]) < 0.02


def test_a_set_has_its_key_in_any_order_and_company() -> None:
    ptr = np.array([0, 3, 3, 5, 8])
    keys = set_keys(ptr, np.array([4, 0, 7, 0, 4, 7, 4, 0]))
    assert keys[0] == keys[3]
    assert len(set(keys.tolist())) == 3
    assert set_keys(np.array([0, 2]), np.array([4, 0])).tolist() == keys[2:3].tolist()


def test_mixing_is_one_to_one_on_small_numbers() -> None:
    assert len(np.unique(mix(np.arange(5000, dtype=np.uint64)))) == 5000
