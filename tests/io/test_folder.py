"""Folders of tables: found, joined, and refused with the place named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from bad_files import assert_refused
from sub2node import ConfigError, DataError, load_task, save_task
from sub2node.io import read_task


def test_gzipped_sets_in_a_folder(tables: Path) -> None:

    expected = read_task(tables)
    rows = {"s1": "ab", "s2": "cd", "s3": "a", "s4": "c"}
    text = "".join(f"{name}\t\t" + "\t".join(nodes) + "\n" for name, nodes in rows.items())
    (tables / "members.csv").unlink()
    (tables / "sets.gmt.gz").write_bytes(gzip.compress(text.encode()))
    assert read_task(tables) == expected


def test_splits_of_jsonl_join_a_labels_table(tables: Path, tmp_path: Path) -> None:
    sets = tmp_path / "more" / "sets.jsonl"
    sets.parent.mkdir()
    sets.write_text(
        '{"id": "s", "nodes": ["a"], "split": "train"}\n'
        '{"id": "t", "nodes": ["b"], "split": "val"}\n'
    )
    labels = sets.parent / "labels.csv"
    labels.write_text("subgraph_id,label\nt,x\ns,x\n")
    task = read_task(sets, graph=tables / "edges.csv", labels=labels)
    assert task.split is not None
    assert task.split.words() == ["train", "val"]


def test_cards_of_other_shapes(tables: Path, tmp_path: Path) -> None:
    import json

    out = save_task(read_task(tables), tmp_path / "out")
    (out / "checksums.json").unlink()  # as version 0.1 wrote it
    card = json.loads((out / "task.json").read_text())
    for value in (5, [1, 2]):
        (out / "task.json").write_text(json.dumps({**card, "class_names": value}))
        with pytest.raises(DataError, match="'class_names' must be a list of text"):
            read_task(out)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("edges", "from_id,to_id\na,b\n", "no column 'source' .*columns found: from_id, to_id"),
        ("members", "set_id,gene\ns1,a\n", "no column 'subgraph_id' .*columns found: set_id, gene"),
        (
            "labels",
            "subgraph_id,kind\ns1,x\n",
            "no column 'label' .*columns found: subgraph_id, kind",
        ),
        (
            "edges",
            "source,target\na,b\nc,d\nb,c,d\n",
            "csv:4: this line has 3 fields, the header has 2: 'b,c,d'",
        ),
        ("edges", "source,target\n", "the graph has no edges"),
        ("edges", "source,target\na,a\n", "no edges between different nodes"),
        ("edges", "source,target\na,\n", "column 'target' is missing in row 1"),
        ("edges", "", "the file is empty"),
        (
            "edges",
            "source,target,weight\na,b,-1\n",
            "1 unusable weight, as line 2: 'a' to 'b' .weight -1",
        ),
        ("edges", "source,target,weight\na,b,heavy\n", "weights must be numbers"),
        (
            "edges",
            "source,target,weight\na,b,\n",
            "1 unusable weight, as line 2: 'a' to 'b' .weight missing",
        ),
        ("members", "subgraph_id,node_id\n", "there are no subgraphs"),
        (
            "members",
            "subgraph_id,node_id\ns1,zz\n",
            "1 unknown member, as line 2: 'zz' in subgraph 's1'",
        ),
        (
            "members",
            "subgraph_id,node_id\ns1,a\ns2,c\n",
            "subgraph 's3' has a label but no members",
        ),
        ("labels", "subgraph_id,split\ns1,train\n", "the label of subgraph 's2' is missing"),
        ("labels", "subgraph_id,label\ns1,\ns2,\ns3,\ns4,\n", "the label of row 1 is missing"),
        (
            "labels",
            "subgraph_id,label,split\ns1,x,train\ns2,y,later\ns3,x,val\ns4,y,test\n",
            "row 2 has the split word 'later'; use train, val or test",
        ),
        (
            "labels",
            "subgraph_id,label,split\ns1,x,train\ns1,y,val\ns2,y,train\ns3,x,val\ns4,y,test\n",
            "row 2 puts its subgraph in a second part",
        ),
        (
            "labels",
            "subgraph_id,label,split\ns1,x,train\ns2,y,train\ns3,x,val\ns4,z,test\n",
            "class 'z' has 1 in test but no subgraph in train",
        ),
        ("nodes", "node_id,x\na,1\nb,nan\nc,2\nd,3\n", "the feature 'x' of row 2 is missing"),
        ("nodes", "node_id,x\na,1\nb,\nc,2\nd,3\n", "the feature 'x' of row 2 is missing"),
        ("nodes", "node_id\na\nb\nc\n", "2 unknown edge ends, as line 4: 'c' to 'd'"),
        ("nodes", "node_id\na\na\nb\nc\nd\n", "listed twice"),
        ("subgraph_edges", "subgraph_id,source,target\ns1,a,c\n", "no member of .s1"),
        ("subgraph_edges", "subgraph_id,source,target\nxx,a,b\n", "row 1 names a subgraph or node"),
    ],
)
def test_bad_tables(tables: Path, name: str, text: str, message: str) -> None:
    (tables / f"{name}.csv").write_text(text)
    assert_refused(tables, message)


def test_tables_with_a_mark_windows_ends_and_other_columns(tables: Path) -> None:
    expected = read_task(tables)
    for path in tables.iterdir():
        path.write_text("\ufeff" + path.read_text().replace("\n", "\r\n"), "utf-8", newline="")
    assert read_task(tables) == expected
    text = (tables / "edges.csv").read_text(encoding="utf-8")
    (tables / "edges.csv").write_text(text.replace("source,target", "giver,taker"), "utf-8")
    assert_refused(tables, "columns found: .*giver, taker")
    mapped = read_task(tables, columns={"source": "giver", "target": "taker"})
    assert mapped == expected
    (tables / "edges.tsv").write_text("source\ttarget\na\tb\n")
    assert_refused(tables, r"both edges\.csv and edges\.tsv are in the folder")


def test_a_card_guards_its_tables(tables: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    save_task(load_task(tables), out)
    card = json.loads((out / "task.json").read_text())
    (out / "checksums.json").unlink()  # as version 0.1 wrote it
    (out / "task.json").write_text(json.dumps({**card, "hash": "0" * 64}))
    with pytest.raises(DataError, match=r"task\.json: the tables are not those"):
        read_task(out)
    (out / "task.json").write_text("{")
    with pytest.raises(DataError, match="not JSON"):
        read_task(out)
    (out / "task.json").write_text('{"format": "other"}')
    with pytest.raises(DataError, match="no card of the kind"):
        read_task(out)
    (out / "task.json").write_text(json.dumps({**card, "version": 99}))
    with pytest.raises(DataError, match="version 99"):
        read_task(out)


@pytest.mark.slow
def test_flips_in_a_written_task_are_refused(tables: Path, tmp_path: Path) -> None:
    out = save_task(read_task(tables), tmp_path / "out")
    expected = read_task(out)
    for file in sorted(out.iterdir()):
        content = file.read_bytes()
        for place in range(0, len(content), 1 + len(content) // 25):
            damaged = bytearray(content)
            damaged[place] ^= 4
            file.write_bytes(bytes(damaged))
            try:
                task = read_task(out)
            except DataError:
                continue
            assert file.name == "checksums.json"  # of which some characters do not count
            assert (task, task.name, task.notes) == (expected, expected.name, expected.notes)
        file.write_bytes(content)


def test_an_engine_checks_what_it_reads(tables: Path, tmp_path: Path) -> None:
    from sub2node.translation.engines.engine_tables import find_tables

    out = save_task(read_task(tables), tmp_path / "out")
    find_tables(out)
    content = bytearray((out / "edges.parquet").read_bytes())
    content[20] ^= 1
    (out / "edges.parquet").write_bytes(bytes(content))
    with pytest.raises(DataError, match=r"edges\.parquet.*remove task\.json to read the tables"):
        find_tables(out)


def test_a_folder_of_ours_knows_whether_its_edges_are_directed(tables: Path, tmp_path) -> None:
    directed, plain = load_task(tables, directed=True), load_task(tables)
    assert directed.graph.arcs is not None
    for task, name in ((directed, "directed"), (plain, "plain")):
        save_task(task, tmp_path / name)
    for options in ({}, {"directed": True}):
        again = load_task(tmp_path / "directed", **options)
        assert (again.hash, again.graph.arcs) == (directed.hash, directed.graph.arcs)
    with pytest.raises(ConfigError, match="were written without directions"):
        load_task(tmp_path / "plain", directed=True)
