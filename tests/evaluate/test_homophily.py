"""Homophily against PyG for one label a node, and against its definition for several."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sub2node import DataError
from sub2node.evaluate import homophily


@st.composite
def graphs(draw: st.DrawFn) -> np.ndarray:
    size = draw(st.integers(2, 8))
    cells = draw(st.lists(st.booleans(), min_size=size * size, max_size=size * size))
    upper = np.triu(np.array(cells).reshape(size, size))
    return (upper | upper.T).astype(float)


@given(graphs(), st.data())
def test_single_label_equals_pyg(dense: np.ndarray, data: st.DataObject) -> None:
    torch = pytest.importorskip("torch")
    from torch_geometric.utils import homophily as reference

    labels = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(dense), max_size=len(dense)))
    )
    ends = np.stack(np.nonzero(dense))
    if not ends.size:
        return
    found = homophily(sp.csr_array(dense), labels, self_loops=True)
    index, y = torch.tensor(ends), torch.tensor(labels)
    assert found.edge == pytest.approx(reference(index, y, method="edge"), abs=1e-6)
    # PyG counts a node without an edge as 0; the formula is not defined there.
    share = reference(index, y, method="node") * len(dense) / found.nodes
    assert found.node == pytest.approx(share, abs=1e-6)


@given(graphs(), st.data(), st.booleans())
def test_multilabel_follows_the_definition(
    dense: np.ndarray, data: st.DataObject, loops: bool
) -> None:
    rows = st.lists(st.booleans(), min_size=3, max_size=3)
    labels = np.array(data.draw(st.lists(rows, min_size=len(dense), max_size=len(dense))))
    sets = [set(np.flatnonzero(row)) for row in labels]
    per_node: dict[int, list[float]] = {}
    for u, v in zip(*np.nonzero(dense), strict=True):
        if sets[u] and sets[v] and (loops or u != v):
            per_node.setdefault(u, []).append(len(sets[u] & sets[v]) / len(sets[u] | sets[v]))
    found = homophily(sp.csr_array(dense), labels, self_loops=loops)
    every = [x for values in per_node.values() for x in values]
    assert found.edges == len(every)
    if every:
        assert found.edge == pytest.approx(np.mean(every))
        assert found.node == pytest.approx(np.mean([np.mean(x) for x in per_node.values()]))
    else:
        assert np.isnan(found.edge)


def test_virtual_subgraphs_do_not_count() -> None:
    dense = np.ones((3, 3))
    assert homophily(sp.csr_array(dense), np.array([0, 0, -1])).edge == 1
    for labels in (np.zeros((3, 1, 1)), np.array(["a", "b", "c"]), np.zeros((3, 2))):
        with pytest.raises(DataError, match="labels must be"):
            homophily(sp.csr_array(dense), labels)
    with pytest.raises(DataError, match=r"takes a sparse matrix \(2, 2\)"):
        homophily(sp.csr_array(dense), np.zeros(2, int))
    stored_zero = sp.csr_array(([1.0, 0.0], ([0, 1], [1, 0])), shape=(2, 2))
    assert homophily(stored_zero, np.zeros(2, int)).edges == 1
