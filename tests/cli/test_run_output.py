"""The run folder and the folder of states: whose they are, and what is left of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from commands import refused
from drawn_runs import run
from sub2node.base.errors import ConfigError
from sub2node.cli.run_output import RunOutput
from sub2node.train.checkpoint import Checkpoint


def test_states_are_beside_the_run_and_go_when_nothing_is_kept(tmp_path: Path) -> None:
    output = RunOutput(tmp_path / "run", overwrite=False, resume=False)
    assert output.states == tmp_path / "run.checkpoint"
    with output.claim_states():
        assert output.states.is_dir()
    assert not output.states.exists()
    with output.claim_states():
        (output.states / "a.safetensors").write_text("")
    assert (output.states / "a.safetensors").exists()
    with pytest.raises(ConfigError, match="is left from a run that did not finish"):
        RunOutput(tmp_path / "run", overwrite=False, resume=False)
    assert RunOutput(tmp_path / "run", overwrite=False, resume=True).states == output.states
    output.remove_states()
    assert not output.states.exists()


def test_only_states_are_removed(tmp_path: Path) -> None:
    output = RunOutput(tmp_path / "run", overwrite=True, resume=False)
    output.states.mkdir()
    for name in ("a.safetensors", "a.safetensors.new", "thesis.txt"):
        (output.states / name).write_text("")
    output.remove_states()
    assert [file.name for file in output.states.iterdir()] == ["thesis.txt"]


def test_without_a_folder_there_is_nothing_to_go_on_with() -> None:
    output = RunOutput(None, overwrite=False, resume=False)
    assert output.states is None
    with output.claim_states():
        output.remove_states()
    with pytest.raises(ConfigError, match="--resume needs the folder of the run"):
        RunOutput(None, overwrite=False, resume=True)


def test_states_of_others_are_not_deleted(tmp_path: Path) -> None:
    states = tmp_path / "run.checkpoint"
    states.mkdir()
    (states / "thesis.txt").write_text("mine")
    done = run("--seeds", "1", "-o", tmp_path / "run", "--overwrite")
    refused(done, "'thesis.txt', which is not ours")
    assert (states / "thesis.txt").read_text() == "mine"


@pytest.mark.slow
def test_a_typo_costs_no_states(tmp_path: Path) -> None:
    states = tmp_path / "run.checkpoint"
    states.mkdir()
    (states / "a.safetensors").write_text("")
    for words, message in (
        (("--preset", "fsat"), "there is no preset 'fsat'"),
        (("--conv", "gcnn"), "there is no convolution 'gcnn'"),
        (("--set", "x=1"), "there is no setting 'x'"),
    ):
        refused(run("-o", tmp_path / "run", "--overwrite", *words), message)
    assert (states / "a.safetensors").exists()


def test_a_run_that_is_refused_leaves_nothing(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models.doc2vec", None)
    assert run("--model", "sub2vec", "-o", tmp_path / "run").code == 2
    done = run("--model", "majority", "-o", tmp_path / "run")
    assert done.code == 0, done.err


class Killed(BaseException):
    """As if the process was."""


@pytest.mark.slow
@pytest.mark.parametrize("model", ["glass", "gnn-seg"])
def test_a_run_that_was_killed_goes_on(tmp_path: Path, monkeypatch, model: str) -> None:
    monkeypatch.setattr(Checkpoint, "due", property(lambda self: True))
    words = ("--model", model, "--seeds", "2", "--set", "epochs=6", "--set", "start=0", "--set",
             "features.kind=random", "--set", "published_ties=true", "--json")  # fmt: skip
    whole = run(*words).json
    fit = sys.modules["sub2node.train.fit"]
    step = fit.step

    def kill(what: str, done: float, total: float, detail: str = "") -> None:
        if done == 4:
            raise Killed
        step(what, done, total, detail)

    out = ("-o", tmp_path / "run")
    with monkeypatch.context() as patch:
        patch.setattr(fit, "step", kill)
        with pytest.raises(Killed):
            run(*words, *out)
    refused(run(*words, *out), "--resume")
    resumed = run(*words, *out, "--resume").json
    for key in ("test", "val", "best_epoch", "published_ties", "config"):
        assert resumed[key] == whole[key]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run"]
