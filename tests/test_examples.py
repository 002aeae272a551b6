"""The examples run, what they claim holds, and their models answer the same by ``s2n predict``."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sub2node.cli.app import app

HOME = Path(__file__).parents[1] / "examples"
NEW = {
    "gene_sets": "data/new_sets.gmt",
    "symptoms": "patients.jsonl",
    "accounts": "new_alerts.parquet",
}


def called(*words: str | Path, data: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name != "S2N_DATA"}
    env |= {} if data is None else {"S2N_DATA": str(data.resolve())}
    return subprocess.run(
        [sys.executable, "-W", "error::FutureWarning", *map(str, words)],
        capture_output=True, text=True, encoding="utf-8", env=env, timeout=240, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("name", list(NEW))
@pytest.mark.process
def test_an_example_keeps_its_word(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    data = None if name == "accounts" else request.getfixturevalue("data")
    out = tmp_path / "out"
    told = called(HOME / f"{name}.py", "--quick", "--out", out, data=data)
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
@pytest.mark.process
def test_missing_data_is_one_sentence(name: str, tmp_path: Path) -> None:
    told = called(HOME / f"{name}.py", "--quick", "--out", tmp_path / "out")
    assert told.returncode == 1
    assert told.stderr.startswith("Set the environment variable S2N_DATA")
    assert len(told.stderr.splitlines()) == 1
    assert told.stdout == ""
    assert not (tmp_path / "out").exists()
