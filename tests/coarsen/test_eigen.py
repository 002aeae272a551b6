"""Eigenpairs of many components against dense ones."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg
from hypothesis import given
from hypothesis import strategies as st

from sub2node.coarsen import coarsen, eigen
from sub2node.coarsen.eigen import by_component, laplacian, lowest
from sub2node.task import Graph


def weights_of(graph: nx.Graph, *, seed: int | None = None) -> Any:
    """The adjacency; with a seed, of random weights."""
    ends = np.array(graph.edges)
    weights = None if seed is None else np.random.default_rng(seed).random(len(ends)) + 0.2
    found = Graph.from_edges(*ends.T, num_nodes=len(graph), weights=weights)
    return found.adjacency(dtype=np.float64)


def connected(size: int, seed: int) -> nx.Graph:
    """A random tree and some edges more: connected, hardly ever symmetric."""
    rng = np.random.default_rng(seed)
    graph = nx.Graph([(int(rng.integers(0, i)), i) for i in range(1, size)])
    graph.add_edges_from(rng.integers(0, size, (2 * size, 2)).tolist())
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return graph


def check(matrix: np.ndarray, values: np.ndarray, vectors: np.ndarray) -> None:
    """The first eigenpairs of this matrix, to six digits."""
    expected = np.linalg.eigvalsh(matrix)[: len(values)]
    assert values == pytest.approx(expected, rel=1e-6, abs=1e-9 * abs(matrix).max())
    assert vectors.T @ vectors == pytest.approx(np.eye(len(values)), abs=1e-5)
    left = matrix @ vectors - vectors * values
    assert abs(left).max() < 1e-5 * max(values[1:].max(initial=0), 1e-9)


def test_the_laplacian_is_degrees_less_weights() -> None:
    weights = weights_of(connected(9, 0), seed=1)
    dense = weights.toarray()
    assert laplacian(weights).toarray() == pytest.approx(np.diag(dense.sum(axis=1)) - dense)


@pytest.mark.slow
@given(
    sizes=st.lists(st.integers(5, 30) | st.integers(40, 60), min_size=1, max_size=8),
    k=st.integers(2, 4),
    seed=st.integers(0, 10**6),
    dense=st.sampled_from([36, 400]),  # the larger components by the sparse solver, or none
    batch=st.sampled_from([1, 1000, 1 << 23]),
)
def test_each_component_has_its_own(
    sizes: list[int], k: int, seed: int, dense: int, batch: int
) -> None:
    rng = np.random.default_rng(seed)
    parts = [connected(size, seed + i) for i, size in enumerate(sizes)]
    component = np.repeat(np.arange(len(sizes)), sizes)
    place = rng.permutation(len(component))  # components are mixed among the numbers
    weights = sp.block_diag([weights_of(part, seed=seed) for part in parts], format="csr")
    weights = sp.csr_array(weights[place][:, place])
    weights.sort_indices()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(eigen, "_DENSE", dense)
        patch.setattr(eigen, "_BATCH", batch)
        found = by_component(weights, component[place], k, seed=0)
    assert found.values.shape == (len(sizes), k)
    assert found.notes == ()
    for number in range(len(sizes)):
        nodes = np.flatnonzero(component[place] == number)
        block = laplacian(weights[nodes][:, nodes].tocsr()).toarray()
        check(block, found.values[number], found.vectors[nodes])


@pytest.mark.parametrize("k", [2, 4, 8])
@pytest.mark.parametrize("seed", range(3))
def test_the_sparse_solver_equals_the_dense_one(k: int, seed: int) -> None:
    weights = weights_of(connected(600, seed), seed=seed)
    found = by_component(weights, np.zeros(600, np.int64), k, seed=seed)
    assert found.notes == ()
    check(laplacian(weights).toarray(), found.values[0], found.vectors)


SHAPES: dict[str, nx.Graph] = {
    "path": nx.path_graph(1200),
    "ring": nx.cycle_graph(900),
    "mesh": nx.convert_node_labels_to_integers(nx.grid_2d_graph(30, 27)),
    "tree": nx.balanced_tree(2, 9),
    "star": nx.star_graph(900),
    "complete": nx.complete_graph(450),
    "barbell": nx.barbell_graph(230, 3),
    "lollipop": nx.lollipop_graph(60, 500),
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", list(SHAPES))
def test_shapes_that_are_hard(shape: str) -> None:
    # Eigenvalues near zero, or many equal ones.
    weights = weights_of(SHAPES[shape])
    matrix = laplacian(weights)
    found = lowest(matrix, np.ones(len(SHAPES[shape])), 4, seed=0)
    assert found.notes == ()
    check(matrix.toarray(), found.values[0], found.vectors)


def test_a_path_is_solved_by_inversion(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    eigsh = scipy.sparse.linalg.eigsh

    def seen(*args: Any, **options: Any) -> Any:
        asked.append(options["sigma"])
        return eigsh(*args, **options)

    monkeypatch.setattr(scipy.sparse.linalg, "eigsh", seen)
    found = lowest(laplacian(weights_of(nx.path_graph(3000))), np.ones(3000), 4, seed=0)
    assert len(asked) == 1
    exact = 2 - 2 * np.cos(np.pi * np.arange(4) / 3000)
    assert found.values[0] == pytest.approx(exact, rel=1e-6, abs=1e-12)


@given(size=st.integers(2, 25), k=st.integers(1, 30), seed=st.integers(0, 999))
def test_lowest_of_coarse_laplacians(size: int, k: int, seed: int) -> None:
    # C L Cᵀ, whose null vector is not the constant one; more eigenpairs than there are: all.
    matrix = laplacian(weights_of(connected(size, seed), seed=seed)).toarray()
    scale = 1 / np.sqrt(np.random.default_rng(seed).integers(1, 5, size))
    matrix = scale[:, None] * matrix * scale
    found = lowest(sp.csr_array(matrix), 1 / scale, k, seed=0)
    assert found.values.shape == (1, min(k, size))
    assert found.vectors.shape == (size, min(k, size))
    check(matrix, found.values[0], found.vectors)


@pytest.mark.slow
@given(seed=st.integers(0, 999), k=st.integers(2, 5))
def test_lowest_of_coarse_laplacians_by_the_sparse_solver(seed: int, k: int) -> None:
    matrix = laplacian(weights_of(connected(80, seed), seed=seed)).toarray()
    scale = 1 / np.sqrt(np.random.default_rng(seed).integers(1, 5, 80))
    matrix = scale[:, None] * matrix * scale
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(eigen, "_DENSE", 0)
        found = lowest(sp.csr_array(matrix), 1 / scale, k, seed=0)
    assert found.notes == ()
    check(matrix, found.values[0], found.vectors)


def test_same_seed_same_vectors() -> None:
    matrix = laplacian(weights_of(connected(500, 5)))
    one, two = (lowest(matrix, np.ones(500), 4, seed=3).vectors for _ in range(2))
    assert np.array_equal(one, two)


def failing(error: BaseException) -> Any:
    def raise_it(*_: Any, **__: Any) -> Any:
        raise error

    return raise_it


ERRORS = {
    "lobpcg": [np.linalg.LinAlgError("singular"), ValueError("bad block")],
    "eigsh": [
        scipy.sparse.linalg.ArpackNoConvergence("no", np.empty(0), np.empty((0, 0))),
        scipy.sparse.linalg.ArpackError(-9),
        RuntimeError("Factor is exactly singular"),
        MemoryError(),
    ],
}


@pytest.mark.parametrize("gradients", ERRORS["lobpcg"], ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("inversion", ERRORS["eigsh"], ids=lambda e: type(e).__name__)
def test_solvers_that_fail_give_usable_vectors_and_a_note(
    gradients: BaseException, inversion: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scipy.sparse.linalg, "lobpcg", failing(gradients))
    monkeypatch.setattr(scipy.sparse.linalg, "eigsh", failing(inversion))
    matrix = laplacian(weights_of(nx.path_graph(500)))
    found = lowest(matrix, np.ones(500), 4, seed=0)
    assert found.vectors.T @ found.vectors == pytest.approx(np.eye(4), abs=1e-8)
    rayleigh = np.diag(found.vectors.T @ (matrix @ found.vectors))
    assert found.values[0] == pytest.approx(rayleigh, abs=1e-8)
    (note,) = found.notes
    assert "500 nodes are approximate" in note


def test_one_solver_that_fails_is_made_up_for_by_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scipy.sparse.linalg, "lobpcg", failing(np.linalg.LinAlgError()))
    matrix = laplacian(weights_of(connected(500, 1)))
    found = lowest(matrix, np.ones(500), 4, seed=0)
    assert found.notes == ()
    check(matrix.toarray(), found.values[0], found.vectors)


def test_values_that_are_no_numbers_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        scipy.sparse.linalg, "lobpcg", lambda _, x, **__: (np.full(x.shape[1], np.nan), x * np.nan)
    )
    monkeypatch.setattr(scipy.sparse.linalg, "eigsh", failing(RuntimeError()))
    found = lowest(laplacian(weights_of(connected(500, 1))), np.ones(500), 3, seed=0)
    assert np.isfinite(found.vectors).all()
    assert len(found.notes) == 1


def test_a_failing_solver_does_not_stop_coarsening(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scipy.sparse.linalg, "lobpcg", failing(np.linalg.LinAlgError()))
    monkeypatch.setattr(scipy.sparse.linalg, "eigsh", failing(RuntimeError()))
    graph = Graph.from_edges(*np.array(connected(500, 2).edges).T)
    found = coarsen(graph, ratio=0.5)
    assert found.num_sets == 250
    assert "approximate" in found.notes[0]


@pytest.mark.slow
@pytest.mark.parametrize("k", [100, 120, 160])
def test_many_eigenvectors_of_a_graph_that_is_not_small(k: int) -> None:
    matrix = laplacian(weights_of(connected(500, 3)))
    found = lowest(matrix, np.ones(500), k, seed=0)
    check(matrix.toarray(), found.values[0], found.vectors)


def test_a_wide_graph_is_never_factorised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Factors of a random graph are nearly dense: 20,000 nodes would take minutes."""

    def never(*_: object, **__: object) -> None:
        raise AssertionError("factorised")

    monkeypatch.setattr(scipy.sparse.linalg, "eigsh", never)
    monkeypatch.setattr(eigen, "_ROUNDS", 1)  # so that the first solver does not get there
    matrix = laplacian(weights_of(nx.random_regular_graph(4, 4000, seed=0)))
    assert "4,000 nodes are approximate" in lowest(matrix, np.ones(4000), 4, seed=0).notes[0]
    monkeypatch.undo()
    mesh = nx.convert_node_labels_to_integers(nx.grid_2d_graph(40, 40))
    assert eigen._is_narrow(laplacian(weights_of(mesh)))
