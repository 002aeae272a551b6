"""The examples run, what they claim holds, and their models answer the same by ``s2n predict``."""

from __future__ import annotations

import csv
import json
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from typer.testing import CliRunner

from sub2node.cli.app import app

HOME = Path(__file__).parents[1] / "examples"
NEW = {
    "gene_sets": "data/new_sets.gmt",
    "symptoms": "patients.jsonl",
    "accounts": "new_alerts.parquet",
}


@pytest.fixture
def run_example(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., CompletedProcess[str]]]:
    """Runs an example in this process, with the outcome as of a process of its own."""

    def run(name: str, out: Path, *, data: Path | None = None) -> CompletedProcess[str]:
        words = [str(HOME / f"{name}.py"), "--quick", "--out", str(out)]
        if data is None:
            monkeypatch.delenv("S2N_DATA", raising=False)
        else:
            monkeypatch.setenv("S2N_DATA", str(data.resolve()))
        monkeypatch.setattr(sys, "argv", words)
        monkeypatch.syspath_prepend(HOME)
        code, message = 0, ""
        try:
            runpy.run_path(words[0], run_name="__main__")
        except SystemExit as leave:
            code, message = 1, f"{leave.code}\n"
        told = capsys.readouterr()
        return CompletedProcess(words, code, told.out, told.err + message)

    yield run
    sys.modules.pop("story", None)


@pytest.mark.parametrize("name", list(NEW))
@pytest.mark.slow
def test_an_example_keeps_its_word(
    name: str, tmp_path: Path, request: pytest.FixtureRequest, run_example
) -> None:
    data = None if name == "accounts" else request.getfixturevalue("data")
    out = tmp_path / "out"
    told = run_example(name, out, data=data)
    assert told.returncode == 0, told.stderr
    assert told.stderr == ""
    assert len(told.stdout.splitlines()) < 60
    assert f"s2n serve {out / 'model'}" in told.stdout

    facts = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    simplest, *_, ours = facts["test"].values()
    assert list(facts["test"])[-1] == "sub2node"
    assert ours > simplest + 0.15
    if name == "accounts":
        assert facts["share"] == pytest.approx(0.1)
        assert min(facts["precision"], facts["recall"]) > 0.4
    assert min(answer["known"] for answer in facts["answers"]) < 1

    answers = out / "answers.csv"
    words = ["predict", str(out / "model"), str(out / NEW[name]), "-o", str(answers)]
    done = CliRunner().invoke(app, [*words, "--unknown-nodes", "drop"])
    assert done.exit_code == 0, done.output
    with answers.open(encoding="utf-8", newline="") as file:
        rows = {row["subgraph_id"]: row for row in csv.DictReader(file)}
    assert set(rows) == {answer["id"] for answer in facts["answers"]}
    for answer in facts["answers"]:
        said = {c: float(rows[answer["id"]][f"p {c}"]) for c in answer["probabilities"]}
        assert said == pytest.approx(answer["probabilities"], abs=1e-5)


@pytest.mark.parametrize("name", ["gene_sets", "symptoms"])
def test_missing_data_is_one_sentence(name: str, tmp_path: Path, run_example) -> None:
    told = run_example(name, tmp_path / "out")
    assert told.returncode == 1
    assert told.stderr.startswith("Set the environment variable S2N_DATA")
    assert len(told.stderr.splitlines()) == 1
    assert told.stdout == ""
    assert not (tmp_path / "out").exists()
