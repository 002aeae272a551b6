"""Every kind of bad input gets one clear sentence that names the place."""

from __future__ import annotations

import gzip
import io
import pickle
from pathlib import Path

import numpy as np
import pytest

from sub2node import ConfigError, DataError, Sub2NodeError, SubgraphTask, load_task
from sub2node.io import read_task
from sub2node.io import text_files as reader

EDGES = {"source": ["a", "b"], "target": ["b", "c"]}
MEMBERS = {"subgraph_id": ["s", "t"], "node_id": ["a", "c"]}


def refused(path: Path, message: str, **options: object) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_task(path, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1\n1 x\n", r"edge_list\.txt:2: expected a node id \(an integer from 0\), found 'x'"),
        ("0 1\n1 -2\n", r"edge_list\.txt:2: .*found '-2'"),
        ("0 1\n1 2.5\n", r"edge_list\.txt:2: .*found '2\.5'"),
        ("0 1\n1\n", r"edge_list\.txt:2: expected two node ids per line"),
        ("0 1\n\n1 2 3 4\n", r"edge_list\.txt:3: expected two node ids"),
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
    refused(small, message)


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


def test_gzip_and_plain_are_the_same(small: Path) -> None:
    expected = read_task(small)
    for name in ("edge_list.txt", "subgraphs.pth"):
        data = (small / name).read_bytes()
        (small / name).unlink()
        (small / f"{name}.gz").write_bytes(gzip.compress(data))
    assert read_task(small) == expected


def test_truncated_and_damaged_gzip(small: Path) -> None:
    packed = gzip.compress((small / "edge_list.txt").read_bytes() * 1000)
    (small / "edge_list.txt").unlink()
    path = small / "edge_list.txt.gz"
    for data in (packed[: len(packed) // 2], packed[:-6], packed[:20] + b"\xff" * 30 + packed[50:]):
        path.write_bytes(data)
        refused(small, r"edge_list\.txt\.gz: the gzip file is truncated or damaged")


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
        ("0-1\tred\tdev", "split word 'dev'; use train, val or test"),
        ("0-1\tgreen\ttest", "class 'green' has 1 in test but no subgraph in train"),
    ],
)
def test_bad_subgraph_lines(small: Path, line: str, message: str) -> None:
    path = small / "subgraphs.pth"
    path.write_text("\n".join([*path.read_text().splitlines()[:3], line]) + "\n")
    refused(small, message)


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


def test_binary_files_are_not_opened(small: Path) -> None:
    path = small / "subgraphs.pth"
    archive = io.BytesIO()
    np.savez(archive, x=np.arange(3))
    for data, message in (
        (pickle.dumps({"a": 1}), "this is a pickle, expected plain text; it was not opened"),
        (archive.getvalue(), r"zip archive \(PyTorch files are such\)"),
        (b"\x89HDF\r\n", "HDF5"),
        (b"0-1\x00\tred\ttrain\n", "binary file"),
        (b"", "the file is empty"),
        (b"0-1\tr\xffd\ttrain\n", "subgraphs.pth:1: this line is not UTF-8"),
    ):
        path.write_bytes(data)
        refused(small, message)


@pytest.mark.parametrize("missing", ["edge_list.txt", "subgraphs.pth"])
def test_folder_without_a_file(small: Path, missing: str) -> None:
    (small / missing).unlink()
    refused(small, f"the folder has no {missing}")
    refused(small / "none", "no such file or folder")


def test_folder_without_data(tmp_path: Path) -> None:
    refused(tmp_path, "no data recognised: expected edge_list.txt and subgraphs.pth, or tables")
    (tmp_path / "notes.docx").write_bytes(b"PK")
    refused(tmp_path / "notes.docx", r"a file of subgraphs ends in \.gmt")


@pytest.mark.parametrize(
    ("policy", "sets", "note"),
    [
        ("drop", ["0", "1", "2", "3"], "3 unknown members in 2 subgraphs dropped: 77 in"),
        ("ignore-subgraph", ["1", "2"], "2 subgraphs with 3 unknown members omitted: 0, 3."),
    ],
)
def test_unknown_nodes_by_policy(small: Path, policy: str, sets: list[str], note: str) -> None:
    (small / "subgraphs.pth").write_text(
        "0-1-77-78\tred\ttrain\n3-4\tblue\ttrain\n2\tred\ttrain\n4-99\tblue\ttest\n"
    )
    refused(small, r"subgraph 0 has the node 77.*3 unknown members in 2 subgraphs")
    task = read_task(small, unknown_nodes=policy)  # type: ignore[arg-type]
    assert [task.subgraphs.name_of(i) for i in range(len(task))] == sets
    assert task.notes[0].startswith(note)


def test_subgraph_of_unknown_nodes_only(small: Path) -> None:
    (small / "subgraphs.pth").write_text("0-1\tred\ttrain\n88-99\tblue\ttrain\n")
    task = read_task(small, unknown_nodes="drop")
    assert len(task) == 1
    assert "1 subgraph without a known member omitted: 1." in task.notes
    (small / "subgraphs.pth").write_text("88-99\tblue\ttrain\n")
    refused(small, "no subgraph is left", unknown_nodes="drop")
    with pytest.raises(ConfigError, match="unknown_nodes is one of error, drop, ignore-subgraph"):
        read_task(small, unknown_nodes="skip")  # type: ignore[arg-type]


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
    refused(small, "1 nodes, but the edges go up to 5")
    (small / "nodes.tsv").write_text("id\tname\n5\tx\n")
    refused(small, "must count 0, 1, 2")
    (small / "nodes.tsv").unlink()
    (small / "subgraph_ids.tsv").write_text("line\tname\n0\tx\n")
    refused(small, "1 name for 4 subgraphs")
    refused(small, "no subgraphs.nope.pth", variant="nope")


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
        ("edges", "source,target\na,b\nb,c,d\n", "line 3 has 3 fields, the header has 2: 'b,c,d'"),
        ("edges", "source,target\n", "the graph has no edges"),
        ("edges", "source,target\na,a\n", "no edges between different nodes"),
        ("edges", "source,target\na,\n", "column 'target' is missing in row 1"),
        ("edges", "", "the file is empty"),
        ("edges", "source,target,weight\na,b,-1\n", "weight -1.0; weights are finite and above 0"),
        ("edges", "source,target,weight\na,b,heavy\n", "weights must be numbers"),
        ("edges", "source,target,weight\na,b,\n", "the weight in row 1 is missing"),
        ("members", "subgraph_id,node_id\n", "there are no subgraphs"),
        ("members", "subgraph_id,node_id\ns1,zz\n", "subgraph 's1' has the node 'zz'"),
        (
            "members",
            "subgraph_id,node_id\ns1,a\ns2,c\n",
            "subgraph 's3' has a label but no members",
        ),
        ("labels", "subgraph_id,label\ns1,x\n", "the label of subgraph 's2' is missing"),
        ("labels", "subgraph_id,label\ns1,x\ns2,\ns3,x\ns4,x\n", "the label of row 2 is missing"),
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
        ("nodes", "node_id\na\nb\nc\n", "ends at node 'd', which the nodes table does not have"),
        ("nodes", "node_id\na\na\nb\nc\nd\n", "listed twice"),
        ("subgraph_edges", "subgraph_id,source,target\ns1,a,c\n", "not both members"),
        ("subgraph_edges", "subgraph_id,source,target\nxx,a,b\n", "row 1 names a subgraph or node"),
    ],
)
def test_bad_tables(tables: Path, name: str, text: str, message: str) -> None:
    (tables / f"{name}.csv").write_text(text)
    refused(tables, message)


