"""Tables become a task: features, own edges, unknown nodes."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from bad_files import assert_refused
from sub2node import ConfigError, DataError, SubgraphTask, load_task
from sub2node.io import read_task

EDGES = {"source": ["a", "b", "c"], "target": ["b", "c", "d"]}
MEMBERS = {"subgraph_id": ["s", "s", "t"], "node_id": ["a", "b", "c"]}
make = SubgraphTask.from_tables


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


def test_weights_below_one_and_edges_of_subgraphs() -> None:
    edges = {"source": [0, 1], "target": [1, 2], "weight": [0.5, 256]}
    own = {"subgraph_id": [0], "source": [0], "target": [1]}
    task = make(edges, {"subgraph_id": [0, 0], "node_id": [0, 1]}, subgraph_edges=own)
    assert task.internal_edges()[1].tolist() == [[0], [1]]
    with pytest.raises(DataError, match="row 1: the node 0 is joined to itself"):
        make(edges, {"subgraph_id": [0], "node_id": [0]}, subgraph_edges={**own, "target": [0]})


def test_dropped_nodes_take_their_edges_and_classes_along() -> None:
    members = {"subgraph_id": ["s", "s", "t", "u"], "node_id": ["a", "b", "zz", "c"]}
    labels = {"subgraph_id": ["s", "t", "u"], "label": ["x", "only here", "x"]}
    own = {"subgraph_id": ["s", "t"], "source": ["a", "zz"], "target": ["b", "a"]}
    task = make(EDGES, members, labels, subgraph_edges=own, unknown_nodes="drop")
    assert task.class_names == ("x",)
    assert "1 edge of subgraphs with unknown ends dropped." in task.notes
    with pytest.raises(DataError, match=r"1 unknown member, .* 1 unknown edge end, as row 2"):
        make(EDGES, members, labels, subgraph_edges=own)


@pytest.mark.parametrize(
    ("policy", "sets", "note"),
    [
        ("drop", ["0", "1", "2", "3"], "3 unknown members in 2 subgraphs dropped: 77 in"),
        ("ignore-subgraph", ["1", "2"], "2 subgraphs with 3 unknown members omitted: 0, 3."),
    ],
)
def test_unknown_nodes_by_policy(small: Path, policy: str, sets: list[str], note: str) -> None:
    (small / "subgraphs.pth").write_text(
        "0-1-77-78\tred\ttrain\n3-4\tblue\ttrain\n2\tred\ttrain\n4-99\tblue\ttest\n"
    )
    assert_refused(small, r"subgraph 0 has the node 77.*3 unknown members in 2 subgraphs")
    task = load_task(small, unknown_nodes=policy)  # type: ignore[arg-type]
    assert [task.subgraphs.name_of(i) for i in range(len(task))] == sets
    assert task.notes[0].startswith(note)


def test_subgraph_of_unknown_nodes_only(small: Path) -> None:
    (small / "subgraphs.pth").write_text("0-1\tred\ttrain\n88-99\tblue\ttrain\n")
    task = load_task(small, unknown_nodes="drop")
    assert len(task) == 1
    assert "1 subgraph without a known member omitted: 1." in task.notes
    (small / "subgraphs.pth").write_text("88-99\tblue\ttrain\n")
    assert_refused(small, "no subgraph is left", unknown_nodes="drop")
    with pytest.raises(ConfigError, match="unknown_nodes is one of error, drop, ignore-subgraph"):
        load_task(small, unknown_nodes="skip")  # type: ignore[arg-type]


def test_node_columns_become_features(tables: Path) -> None:
    (tables / "nodes.csv").write_text(
        "node_id,title,x,y,colour\nd,Dora,1,2.5,red\nc,Carl,3,4,red\nb,Bob,5,6,red\na,Ann,7,8,red\n"
    )
    task = read_task(tables)
    assert task.graph.features is not None
    assert task.graph.features.tolist() == [[1, 2.5], [3, 4], [5, 6], [7, 8]]
    assert task.graph.titles is not None
    assert list(task.graph.titles) == ["Dora", "Carl", "Bob", "Ann"]
    assert "1 node column not used (no numbers): 'colour'." in task.notes
