"""Scores of a contestant over several splits of the same data."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from sub2node.base.environment import find_device
from sub2node.base.metrics import micro_f1
from sub2node.base.ragged import Array
from sub2node.evaluate import assess
from sub2node.evaluate.protocol import labels_of
from sub2node.models.baseline import BatchNetworkModel
from sub2node.models.candidates import NetworkModel, target
from sub2node.nn import Stages, Streams
from sub2node.ops.triton import compile_mode
from sub2node.task import Part, SubgraphTask
from sub2node.train import BatchGroup, fit
from sub2node.train.scores import losses
from sub2node.train.training_resources import fitting_threads

PARTS: tuple[Part, ...] = ("train", "val", "test")


@dataclass(frozen=True)
class Scores:
    """What a contestant reached.

    Args:
        test: Micro-F1 of each split (or seed) on its test part.
        val: The best validation micro-F1 of each.
        ended: How its trainings ended.
        seconds: Seconds in all.
    """

    test: tuple[float, ...]
    val: tuple[float, ...]
    ended: str
    seconds: float


def score_seeds(model: NetworkModel, task: SubgraphTask, count: int) -> Scores:
    """Scores of several seeds on the split that a task has."""
    result = assess(task, model, seeds=range(count))
    return Scores(
        result.test["micro_f1"].values,
        result.val["micro_f1"].values,
        ended=str(result.ended),
        seconds=result.seconds,
    )


def score_splits(
    model: NetworkModel,
    base: SubgraphTask,
    tasks: Sequence[SubgraphTask],
    seeds: Sequence[int],
) -> Scores:
    """Scores on splits of the same subgraphs, with a seed for each.

    Networks that read the global graph are trained on all splits side by side, one replica per
    split: what is launched for one serves all. Together they have as much time as one after
    another.

    Args:
        model: The model.
        base: The subgraphs that all tasks are splits of.
        tasks: The splits.
        seeds: Their seeds.
    """
    start = time.perf_counter()
    equal_sizes = len({tuple(task.split.count(p) for p in PARTS) for task in tasks}) == 1
    if isinstance(model, BatchNetworkModel) and equal_sizes:
        test, val, ended = _train_side_by_side(model, base, tasks, seeds)
    else:
        pairs = zip(seeds, tasks, strict=True)
        results = [assess(task, model, seeds=[seed]) for seed, task in pairs]
        test = tuple(result.test["micro_f1"].values[0] for result in results)
        val = tuple(result.val["micro_f1"].values[0] for result in results)
        ended = " ".join(sorted({str(result.ended) for result in results}))
    return Scores(test, val, ended=ended, seconds=time.perf_counter() - start)


def _train_side_by_side(
    model: BatchNetworkModel,
    base: SubgraphTask,
    tasks: Sequence[SubgraphTask],
    seeds: Sequence[int],
) -> tuple[tuple[float, ...], tuple[float, ...], str]:
    device, settings = find_device(model.device), model.candidates[0]
    rows = {part: np.stack([_rows_in(base, task, part) for task in tasks]) for part in PARTS}
    labels = {part: _by_split(base, rows[part]) for part in PARTS}
    with compile_mode(model.compile):
        built = model.build(base, settings, list(seeds), device)
        with fitting_threads(built.numbers, device):
            fitted = fit(
                built.networks,
                built.stages,
                {"train": labels["train"], "val": labels["val"]},
                settings.training,
                group=_group_for(rows, seeds),
                seconds=None if model.seconds is None else model.seconds * len(tasks),
            )
        logits = [
            _logits(network, rows["test"][[seeds.index(seed) for seed in streams.seeds]])
            for network, streams in built.networks
        ]
    predicted = torch.cat(logits).cpu().numpy()
    test = tuple(
        float(micro_f1(labels_of(task, "test"), own, multilabel=base.multilabel))
        for task, own in zip(tasks, predicted, strict=True)
    )
    scores, best = fitted.history["val_micro_f1"], fitted.best_epoch
    val = tuple(float(scores[e - 1, r]) if e else 0.0 for r, e in enumerate(best))
    return test, val, str(fitted.ended)


def _rows_in(base: SubgraphTask, task: SubgraphTask, part: Part) -> Array:
    """The rows that a part of a split has in the base, in the order of the part."""
    row_in_base = np.empty(len(task), np.int64)
    row_in_base[task.input_order] = base.input_order
    assert task.split is not None
    return row_in_base[task.split.mask(part)]


def _by_split(base: SubgraphTask, rows: Array) -> Tensor:
    """Labels of each split's rows as the loss reads them, (R, m) or (R, m, C)."""
    assert base.labels is not None
    return torch.stack([target(base.labels[own]) for own in rows])


@torch.no_grad()
def _logits(network: Any, rows: Array) -> Tensor:
    """Logits (R, m, C) of each replica's own rows (R, m), batch by batch."""
    network.eval()
    cuts = np.arange(network.batch, rows.shape[1], network.batch)
    parts = [network.answer(np.ascontiguousarray(p))[1] for p in np.split(rows, cuts, axis=1)]
    return torch.cat(parts, dim=1)


def _group_for(rows: dict[Part, Array], seeds: Sequence[int]) -> type[BatchGroup]:
    """Replicas with splits of their own: a replica's is the one that its seed belongs to."""

    class SplitGroup(BatchGroup):
        def __init__(
            self,
            network: nn.Module,
            streams: Streams,
            *,
            stages: Stages,
            labels: dict[Part, Tensor],
            training: Any,
        ) -> None:
            own = [seeds.index(seed) for seed in streams.seeds]
            labels = {part: values[own] for part, values in labels.items()}
            super().__init__(network, streams, stages=stages, labels=labels, training=training)
            self.rows = {part: numbers[own] for part, numbers in rows.items()}

        def train_step(self) -> Tensor:
            self.network.train()
            own, labels = self.rows["train"], self.labels["train"]
            replica = torch.arange(len(own), device=labels.device)[:, None]
            total = torch.zeros(len(own), device=labels.device)
            orders = self._orders(own.shape[1])
            for step in orders:
                self.streams.begin()
                positions = torch.from_numpy(step).to(labels.device)
                logits = self.network.answer(np.take_along_axis(own, step, axis=1))[1]
                total += self.descend(losses(logits, labels[replica, positions], own=True))
            return total / len(orders)

        @torch.no_grad()
        def val_step(self) -> tuple[Tensor, Tensor]:
            logits, labels = _logits(self.network, self.rows["val"]), self.labels["val"]
            return losses(logits, labels, own=True), _own_micro_f1(logits, labels)

    return SplitGroup


def _own_micro_f1(logits: Tensor, labels: Tensor) -> Tensor:
    """Micro-F1 of each replica against labels of its own, (R,)."""
    if labels.dim() == 2:
        return (logits.argmax(-1) == labels).double().mean(1)
    predicted, true = logits > 0, labels.bool()
    right = (predicted & true).sum((1, 2)).double()
    return 2 * right / (predicted.sum((1, 2)) + true.sum((1, 2))).clamp(min=1)
