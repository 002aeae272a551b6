"""``s2n fit`` as a person runs it."""

from __future__ import annotations

import importlib
import json
import shlex
import shutil
import signal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch

from commands import Done, refused, s2n
from small_models import CLASSES, QUICK, drawn, write_csv, write_task
from sub2node import SubgraphClassifier, load_task
from sub2node.encode import Encoding
from sub2node.encode.encoding_files import save_encodings
from sub2node.io.table_writer import open_table
from sub2node.scoring import artefact, choices

pytestmark = pytest.mark.usefixtures("few_trees")

training = importlib.import_module("sub2node.train.fit")
SETS = [word for key, value in QUICK.items() for word in ("--set", f"{key}={value}")]
FAST = ("--preset", "fast", "--seeds", "2", *SETS)
FILES = ["MODEL_CARD.md", "edges.parquet", "known.safetensors", "model.json", "nodes.parquet",
         "subgraphs.parquet", "weights.safetensors"]  # fmt: skip


@pytest.fixture(scope="module")
def task(tmp_path_factory) -> Path:
    return write_task(tmp_path_factory.mktemp("fit") / "data")


@pytest.fixture(scope="module")
def fitted(task: Path) -> tuple[Path, Done]:
    out = task.with_name("model")
    return out, s2n("fit", task, "-o", out, *FAST)


@pytest.fixture
def trains(monkeypatch) -> list[str]:
    """What is trained from here on."""
    begun: list[str] = []
    real = training.fit

    def fit(*given, **options):
        begun.append("training")
        return real(*given, **options)

    monkeypatch.setattr("sub2node.models.candidates.fit", fit)
    return begun


def fit(*words: object) -> Done:
    return s2n("fit", *words)


def said(model: Path) -> np.ndarray:
    return SubgraphClassifier.load(model).predict_proba(list(drawn(20).values()))


def facts(model: Path) -> dict:
    return json.loads((model / "model.json").read_text(encoding="utf-8"))


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.slow
def test_a_model_is_a_folder_that_answers(fitted: tuple[Path, Done], task: Path) -> None:
    out, done = fitted
    assert (done.code, done.err) == (0, "")
    assert files(out) == FILES
    for text in ("s2n+a gcn2 on data", "Validation", "Test", "Log loss", "Seeds: 2, averaged",
                 f"Model: {out}", f"s2n predict {out}", f"s2n serve {out}"):  # fmt: skip
        assert text in done.out
    model = SubgraphClassifier.load(out)
    assert model.classes_.tolist() == list(CLASSES)
    for name, word in (("micro_f1", "Micro-F1"), ("pr_auc", "PR-AUC")):
        shown = next(line.split() for line in done.out.splitlines() if word in line)[-2:]
        wanted = (model.validation_, model.test_)
        assert shown == [f"{100 * part[name]:.1f}" for part in wanted]
    held = load_task(task)
    part = held.split.mask("test")
    right = model.predict(held.subgraphs.take(np.flatnonzero(part)))
    truth = np.array(CLASSES)[held.labels[part]]
    assert model.test_["accuracy"] == pytest.approx(np.mean(right == truth))


@pytest.mark.slow
def test_it_is_the_model_of_the_library(fitted: tuple[Path, Done], task: Path) -> None:
    model = SubgraphClassifier(seeds=2, preset="fast", settings=QUICK).fit(load_task(task))
    wanted = model.predict_proba(list(drawn(20).values()))
    np.testing.assert_allclose(said(fitted[0]), wanted, atol=1e-6)


