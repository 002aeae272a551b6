"""Run folders: everything in them, readable by others, written whole."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import sub2node as s2n
from report_runs import made_result, small_task
from sub2node.base.errors import ConfigError, DataError
from sub2node.evaluate.result import Result
from sub2node.runs import read_result, save_run
from sub2node.task import SubgraphTask

QUICK = {"epochs": 4, "features.kind": "random"}


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=30,seed=3")


@pytest.fixture(scope="module")
def result(task: SubgraphTask) -> Result:
    return s2n.run(task, seeds=2, preset="fast", settings=QUICK)


def test_a_run_folder_holds_everything(task, result, tmp_path: Path) -> None:
    folder = save_run(result, task, tmp_path / "run")
    found = json.loads((folder / "result.json").read_text())
    scores = found["test"]["micro_f1"]
    assert set(scores) >= {"mean", "sd", "n", "values"}
    assert 0 <= scores["mean"] <= 1
    assert scores["n"] == 2
    assert scores["values"] == list(result.test["micro_f1"].values)
    assert found["data"]["hash"] == task.hash
    assert found["config"]["training"]["epochs"] == 4
    assert found["seconds"] > 0
    assert "torch" in found["versions"]
    epochs = pq.read_table(folder / "epochs.parquet").to_pydict()
    assert len(epochs["seed"]) == 2 * 4
    assert epochs["val_loss"][4:] == pytest.approx(list(result.history["val_loss"][:, 1]))
    rows = pq.read_table(folder / "predictions.parquet").to_pydict()
    assert len(rows["label"]) == 2 * len(task)
    test = [i for i, (seed, part) in enumerate(zip(rows["seed"], rows["part"], strict=True))
            if part == "test" and seed == 11]  # fmt: skip
    right = np.mean([rows["label"][i] == rows["prediction"][i] for i in test])
    assert right == pytest.approx(scores["values"][1])
    vectors = pq.read_table(folder / "embeddings.parquet")
    assert vectors["vector"].type.list_size == 128
    assert vectors.num_rows == 2 * len(task)
    card = (folder / "MODEL_CARD.md").read_text()
    assert f"| micro_f1 | {100 * result.val['micro_f1'].mean:.2f}" in card
    assert " | - | 2 |" in card  # two seeds have no interval
    assert not list(tmp_path.glob(".*"))


def test_the_settings_of_a_run_repeat_it(task, result, tmp_path: Path) -> None:
    folder = save_run(result, task, tmp_path / "run")
    again = s2n.run(task, seeds=2, preset=str(folder / "config.toml"))
    assert again.test == result.test
    assert np.array_equal(again.outputs["test"].logits, result.outputs["test"].logits)


def test_multi_label_predictions_are_lists(task, tmp_path: Path) -> None:
    labels = np.eye(3, dtype=bool)[task.labels]
    multi = SubgraphTask(task.graph, task.subgraphs, labels, task.class_names, task.split)
    found = s2n.run(multi, seeds=1, preset="fast", settings=QUICK)
    folder = save_run(found, multi, tmp_path / "run")
    rows = pq.read_table(folder / "predictions.parquet").to_pydict()
    assert rows["label"][0] == [multi.class_names[task.labels[0]]]
    assert all(isinstance(said, list) for said in rows["prediction"])


def test_a_task_without_a_split_is_not_the_one_that_was_assessed(task, result, tmp_path) -> None:
    with pytest.raises(DataError, match="no labels or no split; save a run with the task that was"):
        save_run(result, replace(task, split=None), tmp_path / "run")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_exists_stays(task, result, tmp_path: Path) -> None:
    folder = save_run(result, task, tmp_path / "run")
    with pytest.raises(ConfigError, match="exists already"):
        save_run(result, task, folder)
    save_run(result, task, folder, overwrite=True)
    (folder / "thesis.txt").write_text("mine")
    with pytest.raises(ConfigError, match="not ours"):
        save_run(result, task, folder, overwrite=True)


def test_the_card_has_areas_and_the_positive_class(tmp_path: Path) -> None:
    made = small_task()
    result = made_result(made, 5, label="class 1")
    folder = save_run(result, made, tmp_path / "run")
    card = (folder / "MODEL_CARD.md").read_text()
    area = result.class_areas["test"]["roc_auc"]["class 0"].percent_text(2)
    assert (
        f"| class 0 | {result.class_scores['test']['class 0'].percent_text(2)} | {area} | " in card
    )
    assert "## The positive class: class 1" in card
    assert f"| PR-AUC | {result.positive.val.pr_auc.percent_text()} | " in card
    assert read_result(folder).positive == result.positive
    assert read_result(folder).areas_per_class == result.class_areas
