"""Files of subgraphs without a graph: every format, every kind of dirt, however long."""

from __future__ import annotations

import csv
import gzip
import io
import json
import pickle
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sub2node import ConfigError, DataError
from sub2node.base import progress
from sub2node.io.grouped_rows import ScatteredRowsError
from sub2node.io.sets import FORMATS, read_sets
from sub2node.io.table_writer import open_table
from traced_memory import peak_of

SETS = {"s": ["a", "b"], "t 2": ["c"], "ü": ["a", "dé", "é"]}
PAIRS = [(name, node) for name, nodes in SETS.items() for node in nodes]


def written(path: Path, content: bytes | str | pa.Table) -> Path:
    if isinstance(content, pa.Table):
        pq.write_table(content, path)
    else:
        raw = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


class ReadSet(NamedTuple):
    """A subgraph of a batch."""

    line: int
    name: str
    nodes: list[str]
    problem: str = ""


def unpacked(batch) -> list[ReadSet]:
    nodes, ptr = batch.nodes.to_pylist(), batch.ptr.tolist()
    return [
        ReadSet(line, name, nodes[ptr[at] : ptr[at + 1]], batch.problems.get(at, ""))
        for at, (line, name) in enumerate(zip(batch.lines.tolist(), batch.names, strict=True))
    ]


def listed(path: Path, columns: dict[str, str] | None = None, **options) -> list[ReadSet]:
    """All subgraphs, as the command reads them: at once where their rows are scattered."""
    try:
        batches = list(read_sets(path, columns, **options))
    except ScatteredRowsError:
        batches = list(read_sets(path, columns, at_once=True, **options))
    return [row for batch in batches for row in unpacked(batch)]


def sets_in(path: Path, columns: dict[str, str] | None = None, **options) -> dict[str, list]:
    rows = listed(path, columns, **options)
    assert not [row.problem for row in rows if row.problem]
    assert len({row.name for row in rows}) == len(rows)
    return {row.name: row.nodes for row in rows}


def delimited(pairs: Iterable[Iterable[str]], delimiter: str = ",", end: str = "\n") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(pairs)
    return text.getvalue()


def text_of(ending: str, sets: dict[str, list[str]]) -> str:
    if ".gmt" in ending:
        return "".join("\t".join([name, "title", *nodes]) + "\n" for name, nodes in sets.items())
    if "json" in ending:
        rows = ({"id": name, "nodes": nodes} for name, nodes in sets.items())
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    pairs = [(name, node) for name, nodes in sets.items() for node in nodes]
    return delimited([("subgraph_id", "node_id"), *pairs], "\t" if "tsv" in ending else ",")


def pair_table(pairs: Iterable[tuple], kind: pa.DataType | None = None) -> pa.Table:
    names, nodes = zip(*pairs, strict=True)
    return pa.table({"subgraph_id": pa.array(names, kind), "node_id": pa.array(nodes, kind)})


def refused(path: Path, message: str, columns: dict[str, str] | None = None) -> None:
    with pytest.raises(DataError, match=message) as caught:
        listed(path, columns)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))


BINARY = (".parquet", ".pq", ".xlsx")
TEXT = [ending for ending in FORMATS if ending not in BINARY]


@pytest.mark.parametrize("ending", TEXT)
def test_every_text_format_gives_the_same_sets(tmp_path: Path, ending: str) -> None:
    path = written(tmp_path / f"a.b{ending}", text_of(ending, SETS))
    assert list(sets_in(path).items()) == list(SETS.items())