def test_tables_with_a_mark_windows_ends_and_other_columns(tables: Path) -> None:
    expected = read_task(tables)
    for path in tables.iterdir():
        path.write_text("\ufeff" + path.read_text().replace("\n", "\r\n"), "utf-8", newline="")
    assert read_task(tables) == expected
    text = (tables / "edges.csv").read_text(encoding="utf-8")
    (tables / "edges.csv").write_text(text.replace("source,target", "payer,payee"), "utf-8")
    refused(tables, "columns found: .*payer, payee")
    mapped = read_task(tables, columns={"source": "payer", "target": "payee"})
    assert mapped == expected
    (tables / "edges.tsv").write_text("source\ttarget\na\tb\n")
    refused(tables, r"both edges\.csv and edges\.tsv are in the folder")


def test_node_columns_become_features(tables: Path) -> None:
    (tables / "nodes.csv").write_text(
        "node_id,title,x,y,colour\nd,Dora,1,2.5,red\nc,Carl,3,4,red\nb,Bob,5,6,red\na,Ann,7,8,red\n"
    )
    task = read_task(tables)
    assert task.graph.features is not None
    assert task.graph.features.tolist() == [[1, 2.5], [3, 4], [5, 6], [7, 8]]
    assert task.graph.titles is not None
    assert list(task.graph.titles) == ["Dora", "Carl", "Bob", "Ann"]
    assert "1 node column not used (no numbers): 'colour'." in task.notes


