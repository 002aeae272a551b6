"""Files that are sent to be read: every format, bad rows, bad files, and bombs."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sub2node.io.table_writer import open_table
from sub2node.serve import api_schemas
from sub2node.serve.request_limits import RefusalError
from sub2node.serve.uploads import read_upload

TABLE = pa.table(
    {
        "patient": ["s", "t", "s", "s"],
        "gene": ["n1", "n2", "n3", "n4"],
        "excluded": ["", "no", "yes", None],
    }
)
WANTED = [
    {"id": "s", "nodes": ["n1", "n4"], "excluded": ["n3"], "error": None},
    {"id": "t", "nodes": ["n2"], "excluded": [], "error": None},
]
NOTE = (
    "Columns of the members table taken by their names: 'patient' as subgraph_id, 'gene' as"
    " node_id."
)


def content_of(folder: Path, table: pa.Table, ending: str) -> bytes:
    path = folder / f"a{ending}"
    with open_table(path, ending, table.schema) as write:
        write(table)
    return path.read_bytes()


def packet(name: str, *absent: str) -> str:
    features = [{"type": {"id": "n1"}}, *({"type": {"id": n}, "excluded": True} for n in absent)]
    return json.dumps({"id": name, "phenotypicFeatures": features})


def zipped(**files: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.json", text)
    return stream.getvalue()


@pytest.mark.parametrize("ending", [".parquet", ".xlsx", ".csv"])
def test_tables(tmp_path: Path, ending: str) -> None:
    answer = read_upload(content_of(tmp_path, TABLE, ending), f"../my file{ending}", {})
    assert answer == {"sets": WANTED, "notes": [NOTE]}
    assert api_schemas.ReadSets.model_validate(answer)


def test_columns_that_are_chosen(tmp_path: Path) -> None:
    content = content_of(tmp_path, TABLE.rename_columns(["who", "what", "not"]), ".parquet")
    with pytest.raises(RefusalError) as caught:
        read_upload(content, "a.parquet", {})
    assert caught.value.content()["columns"] == ["who", "what", "not"]
    chosen = {"subgraph_id": "who", "node_id": "what", "excluded": "not"}
    assert read_upload(content, "a.parquet", chosen) == {"sets": WANTED, "notes": []}


def test_a_zip_of_phenopackets() -> None:
    content = zipped(a=packet("one", "n2"), b=packet("two"), c="{broken", d=packet("one"))
    one, two, three, four = read_upload(content, "all.zip", {})["sets"]
    assert (one["id"], one["nodes"], one["excluded"]) == ("one", ["n1"], ["n2"])
    assert (two["id"], two["excluded"], two["error"]) == ("two", [], None)
    assert "no whole phenopacket" in three["error"]
    assert "came before" in four["error"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.parquet", b"PAR1 and no more", "no whole Parquet file"),
        ("a.xlsx", b"x", "no whole Excel workbook"),
        ("a.zip", b"x", "no whole zip archive"),
        ("a.doc", b"x", "subgraphs to predict end in"),
        ("..", b"x", "subgraphs to predict end in"),
        ("a.gmt", b"", "the file is empty"),
    ],
)
def test_files_that_are_none(name: str, content: bytes, message: str) -> None:
    with pytest.raises(RefusalError, match=message) as caught:
        read_upload(content, name, {})
    assert caught.value.status == 422
    assert "s2n-" not in caught.value.message  # the folder in which it was read


@pytest.mark.slow
def test_what_expands_to_too_much_is_refused() -> None:
    stream = io.BytesIO()
    pq.write_table(
        pa.table({"subgraph_id": ["s" * 1000] * 80_000, "node_id": ["n"] * 80_000}), stream
    )
    assert len(stream.getvalue()) < 100_000
    with pytest.raises(RefusalError, match="expands to more than 67,108,864 bytes"):
        read_upload(stream.getvalue(), "a.parquet", {})


def test_over_http(service, tmp_path: Path) -> None:
    client = service()
    content = content_of(tmp_path, TABLE, ".parquet")
    octets = {"Content-Type": "application/octet-stream"}
    answer = client.post("/v1/sets?name=a.parquet", content=content, headers=octets)
    assert (answer.status_code, answer.json()["sets"]) == (200, WANTED)
    asked = [{key: one[key] for key in ("id", "nodes", "excluded")} for one in WANTED]
    assert client.post("/v1/predict", json={"subgraphs": asked}).status_code == 200
    wrong = client.post("/v1/sets?name=a.parquet&node_id=x", content=content, headers=octets)
    assert wrong.json()["columns"] == ["patient", "gene", "excluded"]
    assert client.post("/v1/sets", content=content, headers=octets).json()["field"] == "name"
    assert client.post("/v1/sets?name=a.csv", json={}).status_code == 415
    large = client.post("/v1/sets?name=a.csv", content=b"x" * 3_000_000, headers=octets)
    assert large.status_code == 413
