"""Sums over rows by kernels against products with dense matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("triton", reason="Triton is not installed")

from fast_path import DEVICE, both, close, drawn, few_examples, near, normal, ring
from sub2node.nn.adjacency import Adjacency
from sub2node.ops.pattern import Pattern
from sub2node.ops.triton.aggregate import Aggregate, drawn_values

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def pattern_of(rows: int, columns: int, density: float, seed: int) -> tuple[Pattern, np.ndarray]:
    rng = np.random.default_rng(seed)
    dense = rng.random((rows, columns)) < density
    if rows > 2:
        dense[0] = True  # one long row
        dense[1] = False  # and one empty
    index = np.nonzero(dense)[1]
    ptr = np.concatenate([[0], np.cumsum(dense.sum(1))])
    return Pattern.from_csr(ptr, index, columns, DEVICE), dense


def dense_of(pattern: Pattern, values: torch.Tensor, columns: int) -> torch.Tensor:
    made = torch.zeros(len(values), pattern.num_rows, columns, device=DEVICE)
    made[:, pattern.row.long(), pattern.index.long()] = values
    return made


@pytest.mark.slow
@few_examples
@given(
    rows=st.integers(1, 40), columns=st.integers(1, 90), width=st.sampled_from([1, 5, 16, 64, 70]),
    replicas=st.integers(1, 3), kind=st.sampled_from(["none", "shared", "own"]),
    plus=st.booleans(), seed=st.integers(0, 99),
)  # fmt: skip
def test_aggregate_is_a_product_with_a_dense_matrix(
    rows, columns, width, replicas, kind, plus, seed
) -> None:
    pattern, _ = pattern_of(rows, columns, 0.2, seed)
    entries = len(pattern.index)
    values = {"none": None, "shared": normal(entries, seed=1),
              "own": normal(replicas, entries, seed=1)}[kind]  # fmt: skip
    x = normal(replicas, columns, width, seed=4, grad=True)
    added = normal(replicas, rows, width, seed=5, grad=True) if plus else None
    full = torch.ones(replicas, entries, device=DEVICE) if values is None else values
    matrix = dense_of(pattern, full.expand(replicas, -1), columns)
    expected = 0.7 * matrix @ x
    if added is not None:
        expected = expected + 0.3 * added
    result = Aggregate.apply(x, added, pattern.lists, pattern.back, values, None, 0.7, 0.3)
    close(result, expected)
    direction = normal(*result.shape, seed=6)
    inputs = [x] if added is None else [x, added]
    for one, other in zip(
        torch.autograd.grad(result, inputs, direction),
        torch.autograd.grad(expected, inputs, direction),
        strict=True,
    ):
        close(one, other)


def test_what_is_added_may_be_what_is_summed() -> None:
    pattern, _ = pattern_of(9, 9, 0.4, 1)
    x = normal(2, 9, 16, grad=True)
    matrix = dense_of(pattern, torch.ones(2, len(pattern.index), device=DEVICE), 9)
    result = Aggregate.apply(x, x, pattern.lists, pattern.back, None, None, 0.5, 0.25)
    expected = 0.5 * matrix @ x + 0.25 * x
    direction = normal(*result.shape, seed=2)
    close(result, expected)
    close(
        torch.autograd.grad(result, x, direction)[0], torch.autograd.grad(expected, x, direction)[0]
    )


@pytest.mark.slow
@few_examples
@given(
    size=st.integers(1, 40), kind=st.sampled_from(["normalized", "weighted", "mean"]),
    share=st.sampled_from([0.3, 0.9]), own=st.booleans(), replicas=st.integers(1, 3),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_drawn_values_are_those_of_the_graph_without_the_dropped(
    size, kind, share, own, replicas, seed
) -> None:
    rng = np.random.default_rng(seed)
    matrix = np.triu(rng.random((size, size)) * (rng.random((size, size)) < 0.3))
    graph = Adjacency.from_csr(sp.csr_array(matrix + matrix.T), device=DEVICE)
    if own:
        graph = replace(
            graph, weights=graph.weights * drawn(0.5, replicas).keep(len(graph.weights))
        )
    draw, pattern = drawn(share, replicas), graph.pattern
    expected = graph.drop(draw.keep(len(pattern.index)))._values_of(kind)
    values, back = drawn_values(pattern.lists, pattern.back, graph.weights, draw, kind=kind)
    close(values, expected)
    close(back, expected.index_select(-1, pattern.back_order))


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 70, 128, 129, 300])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_sums_of_any_width_and_index(width, dtype) -> None:
    pattern = ring(7, dtype)
    x, values = normal(2, 7, width, grad=True), normal(12, seed=1)
    both(lambda: pattern.aggregate(x, values, plus=x, times=0.5), [x])
    both(lambda: pattern.aggregate(x), [x])


@pytest.mark.parametrize("rows", [0, 1, 4])
def test_sums_without_entries(rows) -> None:
    pattern = Pattern.from_csr(np.zeros(rows + 1, int), np.zeros(0, int), 3, DEVICE)
    x, plus = normal(2, 3, 5, grad=True), normal(2, rows, 5, grad=True)
    both(lambda: pattern.aggregate(x, plus=plus, times=2.0), [x, plus])
    both(lambda: pattern.columns(x), [x])
    both(lambda: pattern.sum(pattern.columns(x)), [x])


@pytest.mark.slow
def test_sums_of_rows_that_are_no_neighbours_in_memory() -> None:
    pattern, values = ring(7), normal(2, 12, seed=1)
    wide = normal(2, 7, 8, grad=True)
    both(lambda: pattern.aggregate(wide[:, :, ::2], values), [wide])
    both(lambda: pattern.aggregate(wide.transpose(0, 1)[:2, :1].expand(2, 7, 8), values), [wide])
    one = normal(1, 7, 8, grad=True)
    both(lambda: pattern.aggregate(one.expand(2, -1, -1), values), [one])
    for direction in (
        lambda x: x.sum((1, 2)),
        lambda x: x.transpose(1, 2).flatten(1).cumsum(1)[:, -1],
    ):
        both(lambda: direction(pattern.aggregate(wide, values)), [wide])  # noqa: B023


@pytest.mark.slow
def test_a_long_row_beside_short_ones() -> None:
    ptr = np.array([0, 200, 201, 201])
    index = np.concatenate([np.arange(200), [5]])
    for dtype in (torch.int32, torch.int64):
        made = Pattern.from_csr(ptr, index, 200, DEVICE)
        made = Pattern(*(getattr(made, n).to(dtype) for n in made.__dataclass_fields__))
        x, values = normal(2, 200, 3, grad=True), normal(2, 201, seed=1)
        both(lambda: made.aggregate(x, values), [x], 1e-4)  # noqa: B023


@pytest.mark.parametrize("kind", ["normalized", "weighted", "mean"])
@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_a_graph_of_one_node_or_without_edges_with_edges_dropped(kind, size, dtype) -> None:
    graph = Adjacency.from_csr(sp.csr_array((size, size)), device=DEVICE)
    names = graph.pattern.__dataclass_fields__
    pattern = Pattern(*(getattr(graph.pattern, n).to(dtype) for n in names))
    draw = drawn(0.5, 3)
    expected = graph.drop(draw.keep(size))._values_of(kind)
    result, back = drawn_values(pattern.lists, pattern.back, graph.weights, draw, kind=kind)
    near(result, expected)
    near(back, expected)


def test_gradients_of_what_is_added_alone() -> None:
    pattern, x, plus = ring(7), normal(2, 7, 5), normal(2, 7, 5, seed=1, grad=True)
    both(lambda: pattern.aggregate(x, plus=plus, times=0.5), [plus])