@pytest.mark.parametrize("ending", [".parquet", ".pq", ".PARQUET"])
def test_parquet_gives_the_same_sets(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    assert sets_in(written(path, pair_table(PAIRS))) == SETS
    table = pa.table({"subgraph_id": list(SETS), "nodes": list(SETS.values())})
    assert list(sets_in(written(path, table)).items()) == list(SETS.items())
    assert sets_in(written(path, table.rename_columns(["id", "nodes"]))) == SETS
    numbered = sets_in(written(path, table.select(["nodes"])))
    assert list(numbered) == ["1", "2", "3"]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".gmt", ".csv.gz", ".jsonl.gz"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_byte_order_marks_and_line_ends(tmp_path: Path, ending: str, mark: bytes, end: str) -> None:
    text = text_of(ending, SETS).replace("\n", end)
    assert sets_in(written(tmp_path / f"a{ending}", mark + text.encode())) == SETS
    without = text.removesuffix(end)
    assert sets_in(written(tmp_path / f"b{ending}", mark + without.encode())) == SETS


def test_gzip_is_known_by_its_content(tmp_path: Path) -> None:
    for ending in (".csv", ".jsonl", ".gmt"):
        raw = text_of(ending, SETS).encode()
        assert sets_in(written(tmp_path / f"a{ending}", gzip.compress(raw))) == SETS
        path = tmp_path / f"b{ending}.gz"
        path.write_bytes(raw)
        assert sets_in(path) == SETS


def test_quoted_fields_and_their_lines(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.csv",
        'note,subgraph_id,node_id\r\n"one\ntwo","s, ""1""","a,b"\r\n"",s2,\r\n\r\n'
        ',"three\r\nlines\r\n","x\ny"\r\n1,s3\r\n1,s4,b\r\n',
    )
    assert listed(path) == [
        ReadSet(2, 's, "1"', ["a,b"]),
        ReadSet(4, "s2", [], "the node is missing."),
        ReadSet(6, "three\r\nlines\r\n", ["x\ny"]),
        ReadSet(10, "s3", [], "2 fields, the header has 3."),
        ReadSet(11, "s4", ["b"]),
    ]


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        (("subgraph", "node"), {}),
        (("set", "id"), {}),
        ((" subgraph_id ", " node_id"), {}),
        (("module", "gene"), {"subgraph_id": "module", "node_id": "gene"}),
        (("set", "gene"), {"node_id": "gene"}),
    ],
)
def test_columns_by_other_names(tmp_path: Path, header: tuple, columns: dict[str, str]) -> None:
    path = written(tmp_path / "a.csv", delimited([header, *PAIRS]))
    assert sets_in(path, columns) == SETS
    mixed = [(node, "extra", name) for name, node in PAIRS]
    path = written(tmp_path / "b.tsv", delimited([(header[1], "x", header[0]), *mixed], "\t"))
    assert sets_in(path, columns) == SETS
    names = [name.strip() for name in header]
    assert sets_in(written(tmp_path / "a.parquet", pair_table(PAIRS).rename_columns(names)),
                 columns) == SETS  # fmt: skip


def test_a_mapping_wins_over_our_own_name(tmp_path: Path) -> None:
    rows = [("subgraph_id", "node_id", "gene"), ("s", "wrong", "a"), ("s", "wrong", "b")]
    path = written(tmp_path / "a.csv", delimited(rows))
    assert sets_in(path, {"node_id": "gene"}) == {"s": ["a", "b"]}
    assert sets_in(path) == {"s": ["wrong", "wrong"]}
    message = "no column 'gnee'; columns found: subgraph_id, node_id, gene. Map it: --column"
    refused(path, message, {"node_id": "gnee"})
    parquet = written(tmp_path / "a.parquet", pair_table(PAIRS))
    refused(parquet, "no column 'x'; columns found: subgraph_id, node_id", {"subgraph_id": "x"})


def test_a_mapping_of_the_members_table_and_those_of_others(tmp_path: Path) -> None:
    rows = [("subgraph_id", "node_id", "gene"), ("s", "wrong", "a"), ("s", "wrong", "b")]
    path = written(tmp_path / "a.csv", delimited(rows))
    columns = {"members.node_id": "gene", "edges.source": "from", "labels.title": "name"}
    assert sets_in(path, columns) == {"s": ["a", "b"]}
    with pytest.raises(ConfigError, match="there is no table 'member'"):
        list(read_sets(path, {"member.node_id": "gene"}))
    with pytest.raises(ConfigError, match="no column of ours is called 'node'"):
        list(read_sets(path, {"members.node": "gene"}))


def test_words_of_a_trade_and_missing_headers_are_said(tmp_path: Path) -> None:
    notes: list[str] = []
    path = written(tmp_path / "a.csv", "patient;term\ns;a\ns;b\n")
    assert sets_in(path, notes=notes) == {"s": ["a", "b"]}
    assert notes == [
        "a.csv is read as separated by semicolons.",
        "Columns of the members table taken by their names: 'patient' as subgraph_id, 'term' as"
        " node_id.",
    ]
    notes.clear()
    path = written(tmp_path / "b.csv", "\ufeffs,a\ns,b\nt,a\n")
    (first, second) = listed(path, notes=notes)
    assert (first.name, first.line, second.line) == ("s", 1, 3)
    assert notes == ["b.csv has no header line; its columns are subgraph_id, node_id."]


