"""IBM's files of transactions and laundering attempts, on small files of their layout."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from bad_files import assert_refused
from foreign_files import TRANSACTIONS_HEADER, transaction, write_ibm_aml
from sub2node import ConfigError, DataError, load_task
from sub2node.base.notes import NoteKind, has_kind
from sub2node.io.ibm_aml import attempt_tables, attempts, read_transactions
from sub2node.io.sets import read_sets
from sub2node.task.attribute_splits import split_anew
from sub2node.task.reading_options import Reading, ReadingOptions


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_ibm_aml(tmp_path)


def test_attempts_are_subgraphs_and_their_pattern_is_the_label(folder: Path) -> None:
    task = load_task(folder)
    assert (len(task), task.class_names) == (12, ("CYCLE", "FAN-OUT"))
    assert task.graph.num_nodes == 12 * 4 + 31
    assert set(task.members("1")) == {"10:8000E", "10:8001E", "10:8002E", "10:8003E"}
    assert task.subgraphs.titles is not None
    assert list(task.subgraphs.titles)[:2] == ["FAN-OUT", "CYCLE: Max 4 hops"]
    assert task.labels is not None
    assert task.labels.tolist() == [1, 0] * 6
    assert task.internal_edges()[0].tolist()[:3] == [0, 3, 7]  # transactions within
    assert "1 self-loop kept, but not counted as edges: '0:80000'." in task.notes
    assert not any("'account'" in note for note in task.notes)  # that is no column of the user's
    assert has_kind(task.notes[-1], NoteKind.LAUNDERING)


def test_packed_files_read_alike(folder: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed"
    packed.mkdir()
    for path in folder.glob("*_*.*"):
        with pa.output_stream(packed / f"{path.name}.zst", compression="zstd") as file:
            file.write(path.read_bytes())
    assert load_task(packed).hash == load_task(folder).hash


def test_the_start_of_attempts_splits_them(folder: Path) -> None:
    task = load_task(folder)
    assert list(task.attributes["start"])[:2] == ["2022-09-01T00:06", "2022-09-02T00:06"]
    later = split_anew(task, time="start", fractions=(0.5, 0.25, 0.25))
    assert later.split is not None
    assert later.split.words() == ["train"] * 6 + ["val"] * 3 + ["test"] * 3
    assert later.subgraph_ids == [str(number) for number in range(1, 13)]


def test_both_files_by_name_or_recognised(folder: Path, tmp_path: Path) -> None:
    task = load_task(folder)
    patterns, graph = folder / "HI-Small_Patterns.txt", folder / "HI-Small_Trans.csv"
    assert load_task(patterns, graph=graph).hash == task.hash
    assert load_task(folder, format="ibm-aml").hash == task.hash
    odd, table = tmp_path / "attempts.dat", tmp_path / "money.dat"
    odd.write_text(patterns.read_text())
    table.write_text(graph.read_text())
    named = load_task(odd, graph=table, format="ibm-aml", graph_format="ibm-aml")
    assert named.hash == task.hash
    write_ibm_aml(folder, "LI-Small")
    assert_refused(folder, r"in HI-Small_Patterns\.txt and LI-Small_Patterns\.txt; name one: .*")
    with pytest.raises(ConfigError, match="holds subgraphs only"):
        load_task(patterns)


def test_attempts_may_be_questions(folder: Path) -> None:
    (batch,) = read_sets(folder / "HI-Small_Patterns.txt")
    assert list(batch.names) == [str(number) for number in range(1, 13)]
    assert batch.lines[:2].tolist() == [1, 7]
    assert batch.ptr.tolist() == list(range(0, 49, 4))
    assert batch.nodes[0].as_py() == "10:8000E"


def test_an_account_is_bank_and_number(tmp_path: Path) -> None:
    path = tmp_path / "a_Trans.csv"
    rows = [
        transaction(("010", "A"), ("10", "B"), day=1, laundering=0),
        transaction(("10", "A"), ("011", "A"), day=1, laundering=0),
        transaction(("000", "A"), ("0A", "A"), day=1, laundering=0),
    ]
    path.write_text(TRANSACTIONS_HEADER + "\n".join(rows) + "\n")
    graph, notes = read_transactions(path)
    assert list(graph.names or ()) == ["0:A", "0A:A", "10:A", "10:B", "11:A"]
    assert (graph.num_edges, notes) == (3, [])
    path.write_text(TRANSACTIONS_HEADER)
    with pytest.raises(DataError, match="there is no transaction"):
        read_transactions(path)


def test_all_bad_lines_are_found_and_the_others_go_on(tmp_path: Path) -> None:
    good = "2022/09/01 00:06,1,A,1,B,1,Euro,1,Euro,ACH,1"
    begin, end = "BEGIN LAUNDERING ATTEMPT - STACK", "END LAUNDERING ATTEMPT - STACK"
    lines = [
        begin,
        good,
        "1,2,3",
        "x" + good,
        end,
        good,
        begin,
        end,
        begin,
        begin,
        good,
        end,
        begin,
    ]
    path = tmp_path / "a_Patterns.txt"
    path.write_text("\n".join(lines) + "\n")
    reading = Reading()
    attempt_tables(path, reading)
    found = {problem.kind: problem.lines.tolist() for problem in reading.problems.open}
    assert found == {
        "unusable transaction": [3, 4],
        "unusable line": [6],
        "empty subgraph": [7],
        "attempt without an end": [10, 13],
    }
    assert {problem.option for problem in reading.problems.open} == {"--bad-rows drop"}
    reading, notes = Reading(ReadingOptions(bad_rows="drop")), list[str]()
    tables = attempt_tables(path, reading, notes)
    assert tables.members["subgraph_id"].to_pylist() == ["1", "1", "2", "2"]
    assert "2 lines of a_Patterns.txt dropped (2 unusable transactions): line 3, line 4." in notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2022/09/01 00:06,1,A,1,B,1,Euro,1,Euro,ACH,1\n", ":1: it is outside of an attempt"),
        ("BEGIN LAUNDERING ATTEMPT - STACK\n", ":1: this attempt has no end"),
        (
            "BEGIN LAUNDERING ATTEMPT - STACK\nBEGIN LAUNDERING ATTEMPT - STACK\n",
            ":2: the attempt before has no end",
        ),
        (
            "BEGIN LAUNDERING ATTEMPT - STACK\nEND LAUNDERING ATTEMPT - STACK\n",
            ":1: this attempt has no transaction",
        ),
        ("BEGIN LAUNDERING ATTEMPT - X\n1,2,3\n", ":2: a transaction has 11 fields, found 3"),
        (
            "BEGIN LAUNDERING ATTEMPT - X\n1.9.2022,1,A,1,B,1,Euro,1,Euro,ACH,1\n",
            ":2: a transaction begins with a time like",
        ),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a_Patterns.txt"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        list(attempts(path))
