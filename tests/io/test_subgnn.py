"""The SubGNN layout: odd but clear files are read, others refused with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from bad_files import assert_refused
from sub2node import ConfigError, DataError, SubgraphTask, load_task, save_task
from sub2node.io import read_task
from sub2node.io.save import tables_of

EDGES = {"source": ["a", "b"], "target": ["b", "c"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x 1\n", r"edge_list\.txt:1: expected a node id \(an integer from 0\), found 'x'"),
        ("0 1\n1 -2\n", r"edge_list\.txt: 1 unusable edge, as line 2: .*found '-2'"),
        ("0 1\n1 2.5\n", r"edge_list\.txt: 1 unusable edge, as line 2: .*found '2\.5'"),
        ("0 1\n1\n", r"edge_list\.txt: 1 unusable edge, as line 2: expected two node ids per line"),
        ("0 1\n\n1 2 3 4\n", r"edge_list\.txt: 1 unusable edge, as line 3: expected two node ids"),
        ("0 1 {'weight': 2}\n", r"edge_list\.txt:1: .*edges with weights go in a table"),
        ("0 1 0.5\n", r"edge_list\.txt:1: .*weight"),
        ("0,1\n", r"edge_list\.txt:1: expected two node ids"),
        ("", "the file is empty"),
        ("\n \n", "the file is empty"),
        ("# nothing here\n", "no edges"),
        ("0 0\n1 1\n", "no edges between different nodes"),
    ],
)
def test_bad_edge_lists(small: Path, text: str, message: str) -> None:
    (small / "edge_list.txt").write_text(text)
    assert_refused(small, message)


@pytest.mark.parametrize(
    "text",
    [
        "0 1\r\n1 2\r\n2 3\r\n3 4\r\n4 5\r\n5 0\r\n",
        "\ufeff0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n",
        "0 1 {}\n1 2 {}\n2 3 {}\n3 4 {}\n4 5 {}\n5 0 {}\n",
        "0 1 {}\n1 2\n2 3\n3 4\n4 5\n5 0\n",
        "0\t1\n1\t2\n2\t3\n3\t4\n4\t5\n5\t0\n",
        " 0  1\n1 2 \n2 3\n\n3 4\n4 5\n5 0",
        "# from SNAP\n0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n",
        "1 0\n0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n",
    ],
)
def test_odd_but_clear_edge_lists_are_accepted(small: Path, text: str) -> None:
    expected = read_task(small)
    (small / "edge_list.txt").write_text(text, encoding="utf-8", newline="")
    assert read_task(small) == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0-9\tred\ttrain", "subgraph 3 has the node 9, which is not in the graph"),
        ("0-x\tred\ttrain", r"subgraphs\.pth:4: expected a node id .*found 'x'"),
        ("0--1\tred\ttrain", r"subgraphs\.pth:4: .*found ''"),
        ("-1-2\tred\ttrain", r"subgraphs\.pth:4: .*found ''"),
        ("1.5-2\tred\ttrain", r"subgraphs\.pth:4: .*found '1\.5'"),
        ("\tred\ttrain", r"subgraphs\.pth:4: the subgraph is empty"),
        ("0-1\t\ttrain", r"subgraphs\.pth:4: the label is missing"),
        ("0-1\tred", r"subgraphs\.pth:4: .*found 2 fields"),
        ("0-1\tred\ttrain\tx\ty", r"subgraphs\.pth:4: .*found 5 fields"),
        ("0-1\tred\tlater", "split word 'later'; use train, val or test"),
        ("0-1\tgreen\ttest", "class 'green' has 1 in test but no subgraph in train"),
    ],
)
def test_bad_subgraph_lines(small: Path, line: str, message: str) -> None:
    path = small / "subgraphs.pth"
    path.write_text("\n".join([*path.read_text().splitlines()[:3], line]) + "\n")
    assert_refused(small, message)


def test_lines_that_are_dropped_leave_the_others_where_they_stand(small: Path) -> None:
    path = small / "subgraphs.pth"
    whole = read_task(small)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], "0-x\tred\ttrain", "\tred\ttrain", *lines[1:]]) + "\n")
    edges = (small / "edge_list.txt").read_text()
    (small / "edge_list.txt").write_text(f"{edges}0 1 2 3\n")
    with pytest.raises(DataError) as error:
        load_task(small)
    found = {p.kind: (p.lines.tolist(), p.option) for p in error.value.problems}
    option = "--bad-rows drop"
    assert found == {
        "unusable edge": ([len(edges.splitlines()) + 1], option),
        "unusable line": ([2], option),
        "empty subgraph": ([3], option),
    }
    task = load_task(small, bad_rows="drop")
    assert task.graph == whole.graph
    assert set(task.subgraph_ids) == {"0", *(str(i + 2) for i in range(1, len(lines)))}
    assert "1 line of subgraphs.pth dropped (1 empty subgraph): line 3." in task.notes


@pytest.mark.slow
def test_odd_but_clear_subgraph_lines_are_accepted(small: Path) -> None:
    expected = read_task(small)
    path = small / "subgraphs.pth"
    text = path.read_text()
    for odd in (
        text.replace("\n", "\r\n"),
        "\ufeff" + text,
        text.replace("\n", "\t\n"),
        text.replace("train\n", "train\t\n"),
        "\n" + text,
        text.replace("0-1-2", "2-1-0"),
    ):
        path.write_text(odd, encoding="utf-8", newline="")
        assert read_task(small) == expected
    path.write_text(text.replace("0-1-2", "2-1-0-1"))
    task = read_task(small)
    assert task.subgraphs == expected.subgraphs
    assert task.notes == ("1 repeated member merged: 1 in subgraph 0.",)


@pytest.mark.parametrize("missing", ["edge_list.txt", "subgraphs.pth"])
def test_folder_without_a_file(small: Path, missing: str) -> None:
    (small / missing).unlink()
    assert_refused(small, f"the folder has no {missing}")
    assert_refused(small / "none", "no such file or folder")


def test_swap_rule(small: Path) -> None:
    with (small / "subgraphs.pth").open("a") as file:
        file.write("0\tred\ttest\n")
    plain, swapped = read_task(small), read_task(small, swap=True)
    assert plain.split is not None
    assert swapped.split is not None
    assert [plain.split.count(p) for p in ("val", "test")] == [1, 2]
    assert [swapped.split.count(p) for p in ("val", "test")] == [2, 1]
    assert swapped.notes == (
        "Val (1) and test (2) swapped, as the public readers do where val is smaller.",
    )
    assert read_task(small, swap=True, variant=None).hash == swapped.hash


def test_multilabel_variant_and_names(small: Path) -> None:
    text = (small / "subgraphs.pth").read_text().replace("red\ttrain", "red-blue\ttrain")
    (small / "subgraphs.other.pth").write_text(text)
    (small / "nodes.tsv").write_text(
        "id\tcode\tname\n" + "".join(f"{i}\tN{i}\tnode {i}\n" for i in range(7))
    )
    (small / "subgraph_ids.tsv").write_text(
        "line\tsource_id\tname\n" + "".join(f"{i}\tS{i}\tset {i}\n" for i in range(4))
    )
    task = read_task(small, variant="other")
    assert task.multilabel
    assert task.graph.num_nodes == 7
    assert task.graph.names is not None
    assert task.graph.titles is not None
    assert (task.graph.names[6], task.graph.titles[6]) == ("N6", "node 6")
    assert task.subgraphs.titles is not None
    assert (task.subgraphs.name_of(3), task.subgraphs.titles[3]) == ("S3", "set 3")
    (small / "nodes.tsv").write_text("id\tname\n0\tx\n")
    assert_refused(small, "1 nodes, but the edges go up to 5")
    (small / "nodes.tsv").write_text("id\tname\n5\tx\n")
    assert_refused(small, "must count 0, 1, 2")
    (small / "nodes.tsv").unlink()
    (small / "subgraph_ids.tsv").write_text("line\tname\n0\tx\n")
    assert_refused(small, "1 name for 4 subgraphs")
    assert_refused(small, "no subgraphs.nope.pth", variant="nope")


def test_huge_ids_in_an_edge_list(small: Path) -> None:
    for text, message in (
        ("0 1\n0 2000000000\n", "ids count from 0"),
        ("0 99999999999999999999999\n", "expected a node id"),
    ):
        (small / "edge_list.txt").write_text(text)
        assert_refused(small, message)


def test_subgnn_and_tables_agree(small: Path) -> None:
    task = read_task(small)
    low, high, _ = task.graph.edges()
    tables = tables_of(task)
    again = SubgraphTask.from_tables({"u": low, "v": high}, tables["members"], tables["labels"])
    assert again == task


def test_subgnn_needs_labels_without_hyphens(tables: Path, tmp_path: Path) -> None:
    task = load_task(tables)
    with pytest.raises(ConfigError, match="needs labels"):
        save_task(SubgraphTask(task.graph, task.subgraphs), tmp_path / "o", format="subgnn")
    odd = SubgraphTask(
        task.graph, task.subgraphs, labels=task.labels, class_names=("a-b", "c"), split=task.split
    )
    with pytest.raises(ConfigError, match="joins labels by '-'"):
        save_task(odd, tmp_path / "o", format="subgnn")
