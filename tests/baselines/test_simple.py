"""Simple models choose on validation, and take labels of one side only."""

from __future__ import annotations

import numpy as np
import pytest

import sub2node as s2n
from ring_tasks import ring_task
from sub2node.baselines import SIMPLE, TrainingData
from sub2node.baselines.simple import Candidate, choose
from sub2node.evaluate import assess
from sub2node.evaluate.protocol import labels_of
from sub2node.models.baseline import Simple
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask


@pytest.mark.slow
@pytest.mark.usefixtures("few_candidates")
@pytest.mark.parametrize("name", list(SIMPLE))
def test_a_class_that_all_or_none_have_is_no_trouble(name) -> None:
    if name == "sub2vec":
        pytest.importorskip("gensim")
    task = ring_task(multilabel=True)
    labels = np.column_stack([task.labels, np.ones(60, bool), np.zeros(60, bool)])
    odd = SubgraphTask(task.graph, task.subgraphs, labels, (), task.split)
    result = assess(odd, Simple(SIMPLE[name]), seeds=[10, 11])
    assert np.isfinite(result.outputs["test"].logits).all()


def training_data(task: SubgraphTask) -> TrainingData:
    labels = {part: labels_of(task, part) for part in ("train", "val")}  # type: ignore
    return TrainingData(task, labels, [1])


class ByColumn:
    """Says what it is told for each row of x: the class in the column of its number."""

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def get_params(self, deep: bool = True) -> dict[str, int]:
        return {"column": self.column}

    def fit(self, x: np.ndarray, y: np.ndarray) -> ByColumn:
        self.classes_ = np.arange(2)
        return self

    def decision_function(self, x: np.ndarray) -> np.ndarray:
        return np.where(x[:, self.column] == 1, 1.0, -1.0)


def test_ties_on_validation_are_decided_within_train() -> None:
    labels = np.tile([0, 1], 10)
    graph = Graph.from_edges([0], [1])
    split = Split.sizes(train=12, val=4, test=4)
    task = SubgraphTask(graph, Subgraphs.from_lists([[0]] * 20), labels, ("a", "b"), split)
    x = np.stack([labels, labels, labels, labels], axis=1)
    x[12, 0] = 1 - x[12, 0]  # wrong once on validation
    x[:6, 1] = 0  # right on validation, wrong within train
    x[:2, 2] = 1 - x[:2, 2]
    chosen = choose(
        training_data(task), [Candidate(f"column {k}", ByColumn(k), x) for k in range(4)], "told", 4
    )
    result = chosen.predictions(training_data(task))
    assert result.chosen == "column 3"
    assert "4 tried, 3 of them tied" in result.notes[0]
    assert np.array_equal(result.logits("test").argmax(-1)[0], labels[16:])


@pytest.mark.slow
@pytest.mark.usefixtures("few_candidates")
@pytest.mark.parametrize("name", ["wl", "gbdt", "sub2vec"])
def test_structure_is_seen(name: str) -> None:
    pytest.importorskip("gensim")
    task = s2n.load_task("generate:density,subgraphs=120")
    result = assess(task, Simple(SIMPLE[name]), seeds=[1])
    assert result.test["micro_f1"].mean >= 0.75
    where = "within train" if name == "wl" else "on validation"
    assert any(f"chosen {where}" in note for note in result.notes)