def test_the_rows_of_a_workbook(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    table = pa.table({"set": ["s", None, "s", "t"], "gene": [1, 2, 3, 4], "excluded": [*"nnyn"]})
    with open_table(path, ".xlsx", table.schema) as write:
        write(table)
    (batch,) = read_sets(path)
    assert batch.nodes.to_pylist() == ["1", "3", "4"]
    assert batch.absent.tolist() == [False, True, False]
    assert list(batch.problems.values()) == ["the subgraph is missing."]
    assert sorted(batch.lines.tolist()) == [2, 3, 5]


def test_a_format_that_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", "s\tabout it\ta\tb\n")
    refused(path, "subgraphs to predict end in")
    assert sets_in(path, format="gmt") == {"s": ["a", "b"]}
    written(path, "subgraph_id\tnode_id\ns\ta\n")
    assert sets_in(path, format="tables") == {"s": ["a"]}
    with pytest.raises(ConfigError, match="no format 'gtm' of subgraphs"):
        list(read_sets(path, format="gtm"))


WORD = st.text("abcü,\"\n\t'0 ", min_size=1, max_size=4).map(str.strip).filter(bool)
ROWS = st.lists(st.tuples(WORD | st.sampled_from("stu"), WORD), max_size=25)


@given(ROWS)
def test_rows_in_any_order_are_the_same_sets(tmp_path_factory, rows) -> None:
    folder = tmp_path_factory.mktemp("sets", numbered=True)
    wanted: dict[str, list[str]] = {}
    for name, node in rows:
        wanted.setdefault(name, []).append(node)
    paths = [
        written(folder / "a.csv", delimited([("subgraph_id", "node_id"), *rows])),
        written(folder / "a.tsv", delimited([("subgraph_id", "node_id"), *rows], "\t", "\r\n")),
        written(folder / "a.csv.gz", delimited([("set", "node"), *rows])),
    ]
    if rows:
        paths.append(written(folder / "a.parquet", pair_table(rows)))
    for path in paths:
        assert list(sets_in(path).items()) == list(wanted.items())


@given(st.lists(st.tuples(st.sampled_from("stuv"), st.sampled_from(["a", "b", ""])), max_size=20))
def test_a_bad_row_makes_its_own_subgraph_bad_and_no_other(tmp_path_factory, rows) -> None:
    path = tmp_path_factory.mktemp("sets", numbered=True) / "a.csv"
    wanted: dict[str, ReadSet] = {}
    for line, (name, node) in enumerate(rows, 2):
        old = wanted.setdefault(name, ReadSet(line, name, []))
        if old.problem:
            continue
        wanted[name] = (
            old._replace(nodes=[*old.nodes, node])
            if node
            else ReadSet(line, name, [], "the node is missing.")
        )
    assert listed(written(path, delimited([("set", "node"), *rows]))) == list(wanted.values())
    if rows:
        table = pair_table([(name, node or None) for name, node in rows], pa.string())
        shifted = [row._replace(line=row.line - 1) for row in wanted.values()]
        assert listed(written(path.with_suffix(".parquet"), table)) == shifted


def read_through(path: Path, rows: int) -> None:
    """Read a file of so many node rows and let them go."""
    assert sum(len(batch.nodes) for batch in read_sets(path, size=10)) == rows


@pytest.mark.slow
@pytest.mark.process
def test_rows_that_stand_together_are_read_some_subgraphs_at_a_time(tmp_path: Path) -> None:
    header = ("subgraph_id", "node_id")
    peaks = []
    for count in (200, 800):
        rows = [(f"s{i}", f"the node {i} {j}") for i in range(count) for j in range(200)]
        path = written(tmp_path / "a.csv", delimited([header, *rows]))
        peaks.append(peak_of(read_through, path, len(rows)))
    assert peaks[1] < 1.2 * peaks[0] < 6e6
    mixed = written(tmp_path / "b.csv", delimited([header, *rows[1:], rows[0]]))
    with pytest.raises(ScatteredRowsError):
        list(read_sets(mixed, size=10))
    (batch,) = read_sets(mixed, size=None)
    assert batch.names == [f"s{i}" for i in range(count)]
    assert [len(row.nodes) for row in unpacked(batch)] == [200] * count
    assert unpacked(batch)[0].nodes[-1] == "the node 0 0"


@given(
    st.lists(st.tuples(st.sampled_from(["s", "t", " u", ""]), st.sampled_from(["a", "", " b "])),
             max_size=30),
    st.integers(1, 4),
)  # fmt: skip
def test_batches_of_any_size_hold_the_same(tmp_path_factory, rows, size) -> None:
    path = tmp_path_factory.mktemp("sets", numbered=True) / "a.csv"
    written(path, delimited([("set", "node"), *rows]))
    whole = [row for batch in read_sets(path, size=None) for row in unpacked(batch)]
    assert listed(path, size=size) == whole
    try:
        sizes = [len(batch) for batch in read_sets(path, size=size)]
    except ScatteredRowsError:
        names = [name.strip() for name, _ in rows]
        assert len(list(groupby(names))) > len(set(names))
        return
    assert all(length == size for length in sizes[:-1])


@pytest.mark.slow
def test_lines_and_lists_are_not_read_ahead(tmp_path: Path) -> None:
    names = [f"s{i}" for i in range(140_000)]
    jsonl = written(tmp_path / "a.jsonl", "".join(f'{{"id":"{n}","nodes":[1]}}\n' for n in names))
    table = pa.table({"subgraph_id": names, "nodes": pa.array([["a"]] * len(names))})
    parquet = written(tmp_path / "a.parquet", table)
    for path in (jsonl, parquet):
        shares: list[float] = []
        with progress.listen(
            lambda report, shares=shares: shares.append(report.done / report.total)
        ):
            coming = read_sets(path)
            assert next(coming).names[0] == "s0"
            assert max(shares, default=0.0) < 0.5
            assert sum(map(len, coming)) == len(names) - 1000
        assert shares[-1] == 1


def test_bad_rows_of_tables(tmp_path: Path) -> None:
    text = "subgraph_id,node_id\ns,a\nt\n,b\nu,\nv,b,c\n , \nw,a\ns,b\n"
    assert listed(written(tmp_path / "a.csv", text)) == [
        ReadSet(4, "", [], "the subgraph is missing."),
        ReadSet(7, "", [], "the subgraph is missing."),
        ReadSet(2, "s", ["a", "b"]),
        ReadSet(3, "t", [], "1 fields, the header has 2."),
        ReadSet(5, "u", [], "the node is missing."),
        ReadSet(6, "v", [], "3 fields, the header has 2."),
        ReadSet(8, "w", ["a"]),
    ]
    long = f"set\tnode\ns\ta\nt\t{'x' * 200_000}\nu\tb\n"
    rows = listed(written(tmp_path / "a.tsv", long))
    assert [rows[1], rows[2]] == [ReadSet(2, "s", ["a"]), ReadSet(4, "u", ["b"])]
    assert rows[0]._replace(problem="") == ReadSet(3, "", [])
    assert "this row cannot be read: field larger" in rows[0].problem


def test_a_row_that_is_no_text_hurts_only_itself(tmp_path: Path) -> None:
    raw = b"subgraph_id,node_id,note\ns,a,\x81\nt,\x81b,\nu,c,\n\x9d,d,\n"
    rows = listed(written(tmp_path / "a.csv", raw))
    assert [(row.line, row.name, row.nodes) for row in rows[:3]] == [
        (2, "s", ["a"]), (3, "t", []), (4, "u", ["c"])
    ]  # fmt: skip
    assert (rows[3].line, rows[3].nodes, len(rows)) == (5, [], 4)
    rows[3].name.encode()
    assert {row.problem for row in rows if not row.nodes} == {"this row is not UTF-8 text."}
    for ending, good in ((".jsonl", b'{"nodes": ["a"]}'), (".gmt", b"s\t\ta")):
        raw = b"\x81\xfe\n" + good + b"\n\n" + good.replace(b"a", b"\x8d") + b"\n"
        rows = listed(written(tmp_path / f"a{ending}", raw))
        assert [(row.line, row.nodes) for row in rows] == [(1, []), (2, ["a"]), (4, [])]
        assert rows[2].problem == rows[0].problem == "this line is not UTF-8 text."


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "this is not JSON"),
        ('{"nodes": ["a"]} x', "this is not JSON"),
        ("[1]", "expected an object"),
        ("null", "expected an object"),
        ('"a"', "expected an object"),
        ("{}", "'nodes' must be a list"),
        ('{"id": "a"}', "'nodes' must be a list"),
        ('{"nodes": "abc"}', "'nodes' must be a list"),
        ('{"nodes": {"a": 1}}', "'nodes' must be a list"),
        ('{"nodes": []}', "the subgraph is empty"),
        ('{"nodes": [null]}', "'nodes' must be a list"),
        ('{"nodes": [1.5]}', "'nodes' must be a list"),
        ('{"nodes": [true]}', "'nodes' must be a list"),
        ('{"nodes": [["a"]]}', "'nodes' must be a list"),
        ('{"nodes": [NaN]}', "'nodes' must be a list"),
        ('{"nodes": [99999999999999999999]}', "'nodes' must be a list"),
        ('{"nodes": ["a"], "id": null}', "'id' must be text or an integer"),
        ('{"nodes": ["a"], "id": 1.5}', "'id' must be text or an integer"),
        ('{"nodes": ["a"], "id": true}', "'id' must be text or an integer"),
        ('{"nodes": ["a"], "colour": 1}', "unknown field 'colour'"),
        ('{"nodes": ["a"], "weights": [1, 2]}', "differ in length"),
        ('{"nodes": ["\\ud800"]}', "no proper text"),
        ("[" * 100_000, "too deep"),
    ],
)
def test_bad_lines_of_json(tmp_path: Path, line: str, message: str) -> None:
    text = f'{{"id": "first", "nodes": ["a", 7]}}\n\n{line}\n{{"id": 4, "nodes": ["b"]}}\n'
    first, bad, last = listed(written(tmp_path / "a.jsonl", text))
    assert first == ReadSet(1, "first", ["a", "7"])
    assert (bad.line, bad.nodes) == (3, [])
    assert message in bad.problem
    assert "\n" not in bad.problem
    assert last == ReadSet(4, "4", ["b"])


