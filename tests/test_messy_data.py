"""From files as people have them to a model in one command each; nothing is lost unseen."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import messy_data
from small_models import QUICK, Done, s2n
from sub2node import SubgraphClassifier, load_task
from sub2node.scoring import load_scorer

pytestmark = pytest.mark.usefixtures("few_trees")

SETS = [word for key, value in {**QUICK, "epochs": 60}.items()
        for word in ("--set", f"{key}={value}")]  # fmt: skip
TRAINING = ("--seeds", "1", "--device", "cpu", *SETS)


def fit(out: Path, *words: object) -> Done:
    done = s2n("fit", *words, "-o", out, *TRAINING)
    assert done.code == 0, done.err
    return done


def answers_of(model: Path, *words: object) -> dict[str, str]:
    """What a model says of each subgraph of a file."""
    out = model.with_name("answers.csv")
    done = s2n("predict", model, *words, "-o", out)
    assert done.code == 0, done.err
    with out.open() as file:
        return {row["subgraph_id"]: row["prediction"] for row in csv.DictReader(file)}


def share_right(answers: dict[str, str], truth: dict[str, str]) -> float:
    return sum(answers[name] == label for name, label in truth.items()) / len(truth)


def kept_notes(model: Path) -> str:
    return "\n".join(load_scorer(model).card["notes"])


@pytest.mark.slow
def test_a_bioinformatician(tmp_path: Path) -> None:
    folder = messy_data.bioinformatician(tmp_path / "data")
    data = (folder / "sets.gmt", "--graph", folder / "edges.tsv", "--labels", folder / "labels.tsv")
    first = s2n("doctor", *data)
    assert first.code == 1
    for part in ("1 empty subgraph", "1 repeated subgraph", "no column 'label'",
                 "no column 'subgraph_id'", "8 unknown members"):  # fmt: skip
        assert part in first.out
    mapped = s2n("doctor", *data, "--column", "labels.subgraph_id=set_name",
                 "--column", "labels.label=group")  # fmt: skip
    assert "1 second label\n     line 27: 'SET_3': 'growth'" in mapped.out
    columns = ("--column", "labels.subgraph_id=set_name", "--column", "labels.label=group")
    settled = (*columns, "--bad-rows", "drop", "--unknown-nodes", "drop")
    rows = tmp_path / "rows.csv"
    done = fit(tmp_path / "model", *data, *settled, "--problems", rows)
    for part in (
        "Warning: 1 line of sets.gmt dropped (1 empty subgraph): line 25.",
        "Warning: 1 line of sets.gmt dropped (1 repeated subgraph): line 26.",
        "1 row of the labels table dropped (1 unmatched label): line 26: 'SET_GONE'.",
        "Warning: 8 unknown members in 4 subgraphs dropped: 'LOC999' in subgraph 'SET_0'",
        "1 second label of 1 subgraph dropped: 'SET_3'.",
        "The scores of edges.tsv not used; --min-score omits low ones.",
    ):
        assert part in done.err
        assert part.removeprefix("Warning: ") in kept_notes(tmp_path / "model")
    assert len(rows.read_text().splitlines()) == 1 + 12
    answers = answers_of(tmp_path / "model", folder / "sets.gmt", "--unknown-nodes", "drop")
    truth = {f"SET_{i}": "immune" if i % 2 else "growth" for i in range(24)}
    assert share_right(answers, truth) >= 0.9


@pytest.mark.slow
def test_a_clinician(tmp_path: Path) -> None:
    folder = messy_data.clinician(tmp_path / "data")
    columns = ("--column", "labels.label=diagnosis", "--repeated", "max")
    warned = s2n("describe", folder, *columns)
    assert warned.code == 0, warned.err
    assert "2 classes of 4 seem to be several labels in one" in warned.out
    settled = (*columns, "--label-separator", "|")
    done = fit(tmp_path / "model", folder, *settled)
    for part in (
        "Note: edges.csv is read as separated by semicolons.",
        "Note: edges.csv is read with decimal commas, as in ",
        "labels taken apart at '|'.",
        "Note: 6 unlabelled subgraphs (a label that reads 'NA' is missing; --na-labels keep takes",
    ):
        assert part in done.err
        assert part.removeprefix("Note: ") in kept_notes(tmp_path / "model")
    assert "6 subgraphs without a label: s2n predict" in done.out
    asked = answers_of(tmp_path / "model", folder, "--column", "labels.label=diagnosis")
    assert asked.keys() == {"p5", "p8", "p36", "p37", "p38", "p39"}
    for name, answer in asked.items():
        assert ["Ataxia", "Dementia"][int(name[1:]) % 2] in answer
    task = load_task(folder, columns={"labels.label": "diagnosis"}, repeated="max")
    assert set(task.attributes["hospital"]) == {"", "A", "B", "C"}


@pytest.mark.slow
def test_a_fraud_analyst(tmp_path: Path) -> None:
    folder = messy_data.fraud_analyst(tmp_path / "data")
    columns = ("--column", "source=payer", "--column", "target=payee")
    first = s2n("doctor", folder, *columns)
    for part in ("5 missing features", "6 unusable weights", "1 unknown member", "conflicting",
                 "2 non-numeric values", "1 second weight"):  # fmt: skip
        assert part in first.out
    goes_on = first.out.splitlines()[-1].partition("payee ")[2].split()
    done = fit(tmp_path / "model", folder, *columns, *goes_on)
    for part in (
        "3 missing values of the feature 'age_days' set to",
        "the median of members of training subgraphs",
        "3 missing values of the feature 'risk' set to",
        "1 row of the members table dropped (1 second weight): line 93: 'acc",
        "6 rows of the edges table dropped (6 unusable weights)",
        "1 unknown member in 1 subgraph dropped: 'acc_unknown' in subgraph 'alert30'.",
        "1 subgraph without a known member omitted: 'alert30'.",
    ):
        assert part in done.err
        assert part in kept_notes(tmp_path / "model")
    answers = answers_of(tmp_path / "model", folder / "members.csv", "--unknown-nodes", "drop")
    truth = {f"alert{i}": "true" if i % 2 else "false" for i in range(30)}
    assert share_right(answers, truth) >= 0.9
    lines = (folder / "nodes.csv").read_text().replace(",-\n", ",unknown\n")
    (folder / "nodes.csv").write_text(lines)
    named = s2n("doctor", folder, *columns, "--na-words", "unknown,-")
    assert "7 missing features" in named.out
    assert "non-numeric" not in named.out


@pytest.mark.slow
def test_unlabelled_subgraphs_change_no_number(tmp_path: Path) -> None:
    folder = messy_data.clinician(tmp_path / "data")
    options = {"columns": {"labels.label": "diagnosis"}, "repeated": "max"}
    task = load_task(folder, **options)
    unlabelled = set(task.unlabelled.subgraph_ids)
    path = folder / "members.csv"
    head, *rows = path.read_text().splitlines()
    left = [row for row in rows if row.split(";")[0] not in unlabelled]
    path.write_text("\n".join([head, *left]) + "\n")
    path = folder / "labels.csv"
    head, *rows = path.read_text().splitlines()
    left = [row for row in rows if row.split(";")[0] not in unlabelled]
    path.write_text("\n".join([head, *left]) + "\n")
    plain = load_task(folder, **options)
    assert plain.unlabelled is None
    assert plain.hash == task.hash
    models = [
        SubgraphClassifier(seeds=1, preset="fast", settings=QUICK).fit(one) for one in (plain, task)
    ]
    assert models[0].validation_ == models[1].validation_
    answers = [model.predict_proba(task.unlabelled) for model in models]
    assert (answers[0] == answers[1]).all()
    assert answers[0].shape == (6, task.num_classes)
