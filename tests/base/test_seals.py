"""A flipped bit in a sealed folder is seen; folders without a seal are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node.base.errors import DataError
from sub2node.base.seals import SEAL, check_seal, write_seal


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.parquet").write_bytes(bytes(range(256)))
    (tmp_path / "card.json").write_text("{}")
    (tmp_path / "notes.md").write_text("edit me")
    write_seal(tmp_path)
    return tmp_path


def test_every_flip_is_seen(sealed: Path) -> None:
    path = sealed / "parts" / "a.parquet"
    content = path.read_bytes()
    check_seal(sealed, "*.parquet", "*.json")
    for at in range(0, 256, 16):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(DataError, match=r"a\.parquet: this file is not the one"):
            check_seal(sealed, "*.parquet")
    check_seal(sealed, "*.json")


def test_only_what_is_asked_for_is_checked(sealed: Path) -> None:
    (sealed / "notes.md").write_text("edited")
    (sealed / "new.json").write_text("added later")
    check_seal(sealed, "*.parquet", "*.json")
    (sealed / "card.json").unlink()
    with pytest.raises(DataError, match="missing"):
        check_seal(sealed, "*.json")


@pytest.mark.parametrize("text", ["", "[]", '{"format": "x", "sha256": {}}', "[" * 100_000])
def test_damaged_checksums_are_refused(sealed: Path, text: str) -> None:
    (sealed / SEAL).write_text(text)
    with pytest.raises(DataError, match="checksums are damaged"):
        check_seal(sealed, "*.json")


def test_a_folder_of_an_older_version_is_read(sealed: Path) -> None:
    (sealed / "card.json").write_text('{"changed": true}')
    with pytest.raises(DataError, match=r"card\.json: this file is not the one"):
        check_seal(sealed, "*.json")
    (sealed / SEAL).unlink()  # older versions wrote none, so there is nothing to compare with
    check_seal(sealed, "*.json")
