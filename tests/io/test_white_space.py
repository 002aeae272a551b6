"""White space around values: one rule for tasks and predictions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import s2n
from sub2node import DataError, load_task
from sub2node.io import save_task
from sub2node.io.member_rows import MemberRows, text_rows
from sub2node.io.set_files import read_gmt
from sub2node.io.sets import read_sets
from sub2node.io.table_layout import TableLayout
from sub2node.io.tables import TableReader
from sub2node.io.text_tables import text_table
from sub2node.io.white_space import StrippedValues

PADDED = {
    "edges.csv": "source, target\nA, B\nB, C\nC, D\nD, A\n",
    "members.csv": "subgraph_id, node_id\ns1, A\ns1, B\ns2, C\ns2 , D\n",
    "labels.csv": "subgraph_id, label, split\ns1, x, train\ns2, y, train\n",
}


def write_tables(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_padded_tables_are_the_same_task(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "padded").mkdir()
    plain = {name: text.replace(" ", "") for name, text in PADDED.items()}
    expected = load_task(write_tables(tmp_path / "plain", plain))
    task = load_task(write_tables(tmp_path / "padded", PADDED))
    assert (task.hash, task.graph.num_nodes) == (expected.hash, 4)
    assert expected.notes == ()
    assert task.notes == (
        "White space around 13 values stripped: ' B', ' C', ' D' and 10 more; double quotes around"
        " a value keep it.",
    )
    done = s2n("describe", tmp_path / "padded")
    assert f"Note: {task.notes[0]}" in done.out


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_quoted_values_keep_their_white_space(tmp_path: Path, end: str) -> None:
    text = 'a,b\n" x",y \n z, "u, v"\n"one ""two"" ","3" \n\n"",\t\n'
    path = tmp_path / "some.csv"
    path.write_bytes(text.replace('"u, v"', '"u v "').replace("\n", end).encode())
    stripped = StrippedValues()
    assert text_table(TableLayout.of_header(path, ","), stripped=stripped).to_pydict() == {
        "a": [" x", "z", 'one "two" ', ""],
        "b": ["y", "u v ", "3", ""],
    }
    assert stripped.count == 3


def test_quotes_that_do_not_match_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text('a,b\nx, "y\nz,u" \n')
    with pytest.raises(DataError, match=r"fields, the header has 2|do not match up"):
        text_table(TableLayout.of_header(path, ","))


FIELD = st.text(alphabet=' ab",\n\t', max_size=5)


@given(st.lists(st.tuples(FIELD, FIELD, st.booleans(), st.booleans()), min_size=1, max_size=6))
def test_tables_and_predictions_read_the_same(tmp_path_factory, rows) -> None:
    """Written with quotes where needed or wished, both readers give the values that were meant."""
    path = tmp_path_factory.mktemp("quoted") / "a.csv"
    lines, expected = [], []
    for name, node, *wished in rows:
        meant, written = [], []
        for value, quote in zip((f"n{name}n" if wished[0] else f" n{name}", f"m{node}"),
                                wished, strict=True):  # fmt: skip
            if quote or any(c in value for c in '",\n'):
                meant.append(value)
                written.append('"' + value.replace('"', '""') + '"')
            else:
                meant.append(value.strip())
                written.append(f" {value}\t")
        expected.append(tuple(meant))
        lines.append(",".join(written))
    path.write_text("\n".join(["subgraph_id,node_id", *lines]) + "\n")
    table = text_table(TableLayout.of_header(path, ",")).to_pydict()
    assert list(zip(table["subgraph_id"], table["node_id"], strict=True)) == expected
    blocks = MemberRows.concat(list(text_rows(path, ",", {})))
    assert not blocks.problems
    assert list(zip(blocks.names.to_pylist(), blocks.nodes.to_pylist(), strict=True)) == expected


@pytest.mark.parametrize("text", ["set,node\ns, a\ns,b\nt ,c\n", 'set,node\ns, a\ns,"b"\nt ,c\n'])
def test_predictions_count_what_they_strip(tmp_path: Path, text: str) -> None:
    path, stripped = tmp_path / "a.csv", StrippedValues()
    path.write_text(text)
    (batch,) = read_sets(path, stripped=stripped)
    assert (list(batch.names), batch.nodes.to_pylist()) == (["s", "t"], ["a", "b", "c"])
    assert next(stripped.notes()).startswith("White space around 2 values stripped: ")


def test_gene_sets(tmp_path: Path) -> None:
    path, counts = tmp_path / "a.gmt", (StrippedValues(), StrippedValues())
    path.write_text("one \tsome\tA\t B\t\ntwo\tother\tC \n")
    assert read_gmt(path, TableReader(stripped=counts[0])).members.to_pydict() == {
        "subgraph_id": ["one", "one", "two"],
        "node_id": ["A", "B", "C"],
    }
    (batch,) = read_sets(path, stripped=counts[1])
    assert (list(batch.names), batch.nodes.to_pylist()) == (["one", "two"], ["A", "B", "C"])
    assert [count.count for count in counts] == [3, 3]


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet"])
def test_ids_with_white_space_come_back(tmp_path: Path, format: str) -> None:
    files = {
        "edges.csv": 'source,target\n" A","B "\n"B ",C\nC,D\n',
        "members.csv": 'subgraph_id,node_id\ns1," A"\ns1,"B "\ns2,C\ns2,D\n',
        "labels.csv": "subgraph_id,label,split\ns1,x,train\ns2,y,train\n",
    }
    task = load_task(write_tables(tmp_path, files))
    save_task(task, tmp_path / "out", format=format)
    assert load_task(tmp_path / "out").hash == task.hash


def test_gene_sets_cannot_hold_white_space_around_names(tmp_path: Path) -> None:
    files = {**PADDED, "edges.csv": 'source,target\n" A",B\nB,C\nC,D\n'}
    files["members.csv"] = 'subgraph_id,node_id\ns1," A"\ns2,B\n'
    task = load_task(write_tables(tmp_path, files))
    with pytest.raises(Exception, match="no names with white space around"):
        save_task(task, tmp_path / "out", format="gmt")
