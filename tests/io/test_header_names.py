"""Lines before a header, and columns without a name of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

import sub2node as s2n
from sub2node.io.header_names import common_width, count_title_lines, fit_header, unique_columns


def test_title_lines() -> None:
    assert count_title_lines([["Report"], ["2024", ""], ["a", "b"], ["1", "2"]]) == 2
    assert count_title_lines([["a", "b"], ["1", "2"]]) == 0
    assert count_title_lines([["", "b"], ["1", "2"]]) == 0  # an index without a name
    assert count_title_lines([["a"], ["b"]]) == 0
    assert common_width([["a"], ["b", "c"], ["d", "e"]]) == 2


def test_columns_without_a_name() -> None:
    for rows, fitted in (
        ([["1", "2", ""], ["3", "4", ""]], ["a", "b", ""]),
        ([["1", "x", "y"], ["2", "z", "w"]], ["", "a", "b"]),
        ([["1", "2"], ["3", "4", "5"]], ["a", "b"]),
    ):
        assert fit_header(["a", "b"], rows, "nodes", {}) == fitted
    names, notes = unique_columns(["", "a", "x", "x", "x"], "nodes", {}, Path("f.csv"))
    assert names == ["column 1", "a", "x", "x.1", "x.2"]
    assert notes == ["f.csv has several columns called 'x'; the second is read as 'x.1'."]


@pytest.mark.parametrize("rows", ["a,b,0.5\nb,c,0.7\n", "1,2,3\n2,3,1\n", "a,b,x\nb,c,y\n"])
def test_a_last_column_without_a_name_does_not_move_the_others(tmp_path: Path, rows: str) -> None:
    (tmp_path / "edges.csv").write_text("source,target\n" + rows)
    (tmp_path / "members.csv").write_text(f"subgraph_id,node_id\ns,{rows[0]}\n")
    with pytest.raises(s2n.DataError, match="this line has 3 fields, the header has 2"):
        s2n.load_task(tmp_path)


def test_a_column_of_ours_that_stands_twice(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target,target\na,b,c\nb,c,a\n")
    (tmp_path / "members.csv").write_text("subgraph_id,node_id\ns,a\n")
    with pytest.raises(s2n.DataError, match=r"--column edges.target=target.1 the second"):
        s2n.load_task(tmp_path)
    task = s2n.load_task(tmp_path, columns={"edges.target": "target.1"})
    ids = task.graph.ids().to_pylist()
    ends = zip(*(some.tolist() for some in task.graph.edges()[:2]), strict=True)
    assert {ids[a] + ids[b] for a, b in ends} == {"ab", "ac"}


def test_exports_with_titles_ends_of_lines_and_row_names(tmp_path: Path) -> None:
    edges = "Export\nDate: 2024-01-01\n\nsource;target\na;b;\nb;c;\n"
    (tmp_path / "edges.csv").write_text(edges)
    (tmp_path / "members.tsv").write_text("subgraph_id\tnode_id\n1\ts\ta\n2\tt\tc\n")
    (tmp_path / "labels.csv").write_text("subgraph_id,label,,\ns,x,,\nt,y,,\n")
    task = s2n.load_task(tmp_path)
    assert (task.subgraph_ids, task.class_names) == (["s", "t"], ("x", "y"))
    assert (
        "Lines of edges.csv before its header skipped: 'Export', 'Date: 2024-01-01'." in task.notes
    )
