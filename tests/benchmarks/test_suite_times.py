"""benchmarks/suite_times.py: what a situation hides, and the rows of a run."""

from __future__ import annotations

import csv
import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = ROOT / "benchmarks" / "suite_times.py"
    spec = importlib.util.spec_from_file_location("benchmarks_suite_times", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there for their types
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with a browser and a shell in two folders."""
    for place, names in (("one", ("chromium", "sh", "tool")), ("two", ("tool", "chromedriver"))):
        (tmp_path / place).mkdir()
        for name in names:
            program = tmp_path / place / name
            program.write_text(f"#!/bin/sh\necho {place}\n")
            program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'one'}:{tmp_path / 'two'}:{tmp_path / 'none'}")
    return tmp_path


def test_a_situation_hides_what_it_says(script, programs: Path, monkeypatch) -> None:
    monkeypatch.setenv("S2N_DATA", "/data")
    for name, situation in script.SITUATIONS.items():
        with script.environment_of(situation) as variables:
            found = [shutil.which(p, path=variables["PATH"]) for p in ("chromium", "chromedriver")]
            assert all(found) == (name != "no browser")
            assert ("S2N_DATA" in variables) == (name != "no data")
            tool = shutil.which("tool", path=variables["PATH"])
            assert Path(tool).resolve() == programs / "one" / "tool"  # the first of two


@pytest.mark.parametrize(("foreground", "ignored"), [(True, "default"), (False, "ignored")])
def test_a_job_in_the_background_ignores_interrupts(
    script, tmp_path: Path, foreground: bool, ignored: str, capsys
) -> None:
    # A shell cannot trap a signal that it was started with as ignored.
    code = "trap 'echo default; exit 3' INT; kill -INT $$; echo ignored"
    folder = tmp_path / "clone"
    folder.mkdir()
    timed = script.run_command(["sh", "-c", code], folder, {}, foreground=foreground)
    assert (tmp_path / "clone.log").read_text() == f"{ignored}\n"
    assert timed.code == (3 if foreground else 0)
    assert capsys.readouterr().out == ("default\n" if foreground else "")  # of a failure


@pytest.mark.slow
def test_rows_of_a_run_are_appended(script, tmp_path: Path, monkeypatch) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "Makefile").write_text(".venv/.dev:\n\ttrue\nquick:\n\ttrue\ntest:\n\tfalse\n")
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    script._git(tmp_path, "init", "--quiet", str(source))
    script._git(source, "add", "Makefile")
    script._git(source, *who, "commit", "--quiet", "-m", "first")
    monkeypatch.setattr(script, "ROOT", source)
    out = tmp_path / "rows.csv"
    words = ["suite_times.py", "quick", "test", "--runs", "2", "--only", "no data"]
    monkeypatch.setattr(sys, "argv", [*words, "--out", str(out)])
    script.main()
    with out.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["command"] for row in rows] == ["make quick", "make test"] * 2
    assert [row["exit_code"] == "0" for row in rows] == [True, False] * 2
    assert {row["commit"] for row in rows} == {
        script._git(source, "rev-parse", "--short=7", "HEAD")
    }
    assert tuple(rows[0]) == script.COLUMNS
