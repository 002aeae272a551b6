"""Text that is not UTF-8 is read as what it is, which is said."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest

from sub2node import DataError, load_task
from sub2node.io import encodings
from sub2node.io.sets import read_sets
from sub2node.io.text_files import opened

TABLES = {
    "edges": "source,target\na,é\né,c\nc,d\nd,a\n",
    "members": "subgraph_id,node_id\np1,a\np2,é\np3,c\np4,d\n",
    "labels": "subgraph_id,label\np1,Ménière\np2,“y”\np3,Ménière\np4,“y”\n",
}


def written(folder: Path, encoding: str) -> Path:
    for name, text in TABLES.items():
        (folder / f"{name}.csv").write_bytes(text.encode(encoding))
    return folder


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8-sig", ""),
        ("utf-16", "labels.csv is read as UTF-16."),
        (
            "cp1252",
            "labels.csv is not all UTF-8; what is not, first in line 2, is read as Windows-1252:"
            " 'p1,Ménière'.",
        ),
    ],
)
def test_tables_mean_the_same_in_each_encoding(tmp_path: Path, encoding: str, note: str) -> None:
    expected = load_task(written(tmp_path, "utf-8"))
    assert not expected.notes
    task = load_task(written(tmp_path, encoding))
    assert task.hash == expected.hash
    assert task.class_names == ("Ménière", "“y”")
    assert task.notes[2:] == ((note,) if note else ())
    notes = list[str]()
    (batch,) = read_sets(tmp_path / "members.csv", notes=notes)
    assert batch.nodes.to_pylist() == ["a", "é", "c", "d"]
    assert len(notes) == bool(note)


def test_problems_come_with_how_the_files_were_read(tmp_path: Path) -> None:
    from sub2node.task.problems import Problems

    written(tmp_path, "cp1252")
    (tmp_path / "members.csv").write_text("subgraph_id,node_id\np1,zz\n", "utf-8")
    problems = Problems()
    with pytest.raises(DataError):
        load_task(tmp_path, problems=problems)
    assert sum("Windows-1252" in note for note in problems.notes) == 2


@pytest.mark.parametrize("block", [1, 2, 3, 7, 1 << 18])
def test_blocks_may_end_within_a_character(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(encodings, "_BLOCK", block)
    text = "a\n𝄞 é “z” ñ\r\n" * 3
    (tmp_path / "a.csv").write_bytes(text.encode())
    (tmp_path / "b.csv.gz").write_bytes(
        gzip.compress(text.encode("utf-16-be").join([b"\xfe\xff", b""]))
    )
    (tmp_path / "c.csv").write_bytes(text.encode() + b"\xe9\n\x81\n" + "é\xe2".encode("cp1252"))
    for name, expected in (
        ("a.csv", text.encode()),
        ("b.csv.gz", text.encode()),
        ("c.csv", text.encode() + b"\xc3\xa9\n\x81\n" + "éâ".encode()),
    ):
        with encodings.listening(found := {}), opened(tmp_path / name) as stream:
            assert stream.read() == expected
        assert len(found) == (name != "a.csv")
        if name == "c.csv":
            assert "first in line 7, is read as Windows-1252: 'é'" in found[str(tmp_path / name)]


def test_random_bytes_are_utf_8_or_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the decoder of the standard library, piece by piece."""
    rng = np.random.default_rng(0)
    monkeypatch.setattr(encodings, "_BLOCK", 5)
    for _ in range(50):
        data = rng.choice([10, 65, 0xC3, 0xA9, 0xE2, 0x80, 0x9D], 40).astype(np.uint8).tobytes()
        data = b"a" + data
        pieces = data.decode("utf-8", "surrogateescape")
        odd = {
            chr(0xDC00 + b): bytes([b]).decode("cp1252", "surrogateescape") for b in range(128, 256)
        }
        expected = "".join(odd.get(c, c) for c in pieces).encode("utf-8", "surrogateescape")
        found = encodings.as_utf8(io.BufferedReader(io.BytesIO(data)), tmp_path).read()
        assert found == expected


def test_utf_16_that_is_cut(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("a,b\n".encode("utf-16")[:-1])
    with pytest.raises(DataError, match=r"a\.csv: the file is damaged: it is not all UTF-16"):
        list(read_sets(tmp_path / "a.csv"))