def test_bad_lines_of_gene_sets(tmp_path: Path) -> None:
    text = "s\tone\ta\t\tb\t\n\nt\n\tx\ta\nu\td\t\nv\t\tc\n"
    assert listed(written(tmp_path / "a.gmt", text)) == [
        ReadSet(1, "s", ["a", "b"]),
        ReadSet(3, "t", [], "the set is empty: name, description, genes, by tabs."),
        ReadSet(4, "", [], "the set has no name."),
        ReadSet(5, "u", [], "the set is empty: name, description, genes, by tabs."),
        ReadSet(6, "v", ["c"]),
    ]


def test_a_name_that_comes_twice(tmp_path: Path) -> None:
    twice = "a subgraph of this name came before."
    text = '{"id": "7", "nodes": ["a"]}\n{"id": 7, "nodes": ["b"]}\n{"id": "8", "nodes": ["b"]}\n'
    expected = [ReadSet(1, "7", ["a"]), ReadSet(2, "7", [], twice), ReadSet(3, "8", ["b"])]
    assert listed(written(tmp_path / "a.jsonl", text)) == expected
    text = "7\t\ta\n7\t\tb\n8\t\tb\n"
    assert listed(written(tmp_path / "a.gmt", text)) == expected


def test_missing_entries_of_parquet(tmp_path: Path) -> None:
    table = pair_table([("s", "a"), (None, "b"), ("t", None), ("s", "c"), (None, None)])
    assert listed(written(tmp_path / "a.parquet", table)) == [
        ReadSet(2, "", [], "the subgraph is missing."),
        ReadSet(5, "", [], "the subgraph is missing."),
        ReadSet(1, "s", ["a", "c"]),
        ReadSet(3, "t", [], "the node is missing."),
    ]
    lists = [["a"], None, [], ["a", None], ["b"], ["c"]]
    table = pa.table({"subgraph_id": ["s", "t", "u", "v", None, "w"], "nodes": lists})
    empty = "it is empty or has a missing node."
    assert listed(written(tmp_path / "b.parquet", table)) == [
        ReadSet(1, "s", ["a"]),
        *(ReadSet(row, name, [], empty) for row, name in ((2, "t"), (3, "u"), (4, "v"))),
        ReadSet(5, "", [], "it has no name."),
        ReadSet(6, "w", ["c"]),
    ]