@pytest.mark.slow
def test_json_is_one_document(fitted: tuple[Path, Done], task: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    done = fit(task, "-o", out, "--json", *FAST)
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert found["path"] == str(out)
    assert found["model"] == "s2n+a gcn2"
    assert found["data"]["split"] == {"train": 30, "val": 9, "test": 9}
    assert (found["validation"]["subgraphs"], found["test"]["subgraphs"]) == (9, 9)
    assert found["seconds"] > 0
    assert found["test"] == facts(fitted[0])["card"]["test"]
    np.testing.assert_allclose(said(out), said(fitted[0]), atol=1e-6)


@pytest.mark.slow
def test_the_test_part_is_not_learned(
    fitted: tuple[Path, Done], task: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    shutil.copytree(task, data)
    rewritten(data, lambda row: {**row, "label": CLASSES[0]} if row["split"] == "test" else row)
    assert fit(data, "-o", tmp_path / "one", *FAST).code == 0
    lines = (data / "subgraphs.jsonl").read_text().splitlines()
    (data / "subgraphs.jsonl").write_text("\n".join(line for line in lines if "test" not in line))
    done = fit(data, "-o", tmp_path / "two", "--json", *FAST)
    assert "test" not in json.loads(done.out)
    for other in ("one", "two"):
        np.testing.assert_allclose(said(tmp_path / other), said(fitted[0]), atol=1e-6)


@pytest.mark.slow
def test_settings_reach_the_model(task: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    done = fit(task, "-o", out, "--structure", "separated", "--conv", "gin", "--set", "lr=0.02",
               *FAST, "--set", "hidden=6", "--seeds", "3")  # fmt: skip
    assert done.code == 0, done.err
    config = facts(out)["config"]
    assert (config["structure"], config["conv"]) == ("separated", "gin")
    assert (config["model"]["hidden"], config["training"]["lr"]) == (6, 0.02)
    assert len(facts(out)["seeds"]) == 3


@pytest.mark.slow
def test_the_words_of_a_model(task: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    words = ("--model", "bag", "--name", "Mine", "--words", "disease, symptom,family")
    card = json.loads(fit(task, "-o", out, *words, "--json").out)
    said = card["words"]
    assert (said["title"], said["subgraph"], said["member"]) == ("Mine", "disease", "symptom")
    assert said["label"] == "family"
    text = (out / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert text.startswith("# bag on Mine\n\nWhich family do these symptoms belong to?\n")
    asked = fit(task, "-o", out, "--overwrite", *words, "--question", "Who is it?", "--json")
    assert json.loads(asked.out)["words"]["question"] == "Who is it?"
    plain = json.loads(fit(task, "-o", out, "--overwrite", "--model", "bag", "--json").out)
    assert plain["words"]["label"] == "class"


@pytest.mark.parametrize("words", ["disease", "a,b,", "a,b,c,d"])
def test_words_are_three_nouns(task: Path, tmp_path: Path, words: str) -> None:
    refused(
        fit("nowhere", "-o", tmp_path / "model", "--words", words),
        "--words is three singular nouns, as disease,phenotype,family",
    )


@pytest.mark.slow
def test_rare_classes_count_as_much(tmp_path: Path) -> None:
    data = write_task(tmp_path / "data")
    few = ("s0", "s30", "s39")
    path = data / "subgraphs.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [row for row in rows if row["label"] != CLASSES[0] or row["id"] in few]
    path.write_text("\n".join(map(json.dumps, kept)))
    assert fit(data, "-o", tmp_path / "plain", *FAST).code == 0
    assert fit(data, "-o", tmp_path / "balanced", "--balanced", *FAST).code == 0
    model = SubgraphClassifier(seeds=2, preset="fast", settings=QUICK, class_weight="balanced")
    wanted = model.fit(load_task(data)).predict_proba(list(drawn(20).values()))
    np.testing.assert_allclose(said(tmp_path / "balanced"), wanted, atol=1e-6)
    assert np.abs(said(tmp_path / "plain") - wanted).max() > 1e-3


@pytest.mark.slow
def test_several_labels_and_their_threshold(tmp_path: Path) -> None:
    data = write_task(tmp_path / "data", multilabel=True)
    for threshold in ("half", "val"):
        out = tmp_path / threshold
        done = fit(data, "-o", out, "--threshold", threshold, *FAST)
        assert done.code == 0, done.err
        assert facts(out)["multilabel"]
        assert SubgraphClassifier.load(out).predict([["g1"]]).shape == (1, 3)
    assert facts(tmp_path / "half")["threshold"] == 0.5
    former = fit(data, "-o", tmp_path / "zero", "--threshold", "zero", *FAST)
    assert former.code == 0, former.err
    assert facts(tmp_path / "zero")["threshold"] == 0.5
    assert facts(tmp_path / "val")["threshold"] != 0.5


@pytest.mark.slow
def test_auto_chooses_within_its_time(task: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(choices, "CANDIDATES", choices.CANDIDATES[:3])
    out = tmp_path / "model"
    done = fit(task, "-o", out, "--structure", "auto", "--minutes", "1", "--json", *FAST)
    assert done.code == 0, done.err
    tried = json.loads(done.out)["choices"]
    assert [(row["structure"], row["conv"]) for row in tried] == list(choices.CANDIDATES)
    assert {row["state"] for row in tried} == {"complete"}
    (chosen,) = [row for row in tried if row.get("chosen")]
    assert chosen["validation"] == max(row["validation"] for row in tried)
    assert json.loads(done.out)["model"] == f"{chosen['structure']} {chosen['conv']}"
    assert facts(out)["config"]["structure"] == chosen["structure"]
    assert said(out).shape == (20, 3)


@pytest.mark.slow
def test_auto_with_a_small_budget_is_cut_short(task: Path, tmp_path: Path, monkeypatch) -> None:
    calls = []
    monkeypatch.setattr(choices, "fit_network", lambda *a, **k: calls.append(a) or real(*a, **k))
    from sub2node.scoring.training import fit_network as real

    words = [*FAST, "--set", "epochs=30", "--set", "patience=0"]
    done = fit(task, "-o", tmp_path / "model", "--structure", "auto", "--minutes", "0.0002", *words)
    assert done.code == 0, done.err
    assert len(calls) == 1
    for text in ("Tried on validation", "chosen", "not tried"):
        assert text in done.out
    tried = facts(tmp_path / "model")["card"]["choices"]
    assert tried[0]["state"] == "cut short"
    assert {row["state"] for row in tried[1:]} == {"not tried"}
    # Only the choice is cut short: what is kept is trained to its end.
    assert not any("interrupted" in note for note in facts(tmp_path / "model")["card"]["notes"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--structure", "s2n+1"), "structure cannot be 's2n+1'. Did you mean"),
        (("--conv", "gnc2"), "there is no convolution 'gnc2'. Did you mean 'gcn2'?"),
        (("--preset", "papre"), "there is no preset 'papre'."),
        (("--set", "lrate=1"), "there is no setting 'lrate'"),
        (("--set", "epochs"), "a setting is written key=value, found 'epochs'."),
        (("--set", "epochs=many"), "training.epochs is a whole number, found 'many'."),
        (("--seeds", "0"), "at least one seed is needed, found 0."),
        (("--threshold", "best"), "a threshold is 'half' or 'val', not 'best'."),
        (("--device", "tpu"), "a device is auto, cpu or cuda, not 'tpu'."),
        (("--structure", "auto", "--conv", "gin"), "chooses the convolution too"),
        (("--structure", "auto", "--minutes", "0"), "a number of minutes above 0"),
        (("--structure", "auto", "--minutes", "nan"), "a number of minutes above 0"),
        (("--structure", "auto", "--coarsen", "heavy_edge:0.3"), "tries it at its default"),
        (("--coarsen", "heavy_edge:0.3"), "coarsening is for cos2n+0 and cos2n+a, not for s2n+a"),
        (("--coarsen", "heavy_edge:2"), "ratio"),
        (("--features", "lnik"), "--features cannot be 'lnik'. Did you mean 'link'?"),
        (("--inputs", "vectors.npy"), "--inputs cannot be 'vectors.npy'"),
        (("--encoding", "rwpe", "--set", "features.encoding=lappe"), "is set twice"),
        (("--compile", "on"), "compile is auto or off, not 'on'."),
        (("--column", "foo=bar"), "no column of ours is called 'foo'."),
        (("--unknown-nodes", "x"), "unknown_nodes"),
    ],
)
def test_mistakes_are_one_sentence_before_training(
    task: Path, tmp_path: Path, trains: list[str], words: tuple[str, ...], message: str
) -> None:
    refused(fit(task, "-o", tmp_path / "model", *FAST, *words), message)
    assert files(tmp_path) == []
    assert trains == []


@pytest.mark.slow
def test_training_is_seen_by_the_tests(task: Path, tmp_path: Path, trains: list[str]) -> None:
    assert fit(task, "-o", tmp_path / "model", *FAST).code == 0
    assert trains


def test_a_model_needs_a_place_and_data(tmp_path: Path) -> None:
    done = fit("generate:density")
    assert done.code == 2
    assert "Traceback" not in done.err
    refused(fit(tmp_path / "none", "-o", tmp_path / "model"), "there is no benchmark, file or")


@pytest.mark.slow
def test_what_is_there_is_not_overwritten(
    fitted: tuple[Path, Done], task: Path, tmp_path: Path, trains: list[str], monkeypatch
) -> None:
    out = tmp_path / "model"
    shutil.copytree(fitted[0], out)
    before = {name: (out / name).read_bytes() for name in FILES}
    refused(fit(task, "-o", out, *FAST), "exists already")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    words = ("-o", tmp_path / "other", "--overwrite", *FAST)
    refused(fit(task, *words), "holds 'thesis.txt', which is not ours")
    (tmp_path / "file").write_text("mine")
    refused(fit(task, "-o", tmp_path / "file", "--overwrite", *FAST), "is a file")
    refused(fit(task, "-o", tmp_path / "file" / "m", *FAST), "no folder to write into")
    assert trains == []
    monkeypatch.setattr(artefact, "_encode_known", _fails)
    refused(fit(task, "-o", out, "--overwrite", *FAST), "cannot be written: No space left")
    assert {name: (out / name).read_bytes() for name in FILES} == before
    assert files(tmp_path) == ["file", "model", "other"]
    monkeypatch.undo()
    assert fit(task, "-o", out, "--overwrite", *FAST, "--set", "hidden=4").code == 0
    assert files(out) == FILES
    assert facts(out)["config"]["model"]["hidden"] == 4


def _fails(*_: object, **__: object) -> bytes:
    raise OSError(28, "No space left on device")


@pytest.mark.slow
def test_by_reference(fitted: tuple[Path, Done], task: Path, tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "model"
    shutil.copytree(task, data)
    assert fit(data, "-o", out, "--by-reference", *FAST).code == 0
    assert files(out) == [name for name in FILES if name not in ("edges.parquet", "nodes.parquet")]
    np.testing.assert_allclose(said(out), said(fitted[0]), atol=1e-6)
    assert s2n("predict", out, "--nodes", "g1").code == 0
    with (data / "edges.csv").open("a") as file:
        file.write("g0,g40\n")
    refused(s2n("predict", out, "--nodes", "g1"), "has another graph than the one the model was")
    shutil.rmtree(data)
    refused(s2n("predict", out, "--nodes", "g1"), "lies outside of the model and cannot be read")


def at_epoch(monkeypatch, number: int) -> None:
    """Ctrl-C at the end of the so-many-th epoch from now."""
    real, count = training.step, [0]

    def step(what: str, *given: object) -> None:
        real(what, *given)
        count[0] += 1
        if count[0] == number:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(training, "step", step)


@pytest.mark.slow
def test_ctrl_c_keeps_the_best_state_so_far(task: Path, tmp_path: Path, monkeypatch) -> None:
    at_epoch(monkeypatch, 5)
    out = tmp_path / "model"
    done = fit(task, "-o", out, *FAST, "--set", "epochs=1000000", "--set", "patience=0")
    assert done.code == 0, done.err
    words = "interrupted after 5 of 1000000 epochs; the best state so far counts."
    assert f"Note: {words}" in done.out
    assert words in facts(out)["card"]["notes"]
    assert said(out).shape == (20, 3)
    assert s2n("predict", out, "--nodes", "g1").code == 0


def test_ctrl_c_while_auto_chooses_ends_the_whole(task: Path, tmp_path: Path, monkeypatch) -> None:
    at_epoch(monkeypatch, 3)
    words = ("--structure", "auto", *FAST, "--set", "epochs=1000000", "--set", "patience=0")
    done = fit(task, "-o", tmp_path / "model", *words)
    assert done.code in (1, 130)
    assert done.out == ""
    assert "Traceback" not in done.err
    assert files(tmp_path) == []


@pytest.mark.slow
def test_data_without_a_split(task: Path, tmp_path: Path) -> None:
    data = write_task(tmp_path / "data", split=False)
    for name in ("one", "two"):
        done = fit(data, "-o", tmp_path / name, "--json", *FAST)
        assert done.code == 0, done.err
        found = json.loads(done.out)
        assert "test" not in found
        assert sum(found["data"]["split"].values()) == 48
        assert found["data"]["split"].keys() == {"train", "val"}
        assert found["validation"]["subgraphs"] == found["data"]["split"]["val"] > 0
    np.testing.assert_allclose(said(tmp_path / "one"), said(tmp_path / "two"), atol=1e-6)
    shown = fit(data, "-o", tmp_path / "three", *FAST).out
    assert "Validation" in shown
    assert "Test" not in shown


def rewritten(data: Path, change) -> Path:
    path = data / "subgraphs.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("\n".join(json.dumps(change(row)) for row in rows))
    return data


@pytest.mark.slow
def test_data_that_cannot_be_learned(tmp_path: Path, trains: list[str]) -> None:
    out = tmp_path / "model"
    data = rewritten(write_task(tmp_path / "a"), lambda row: {**row, "label": None})
    refused(fit(data, "-o", out, *FAST), "the task has no labels to learn.")
    data = rewritten(write_task(tmp_path / "b"), lambda row: {**row, "label": "one"})
    refused(fit(data, "-o", out, *FAST), "all subgraphs have the class 'one'; nothing to learn.")
    data = rewritten(write_task(tmp_path / "c"), lambda row: {**row, "split": "test"})
    refused(fit(data, "-o", out, *FAST), "no subgraph in train")
    data = write_task(tmp_path / "d", split=False)
    lines = (data / "subgraphs.jsonl").read_text().splitlines()
    (data / "subgraphs.jsonl").write_text(lines[0])
    refused(fit(data, "-o", out, *FAST), "too few subgraphs (1) to learn from")
    assert trains == []
    assert not out.exists()


@pytest.mark.slow
def test_random_numbers_of_the_user_are_left_alone(task: Path, tmp_path: Path) -> None:
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    assert fit(task, "-o", tmp_path / "model", *FAST).code == 0
    assert torch.equal(torch.rand(3), wanted)


# Faults that are known.


def test_by_reference_is_checked_before_training(
    task: Path, tmp_path: Path, trains: list[str]
) -> None:
    words = ("--graph", task / "edges.csv", "--by-reference", *FAST)
    done = fit(task / "subgraphs.jsonl", "-o", tmp_path / "model", *words)
    refused(done, "--by-reference is for data that DATA alone names; omit the others.")
    done = fit("https://host/x?sig=secret", "-o", tmp_path / "model", "--by-reference", *FAST)
    refused(done, "--by-reference is for data that lies somewhere on this machine; omit it.")
    assert trains == []


@pytest.mark.slow
def test_a_reference_holds_in_every_folder(task: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(task.parent)
    out = tmp_path / "model"
    done = fit(task.name, "-o", out, "--by-reference", *FAST)
    assert done.code == 0, done.err
    here = s2n("predict", out, "--nodes", "g1", "--json")
    monkeypatch.chdir(tmp_path)
    there = s2n("predict", out, "--nodes", "g1", "--json")
    assert there.code == 0, there.err
    assert there.json == here.json


def test_a_wrong_threshold_costs_no_budget(task: Path, tmp_path: Path, trains: list[str]) -> None:
    words = ("--structure", "auto", "--minutes", "0.0002", "--threshold", "best", *FAST)
    refused(fit(task, "-o", tmp_path / "model", *words), "a threshold is")
    assert trains == []


@pytest.mark.parametrize("setting", ["conv=gin", "structure=separated"])
def test_what_has_an_option_is_not_set(task: Path, tmp_path: Path, setting: str) -> None:
    words = ("--structure", "auto", "--minutes", "0.0002", "--set", setting, *FAST)
    refused(fit(task, "-o", tmp_path / "model", *words), "is chosen with --")


@pytest.mark.slow
def test_the_settings_of_a_run_name_its_structure(task: Path, tmp_path: Path) -> None:
    run = s2n("run", task, "--structure", "connected", "--conv", "gin", "--seeds", "1", "-o",
              tmp_path / "run", "--preset", "fast", *SETS)  # fmt: skip
    assert run.code == 0, run.err
    words = ("--preset", tmp_path / "run" / "config.toml", "--seeds", "1", "--json")
    found = json.loads(fit(task, "-o", tmp_path / "model", *words).out)
    assert found["model"] == "connected gin"


@pytest.mark.slow
def test_answers_of_the_command_for_a_file(fitted: tuple[Path, Done], tmp_path: Path) -> None:
    path = write_csv(tmp_path / "new.csv", drawn(20))
    rows = json.loads(s2n("predict", fitted[0], path, "--json").out)["answers"]
    found = [[row[f"p {name}"] for name in CLASSES] for row in rows]
    np.testing.assert_allclose(found, said(fitted[0]), atol=1e-6)


def without_features() -> list[str]:
    """The quick settings less those that the options below are about."""
    settings = {key: value for key, value in QUICK.items() if not key.startswith("features.kind")}
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    return ["--preset", "fast", "--seeds", "2", *words]


def vectors(task: Path, path: Path, *, nodes: int | None = None) -> Path:
    """A file with eight columns for the first nodes, or all of them."""
    graph = load_task(task).graph
    rows = np.arange(graph.num_nodes)[:nodes]
    values = np.random.default_rng(1).normal(size=(len(rows), 8))
    save_encodings(path, graph, [Encoding("own", rows, values)])
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "settings"),
    [
        (("--features", "constant"), {"kind": "constant"}),
        (("--features", "FILE"), {"kind": "given"}),
        (("--encoding", "rwpe"), {"encoding": "rwpe"}),
        (("--encoding", "FILE", "--set", "features.join=concat"), {"join": "concat"}),
        (("--inputs", "structure"), {"subgraphs": "structure"}),
        (("--inputs", "wl", "--structure", "separated"), {"subgraphs": "wl"}),
        (("--structure", "cos2n+0", "--coarsen", "heavy_edge:0.4"), {}),
        (("--compile", "off"), {}),
    ],
    ids=" ".join,
)
def test_options_of_run_reach_a_model_that_answers_the_same_after_loading(
    task: Path, tmp_path: Path, words: tuple[str, ...], settings: dict[str, str]
) -> None:
    file = vectors(task, tmp_path / "vectors.npz")
    out = tmp_path / "model"
    options = [str(file) if word == "FILE" else word for word in words]
    done = fit(task, "-o", out, *without_features(), "--json", *options)
    assert done.code == 0, done.err
    config = facts(out)["config"]
    assert settings.items() <= config["features"].items()
    if "--coarsen" in words:
        assert (config["coarsening"]["method"], config["coarsening"]["ratio"]) == (
            "heavy_edge",
            0.4,
        )
    data, model = load_task(task), SubgraphClassifier.load(out)
    part = data.subset(data.split.mask("test"))
    score = model.score(part.subgraphs, [data.class_names[label] for label in part.labels])
    assert score == pytest.approx(json.loads(done.out)["test"]["micro_f1"])


@pytest.mark.slow
def test_vectors_of_some_nodes_are_no_encoding_of_a_model(
    task: Path, tmp_path: Path, trains: list[str]
) -> None:
    file = vectors(task, tmp_path / "vectors.npz", nodes=5)
    refused(
        fit(task, "-o", tmp_path / "model", "--encoding", file, *FAST), "s2n encode --all-nodes"
    )
    assert trains == []


def test_a_reference_does_not_name_features_of_a_file(task: Path, tmp_path: Path) -> None:
    file = vectors(task, tmp_path / "vectors.npz")
    words = ("--features", file, "--by-reference", *without_features())
    refused(fit(task, "-o", tmp_path / "model", *words), "as DATA has it")


def test_a_wrong_positive_class_costs_no_training(
    task: Path, tmp_path: Path, trains: list[str]
) -> None:
    out = tmp_path / "model"
    refused(fit(task, "-o", out, "--positive", "plein", *FAST), "Did you mean 'plain'?")
    assert trains == []


@pytest.mark.slow
def test_predict_takes_the_positive_class_of_the_model(task: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    done = fit(task, "-o", out, "--positive", "plain", *FAST)
    assert done.code == 0, done.err
    positive = facts(out)["card"]["positive"]
    assert "Positive class plain, in percent" in done.out
    assert f"Threshold: a probability of {positive['threshold']:.3f}, with" in done.out
    assert "ROC-AUC" in done.out
    asked = write_csv(tmp_path / "new.csv", drawn(5))
    found = s2n("predict", out, asked, "--json").json
    assert found["positive"] == {key: positive[key] for key in ("label", "threshold")}
    assert sorted(row["rank"] for row in found["answers"])[0] == 1


def test_groups_are_for_best_and_a_column(task: Path, tmp_path: Path) -> None:
    words = ("fit", task, "-o", tmp_path / "model", "--groups", "paper")
    refused(s2n(*words), "--groups is for --model best")
    refused(s2n(*words, "--model", "best"), "no column 'paper'")


def test_balanced_is_for_networks(task: Path, tmp_path: Path) -> None:
    words = ("fit", task, "-o", tmp_path / "model", "--balanced", "--model", "hops")
    refused(s2n(*words), "--balanced is for networks, not for hops")


def half_labelled(folder: Path, ending: str, header: tuple[str, str] | None) -> Path:
    """Tables of rings where every third subgraph has no label and excludes a node."""
    folder.mkdir()
    names, numbers = [f"s{i}" for i in range(24)], range(24)
    edges = "".join(f"g{i},g{(i + 1) % 24}\n" for i in numbers)
    (folder / "edges.csv").write_text("source,target\n" + edges)
    labels = "".join(f"{names[i]},{'xy'[i >= 12] if i % 3 else ''}\n" for i in numbers)
    (folder / "labels.csv").write_text("subgraph_id,label\n" + labels)
    absent = "".join(f"{names[i]},g{(i + 9) % 24}\n" for i in numbers if not i % 3)
    (folder / "excluded.csv").write_text("subgraph_id,node_id\n" + absent)
    pairs = [(names[i], f"g{(i + k) % 24}") for k in range(2) for i in numbers]  # scattered
    table = pa.table(dict(zip(header or "ab", zip(*pairs, strict=True), strict=True)))
    if header is None:
        rows = "".join(f"{who},{node}\n" for who, node in pairs)
        (folder / f"members{ending}").write_text(rows)
        return folder
    with open_table(folder / f"members{ending}", ending, table.schema) as write:
        write(table)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("whole", [True, False], ids=["folder", "file"])
@pytest.mark.parametrize(
    ("ending", "header", "columns"),
    [
        (".csv", ("case", "finding"), ("members.subgraph_id=case", "members.node_id=finding")),
        (".csv", ("patient", "term"), ()),
        (".csv", None, ()),
        (".xlsx", ("subgraph_id", "finding"), ("members.node_id=finding",)),
        (".parquet", ("subgraph_id", "gene"), ()),
    ],
)
def test_the_command_that_fit_advises_gives_answers(
    tmp_path: Path, ending: str, header: tuple[str, str] | None, columns: tuple[str, ...], whole
) -> None:
    folder, out = half_labelled(tmp_path / "my data", ending, header), tmp_path / "my model"
    words = [word for pair in columns for word in ("--column", pair)]
    data = (
        [folder]
        if whole
        else [
            *(folder / f"members{ending}", "--graph", folder / "edges.csv"),
            *("--labels", folder / "labels.csv"),
        ]
    )
    done = fit(*data, *words, "--model", "bag", "--seeds", "1", "-o", out)
    assert done.code == 0, done
    *_, hint = done.out.split("Next: ")
    told, command = " ".join(hint.split()).split(": ", 1)
    assert told == "8 subgraphs without a label"
    command, _, whom = command.partition(" answers for ")
    program, *asked = shlex.split(command)
    assert program == "s2n"
    answers = s2n(*asked, "--json").json
    assert (answers["answered"], answers["bad"], whom) == (
        (8, 0, "them") if whole else (24, 0, "all of that file")
    )
