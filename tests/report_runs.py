"""Run folders for tests of the report, made without any training."""

from __future__ import annotations

from typing import Any

import numpy as np

from sub2node.config import Config
from sub2node.evaluate.positive_class import PositiveClass
from sub2node.evaluate.result import Result, class_areas, class_scores, data_facts, part_scores
from sub2node.models.interface import Outputs
from sub2node.task import Graph, Names, Split, Subgraphs, SubgraphTask

NASTY = '<script>alert("é…")</script>'


def small_task(
    count: int = 60, classes: int = 3, *, multilabel: bool = False, names: Any = None, seed: int = 0
) -> SubgraphTask:
    """A random graph of 80 nodes with subgraphs, labels and a split."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 80, (400, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    graph = Graph.from_edges(*ends.T, num_nodes=80)
    subgraphs = Subgraphs.from_lists([rng.choice(80, rng.integers(2, 9)) for _ in range(count)])
    words = names or [f"set {number}" for number in range(count)]
    titles = Names([f"Title of {word}" for word in words])
    subgraphs = Subgraphs(subgraphs.ptr, subgraphs.nodes, names=Names(words), titles=titles)
    labels = np.arange(count) % classes
    if multilabel:
        labels = np.eye(classes, dtype=bool)[labels] | (rng.random((count, classes)) < 0.2)
    split = Split(np.repeat([0, 2, 3], [count // 2, count // 4, count - count // 2 - count // 4]))
    kinds = (*(f"class {number}" for number in range(classes - 1)), NASTY)
    return SubgraphTask(graph, subgraphs, labels, kinds, split, name="random")


def made_result(
    task: SubgraphTask,
    seeds: int = 3,
    *,
    signal: float = 1.5,
    config: Any = None,
    label: str | None = None,
    **more: Any,
) -> Result:
    """A result with random logits that know something of the labels; ``label`` is positive."""
    rng = np.random.default_rng(seeds)
    assert task.labels is not None
    assert task.split is not None
    truth = task.labels if task.multilabel else task.labels[:, None] == range(task.num_classes)
    parts: Any = ("train", "val", "test")
    outputs, labels = {}, {}
    for part in parts:
        here = task.split.mask(part)
        labels[part] = task.labels[here]
        noise = rng.normal(size=(seeds, here.sum(), task.num_classes))
        outputs[part] = Outputs((noise + signal * (2 * truth[here] - 1)).astype(np.float32))
    limits, target = (0.0,) * seeds, PositiveClass.of_task(task, label)
    logits = {part: found.logits for part, found in outputs.items()}
    if target is not None:
        alerts = target.choose_thresholds(labels["val"], logits["val"])
        more["positive"] = target.score(labels, logits, alerts)
    asked: Any = ("val", "test")
    given = {
        "model": "s2n+a gcn2",
        "data": data_facts(task),
        "seeds": tuple(range(10, 10 + seeds)),
        "scores": {p: part_scores(labels[p], outputs[p].logits, limits) for p in asked},
        "class_scores": {
            p: class_scores(task, labels[p], outputs[p].logits, limits) for p in asked
        },
        "class_areas": {p: class_areas(task, labels[p], logits[p]) for p in asked},
        "seconds": 1.5,
        "config": Config().to_dict() if config is None else config,
        "notes": ("a note <b>of the run</b>.",),
        "preset": "fast",
        "thresholds": limits,
        "outputs": outputs,
        "labels": labels,
        "history": {
            name: rng.random((7, seeds))
            for name in ("train_loss", "val_loss", "val_micro_f1", "lr")
        },
        "best_epoch": (3,) * seeds,
        "parameters": 1234,
    }
    return Result(**{**given, **more})


def simple_result(task: SubgraphTask, seeds: int = 1, **more: Any) -> Result:
    """The same of a model without a training loop."""
    return made_result(
        task, seeds, model="bag", config={"baseline": "bag"}, history={}, best_epoch=(),
        parameters=None, signal=0.3, **more,
    )  # fmt: skip
