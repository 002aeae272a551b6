"""benchmarks/suite_times.py: what a situation hides, and the rows of a run."""

from __future__ import annotations

import csv
import importlib.util
import shutil
import subprocess
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
    monkeypatch.setenv("S2N_CACHE", "/warm")
    monkeypatch.delenv("PIP_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/mine")
    for name, situation in script.SITUATIONS.items():
        with script.environment_of(situation) as variables:
            found = [shutil.which(p, path=variables["PATH"]) for p in ("chromium", "chromedriver")]
            assert all(found) == (name != "no browser")
            assert ("S2N_DATA" in variables) == (name != "no data")
            tool = shutil.which("tool", path=variables["PATH"])
            assert Path(tool).resolve() == programs / "one" / "tool"  # the first of two
            assert "S2N_CACHE" not in variables
            assert not Path(variables["XDG_CACHE_HOME"]).exists()
            assert variables["PIP_CACHE_DIR"] == "/mine/pip"


def test_a_situation_that_the_machine_does_not_have_is_refused(
    script, programs: Path, monkeypatch, capsys
) -> None:
    monkeypatch.setenv("S2N_DATA", str(programs / "no folder"))
    assert script.missing(script.SITUATIONS["usual"]).startswith("S2N_DATA")
    assert script.missing(script.SITUATIONS["no data"]) is None
    (programs / "two" / "chromedriver").unlink()
    monkeypatch.setenv("S2N_DATA", str(programs))
    assert script.missing(script.SITUATIONS["background"]) == "chromedriver on the PATH"
    assert script.missing(script.SITUATIONS["no browser"]) is None
    monkeypatch.setattr(sys, "argv", ["suite_times.py", "quick", "--only", "usual"])
    with pytest.raises(SystemExit):
        script.main()
    assert "'usual' needs chromedriver on the PATH" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("said", "kept", "expected"),
    [
        ("global.find-links='/wheels'", (), "local folder"),
        ("global.extra-index-url='file:///simple'", ("http",), "local folder"),
        ("", ("http-v2",), "warm cache"),
        ("", ("wheels",), "network"),
    ],
)
def test_where_packages_come_from(
    script, tmp_path: Path, monkeypatch, said: str, kept: tuple[str, ...], expected: str
) -> None:
    for name in kept:
        (tmp_path / name / "a").mkdir(parents=True)
    done = subprocess.CompletedProcess([], 0, stdout=said)
    monkeypatch.setattr(script.subprocess, "run", lambda *_, **__: done)
    assert script.packages_from({"PIP_CACHE_DIR": str(tmp_path)}) == expected


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


@pytest.fixture
def source(script, tmp_path: Path, monkeypatch) -> Path:
    """A repository of which `make quick` passes in a new clone only, and `make test` fails."""
    source = tmp_path / "source"
    source.mkdir()
    quick = ".venv/.dev:\n\tmkdir .venv\nquick:\n\ttest ! -e used && touch used\n"
    (source / "Makefile").write_text(f"{quick}test:\n\tfalse\n")
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    script._git(tmp_path, "init", "--quiet", str(source))
    script._git(source, "add", "Makefile")
    script._git(source, *who, "commit", "--quiet", "-m", "first")
    monkeypatch.setattr(script, "ROOT", source)
    monkeypatch.setattr(script, "packages_from", lambda _: "network")
    monkeypatch.setattr(script, "missing", lambda _: None)
    return source


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.slow
def test_every_run_has_a_clone_of_its_own_and_what_lacks_is_done(
    script, source: Path, tmp_path: Path, monkeypatch
) -> None:
    out = tmp_path / "rows.csv"
    words = ["suite_times.py", "quick", "test", "--only", "no data", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", [*words, "--runs", "1"])
    script.main()
    first = out.read_text()
    assert [row["command"] for row in rows_of(out)] == ["make quick", "make test"]
    monkeypatch.setattr(sys, "argv", [*words, "--runs", "2"])
    script.main()
    script.main()  # nothing lacks
    rows = rows_of(out)
    assert out.read_text().startswith(first)
    assert [row["command"] for row in rows] == ["make quick", "make test"] * 2
    assert [row["exit_code"] == "0" for row in rows] == [True, False] * 2
    assert {row["commit"] for row in rows} == {
        script._git(source, "rev-parse", "--short=7", "HEAD")
    }
    assert tuple(rows[0]) == script.COLUMNS


def test_what_a_file_lacks(script, tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    row = {"command": "make quick", "situation": "usual"}
    script.append_row(out, {**dict.fromkeys(script.COLUMNS, ""), **row})
    assert script.remaining(["quick", "test"], ["usual", "no data"], 2, out) == [
        ("test", "usual"), ("quick", "no data"), ("test", "no data"),
        ("quick", "usual"), ("test", "usual"), ("quick", "no data"), ("test", "no data"),
    ]  # fmt: skip
    assert len(script.remaining(["quick"], ["usual"], 3, None)) == 3
    out.write_text("command,situation\nmake quick,usual\n")
    with pytest.raises(SystemExit, match="other columns"):
        script.remaining(["quick"], ["usual"], 1, out)
