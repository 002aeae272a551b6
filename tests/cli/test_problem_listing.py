"""All problems of an error, and of doctor, one kind after the other."""

from __future__ import annotations

from pathlib import Path

from commands import refused, s2n


def spoil(tables: Path) -> None:
    """Three kinds of problems in two files."""
    text = (tables / "members.csv").read_text()
    (tables / "members.csv").write_text(f"{text}s4,zz\ns5,\n")
    (tables / "labels.csv").write_text("subgraph_id,label,split\ns1,x,train\ns9,y,train\n")


def test_an_error_lists_all_kinds_and_names_doctor(tables: Path) -> None:
    spoil(tables)
    done = s2n("describe", tables)
    assert (done.code, done.out) == (2, "")
    first, *rest = done.err.splitlines()
    assert first == "Error: 3 kinds of problems in the data:"
    assert any("members.csv: 1 unknown member, as line 8: 'zz' in subgraph 's4'" in x for x in rest)
    assert any("labels.csv: 1 unmatched label, as line 3: 's9'; --bad-rows drop" in x for x in rest)
    assert rest[-1] == f"s2n doctor {tables} lists all of them."


def test_one_kind_is_one_line_that_names_doctor_where_there_are_more(tables: Path) -> None:
    text = (tables / "members.csv").read_text()
    (tables / "members.csv").write_text(f"{text}s4,zz\n")
    refused(s2n("describe", tables), "--unknown-nodes drop (unknown_nodes='drop') goes on.\n")
    (tables / "members.csv").write_text(f"{text}s4,zz\ns4,yy\n")
    refused(s2n("describe", tables), f"goes on. s2n doctor {tables} lists all of them.\n")


def test_with_the_options_it_goes_on(tables: Path) -> None:
    spoil(tables)
    done = s2n("describe", tables, "--bad-rows", "drop", "--unknown-nodes", "drop")
    assert done.code == 0, done.err
    assert "1 row of the members table dropped (1 missing id): line 9: no node_id." in done.out
    assert "without a label, apart from these" in done.out
