"""``s2n tune`` as a person runs it."""

from __future__ import annotations

import csv
import json
import re
import shutil
import signal
import time
from pathlib import Path

import pytest

pytest.importorskip("optuna")

from commands import Done, fork_process, refused, s2n
from forked import Forked
from small_models import QUICK, write_task
from sub2node import Sub2NodeError
from sub2node.cli.tune import _read_trials
from sub2node.config.preset_resolver import NETWORKS, resolve_preset
from sub2node.tune import objective as objectives

SETS = [word for key, value in QUICK.items() for word in ("--set", f"{key}={value}")]
FEW = ("--seeds", "2", "--trials", "4", "--device", "cpu", *SETS)


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    return write_task(tmp_path_factory.mktemp("tune") / "data")


@pytest.fixture(scope="module")
def study(data: Path) -> tuple[Path, Done]:
    out = data.with_name("study")
    return out, s2n("tune", data, "-o", out, *FEW)


def tune(*words: object) -> Done:
    return s2n("tune", *words)


@pytest.mark.slow
def test_what_it_writes_and_says(study) -> None:
    out, done = study
    assert done.code == 0, done
    names = {path.name for path in out.iterdir()}
    files = ("journal.log", "best.toml", "trials.csv", "study.json", "search.png", "search.svg")
    assert names >= set(files)
    assert "Best: validation micro-F1" in done.out
    assert "4 trials" in done.out
    assert f"Next: s2n run {out.with_name('data')} --preset {out / 'best.toml'}" in done.out
    found = json.loads((out / "study.json").read_text())
    assert len(found["trials"]) == 4
    best = max(found["trials"], key=lambda trial: trial["value"])
    assert found["best"]["value"] == best["value"]
    rows = list(csv.DictReader((out / "trials.csv").read_text().splitlines()))
    assert [float(row["value"]) for row in rows] == [t["value"] for t in found["trials"]]
    assert set(found["spec"]["space"]) <= set(rows[0])
    assert (out / "search.svg").read_text(encoding="utf-8").count("best so far") == 1


@pytest.mark.slow
def test_the_winner_is_a_preset_with_its_evidence(study, data) -> None:
    out, _ = study
    done = s2n(
        "run", data, "--preset", out / "best.toml", "--seeds", 2, "--device", "cpu", "--json"
    )
    result, found = json.loads(done.out), json.loads((out / "study.json").read_text())
    assert result["val"]["micro_f1"]["values"] == pytest.approx(found["best"]["values"])
    (note,) = [note for note in result["notes"] if "s2n tune" in note]
    assert "among 4 trials" in note
    assert "no test subgraph was there" in note
    assert "what was not searched is that of the preset default" in note
    assert f"{100 * found['best']['value']:.1f}" in note
    winner = resolve_preset(str(out / "best.toml"), NETWORKS, dataset="", has_features=False)
    assert winner.config.to_dict() == found["config"]


@pytest.mark.slow
def test_one_seed_has_no_spread(data, tmp_path) -> None:
    done = tune(data, "-o", tmp_path / "s", *FEW, "--seeds", "1", "--trials", "1")
    assert done.code == 0, done
    assert "Best so far: trial 0: " in done.err
    assert "(n = 1)" in done.out
    assert "±" not in done.out + done.err + (tmp_path / "s" / "best.toml").read_text()


@pytest.mark.slow
def test_json_is_what_is_written(data, tmp_path) -> None:
    done = tune(data, "-o", tmp_path / "a", *FEW, "--json")
    assert json.loads(done.out) == json.loads((tmp_path / "a" / "study.json").read_text())


@pytest.mark.slow
def test_resume_goes_on(study, data, tmp_path) -> None:
    out = shutil.copytree(study[0], tmp_path / "study")  # the other tests read the first one
    before = json.loads((out / "study.json").read_text())["trials"]
    refused(tune(data, "-o", out, *FEW), "--resume")
    more = [*FEW, "--trials", "6", "--resume"]
    done = tune(data, "-o", out, *more)
    assert done.code == 0, done
    after = json.loads((out / "study.json").read_text())["trials"]
    assert after[:4] == before
    assert len(after) == 6
    refused(tune(data, "-o", out, *more, "--vary", "clip=0..1"), "another space (training.clip")
    assert json.loads((out / "study.json").read_text())["trials"] == after


