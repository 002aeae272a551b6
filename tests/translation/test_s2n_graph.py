"""The S2N graph: stages, normalised weights, and rows of new subgraphs."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sub2node as s2n
from strategies import node_sets, tasks
from sub2node import ConfigError, DataError, Graph, Split, Subgraphs, SubgraphTask
from sub2node.task.edges import Edges
from sub2node.translation import s2n_graph

# Non-zeros of raw W, its sum, the sum without self-loops, mean and std of the train block.
RAW = {
    "density": (62_160, 1_032_476, 984_082, 16.68975, 14.85292),
    "cut_ratio": (59_870, 482_456, 472_266, 8.17100, 28.45550),
    "coreness": (25_525, 174_208, 169_788, 4.00833, 10.18352),
    "component": (710, 187_908, 171_648, 4.04960, 73.28838),
}
CUT = {
    (1.0, 0.5, "train"): {
        "density": (4729, 183, 3689.929),
        "cut_ratio": (2830, 200, 984.299),
        "coreness": (1866, 176, 1531.890),
        "component": (200, 200, 200),
    },
    (1.0, 0.5, "val"): {
        "density": (6151, 205, 4843.615),
        "cut_ratio": (3499, 225, 1193.457),
        "coreness": (2208, 198, 1838.462),
        "component": (225, 225, 225),
    },
    (1.0, 0.5, "test"): {
        "density": (7276, 228, 5711.845),
        "cut_ratio": (4288, 250, 1439.599),
        "coreness": (2507, 221, 2052.466),
        "component": (250, 250, 250),
    },
    (2.0, 2.0, "train"): {
        "density": (1761, 143, 879.682),
        "cut_ratio": (316, 200, 219.267),
        "coreness": (932, 176, 530.712),
        "component": (170, 170, 125.898),
    },
    (2.0, 2.0, "test"): {
        "density": (2644, 174, 1251.860),
        "cut_ratio": (436, 250, 278.689),
        "coreness": (1209, 221, 682.173),
        "component": (210, 210, 147.715),
    },
    (3.0, 1.0, "test"): {
        "density": (1039, 139, 744.924),
        "cut_ratio": (252, 250, 251.298),
        "coreness": (645, 221, 425.311),
        "component": (124, 124, 124),
    },
}


@pytest.mark.parametrize("name", RAW)
@pytest.mark.parametrize(("a", "delta", "stage"), CUT)
def test_normalised_weights(data: Path, name: str, a: float, delta: float, stage: str) -> None:
    task = s2n.load_task(data / name)
    for graph in (s2n.translate(task), s2n.translate(task, cut=a)):
        result = graph.normalize(a, delta).stage(stage)  # type: ignore[arg-type]
        entries, diagonal, total = CUT[a, delta, stage][name]
        assert result.nnz == entries
        assert (result.diagonal() > 0).sum() == diagonal
        assert result.sum(dtype=float) == pytest.approx(total, abs=6e-4)


@given(tasks(), st.data())
def test_attaching_equals_translating_all(task: SubgraphTask, data: st.DataObject) -> None:
    task = replace(task, split=None, labels=None, class_names=())
    lists = data.draw(node_sets(task.graph.num_nodes))
    fresh = Subgraphs.from_lists(lists)
    both = Subgraphs.from_pairs(
        np.concatenate([task.subgraphs.owner, fresh.owner + len(task)]),
        np.concatenate([task.subgraphs.nodes, fresh.nodes]),
        len(task) + len(fresh),
        weights=None
        if task.subgraphs.weights is None
        else np.concatenate([task.subgraphs.weights, np.ones(len(fresh.nodes))]),
    )
    known = s2n.translate(task)
    rows = known.attach(fresh)
    whole = s2n.translate(
        SubgraphTask(task.graph, both, split=Split.sizes(train=len(task), test=len(fresh)))
    )
    expected = whole.weights.toarray()[len(task) :]
    assert np.array_equal(rows.known.toarray(), expected[:, : len(task)])
    assert np.array_equal(rows.new.toarray(), expected[:, len(task) :])
    if known.statistics.entries > 1 and known.statistics.std > 0:
        scaled = rows.normalize(0.5, 1.0)
        scored = whole.normalize(0.5, 1.0).weights.toarray()[len(task) :]
        assert np.array_equal(scaled.known.toarray(), scored[:, : len(task)])
        assert np.array_equal(scaled.new.toarray(), scored[:, len(task) :])


@given(tasks(), st.sampled_from([-0.2, 0.0, 0.7, 2.0]), st.sampled_from([0.3, 1.0, 5.0]))
def test_normalised_weights_follow_the_formula(task: SubgraphTask, a: float, delta: float) -> None:
    graph = s2n.translate(replace(task, split=None))
    numbers = graph.statistics
    assume(numbers.entries > 1 and numbers.std > 0)
    if -numbers.mean / numbers.std > a:
        with pytest.raises(ConfigError, match="would keep pairs without any edge"):
            graph.normalize(a, delta)
        return
    scores = (graph.weights.toarray() - numbers.mean) / numbers.std
    expected = np.clip((scores - a) / delta, 0, 1)
    result = graph.normalize(a, delta)
    assert result.weights.toarray() == pytest.approx(expected, abs=1e-6)
    assert (result.weights.data > 0).all()
    assert (result.weights.data <= 1).all()
    with pytest.raises(ConfigError, match="normalised already"):
        result.normalize(a, delta)


def small_task(**changes: object) -> SubgraphTask:
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
    sets = Subgraphs.from_lists([[0, 1], [1, 2], [3]])
    return SubgraphTask(graph, sets, **changes)  # type: ignore[arg-type]


def bipartite(side: int) -> Graph:
    low, high = np.divmod(np.arange(side * side), side)
    edges = Edges(low, side + high, None, np.empty(0, np.int64), None, 0)
    return Graph.from_undirected(edges, num_nodes=2 * side)


@pytest.mark.parametrize("more", [0, 1])
def test_counts_beyond_float32_stay_exact(monkeypatch, more) -> None:
    """A bound as large as the limit is too large, one below it is not; attaching the same."""
    assert s2n_graph.EXACT == 2**24
    assert int(np.float32(2**24)) + 1 != int(np.float32(2**24 + 1))  # the first that it cannot hold
    side = 31
    for module in ("s2n_graph", "translate"):  # a graph of so many edges would take ten seconds
        place = import_module(f"sub2node.translation.{module}")
        monkeypatch.setattr(place, "EXACT", side * (side + 1) + more)
    graph, dtype = bipartite(side), (np.float64, np.float32)[more]
    halves = Subgraphs.from_lists([range(side), range(side, 2 * side)])
    weights = s2n.translate(SubgraphTask(graph, halves)).weights
    assert (weights[0, 1], weights.dtype) == (side * side, dtype)
    small = s2n.translate(SubgraphTask(graph, Subgraphs.from_lists([[0], [1], [side]])))
    assert small.weights.dtype == np.float32
    attached = small.attach(halves)
    assert (attached.new[0, 1], attached.new.dtype) == (side * side, dtype)
    assert small.attach(Subgraphs.from_lists([[0]])).known.dtype == np.float32


def test_attached_rows_follow_the_translation() -> None:
    task = s2n.datasets.generate("density", subgraphs=30)
    fresh = task.subgraphs.take(np.array([3]))
    least = s2n.translate(task, min_weight=40.0).attach(fresh)
    whole = s2n.translate(task).weights[[3]].toarray()
    assert np.array_equal(least.known.toarray()[0], np.where(whole >= 40, whole, 0)[0][:24])
    rows = s2n.translate(task).attach(fresh).normalize(1, 1)
    with pytest.raises(ConfigError, match="normalised already"):
        rows.normalize(1, 1)
    with pytest.raises(ConfigError, match="attach takes Subgraphs"):
        s2n.translate(task).attach([[0, 1]])  # type: ignore[arg-type]
    for a, delta, message in (
        (float("nan"), 1, "^a, the score that becomes 0, is a number; found nan"),
        ("1", 1, "^a, the score that becomes 0, is a number; found '1'"),
        (1, float("inf"), "^delta, .* is positive; found inf"),
        (1, -1, "^delta, .* is positive; found -1"),
        (1, None, "^delta, .* is positive; found None"),
    ):
        with pytest.raises(ConfigError, match=message):
            s2n.translate(task).normalize(a, delta)  # type: ignore[arg-type]


def test_bad_attachments() -> None:
    graph = s2n.translate(small_task())
    with pytest.raises(DataError, match="has node 9; the graph has nodes 0…3"):
        graph.attach(Subgraphs.from_lists([[9]]))
    with pytest.raises(DataError, match="new subgraph 1 is empty"):
        graph.attach(Subgraphs.from_lists([[0], []]))
    assert graph.attach(Subgraphs.from_lists([])).known.shape == (0, 3)


def test_stages_are_leading_blocks() -> None:
    graph = s2n.translate(small_task(split=Split.given(["train", "val", "test"])))
    for stage, size in (("train", 1), ("val", 2), ("test", 3)):
        result = graph.stage(stage)  # type: ignore[arg-type]
        assert np.array_equal(result.toarray(), graph.weights.toarray()[:size, :size])
    assert repr(graph) == "S2NGraph(3 nodes, 3 edges, raw, Split(1 train, 1 val, 1 test))"
