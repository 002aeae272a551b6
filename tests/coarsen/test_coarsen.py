"""What coarsening promises, for every method."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sub2node import ConfigError, DataError, Graph, load_task
from sub2node.base.errors import MissingExtraError
from sub2node.coarsen import METHODS, Coarsening, coarsen, parse_coarsen
from sub2node.coarsen.coarsen import _target_sizes
from sub2node.coarsen.communities import COMMUNITY_METHODS
from sub2node.coarsen.controls import CONTROL_METHODS

CONTRACTIONS = [m for m in METHODS if m not in (*COMMUNITY_METHODS, *CONTROL_METHODS)]
PARTITIONS = [*CONTRACTIONS, *COMMUNITY_METHODS]
VARIATIONS = [m for m in METHODS if m.startswith("variation")]


def of(graph: nx.Graph, weights: Any = None) -> Graph:
    ends = np.array(graph.edges, dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(*ends.T, num_nodes=len(graph), weights=weights)


def nx_of(graph: Graph) -> nx.Graph:
    low, high, _ = graph.edges()
    result = nx.empty_graph(graph.num_nodes)
    result.add_edges_from(zip(low.tolist(), high.tolist(), strict=True))
    return result


@st.composite
def pieces(draw: st.DrawFn, *, weighted: bool | None = None) -> Graph:
    """Some components of up to 20 nodes, mixed, with self-loops; none of them need be large."""
    sizes = draw(st.lists(st.integers(1, 20), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    more = draw(st.sampled_from([0, 1, 4]))
    ends: list[tuple[int, int]] = [(0, 0)]
    start = 0
    for size in sizes:
        ends += [(start + int(rng.integers(0, i)), start + i) for i in range(1, size)]
        ends += (start + rng.integers(0, size, (more * size, 2))).tolist()
        start += size
    pairs = rng.permutation(start)[np.array(ends)]
    weights = None
    if draw(st.booleans()) if weighted is None else weighted:
        weights = rng.integers(1, 6, len(pairs)).astype(float)
    return Graph.from_edges(*pairs.T, num_nodes=start, weights=weights, repeated="sum")


def wanted_of(size: int, ratio: float) -> int:
    return ceil((1 - Fraction(str(ratio))) * size)


def outcome(graph: Graph, method: str, ratio: float, **options: Any) -> Coarsening | None:
    """The coarsening; None where there is none for a good reason."""
    eigenvectors, keep = options["eigenvectors"], options["small"] == "keep"
    sizes = [len(part) for part in nx.connected_components(nx_of(graph))]
    try:
        return coarsen(graph, method, ratio, **options)
    except DataError:
        if keep:
            assert not any(2 <= size <= eigenvectors for size in sizes)
        large = [size for size in sizes if size > eigenvectors]
        if method not in COMMUNITY_METHODS:
            assert all(wanted_of(size, ratio) == size for size in large)
        return None


RATIOS = st.sampled_from([0.05, 0.29, 0.3, 0.5, 0.7, 0.9])
OPTIONS = st.fixed_dictionaries(
    {
        "eigenvectors": st.integers(2, 5),
        "small": st.sampled_from(["leave-out", "keep"]),
        "seed": st.integers(0, 99),
    }
)


@settings(max_examples=40)
@given(graph=pieces(), ratio=RATIOS, options=OPTIONS)
@pytest.mark.parametrize("method", PARTITIONS)
def test_partitions(method: str, graph: Graph, ratio: float, options: dict[str, Any]) -> None:
    found = outcome(graph, method, ratio, **options)
    if found is None:
        return
    part, whole = found.partition, nx_of(graph)
    assert part is not None
    notes = " ".join(found.notes)
    complete = True
    wanted = 0
    for component in nx.connected_components(whole):
        nodes = sorted(component)
        sets = set(part[nodes].tolist())
        if len(nodes) <= options["eigenvectors"]:
            assert sets == {-1} if options["small"] == "leave-out" else len(sets) == 1
            assert "of few nodes" in notes
            wanted += options["small"] == "keep"
            continue
        assert min(sets) >= 0
        assert not sets & set(part[[n for n in whole if n not in component]].tolist())
        wanted += wanted_of(len(nodes), ratio)
        assert method in COMMUNITY_METHODS or len(sets) >= wanted_of(len(nodes), ratio)
        complete &= len(sets) == wanted_of(len(nodes), ratio)
    assert found.wanted == wanted
    assert found.num_sets == part.max() + 1 == len(set(part[part >= 0].tolist()))
    assert found.left_out == np.count_nonzero(part < 0)
    if method in COMMUNITY_METHODS:
        assert not len(part) or f"{method} finds" in notes or "few nodes" in notes
    else:
        assert ("were wanted" in notes) == (not complete)
    check_sets(found, whole)
    again = coarsen(graph, method, ratio, **options)
    assert again.partition is not None
    assert np.array_equal(again.partition, part)
    assert again.notes == found.notes


def check_sets(found: Coarsening, whole: nx.Graph) -> None:
    """Connected, numbered by their lowest nodes; those of two nodes or more are virtual."""
    part = found.partition
    assert part is not None
    sets = [np.flatnonzero(part == i).tolist() for i in range(found.num_sets)]
    assert [min(nodes) for nodes in sets] == sorted(min(nodes) for nodes in sets)
    for nodes in sets:
        assert nx.is_connected(whole.subgraph(nodes))
    own = found.subgraphs
    virtual = [own.nodes[own.ptr[i] : own.ptr[i + 1]].tolist() for i in range(len(own))]
    assert virtual == [nodes for nodes in sets if len(nodes) > 1]
    assert len(found) == len(virtual)
    assert found.covered == sum(map(len, virtual))
    assert own.names is None


@settings(max_examples=25)
@given(graph=pieces(), ratio=RATIOS, options=OPTIONS)
@pytest.mark.parametrize("method", PARTITIONS)
def test_the_coarse_graph_has_the_sums(
    method: str, graph: Graph, ratio: float, options: dict[str, Any]
) -> None:
    found = outcome(graph, method, ratio, **options)
    if found is None:
        return
    assert found.partition is not None
    member = np.zeros((found.num_sets, graph.num_nodes))
    kept = np.flatnonzero(found.partition >= 0)
    member[found.partition[kept], kept] = 1
    dense = member @ graph.adjacency(dtype=np.float64).toarray() @ member.T
    np.fill_diagonal(dense, 0)
    assert found.graph.num_nodes == found.num_sets
    assert found.graph.num_loops == 0
    assert np.array_equal(found.graph.adjacency(loops=True, dtype=np.float64).toarray(), dense)


@settings(max_examples=15)
@given(graph=pieces(), ratio=RATIOS)
@pytest.mark.parametrize("method", METHODS)
def test_self_loops_make_no_difference(method: str, graph: Graph, ratio: float) -> None:
    low, high, weights = graph.edges()
    bare = Graph.from_edges(low, high, num_nodes=graph.num_nodes, weights=weights)
    every = np.arange(graph.num_nodes)
    heavy = None if weights is None else np.r_[weights, np.full(len(every), 9.0)]
    looped = Graph.from_edges(
        np.r_[low, every], np.r_[high, every], num_nodes=graph.num_nodes, weights=heavy
    )
    results = []
    for one in (bare, looped):
        try:
            found = coarsen(one, method, ratio)
        except DataError as error:
            results.append(str(error))
        else:
            results.append((found.subgraphs.hash, found.notes))
    assert results[0] == results[1]


CASES = [(100, 0.29, 71), (10, 0.7, 3), (10, 0.3, 7), (100, 0.57, 43), (7, 0.99, 1), (6, 0.01, 6)]


@pytest.mark.parametrize(("size", "ratio", "wanted"), CASES)
def test_targets_are_not_off_by_rounding(size: int, ratio: float, wanted: int) -> None:
    assert _target_sizes(np.array([size]), ratio).tolist() == [wanted]
    graph = of(nx.cycle_graph(size))
    if wanted == size:
        with pytest.raises(DataError, match=r"leaves single nodes only.* raise the ratio"):
            coarsen(graph, ratio=ratio)
        return
    for method in CONTRACTIONS:
        found = coarsen(graph, method, ratio)
        assert (found.wanted, found.num_sets) == (wanted, wanted)
        assert found.notes == ()


@given(st.integers(1, 10**6), st.integers(1, 999))
def test_targets_equal_exact_ones(size: int, thousandths: int) -> None:
    ratio = thousandths / 1000
    assert _target_sizes(np.array([size]), ratio).tolist() == [wanted_of(size, ratio)]


@pytest.mark.parametrize(("size", "ratio"), [(10**8, 0.29), (10, 1 - 1e-12)])
def test_targets_at_extremes(size: int, ratio: float) -> None:
    assert _target_sizes(np.array([size]), ratio).tolist() == [wanted_of(size, ratio)]


def test_a_star_says_why_it_stays_large() -> None:
    found = coarsen(of(nx.star_graph(40)), ratio=0.5)
    assert found.num_sets == 31
    assert found.levels == 10
    assert found.notes == ("31 sets are left where 21 were wanted: 10 levels were not enough.",)


def test_the_first_contraction_is_the_cheapest() -> None:
    # Two cliques and a bridge: whatever is contracted, it is not the bridge.
    graph = nx.barbell_graph(8, 0)
    for method in ("variation_edges", "variation_neighborhoods", "variation_cliques"):
        found = coarsen(of(graph), method, 0.5)
        assert found.partition is not None
        assert not set(found.partition[:8]) & set(found.partition[8:])


def test_too_many_cliques_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sub2node.coarsen.contraction_sets._MEMBERS", 3)
    graph = of(nx.gnm_random_graph(20, 60, seed=1))
    found = coarsen(graph, "variation_cliques", 0.5)
    edges = coarsen(graph, "variation_edges", 0.5)
    assert np.array_equal(found.partition, edges.partition)  # type: ignore[arg-type]
    assert len(found.notes) == 1
    assert "too many maximal cliques" in found.notes[0]


@pytest.mark.parametrize("method", PARTITIONS)
def test_seeds_decide(method: str) -> None:
    graph = of(nx.connected_watts_strogatz_graph(300, 6, 0.3, seed=0))
    one, two, other = (coarsen(graph, method, 0.5, seed=seed).partition for seed in (0, 0, 1))
    assert np.array_equal(one, two)  # type: ignore[arg-type]
    if method in ("algebraic_jc", "affinity_gs"):
        assert not np.array_equal(one, other)  # type: ignore[arg-type]


def test_weights_decide() -> None:
    # On a ring with every second edge heavy, the heavy ones are contracted.
    low, high = np.arange(20), np.roll(np.arange(20), -1)
    graph = Graph.from_edges(low, high, weights=np.where(low % 2, 100.0, 1.0))
    for method in ("heavy_edge", "algebraic_jc", "variation_edges"):
        found = coarsen(graph, method, 0.5).partition
        assert found is not None
        assert (found[low[1::2]] == found[high[1::2]]).all(), method


@pytest.mark.parametrize("method", PARTITIONS)
@pytest.mark.parametrize("scale", [2.0**-20, 2.0**-40, 2.0**20])
def test_the_unit_of_weights_makes_no_difference(method: str, scale: float) -> None:
    plain = nx.gnm_random_graph(60, 150, seed=2)
    weights = np.random.default_rng(0).random(150) + 0.5
    one = coarsen(of(plain, weights), method, 0.4)
    other = coarsen(of(plain, weights * scale), method, 0.4)
    assert np.array_equal(one.partition, other.partition)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["variation_neighborhoods", "variation_cliques"])
def test_a_component_is_coarsened_whatever_the_others_are(method: str) -> None:
    alone = coarsen(of(nx.complete_graph(10)), method, 0.3)
    assert (alone.num_sets, alone.notes) == (7, ())
    both = of(nx.disjoint_union(nx.complete_graph(10), nx.star_graph(60)))
    found = coarsen(both, method, 0.3).partition
    assert found is not None
    assert len(set(found[:10].tolist())) == 7


def test_the_coarse_graph_is_symmetric_to_the_last_bit() -> None:
    weights = [2.0**-53, 1.0, 2.0**-53, 2.0**-24]
    graph = Graph.from_edges([0, 0, 1, 1], [2, 3, 2, 3], weights=weights)
    found = coarsen(graph, "heavy_edge", 0.5, eigenvectors=2)
    found = replace(found, partition=np.array([0, 0, 1, 1]))
    dense = found.graph.adjacency().toarray()
    assert np.array_equal(dense, dense.T)


BAD_RATIOS = [0, 1, 0.0, 1.0, -0.1, 1.5, float("nan"), float("inf"), True, "x", None]


@pytest.mark.parametrize("ratio", BAD_RATIOS)
@pytest.mark.parametrize("method", ["variation_edges", "ego_nets", "louvain"])
def test_bad_ratios_are_refused(ratio: Any, method: str) -> None:
    with pytest.raises(ConfigError, match="between 0 and 1, found"):
        coarsen(of(nx.cycle_graph(10)), method, ratio)


def test_an_unknown_method_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'variation_edges'"):
        coarsen(of(nx.cycle_graph(10)), "variation_edge")
    with pytest.raises(ConfigError, match="Known: variation_edges"):
        coarsen(of(nx.cycle_graph(10)), "zzz")


@pytest.mark.parametrize("eigenvectors", [1, 0, -3, True, 2.0, "4", None])
def test_bad_numbers_of_eigenvectors_are_refused(eigenvectors: Any) -> None:
    with pytest.raises(ConfigError, match="whole number from 2"):
        coarsen(of(nx.cycle_graph(10)), eigenvectors=eigenvectors)


@pytest.mark.parametrize("small", ["x", "", None, "leave_out"])
def test_bad_words_for_small_components_are_refused(small: Any) -> None:
    with pytest.raises(ConfigError, match="leave-out or keep"):
        coarsen(of(nx.cycle_graph(10)), small=small)


@pytest.mark.parametrize("method", [*CONTRACTIONS, *CONTROL_METHODS])
def test_negative_seeds_are_refused(method: str) -> None:
    with pytest.raises(ConfigError, match="seed is a whole number from 0"):
        coarsen(of(nx.cycle_graph(10)), method, seed=-1)


@pytest.mark.parametrize("method", COMMUNITY_METHODS)
def test_negative_seeds_are_refused_by_communities(method: str) -> None:
    with pytest.raises(ConfigError, match="seed is a whole number from 0"):
        coarsen(of(nx.cycle_graph(10)), method, seed=-1)


NO_EDGES = {
    "isolated nodes": Graph.from_edges([], [], num_nodes=5),
    "self-loops only": Graph.from_edges([0, 1, 2], [0, 1, 2]),
    "no nodes": Graph.from_edges([], [], num_nodes=0),
}


@pytest.mark.parametrize("what", list(NO_EDGES))
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("small", ["leave-out", "keep"])
def test_graphs_without_edges_are_refused(what: str, method: str, small: Any) -> None:
    with pytest.raises(DataError, match="no edge between different nodes"):
        coarsen(NO_EDGES[what], method, small=small)


@pytest.mark.parametrize("method", PARTITIONS)
def test_small_components_only(method: str) -> None:
    graph = of(nx.disjoint_union_all([nx.path_graph(4), nx.path_graph(3), nx.empty_graph(1)]))
    with pytest.raises(DataError, match="every component has 4 nodes at most"):
        coarsen(graph, method)
    found = coarsen(graph, method, small="keep")
    assert found.partition is not None
    assert found.partition.tolist() == [0, 0, 0, 0, 1, 1, 1, 2]
    assert (len(found), found.wanted, found.left_out) == (2, 3, 0)
    assert found.notes == ("3 components of few nodes (8 in all) are kept as one set each.",)


@pytest.mark.parametrize("text", ["variation_edges:0.3", "ego_nets", "louvain:5e-1"])
def test_method_and_ratio_are_read(text: str) -> None:
    method, _, ratio = text.partition(":")
    assert parse_coarsen(text) == (method, float(ratio or 0.5))


BAD_TEXTS = [
    "variation_edges:", "variation_edges:2", "variation_edges:0", "variation_edges:nan",
    "variation_edges:x", "variation_edges:0.3:0.4", ":0.3", "", ":", "0.3", "edges:0.3",
]  # fmt: skip


@pytest.mark.parametrize("text", BAD_TEXTS)
def test_bad_texts_are_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_coarsen(text)


@settings(max_examples=30)
@given(graph=pieces(), ratio=RATIOS, seed=st.integers(0, 99))
@pytest.mark.parametrize("method", CONTROL_METHODS)
def test_controls(method: str, graph: Graph, ratio: float, seed: int) -> None:
    if not graph.num_edges:
        return
    found = coarsen(graph, method, ratio, seed=seed)
    whole = nx_of(graph)
    joined = sum(degree > 0 for _, degree in whole.degree)
    assert found.partition is None
    assert found.wanted == wanted_of(graph.num_nodes, ratio)
    assert found.num_sets == len(found) == min(found.wanted, joined)
    assert bool(found.notes) == (joined < found.wanted)
    own = found.subgraphs
    for i in range(len(own)):
        nodes = own.nodes[own.ptr[i] : own.ptr[i + 1]].tolist()
        inner = whole.subgraph(nodes)
        assert len(nodes) >= 2
        assert nx.is_connected(inner)
        if method == "ego_nets":  # small ones: all neighbours are there
            assert any({node, *whole[node]} == set(nodes) for node in nodes)
        else:
            assert len(nodes) <= 40
    again = coarsen(graph, method, ratio, seed=seed)
    assert again.subgraphs == own
    for what in (lambda: found.graph, found.errors):
        with pytest.raises(ConfigError, match="overlap, so there is no coarse graph"):
            what()


def test_ego_nets_of_hubs_are_cut() -> None:
    graph = nx.star_graph(300)
    found = coarsen(of(graph), "ego_nets", 0.001)
    sizes = sorted(found.subgraphs.sizes.tolist())
    assert sizes == [*[2] * 300, 100]  # every leaf with the hub, and the hub with 99 leaves
    assert (found.subgraphs.nodes[np.r_[found.subgraphs.ptr[:-1]]] == 0).all()
    other = coarsen(of(graph), "ego_nets", 0.001, seed=1)
    assert other.subgraphs != found.subgraphs


def test_walks_are_of_40_nodes_where_there_are_as_many() -> None:
    found = coarsen(of(nx.complete_graph(200)), "random_walks", 0.5)
    assert set(found.subgraphs.sizes.tolist()) == {40}
    other = coarsen(of(nx.complete_graph(200)), "random_walks", 0.5, seed=1)
    assert other.subgraphs != found.subgraphs
    short = coarsen(of(nx.path_graph(5)), "random_walks", 0.5)
    assert set(short.subgraphs.sizes.tolist()) == {5}


@pytest.mark.parametrize("method", COMMUNITY_METHODS)
def test_without_networkit_the_extra_is_named(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkit", None)
    with pytest.raises(MissingExtraError, match=r"networkit.*sub2node\[baselines\]"):
        coarsen(of(nx.cycle_graph(10)), method)


@pytest.mark.parametrize("method", COMMUNITY_METHODS)
def test_communities_come_near_and_threads_stay(method: str) -> None:
    import networkit as nk

    threads = nk.getMaxNumberOfThreads()
    graph = of(nx.connected_watts_strogatz_graph(300, 6, 0.1, seed=0))
    for ratio in (0.5, 0.8):
        found = coarsen(graph, method, ratio)
        assert abs(found.num_sets - found.wanted) <= 0.05 * 300
        (note,) = found.notes
        assert f"finds {found.num_sets:,} communities" in note
        assert f"{found.wanted:,} wanted" in note
        assert "nan" not in note
    assert nk.getMaxNumberOfThreads() == threads


def spectrum(found: Coarsening, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Fine and coarse eigenvalues and ε of a connected graph, as they are defined."""
    part = found.partition
    assert part is not None
    dense = found.source.adjacency(dtype=np.float64).toarray()
    matrix = np.diag(dense.sum(axis=1)) - dense
    sizes = np.bincount(part)
    rows = np.zeros((len(sizes), len(part)))
    rows[part, np.arange(len(part))] = 1 / np.sqrt(sizes[part])
    k = min(k, len(sizes))
    values, vectors = np.linalg.eigh(matrix)
    coarse = np.linalg.eigvalsh(rows @ matrix @ rows.T)[:k]
    root = vectors @ np.diag(np.sqrt(np.maximum(values, 0))) @ vectors.T
    lost = np.eye(len(part)) - rows.T @ rows
    scaled = vectors[:, 1:k] / np.sqrt(values[1:k])
    epsilon = np.linalg.norm(root @ lost @ scaled, 2) if k > 1 else 0.0
    return values[:k], coarse, float(epsilon)


