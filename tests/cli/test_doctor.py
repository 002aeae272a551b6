"""``s2n doctor``: what is installed and what is missing; what is wrong with data."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from commands import call_command, refused, s2n
from sub2node import __version__
from sub2node.cli.doctor import _gigabytes


def test_doctor_tells(tmp_path: Path) -> None:
    facts = json.loads(call_command("doctor", "--json", env={"S2N_DATA": str(tmp_path)}).stdout)
    assert facts["versions"]["sub2node"] == __version__
    assert facts["data_folders"][0] == {"path": str(tmp_path), "exists": True, "benchmarks": 0}
    assert facts["free_memory"] > 0
    assert facts["problems"] == []


def test_what_is_missing_is_listed_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["sub2node.cli.doctor"]
    installed = module.installed_version

    def version(name: str) -> str | None:
        return None if name in ("scipy", "optuna") else installed(name)

    monkeypatch.setattr(module, "installed_version", version)
    text = call_command("doctor", env={"COLUMNS": "120"}).stdout
    assert "Warning: scipy is not installed." in text
    assert "pip install 'sub2node[tune]'" in text
    assert "pip install 'sub2node[serve]'" not in text
    assert "Ready." not in text


def test_a_torch_that_cannot_be_imported_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    facts = json.loads(call_command("doctor", "--json").stdout)
    assert facts["device"] == "unknown"
    (problem,) = facts["problems"]
    assert problem.startswith("torch cannot be imported (")


@pytest.mark.parametrize(
    ("size", "text"), [(None, "unknown"), (1_500_000_000, "1.5 GB"), (0, "0.0 GB")]
)
def test_memory_in_words(size: int | None, text: str) -> None:
    assert _gigabytes(size) == text


def test_data_without_problems_are_ready(tables: Path) -> None:
    done = s2n("doctor", tables)
    assert (done.code, done.out.splitlines()[-1]) == (0, "Ready.")
    assert s2n("doctor", tables, "--json").json["ready"] is True
    refused(s2n("doctor", "--bad-rows", "drop"), "the options for reading go with DATA")


@pytest.mark.slow
def test_one_pass_finds_what_building_the_task_would_refuse(tmp_path: Path) -> None:
    files = {
        "edges": "source,target\na,b\nb,c\nc,d\nd,a\n",
        "members": "subgraph_id,node_id,weight,excluded\ns,a,1,no\ns,b,2,no\ns,a,3,no\nt,c,1,no\n"
        "t,d,1,maybe\nt,zz,1,yes\n",
        "subgraph_edges": "subgraph_id,source,target\ns,a,b\ns,a,a\ns,a,zz\ns,a,c\n",
        "nodes": "node_id,age,size\na,1,2\nb,?,3\nc,3,old\nd,4,\n",
    }
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    done = s2n("doctor", tmp_path, "--problems", tmp_path / "rows.jsonl")
    assert done.code == 1
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    found = {(row["problem"], Path(row["file"]).stem, row["line"]) for row in rows}
    assert found == {
        ("second weight", "members", 4),
        ("unclear row", "members", 6),
        ("unknown excluded node", "members", 7),
        ("self-loop", "subgraph_edges", 3),
        ("unknown edge end", "subgraph_edges", 4),
        ("edge outside of its subgraph", "subgraph_edges", 5),
        ("non-numeric value", "nodes", 3),
        ("non-numeric value", "nodes", 4),
        ("missing feature", "nodes", 5),
    }
    goes_on = done.out.splitlines()[-1].partition(f"{tmp_path} ")[2].split()
    settled = s2n("doctor", tmp_path, *goes_on)
    assert (settled.code, settled.out.splitlines()[-1]) == (0, "Ready.")


@pytest.mark.slow
def test_a_second_label_is_said(tables: Path) -> None:
    rows = "".join(f"s{i},{'xy'[i % 2]}\n" for i in range(1, 5))
    members = "".join(f"s{i},{'abcd'[i % 4]}\n" for i in range(1, 5))
    (tables / "members.csv").write_text(f"subgraph_id,node_id\n{members}")
    (tables / "labels.csv").write_text(f"subgraph_id,label\n{rows}s2,y\n")
    done = s2n("doctor", tables)
    assert done.code == 0
    assert "1 second label" in done.out
    assert "     line 6: 's2': 'y'" in done.out.splitlines()
    assert "so that the task is multi-label; --bad-rows drop takes the first" in done.out
    assert "multi-label" not in s2n("describe", tables, "--bad-rows", "drop").out


@pytest.mark.slow
def test_all_problems_of_data_with_what_goes_on(tables: Path, tmp_path: Path) -> None:
    text = (tables / "members.csv").read_text()
    (tables / "members.csv").write_text(f"{text}s4,zz\ns5,\n")
    (tables / "labels.csv").write_text("subgraph_id,label\ns1,x\ns2,NA\ns9,y\ns3,y\n")
    rows = tmp_path / "rows" / "problems.csv"
    done = s2n("doctor", tables, "--problems", rows)
    assert done.code == 1
    listed = done.out.splitlines()
    assert sum(line.startswith(("1. ", "2. ", "3. ", "4. ")) for line in listed) == 4
    assert "     line 8: 'zz' in subgraph 's4'" in listed
    assert "     → --unknown-nodes drop goes on" in listed
    assert "     → kept apart, to be scored" in listed
    assert listed[-1].startswith(f"Next: s2n describe {tables}")
    assert listed[-1].endswith("--bad-rows drop --unknown-nodes drop")
    assert len(rows.read_text().splitlines()) == 6
    facts = s2n("doctor", tables, "--json").json
    assert (facts["ready"], len(facts["problems"])) == (False, 5)
    settled = s2n("doctor", tables, "--bad-rows", "drop", "--unknown-nodes", "drop")
    assert (settled.code, settled.out.splitlines()[-1]) == (0, "Ready.")


def test_what_no_row_is_to_blame_for_is_said_too(tables: Path) -> None:
    (tables / "labels.csv").write_text(
        "subgraph_id,label,split\ns1,x,train\ns2,x,train\ns3,x,val\ns4,y,test\n"
    )
    done = s2n("doctor", tables)
    assert done.code == 1
    assert "Error: class 'y' has 1 in test but no subgraph in train" in done.out


def test_the_next_command_maps_the_likely_column(tables: Path) -> None:
    text = (tables / "members.csv").read_text()
    (tables / "members.csv").write_text(text.replace("node_id", "gene_name", 1))
    listed = s2n("doctor", tables).out.splitlines()
    option = "--column members.node_id=gene_name"
    assert listed[-1] == f"Next: s2n describe {tables} {option}"
    assert sum(option in line for line in listed) == 2
    assert s2n("doctor", tables, *option.split()).out.splitlines()[-1] == "Ready."
