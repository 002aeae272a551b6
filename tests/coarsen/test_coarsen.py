"""What coarsening promises, for every method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coarsening_cases import CONTRACTIONS, OPTIONS, PARTITIONS, RATIOS, outcome, pieces, wanted_of
from networkx_graphs import graph_of, to_networkx
from sub2node import ConfigError, DataError, Graph, load_task
from sub2node.coarsen import METHODS, Coarsening, coarsen, parse_coarsen
from sub2node.coarsen.coarsen import _target_sizes
from sub2node.coarsen.communities import COMMUNITY_METHODS
from sub2node.coarsen.controls import CONTROL_METHODS

VARIATIONS = [m for m in METHODS if m.startswith("variation")]


@pytest.mark.slow
@given(graph=pieces(), ratio=RATIOS, options=OPTIONS)
@pytest.mark.parametrize("method", PARTITIONS)
def test_partitions(method: str, graph: Graph, ratio: float, options: dict[str, Any]) -> None:
    coarse = outcome(graph, method, ratio, **options)
    if coarse is None:
        return
    part, whole = coarse.partition, to_networkx(graph)
    assert part is not None
    notes = " ".join(coarse.notes)
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
    assert coarse.wanted == wanted
    assert coarse.num_sets == part.max() + 1 == len(set(part[part >= 0].tolist()))
    assert coarse.left_out == np.count_nonzero(part < 0)
    if method in COMMUNITY_METHODS:
        assert not len(part) or f"{method} finds" in notes or "few nodes" in notes
    else:
        assert ("were wanted" in notes) == (not complete)
    check_sets(coarse, whole)
    again = coarsen(graph, method, ratio, **options)
    assert again.partition is not None
    assert np.array_equal(again.partition, part)
    assert again.notes == coarse.notes


def check_sets(coarse: Coarsening, whole: nx.Graph) -> None:
    """Connected, numbered by their lowest nodes; those of two nodes or more are virtual."""
    part = coarse.partition
    assert part is not None
    sets = [np.flatnonzero(part == i).tolist() for i in range(coarse.num_sets)]
    assert [min(nodes) for nodes in sets] == sorted(min(nodes) for nodes in sets)
    for nodes in sets:
        assert nx.is_connected(whole.subgraph(nodes))
    own = coarse.subgraphs
    virtual = [own.nodes[own.ptr[i] : own.ptr[i + 1]].tolist() for i in range(len(own))]
    assert virtual == [nodes for nodes in sets if len(nodes) > 1]
    assert len(coarse) == len(virtual)
    assert coarse.covered == sum(map(len, virtual))
    assert own.names is None


@pytest.mark.slow
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
            coarse = coarsen(one, method, ratio)
        except DataError as error:
            results.append(str(error))
        else:
            results.append((coarse.subgraphs.hash, coarse.notes))
    assert results[0] == results[1]


CASES = [(100, 0.29, 71), (10, 0.7, 3), (10, 0.3, 7), (100, 0.57, 43), (7, 0.99, 1), (6, 0.01, 6)]


@pytest.mark.parametrize(("size", "ratio", "wanted"), CASES)
def test_targets_are_not_off_by_rounding(size: int, ratio: float, wanted: int) -> None:
    assert _target_sizes(np.array([size]), ratio).tolist() == [wanted]
    graph = graph_of(nx.cycle_graph(size))
    if wanted == size:
        with pytest.raises(DataError, match=r"leaves single nodes only.* raise the ratio"):
            coarsen(graph, ratio=ratio)
        return
    for method in CONTRACTIONS:
        coarse = coarsen(graph, method, ratio)
        assert (coarse.wanted, coarse.num_sets) == (wanted, wanted)
        assert coarse.notes == ()


@given(st.integers(1, 10**6), st.integers(1, 999))
def test_targets_equal_exact_ones(size: int, thousandths: int) -> None:
    ratio = thousandths / 1000
    assert _target_sizes(np.array([size]), ratio).tolist() == [wanted_of(size, ratio)]


@pytest.mark.parametrize(("size", "ratio"), [(10**8, 0.29), (10, 1 - 1e-12)])
def test_targets_at_extremes(size: int, ratio: float) -> None:
    assert _target_sizes(np.array([size]), ratio).tolist() == [wanted_of(size, ratio)]


def test_a_star_says_why_it_stays_large() -> None:
    coarse = coarsen(graph_of(nx.star_graph(40)), ratio=0.5)
    assert coarse.num_sets == 31
    assert coarse.levels == 10
    assert coarse.notes == ("31 sets are left where 21 were wanted: 10 levels were not enough.",)


def test_the_first_contraction_is_the_cheapest() -> None:
    # Two cliques and a bridge: whatever is contracted, it is not the bridge.
    graph = nx.barbell_graph(8, 0)
    for method in ("variation_edges", "variation_neighborhoods", "variation_cliques"):
        coarse = coarsen(graph_of(graph), method, 0.5)
        assert coarse.partition is not None
        assert not set(coarse.partition[:8]) & set(coarse.partition[8:])


def test_too_many_cliques_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sub2node.coarsen.contraction_sets._MEMBERS", 3)
    graph = graph_of(nx.gnm_random_graph(20, 60, seed=1))
    coarse = coarsen(graph, "variation_cliques", 0.5)
    edges = coarsen(graph, "variation_edges", 0.5)
    assert np.array_equal(coarse.partition, edges.partition)  # type: ignore[arg-type]
    assert len(coarse.notes) == 1
    assert "too many maximal cliques" in coarse.notes[0]


@pytest.mark.slow
@pytest.mark.parametrize("method", PARTITIONS)
def test_seeds_decide(method: str) -> None:
    graph = graph_of(nx.connected_watts_strogatz_graph(300, 6, 0.3, seed=0))
    one, two, other = (coarsen(graph, method, 0.5, seed=seed).partition for seed in (0, 0, 1))
    assert np.array_equal(one, two)  # type: ignore[arg-type]
    if method in ("algebraic_jc", "affinity_gs"):
        assert not np.array_equal(one, other)  # type: ignore[arg-type]


def test_weights_decide() -> None:
    # On a ring with every second edge heavy, the heavy ones are contracted.
    low, high = np.arange(20), np.roll(np.arange(20), -1)
    graph = Graph.from_edges(low, high, weights=np.where(low % 2, 100.0, 1.0))
    for method in ("heavy_edge", "algebraic_jc", "variation_edges"):
        coarse = coarsen(graph, method, 0.5).partition
        assert coarse is not None
        assert (coarse[low[1::2]] == coarse[high[1::2]]).all(), method


@pytest.mark.parametrize("method", PARTITIONS)
@pytest.mark.parametrize("scale", [2.0**-20, 2.0**-40, 2.0**20])
def test_the_unit_of_weights_makes_no_difference(method: str, scale: float) -> None:
    plain = nx.gnm_random_graph(60, 150, seed=2)
    weights = np.random.default_rng(0).random(150) + 0.5
    one = coarsen(graph_of(plain, weights), method, 0.4)
    other = coarsen(graph_of(plain, weights * scale), method, 0.4)
    assert np.array_equal(one.partition, other.partition)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["variation_neighborhoods", "variation_cliques"])
def test_a_component_is_coarsened_whatever_the_others_are(method: str) -> None:
    alone = coarsen(graph_of(nx.complete_graph(10)), method, 0.3)
    assert (alone.num_sets, alone.notes) == (7, ())
    both = graph_of(nx.disjoint_union(nx.complete_graph(10), nx.star_graph(60)))
    coarse = coarsen(both, method, 0.3).partition
    assert coarse is not None
    assert len(set(coarse[:10].tolist())) == 7


BAD_RATIOS = [0, 1, 0.0, 1.0, -0.1, 1.5, float("nan"), float("inf"), True, "x", None]


@pytest.mark.parametrize("ratio", BAD_RATIOS)
@pytest.mark.parametrize("method", ["variation_edges", "ego_nets", "louvain"])
def test_bad_ratios_are_refused(ratio: Any, method: str) -> None:
    with pytest.raises(ConfigError, match="between 0 and 1, found"):
        coarsen(graph_of(nx.cycle_graph(10)), method, ratio)


def test_an_unknown_method_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'variation_edges'"):
        coarsen(graph_of(nx.cycle_graph(10)), "variation_edge")
    with pytest.raises(ConfigError, match="Known: variation_edges"):
        coarsen(graph_of(nx.cycle_graph(10)), "zzz")


@pytest.mark.parametrize("eigenvectors", [1, 0, -3, True, 2.0, "4", None])
def test_bad_numbers_of_eigenvectors_are_refused(eigenvectors: Any) -> None:
    with pytest.raises(ConfigError, match="whole number from 2"):
        coarsen(graph_of(nx.cycle_graph(10)), eigenvectors=eigenvectors)


@pytest.mark.parametrize("small", ["x", "", None, "leave_out"])
def test_bad_words_for_small_components_are_refused(small: Any) -> None:
    with pytest.raises(ConfigError, match="leave-out or keep"):
        coarsen(graph_of(nx.cycle_graph(10)), small=small)


@pytest.mark.parametrize("method", [*CONTRACTIONS, *CONTROL_METHODS])
def test_negative_seeds_are_refused(method: str) -> None:
    with pytest.raises(ConfigError, match="seed is a whole number from 0"):
        coarsen(graph_of(nx.cycle_graph(10)), method, seed=-1)


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
    graph = graph_of(nx.disjoint_union_all([nx.path_graph(4), nx.path_graph(3), nx.empty_graph(1)]))
    with pytest.raises(DataError, match="every component has 4 nodes at most"):
        coarsen(graph, method)
    coarse = coarsen(graph, method, small="keep")
    assert coarse.partition is not None
    assert coarse.partition.tolist() == [0, 0, 0, 0, 1, 1, 1, 2]
    assert (len(coarse), coarse.wanted, coarse.left_out) == (2, 3, 0)
    assert coarse.notes == ("3 components of few nodes (8 in all) are kept as one set each.",)


@pytest.mark.parametrize("text", ["variation_edges:0.3", "ego_nets", "louvain:5e-1"])
def test_method_and_ratio_are_read(text: str) -> None:
    method, _, ratio = text.partition(":")
    assert parse_coarsen(text) == (method, float(ratio or 0.5))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("variation_edges:", "is written METHOD:RATIO"),
        ("variation_edges:x", "is written METHOD:RATIO"),
        ("variation_edges:0.3:0.4", "is written METHOD:RATIO"),
        (":", "is written METHOD:RATIO"),
        ("variation_edges:2", "between 0 and 1, found 2"),
        ("variation_edges:0", "between 0 and 1, found 0"),
        ("variation_edges:nan", "between 0 and 1, found nan"),
        (":0.3", "no coarsening method ''"),
        ("", "no coarsening method ''"),
        ("0.3", "no coarsening method '0.3'"),
        ("edges:0.3", "no coarsening method 'edges'"),
    ],
)
def test_bad_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_coarsen(text)


@pytest.mark.slow
def test_the_published_choice_on_ppi_bp(data: Path) -> None:
    graph = load_task("ppi_bp").graph
    coarse = coarsen(graph, "variation_edges", 0.5)
    assert coarse.partition is not None
    assert coarse.partition.min() == 0  # every node is in a set
    assert (coarse.num_sets, coarse.wanted, coarse.notes) == (10_761, 10_761, ())
    sizes = np.bincount(coarse.partition)
    assert sizes.max() <= 8
    assert len(coarse) == np.count_nonzero(sizes > 1)


def test_weights_of_sixty_orders_of_magnitude(recwarn: pytest.WarningsRecorder) -> None:
    random = np.random.default_rng(1)
    source = np.r_[np.arange(60), np.arange(60)]
    target = (source + np.repeat([1, 7], 60)) % 60
    weights = 10.0 ** random.uniform(-30, 30, 120)
    graph = Graph.from_edges(source, target, num_nodes=60, weights=weights)
    with pytest.raises(
        DataError, match=r"cannot be computed; edge weights go from .*e-.* to .*e\+"
    ):
        coarsen(graph, "variation_edges", 0.5)
