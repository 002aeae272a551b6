"""Kept entries of W are those that the whole has, however it is cut into blocks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import sub2node as s2n
from dense_translation import block_of
from strategies import tasks
from sub2node import SubgraphTask
from sub2node.translation import memory_limits as limits
from sub2node.translation import product


@pytest.mark.slow
@given(task=tasks(), data=st.data())
@pytest.mark.parametrize("rows", [1, 3, 100])
def test_what_is_kept_is_what_the_whole_has(
    task: SubgraphTask, data: st.DataObject, rows: int
) -> None:
    task = replace(task, split=None)
    whole = s2n.translate(task)
    dense = whole.weights.toarray()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(product, "blocks", block_of(rows))
        least = data.draw(st.sampled_from([0.0, 1.0, 2.0, 3.5]))
        kept = s2n.translate(task, min_weight=least)
        assert np.array_equal(kept.weights.toarray(), np.where(dense >= least, dense, 0))
        assert kept.statistics == whole.statistics
        k = data.draw(st.integers(1, 4))
        best = s2n.translate(task, top_k=k)
        assert np.array_equal(best.weights.toarray(), top_entries(dense, k))
        if whole.statistics.entries > 1 and whole.statistics.std > 0:
            score = data.draw(st.sampled_from([0.0, 0.3, 1.0, 2.5]))
            cut = s2n.translate(task, cut=score)
            bound = whole.statistics.weight_at(score)
            assert np.array_equal(cut.weights.toarray(), np.where(dense > bound, dense, 0))
            assert cut.statistics.std == pytest.approx(whole.statistics.std)


def top_entries(dense: np.ndarray, k: int) -> np.ndarray:
    """The diagonal, and what is among the k largest of its row or of its column."""
    chosen = np.eye(len(dense), dtype=bool)
    for i, row in enumerate(dense):
        others = [j for j in np.argsort(-row, kind="stable") if j != i and row[j] > 0]
        chosen[i, others[:k]] = True
    return np.where(chosen | chosen.T, dense, 0)


@pytest.mark.slow
@given(tasks())
def test_a_cut_that_overflows_its_room_goes_twice(task: SubgraphTask) -> None:
    task = replace(task, split=None)
    whole = s2n.translate(task)
    assume(whole.statistics.entries > 1 and whole.statistics.std > 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(product, "blocks", block_of(1))
        patch.setattr(limits, "SCRATCH", 1)
        cut = s2n.translate(task, cut=0.0)
    bound = whole.statistics.weight_at(0.0)
    dense = whole.weights.toarray()
    assert np.array_equal(cut.weights.toarray(), np.where(dense > bound, dense, 0))


def test_bounds_are_not_rounded() -> None:
    task = s2n.datasets.generate("density", subgraphs=30)
    graph = s2n.translate(task)
    weight = float(graph.weights.data[len(graph.weights.data) // 2])
    score = (weight - 1e-8 - graph.statistics.mean) / graph.statistics.std
    if score > 0:
        bound = graph.statistics.weight_at(score)
        expected = int((graph.weights.data > np.float64(bound)).sum())
        assert s2n.translate(task, cut=score).weights.nnz == expected
        assert graph.normalize(score, 1).weights.nnz == expected
    kept = s2n.translate(task, min_weight=weight + 1e-7).weights
    assert kept.nnz == int((graph.weights.data.astype(float) >= weight + 1e-7).sum())


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1, 3)),
        unique_by=lambda entry: entry[:2],
    ),
    st.integers(1, 3),
    st.integers(0, 2),
)
def test_the_largest_of_each_row(entries, k, diagonal) -> None:
    row, column, data = np.array(entries, dtype=np.int64).reshape(-1, 3).T
    chosen = []
    for at, (i, j, weight) in enumerate(entries):
        others = [(-w, v) for u, v, w in entries if u == i and v != i + diagonal]
        if j == i + diagonal or (-weight, j) in sorted(others)[:k]:
            chosen.append(at)
    assert product.largest(row, column, data, k, diagonal=diagonal).tolist() == chosen


def test_half_a_matrix_is_mirrored() -> None:
    dense = np.array([[1.0, 2, 0], [2, 0, 3], [0, 3, 4]])
    row, column = np.nonzero(np.triu(dense))
    assert np.array_equal(product.mirrored(row, column, dense[row, column], 3).toarray(), dense)


def test_an_entry_that_either_end_chose_stays() -> None:
    half = sp.csr_array(np.array([[1.0, 2, 0], [0, 1, 0], [0, 3, 1]]))
    assert product.united(half).toarray().tolist() == [[1, 2, 0], [2, 1, 3], [0, 3, 1]]


def test_a_bound_is_not_rounded_to_float32() -> None:
    weight = np.array([np.float32(0.1)])
    assert product.Keep(above=0.1).mask(weight).all()  # float32(0.1) is above 0.1
    assert not product.Keep(above=float(weight[0])).mask(weight).any()
    assert product.Keep(least=float(weight[0])).mask(weight).all()
    assert not product.Keep().mask(np.zeros(1)).any()
