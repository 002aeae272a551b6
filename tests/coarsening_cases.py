"""Graphs of several components, and the methods that coarsen them."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from networkx_graphs import to_networkx
from sub2node import DataError, Graph
from sub2node.coarsen import METHODS, Coarsening, coarsen
from sub2node.coarsen.communities import COMMUNITY_METHODS
from sub2node.coarsen.controls import CONTROL_METHODS

CONTRACTIONS = [m for m in METHODS if m not in (*COMMUNITY_METHODS, *CONTROL_METHODS)]
PARTITIONS = [*CONTRACTIONS, *COMMUNITY_METHODS]


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
    sizes = [len(part) for part in nx.connected_components(to_networkx(graph))]
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
