"""Where a study is kept, and what cannot be one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sub2node.base.errors import ConfigError
from sub2node.cli.study_place import StudyPlace


def place(out: Path | None = None, **options: Any) -> StudyPlace:
    usual = {"storage": None, "study": None, "worker": False, "share": None, "resume": False}
    return StudyPlace(out, **{**usual, **options})


def test_a_study_is_a_journal_in_its_folder_unless_it_is_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert place().url == str(Path("study") / "journal.log")
    out = tmp_path / "out"
    assert place(out).url == str(out / "journal.log")
    shared = f"sqlite:///{out / 'study.sqlite'}"
    assert place(out, share="0.0.0.0:13000").url == shared
    assert place(out, storage="mysql://db/x").url == "mysql://db/x"
    out.mkdir()
    (out / "study.sqlite").write_text("")
    assert place(out, resume=True).url == shared  # one that was shared before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"worker": True}, "a worker needs the storage of the study: --storage URL"),
        ({"worker": True, "storage": "x", "resume": True}, "the process that begins a study"),
        ({"worker": True, "storage": "x", "share": "h:1"}, "the process that begins a study"),
        ({}, "holds something already; go on with it"),
        ({"share": "h:1", "resume": True}, "has a journal, which cannot be shared over gRPC"),
    ],
)
def test_what_cannot_be(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    (tmp_path / "journal.log").write_text("")
    with pytest.raises(ConfigError, match=message):
        place(tmp_path, **options)


def test_a_folder_is_a_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(ConfigError, match="file is a file, expected a folder"):
        place(file)
    with pytest.raises(ConfigError, match="there is no study in"):
        place(tmp_path / "none", resume=True)
    assert place(tmp_path / "none", resume=True, storage="x.log").url == "x.log"
