"""``s2n describe`` as a person runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from commands import refused, run_process, s2n
from disk_tables import disk_tables
from web_server import served


def test_describe_json_has_what_it_promises(small: Path) -> None:
    done = s2n("describe", small, "--json")
    assert done.code == 0, done.err
    facts = json.loads(done.out)
    assert (facts["nodes"], facts["edges"], facts["self_loops"]) == (6, 6, 0)
    assert (facts["subgraphs"], facts["classes"]) == (4, 2)
    assert facts["split"] == {"train": 2, "val": 1, "test": 1}


def test_describe_is_readable(small: Path) -> None:
    done = s2n("describe", small)
    assert done.code == 0, done.err
    for text in ("Nodes per subgraph", "2.2 ± 0.4", "red", "Warning: Only 1 test subgraph"):
        assert text in done.out


@pytest.mark.parametrize(("classes", "shown"), [(25, 25), (26, 10)])
def test_of_many_classes_the_largest_are_shown(tmp_path: Path, classes: int, shown: int) -> None:
    rows = [f"{i % 6}\tclass{i:02d}\ttrain\n" * (2 if i % 3 else 1) for i in range(classes)]
    (tmp_path / "edge_list.txt").write_text("0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n")
    (tmp_path / "subgraphs.pth").write_text("".join(rows))
    done = s2n("describe", tmp_path)
    assert done.code == 0, done.err
    listed = [int(i) for i in re.findall(r"^ +class(\d\d) ", done.out, re.MULTILINE)]
    assert len(listed) == shown
    assert ("largest of 26 classes" in " ".join(done.out.split())) == (shown == 10)
    if shown == 10:
        assert all(i % 3 for i in listed)  # those with two subgraphs


def test_describe_a_generated_task() -> None:
    done = s2n("describe", "generate:density,subgraphs=30,seed=5", "--json")
    facts = json.loads(done.out)
    assert facts["subgraphs"] == 30
    assert "seed 5" in facts["notes"][0]


@pytest.mark.slow
def test_tables_with_options(tables: Path) -> None:
    edges = (tables / "edges.csv").read_text()
    (tables / "edges.csv").write_text(edges.replace("source,target", "payer,payee"))
    done = s2n("describe", tables, "--column", "source=payer", "--column", "target=payee", "--json")
    assert json.loads(done.out)["edges"] == 4
    with (tables / "members.csv").open("a") as file:
        file.write("s1,zz\n")
    words = ("describe", tables, "--column", "source=payer", "--column", "target=payee")
    refused(s2n(*words), "unknown_nodes='drop'")
    done = s2n(*words, "--unknown-nodes", "drop")
    assert "Warning: 1 unknown member in 1 subgraph dropped: 'zz' in subgraph 's1'." in done.out
    refused(s2n(*words, "--column", "nonsense"), "--column wants OURS=YOURS")


def test_text_with_brackets_is_shown_as_it_is(small: Path, tmp_path: Path) -> None:
    text = (small / "subgraphs.pth").read_text()
    (small / "subgraphs.pth").write_text(text.replace("red", "[/x]").replace("blue", ":cat:"))
    done = s2n("describe", small)
    assert done.code == 0, done.err
    assert "[/x]" in done.out
    assert ":cat:" in done.out
    done = s2n("convert", small, tmp_path / "out[/a]")
    assert "out[/a] (parquet)." in done.out


@pytest.mark.process
def test_an_ascii_terminal_is_no_error(small: Path) -> None:
    done = run_process("describe", small, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert "2.2 ? 0.4" in done.stdout


def test_a_name_that_no_file_can_have_is_no_data() -> None:
    refused(s2n("describe", "x" * 300), "there is no benchmark, file or folder called")


@pytest.mark.slow
def test_describe_tables_at_an_address(tmp_path: Path) -> None:
    pytest.importorskip("ibis")
    local = disk_tables(tmp_path / "tables", kind="csv")
    with served(tmp_path) as web:
        address, engine = f"{web.address}/tables?signature=secret", ("--engine", "duckdb")
        done = s2n("describe", address, *engine, "--json")
        facts = json.loads(done.out)
        assert (facts["name"], facts["subgraphs"]) == ("tables", 11)
        assert facts["hash"] == json.loads(s2n("describe", local, *engine, "--json").out)["hash"]
        bad = f"{web.address}/none?signature=secret"
        refused(s2n("describe", bad, *engine), f"Error: {web.address}/none: there are no tables")
        with (local / "members.csv").open("a") as file:
            file.write("1,12345\n")
        web.tag = '"2"'
        done = s2n("describe", address, *engine)
        refused(done, f"Error: {web.address}/tables/members.csv:")
        assert "secret" not in done.err
