"""W against its definition, on random graphs, for every way to make it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import sub2node as s2n
from strategies import graphs, node_sets, tasks
from sub2node import ConfigError, DataError, Graph, Split, Subgraphs, SubgraphTask
from sub2node.translation import memory_limits as limits
from sub2node.translation import product
from sub2node.translation.memory_limits import MemoryLimitError, parse_memory


def dense_operator(graph: Graph, *, self_loops: bool) -> np.ndarray:
    """A + I with the loops that the graph has kept once; or A as it is."""
    matrix = graph.adjacency(loops=True, dtype=np.float64).toarray()
    if self_loops:
        missing = matrix.diagonal() == 0
        matrix[missing, missing] = 1
    return matrix


def dense_membership(task: SubgraphTask) -> np.ndarray:
    matrix = np.zeros((len(task), task.graph.num_nodes))
    for i in range(len(task)):
        part = slice(task.subgraphs.ptr[i], task.subgraphs.ptr[i + 1])
        weights = task.subgraphs.weights
        matrix[i, task.subgraphs.nodes[part]] = 1 if weights is None else weights[part]
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


def block_of(rows: int) -> object:
    """Work in blocks of about so many rows, whatever they need."""
    return lambda counts, _: (
        (start, min(start + rows, len(counts))) for start in range(0, len(counts), rows)
    )


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


@given(tasks())
def test_a_cut_that_overflows_its_room_goes_twice(task: SubgraphTask) -> None:
    task = replace(task, split=None)
    whole = s2n.translate(task)
    if whole.statistics.entries < 2 or whole.statistics.std == 0:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(product, "blocks", block_of(1))
        patch.setattr(limits, "SCRATCH", 1)
        cut = s2n.translate(task, cut=0.0)
    bound = whole.statistics.weight_at(0.0)
    dense = whole.weights.toarray()
    assert np.array_equal(cut.weights.toarray(), np.where(dense > bound, dense, 0))


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


@given(tasks(), st.data())
def test_later_subgraphs_leave_the_train_block_alone(
    task: SubgraphTask, data: st.DataObject
) -> None:
    if task.split is None or not task.split.count("train"):
        return
    whole = s2n.translate(task)
    train = s2n.translate(task.subset(task.split.mask("train")))
    assert np.array_equal(whole.stage("train").toarray(), train.weights.toarray())
    assert whole.statistics == train.statistics


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
    if numbers.entries < 2 or numbers.std == 0:
        return
    if -numbers.mean / numbers.std > a:
        with pytest.raises(ConfigError, match="would keep pairs without any edge"):
            graph.normalize(a, delta)
        return
    scores = (graph.weights.toarray() - numbers.mean) / numbers.std
    expected = np.clip((scores - a) / delta, 0, 1)
    found = graph.normalize(a, delta)
    assert found.weights.toarray() == pytest.approx(expected, abs=1e-6)
    assert (found.weights.data > 0).all()
    assert (found.weights.data <= 1).all()
    with pytest.raises(ConfigError, match="normalised already"):
        found.normalize(a, delta)


@given(tasks(), st.integers(0, 3))
def test_shortest_paths_equal_a_search(task: SubgraphTask, limit: int) -> None:
    from scipy.sparse.csgraph import shortest_path

    task = replace(task, split=None)
    hops = shortest_path(task.graph.adjacency(), unweighted=True)
    members = dense_membership(task) > 0
    expected = np.zeros((len(task), len(task)))
    for i, left in enumerate(members):
        for j, right in enumerate(members):
            closest = hops[np.ix_(left, right)].min()
            expected[i, j] = 1 / (1 + closest) if closest <= limit else 0
    found = s2n.translate(task, te="shortest_path", max_distance=limit)
    assert found.weights.toarray() == pytest.approx(expected)


@given(tasks())
def test_shared_nodes_and_own_operators(task: SubgraphTask) -> None:
    task = replace(task, split=None)
    members = dense_membership(task)
    shared = s2n.translate(task, te="shared_nodes")
    assert shared.weights.toarray() == pytest.approx(members @ members.T)
    square = task.graph.adjacency(dtype=np.float64)
    square = (square @ square).tocsr()  # walks of two steps
    expected = members @ square.toarray() @ members.T
    for operator in (square, lambda graph: square):
        found = s2n.translate(task, te=operator)
        assert found.weights.toarray() == pytest.approx(expected)
        assert found.settings.te == "operator"


def small_task(**changes: object) -> SubgraphTask:
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
    sets = Subgraphs.from_lists([[0, 1], [1, 2], [3]])
    return SubgraphTask(graph, sets, **changes)  # type: ignore[arg-type]


def bipartite(side: int) -> Graph:
    a, b = np.divmod(np.arange(side * side), side)
    return Graph.from_edges(a, side + b)


def test_counts_beyond_float32_stay_exact() -> None:
    """4,101² = 16,818,201 is odd and above 2^24, so float32 cannot hold it; attaching the same."""
    side = 4_101
    graph = bipartite(side)
    halves = Subgraphs.from_lists([range(side), range(side, 2 * side)])
    assert s2n.translate(SubgraphTask(graph, halves)).weights[0, 1] == side * side
    small = s2n.translate(SubgraphTask(graph, Subgraphs.from_lists([[0], [1], [side]])))
    assert small.weights.dtype == np.float32
    assert small.attach(halves).new[0, 1] == side * side
    assert small.attach(Subgraphs.from_lists([[0]])).known.dtype == np.float32


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


@given(st.integers(2, 6), st.floats(0.01, 10), st.integers(2, 6))
def test_equal_fractions_have_no_spread(size: int, weight: float, count: int) -> None:
    a, b = np.triu_indices(size, 1)
    graph = Graph.from_edges(a, b, weights=np.full(len(a), weight))
    task = SubgraphTask(graph, Subgraphs.from_lists([range(size)] * count))
    with pytest.raises(DataError, match="all weights of the train block are"):
        s2n.translate(task, self_loops=False).normalize(0.5, 1)


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
    for a, delta in ((float("nan"), 1), (1, float("inf")), (1, -1), ("1", 1), (1, None)):
        with pytest.raises(ConfigError):
            s2n.translate(task).normalize(a, delta)  # type: ignore[arg-type]


def test_the_advised_cut_is_accepted() -> None:
    graph = s2n.translate(s2n.datasets.generate("density", subgraphs=30))
    with pytest.raises(ConfigError, match="or more") as caught:
        graph.normalize(-9, 1)
    advised = float(str(caught.value).split("use ")[1].split(" or more")[0])
    assert graph.normalize(advised, 1).weights.nnz


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
    with pytest.raises(DataError, match="all weights of the train block are 4"):
        s2n.translate(same).normalize(1, 1)
    with pytest.raises(DataError, match="all weights of the train block are 4"):
        s2n.translate(same, cut=1.0)
    with pytest.raises(ConfigError, match="delta, the width"):
        s2n.translate(small_task()).normalize(1, 0)
    with pytest.raises(ConfigError, match="translate with a lower cut"):
        s2n.translate(small_task(), cut=1.0).normalize(0.5, 1)
    with pytest.raises(ConfigError, match="takes a task"):
        s2n.translate("folder")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="a part is one of"):
        s2n.translate(small_task()).stage("dev")  # type: ignore[arg-type]


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
        found = graph.stage(stage)  # type: ignore[arg-type]
        assert np.array_equal(found.toarray(), graph.weights.toarray()[:size, :size])
    assert repr(graph) == "S2NGraph(3 nodes, 3 edges, raw, Split(1 train, 1 val, 1 test))"


def test_memory_is_read_as_written() -> None:
    assert parse_memory("2GB") == 2 * 10**9
    assert parse_memory("1.5mb") == 1_500_000
    assert parse_memory(12) == 12
    assert parse_memory(None) is None


def test_the_part_and_the_function_share_a_name() -> None:
    import sub2node.translation as part

    assert part.S2NGraph is s2n.S2NGraph
    assert s2n.translate(small_task()).weights.shape == (3, 3)
