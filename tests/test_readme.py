"""The README is true: what it says is printed, is printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import sub2node as s2n

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block_after(text: str, skip: int = 0) -> list[str]:
    """The lines of the first code block after a piece of text, or of one after it."""
    found = re.findall(r"```\w*\n(.*?)```", README[README.index(text) :], re.DOTALL)
    return str(found[skip]).rstrip("\n").split("\n")


def run(*words: str, cwd: Path, data: Path | None = None) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", "from sub2node.cli import main; main()", *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "100", "S2N_DATA": str(data or "")},
        check=False,
    )
    return [line.rstrip() for line in (done.stdout + done.stderr).strip("\n").split("\n")]


def test_the_demo_prints_what_it_says(tmp_path: Path) -> None:
    written = block_after("`make demo` prints:")
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").split("\ndemo:")[1].split("\n\n")[0]
    shown = []
    for line in re.findall(r"^\t@(.*)$", recipe, re.MULTILINE):
        if line.startswith("echo"):
            shown.append(line.removeprefix("echo").strip().strip('"'))
        else:
            shown += run(*line.removeprefix("$(BIN)/s2n ").split(), cwd=tmp_path)
    here, there = ([line for line in lines if line] for lines in (written, shown))
    start = here.index("4. Train S2N+A on it, five seeds side by side")
    assert here[:start] == there[:start]
    assert numberless(here[start:]) == numberless(there[start:])


def numberless(lines: list[str]) -> list[str]:
    """Lines without what depends on the machine: times, scores to the last digit, who is best."""
    text = "\n".join(lines)
    text = re.sub(r"against .*?, the best", "against #, the best", text)
    text = re.sub(r".* learned to tell .*", "#", text)  # the report's summary, in words
    text = re.sub(r"\bbest\b|[∗∼?─]", "", text)
    text = re.sub(r"[0-9][0-9.,]*", "#", text)
    return [" ".join(line.split()) for line in text.split("\n") if line.split()]


def test_ppi_bp_is_described_so(data: Path, tmp_path: Path) -> None:
    written = block_after("PPI-BP as\nreleased")
    assert written[0] == "$ s2n describe ppi_bp"
    assert written[1:] == run("describe", "ppi_bp", cwd=tmp_path, data=data)


def test_bad_input_is_refused_so(tmp_path: Path) -> None:
    written = block_after("Bad input gets one sentence")
    folder = tmp_path / "my-genes"
    folder.mkdir()
    (folder / "edges.csv").write_text("source,target\nTP53,MDM2\n")
    (folder / "members.csv").write_text("subgraph_id,node_id\np53 pathway,TP53\np53 pathway,MDM4\n")
    assert written == ["$ s2n describe my-genes", *run("describe", "my-genes", cwd=tmp_path)]


def test_your_own_data_in_three_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frames = {
        "edges": pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]}),
        "members": pd.DataFrame({"subgraph_id": ["s", "t"], "node_id": ["a", "c"]}),
        "labels": pd.DataFrame({"subgraph_id": ["s", "t"], "label": ["x", "y"]}),
    }
    exec("\n".join(block_after("## Your own data in three lines")), frames)
    assert s2n.load_task("my-task").num_classes == 2


def test_ppi_bp_is_translated_so(data: Path, tmp_path: Path) -> None:
    command, *written = block_after("## Translation", 1)
    assert written == run(*command.removeprefix("$ s2n ").split(), cwd=tmp_path, data=data)


def test_ppi_bp_is_coarsened_so(data: Path, tmp_path: Path) -> None:
    command, *written = block_after("## Few labelled subgraphs")
    found = run(*command.removeprefix("$ s2n ").split(), cwd=tmp_path, data=data)
    assert written[:6] == found[:6]  # nodes and sets
    assert numberless(written) == numberless(found)


def test_the_models_in_the_readme_run(capsys: pytest.CaptureFixture[str]) -> None:
    exec("\n".join(block_after("## Models")), {})
    mean, sd = map(float, capsys.readouterr().out.split())
    assert 0 <= mean <= 1
    assert sd >= 0


def test_the_translation_in_the_readme_and_the_docs_runs() -> None:
    names: dict[str, object] = {"new_subgraphs": s2n.Subgraphs.from_lists([[0, 1]])}
    exec("\n".join(block_after("## Translation")), names)
    pages = ("translation", "models", "baselines", "encodings", "coarsening")
    docs = "".join((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8") for page in pages)
    for block in re.findall(r"```python\n(.*?)```", docs, re.DOTALL):
        exec(block, {})


def test_the_answers_in_the_readme_and_the_docs_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec("\n".join(block_after("## Answers for new subgraphs")), {})
    assert "Contribution(id=" in capsys.readouterr().out
    assert (tmp_path / "my-model" / "MODEL_CARD.md").is_file()
    docs = (ROOT / "docs" / "answers.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", docs, re.DOTALL):
        exec(block, {})
