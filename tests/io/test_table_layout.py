"""Delimiter, header and decimal mark of a table, found by its first lines."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sub2node import DataError, load_task
from sub2node.io.sets import read_sets
from sub2node.io.table_layout import TableLayout, find_delimiter


def sniffed(path: Path, text: str, what: str = "edges", delimiter: str = ",") -> TableLayout:
    path.write_text(text)
    return TableLayout.sniff(path, delimiter, what, {})


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("source,target\na,b\n", ","),
        ("source;target;weight\na;b;1,5\n", ";"),
        ("source\ttarget\na\tb;c\n", "\t"),
        ("source|target\na|b\n", "|"),
        ('source,target,note\na,b,"x;y"\n', ","),
        ("subgraph_id\na\n", ","),
        ("source target weight\na b 1\n", " "),
        ("source target\na b\nc\n", ","),
    ],
)
def test_the_delimiter_is_what_cuts_all_lines_alike(
    tmp_path: Path, text: str, delimiter: str
) -> None:
    layout = sniffed(tmp_path / "a.csv", text)
    assert layout.delimiter == delimiter == find_delimiter(tmp_path / "a.csv", ",")
    assert any("separated by" in note for note in layout.notes) == (delimiter != ",")


@pytest.mark.parametrize(
    ("text", "names", "header"),
    [
        ("TP53,MDM2\nMDM2,ATM\n", ("source", "target"), 0),
        ("0,1\n5,6\n", ("source", "target"), 0),
        ("a,b,0.5\nb,c,1\n", ("source", "target", "weight"), 0),
        ("gene_a,gene_b\nTP53,MDM2\nMDM2,ATM\n", ("gene_a", "gene_b"), 1),
        ("\nfrom,to\nfrom,x\n", ("from", "to"), 2),
        ("a,b,kind\nb,c,kind\n", ("a", "b", "kind"), 1),
    ],
)
def test_a_header_is_told_from_a_first_row(tmp_path: Path, text, names, header) -> None:
    layout = sniffed(tmp_path / "a.csv", text)
    assert (layout.names, layout.header_line) == (names, header)
    assert any("no header line" in note for note in layout.notes) == (header == 0)


@pytest.mark.parametrize(
    ("rows", "decimal"),
    [("a;b;1,5", ","), ("a;b;1.5", "."), ("a;b;1,5\nc;d;1.5", "."), ("a;b;1", ".")],
)
def test_decimal_commas(tmp_path: Path, rows: str, decimal: str) -> None:
    assert sniffed(tmp_path / "a.csv", f"source;target;weight\n{rows}\n").decimal == decimal


def test_rows_know_their_lines(tmp_path: Path) -> None:
    layout = sniffed(tmp_path / "a.csv", 'source,target\n\na,b\nx\n"c,d",e\nf,g\n')
    assert layout.row_lines(np.array([0, 1, 2])).tolist() == [3, 5, 6]
    assert layout.uneven_lines() == [(4, "x")]


@pytest.mark.parametrize("pack", [None, gzip.compress, "zstd"])
def test_a_folder_of_odd_tables_is_read(tmp_path: Path, pack) -> None:
    texts = {
        "edges.csv": "a;b;1,5\nb;c;2,25\nc;a;1\n",
        "members.csv": "s;a\ns;b\nt;c\n",
        "labels.csv": "subgraph_id;label\ns;x\nt;y\n",
    }
    for name, text in texts.items():
        content, ending = text.encode(), ""
        if pack == "zstd":
            content, ending = pa.compress(content, "zstd", asbytes=True), ".zst"
        elif pack is not None:
            content, ending = pack(content), ".gz"
        (tmp_path / f"{name}{ending}").write_bytes(content)
    task = load_task(tmp_path)
    assert sorted(task.graph.edges()[2].tolist()) == [1, 1.5, 2.25]
    assert (len(task), task.members("s")) == (2, ["a", "b"])
    assert sum("no header line" in note for note in task.notes) == 2


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("s,a,no\ns,b,yes\n", ("subgraph_id", "node_id", "excluded")),
        ("s,a,1,no\ns,b,0.5,yes\n", ("subgraph_id", "node_id", "weight", "excluded")),
        ("s,a,1\ns,b,0\n", ("subgraph_id", "node_id", "weight")),
        ("s,a,x,no\ns,b,1,yes\n", ("s", "a", "x", "no")),
        ("s,a,maybe\ns,b,yes\n", ("s", "a", "maybe")),
        ("s,a,1,no,3\ns,b,1,yes,4\n", ("s", "a", "1", "no", "3")),
    ],
)
def test_members_without_a_header(tmp_path: Path, text: str, names: tuple[str, ...]) -> None:
    (tmp_path / "a.csv").write_text(text)
    assert TableLayout.sniff(tmp_path / "a.csv", ",", "members", {}).names == names


@pytest.mark.parametrize(
    ("text", "names", "header", "notes"),
    [
        ("# made by x, y\n#\n\nfrom,to\na,b\n", ("from", "to"), 4, ["2 comment lines"]),
        ("# made by x, y\n#from,to\na,b\n", ("from", "to"), 2, ["1 comment line"]),
        ("# from,to\na,b\n", ("from", "to"), 1, []),
        ("# made, by\na,b\nb,c\n", ("source", "target"), 1, ["1 comment line", "edges.csv has no"]),
        ("#a,#b\n#b,#c\n", ("source", "target"), 0, ["edges.csv has no"]),
    ],
)
def test_comments_before_a_table(tmp_path: Path, text, names, header, notes) -> None:
    layout = sniffed(tmp_path / "edges.csv", text)
    assert (layout.names, layout.header_line) == (names, header)
    assert [note[: len(start)] for note, start in zip(layout.notes, notes, strict=True)] == notes
    assert layout.row_lines(np.array([0])).tolist() == [header + 1]


def test_comments_of_a_folder_and_of_questions(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("# a\n# b\nsource,target\na,b\nb,c\n")
    (tmp_path / "members.csv").write_text('# a, "b"\n\n#subgraph_id,node_id\ns,a\nt,"b"\nt,c\n')
    task = load_task(tmp_path)
    assert [task.members(name) for name in "st"] == [["a"], ["b", "c"]]
    assert "2 comment lines at the beginning of edges.csv skipped." in task.notes
    notes = list[str]()
    (batch,) = read_sets(tmp_path / "members.csv", notes=notes)
    assert (list(batch.names), batch.nodes.to_pylist()) == (["s", "t"], ["a", "b", "c"])
    assert batch.lines.tolist() == [4, 5]
    assert notes == ["1 comment line at the beginning of members.csv skipped."]


def test_no_header_where_no_id_comes_again(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("a,b\nc,d\ne,f\n")
    (tmp_path / "members.csv").write_text("subgraph_id,node_id\ns,a\nt,c\n")
    (tmp_path / "labels.csv").write_text("s,x\nt,y\n")
    with pytest.raises(DataError) as error:
        load_task(tmp_path)
    assert str(error.value).count("(--no-header)") == 4
    task = load_task(tmp_path, no_header=True)
    assert (task.graph.num_edges, task.class_names) == (3, ("x", "y"))
    assert sum("no header line" in note for note in task.notes) == 2


def test_ids_that_may_be_names_of_columns_are_a_row_where_they_come_again(tmp_path: Path) -> None:
    assert "header" in " ".join(sniffed(tmp_path / "a.csv", "U,V\nV,W\nW,U\n").notes)
    assert sniffed(tmp_path / "b.csv", "U,V\na,b\nb,c\n").names == ("U", "V")