@settings(max_examples=40)
@given(
    size=st.integers(6, 40),
    seed=st.integers(0, 10**6),
    method=st.sampled_from(CONTRACTIONS),
    ratio=st.sampled_from([0.3, 0.5, 0.8]),
    k=st.integers(2, 12),
)
def test_errors_equal_their_definition(
    size: int, seed: int, method: str, ratio: float, k: int
) -> None:
    # Random weights: no two eigenvalues are equal, so the first k eigenvectors are determined.
    plain = nx.gnm_random_graph(size, 2 * size, seed=seed)
    plain.add_edges_from(zip(range(size), range(1, size), strict=False))
    weights = np.random.default_rng(seed).random(plain.number_of_edges()) + 0.2
    found = coarsen(of(plain, weights), method, ratio)
    errors = found.errors(k)
    fine, coarse, epsilon = spectrum(found, k)
    assert errors.fine == pytest.approx(fine.tolist(), rel=1e-6, abs=1e-6)
    assert errors.coarse == pytest.approx(coarse.tolist(), rel=1e-6, abs=1e-6)
    assert errors.subspace == pytest.approx(epsilon, rel=1e-5, abs=1e-6)
    assert all(b >= a - 1e-8 for a, b in zip(errors.fine, errors.coarse, strict=True))
    relative = (coarse[1:] - fine[1:]) / fine[1:]
    assert errors.eigenvalues == pytest.approx(relative.tolist(), abs=1e-5)
    assert errors.mean == pytest.approx(relative.mean() if len(relative) else 0, abs=1e-5)


