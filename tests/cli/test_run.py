"""``s2n run`` as a person runs it."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import sub2node as s2n
from commands import ctrl_c, fork_process, refused
from drawn_runs import DATA, TINY, run
from small_ensembles import use_short_plans
from sub2node.base.progress import Report, listen
from sub2node.runs import read_result

pytestmark = pytest.mark.usefixtures("few_trees")

QUICK = ("--preset", "fast", "--set", "epochs=4", "--set", "features.kind=random")
SMALL = "generate:density,subgraphs=30,size=8,nodes=120,seed=3"


@pytest.mark.slow
def test_a_run_is_a_table_and_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = run("--structure", "s2n+0", "--seeds", "2", "-o", out, *QUICK)
    assert done.code == 0, done.err
    for text in ("s2n+0 gcn2 on density", "Validation", "Micro-F1", "95 % interval", "Wrote"):
        assert text in done.out
    assert (out / "result.json").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run"]  # no checkpoint is left
    again = run("--structure", "s2n+0", "--seeds", "2", "-o", out, *QUICK)
    refused(again, "exists already")


@pytest.mark.slow
def test_json_is_the_result_of_the_library() -> None:
    done = run("--seeds", "2", "--json", *QUICK)
    assert done.code == 0, done.err
    found = done.json
    expected = s2n.run(
        s2n.load_task(DATA), seeds=2, preset="fast",
        settings={"epochs": 4, "features.kind": "random"},
    )  # fmt: skip
    assert found["test"]["micro_f1"]["values"] == list(expected.test["micro_f1"].values)
    assert found["preset"] == "fast"


@pytest.mark.slow
@pytest.mark.usefixtures("few_candidates")
def test_all_compares_structures_with_simple_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_short_plans(monkeypatch, ("hops", "statistics"))
    out = tmp_path / "all"
    done = run("--all", "--seeds", "2", "-o", out, *QUICK, "--set", "epochs=2", data=SMALL)
    assert done.code == 0, done.err
    models = ("majority", "bag", "diffused-bag", "hops", "statistics", "sub2vec", "gbdt, svd", "wl",
              "s2n-kernel", "separated gcn2", "connected gcn2", "s2n+0 gcn2", "s2n+a gcn2",
              "cos2n+0 gcn2", "cos2n+a gcn2", "gnn-seg", "gnn-plain", "subgnn",
              "glass", "best")  # fmt: skip
    for text in (*models, " best ", "Marks:", "±"):
        assert text in done.out
    found = json.loads((out / "comparison.json").read_text())
    assert [row["model"] for row in found["models"]] == list(models)
    assert (out / "models" / "s2n+a-gcn2" / "result.json").exists()


@pytest.mark.slow
def test_repeated_splits() -> None:
    done = run("--splits", "3", "--json", *QUICK)
    assert done.code == 0, done.err
    found = done.json
    assert found["test"]["micro_f1"]["n"] == 3
    assert found["data"]["splits"] == 3
    assert found["seeds"] == [10]


@pytest.mark.slow
def test_a_run_against_another(tmp_path: Path) -> None:
    out = tmp_path / "first"
    assert run("--seeds", "3", "-o", out, *QUICK).code == 0
    done = run("--structure", "s2n+0", "--seeds", "3", "--against", out, *QUICK)
    assert done.code == 0, done.err
    assert "Against: s2n+a gcn2" in done.out
    assert "too few runs for a verdict" in done.out
    assert "3 seeds are too few for an interval" in done.out
    facts = json.loads((out / "result.json").read_text())
    for part in ("val", "test"):  # the same folder with more seeds
        for scores in facts[part].values():
            scores["values"] = [0.5, 0.52, 0.51, 0.49, 0.5]
    (out / "result.json").write_text(json.dumps(facts))
    (out / "checksums.json").unlink()
    done = run("--model", "majority", "--against", out)
    assert "Welch's t-test on test micro-F1, level 0.01, p = " in done.out, done.err


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
    done = run("--against", tmp_path, *QUICK)
    assert done.code == 2
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1


@pytest.mark.slow
def test_published_settings_carry_their_flags() -> None:
    done = run("--preset", "paper", "--conv", "gcn", "--seeds", "1", "--set", "epochs=2")
    assert done.code == 0, done.err
    assert "chosen by test score" in done.out
    assert "a copy of the settings" in done.out


@pytest.mark.slow
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
    refused(run(*words), message)


@pytest.mark.process
def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    out, code = tmp_path / "run", (
        "from sub2node.train.checkpoint import Checkpoint;"
        "Checkpoint.due = property(lambda self: True);"
        "from sub2node.cli import main; main()"
    )  # fmt: skip
    words = ["--seeds", "2", "-o", str(out), "--set", "features.kind=random",
             "--set", "epochs=30", "--preset", "fast", "--set", "patience=0"]  # fmt: skip
    process = fork_process("run", DATA, *words, code=code)
    folder = tmp_path / "run.checkpoint"
    deadline = time.monotonic() + 60
    while not list(folder.glob("*.safetensors")) and time.monotonic() < deadline:
        assert process.poll() is None, process.printed()
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    refused(run(*words), "--resume")
    resumed = run(*words, "--resume", "--json")
    assert resumed.code == 0, resumed.err
    whole = run(*words[:2], *words[4:], "--json")
    assert resumed.json["test"] == whole.json["test"]
    assert resumed.json["best_epoch"] == whole.json["best_epoch"]
    assert not folder.exists()


@pytest.mark.process
def test_ctrl_c_evaluates_the_best_state_so_far(tmp_path: Path) -> None:
    words = ["--seeds", "2", "--set", "features.kind=random", "--set", "epochs=500",
             "-o", str(tmp_path / "run")]  # fmt: skip
    code = (
        "from commands import ctrl_c\n"
        "from sub2node.cli import main\n"
        "with ctrl_c(lambda report: report.what.startswith('Training'), at=8):\n"
        "    main()"
    )
    done = fork_process("run", DATA, *words, code=code, env={"COLUMNS": "110"})
    out, err = done.communicate()
    assert done.returncode == 0, err
    assert "interrupted after 8 of 500 epochs" in " ".join(out.split())
    found = json.loads((tmp_path / "run" / "result.json").read_text())
    assert found["ended"] == "interrupted"


@pytest.mark.slow
def test_the_settings_of_a_run_name_its_structure_too(tmp_path: Path) -> None:
    first = run("--structure", "connected", "--conv", "gin", "--seeds", "1", "-o",
                tmp_path / "run", *QUICK)  # fmt: skip
    assert first.code == 0, first.err
    again = run("--preset", tmp_path / "run" / "config.toml", "--seeds", "1", "--json")
    assert again.json["model"] == "connected gin"


@pytest.mark.slow
def test_the_settings_of_a_run_are_a_preset_with_the_same_scores(tmp_path: Path) -> None:
    words = ("--structure", "cos2n+0", "--coarsen", "heavy_edge:0.3", "--seeds", "2", *QUICK)
    first = run(*words, "-o", tmp_path / "run", "--json")
    again = run("--preset", tmp_path / "run" / "config.toml", "--seeds", "2", "--json")
    assert again.json["test"] == first.json["test"]


def is_epoch(report: Report) -> bool:
    return report.what.startswith("Training") and not report.counted


@pytest.mark.slow
def test_what_can_be_known_before_training_is_said_before(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    reports: list[Report] = []
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
        with listen(reports.append):
            refused(run("--set", "epochs=1000000", *words), message)
    assert not any(is_epoch(report) for report in reports)


@pytest.mark.slow
def test_ctrl_c_in_the_last_candidate_is_heard() -> None:
    with ctrl_c(is_epoch, at=10):
        done = run("--seeds", "1", "--preset", "fast", "--set", "epochs=4", "--json")
    assert done.code == 0, done.err
    found = done.json
    assert found["ended"] == "interrupted"
    assert any("cut short" in note for note in found["notes"])


@pytest.mark.slow
@pytest.mark.usefixtures("few_candidates")
def test_ctrl_c_in_a_comparison_keeps_what_is_there() -> None:
    with ctrl_c(is_epoch, at=10):
        done = run("--all", "--splits", "2", "--json", *QUICK, data=SMALL)
    assert done.code == 0, done.err
    found = done.json
    names = [row["model"] for row in found["models"]]
    assert names[-1] == "connected gcn2"
    assert len(names) == 11
    assert found["models"][-1]["test"]["micro_f1"]["n"] == 1


@pytest.mark.slow
@pytest.mark.usefixtures("few_candidates")
def test_a_model_that_cannot_be_trained_does_not_take_the_others_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_short_plans(monkeypatch, ("hops", "statistics"))
    (tmp_path / "edge_list.txt").write_text("0 1\n1 2\n")
    rows = [f"1\t{label}\t{part}" for part in ("train", "val", "test") for label in "ab"]
    (tmp_path / "subgraphs.pth").write_text("\n".join(rows) + "\n")
    done = run("--all", "--seeds", "1", "--json", *QUICK, data=tmp_path)
    assert done.code == 0, done.err
    names = [row["model"] for row in done.json["models"]]
    assert "separated gcn2" in names
    assert "s2n+0 gcn2" not in names
    assert "s2n+0 gcn2:" in done.err


@pytest.mark.slow
def test_random_splits_and_their_parts() -> None:
    done = run("--model", "majority", "--model", "bag", "--splits", "3", "--parts", "50/25/25",
               "--json")  # fmt: skip
    for row in done.json["models"]:
        assert row["test"]["micro_f1"]["n"] == 3
        assert row["data"]["splits"] == 3
        sizes = row["data"]["split"]
        assert sizes["train"] == 15
        assert {sizes["val"], sizes["test"]} <= {7, 8}
    assert "corrected resampled" in done.json["test"]
    assert done.json["significance_test"] == "corrected_resampled"
    one = run("--model", "majority", "--splits", "2", "--parts", "2/1/1", "--json").json
    other = run("--model", "majority", "--splits", "2", "--parts", "50/25/25", "--json").json
    assert one["test"] == other["test"]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ("50/25", "written as 50/25/25"),
        ("a/b/c", "written as 50/25/25"),
        ("", "written as 50/25/25"),
        ("50/25/25/0", "written as 50/25/25"),
        ("0/1/1", "above 0"),
        ("-1/1/1", "above 0"),
        ("nan/1/1", "above 0"),
        ("1/nan/1", "above 0"),
        ("1/inf/1", "above 0"),
        ("98/1/1", "use larger ones"),
        ("1/1/98", "use larger ones"),
    ],
)
def test_parts_that_are_none(parts: str, words: str) -> None:
    done = run("--model", "majority", "--splits", "2", "--parts", parts)
    refused(done, words)
    assert "--splits 10" not in done.err  # they are there


def test_parts_without_splits() -> None:
    refused(run("--model", "majority", "--parts", "50/25/25"), "--splits 10")


@pytest.mark.slow
def test_the_published_score_is_shown() -> None:
    words = ("--model", "glass", "--seeds", "2", "--set", "published_ties=true", *TINY)
    assert "published rule" in run(*words).out
    facts = run(*words, "--json").json
    assert facts["published_ties"]["n"] == 2
    assert facts["published_ties"]["mean"] >= facts["test"]["micro_f1"]["mean"]
    split = run(*words, "--splits", "2", "--json").json
    assert split["published_ties"]["n"] == 2


@pytest.mark.slow
def test_a_baseline_against_another(tmp_path: Path) -> None:
    out = tmp_path / "first"
    assert run("--model", "statistics", "--set", "trees=5", "--seeds", "3", "-o", out).code == 0
    done = run("--model", "majority", "--against", out)
    assert "Against: statistics" in done.out
    facts = run("--model", "majority", "--against", out, "--json").json["against"]
    assert facts["same_data"] is True
    assert facts["significance_test"] == "welch"
    assert facts["n"] == 3
    refused(run("--model", "majority", "--against", out, "--splits", "2"), "--splits")
    refused(
        run("--model", "bag", "--model", "majority", "--against", out), "--against is for one model"
    )


def reports_of(work: str) -> Callable[[Report], bool]:
    return lambda report: report.what.startswith(work)


@pytest.mark.slow
def test_ctrl_c_in_a_simple_model() -> None:
    with ctrl_c(reports_of("Strength"), at=2):
        assert run("--model", "bag").code == 130
    with ctrl_c(reports_of("Strength"), at=2):
        done = run("--model", "majority", "--model", "bag", "--model", "wl", "--json")
    assert [row["model"] for row in done.json["models"]] == ["majority"]
    assert "interrupted in bag" in done.err


@pytest.mark.slow
def test_ctrl_c_in_a_network() -> None:
    words = ("--set", "epochs=100000", "--set", "start=1", "--set", "features.kind=random")
    with ctrl_c(reports_of("Training"), at=4):
        done = run("--model", "glass", "--model", "bag", "--seeds", "1", "--json", *words)
    assert done.code == 0, done.err
    (row,) = done.json["models"]
    assert row["ended"] == "interrupted"
    assert any("interrupted after 4 of 100000 epochs" in note for note in row["notes"])


@pytest.mark.slow
def test_ctrl_c_in_a_network_before_validation_counts() -> None:
    with ctrl_c(reports_of("Training"), at=4):
        done = run("--model", "glass", "--seeds", "1", "--features", "random")  # start is 10
    assert "interrupted after 4 of" in done.out + done.err
    assert "finite" not in done.err


@pytest.mark.slow
def test_a_positive_class_is_scored_over_seeds_and_splits(tmp_path: Path) -> None:
    refused(run("--model", "majority", "--positive", "a"), "there is no class 'a'.")
    out = tmp_path / "run"
    found = run("--model", "majority", "--positive", "A", "--json", "-o", out).json
    assert found["positive"]["label"] == "A"
    assert found["positive"]["test"]["roc_auc"]["mean"] == 0.5  # all subgraphs alike
    assert read_result(out).positive.to_dict() == found["positive"]
    splits = run("--model", "majority", "--splits", "2", "--positive", "A", "--json").json
    assert splits["positive"]["test"]["f1"]["n"] == 2
    shown = run("--model", "majority", "--model", "bag", "--positive", "A").out
    assert "Positive class A on test" in shown
