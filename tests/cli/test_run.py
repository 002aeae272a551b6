"""``s2n run`` as a person runs it."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

import sub2node as s2n
from commands import call_command, ctrl_c, run_process, start_process
from sub2node.base.progress import Report

DATA = "generate:density,subgraphs=30,seed=3"
QUICK = ("--preset", "fast", "--set", "epochs=4", "--set", "features.kind=random")
WIDE = {"COLUMNS": "110"}


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return call_command("run", *words, env=WIDE)


def test_a_run_is_a_table_and_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = run(DATA, "--structure", "s2n+0", "--seeds", "2", "-o", out, *QUICK)
    assert done.returncode == 0, done.stderr
    for text in ("s2n+0 gcn2 on density", "Validation", "Micro-F1", "95 % interval", "Wrote"):
        assert text in done.stdout
    assert (out / "result.json").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run"]  # no checkpoint is left
    again = run(DATA, "--structure", "s2n+0", "--seeds", "2", "-o", out, *QUICK)
    assert again.returncode == 2
    assert "exists already" in again.stderr


def test_json_is_the_result_of_the_library() -> None:
    done = run(DATA, "--seeds", "2", "--json", *QUICK)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    expected = s2n.run(
        s2n.load_task(DATA), seeds=2, preset="fast",
        settings={"epochs": 4, "features.kind": "random"},
    )  # fmt: skip
    assert found["test"]["micro_f1"]["values"] == list(expected.test["micro_f1"].values)
    assert found["preset"] == "fast"


@pytest.mark.usefixtures("few_candidates")
def test_all_compares_structures_with_simple_models(tmp_path: Path) -> None:
    out = tmp_path / "all"
    done = run(DATA, "--all", "--seeds", "2", "-o", out, *QUICK)
    assert done.returncode == 0, done.stderr
    models = ("majority", "bag", "diffused-bag", "statistics", "sub2vec", "gbdt, svd", "wl",
              "s2n-kernel", "separated gcn2", "connected gcn2", "s2n+0 gcn2", "s2n+a gcn2",
              "cos2n+0 gcn2", "cos2n+a gcn2", "gnn-seg", "gnn-plain", "subgnn",
              "glass")  # fmt: skip
    for text in (*models, " best ", "Marks:", "±"):
        assert text in done.stdout
    found = json.loads((out / "comparison.json").read_text())
    assert [row["model"] for row in found["models"]] == list(models)
    assert (out / "models" / "s2n+a-gcn2" / "result.json").exists()


def test_repeated_splits() -> None:
    done = run(DATA, "--splits", "3", "--json", *QUICK)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["test"]["micro_f1"]["n"] == 3
    assert found["data"]["splits"] == 3
    assert found["seeds"] == [10]


def test_a_run_against_another(tmp_path: Path) -> None:
    out = tmp_path / "first"
    assert run(DATA, "--seeds", "3", "-o", out, *QUICK).returncode == 0
    done = run(DATA, "--structure", "s2n+0", "--seeds", "3", "--against", out, *QUICK)
    assert done.returncode == 0, done.stderr
    assert "Against: s2n+a gcn2" in done.stdout
    assert "too few runs for a verdict" in done.stdout
    assert "3 seeds are too few for an interval" in done.stdout
    facts = json.loads((out / "result.json").read_text())
    for part in ("val", "test"):  # the same folder with more seeds
        for scores in facts[part].values():
            scores["values"] = [0.5, 0.52, 0.51, 0.49, 0.5]
    (out / "result.json").write_text(json.dumps(facts))
    (out / "checksums.json").unlink()
    done = run(DATA, "--model", "majority", "--against", out)
    assert "Welch's t-test on test micro-F1, level 0.01, p = " in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("name", "score"), [("micro_f1", None), ("micro_f1", {"values": []}), ("macro_f1", None)]
)
def test_a_run_without_scores_is_refused_before_training(
    name: str, score: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path(__file__).parents[1] / "fixtures" / "v0_1" / "run" / "result.json"
    facts = json.loads(source.read_text())
    facts["test"][name] = score
    if score is None:
        del facts["test"][name]
    (tmp_path / "result.json").write_text(json.dumps(facts))
    monkeypatch.setattr("sub2node.evaluate.assess", lambda *_, **__: pytest.fail("it trained"))
    done = run(DATA, "--against", tmp_path, *QUICK)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


def test_published_settings_carry_their_flags() -> None:
    done = run(DATA, "--preset", "paper", "--conv", "gcn", "--seeds", "1", "--set", "epochs=2")
    assert done.returncode == 0, done.stderr
    assert "chosen by test score" in done.stdout
    assert "a copy of the settings" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--structure", "s2n+1"), "structure cannot be 's2n+1'. Did you mean 's2n+"),
        (("--conv", "gnc2"), "there is no convolution 'gnc2'. Did you mean 'gcn2'?"),
        (("--preset", "papre"), "there is no preset 'papre'. Did you mean 'paper'?"),
        (("--set", "lrate=1"), "there is no setting 'lrate'"),
        (("--set", "epochs=many"), "training.epochs is a whole number, found 'many'."),
        (("--set", "conv=gin"), "the conv is chosen with --conv."),
        (("--seeds", "0"), "at least one seed is needed, found 0."),
        (("--splits", "1"), "repeated splits are two at least"),
        (("--threshold", "best"), "a threshold is 'half' or 'val'"),
        (("--resume",), "--resume needs the folder"),
        (("--against", "nothing"), "there is no result.json here."),
    ],
)
def test_mistakes_are_one_sentence(words: tuple[str, ...], message: str) -> None:
    done = run(DATA, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.process
def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    out, code = tmp_path / "run", (
        "from sub2node.train.checkpoint import Checkpoint;"
        "Checkpoint.due = property(lambda self: True);"
        "from sub2node.cli import main; main()"
    )  # fmt: skip
    words = [DATA, "--seeds", "2", "-o", str(out), "--set", "features.kind=random",
             "--set", "epochs=100", "--preset", "fast", "--set", "patience=0"]  # fmt: skip
    process = start_process("run", *words, code=code)
    folder = tmp_path / "run.checkpoint"
    deadline = time.monotonic() + 60
    while not list(folder.glob("*.safetensors")) and time.monotonic() < deadline:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    refused = run(*words)
    assert refused.returncode == 2
    assert "--resume" in refused.stderr
    resumed = run(*words, "--resume", "--json")
    assert resumed.returncode == 0, resumed.stderr
    whole = run(*words[:3], *words[5:], "--json")
    one, other = (json.loads(done.stdout) for done in (resumed, whole))
    assert one["test"] == other["test"]
    assert one["best_epoch"] == other["best_epoch"]
    assert not folder.exists()


@pytest.mark.process
def test_ctrl_c_evaluates_the_best_state_so_far(tmp_path: Path) -> None:
    words = [DATA, "--seeds", "2", "--set", "features.kind=random", "--set", "epochs=10000",
             "-o", str(tmp_path / "run")]  # fmt: skip
    code = (
        "import os, signal; from sub2node.base import progress; old = progress.step;\n"
        "def step(what, done, total, detail=''):\n"
        "    old(what, done, total, detail)\n"
        "    if done == 20: os.kill(os.getpid(), signal.SIGINT)\n"
        "progress.step = step\n"
        "from sub2node.cli import main; main()"
    )
    done = run_process("run", *words, code=code, env=WIDE)
    assert done.returncode == 0, done.stderr
    assert "interrupted after 20 of 10000 epochs" in " ".join(done.stdout.split())
    found = json.loads((tmp_path / "run" / "result.json").read_text())
    assert found["ended"] == "interrupted"


def test_states_of_others_are_not_deleted(tmp_path: Path) -> None:
    states = tmp_path / "run.checkpoint"
    states.mkdir()
    (states / "thesis.txt").write_text("mine")
    refused = run(DATA, "--seeds", "1", "-o", tmp_path / "run", "--overwrite", *QUICK)
    assert refused.returncode == 2
    assert "not ours" in refused.stderr
    assert (states / "thesis.txt").read_text() == "mine"


def test_a_typo_costs_no_states(tmp_path: Path) -> None:
    states = tmp_path / "run.checkpoint"
    states.mkdir()
    (states / "a.safetensors").write_text("")
    for words in (("--preset", "fsat"), ("--conv", "gcnn"), ("--set", "x=1")):
        done = run(DATA, "-o", tmp_path / "run", "--overwrite", *words)
        assert done.returncode == 2
    assert (states / "a.safetensors").exists()


def test_what_can_be_known_before_training_is_said_before(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    start = time.monotonic()
    for words, message in (
        (("-o", tmp_path / "file" / "run"), "no folder to write into"),
        (("--all", "--conv", "gcnn"), "Did you mean"),
        (("--all", "--against", tmp_path), "--against is for one model"),
        (("--all", "--model", "glass"), "--all compares"),
        (("--model", "glas"), "Did you mean 'glass'"),
        (("--model", "glass", "--structure", "s2n+a"), "omit one"),
        (("--model", "glass", "--model", "glass"), "named twice"),
        (("--model", "glass", "--conv", "gcn"), "--conv is for a structure"),
        (("--model", "sub2vec", "--preset", "paper"), "sub2vec has no settings but its default"),
        (("--model", "glass", "--preset", "paper:nell"), "no published settings of glass for"),
        (("--model", "glass", "--set", "z_ratio=0.1"), "z_ratio is at least 0.5"),
        (("--model", "wl", "--model", "bag", "--set", "z_ratio=0.9"), "no setting"),
        (("--set", "readout=degree-code", "--structure", "separated"), "S2N structures only"),
    ):
        done = run(DATA, "--set", "epochs=1000000", *words)
        assert done.returncode == 2
        assert message in " ".join(done.stderr.split())
    assert time.monotonic() - start < 60


def test_the_settings_of_a_run_name_its_structure_too(tmp_path: Path) -> None:
    first = run(DATA, "--structure", "connected", "--conv", "gin", "--seeds", "1", "-o",
                tmp_path / "run", *QUICK)  # fmt: skip
    assert first.returncode == 0, first.stderr
    again = run(DATA, "--preset", tmp_path / "run" / "config.toml", "--seeds", "1", "--json")
    assert json.loads(again.stdout)["model"] == "connected gin"


def is_epoch(report: Report) -> bool:
    return report.what.startswith("Training") and not report.counted


def test_ctrl_c_in_the_second_candidate_is_heard() -> None:
    with ctrl_c(is_epoch, at=6):
        done = run(DATA, "--seeds", "1", "--preset", "fast", "--set", "epochs=4", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["ended"] == "interrupted"
    assert any("cut short" in note for note in found["notes"])


@pytest.mark.usefixtures("few_candidates")
def test_ctrl_c_in_a_comparison_keeps_what_is_there() -> None:
    with ctrl_c(is_epoch, at=14):
        done = run(DATA, "--all", "--splits", "3", "--json", *QUICK)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    names = [row["model"] for row in found["models"]]
    assert names[-1] == "connected gcn2"
    assert len(names) == 10
    assert found["models"][-1]["test"]["micro_f1"]["n"] == 1


@pytest.mark.usefixtures("few_candidates")
def test_a_model_that_cannot_be_trained_does_not_take_the_others_along(tmp_path: Path) -> None:
    (tmp_path / "edge_list.txt").write_text("0 1\n1 2\n")
    rows = [f"1\t{label}\t{part}" for part in ("train", "val", "test") for label in "ab"]
    (tmp_path / "subgraphs.pth").write_text("\n".join(rows) + "\n")
    done = run(tmp_path, "--all", "--seeds", "1", "--json", *QUICK)
    assert done.returncode == 0, done.stderr
    names = [row["model"] for row in json.loads(done.stdout)["models"]]
    assert "separated gcn2" in names
    assert "s2n+0 gcn2" not in names
    assert "s2n+0 gcn2:" in " ".join(done.stderr.split())