def test_broken_parquet(tables: Path) -> None:
    (tables / "edges.csv").unlink()
    path = tables / "edges.parquet"
    for data, message in ((b"", "the file is empty"), (b"PAR1 nope", "no whole Parquet file")):
        path.write_bytes(data)
        refused(tables, message)
    path.unlink()
    refused(tables, "the folder has no edges table")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"subgraphs\.jsonl:2: this is not JSON"),
        ("[1]", r"subgraphs\.jsonl:2: expected an object"),
        ('{"id": "t"}', r"subgraphs\.jsonl:2: 'nodes' must be a list"),
        ('{"id": "t", "nodes": "ab"}', r"subgraphs\.jsonl:2: 'nodes' must be a list"),
        ('{"id": "t", "nodes": []}', r"subgraphs\.jsonl:2: the subgraph is empty"),
        ('{"id": "t", "nodes": ["a"], "color": 1}', r"subgraphs\.jsonl:2: unknown field 'color'"),
        ('{"id": "t", "nodes": ["a"], "weights": []}', "differ in length"),
        ('{"id": 1.5, "nodes": ["a"]}', "'id' must be text"),
        ('{"id": "t", "nodes": ["a"], "label": {}}', "'label' must be a class"),
        ('{"id": "s", "nodes": ["a"]}', "'s' is there twice"),
        ('{"id": "t", "nodes": ["a"]}', "the label of row 2 is missing"),
    ],
)
def test_bad_jsonl(tables: Path, line: str, message: str) -> None:
    (tables / "members.csv").unlink()
    (tables / "labels.csv").unlink()
    path = tables / "subgraphs.jsonl"
    path.write_text('{"id": "s", "nodes": ["a", "b"], "label": "x"}\n' + line + "\n")
    refused(tables, message)


def test_gmt_with_labels_and_graph_in_files(tables: Path, tmp_path: Path) -> None:
    gmt = tmp_path / "sets" / "sets.gmt"
    gmt.parent.mkdir()
    gmt.write_text("s1\tfirst\ta\tb\t\ns2\tsecond\tc\td\ns3\tna\ta\ns4\tna\tc\n")
    task = read_task(gmt, graph=tables / "edges.csv", labels=tables / "labels.csv")
    assert task.subgraphs.titles is not None
    assert list(task.subgraphs.titles) == ["first", "second", "na", "na"]
    assert np.array_equal(task.subgraphs.nodes, read_task(tables).subgraphs.nodes)
    with pytest.raises(ConfigError, match="holds subgraphs only; name the edges"):
        read_task(gmt)
    with pytest.raises(DataError, match="no such file"):
        read_task(gmt, graph=tables / "nope.csv")
    for text, message in (
        ("s1\tx\ta\ns1\tx\tb\n", "'s1' is there twice"),
        ("s1\tx\n", r"sets\.gmt:1: the set 's1' is empty"),
        ("\tx\ta\n", r"sets\.gmt:1: the set has no name"),
        ("", "the file is empty"),
    ):
        gmt.write_text(text)
        refused(gmt, message, graph=tables / "edges.csv")


def test_options_that_do_not_apply_are_refused(small: Path, tables: Path) -> None:
    both = small  # the same temporary folder: SubGNN files and tables side by side
    for options in ({"columns": {"source": "x"}}, {"graph": "e.csv"}, {"labels": "l.csv"}):
        with pytest.raises(ConfigError):
            read_task(both, **options)  # type: ignore[arg-type]
    for name in ("edge_list.txt", "subgraphs.pth"):
        (both / name).unlink()
    with pytest.raises(ConfigError, match="SubGNN layout"):
        read_task(tables, variant="split1")


def test_frames_that_are_none() -> None:
    with pytest.raises(DataError, match="edges: expected a data frame"):
        SubgraphTask.from_tables(7, MEMBERS)
    with pytest.raises(DataError, match="ids are integers or text"):
        SubgraphTask.from_tables({"source": [1.5], "target": [2.0]}, MEMBERS)
    with pytest.raises(DataError, match=r"the type bool|ids are integers or text"):
        SubgraphTask.from_tables({"source": [True], "target": [False]}, MEMBERS)


def test_everything_is_one_kind_of_error() -> None:
    assert issubclass(DataError, Sub2NodeError)
    with pytest.raises(DataError, match="Did you mean 'ppi_bp'"):
        load_task("ppi_pb")
    with pytest.raises(ConfigError, match="Did you mean 'density'"):
        load_task("generate:densty")
    with pytest.raises(ConfigError, match=r"no setting 'sed'\. Did you mean 'seed'"):
        load_task("generate:density,sed=1")
    with pytest.raises(ConfigError, match="whole number"):
        load_task("generate:density,seed=x")


def test_a_small_table_is_read_on_one_thread(tmp_path: Path, monkeypatch) -> None:
    """Arrow's threads may abort a process that has torch loaded and refuses the next file."""
    asked = []
    read = reader.pacsv.read_csv

    def watched(stream, read_options, **options):
        asked.append(read_options.use_threads)
        return read(stream, read_options=read_options, **options)

    monkeypatch.setattr(reader.pacsv, "read_csv", watched)
    monkeypatch.setattr(reader, "_BLOCK", 1 << 10)
    for size in (1, 1000):
        (tmp_path / "some.csv").write_text("a,b\n" + "1,2345678\n" * size)
        reader.delimited(tmp_path / "some.csv", ",")
    assert asked == [False, True]
