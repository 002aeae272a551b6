"""Links of new subgraphs: parts, edges between neighbours, and whole graphs against dense ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from sub2node.ops.pattern import Pattern
from sub2node.scoring.query_links import KnownGraph, QueryLinks, build_rings, build_whole_graph


def random_graph(size: int, seed: int) -> KnownGraph:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((size, size)) * (rng.random((size, size)) < 0.4))
    matrix = (upper + upper.T - np.diag(upper.diagonal())).astype(np.float32)
    return KnownGraph(sp.csr_array(matrix))


def random_links(count: int, size: int, seed: int) -> tuple[QueryLinks, np.ndarray, np.ndarray]:
    """Links, with the dense weights to known ones and among the new ones."""
    rng = np.random.default_rng(seed + 100)
    known = (rng.random((count, size)) * (rng.random((count, size)) < 0.5)).astype(np.float32)
    upper = np.triu(rng.random((count, count)) * (rng.random((count, count)) < 0.7))
    among = (upper + upper.T - np.diag(upper.diagonal())).astype(np.float32)
    return QueryLinks.of(sp.csr_array(known), sp.csr_array(among)), known, among


SIZES = {"count": st.integers(1, 4), "size": st.integers(1, 6), "seed": st.integers(0, 20)}


@given(**SIZES)
def test_links_are_the_entries_of_the_rows(count: int, size: int, seed: int) -> None:
    links, known, among = random_links(count, size, seed)
    dense = np.zeros_like(known)
    dense[links.owner, links.nodes] = links.weights
    assert np.array_equal(dense, known)
    assert links.own.tolist() == among.diagonal().tolist()
    part = links.part(count - 1, count)
    assert len(part) == 1
    assert part.weights.tolist() == known[-1][known[-1] > 0].tolist()


@given(**SIZES)
def test_degrees_fill_missing_self_loops(count: int, size: int, seed: int) -> None:
    graph = random_graph(size, seed)
    dense = graph.matrix.toarray()
    filled = dense + np.diag(dense.diagonal() == 0)
    assert graph.degrees.numpy() == pytest.approx(filled.sum(axis=1), rel=1e-5)
    assert graph.counts.tolist() == (dense != 0).sum(axis=1).tolist()


@given(**SIZES)
def test_edges_between_neighbours_are_all_such(count: int, size: int, seed: int) -> None:
    graph, (links, _, _) = random_graph(size, seed), random_links(count, size, seed)
    edges = graph.neighbor_edges(links)
    dense = graph.matrix.toarray()
    expected = {
        (a, b)
        for a in range(len(links.nodes))
        for b in range(a)
        if links.owner[a] == links.owner[b] and dense[links.nodes[a], links.nodes[b]]
    }
    pairs = zip(edges.first.tolist(), edges.second.tolist(), edges.weights.tolist(), strict=True)
    seen = {(max(a, b), min(a, b)): weight for a, b, weight in pairs}
    assert seen.keys() == expected
    assert len(edges.first) == len(expected)
    for (a, b), weight in seen.items():
        assert weight == dense[links.nodes[a], links.nodes[b]]


@given(**SIZES, joint=st.booleans())
def test_a_whole_graph_is_its_blocks(count: int, size: int, seed: int, joint: bool) -> None:
    graph, (links, known, among) = random_graph(size, seed), random_links(count, size, seed)
    blocks = np.zeros(count, np.int64) if joint else np.arange(count)
    between = among if joint else np.diag(among.diagonal())
    whole = build_whole_graph(graph, links, among=sp.csr_array(between), blocks=blocks)
    copies = 1 if joint else count
    total = count + copies * size
    expected = np.zeros((total, total), np.float32)
    expected[:count, :count] = between
    for copy in range(copies):
        place = slice(count + copy * size, count + (copy + 1) * size)
        expected[place, place] = graph.matrix.toarray()
        rows = np.flatnonzero(blocks == copy)
        expected[rows, place] = known[rows]
        expected[place, rows] = known[rows].T
    dense = np.zeros((total, total), np.float32)
    dense[whole.pattern.row, whole.pattern.index] = whole.weights
    assert np.array_equal(dense, expected)


@given(**SIZES)
def test_rings_are_sorted_by_columns_too(count: int, size: int, seed: int) -> None:
    graph, (links, _, _) = random_graph(size, seed), random_links(count, size, seed)
    base = torch.zeros(1, size, 1)
    rings = build_rings(graph, links, kind="weighted", layers=2, base=base, grad=True)
    for ring in rings:
        made, columns = ring.pattern, len(links) + len(links.nodes)
        expected = Pattern.from_csr(made.ptr.numpy(), made.index.numpy(), columns)
        for name in Pattern.__dataclass_fields__:
            assert torch.equal(getattr(made, name), getattr(expected, name)), name


@pytest.mark.parametrize("kind", ["normalized", "weighted", "mean"])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("grad", [False, True])
def test_rings_send_what_whole_graphs_send(kind: str, layers: int, grad: bool) -> None:
    graph, (links, _, among) = random_graph(6, 3), random_links(4, 6, 3)
    stream = torch.Generator().manual_seed(0)
    known, new = (torch.randn(2, rows, 3, generator=stream) for rows in (6, 4))
    whole = build_whole_graph(
        graph, links, among=sp.csr_array(np.diag(among.diagonal())), blocks=np.arange(4)
    )
    expected = torch.cat([new, known.repeat(1, 4, 1)], dim=1)
    for _ in range(layers):
        expected = whole.around(expected, kind)
    base = graph.base(known, kind) if layers == 2 else None
    rings = build_rings(graph, links, kind=kind, layers=layers, base=base, grad=grad)
    x = torch.cat([new, known[:, links.nodes]], dim=1)
    for ring in rings:
        x = ring.around(x, kind)
    torch.testing.assert_close(x, expected[:, :4])
