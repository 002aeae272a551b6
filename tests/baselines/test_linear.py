"""Linear models: right where the answer is in their input."""

from __future__ import annotations

import numpy as np
import pytest

import sub2node as s2n
from ring_tasks import ring_task
from sub2node.baselines import SIMPLE, TrainingData
from sub2node.baselines.linear import HopsSettings
from sub2node.baselines.node_bags import inverse_frequencies
from sub2node.evaluate import assess
from sub2node.models.baseline import Simple
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("name", ["bag", "diffused-bag", "hops"])
def test_bags_learn_which_nodes_matter(name, multilabel) -> None:
    result = assess(ring_task(multilabel), Simple(SIMPLE[name]), seeds=[10, 11])
    assert result.test["micro_f1"].mean == 1.0
    assert result.test["micro_f1"].n == 1  # nothing random in it
    assert result.model == name


@pytest.mark.slow
def test_structure_statistics_learn_density() -> None:
    task = s2n.load_task("generate:density,subgraphs=80,seed=1")
    result = assess(task, Simple(SIMPLE["statistics"]), seeds=[10, 11, 12])
    assert result.test["micro_f1"].mean > 0.85
    assert result.seeds == (10, 11, 12)
    assert result.test["micro_f1"].n == 3


@pytest.mark.parametrize("multilabel", [False, True])
def test_majority_is_the_share_of_the_most_frequent_class(multilabel) -> None:
    rng = np.random.default_rng(1)
    labels = np.array([0] * 20 + [1] * 10)
    sets = Subgraphs.from_lists([rng.choice(8, 3, replace=False) for _ in labels])
    graph = Graph.from_edges(np.arange(7), np.arange(1, 8))
    truth = np.stack([labels == 0, labels == 1], axis=1) if multilabel else labels
    task = SubgraphTask(graph, sets, truth, (), Split.random(labels))
    result = assess(task, Simple(SIMPLE["majority"]), seeds=[10])
    truth = task.labels[task.split.mask("test")]
    share = truth[:, 0].mean() if multilabel else (truth == 0).mean()
    assert result.test["accuracy"].mean == pytest.approx(share)


def test_hops_weighs_nodes_by_the_training_subgraphs_alone() -> None:
    task = ring_task()
    labels = {"train": task.labels[task.split.mask("train")]}
    predictions = SIMPLE["hops"].fit(TrainingData(task, labels, [1]), HopsSettings())
    expected = inverse_frequencies(task.subset(task.split.mask("train")).subgraphs, 40)
    assert np.array_equal(predictions.classifier.arrays["node_weights"], expected)
    assert "chosen within train" in predictions.notes[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["majority", "bag", "diffused-bag", "hops", "statistics"])
@pytest.mark.parametrize("multilabel", [False, True])
def test_what_was_learned_answers_as_the_model_does(name, multilabel) -> None:
    task = ring_task(multilabel)
    labels = {part: task.labels[task.split.mask(part)] for part in ("train", "val")}
    model = SIMPLE[name]
    predictions = model.fit(TrainingData(task, labels, [1]), model.settings())
    alone = SubgraphTask(task.graph, task.subgraphs.take(np.flatnonzero(task.split.mask("test"))))
    answers = predictions.classifier.logits(alone)
    np.testing.assert_allclose(answers, predictions.logits("test"), atol=1e-12)
