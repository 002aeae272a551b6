"""The way of an ensemble through the commands: fit, predict, explain, serve, report, Ctrl-C."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from commands import ctrl_c, fork_process, s2n
from small_ensembles import use_short_plans
from small_models import CLASSES, drawn, write_csv, write_task
from sub2node import load_task
from sub2node.models import best
from sub2node.runs import read_result
from sub2node.scoring import Query, load_scorer, training
from sub2node.serve.app import create_app

pytestmark = pytest.mark.slow
MEMBERS = {"hops", "statistics", "s2n+0 gcn2"}
FEW = ("--minutes", "1", "--set", "folds=2", "--set", "most_seeds=2", "--seeds", "1")


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    return write_task(tmp_path_factory.mktemp("best") / "data")


@pytest.fixture(scope="module")
def model(data: Path) -> Path:
    """The folder of an ensemble of three members, as the command line makes it."""
    with pytest.MonkeyPatch.context() as patch:
        use_short_plans(patch)
        out = data.with_name("model")
        done = s2n("fit", data, "--model", "best", *FEW, "-o", out)
    assert done.code == 0, done.err
    text = " ".join(done.out.split())
    assert "Members, judged on folds that they had not learned from" in text
    assert "best on data Out of fold Test" in text
    return out


def leaderboard(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Rows by member; what every leaderboard has is checked."""
    by_name = {row["name"]: row for row in rows}
    assert by_name.keys() == MEMBERS
    assert sum(row["weight"] for row in rows) == pytest.approx(1)
    for row in rows:
        assert 0 <= row["micro_f1"] <= 1
        assert row["fit_seconds"] > 0
        assert row["answer_ms"] > 0
    return by_name


def test_fit_keeps_the_leaderboard_on_the_card(model: Path) -> None:
    card = load_scorer(model).card
    leaderboard(card["leaderboard"])
    assert card["validation"]["subgraphs"] == 39  # train and val, out of fold


def test_predict_answers_with_the_mean_of_the_members(model: Path, tmp_path: Path) -> None:
    new = write_csv(tmp_path / "new.csv", drawn(4))
    done = s2n("predict", model, new, "--json", "--top", "3")
    assert done.code == 0, done.err
    scorer = load_scorer(model)
    query = Query.of(load_task(model.with_name("data")).subgraphs.take(np.arange(5)))
    each = [member.predict(query).probabilities for member in scorer.members]
    mean = sum(w * one for w, one in zip(scorer.weights, each, strict=True))
    np.testing.assert_allclose(scorer.predict(query).probabilities, mean, atol=1e-12)
    for row in done.json["answers"]:
        assert set(row["probabilities"]) == set(CLASSES)
        assert sum(row["probabilities"].values()) == pytest.approx(1)
        assert [one["label"] for one in row["ranking"]][:1] == row["labels"]


def test_its_reasons_add_up(model: Path) -> None:
    done = s2n("predict", model, "--nodes", "g1,g2,g3", "--why", "--json")
    assert done.code == 0, done.err
    why = done.json["why"]
    assert {piece["id"] for piece in why["members"]} == {"g1", "g2", "g3"}
    assert why["neighbors"]  # of the network
    pieces = [*why["members"], *why["neighbors"]]
    total = why["baseline"] + sum(piece["value"] for piece in pieces) + why["statistics"]
    assert total + why["gap"] == pytest.approx(done.json["probability"], abs=1e-6)


def test_it_is_served(model: Path) -> None:
    scorer = load_scorer(model)
    app = create_app(scorer)

    async def ask() -> Any:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://s2n") as client:
            return await client.post("/v1/predict", json={"nodes": ["g1", "g2", "g3"]})

    answer = asyncio.run(ask())
    app.state.service.close()
    assert answer.status_code == 200
    (row,) = answer.json()["predictions"]
    said = s2n("predict", model, "--nodes", "g1,g2,g3", "--json").json["probabilities"]
    assert row["probabilities"] == pytest.approx(said)


def test_a_run_has_the_leaderboard_in_its_result_and_report(data, tmp_path, monkeypatch) -> None:
    use_short_plans(monkeypatch)
    out, page = tmp_path / "run", tmp_path / "report.html"
    done = s2n("run", data, "--model", "best", *FEW, "-o", out)
    assert done.code == 0, done.err
    assert "Members, judged on folds" in done.out
    assert "one run: no spread" in " ".join(done.out.split())
    rows = json.loads((out / "result.json").read_text())["leaderboard"]
    by_name = leaderboard(rows)
    assert [row.name for row in read_result(out).leaderboard] == list(by_name)
    reported = s2n("report", out, "-o", page)
    assert reported.code == 0, reported.err
    html = page.read_text(encoding="utf-8")
    assert "Members of best" in html
    for name, row in by_name.items():
        assert f"{name}</th><td>{100 * row['micro_f1']:.1f}</td>" in html


def test_minutes_are_for_best_alone(data: Path, tmp_path: Path) -> None:
    done = s2n("run", data, "--model", "bag", "--minutes", "1")
    assert done.code == 2
    assert "--minutes is for --model best" in done.err


