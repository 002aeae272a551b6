"""Files with one subgraph per line: what is read, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bad_files import assert_refused
from sub2node import ConfigError, DataError, load_task
from sub2node.io import read_task
from sub2node.task.problems import Problems


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


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"subgraphs\.jsonl:2: this is not JSON"),
        ("[1]", r"subgraphs\.jsonl:2: expected an object"),
        ('{"id": "t"}', r"subgraphs\.jsonl:2: 'nodes' must be a list"),
        ('{"id": "t", "nodes": "ab"}', r"subgraphs\.jsonl:2: 'nodes' must be a list"),
        ('{"id": "t", "nodes": []}', r"subgraphs\.jsonl:2: the subgraph is empty"),
        ('{"id": "t", "nodes": ["a"], "color": 1}', r"subgraphs\.jsonl:2: unknown field 'color'"),
        ('{"id": "t", "nodes": ["a"], "weights": []}', "differ in length"),
        ('{"id": 1.5, "nodes": ["a"]}', "'id' must be text"),
        ('{"id": "t", "nodes": ["a"], "label": {}}', "'label' must be a class"),
        ('{"id": "t", "nodes": ["a"], "attributes": [1]}', "'attributes' must be an object"),
        ('{"id": "t", "nodes": ["a"], "attributes": {"p": []}}', "must be an object of texts"),
        ('{"id": "t", "nodes": ["a"], "attributes": {"split": "x"}}', "be called 'split'"),
        ('{"id": "s", "nodes": ["a"]}', "'s' is there twice"),
    ],
)
def test_bad_jsonl(tables: Path, line: str, message: str) -> None:
    (tables / "members.csv").unlink()
    (tables / "labels.csv").unlink()
    path = tables / "subgraphs.jsonl"
    path.write_text('{"id": "s", "nodes": ["a", "b"], "label": "x"}\n' + line + "\n")
    assert_refused(tables, message)


def test_gmt_with_labels_and_graph_in_files(tables: Path, tmp_path: Path) -> None:
    gmt = tmp_path / "sets" / "sets.gmt"
    gmt.parent.mkdir()
    gmt.write_text("s1\tfirst\ta\tb\t\ns2\tsecond\tc\td\ns3\tna\ta\ns4\tna\tc\n")
    task = read_task(gmt, graph=tables / "edges.csv", labels=tables / "labels.csv")
    assert task.subgraphs.titles is not None
    assert list(task.subgraphs.titles) == ["first", "second", "na", "na"]
    assert np.array_equal(task.subgraphs.nodes, read_task(tables).subgraphs.nodes)
    with pytest.raises(ConfigError, match="holds subgraphs only; name the edges"):
        read_task(gmt)
    address = "https://www.gsea-msigdb.org/gsea/msigdb/human/geneset/s"
    gmt.write_text("".join(f"s{i}\t{address}{i}\ta\tb\n" for i in range(1, 5)))
    task = read_task(gmt, graph=tables / "edges.csv", labels=tables / "labels.csv")
    assert task.subgraphs.titles is None  # an address says nothing
    with pytest.raises(DataError, match="no such file"):
        read_task(gmt, graph=tables / "nope.csv")
    for text, message in (
        ("s1\tx\ta\ns1\tx\tb\n", "'s1' is there twice"),
        ("s1\tx\n", r"sets\.gmt:1: the set 's1' is empty"),
        ("\tx\ta\n", r"sets\.gmt:1: the set has no name"),
        ("", "the file is empty"),
    ):
        gmt.write_text(text)
        assert_refused(gmt, message, graph=tables / "edges.csv")


def test_all_bad_lines_are_found_and_can_be_dropped(tmp_path: Path) -> None:
    gmt, edges = tmp_path / "sets.gmt", tmp_path / "edges.csv"
    edges.write_text("source,target\na,b\nb,c\n")
    gmt.write_text("s\tna\ta\tb\n\tna\ta\nempty\tna\ns\tna\tc\nt\tna\tc\tx\n")
    problems = Problems()
    with pytest.raises(DataError, match="4 kinds of problems"):
        load_task(gmt, graph=edges, problems=problems)
    found = {problem.kind: problem.lines.tolist() for problem in problems.open}
    assert found.pop("unknown member") == [5]
    assert found == {"unusable line": [2], "empty subgraph": [3], "repeated subgraph": [4]}
    task = load_task(gmt, graph=edges, bad_rows="drop", unknown_nodes="drop")
    assert task.subgraph_ids == ["s", "t"]
    assert task.members("s") == ["a", "b"]
    assert "1 line of sets.gmt dropped (1 empty subgraph): line 3." in task.notes
    lines = tmp_path / "sets.jsonl"
    lines.write_text(
        '{"id": 1, "nodes": ["a"]}\n{"id": 2, "nodes": []}\n{"id": "1", "nodes": ["b"]}\n'
    )
    task = load_task(lines, graph=edges, bad_rows="drop")
    assert len(task) == 1
    assert sum("sets.jsonl dropped" in note for note in task.notes) == 2
