"""Random graphs, subgraphs and tasks for hypothesis."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from networkx_graphs import to_networkx
from sub2node.task import Graph, Names, Split, Subgraphs, SubgraphTask

# Text that a name may be: one line, no tabs, not empty.
texts = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zl", "Zp"]),
    min_size=1,
    max_size=6,
)


def unique_names(count: int) -> st.SearchStrategy[Names]:
    return st.lists(texts, min_size=count, max_size=count, unique=True).map(Names)


@st.composite
def graphs(
    draw: st.DrawFn, *, edges: int = 0, weighted: bool | None = None, plain: bool = False
) -> Graph:
    """A graph of up to 12 nodes with at least ``edges`` edges, self-loops and isolated nodes."""
    size = draw(st.integers(2, 12))
    node = st.integers(0, size - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=30))
    if edges and not any(u != v for u, v in pairs):
        pairs.append((0, 1))
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    weights = None
    if draw(st.booleans()) if weighted is None else weighted:
        weights = np.array(
            draw(st.lists(st.integers(1, 5), min_size=len(ends), max_size=len(ends)))
        )
        weights = weights.astype(float)
    named = not plain and draw(st.booleans())
    features = None
    if not plain and draw(st.booleans()):
        features = np.arange(size * 3, dtype=np.float32).reshape(size, 3) / 7
    return Graph.from_edges(
        ends[:, 0],
        ends[:, 1],
        num_nodes=size,
        weights=weights,
        repeated="sum",
        names=draw(unique_names(size)) if named else None,
        titles=draw(unique_names(size)) if named and draw(st.booleans()) else None,
        features=features,
    )


@st.composite
def node_sets(draw: st.DrawFn, size: int, *, smallest: int = 1) -> list[list[int]]:
    node = st.integers(0, size - 1)
    return draw(st.lists(st.lists(node, min_size=smallest, max_size=8), min_size=1, max_size=6))


@st.composite
def tasks(draw: st.DrawFn, *, plain: bool = False) -> SubgraphTask:
    """A task with everything that a task may have; ``plain``: what every format can hold."""
    graph = draw(graphs(edges=1, weighted=False if plain else None, plain=plain))
    lists = draw(node_sets(graph.num_nodes))
    sets = Subgraphs.from_lists(lists)
    count = len(sets)
    if not plain and draw(st.booleans()):
        weights = np.array(
            draw(st.lists(st.integers(1, 9), min_size=len(sets.nodes), max_size=len(sets.nodes)))
        )
        sets = Subgraphs(sets.ptr, sets.nodes, weights=weights / 4)
    if not plain and draw(st.booleans()):
        ptr, ends = sets.induced_edges(graph)
        edges = np.sort(sets.nodes[ends].T, axis=1)
        keep = np.array(
            draw(st.lists(st.booleans(), min_size=len(edges), max_size=len(edges))), bool
        )
        owner = np.repeat(np.arange(count), np.diff(ptr))[keep]
        edge_ptr = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=count))])
        sets = Subgraphs(sets.ptr, sets.nodes, sets.weights, edge_ptr, edges[keep])
    named = draw(st.booleans())
    sets = Subgraphs(
        sets.ptr, sets.nodes, sets.weights, sets.edge_ptr, sets.edges,
        names=draw(unique_names(count)) if named else None,
        titles=draw(unique_names(count)) if named and draw(st.booleans()) else None,
    )  # fmt: skip
    classes = draw(st.integers(1, 3))
    kind = "single" if plain else draw(st.sampled_from(["single", "multi", "none"]))
    labels = None
    if kind == "single":
        labels = np.array(
            draw(st.lists(st.integers(0, classes - 1), min_size=count, max_size=count))
        )
    if kind == "multi":
        rows = st.lists(st.booleans(), min_size=classes, max_size=classes).filter(any)
        labels = np.array(draw(st.lists(rows, min_size=count, max_size=count)), dtype=bool)
    split = None
    if plain or draw(st.booleans()):
        words = draw(
            st.lists(st.sampled_from(["train", "val", "test"]), min_size=count, max_size=count)
        )
        split = Split.given(words)
    names = tuple("cab"[:classes]) if labels is not None else ()
    task = SubgraphTask(graph, sets, labels=labels, class_names=names, split=split, name="random")
    if labels is not None and split is not None:
        table = task.label_counts()
        if ((table.sum(axis=0) > 0) & (table[0] == 0)).any():  # a reader would refuse it
            task = SubgraphTask(
                graph, sets, labels=labels, class_names=names, split=Split.sizes(train=count),
                name="random",
            )  # fmt: skip
    return task


@st.composite
def signed_tasks(draw: st.DrawFn) -> SubgraphTask:
    """A task with excluded nodes, weighted or not; some subgraphs have none."""
    task = draw(tasks())
    node = st.integers(0, task.graph.num_nodes - 1)
    rows = st.lists(st.lists(node, max_size=5), min_size=len(task), max_size=len(task))
    lists = draw(rows.filter(any))
    excluded = Subgraphs.from_lists(
        [
            sorted(set(row) - own)
            for row, own in zip(lists, map(set, member_lists(task)), strict=True)
        ]
    )
    if draw(st.booleans()):
        excluded = replace(excluded, weights=1 + np.arange(len(excluded.nodes)) % 3)
    return replace(task, subgraphs=replace(task.subgraphs, excluded=excluded))


def member_lists(task: SubgraphTask) -> list[list[int]]:
    """The members of each row."""
    return [part.tolist() for part in np.split(task.subgraphs.nodes, task.subgraphs.ptr[1:-1])]


@st.composite
def graphs_with_subgraphs(draw: st.DrawFn) -> tuple[Graph, Subgraphs]:
    graph = draw(graphs(plain=True))
    return graph, Subgraphs.from_lists(draw(node_sets(graph.num_nodes, smallest=0)))


def induced_subgraph(graph: Graph, nodes: list[int]) -> nx.Graph:
    """NetworkX's induced subgraph, without self-loops."""
    return to_networkx(graph).subgraph(nodes)