def test_errors_of_a_graph_beyond_the_dense_solver() -> None:
    plain = nx.connected_watts_strogatz_graph(1000, 8, 0.3, seed=0)
    found = coarsen(of(plain), "variation_edges", 0.4)
    errors = found.errors(6)
    fine, coarse, epsilon = spectrum(found, 6)
    assert errors.fine[1:] == pytest.approx(fine[1:].tolist(), rel=1e-6)
    assert errors.coarse[1:] == pytest.approx(coarse[1:].tolist(), rel=1e-6)
    assert errors.subspace == pytest.approx(epsilon, rel=1e-3)


def test_local_variation_keeps_the_spectrum_better_than_weights_do() -> None:
    graph = of(nx.connected_watts_strogatz_graph(500, 6, 0.05, seed=0))
    by_variation, by_weight = (
        coarsen(graph, method, 0.4).errors(4) for method in ("variation_edges", "heavy_edge")
    )
    assert by_variation.mean < by_weight.mean
    assert by_variation.subspace < by_weight.subspace


def test_single_sets_lose_nothing() -> None:
    graph = of(nx.gnm_random_graph(30, 100, seed=0))
    found = replace(coarsen(graph), partition=np.arange(30))
    errors = found.errors(10)
    assert errors.fine == pytest.approx(errors.coarse, abs=1e-9)
    assert errors.subspace == pytest.approx(0, abs=1e-7)
    assert errors.mean == pytest.approx(0, abs=1e-9)


