"""The demo in a fresh clone: what is kept of it, on a repository whose demo takes no time."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
MAKEFILE = """
demo:
\t@echo "Making the environment …"
\t@echo "1. Describe"
\t@pwd; echo "S2N_DATA=$(S2N_DATA)"
\t@sleep 0.2; echo "2. Answer"
\t@echo "Version 2. is no step" >&2
"""


def git(folder: Path, *words: str) -> str:
    author = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    command = ["git", "-C", str(folder), *author, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.process
def test_transcript_and_times_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "--quiet")
    (repository / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    git(repository, "add", "Makefile")
    git(repository, "commit", "--quiet", "-m", "x")
    (repository / "Makefile").write_text("demo:\n\texit 1\n")  # not committed, so not cloned
    monkeypatch.setenv("S2N_DATA", "mine")
    rows, printed = tmp_path / "demo.csv", tmp_path / "demo.txt"
    options = ["--out", rows, "--printed", printed, "--repository", repository]
    script = [sys.executable, str(BENCHMARKS / "demo.py"), *map(str, options)]
    subprocess.run(script, check=True, capture_output=True)
    with rows.open(newline="", encoding="utf-8") as file:
        steps = list(csv.DictReader(file))
    assert [row["step"] for row in steps] == ["0", "1", "2", "all"]
    assert [row["what"] for row in steps[1:3]] == ["Describe", "Answer"]
    assert {row["commit"] for row in steps} == {git(repository, "rev-parse", "--short=7", "HEAD")}
    seconds = [float(row["seconds"]) for row in steps]
    assert 0.2 <= seconds[1] <= seconds[3]
    assert sum(seconds[:3]) == pytest.approx(seconds[3], abs=0.2)
    text = printed.read_text(encoding="utf-8")
    assert text.startswith("$ make demo\nMaking the environment …\n1. Describe\n.\nS2N_DATA=\n")
    assert "Version 2. is no step" in text


@pytest.mark.process
def test_a_demo_that_fails_leaves_no_rows(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "Makefile").write_text("demo:\n\t@exit 1\n")
    git(tmp_path, "add", "Makefile")
    git(tmp_path, "commit", "--quiet", "-m", "x")
    options = ["--out", "a.csv", "--printed", "a.txt", "--repository", str(tmp_path)]
    script = [sys.executable, str(BENCHMARKS / "demo.py"), *options]
    done = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "make demo ended with 2." in done.stderr
    assert not (tmp_path / "a.csv").exists()
