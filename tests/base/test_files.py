"""Outputs that appear whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sub2node.base.errors import ConfigError, DataError, Sub2NodeError
from sub2node.base.files import (
    check_folder,
    new_file,
    new_folder,
    read_card,
    require_writable,
    written,
)

OURS = r"[ab]\.txt"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_appears_when_its_block_ends(tmp_path) -> None:
    place = tmp_path / "deep" / "out"
    with new_folder(place, overwrite=False, ours=OURS) as work:
        (work / "a.txt").write_text("new")
        assert not place.exists()
    assert names(place) == ["a.txt"]
    assert names(tmp_path) == ["deep"]


def test_a_folder_replaces_one_of_ours_as_a_whole(tmp_path) -> None:
    place = tmp_path / "out"
    place.mkdir()
    (place / "b.txt").write_text("old")
    with new_folder(place, overwrite=True, ours=OURS) as work:
        (work / "a.txt").write_text("new")
        assert names(place) == ["b.txt"]
    assert names(place) == ["a.txt"]


def test_an_error_leaves_what_stood_there(tmp_path) -> None:
    place = tmp_path / "out"
    place.mkdir()
    (place / "b.txt").write_text("old")

    def fail_halfway() -> None:
        with new_folder(place, overwrite=True, ours=OURS) as work:
            (work / "a.txt").write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        fail_halfway()
    assert (names(tmp_path), names(place)) == (["out"], ["b.txt"])


def test_the_old_folder_comes_back_if_the_last_step_fails(tmp_path, monkeypatch) -> None:
    place = tmp_path / "out"
    place.mkdir()
    (place / "b.txt").write_text("old")
    replace = Path.replace

    def refuse_new(path: Path, target: Path) -> Path:
        if path.name == "new":
            raise OSError(28, "No space left on device")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", refuse_new)
    with (
        pytest.raises(Sub2NodeError, match="cannot be written: No space left"),
        new_folder(place, overwrite=True, ours=OURS),
    ):
        pass
    assert (names(tmp_path), names(place)) == (["out"], ["b.txt"])


def test_what_is_not_ours_is_never_replaced(tmp_path, monkeypatch) -> None:
    place = tmp_path / "out"
    check_folder(place, overwrite=False, ours=OURS)
    place.mkdir()
    (place / "thesis.doc").write_text("")
    with pytest.raises(ConfigError, match="exists already"):
        check_folder(place, overwrite=False, ours=OURS)
    with pytest.raises(ConfigError, match=r"holds 'thesis\.doc'"):
        check_folder(place, overwrite=True, ours=OURS)
    with pytest.raises(ConfigError, match="is a file"):
        check_folder(place / "thesis.doc", overwrite=True, ours=OURS)
    monkeypatch.chdir(place)
    for folder in (Path(), Path("/")):
        with pytest.raises(ConfigError, match="cannot be replaced"):
            check_folder(folder, overwrite=True, ours=".*")


def test_a_file_appears_whole(tmp_path) -> None:
    place = tmp_path / "deep" / "out.csv"
    with new_file(place) as part:
        assert part.suffix == ".csv"  # writers choose the format by it
        part.write_text("first")
        assert not place.exists()
    assert place.read_text() == "first"

    def fail_halfway() -> None:
        with new_file(place) as part:
            part.write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        fail_halfway()
    assert place.read_text() == "first"
    assert names(place.parent) == ["out.csv"]


def test_a_place_that_cannot_be_written_is_named(tmp_path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    require_writable(tmp_path / "a" / "b")
    with pytest.raises(ConfigError, match="is no folder to write into"):
        require_writable(file / "out")
    with (
        pytest.raises(Sub2NodeError, match=r"out\.csv cannot be written: Not a directory"),
        written("out.csv"),
    ):
        (file / "out").mkdir()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "no card of the kind 'task'"),
        (json.dumps({"format": "run", "version": 1}), "no card of the kind 'task'"),
        (json.dumps({"format": "task", "version": 2}), "version 2, expected 1"),
    ],
)
def test_a_card_of_another_kind_is_refused(tmp_path, text, words) -> None:
    card = tmp_path / "card.json"
    card.write_text(text)
    with pytest.raises(DataError, match=words):
        read_card(card, "task", 1)
    card.write_text(json.dumps({"format": "task", "version": 1, "nodes": 3}))
    assert read_card(card, "task", 1)["nodes"] == 3