def test_one_set_has_no_errors_to_measure() -> None:
    errors = replace(coarsen(of(nx.cycle_graph(8))), partition=np.zeros(8, np.int64)).errors()
    assert (errors.fine, errors.coarse) == ((0,), (0,))
    assert (errors.subspace, errors.mean, errors.eigenvalues) == (0, 0, ())


def test_errors_are_those_of_the_largest_component_that_was_kept() -> None:
    big, small = nx.gnm_random_graph(20, 60, seed=1), nx.cycle_graph(7)
    alone = coarsen(of(big), ratio=0.5)
    both = coarsen(of(nx.disjoint_union(small, big)), ratio=0.5)
    assert both.errors(5).fine == pytest.approx(alone.errors(5).fine, abs=1e-9)
    assert len(both.errors(50).fine) == 10


@pytest.mark.parametrize("k", [1, 0, -1])
def test_errors_of_fewer_than_two_eigenvalues_are_refused(k: int) -> None:
    with pytest.raises(ConfigError, match="two eigenvalues at least"):
        coarsen(of(nx.cycle_graph(8))).errors(k)


def test_errors_do_not_depend_on_the_unit_of_weights() -> None:
    graph = nx.gnm_random_graph(40, 120, seed=0)
    weights = np.random.default_rng(0).random(120) + 0.5
    one, two = (coarsen(of(graph, weights * s), "heavy_edge").errors(5) for s in (1.0, 2.0**-40))
    assert one.subspace > 0
    assert two.subspace == pytest.approx(one.subspace)


def test_it_says_what_it_is() -> None:
    found = coarsen(of(nx.cycle_graph(10)), ratio=0.4)
    assert repr(found) == (
        "Coarsening(variation_edges, ratio 0.4: 6 sets of 10 nodes, 4 virtual subgraphs)"
    )
    assert found.partition is not None
    with pytest.raises(ValueError, match="read-only"):
        found.partition[0] = 3


def test_the_published_choice_on_ppi_bp(data: Path) -> None:
    graph = load_task("ppi_bp").graph
    found = coarsen(graph, "variation_edges", 0.5)
    assert found.partition is not None
    assert found.partition.min() == 0  # every node is in a set
    assert (found.num_sets, found.wanted, found.notes) == (10_761, 10_761, ())
    sizes = np.bincount(found.partition)
    assert sizes.max() <= 8
    assert len(found) == np.count_nonzero(sizes > 1)
