"""``s2n translate`` as a person runs it."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import sub2node as s2n
from commands import call_command, fork_process


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return call_command("translate", *words, env={"COLUMNS": "100"})


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_translate_writes_what_the_library_makes(small: Path, tmp_path: Path, engine: str) -> None:
    if engine == "duckdb":
        pytest.importorskip("ibis")
    out = tmp_path / "graph"
    done = run(small, "-o", out, "--engine", engine, "--a", "-0.5", "--delta", "2", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    task = s2n.load_task(small)
    expected = s2n.translate(task).normalize(-0.5, 2)
    assert summary["nodes"] == {"before": 6, "after": 4}
    assert summary["edges"] == {"before": 6, "after": expected.num_edges}
    assert summary["compression"]["nodes"] == pytest.approx(4 / 6)
    found = s2n.S2NGraph.load(out)
    assert found.weights.toarray() == pytest.approx(expected.weights.toarray(), abs=1e-6)
    assert found.normalized
    assert set(summary["homophily"]) == {"edge", "node"}


def test_one_direction_of_directed_edges(tables: Path, tmp_path: Path) -> None:
    words = (tables, "--directed", "--direction", "out", "-o", tmp_path / "graph", "--json")
    done = run(*words)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    expected = s2n.translate(s2n.load_task(tables, directed=True), direction="out")
    found = s2n.S2NGraph.load(tmp_path / "graph")
    assert np.array_equal(found.weights.toarray(), expected.weights.toarray())
    assert summary["edges"]["after"] == expected.num_edges
    assert summary["density"] == pytest.approx(expected.num_edges / (len(expected) * 3))
    done = run(tables, "--direction", "out", "-o", tmp_path / "other")
    assert done.returncode == 2
    assert "is for directed edges" in " ".join(done.stderr.split())


def test_translate_is_readable(small: Path, tmp_path: Path) -> None:
    done = run(small, "-o", tmp_path / "graph")
    assert done.returncode == 0, done.stderr
    for text in ("Nodes", "×0.6667", "Homophily: edge", "Density", "over all pairs of the train"):
        assert text in done.stdout


@pytest.mark.slow
def test_parquet_tables_go_straight_to_the_engine(small: Path, tmp_path: Path) -> None:
    pytest.importorskip("ibis")
    folder = s2n.save_task(s2n.load_task(small), tmp_path / "tables")
    out = tmp_path / "graph"
    done = run(
        folder, "-o", out, "--engine", "duckdb", "--memory", "500MB", "--top-k", "2", "--json"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["nodes"] == {"before": 6, "after": 4}
    expected = s2n.translate(s2n.load_task(small), top_k=2)
    assert np.array_equal(s2n.S2NGraph.load(out).weights.toarray(), expected.weights.toarray())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--delta", "2"), "--delta goes with --a"),
        (("--a", "-9"), "would keep pairs without any edge"),
        (("--engine", "sparkle"), "no engine 'sparkle'"),
        (("--te", "edge"), "Did you mean 'edges'"),
        (("--memory", "lots"), "looks like 2GB"),
        (("--a", "1", "--delta", "0"), "delta, the width"),
        (("--a", "nan"), "a must be a number"),
        (("--a", "1", "--cut", "2"), "omit the cut"),
        (("--spill", "/none"), "are for the engines"),
        (("--engine", "duckdb", "--spill", "/none"), "no folder /none to spill into"),
        (("--engine", "duckdb", "--a", "1", "--delta", "-1"), "delta, the width"),
        (("--top-k", "0"), "top_k must be a whole number from 1"),
    ],
)
def test_bad_options_leave_nothing(
    small: Path, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    done = run(small, "-o", tmp_path / "graph", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "graph").exists()


@pytest.mark.slow
def test_an_existing_output_is_left_alone(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "graph"
    assert run(small, "-o", out).returncode == 0
    before = (out / "weights.parquet").read_bytes()
    done = run(small, "-o", out, "--a", "1")
    assert done.returncode == 2
    assert "exists already" in done.stderr
    assert (out / "weights.parquet").read_bytes() == before
    assert run(small, "-o", out, "--a", "0.5", "--overwrite").returncode == 0
    assert s2n.S2NGraph.load(out).normalized
    (out / "mine.txt").write_text("")
    assert "which is not ours" in run(small, "-o", out, "--overwrite").stderr


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.process
def test_interrupting_leaves_nothing(tmp_path: Path, engine: str) -> None:
    if engine == "duckdb":
        pytest.importorskip("ibis")
    out = tmp_path / "graph"
    words = ["like:hpo_neuro", "-o", str(out), "--engine", engine]
    work = fork_process("translate", *words, env={"TMPDIR": str(tmp_path)})
    deadline = time.monotonic() + 30
    if engine == "memory":
        time.sleep(1.0)  # while the data are drawn
    else:  # until DuckDB has its spill folder: then it is at work
        while not any(tmp_path.glob(".spill.s2n-work-*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
    work.send_signal(signal.SIGINT)
    _, stderr = work.communicate(timeout=60)
    assert "Traceback" not in stderr
    assert work.returncode == 130
    assert not out.exists()
    left = [p.name for p in tmp_path.iterdir() if p.name != "graph"]
    assert left == []


def test_an_address_is_not_translated(tmp_path: Path) -> None:
    for engine in ((), ("--engine", "duckdb")):
        words = ("https://host/x?sig=secret", "-o", tmp_path / "out", *engine)
        done = call_command("translate", *words)
        assert done.returncode == 2
        assert done.stderr.startswith("Error: translate reads files of this machine")
        assert "secret" not in done.stderr
