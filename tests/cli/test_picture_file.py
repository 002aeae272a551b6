"""``s2n translate --picture``: a picture is drawn, or said beforehand why it cannot be."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from commands import call_command
from sub2node import MissingExtraError
from sub2node.base.errors import ConfigError
from sub2node.cli.picture_file import check_picture


@pytest.mark.slow
@pytest.mark.parametrize("name", ["graph.png", "graph.svg"])
def test_a_translation_draws_its_graph(small: Path, tmp_path: Path, name: str) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "pictures" / name
    words = ("translate", small, "-o", tmp_path / "graph", "--picture", picture)
    done = call_command(*words, env={"COLUMNS": "200"})
    assert done.returncode == 0, done.stderr
    assert f"Picture: {picture}" in done.stdout
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG" if name.endswith("png") else b"<?xml")
    assert len(content) > 5000
    assert call_command(*words).returncode == 2
    done = call_command(*words, "--overwrite", "--json")
    assert json.loads(done.stdout)["picture"] == str(picture)
    assert [path.name for path in picture.parent.iterdir()] == [name]


def test_what_cannot_be_drawn_is_said_beforehand(tmp_path: Path, monkeypatch) -> None:
    def refused(name: str, engine: str = "memory", *, overwrite: bool = False) -> str:
        with pytest.raises(ConfigError) as error:
            check_picture(tmp_path / name, engine, overwrite=overwrite)
        return str(error.value)

    assert "--engine duckdb leaves it on disk; omit one of them." in refused("a.png", "duckdb")
    assert "ends in .png, .svg, .pdf, found" in refused("a.jpg")
    (tmp_path / "b.png").write_bytes(b"")
    assert "exists already" in refused("b.png")
    (tmp_path / "c.png").mkdir()
    assert "is a folder" in refused("c.png", overwrite=True)
    assert "is no folder to write into" in refused("b.png/a.png")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"a picture needs.*sub2node\[report\]"):
        check_picture(tmp_path / "b.png", "memory", overwrite=True)