def test_kinds_of_ids_in_parquet(tmp_path: Path) -> None:
    path, numbers = tmp_path / "a.parquet", [(1, 30), (1, 2**62), (2, -1)]
    for kind in (pa.int64(), None):
        assert sets_in(written(path, pair_table(numbers, kind))) == {
            "1": ["30", str(2**62)], "2": ["-1"]
        }  # fmt: skip
    table = pa.table({"subgraph_id": [1, 2], "nodes": [[30, 2], [4]]})
    assert sets_in(written(path, table)) == {"1": ["30", "2"], "2": ["4"]}
    for kind in (pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        assert sets_in(written(path, pair_table(PAIRS, kind))) == SETS
    words = pa.array([["a", "b"], ["a"]], pa.list_(pa.dictionary(pa.int32(), pa.string())))
    coded = pa.table({"subgraph_id": pa.array(["s", "t"]).dictionary_encode(), "nodes": words})
    assert sets_in(written(path, coded)) == {"s": ["a", "b"], "t": ["a"]}


@pytest.mark.slow
def test_parquet_in_several_pieces(tmp_path: Path) -> None:
    rows = [(f"s{i // 3}", f"n{i}") for i in range(140_000)]
    path = tmp_path / "a.parquet"
    pq.write_table(pair_table(rows), path, row_group_size=50_000)
    sets = listed(path)
    assert len(sets) == 46_667
    assert sets[22_000] == ReadSet(66_001, "s22000", ["n66000", "n66001", "n66002"])
    assert sum(len(row.nodes) for row in sets) == 140_000


def test_nothing_but_a_header(tmp_path: Path) -> None:
    assert listed(written(tmp_path / "a.csv", "subgraph_id,node_id\n")) == []
    assert listed(written(tmp_path / "a.tsv", "subgraph_id\tnode_id")) == []
    none = pa.array([], pa.string())
    table = pa.table({"subgraph_id": none, "node_id": none})
    assert listed(written(tmp_path / "a.parquet", table)) == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.jsonl", b" \n\r\n\t\n", "the file is empty"),
        ("a.gmt", b"\xef\xbb\xbf", "the file is empty"),
        ("a.parquet", b"", "no whole Parquet file"),
        ("a.parquet", b"subgraph_id,node_id\ns,a\n", "no whole Parquet file"),
        ("a.parquet", b"PAR1" + b"\0" * 100 + b"PAR1", "no whole Parquet file"),
        ("a.csv", b"PAR1abc", "a Parquet file, expected plain text"),
        ("a.csv", b"PK\x03\x04abc", "a zip archive"),
        ("a.jsonl", pickle.dumps({"nodes": ["a"]}), "a pickle"),
        ("a.gmt", b"\x89PNG\r\n\x1a\n\0\0", "a binary file"),
        ("a.csv", "subgraph_id,node_id\ns,a\n".encode("utf-16-le"), "a binary file"),
        ("a.csv", b"node_id\na\n", "no column 'subgraph_id'; columns found: node_id"),
        ("a.csv", b"s,a\nt,b\n", "no column 'subgraph_id'; columns found: s, a"),
        ("a.xlsx", b"x", "no whole Excel workbook"),
        ("a", b"x", "subgraphs to predict end in .csv"),
    ],
)
def test_what_is_no_such_file_at_all(tmp_path: Path, name: str, content: bytes, message) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    refused(path, message)


