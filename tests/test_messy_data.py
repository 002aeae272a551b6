"""From files as people have them to a model in one command each; nothing is lost unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

import messy_data
from small_models import QUICK, Done, s2n
from sub2node import SubgraphClassifier, load_task
from sub2node.scoring import load_scorer

SETS = [word for key, value in QUICK.items() for word in ("--set", f"{key}={value}")]
TRAINING = ("--seeds", "1", "--device", "cpu", *SETS)


def fit(out: Path, *words: object) -> Done:
    done = s2n("fit", *words, "-o", out, *TRAINING)
    assert done.code == 0, done.err
    return done


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
    columns = ("--column", "labels.subgraph_id=set_name", "--column", "labels.label=group")
    settled = (*columns, "--bad-rows", "drop", "--unknown-nodes", "drop")
    rows = tmp_path / "rows.csv"
    done = fit(tmp_path / "model", *data, *settled, "--problems", rows)
    for part in (
        "Warning: 1 line of sets.gmt dropped (1 empty subgraph): line 25.",
        "Warning: 1 line of sets.gmt dropped (1 repeated subgraph): line 26.",
        "1 row of the labels table dropped (1 unmatched label): line 26: 'SET_GONE'.",
        "Warning: 8 unknown members in 4 subgraphs dropped: 'LOC999' in subgraph 'SET_0'",
        "1 column of the edges table not used: 'combined_score'.",
    ):
        assert part in done.err
        assert part.removeprefix("Warning: ") in kept_notes(tmp_path / "model")
    assert len(rows.read_text().splitlines()) == 1 + 11


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
    answers = tmp_path / "answers.csv"
    asked = s2n("predict", tmp_path / "model", folder, "--column", "labels.label=diagnosis",
                "-o", answers)  # fmt: skip
    assert asked.code == 0, asked.err
    names = {line.split(",")[0].strip('"') for line in answers.read_text().splitlines()[1:]}
    assert names == {"p5", "p8", "p36", "p37", "p38", "p39"}


@pytest.mark.slow
def test_a_fraud_analyst(tmp_path: Path) -> None:
    folder = messy_data.fraud_analyst(tmp_path / "data")
    columns = ("--column", "source=payer", "--column", "target=payee")
    first = s2n("doctor", folder, *columns)
    for part in ("4 missing features", "6 unusable weights", "1 unknown member", "conflicting"):
        assert part in first.out
    goes_on = first.out.splitlines()[-1].partition("payee ")[2].split()
    done = fit(tmp_path / "model", folder, *columns, *goes_on)
    for part in (
        "3 missing values of the feature 'age_days' set to",
        "the median of members of training subgraphs; the column 'age_days_missing' says where",
        "6 rows of the edges table dropped (6 unusable weights)",
        "1 unknown member in 1 subgraph dropped: 'acc_unknown' in subgraph 'alert30'.",
        "1 subgraph without a known member omitted: 'alert30'.",
    ):
        assert part in done.err
        assert part in kept_notes(tmp_path / "model")


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
