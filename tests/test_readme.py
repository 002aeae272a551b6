"""The README is true: what it says is printed, is printed; its Python runs in test_docs.py."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

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


def test_ppi_bp_is_translated_so(data: Path, tmp_path: Path) -> None:
    command, *written = block_after("## Translation", 1)
    assert written == run(*command.removeprefix("$ s2n ").split(), cwd=tmp_path, data=data)


def test_ppi_bp_is_coarsened_so(data: Path, tmp_path: Path) -> None:
    command, *written = block_after("## Few labelled subgraphs")
    found = run(*command.removeprefix("$ s2n ").split(), cwd=tmp_path, data=data)
    assert written[:6] == found[:6]  # nodes and sets
    assert numberless(written) == numberless(found)
