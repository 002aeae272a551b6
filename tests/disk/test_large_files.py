"""Large text becomes Parquet piece by piece; archives are unpacked on the way."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sub2node.base.errors import DataError
from sub2node.disk import large_files
from sub2node.disk.large_files import as_parquet, find_large, parquet_files, unpacked_archive


def rewritten(tmp_path: Path, text: str, what: str = "edges", **columns: str) -> pa.Table:
    (tmp_path / "table.csv").write_text(text, "utf-8")
    return pq.read_table(as_parquet(tmp_path / "table.csv", tmp_path, what, columns))


def test_ids_are_numbers_where_all_of_them_are(tmp_path: Path) -> None:
    table = rewritten(tmp_path, "source,target,weight\n1,2,3\n2,3,4\n")
    assert [str(kind) for kind in table.schema.types] == ["int64", "int64", "double"]


def test_an_id_that_is_text_far_below_makes_all_of_them_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_files, "_BLOCK", 64)
    rows = "".join(f"{i},{i + 1},1\n" for i in range(100))
    table = rewritten(tmp_path, f"source,target,weight\n{rows}x,7,2.5\n")
    assert table["source"].to_pylist()[-2:] == ["99", "x"]
    assert table["weight"].to_pylist()[-1] == 2.5


@pytest.mark.parametrize("odd", ["007", "+7", "-0", "1.0"])
def test_an_id_that_is_not_written_as_a_number_is_text(tmp_path: Path, odd: str) -> None:
    table = rewritten(tmp_path, f"source,target\n1,2\n 3 ,{odd}\n")
    assert table.to_pylist() == [{"source": "1", "target": "2"}, {"source": "3", "target": odd}]


def test_an_id_that_is_missing_is_missing(tmp_path: Path) -> None:
    assert rewritten(tmp_path, "source,target\n1,2\n,3\n")["source"].to_pylist() == [1, None]
    (tmp_path / "edges.parquet").unlink()
    assert rewritten(tmp_path, "source,target\na,2\n ,3\n")["source"].to_pylist() == ["a", None]


def test_a_mapped_id_is_no_number_with_a_point(tmp_path: Path) -> None:
    table = rewritten(tmp_path, "payer_no,payee_no\n1,2\n", source="payer_no", target="payee_no")
    assert [str(kind) for kind in table.schema.types] == ["int64", "int64"]


def test_a_line_that_does_not_fit_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_files, "_BLOCK", 64)
    rows = "".join(f"{i},{i + 1},1\n" for i in range(100))
    with pytest.raises(DataError, match="a line does not fit those before it"):
        rewritten(tmp_path, f"source,target,weight\n{rows}7,8,heavy\n")


def test_what_was_rewritten_before_is_not_made_again(tmp_path: Path) -> None:
    before = rewritten(tmp_path, "source,target\n1,2\n")
    assert rewritten(tmp_path, "source,target\n5,6\n").equals(before)


def test_two_tables_of_one_name_are_told(tmp_path: Path) -> None:
    assert find_large(tmp_path, "edges") is None
    (tmp_path / "edges").mkdir()
    assert find_large(tmp_path, "edges") == tmp_path / "edges"
    with pytest.raises(DataError, match="the folder has no Parquet files"):
        parquet_files(tmp_path / "edges")
    (tmp_path / "edges.csv.gz").touch()
    with pytest.raises(DataError, match=r"both edges and edges\.csv\.gz are in the folder"):
        find_large(tmp_path, "edges")


def archive_of(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            packed = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
            archive.writestr(name, packed)
    return path


def test_packed_tables_of_an_archive_are_read(tmp_path: Path) -> None:
    files = {"d/edges.csv.gz": "a,b\n1,2\n", "d/members.csv": "subgraph_id,node_id\n0,1\n"}
    path = archive_of(tmp_path / "data.zip", files)
    out = unpacked_archive(path, tmp_path, {"source": "a", "target": "b"})
    assert sorted(file.name for file in out.iterdir()) == ["edges.parquet", "members.csv"]
    assert pq.read_table(out / "edges.parquet").to_pylist() == [{"a": 1, "b": 2}]


def test_in_an_archive_of_elliptic2_only_the_background_is_large(tmp_path: Path) -> None:
    files = {"background_edges.csv": "clId1,clId2,txId\n1,2,9\n", "edges.csv": "clId1,clId2\n1,2\n"}
    out = unpacked_archive(archive_of(tmp_path / "data.zip", files), tmp_path, {})
    assert sorted(file.name for file in out.iterdir()) == ["background_edges.parquet", "edges.csv"]
    kinds = pq.read_schema(out / "background_edges.parquet").types[:2]
    assert kinds == [pa.int64(), pa.int64()]


def test_nothing_of_an_archive_lands_elsewhere_or_twice(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "data.zip", {"../../members.csv": "x\n"})
    assert unpacked_archive(path, tmp_path, {}).joinpath("members.csv").is_file()
    path = archive_of(tmp_path / "two.zip", {"a/members.csv": "x\n", "b/members.csv": "y\n"})
    with pytest.raises(DataError, match=r"several files 'members\.csv'"):
        unpacked_archive(path, tmp_path, {})
    with pytest.raises(DataError, match="an engine reads a folder of tables, or a zip archive"):
        unpacked_archive(tmp_path / "unpacked" / "members.csv", tmp_path, {})
