import numpy as np
import pytest

from sub2node.base.errors import DataError
from sub2node.task import Border, BorderSums, Subgraphs, finish_border
from sub2node.task.border import join_borders

SETS = Subgraphs.from_lists([[0, 1], [2], [3, 4]])
BORDER = Border(("any.outside.count", "any.inside.count"), [[1, 2], [3, 4], [5, 6]])


def test_columns_follow_from_sums():
    one = np.array([[[6.0]], [[np.inf]]])
    sums = BorderSums(
        ("any.outside",), ("x0",), np.array([[3], [0]]),
        sums=one, squares=one + 8, lows=one - 5, highs=one - 3,
    )  # fmt: skip
    border = finish_border(sums)

    names = ["count", "x0.sum", "x0.mean", "x0.min", "x0.max", "x0.sd"]
    assert border.columns == tuple(f"any.outside.{name}" for name in names)
    expected = [[3, 6, 2, 1, 3, np.sqrt(14 / 3 - 4)], [0] * 6]
    np.testing.assert_allclose(border.values, expected, rtol=1e-6)


def test_sums_too_large_for_single_precision_are_the_largest():
    huge = np.full((1, 1, 1), 1e39)
    sums = BorderSums(("any.outside",), ("x0",), np.array([[1]]), huge, huge**2, huge, huge)
    assert finish_border(sums).values[0, 1] == np.finfo(np.float32).max


def test_subgraphs_carry_their_border():
    sets = Subgraphs(SETS.ptr, SETS.nodes, border=BORDER)
    taken = sets.take(np.array([2, 0]))

    assert taken.border.values.tolist() == [[5, 6], [1, 2]]
    assert sets.hash != SETS.hash
    assert sets.hash != Subgraphs(SETS.ptr, SETS.nodes, border=BORDER.take([0, 1, 1])).hash


def test_borders_are_joined_where_all_have_the_same_columns():
    assert join_borders([None, None]) is None
    assert join_borders([BORDER, BORDER.take([1])]).values[:, 0].tolist() == [1, 3, 5, 3]
    for other in (None, Border(("any.outside.count", "x"), [[1, 2]])):
        with pytest.raises(DataError, match="others do not have"):
            join_borders([BORDER, other])


@pytest.mark.parametrize(
    ("columns", "values", "sentence"),
    [
        (("a",), [[1, 2]], "1 column by name"),
        (("a", "a"), [[1, 2]], "same name"),
        (("a", "b"), [[1, np.inf]], "finite"),
    ],
)
def test_what_is_no_border_is_said(columns, values, sentence):
    with pytest.raises(DataError, match=sentence):
        Border(columns, values)


def test_a_border_of_other_subgraphs_is_refused():
    with pytest.raises(DataError, match="3 subgraphs but border of 2"):
        Subgraphs(SETS.ptr, SETS.nodes, border=BORDER.take([0, 1]))


def test_sums_of_several_shapes_are_refused():
    one = np.zeros((1, 1, 1))
    with pytest.raises(DataError, match="shape"):
        BorderSums(("any.outside",), ("x0", "x1"), np.ones((1, 1)), one, one, one, one)