@pytest.mark.parametrize("ending", FORMATS)
def test_no_file_and_a_folder(tmp_path: Path, ending: str) -> None:
    refused(tmp_path / f"none{ending}", "there is no such file")
    path = tmp_path / f"folder{ending}"
    path.mkdir()
    refused(path, "this is a folder|expected a file|not a regular file")


def test_gzip_that_was_cut(tmp_path: Path) -> None:
    for ending in (".csv.gz", ".jsonl.gz", ".gmt.gz"):
        many = {f"s{i}": [f"n{i * 7919 % 10007}"] for i in range(3000)}
        raw = gzip.compress(text_of(ending, many).encode())
        path = tmp_path / f"a{ending}"
        for size in (5, len(raw) // 2, len(raw) - 3):
            path.write_bytes(raw[:size])
            refused(path, "the gzip file is truncated or damaged")


def test_parquet_that_was_cut(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", pair_table(PAIRS))
    raw = path.read_bytes()
    for size in (1, 4, 8, len(raw) // 2, len(raw) - 8, len(raw) - 1):
        path.write_bytes(raw[:size])
        refused(path, "no whole Parquet file")
    for at in (8, 30, 60):  # a page that is not what the footer says
        path.write_bytes(raw[:at] + b"\xff" * 8 + raw[at + 8 :])
        with pytest.raises(DataError) as caught:
            listed(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [pa.string(), pa.int64(), pa.float64()])
def test_a_column_nodes_without_lists(tmp_path: Path, kind: pa.DataType) -> None:
    values = pa.array(["1"], pa.string()).cast(kind)
    table = pa.table({"subgraph_id": ["s"], "nodes": values})
    refused(written(tmp_path / "a.parquet", table), "'nodes' must hold lists")


PIECES = [b"subgraph_id", b"node_id", b",", b"\t", b"\n", b"\r\n", b"\r",
          b'"', b"{", b"}", b":", b"[",
          b'"nodes"', b"]", b"a", b" ", b"\xff", b"\xef\xbb\xbf", b'{"nodes":["a"]}\n', b"7",
          b"\\u00"]  # fmt: skip
LIKELY = st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.sampled_from([*TEXT, ".parquet"]), LIKELY | st.binary(max_size=200), st.booleans())
def test_any_bytes_are_sets_or_one_sentence(tmp_path: Path, ending, raw, headed) -> None:
    path = tmp_path / f"a{ending}"
    head = b"subgraph_id\tnode_id\n" if "tsv" in ending else b"subgraph_id,node_id\n"
    path.write_bytes(head + raw if headed and ".gz" not in ending else raw)
    try:
        rows, refusal = listed(path), ""
    except DataError as error:
        rows, refusal = [], str(error)
    assert refusal.startswith(str(path)) or not refusal
    assert "\n" not in refusal
    lines = raw.count(b"\n") + raw.count(b"\r") + 2
    for row in rows:
        assert bool(row.nodes) != bool(row.problem)
        assert 1 <= row.line <= lines
        for text in (row.name, row.problem):
            assert text.encode().decode() == text


# Faults that are known.


def test_a_number_of_thousands_of_digits_is_a_bad_line(tmp_path: Path) -> None:
    text = f'{{"nodes": [{"1" * 5000}]}}\n{{"id": "b", "nodes": ["x"]}}\n'
    bad, good = listed(written(tmp_path / "a.jsonl", text))
    assert bad.problem
    assert good == ReadSet(2, "b", ["x"])


def test_one_long_line_is_no_table(tmp_path: Path) -> None:
    refused(written(tmp_path / "a.csv", "x" * 200_000), "header")


def test_a_parquet_entry_that_is_not_utf_8_hurts_only_itself(tmp_path: Path) -> None:
    ends = pa.array([0, 1, 2, 3], pa.int32()).buffers()[1]
    nodes = pa.Array.from_buffers(pa.string(), 3, [None, ends, pa.py_buffer(b"a\xffc")])
    table = pa.table({"subgraph_id": ["s", "t", "u"], "node_id": nodes})
    rows = listed(written(tmp_path / "a.parquet", table))
    assert [(row.line, row.name, row.nodes) for row in rows] == [
        (1, "s", ["a"]), (2, "t", []), (3, "u", ["c"]),
    ]  # fmt: skip


def test_a_parquet_column_that_is_there_twice(tmp_path: Path) -> None:
    columns = [pa.array(["s"]), pa.array(["a"]), pa.array(["b"])]
    table = pa.table(columns, names=["subgraph_id", "node_id", "node_id"])
    refused(written(tmp_path / "a.parquet", table), "node_id")


def test_a_column_that_is_there_twice(tmp_path: Path) -> None:
    refused(written(tmp_path / "a.csv", "subgraph_id,node_id,node_id\ns,a,b\n"), "node_id")


@pytest.mark.parametrize("kind", [pa.large_list(pa.string()), pa.list_(pa.string(), 2)])
def test_other_kinds_of_lists(tmp_path: Path, kind: pa.DataType) -> None:
    table = pa.table({"subgraph_id": ["s"], "nodes": pa.array([["a", "b"]], kind)})
    assert sets_in(written(tmp_path / "a.parquet", table)) == {"s": ["a", "b"]}


def test_an_open_quote_is_said_to_be_bad(tmp_path: Path) -> None:
    text = 'subgraph_id,node_id\nr,a\ns,"b\nt,c\nu,d\n'
    rows = listed(written(tmp_path / "a.csv", text))
    assert any(row.problem and row.line == 3 for row in rows)


@pytest.mark.parametrize("name", ["subgraph", "set"])
def test_lists_with_aliases(tmp_path: Path, name: str) -> None:
    table = pa.table({name: ["s"], "nodes": [["a"]]})
    assert sets_in(written(tmp_path / "a.parquet", table)) == {"s": ["a"]}


def test_lists_with_a_mapping_to_nothing(tmp_path: Path) -> None:
    table = pa.table({"name": ["s"], "nodes": [["a"]]})
    refused(written(tmp_path / "a.parquet", table), "no column 'nmae'", {"subgraph_id": "nmae"})


def test_lists_with_a_name_that_comes_twice(tmp_path: Path) -> None:
    table = pa.table({"subgraph_id": ["s", "s"], "nodes": [["a"], ["b"]]})
    twice = "a subgraph of this name came before."
    rows = listed(written(tmp_path / "a.parquet", table))
    assert rows == [ReadSet(1, "s", ["a"]), ReadSet(2, "s", [], twice)]


def test_pairs_with_a_column_nodes_of_another_kind(tmp_path: Path) -> None:
    table = pair_table(PAIRS).append_column("nodes", pa.array([3] * len(PAIRS)))
    assert sets_in(written(tmp_path / "a.parquet", table)) == SETS


def test_empty_text_in_parquet_is_missing(tmp_path: Path) -> None:
    table = pair_table([("", "a"), ("s", ""), ("t", "b")])
    rows = listed(written(tmp_path / "a.parquet", table))
    assert [(row.line, row.name, bool(row.problem)) for row in rows] == [
        (1, "", True), (2, "s", True), (3, "t", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "value"),
    [(pa.bool_(), True), (pa.struct([("a", pa.int64())]), {"a": 1}), (pa.float64(), 1.5)],
)
def test_parquet_ids_of_a_wrong_type(tmp_path: Path, kind: pa.DataType, value: object) -> None:
    table = pa.table({"subgraph_id": ["s"], "node_id": pa.array([value], kind)})
    (row,) = listed(written(tmp_path / "a.parquet", table))
    assert row.problem == f"the node is {value}; ids are integers or text."


def test_parquet_bytes_are_text(tmp_path: Path) -> None:
    table = pair_table([(b"s", b"a")], pa.binary())
    assert sets_in(written(tmp_path / "a.parquet", table)) == {"s": ["a"]}


def test_whole_floats_are_integers_as_in_tables_of_tasks(tmp_path: Path) -> None:
    table = pair_table([(1.0, 7.0), (1.0, None), (2.0, 8.0)], pa.float64())
    rows = listed(written(tmp_path / "a.parquet", table))
    assert rows[1] == ReadSet(3, "2", ["8"])


def test_blank_lines_before_the_header(tmp_path: Path) -> None:
    assert sets_in(written(tmp_path / "a.csv", "\n\nset,node\ns,a\n")) == {"s": ["a"]}


def test_a_bad_line_of_json_is_named(tmp_path: Path) -> None:
    (row,) = listed(written(tmp_path / "a.jsonl", '{"id": "q", "nodes": []}\n'))
    assert row.name == "q"


def test_an_empty_name_after_a_bad_line(tmp_path: Path) -> None:
    rows = listed(written(tmp_path / "a.jsonl", '{\n{"id": "", "nodes": ["x"]}\n'))
    assert "came before" not in rows[1].problem


def test_a_name_that_is_not_utf_8_spoils_no_other(tmp_path: Path) -> None:
    raw = b"subgraph_id,node_id\na?,x\nb,z\na\xff,y\n"
    rows = listed(written(tmp_path / "a.csv", raw))
    assert ReadSet(2, "a?", ["x"]) in rows


def test_a_mapping_of_no_column_of_ours(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", delimited([("subgraph_id", "node_id"), *PAIRS]))
    with pytest.raises(ConfigError, match="no column of ours is called 'foo'"):
        listed(path, {"foo": "bar"})


def test_a_folder_called_parquet(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").mkdir()
    refused(tmp_path / "a.parquet", "this is a folder")


SIGNED = [("s", "a", False), ("s", "b", True), ("t", "a", True), ("t", "c", False)]


def signed_table(delimiter: str, words: tuple[str, str] = ("no", "yes"), end: str = "\n") -> str:
    rows = [delimiter.join((who, node, words[absent])) for who, node, absent in SIGNED]
    return end.join([delimiter.join(("subgraph_id", "node_id", "excluded")), *rows]) + end


@pytest.mark.parametrize(
    ("ending", "content"),
    [
        (".csv", signed_table(",")),
        (".tsv.gz", signed_table("\t", ("", "TRUE"), "\r\n")),
        (".csv", signed_table(",", ('"observed"', '"excluded"'))),
        (".csv", signed_table(",").replace("\n", "\r")),
        (".parquet", pa.table(list(map(pa.array, zip(*SIGNED, strict=True))),
                              names=["subgraph_id", "node_id", "excluded"])),
        (".parquet", pa.table({"id": ["s", "t"], "nodes": [["a"], ["c"]],
                               "excluded": [["b"], ["a"]]})),
        (".jsonl", '{"id": "s", "nodes": ["a"], "excluded": ["b"]}\n'
                   '{"id": "t", "nodes": ["c"], "excluded": ["a"]}\n'),
    ],
)  # fmt: skip
def test_excluded_nodes_are_marked(tmp_path: Path, ending: str, content: str | pa.Table) -> None:
    batches = list(read_sets(written(tmp_path / f"sets{ending}", content), size=1))
    found = [
        (batch.names[0], node, absent)
        for batch in batches
        for node, absent in zip(batch.nodes.to_pylist(), batch.absent.tolist(), strict=True)
    ]
    assert sorted(found) == sorted(SIGNED)
    assert not any(batch.problems for batch in batches)


@pytest.mark.parametrize("quoted", [False, True])
def test_a_word_that_does_not_say_whether_it_is_excluded(tmp_path: Path, quoted: bool) -> None:
    word = '"maybe"' if quoted else "maybe"
    path = written(tmp_path / "sets.csv", f"set,node,excluded\ns,a,{word}\nt,b,1\nt,c,0\n")
    bad, good = listed(path)
    assert (bad.line, bad.name, bad.nodes) == (2, "s", [])
    assert "'excluded' has 'maybe'; it says true or false" in bad.problem
    assert good.nodes == ["b", "c"]


def test_a_list_of_excluded_nodes_that_is_none(tmp_path: Path) -> None:
    table = pa.table({"id": ["s"], "nodes": [["a"]], "excluded": ["b"]})
    (one,) = listed(written(tmp_path / "sets.parquet", table))
    assert one.problem == "its excluded nodes are 'b', expected a list."
    path = written(tmp_path / "sets.jsonl", '{"nodes": ["a"], "excluded": "b"}\n')
    assert "'excluded' must be a list of node ids" in listed(path)[0].problem
