"""W against its definition, on random graphs, for every way to make it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import sub2node as s2n
from dense_translation import block_of, dense_membership
from strategies import graphs, signed_tasks, tasks
from sub2node import ConfigError, DataError, Graph, Split, Subgraphs, SubgraphTask
from sub2node.translation import product
from sub2node.translation.memory_limits import MemoryLimitError
from sub2node.translation.stage_inputs import weight_sums


def dense_operator(graph: Graph, *, self_loops: bool) -> np.ndarray:
    """A + I with the loops that the graph has kept once; or A as it is."""
    matrix = graph.adjacency(loops=True, dtype=np.float64).toarray()
    if self_loops:
        missing = matrix.diagonal() == 0
        matrix[missing, missing] = 1
    return matrix


def double_sum(task: SubgraphTask, operator: np.ndarray) -> np.ndarray:
    """Equation 2 of the paper, as it is written: a sum over pairs of members."""
    members = dense_membership(task)
    result = np.zeros((len(task), len(task)))
    for i, left in enumerate(members):
        for j, right in enumerate(members):
            for u in np.flatnonzero(left):
                for v in np.flatnonzero(right):
                    result[i, j] += left[u] * right[v] * operator[u, v]
    return result


@pytest.mark.slow
@given(task=signed_tasks(), te=st.sampled_from(["edges", "shared_nodes", "shortest_path"]))
def test_excluded_nodes_add_a_translation_of_their_own(task: SubgraphTask, te: str) -> None:
    assume(task.excluded is not None)
    task = replace(task, split=None, labels=None, class_names=())
    first = len(task) - len(task) // 2
    graph = s2n.translate(task, te=te)
    plain = s2n.translate(task.without_excluded(), te=te)
    # The definition: the global graph twice, and excluded nodes as members of the second copy.
    whole = graph.weights.toarray()
    if te != "shortest_path":
        operator = dense_operator(task.graph, self_loops=True)
        operator = np.eye(len(operator)) if te == "shared_nodes" else operator
        absent = task.excluded.membership(len(operator), np.float64).toarray()
        assert whole == pytest.approx(plain.weights.toarray() + absent @ operator @ absent.T)
    else:
        assert (whole >= plain.weights.toarray()).all()
    known = s2n.translate(task.subset(np.arange(first)), te=te)
    if known.source.signed:
        rows = known.attach(task.subgraphs.take(np.arange(first, len(task))))
        assert rows.known.toarray() == pytest.approx(whole[first:, :first])
        assert rows.new.toarray() == pytest.approx(whole[first:, first:])
    if te == "edges":
        assert weight_sums(task, len(task)) == pytest.approx(whole.sum(axis=1))


def test_an_engine_refuses_excluded_nodes(tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    sets = replace(Subgraphs.from_lists([[0], [1]]), excluded=Subgraphs.from_lists([[2], []]))
    task = SubgraphTask(graph, sets)
    for given_task in (task, s2n.save_task(task, tmp_path / "task")):
        with pytest.raises(DataError, match="not excluded nodes; use engine='memory'"):
            s2n.translate(given_task, engine="duckdb")


@pytest.mark.slow
@given(task=tasks(), self_loops=st.booleans())
@pytest.mark.parametrize("rows", [1, 2, 100])
@pytest.mark.parametrize("fill", [0.0, 1.0])
def test_equals_the_double_sum(
    task: SubgraphTask, self_loops: bool, rows: int, fill: float
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(product, "blocks", block_of(rows))
        patch.setattr(
            "sub2node.translation.edge_weights._DENSE_FILL", fill
        )  # all dense, all sparse
        if task.split is not None and not task.split.visible("train"):
            task = replace(task, split=None)
        graph = s2n.translate(task, self_loops=self_loops)
    expected = double_sum(task, dense_operator(task.graph, self_loops=self_loops))
    assert np.array_equal(graph.weights.toarray(), expected)
    assert (graph.weights.data != 0).all()
    train = graph.split.visible("train")
    block = expected[:train, :train]
    assert graph.statistics.mean == pytest.approx(block.mean())
    if block.size > 1:
        assert graph.statistics.std == pytest.approx(block.std(ddof=1))


@given(tasks(), st.permutations(range(12)))
def test_order_of_nodes_does_not_matter(task: SubgraphTask, order: list[int]) -> None:
    size = task.graph.num_nodes
    place = np.array([p for p in order if p < size])
    low, high, weights = task.graph.edges()
    ends = [np.concatenate([e, task.graph.loops]) for e in (low, high)]
    if weights is not None and task.graph.loop_weights is not None:
        weights = np.concatenate([weights, task.graph.loop_weights])
    moved = Graph.from_edges(place[ends[0]], place[ends[1]], weights=weights, num_nodes=size)
    sets = Subgraphs.from_pairs(
        task.subgraphs.owner,
        place[task.subgraphs.nodes],
        len(task),
        weights=task.subgraphs.weights,
    )
    one = s2n.translate(SubgraphTask(task.graph, task.subgraphs))
    two = s2n.translate(SubgraphTask(moved, sets))
    assert np.array_equal(one.weights.toarray(), two.weights.toarray())


@given(graphs(edges=1, plain=True))
def test_a_partition_conserves_the_weight(graph: Graph) -> None:
    parts = Subgraphs.from_lists([range(0, graph.num_nodes, 2), range(1, graph.num_nodes, 2)])
    translated = s2n.translate(SubgraphTask(graph, parts), self_loops=False)
    assert translated.weights.sum() == graph.adjacency(loops=True).sum()


@pytest.mark.slow
@given(tasks(), st.data())
def test_later_subgraphs_leave_the_train_block_alone(
    task: SubgraphTask, data: st.DataObject
) -> None:
    assume(task.split is not None and task.split.count("train"))
    whole = s2n.translate(task)
    train = s2n.translate(task.subset(task.split.mask("train")))
    assert np.array_equal(whole.stage("train").toarray(), train.weights.toarray())
    assert whole.statistics == train.statistics


def small_task(**changes: object) -> SubgraphTask:
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
    sets = Subgraphs.from_lists([[0, 1], [1, 2], [3]])
    return SubgraphTask(graph, sets, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"te": "edge"}, ConfigError, "Did you mean 'edges'"),
        ({"te": 7}, ConfigError, "must be a name, a sparse matrix or a function"),
        ({"te": sp.eye_array(3)}, DataError, r"shape \(3, 3\), expected \(4, 4\)"),
        ({"te": sp.csr_array(np.triu(np.ones((4, 4))))}, DataError, "must be symmetric"),
        ({"te": sp.csr_array(-np.eye(4))}, DataError, "negative"),
        (
            {"te": "shortest_path", "max_distance": -1},
            ConfigError,
            "max_distance must be a whole number from 0",
        ),
        ({"max_distance": 1.5}, ConfigError, "max_distance must be a whole number from 0"),
        ({"top_k": True}, ConfigError, "top_k must be a whole number from 1"),
        ({"cut": "1"}, ConfigError, "cut must be a number"),
        ({"self_loops": "no"}, ConfigError, "self_loops is True or False"),
        ({"te": "shared_nodes", "self_loops": False}, ConfigError, "self_loops is for T_e"),
        ({"memory": 2e9}, ConfigError, "looks like 2GB"),
        ({"memory": "infGB"}, ConfigError, "positive"),
        ({"engine": None}, ConfigError, "no engine None"),
        ({"spill": "x"}, ConfigError, "are for the engines"),
        ({"engine": "duckdb", "spill": "/none/such"}, ConfigError, "no folder /none/such to spill"),
        ({"cut": -9.0}, ConfigError, "would keep pairs without any edge"),
        ({"cut": float("nan")}, ConfigError, "cut must be a number"),
        ({"top_k": 0}, ConfigError, "top_k must be a whole number from 1"),
        ({"min_weight": -1.0}, ConfigError, "min_weight must be a number of 0 or more"),
        ({"memory": "2 apples"}, ConfigError, "looks like 2GB"),
        ({"memory": "-2GB"}, ConfigError, "positive"),
        ({"memory": 0}, ConfigError, "positive"),
        ({"engine": "duckdbb"}, ConfigError, "Did you mean 'duckdb'"),
        ({"engine": "duckdb", "te": "shared_nodes"}, ConfigError, "knows only T_e 'edges'"),
        ({"memory": 10, "min_weight": 0.0}, MemoryLimitError, "engine='duckdb'"),
    ],
)
def test_bad_settings(settings: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        s2n.translate(small_task(), **settings)  # type: ignore[arg-type]


def test_bad_stages_and_spreads() -> None:
    with pytest.raises(DataError, match="the train stage is empty"):
        s2n.translate(small_task(split=Split.given(["val", "val", "test"])))
    one = s2n.translate(small_task().subset([0]))
    assert one.weights.toarray().tolist() == [[4]]
    with pytest.raises(DataError, match="two are needed"):
        one.normalize(1, 1)
    same = SubgraphTask(Graph.from_edges([0], [1]), Subgraphs.from_lists([[0, 1], [0, 1]]))
    with pytest.raises(DataError, match="all weights between training subgraphs are 4"):
        s2n.translate(same).normalize(1, 1)
    with pytest.raises(DataError, match="all weights between training subgraphs are 4"):
        s2n.translate(same, cut=1.0)
    with pytest.raises(ConfigError, match="delta, the width"):
        s2n.translate(small_task()).normalize(1, 0)
    with pytest.raises(ConfigError, match="translate with a lower cut"):
        s2n.translate(small_task(), cut=1.0).normalize(0.5, 1)
    with pytest.raises(ConfigError, match="takes a task"):
        s2n.translate("folder")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="a part is one of"):
        s2n.translate(small_task()).stage("dev")  # type: ignore[arg-type]


def test_the_part_and_the_function_share_a_name() -> None:
    import sub2node.translation as part

    assert part.S2NGraph is s2n.S2NGraph
    assert s2n.translate(small_task()).weights.shape == (3, 3)


# Non-zeros of raw W, its sum, the sum without self-loops, mean and std of the train block.
RAW = {
    "density": (62_160, 1_032_476, 984_082, 16.68975, 14.85292),
    "cut_ratio": (59_870, 482_456, 472_266, 8.17100, 28.45550),
    "coreness": (25_525, 174_208, 169_788, 4.00833, 10.18352),
    "component": (710, 187_908, 171_648, 4.04960, 73.28838),
}


@pytest.mark.parametrize("name", RAW)
def test_raw_weights(data: Path, name: str) -> None:
    entries, total, without, mean, std = RAW[name]
    task = s2n.load_task(data / name)
    graph = s2n.translate(task)
    assert graph.weights.nnz == entries
    assert graph.weights.sum(dtype=float) == total
    assert s2n.translate(task, self_loops=False).weights.sum(dtype=float) == without
    assert round(graph.statistics.mean, 5) == mean
    assert round(graph.statistics.std, 5) == std