def test_fit_with_a_positive_class(data: Path, tmp_path: Path, monkeypatch) -> None:
    use_short_plans(monkeypatch, ("hops",))
    done = s2n(
        "fit", data, "--model", "best", *FEW, "--positive", "plain", "-o", tmp_path / "model"
    )
    assert done.code == 0, done.err
    assert "Positive class plain" in done.out


def test_a_split_by_groups_is_one_of_the_folds_too(tmp_path: Path, monkeypatch) -> None:
    use_short_plans(monkeypatch, ("hops",))
    data = write_task(tmp_path / "data", split=False)
    file, told = data / "subgraphs.jsonl", list[Any]()
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    papers = [{**row, "attributes": {"paper": f"p{n // 2}"}} for n, row in enumerate(rows)]
    file.write_text("\n".join(map(json.dumps, papers)) + "\n")
    real = best.fold_tasks

    def spied(*arguments: Any, groups: Any) -> Any:
        told.append(groups)
        return real(*arguments, groups=groups)

    monkeypatch.setattr(best, "fold_tasks", spied)
    words = (data, "--model", "best", *FEW, "--split-by", "paper")
    for command in ("fit", "run"):
        done = s2n(command, *words, "-o", tmp_path / command)
        assert done.code == 0, done.err
        assert "folds of best keep subgraphs of one paper together, as --split-by" in done.err
        assert "no group of subgraphs was on both sides" in " ".join(done.out.split())
    for groups in told:
        assert (np.unique(groups, return_counts=True)[1] == 2).all()
    assert len(told) == 2
    parted = s2n("run", data, "--model", "best", *FEW, "--groups", "paper", "--splits", "2")
    assert "--split-by paper keeps them together there too" in parted.err


def test_an_answer_is_one_of_each_member(model: Path, monkeypatch) -> None:
    """Of eight members at most, so it takes less than ten times the slowest one's."""
    scorer, asked = load_scorer(model), Counter[str]()
    for kind in {type(member) for member in scorer.members}:
        real = kind.replica_probabilities

        def counted(member: Any, placed: Any, real: Any = real) -> Any:
            asked[member.title] += len(placed.query)
            return real(member, placed)

        monkeypatch.setattr(kind, "replica_probabilities", counted)
    scorer.predict(Query.of(load_task(model.with_name("data")).subgraphs.take(np.arange(5))))
    assert len(asked) == len(scorer.members) == len(MEMBERS)
    assert set(asked.values()) == {5}


@pytest.mark.parametrize(
    ("stage", "at", "members"),
    [
        ("Member", 2, {"hops"}),
        ("Learning from all labels", 1, MEMBERS),
        ("Learning from all labels", 3, MEMBERS),
        ("Training s2n+0 gcn2", 5, MEMBERS),
        ("Writing", 1, MEMBERS),
    ],
)
def test_ctrl_c_keeps_what_is_there(stage, at, members, data, tmp_path, monkeypatch) -> None:
    use_short_plans(monkeypatch)
    out = tmp_path / "model"
    with ctrl_c(lambda report: report.what.startswith(stage) and not report.finished, at=at):
        done = s2n("fit", data, "--model", "best", *FEW, "-o", out)
    assert done.code == 0, done.err
    card = load_scorer(out).card
    answering = {row["name"] for row in card["leaderboard"] if row["weight"]}
    assert answering == members
    assert any("interrupted" in note for note in card["notes"]) == (stage != "Writing")
    assert s2n("predict", out, "--nodes", "g1,g2").code == 0


def test_ctrl_c_while_it_is_scored_lets_that_end(data, tmp_path, monkeypatch) -> None:
    use_short_plans(monkeypatch)
    real = training.build_ensemble

    def build(trained: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return real(trained)

    monkeypatch.setattr(training, "build_ensemble", build)
    done = s2n("fit", data, "--model", "best", *FEW, "-o", tmp_path / "model")
    assert done.code == 0, done.err
    assert s2n("predict", tmp_path / "model", "--nodes", "g1,g2").code == 0


def test_ctrl_c_before_a_member_was_judged_leaves_nothing(data, tmp_path, monkeypatch) -> None:
    use_short_plans(monkeypatch)
    with ctrl_c(lambda report: report.what == "Member"):
        done = s2n("fit", data, "--model", "best", *FEW, "-o", tmp_path / "model")
    assert done.code in (1, 130)
    assert list(tmp_path.iterdir()) == []


TOLD = """
import sys
from sub2node.base import progress
from sub2node.cli import main

with progress.listen(lambda report: print(report.text, file=sys.stderr, flush=True)):
    main()
"""


@pytest.mark.process
@pytest.mark.parametrize("stage", ["Member 3 of", "Learning from all labels 1 of"])
def test_a_real_ctrl_c_keeps_a_real_ensemble(stage: str, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    words = ("fit", data, "--model", "best", "--minutes", "0.05", "-o", out)
    process = fork_process(*words, code=TOLD)
    until = time.monotonic() + 60
    while stage not in process.printed()[1] and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(60)
    assert process.returncode == 0, err
    card = load_scorer(out).card
    assert any("interrupted" in note for note in card["notes"])
    assert sum(row["weight"] for row in card["leaderboard"]) == pytest.approx(1)
    assert s2n("predict", out, "--nodes", "g1,g2").code == 0
