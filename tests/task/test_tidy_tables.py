"""Rows and columns that are no data are omitted, and that is said."""

from __future__ import annotations

from pathlib import Path

import pytest

import sub2node as s2n

EDGES = {"source": ["a", "b", "c"], "target": ["b", "c", "d"]}
MEMBERS = {"subgraph_id": ["s", "t"], "node_id": ["a", "c"]}


def test_a_header_that_comes_again_and_a_blank_row(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text(
        "source,target,weight\na,b,1\nsource,target,weight\nb,c,2\n"
    )
    (tmp_path / "members.csv").write_text("subgraph_id,node_id,x\ns,a,\n,,\nt,c,\n")
    task = s2n.load_task(tmp_path)
    assert task.subgraph_ids == ["s", "t"]
    assert sorted(task.graph.edges()[2].tolist()) == [1, 2]
    notes = " ".join(task.notes)
    assert "1 row of the edges table dropped (1 repeated header): line 3" in notes
    assert "1 row of the members table dropped (1 blank row): line 3" in notes


@pytest.mark.parametrize("name", ["Unnamed: 0", "index", "column 1"])
@pytest.mark.parametrize("first", [0, 1])
def test_row_numbers_are_no_feature(name: str, first: int) -> None:
    nodes = {name: [first + i for i in range(4)], "node_id": list("abcd"), "age": [3, 1, 4, 1]}
    task = s2n.SubgraphTask.from_tables(EDGES, MEMBERS, nodes=nodes)
    assert task.graph.features.ravel().tolist() == [3, 1, 4, 1]
    assert f"1 column of the nodes table not used, as row numbers: '{name}'." in task.notes
    chosen = s2n.SubgraphTask.from_tables(EDGES, MEMBERS, nodes=nodes, node_features=[name])
    assert chosen.graph.features.ravel().tolist() == nodes[name]


def test_numbers_in_another_order_are_a_feature() -> None:
    nodes = {"index": [0, 2, 1, 3], "node_id": list("abcd")}
    task = s2n.SubgraphTask.from_tables(EDGES, MEMBERS, nodes=nodes)
    assert task.graph.features.ravel().tolist() == [0, 2, 1, 3]


def test_numbers_of_rows_from_before_they_were_sorted_are_no_feature(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\n")
    (tmp_path / "members.csv").write_text("subgraph_id,node_id\ns,a\nt,c\n")
    (tmp_path / "nodes.csv").write_text(",node_id,age\n7,a,3\n1,b,4\n12,c,5\n")
    task = s2n.load_task(tmp_path)
    assert task.graph.features.ravel().tolist() == [3, 4, 5]
    (tmp_path / "nodes.csv").write_text("node_id,column 1,column 2\na,1,9\nb,2,8\nc,3,7\n")
    assert s2n.load_task(tmp_path).graph.features.shape == (3, 2)


def test_coordinates_are_features() -> None:
    nodes = {"node_id": list("abcd"), "x": [0, 1, 2, 3], "X": [0, 1, 2, 3]}
    task = s2n.SubgraphTask.from_tables(EDGES, MEMBERS, nodes=nodes)
    assert task.graph.features.shape == (4, 2)
    of_r = {"X": [1, 2, 3, 4], "node_id": list("abcd"), "x": [0, 1, 2, 3]}
    task = s2n.SubgraphTask.from_tables(EDGES, MEMBERS, nodes=of_r)
    assert task.graph.features.ravel().tolist() == [0, 1, 2, 3]


def test_weights_that_count_the_rows_are_used() -> None:
    edges = {"source": ["a", "b"], "target": ["b", "c"], "X": [1, 2]}
    task = s2n.SubgraphTask.from_tables(edges, MEMBERS, columns={"edges.weight": "X"})
    assert sorted(task.graph.edges()[2].tolist()) == [1, 2]


def test_a_node_that_is_called_as_its_column_is_no_header() -> None:
    edges = {"source": ["term", "a", "b"], "target": ["a", "b", "c"]}
    for age in (["old", "new", "new", "old"], [1, 2, 3, 4]):
        nodes = {"term": ["term", "a", "b", "c"], "age": age}
        task = s2n.SubgraphTask.from_tables(edges, MEMBERS, nodes=nodes)
        assert "term" in task.graph.ids().to_pylist()
    nodes = {"term": ["a", "term", "b", "c"], "age": ["1", "age", "2", "3"]}
    edges = {"source": ["a", "b"], "target": ["b", "c"]}
    task = s2n.SubgraphTask.from_tables(edges, MEMBERS, nodes=nodes)
    assert task.graph.ids().to_pylist() == ["a", "b", "c"]


def test_measured_values_of_members_are_no_labels() -> None:
    members = {**MEMBERS, "y": [0.5, 0.9]}
    assert s2n.SubgraphTask.from_tables(EDGES, members).labels is None


def test_lists_of_nodes_are_taken_apart() -> None:
    members = {"subgraph_id": ["s", "t"], "node_id": [["a", "b"], ["c"]], "weight": [1.0, 2.0]}
    task = s2n.SubgraphTask.from_tables(EDGES, members)
    assert [set(task.members(one)) for one in "st"] == [{"a", "b"}, {"c"}]
    assert (
        "The lists of nodes in the column 'node_id' of the members table taken apart"
        in " ".join(task.notes)
    )
    members["node_id"] = [["a", "b"], []]
    with pytest.raises(s2n.DataError) as caught:
        s2n.SubgraphTask.from_tables(EDGES, members)
    assert [problem.kind for problem in caught.value.problems] == ["missing id"]


def test_labels_in_the_table_of_members() -> None:
    members = {
        "patient": ["p", "p", "q"],
        "node_id": ["a", "b", "c"],
        "Diagnosis": ["x", "x", "y"],
        "paper": ["1", "1", "2"],
        "remark": ["u", "v", "w"],
    }
    task = s2n.SubgraphTask.from_tables(EDGES, members)
    assert task.class_names == ("x", "y")
    assert list(task.attributes["paper"]) == ["1", "2"]
    assert "The labels are the column 'Diagnosis' of the members table." in task.notes
    members["Diagnosis"][1] = "y"  # it may be a name of nodes
    assert s2n.SubgraphTask.from_tables(EDGES, members).labels is None


def test_a_column_of_yes_and_no_is_not_passed_over() -> None:
    members = {**MEMBERS, "present": ["yes", "no"], "kept": ["yes", "yes"]}
    task = s2n.SubgraphTask.from_tables(EDGES, members)
    (note,) = (note for note in task.notes if "says yes of some" in note)
    assert "'present'" in note
