"""Missing numbers of nodes: the median of the training members, and a column that says where."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sub2node import DataError, SubgraphTask, load_task, save_task
from sub2node.cli.data_arguments import DataArguments
from sub2node.scoring.arguments import build_query
from sub2node.scoring.node_index import NodeIndex
from sub2node.task.impute_features import is_same_graph

EDGES = {"source": list("abcd"), "target": list("bcde")}
MEMBERS = {"subgraph_id": list("sstu"), "node_id": list("abcd")}
LABELS = {"subgraph_id": list("stu"), "label": list("xyx"), "split": ["train", "train", "test"]}
NODES = {"node_id": list("abcde"), "age": [1.0, 4.0, 10.0, 1000.0, None], "n": [1, None, 3, 4, 5]}


def features(labels: object = LABELS, **options: str) -> SubgraphTask:
    return SubgraphTask.from_tables(
        EDGES, MEMBERS, labels, nodes=NODES, missing_features="impute", **options
    )


def test_the_median_is_that_of_training_members() -> None:
    task = features()
    assert task.graph.features.tolist() == [
        [1, 1, 0, 0], [4, 2, 0, 1], [10, 3, 0, 0], [1000, 4, 0, 0], [4, 5, 1, 0],
    ]  # fmt: skip
    assert "1 missing value of the feature 'age' set to the median of members" in task.notes[0]


def test_values_outside_of_train_do_not_count() -> None:
    changed = {**NODES, "age": [1.0, 4.0, 10.0, -5e6, None]}
    task = SubgraphTask.from_tables(
        EDGES, MEMBERS, LABELS, nodes=changed, missing_features="impute"
    )
    assert task.graph.features[4, 0] == features().graph.features[4, 0]


def test_without_a_split_the_graph_as_a_whole_counts() -> None:
    task = features({"subgraph_id": list("stu"), "label": list("xyx")})
    assert task.graph.features[4, 0] == np.median([1, 4, 10, 1000])
    assert "(of all nodes without a split)" in task.notes[0]


def test_by_default_they_are_an_error_with_all_rows() -> None:
    with pytest.raises(DataError, match="the feature 'n' of row 2 is missing or not finite"):
        SubgraphTask.from_tables(EDGES, MEMBERS, LABELS, nodes=NODES)
    nothing = {**NODES, "age": [None, None, None, 1.0, 2.0]}
    with pytest.raises(DataError, match="'age' has no number for members of training subgraphs"):
        SubgraphTask.from_tables(EDGES, MEMBERS, LABELS, nodes=nothing, missing_features="impute")


def test_medians_follow_the_split() -> None:
    plain = {"subgraph_id": list("stu"), "label": list("xyx")}
    task = features(plain)
    by_split = task.with_split({"s": "train", "t": "train", "u": "test"})
    assert by_split.graph == features().graph
    other = task.with_split({"s": "test", "t": "train", "u": "train"})
    assert other.graph.features[4, 0] == np.median([10, 1000])
    assert other.graph.features[1, 1] == np.median([3, 4])
    assert other.hash != by_split.hash
    assert task.graph.features[4, 0] == np.median([1, 4, 10, 1000])  # which is as it was


@pytest.mark.parametrize("option", [{"split_time": "when"}, {"split": "50/25/25"}])
def test_medians_follow_the_split_of_the_command_line(
    tmp_path: Path, option: dict[str, str]
) -> None:
    names = [f"n{i:02}" for i in range(12)]
    ages = [None if i == 5 else float(2**i) for i in range(12)]
    edges = {"source": names[:-1], "target": names[1:]}
    labels = {"subgraph_id": names, "label": ["x", "y"] * 6, "when": [*map(str, range(12))]}
    members = {"subgraph_id": names, "node_id": names}
    tables = {"edges": edges, "members": members, "labels": labels}
    tables["nodes"] = {"node_id": names, "age": ages}
    for name, columns in tables.items():
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    source = DataArguments(str(tmp_path), missing_features="impute", **option)
    task = source.load(quiet=True)
    train = task.subgraphs.nodes[task.split.mask("train")]
    assert 2 < len(train) < 12
    known = [ages[node] for node in train.tolist() if node != 5]
    assert task.graph.features[5, 0] == np.median(known)


def test_a_model_knows_the_graph_whatever_the_split(tmp_path: Path) -> None:
    task = features({"subgraph_id": list("stu"), "label": list("xyx")})
    other = task.with_split({"s": "test", "t": "train", "u": "train"})
    assert other.graph != task.graph
    assert is_same_graph(other.graph, task.graph)
    saved = load_task(save_task(other, tmp_path / "saved"))
    assert saved.with_split({"s": "train", "t": "train", "u": "test"}).graph == features().graph
    plain = load_task(save_task(other, tmp_path / "plain", format="csv"))
    assert not plain.graph.imputed
    assert is_same_graph(plain.graph, task.graph)
    assert is_same_graph(saved.graph, task.graph)
    assert is_same_graph(task.graph, saved.graph)
    changed = task.graph.with_features(task.graph.features + np.array([0, 1, 0, 0]))
    assert not is_same_graph(changed, task.graph)
    assert not is_same_graph(task.graph.with_features(task.graph.features[:, :3]), task.graph)
    assert len(build_query(NodeIndex(other.graph), task, "error").names) == 3
