"""Several nodes in one value, in data to learn from and in questions."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from sub2node import ConfigError, DataError, SubgraphTask, load_task
from sub2node.io.sets import read_sets
from sub2node.task.node_lists import split_texts

EDGES = {"source": list("abc"), "target": list("bcd")}


def test_each_part_knows_its_row() -> None:
    owner, parts = split_texts(pa.array([" a ; b", "", "c", ";;", "d;", None]), ";")
    assert owner.tolist() == [0, 0, 1, 2, 3, 4, 5]
    assert parts.to_pylist() == ["a", "b", "", "c", "", "d", ""]
    assert split_texts(pa.array([], pa.string()), ";")[0].tolist() == []


def test_members_and_excluded_nodes_of_tables() -> None:
    members = {"set": ["s", "t"], "node": ["a;b", "c"], "weight": [2, 3]}
    excluded = {"set": ["s"], "node": ["c;d"]}
    task = SubgraphTask.from_tables(EDGES, members, excluded=excluded, node_separator=";")
    assert [task.members(name) for name in "st"] == [["a", "b"], ["c"]]
    assert task.subgraphs.weights.tolist() == [2, 2, 3]
    assert task.excluded.sizes.tolist() == [2, 0]
    assert "1 value of the members table taken apart at ';'." in task.notes
    other = SubgraphTask.from_tables(EDGES, {"set": ["s"], "node": ["a"]}, node_separator="|")
    assert other.notes == ("no node of the members table has '|' in it.",)
    with pytest.raises(ConfigError, match="node_separator is one or more characters"):
        load_task("x", node_separator=" ")


def test_files_to_learn_from_and_to_ask_about(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\nc,d\n")
    path = tmp_path / "members.csv"
    path.write_text("subgraph_id,nodes,excluded\ns,a;b,no\n\nt,zz;c,no\nt,d;,yes\nu,,no\n")
    options = {"columns": {"members.node_id": "nodes"}, "node_separator": ";"}
    with pytest.raises(DataError) as error:
        load_task(tmp_path, **options)  # type: ignore[arg-type]
    found = {p.kind: (p.lines.tolist(), p.values.to_pylist()) for p in error.value.problems}
    assert found["unknown member"] == ([4], ["'zz' in subgraph 't'"])
    assert found["missing id"][0] == [6]
    for at_once in (True, False):
        (batch,) = read_sets(path, options["columns"], at_once=at_once, node_separator=";")
        assert list(batch.names) == ["s", "t", "u"]
        assert batch.nodes.to_pylist() == ["a", "b", "zz", "c", "d"]
        assert batch.absent.tolist() == [False] * 4 + [True]
        assert batch.lines.tolist() == [2, 4, 6]
        assert batch.problems == {2: "the node is missing."}