@pytest.mark.slow
def test_a_study_that_is_there_is_confirmed(study, data, tmp_path) -> None:
    out = shutil.copytree(study[0], tmp_path / "study")
    done = tune(data, "-o", out, *FEW, "--resume", "--confirm", "2")
    assert done.code == 0, done
    found = json.loads((out / "study.json").read_text())
    assert len(found["confirmed"]) == 4
    assert "on 2 further splits of train and val, trial" in done.out
    best = max(found["confirmed"], key=lambda trial: trial["value"])
    assert found["evidence"].startswith(
        "the best of 4 on 2 splits of train and val that its search"
    )
    winner = resolve_preset(str(out / "best.toml"), NETWORKS, dataset="", has_features=False)
    assert winner.config.to_dict() == found["config"]
    assert f"{100 * best['value']:.1f}" in (out / "best.toml").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--trials", "0"), "one trial at least"),
        (("--trials", "papr"), "a whole number or the word paper, found 'papr'"),
        (("--space", "papr"), "Did you mean 'paper'"),
        (("--space", "none.toml"), "there is no file 'none.toml'"),
        (("--vary", "lr=2..1"), "training.lr: no number lies between 2 and 1"),
        (("--vary", "lr"), "--vary wants NAME=VALUES"),
        (("--vary", "skip=true,false", "--vary", "model.skip=true,false"), "varied twice"),
        (("--set", "skip=true", "--vary", "skip=true,false"), "both fixed and varied"),
        (("--structure", "s2n+b"), "structure cannot be 's2n+b'"),
        (("--rehearse", "3", "--seeds", "2"), "3 rehearsals need at least as many seeds"),
        (("--groups", "family"), "search with --rehearse or --confirm too"),
        (("--groups", "famly", "--rehearse", "2"), "no column 'famly' of the labels table"),
        (("--confirm", "1"), "a confirmation takes two splits or more, found 1"),
        (("--worker",), "--storage URL"),
        (("--worker", "--storage", "x.log", "--structure", "s2n+a"), "omit --structure"),
        (("--worker", "--storage", "x.log", "--no-prune"), "omit --prune"),
        (("--worker", "--storage", "x.log", "--seeds", "3"), "omit --seeds"),
        (("--worker", "--storage", "x.log", "--resume"), "begins a study"),
        (("--storage", "nonsense://x"), "cannot be opened"),
        (("--storage", "x.log", "--share", "127.0.0.1:13999"), "a journal cannot be shared"),
        (("--share", "nowhere"), "HOST:PORT is expected"),
        (("--resume",), "there is no study in"),
        (("--preset", "none"), "there is no preset 'none'"),
        (("--preset", "tuned"), "our search has no settings"),
        (("--conv", "nothing"), "nothing"),
    ],
)
def test_bad_input(data, tmp_path, monkeypatch, words, message) -> None:
    monkeypatch.chdir(tmp_path)
    done = tune(data, *words)
    assert done.code == 2, done
    assert message in done.err
    assert done.err.splitlines()[-1].startswith("Error: ")
    left = {p.name for p in tmp_path.rglob("*") if p.is_file()}
    assert left <= {"x.log", "journal.log", "study.sqlite"}  # no result of nothing


def test_one_point_is_no_search(data, tmp_path) -> None:
    file = tmp_path / "space.toml"
    file.write_text("lr = [0.1]\n")
    refused(tune(data, "-o", tmp_path / "s", "--space", file, *FEW), "one point only")


