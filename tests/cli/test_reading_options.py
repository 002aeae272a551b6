"""Options of every command that reads data: formats, features, background."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import s2n
from sub2node.cli.data_arguments import DataArguments


def test_a_command_reads_what_its_options_name(tables: Path) -> None:
    (tables / "nodes.csv").write_text("node_id,age,city\na,1,x\nb,2,y\nc,3,x\nd,4,y\n")
    (tables / "ids.dat").write_text("a\nb\nc\n")
    options = ("--format", "tables", "--node-features", "city", "--unknown-nodes", "drop")
    done = s2n("describe", str(tables), *options, "--background", str(tables / "ids.dat"), "--json")
    assert (done.json["nodes"], done.json["features"]) == (3, 2)


def test_edges_are_read_as_directed(tables: Path) -> None:
    (tables / "edges.csv").write_text("source,target,sum\na,b,1\nb,a,2\na,b,1\nc,d,5\n")
    facts = s2n("describe", str(tables), "--directed", "--json").json
    assert (facts["edges"], facts["directed_edges"], facts["edge_features"]) == (2, 4, 1)
    shown = s2n("describe", str(tables), "--directed").out
    assert "Directed edges, as they came" in shown
    assert s2n("describe", str(tables), "--json").json["directed_edges"] == 0
    done = s2n("describe", str(tables), "--directed", "--repeated", "sum")
    assert done.code == 2
    assert "omit repeated" in " ".join(done.err.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--format", "gnt"), "there is no format 'gnt' of data"),
        (("--format", "gmx"), "the format gmx is one of files"),
        (("--graph-format", "sting"), "there is no format 'sting' of a graph"),
    ],
)
def test_what_is_no_format(tables: Path, options: tuple[str, str], message: str) -> None:
    done = s2n("describe", str(tables), *options)
    assert done.code == 2
    assert message in " ".join(done.err.split())


def test_they_are_part_of_the_next_command() -> None:
    source = DataArguments("x", format="gmx", graph_format="obo", node_features="a,b")
    assert source.command_line() == "x --format gmx --graph-format obo --node-features a,b"
