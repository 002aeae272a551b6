"""Frames and lists as people really have them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sub2node import (
    ConfigError,
    DataError,
    Graph,
    Split,
    Subgraphs,
    SubgraphTask,
    load_task,
    save_task,
)
from sub2node.io import read_task, task_from_graph

EDGES = {"source": ["a", "b", "c"], "target": ["b", "c", "d"]}
MEMBERS = {"subgraph_id": ["s", "s", "t"], "node_id": ["a", "b", "c"]}
make = SubgraphTask.from_tables


def _polars_categories(frame: dict[str, list[str]]) -> object:
    pl = pytest.importorskip("polars")
    return pl.DataFrame(frame).with_columns(pl.all().cast(pl.Categorical))


def test_a_pandas_index_is_no_feature() -> None:
    nodes = pd.DataFrame({"node_id": list("aqbcd"), "f": [9.0, 1, 2, 3, 4]})
    task = make(EDGES, MEMBERS, nodes=nodes[nodes.node_id != "q"])
    assert task.graph.features is not None
    assert task.graph.features.tolist() == [[9], [2], [3], [4]]


@pytest.mark.parametrize(
    "convert",
    [
        _polars_categories,
        lambda frame: pd.DataFrame(frame).astype("category"),
        lambda frame: pd.DataFrame(frame).astype("string[pyarrow]"),
        lambda frame: pa.table(frame).cast(
            pa.schema([(name, pa.dictionary(pa.int32(), pa.string())) for name in frame])
        ),
    ],
)
def test_categories_are_text(convert: object) -> None:
    assert make(convert(EDGES), convert(MEMBERS)) == make(EDGES, MEMBERS)  # type: ignore[operator]


def test_ids_that_mix_numbers_and_text() -> None:
    edges = pd.DataFrame({"source": [0, "a", 2], "target": ["a", 2, "b"]}, dtype=object)
    members = {"subgraph_id": ["s", "t"], "node_id": ["a", "2"]}
    task = make(edges, members)
    assert list(task.graph.names or ()) == ["0", "2", "a", "b"]


def test_nullable_integers_and_floats() -> None:
    edges = pd.DataFrame({"source": pd.array([0, 1], "Int64"), "target": [1.0, 2.0]})
    members = pd.DataFrame({"subgraph_id": [0, 1], "node_id": pd.array([0, None], "Int64")})
    with pytest.raises(DataError, match="members column 'node_id' is missing in row 2"):
        make(edges, members)
    assert make(edges, {"subgraph_id": [0], "node_id": [2]}).graph.names is None


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ([[1.0, 2.0]] * 4, [[1, 2]] * 4),
        ([True, False, True, True], [[1], [0], [1], [1]]),
        ([Decimal("1.5")] * 4, [[1.5]] * 4),
        (np.arange(4), [[0], [1], [2], [3]]),
    ],
)
def test_every_kind_of_number_is_a_feature(column: object, expected: list[list[float]]) -> None:
    task = make(EDGES, MEMBERS, nodes={"node_id": list("abcd"), "f": column})
    assert task.graph.features is not None
    assert task.graph.features.tolist() == expected


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([[1.0], [1.0, 2.0], [1.0], [1.0]], "differ in length"),
        ([[], [], [], []], "differ in length"),
        ([[1.0], None, [1.0], [1.0]], "the feature 'f' of row 2 is missing"),
        ([[1.0], [None], [1.0], [1.0]], "the feature 'f' of row 2 is missing"),
        ([1.0, 2.0, None, 1.0], "the feature 'f' of row 3 is missing"),
    ],
)
def test_bad_features(column: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        make(EDGES, MEMBERS, nodes={"node_id": list("abcd"), "f": column})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"label": "diagnosis"}, "no table has the column 'diagnosis'"),
        ({"sorce": "x"}, "Did you mean 'source'"),
    ],
)
def test_mappings_are_checked(columns: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make(EDGES, MEMBERS, columns=columns)


@pytest.mark.parametrize(
    ("edges", "members", "message"),
    [
        (
            {**EDGES, "weight": pd.to_datetime(["2020-01-01"] * 3)},
            MEMBERS,
            "weights must be numbers",
        ),
        ({**EDGES, "weight": [[1.0]] * 3}, MEMBERS, "weights must be numbers"),
        ({**EDGES, "weight": [0.0, 1, 1]}, MEMBERS, "edge 1 has weight 0"),
        (
            {"source": ["a", "a"], "target": ["b", "b"], "weight": [1, 2]},
            MEMBERS,
            "the edge a-b is",
        ),
        ({"source": np.array([2**63], np.uint64), "target": [0]}, MEMBERS, r"above 2\^63"),
        ({"source": [2**70], "target": [0]}, MEMBERS, "edges: expected a data frame"),
        ({"source": [1e300], "target": [0.0]}, MEMBERS, "ids are integers or text"),
        (EDGES, {**MEMBERS, "weight": [1.0, -1, 1]}, "node 'b' with a weight that is not above 0"),
        (
            EDGES,
            {"subgraph_id": ["s", "s"], "node_id": ["a", "a"], "weight": [1, 2]},
            "node 'a' with two different weights",
        ),
        (pa.table([[1], [2], [3]], names=["source", "target", "target"]), MEMBERS, "two columns"),
    ],
)
def test_bad_columns(edges: object, members: object, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        make(edges, members)
    assert "\n" not in str(caught.value)


def test_weights_below_one_and_edges_of_subgraphs() -> None:
    edges = {"source": [0, 1], "target": [1, 2], "weight": [0.5, 256]}
    own = {"subgraph_id": [0], "source": [0], "target": [1]}
    task = make(edges, {"subgraph_id": [0, 0], "node_id": [0, 1]}, subgraph_edges=own)
    assert task.internal_edges()[1].tolist() == [[0], [1]]
    with pytest.raises(DataError, match="node '0' is joined to itself"):
        make(edges, {"subgraph_id": [0], "node_id": [0]}, subgraph_edges={**own, "target": [0]})


def test_dropped_nodes_take_their_edges_and_classes_along() -> None:
    members = {"subgraph_id": ["s", "s", "t", "u"], "node_id": ["a", "b", "zz", "c"]}
    labels = {"subgraph_id": ["s", "t", "u"], "label": ["x", "only here", "x"]}
    own = {"subgraph_id": ["s", "t"], "source": ["a", "zz"], "target": ["b", "a"]}
    task = make(EDGES, members, labels, subgraph_edges=own, unknown_nodes="drop")
    assert task.class_names == ("x",)
    assert "1 edge of subgraphs with unknown ends dropped." in task.notes
    with pytest.raises(DataError, match="which is not in the graph"):
        make(EDGES, members, labels, subgraph_edges=own)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", None], "the label of row 2 is missing"),
        (["a", float("nan")], "the label of row 2 is missing"),
        (np.array([[1, 0], [0, 1]]), "0/1 table"),
    ],
)
def test_labels_in_lists_that_are_none(labels: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        task_from_graph(nx.path_graph(4), [[0, 1], [2]], labels)  # type: ignore[arg-type]


def test_labels_in_lists_mean_what_they_say() -> None:
    path = nx.path_graph(4)
    assert task_from_graph(path, [[0], [2]], [["a"], "bc"]).class_names == ("a", "bc")
    assert task_from_graph(path, [[0], [2]], [1.0, 2.0]).class_names == ("1", "2")
    assert len(task_from_graph(path, (nodes for nodes in ([0], [1])))) == 2  # type: ignore[arg-type]
    with pytest.raises(DataError, match="the same name once it is text"):
        task_from_graph(path, {1: [0], "1": [1]})
    directed = nx.DiGraph()
    directed.add_weighted_edges_from([("u", "v", 1), ("v", "u", 2)])
    with pytest.raises(DataError, match="repeated='sum'"):
        task_from_graph(directed, [["u"]])
    assert task_from_graph(directed, [["u"]], repeated="sum").graph.weights is not None


def test_frozen_arrays_do_not_change_under_us() -> None:
    frame = pd.DataFrame({"n": np.arange(4, dtype=np.int32)})
    sets = Subgraphs(np.array([0, 2, 4]), frame["n"].to_numpy())
    frame.iloc[0, 0] = 1
    assert sets.nodes.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: Subgraphs.from_lists([[0.5, 1.7]]),
        lambda: Subgraphs.from_lists([["a"]]),  # type: ignore[list-item]
        lambda: SubgraphTask(TASK.graph, TASK.subgraphs, labels=[0.5, 1.7]),  # type: ignore[arg-type]
        lambda: SubgraphTask(TASK.graph, TASK.subgraphs, labels=["a", "b"]),  # type: ignore[arg-type]
        lambda: SubgraphTask(
            TASK.graph, TASK.subgraphs, labels=np.array([0, 1]), class_names=("a", "a")
        ),
        lambda: TASK.subset([1.7]),  # type: ignore[list-item]
        lambda: TASK.subset(1),  # type: ignore[arg-type]
        lambda: TASK.subset([[0], [1]]),  # type: ignore[list-item]
        lambda: Split([0.5, 0]),  # type: ignore[arg-type]
        lambda: Split.given(["train", None]),  # type: ignore[list-item]
        lambda: Split.given([0, 1]),  # type: ignore[list-item]
        lambda: Split.given(["train"]).per_class(np.array([0, 1]), 1),
        lambda: Graph(np.array([0, 1, 2]), np.array([2**32 + 1, 2**32])),
        lambda: Graph.from_edges([0], [1], features=[["x"], ["y"]]),
        lambda: Graph.from_edges([0], [1], features=[[], []]),
    ],
)
def test_nothing_is_rounded_or_guessed(attempt: object) -> None:
    with pytest.raises(DataError):
        attempt()  # type: ignore[operator]


TASK = make(EDGES, MEMBERS)


def test_settings_that_cannot_be() -> None:
    for attempt in (
        lambda: Split.random(count=4, seed=-1),
        lambda: Split.random(count=-3),
        lambda: Split.random(count=3, fractions=(float("nan"), 0.5, 0.5)),
        lambda: load_task("generate:density,seed=²"),
        lambda: load_task("generate:density", swap=True),
        lambda: load_task("generate:density,size=1500"),
    ):
        with pytest.raises(ConfigError):
            attempt()
    assert Split.random([0, 1, 0, 1]).count("train") > 0  # type: ignore[arg-type]
    assert Graph.from_edges([0], [1], names=["a", "b"]).names is not None  # type: ignore[arg-type]


def test_whatever_can_be_made_can_be_read_back(tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 2], weights=[0.5, 1, 2])
    plain = Graph(graph.indptr, graph.indices, weights=graph.weights)  # loop weights left away
    sets = Subgraphs.from_lists([[0], [1], [2]])
    some = (
        SubgraphTask(plain, sets),
        SubgraphTask(graph, sets, labels=[0, -1, 1], split=Split.sizes(train=1, virtual=1, val=1)),
        SubgraphTask(graph, sets, labels=np.array([[True, False], [False, False], [True, True]])),
        SubgraphTask(graph, sets, labels=[0, 1, 1], split=Split.given(["val", "test", "train"])),
        SubgraphTask(graph, sets, labels=[1, 1, 1], class_names=("10", "9")),
        SubgraphTask(graph, sets).subset([]),
        SubgraphTask(Graph.from_edges([], [], num_nodes=3), sets),
    )
    for number, task in enumerate(some):
        assert read_task(save_task(task, tmp_path / str(number))) == task


def test_many_classes_need_no_square_table() -> None:
    count = 20_000
    task = make(
        {"source": np.arange(count - 1), "target": np.arange(1, count)},
        {"subgraph_id": np.arange(count), "node_id": np.arange(count)},
        {"subgraph_id": np.arange(count), "label": np.arange(count)},
    )
    assert task.num_classes == count
    assert len(task.label_lists()) == count


def test_gzipped_sets_in_a_folder(tables: Path) -> None:
    import gzip

    expected = read_task(tables)
    rows = {"s1": "ab", "s2": "cd", "s3": "a", "s4": "c"}
    text = "".join(f"{name}\t\t" + "\t".join(nodes) + "\n" for name, nodes in rows.items())
    (tables / "members.csv").unlink()
    (tables / "sets.gmt.gz").write_bytes(gzip.compress(text.encode()))
    assert read_task(tables) == expected


def test_splits_of_jsonl_join_a_labels_table(tables: Path, tmp_path: Path) -> None:
    sets = tmp_path / "more" / "sets.jsonl"
    sets.parent.mkdir()
    sets.write_text(
        '{"id": "s", "nodes": ["a"], "split": "train"}\n'
        '{"id": "t", "nodes": ["b"], "split": "val"}\n'
    )
    labels = sets.parent / "labels.csv"
    labels.write_text("subgraph_id,label\nt,x\ns,x\n")
    task = read_task(sets, graph=tables / "edges.csv", labels=labels)
    assert task.split is not None
    assert task.split.words() == ["train", "val"]


@pytest.mark.parametrize(
    "line",
    [
        '{"nodes": [true, 0]}',
        '{"nodes": [1180591620717411303424]}',
        '{"nodes": ["a"], "weights": 5}',
        '{"nodes": ["a"], "weights": ["x"]}',
        '{"nodes": ["a"], "weights": [1]}',  # the line before has none
        "[" * 100_000,
        '{"nodes": ["a"], "id": "\\ud800"}',
        '{"nodes": ["a"], "label": [{"q": 1}]}',
    ],
)
def test_jsonl_that_cannot_be(tables: Path, line: str) -> None:
    (tables / "members.csv").unlink()
    (tables / "labels.csv").unlink()
    (tables / "subgraphs.jsonl").write_text('{"nodes": ["a"]}\n' + line + "\n")
    with pytest.raises(DataError, match=r"subgraphs\.jsonl"):
        read_task(tables)


def test_headers_with_spaces_and_nothing_below(tables: Path) -> None:
    expected = read_task(tables)
    text = (tables / "edges.csv").read_text()
    (tables / "edges.csv").write_text(text.replace("source,target", "source, target"))
    assert read_task(tables) == expected
    (tables / "edges.csv").write_text("\n\n" + text)
    assert read_task(tables) == expected
    (tables / "edges.csv").write_text("source,target")
    with pytest.raises(DataError, match="no edges"):
        read_task(tables)
    (tables / "edges.csv").write_text("source,target,target\na,b,c\n")
    with pytest.raises(DataError, match="two columns called 'target'"):
        read_task(tables)


def test_huge_ids_in_an_edge_list(small: Path) -> None:
    for text, message in (
        ("0 1\n0 2000000000\n", "ids count from 0"),
        ("0 99999999999999999999999\n", "expected a node id"),
    ):
        (small / "edge_list.txt").write_text(text)
        with pytest.raises(DataError, match=message):
            read_task(small)


def test_cards_of_other_shapes(tables: Path, tmp_path: Path) -> None:
    import json

    out = save_task(read_task(tables), tmp_path / "out")
    card = json.loads((out / "task.json").read_text())
    for value in (5, [1, 2]):
        (out / "task.json").write_text(json.dumps({**card, "class_names": value}))
        with pytest.raises(DataError, match="'class_names' must be a list of text"):
            read_task(out)