@pytest.mark.slow
def test_data_that_cannot_be_searched(tmp_path) -> None:
    plain = write_task(tmp_path / "data", split=False)
    done = tune(plain, "-o", tmp_path / "s", *FEW)
    assert done.code == 0, done
    assert "a random stratified one was drawn" in done.err
    lines = [json.loads(line) for line in (plain / "subgraphs.jsonl").read_text().splitlines()]
    for line in lines:
        del line["label"]
    (plain / "subgraphs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    refused(tune(plain, "-o", tmp_path / "t", *FEW), "no labels")


@pytest.mark.slow
def test_rehearsal(data, tmp_path) -> None:
    done = tune(data, "-o", tmp_path / "s", *FEW, "--rehearse", "2", "--structure", "s2n+0")
    assert done.code == 0, done
    assert "held-out micro-F1" in done.out
    assert (
        "parts held out of train and val, 2 splits and 2 seeds"
        in (tmp_path / "s" / "best.toml").read_text()
    )


@pytest.mark.slow
def test_failures_are_told_and_the_rest_goes_on(data, tmp_path, monkeypatch) -> None:
    real, calls = objectives.GraphNetwork.fit, []

    def fit(self, *given):
        calls.append(self)
        if len(calls) == 2:
            raise Sub2NodeError("no seed had a finite loss.")
        return real(self, *given)

    monkeypatch.setattr(objectives.GraphNetwork, "fit", fit)
    done = tune(data, "-o", tmp_path / "s", *FEW)
    assert done.code == 0, done
    assert "Failed: trial 1: no seed had a finite loss." in done.err
    assert "1 failed" in done.out


@pytest.mark.slow
def test_a_storage_that_disappears(data, tmp_path, monkeypatch) -> None:
    out, calls = tmp_path / "s", []
    monkeypatch.setattr(
        "sub2node.tune.study_storage.call_with_retries.__kwdefaults__",
        {"waits": (0.01,)},
        raising=False,
    )
    real = objectives.GraphNetwork.fit

    def fit(self, *given):
        calls.append(self)
        if len(calls) == 3:
            (out / "journal.log").rename(tmp_path / "elsewhere")
        return real(self, *given)

    monkeypatch.setattr(objectives.GraphNetwork, "fit", fit)
    done = tune(data, "-o", out, *FEW)
    assert done.code == 2
    last = done.err.splitlines()[-1]
    assert re.search(r"cannot be reached any more: No such file.*trial 2 is kept in .*unsent", last)
    (tmp_path / "elsewhere").rename(out / "journal.log")
    again = tune(data, "-o", out, *FEW, "--resume")
    assert again.code == 0, again
    assert len(calls) == 4  # nothing was trained twice
    assert len(json.loads((out / "study.json").read_text())["trials"]) == 4


def command(*words: object) -> Forked:
    """``s2n WORDS`` as a process that gives up a lost one after two seconds."""
    code = (
        "from sub2node.tune.study import Study; work = Study.work\n"
        "def soon(self, *given, **options):\n"
        "    self.beat, self.grace = 0.2, 2.0\n"
        "    return work(self, *given, **options)\n"
        "Study.work = soon\n"
        "from sub2node.cli import main; main()"
    )
    return fork_process(*words, code=code)


def wait_for(journal: Path, processes: int) -> None:
    """Until so many processes work on trials."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if journal.exists():
            lines = [line for line in journal.read_text().splitlines() if '"beat"' in line]
            if (
                len({json.loads(line)["worker_id"].rpartition("-")[0] for line in lines})
                >= processes
            ):
                return
        time.sleep(0.05)
    raise AssertionError(f"{processes} processes never worked together")


@pytest.mark.process
def test_several_processes_one_of_them_killed(data, tmp_path) -> None:
    """A head and two workers on one journal; kill -9 of one of them loses nothing."""
    out, journal = tmp_path / "s", tmp_path / "s" / "journal.log"
    slow = [word if word != "epochs=4" else "epochs=40" for word in FEW]
    head = command("tune", data, "-o", out, *slow, "--trials", "5")
    wait_for(journal, 1)
    workers = [command("tune", data, "--worker", "--storage", journal, "--device", "cpu")
               for _ in range(2)]  # fmt: skip
    wait_for(journal, 3)
    workers[0].send_signal(signal.SIGKILL)
    told = head.communicate(timeout=240)
    assert head.returncode == 0, told
    ends = [worker.communicate(timeout=240) for worker in workers]
    assert workers[1].returncode == 0, ends[1]
    trials = json.loads((out / "study.json").read_text())["trials"]
    assert {trial["state"] for trial in trials} == {"complete"}
    assert 5 <= len(trials) <= 7
    assert len({json.dumps(trial["point"]) for trial in trials}) == len(trials)


def test_trials_of_the_paper() -> None:
    assert [_read_trials(text) for text in ("paper", "7")] == [400, 7]


@pytest.mark.slow
def test_a_baseline_is_searched_and_run(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "glass"
    words = ("--seeds", "2", "--trials", "3", "--device", "cpu", "--set", "epochs=3", "--set",
             "features.kind=random", "--set", "start=0", "--vary", "batch=4,8")  # fmt: skip
    done = s2n("tune", data, "--model", "glass", "--rehearse", "2", "-o", out, *words)
    assert done.code == 0, done.err
    assert "data, glass: the best of the search" in done.out
    assert 'baseline = "glass"' in (out / "best.toml").read_text()
    run = s2n("run", data, "--preset", out / "best.toml", "--seeds", "1", "--json")
    assert run.code == 0, run.err
    refused(s2n("tune", data, "--model", "bag", "-o", tmp_path / "bag"), "'bag' has no training")
