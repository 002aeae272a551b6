"""Sums over sparse entries, and their gradients, against dense matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from sub2node.ops.pattern import Pattern

WIDTH = 3


class Case(NamedTuple):
    pattern: Pattern
    row: Tensor
    column: Tensor
    shape: tuple[int, int]
    replicas: int
    seed: int

    def draw(self, *shape: int, integers: bool = False) -> Tensor:
        """Numbers in float64 that ask for a gradient."""
        stream = torch.Generator().manual_seed(self.seed + len(shape))
        drawn = torch.randn(shape, generator=stream, dtype=torch.float64)
        return (drawn.round() if integers else drawn).requires_grad_()

    def weights(self, each: bool) -> Tensor:
        """One an entry, some of them 0."""
        size = len(self.row)
        return self.draw(*((self.replicas, size) if each else (size,)), integers=True)

    def dense(self, values: Tensor | None) -> Tensor:
        """(R, n, m)."""
        given = torch.ones(len(self.row), dtype=torch.float64) if values is None else values
        given = given.expand(self.replicas, -1)
        ends = (torch.arange(self.replicas)[:, None], self.row[None], self.column[None])
        start = torch.zeros(self.replicas, *self.shape, dtype=torch.float64)
        return start.index_put(ends, given)

    def by_rows(self, entries: Tensor, reduce: Callable[[Tensor], Tensor]) -> list[Tensor]:
        """A function of the entries (R, e, F) of each row."""
        return [reduce(entries[:, self.row == i]) for i in range(self.shape[0])]


@st.composite
def cases(draw: st.DrawFn, *, empty_rows: bool = True) -> Case:
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    line = st.lists(st.booleans(), min_size=columns, max_size=columns)
    if not empty_rows:
        line = line.filter(any)
    mask = np.array(draw(st.lists(line, min_size=rows, max_size=rows)))
    row, column = np.nonzero(mask)
    ptr = np.concatenate([[0], np.cumsum(mask.sum(axis=1))])
    return Case(
        Pattern.from_csr(ptr, column, columns),
        torch.from_numpy(row),
        torch.from_numpy(column),
        (rows, columns),
        draw(st.integers(1, 3)),
        draw(st.integers(0, 2**20)),
    )


def assert_same(found: Tensor, expected: Tensor, *inputs: Tensor) -> None:
    """Values and gradients are the same, for a random and for a constant (stride 0) one above."""
    assert found.shape == expected.shape
    torch.testing.assert_close(found, expected)
    stream = torch.Generator().manual_seed(5)
    above = torch.randn(expected.shape, generator=stream, dtype=torch.float64)
    for factor in (above, torch.ones((), dtype=torch.float64).expand(expected.shape)):
        options = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
        grads = torch.autograd.grad(found, inputs, factor, **options)
        wanted = torch.autograd.grad(expected, inputs, factor, **options)
        for one, other in zip(grads, wanted, strict=True):
            torch.testing.assert_close(one, other)


@given(case=cases(), times=st.sampled_from([1.0, -0.5]))
@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize("kind", ["none", "shared", "each"])
def test_aggregate_is_a_matrix_product(case: Case, times: float, kind: str, added: bool) -> None:
    x = case.draw(case.replicas, case.shape[1], WIDTH)
    values = None if kind == "none" else case.weights(kind == "each")
    plus = case.draw(case.replicas, case.shape[0], WIDTH) if added else None
    product = case.dense(values) @ x
    expected = product if plus is None else product + times * plus
    found = case.pattern.aggregate(x, values, plus=plus, times=times)
    inputs = [given for given in (x, values, plus) if given is not None]
    assert_same(found, expected, *inputs)


@given(case=cases(), one_row=st.booleans())
@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize("kind", ["none", "shared", "each"])
def test_one_table_for_all_replicas_is_read_as_if_copied(
    case: Case, one_row: bool, kind: str, added: bool
) -> None:
    base = case.draw(1, 1 if one_row else case.shape[1], WIDTH)
    values = None if kind == "none" else case.weights(kind == "each")
    plus = case.draw(case.replicas, case.shape[0], WIDTH) if added else None
    x = base.expand(case.replicas, case.shape[1], WIDTH)
    expected = case.dense(values) @ x.contiguous()
    expected = expected if plus is None else expected + plus
    inputs = [given for given in (base, values, plus) if given is not None]
    assert_same(case.pattern.aggregate(x, values, plus=plus), expected, *inputs)


@given(cases())
def test_aggregate_reads_float32_and_slices_of_wider_tensors(case: Case) -> None:
    wide = case.draw(case.shape[1], case.replicas, WIDTH).detach().float()
    x = wide.transpose(0, 1)
    values = case.weights(True).detach().float()
    torch.testing.assert_close(
        case.pattern.aggregate(x, values), case.dense(values.double()).float() @ x
    )


@given(cases())
def test_aggregate_leaves_what_it_reads_as_it_is(case: Case) -> None:
    x = case.draw(case.replicas, case.shape[1], WIDTH).detach()
    plus = case.draw(case.replicas, case.shape[0], WIDTH).detach()
    before = x.clone(), plus.clone()
    case.pattern.aggregate(x, case.weights(False).detach(), plus=plus, times=2.0)
    assert torch.equal(x, before[0])
    assert torch.equal(plus, before[1])


@given(cases())
def test_columns_and_rows_are_the_vectors_at_the_ends_of_entries(case: Case) -> None:
    x = case.draw(case.replicas, case.shape[1], WIDTH)
    assert_same(case.pattern.columns(x), x[:, case.column], x)
    y = case.draw(case.replicas, case.shape[0], WIDTH)
    assert_same(case.pattern.rows(y), y[:, case.row], y)


@given(cases())
def test_sum_adds_the_entries_of_each_row(case: Case) -> None:
    messages = case.draw(case.replicas, len(case.row), WIDTH)
    expected = torch.stack(case.by_rows(messages, lambda part: part.sum(1)), dim=1)
    assert_same(case.pattern.sum(messages), expected, messages)


@given(cases(), st.booleans())
def test_row_sums_are_the_row_sums_of_the_matrix(case: Case, each: bool) -> None:
    values = case.weights(each)
    expected = case.dense(values).sum(-1)
    assert_same(case.pattern.row_sums(values), expected if each else expected[0], values)


@given(cases(), st.data())
def test_softmax_is_over_the_entries_of_each_row(case: Case, data: st.DataObject) -> None:
    scores = case.draw(case.replicas, len(case.row), WIDTH)
    size = {"min_size": len(case.row), "max_size": len(case.row)}
    gone = torch.tensor(data.draw(st.lists(st.booleans(), **size)), dtype=torch.bool)
    for i in range(case.shape[0]):  # at least one entry of a row counts
        here = torch.nonzero(case.row == i).flatten()
        gone[here[:1]] = False
    masked = (scores * 30).masked_fill(gone[:, None], -torch.inf)
    parts = case.by_rows(masked, lambda part: torch.softmax(part, dim=1))
    found = case.pattern.softmax(masked)
    assert_same(found, torch.cat(parts, dim=1), scores)
    assert (found[:, gone] == 0).all()


def test_softmax_of_a_row_without_entries_that_count_is_zero() -> None:
    pattern = Pattern.from_csr([0, 2, 3], [0, 1, 1], 2)
    scores = torch.tensor([-torch.inf, -torch.inf, 4.0])[None, :, None]
    assert pattern.softmax(scores).flatten().tolist() == [0, 0, 1]


def test_softmax_of_large_scores_stays_finite() -> None:
    pattern = Pattern.from_csr([0, 2, 4], [0, 1, 0, 1], 2)
    scores = torch.tensor([1e4, 1e4, -1e4, -1e4])[None, :, None]
    assert pattern.softmax(scores).flatten().tolist() == [0.5, 0.5, 0.5, 0.5]


@given(cases(empty_rows=False))
def test_max_is_the_largest_of_each_row(case: Case) -> None:
    messages = case.draw(case.replicas, len(case.row), WIDTH)
    expected = torch.stack(case.by_rows(messages, lambda part: part.amax(1)), dim=1)
    assert_same(case.pattern.max(messages), expected, messages)


def test_max_of_equal_entries_is_theirs() -> None:
    pattern = Pattern.from_csr([0, 2, 3], [0, 1, 1], 2)
    messages = torch.tensor([2.0, 2.0, -1.0])[None, :, None]
    assert pattern.max(messages).flatten().tolist() == [2, -1]


def test_repeated_entries_count_each() -> None:
    pattern = Pattern.from_csr([0, 3], [1, 1, 0], 2)
    x = torch.tensor([[[1.0], [10.0]]], requires_grad=True)
    out = pattern.aggregate(x, torch.tensor([2.0, 3.0, 4.0]))
    assert out.item() == 54
    out.sum().backward()
    assert x.grad is not None
    assert x.grad.flatten().tolist() == [4, 5]


def test_entries_that_tie_share_the_gradient_of_max_whatever_its_sign() -> None:
    pattern = Pattern.from_csr([0, 2, 2], [0, 1], 2)
    for sign in (1.0, -1.0):
        x = torch.zeros(1, 2, 1, requires_grad=True)
        out = pattern.max(x)
        assert out[0, 1, 0] == 0  # a row without entries
        (grad,) = torch.autograd.grad(out, x, sign * torch.ones(1, 2, 1))
        assert grad.flatten().tolist() == [sign / 2, sign / 2]


@given(st.integers(0, 4), st.integers(0, 5), st.integers(1, 3), st.integers(0, 9), st.booleans())
def test_copies_are_blocks_of_a_diagonal(
    rows: int, columns: int, count: int, seed: int, symmetric: bool
) -> None:
    random = np.random.default_rng(seed)
    dense = random.random((rows, columns)) < 0.5
    if symmetric:
        dense = dense[:, :1] @ dense[:, :1].T if columns else dense[:, :0] @ dense[:, :0].T

    def pattern(matrix: np.ndarray) -> Pattern:
        ptr = np.concatenate([[0], np.cumsum(matrix.sum(axis=1))])
        return Pattern.from_csr(ptr, np.nonzero(matrix)[1], matrix.shape[1])

    copies = pattern(dense).repeated(count)
    expected = pattern(np.kron(np.eye(count, dtype=bool), dense))
    for name in Pattern.__dataclass_fields__:
        one, other = getattr(copies, name), getattr(expected, name)
        assert one.dtype == other.dtype
        assert torch.equal(one, other), name
