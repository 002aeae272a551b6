"""How fast a model trains and answers, and how much memory that takes."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import torch
from torch import Tensor

from ..device import find_device
from ..nn import Stages
from ..task import Part, SubgraphTask
from ..train import Group
from ..train.memory import kept_memory
from .choosing import NetworkModel, target
from .protocol import labels_of

_WARM, _STEPS, _SECONDS = 3, 20, 2.0


@dataclass(frozen=True)
class Efficiency:
    """Epochs of one replica: a single step for a structure, many for what is trained in batches.

    Args:
        train_seconds: Median time of a training epoch (forward, backward, optimiser).
        eval_seconds: Median time of answers for the validation part, with their score.
        train_subgraphs: Labelled subgraphs of a training epoch.
        eval_subgraphs: Subgraphs answered for.
        parameters: Numbers that are trained.
        memory: Bytes: on a GPU what was allocated at the most; on the CPU, where nobody counts, the
            stages, parameters, gradients, moments, and what a forward pass keeps for the backward.
        device: Where.
    """

    train_seconds: float
    eval_seconds: float
    train_subgraphs: int
    eval_subgraphs: int
    parameters: int
    memory: int
    device: str

    @property
    def train_throughput(self) -> float:
        """Training subgraphs a second."""
        return self.train_subgraphs / self.train_seconds

    @property
    def eval_throughput(self) -> float:
        """Subgraphs answered for in a second."""
        return self.eval_subgraphs / self.eval_seconds


def efficiency(task: SubgraphTask, model: NetworkModel) -> Efficiency:
    """Time and memory of one replica's epochs; the first ones, which warm up, do not count.

    Args:
        task: With labels and a split.
        model: A network of a structure, or a baseline's; of several candidates the first.
    """
    where, settings = find_device(model.device), model.candidates[0]
    task, _ = model.present(task)
    labels = {part: labels_of(task, part) for part in ("train", "val")}
    cuda = where.type == "cuda"
    asked: tuple[Part, ...] = ("train", "val")
    with kept_memory(where):
        built = model.build(task, settings, [0], where)
        if cuda:  # features may have been made there
            gc.collect()
            torch.cuda.reset_peak_memory_stats(where)
        group = model.group(
            *built.networks[0], built.stages,
            {part: target(labels[part]) for part in asked}, settings.training,
        )  # fmt: skip
        train = _median(group.train_step, where)
        answer = _median(group.val_step, where)
    memory = torch.cuda.max_memory_allocated(where) if cuda else _held(group, built.stages)
    return Efficiency(
        train_seconds=train,
        eval_seconds=answer,
        train_subgraphs=len(labels["train"]),
        eval_subgraphs=len(labels["val"]),
        parameters=sum(p.numel() for p in group.network.parameters() if p.requires_grad),
        memory=int(memory),
        device=where.type,
    )


def _median(step: Callable[[], Any], device: torch.device) -> float:
    """The median time of a step, over twenty or two seconds' worth."""
    times: list[float] = []
    while len(times) < _WARM + 2 or (len(times) < _WARM + _STEPS and sum(times) < _SECONDS):
        _wait(device)
        start = time.perf_counter()
        step()
        _wait(device)
        times.append(time.perf_counter() - start)
    return statistics.median(times[_WARM:])


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _held(group: Group, stages: Stages) -> int:
    """Bytes of all different tensors that are there when a forward pass ends."""
    kept: dict[int, torch.UntypedStorage] = {}  # held, so that no address is used twice

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        group.train_step()
    for parameter in group.network.parameters():
        keep(parameter)
        if parameter.grad is not None:
            keep(parameter.grad)
    for tensor in _tensors([stages, list(group.optimizer.state.values())]):
        keep(tensor)
    return sum(storage.nbytes() for storage in kept.values())


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif is_dataclass(value):
        for item in fields(value):
            yield from _tensors(getattr(value, item.name))
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors(item)
    elif hasattr(value, "__dict__"):
        yield from _tensors(vars(value))
