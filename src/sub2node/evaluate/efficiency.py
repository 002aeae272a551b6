"""How fast a model trains and answers, and how much memory that takes."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from ..device import find_device
from ..errors import ConfigError
from ..kernels import use
from ..nn import Stages
from ..task import Part, SubgraphTask
from ..train import BatchGroup, Group
from ..train.memory import fitting_threads, kept_memory
from .choosing import NetworkModel, target
from .protocol import labels_of

_BLOCK = 0.02  # seconds that a block of epochs lasts at least
_WARM, _ROUNDS = 3, 12  # epochs before anything counts; blocks after which that ends anyway
_SETTLED = 0.2  # two blocks that differ by less are settled


@dataclass(frozen=True)
class Timing:
    """Seconds of one epoch, measured in blocks of several.

    Args:
        median: Of the blocks.
        low: The quickest block.
        high: The slowest block.
        blocks: How many.
        epochs: All that were timed; those that warm up are not among them.
    """

    median: float
    low: float
    high: float
    blocks: int
    epochs: int

    @property
    def spread(self) -> float:
        """Half of the distance from the quickest to the slowest block, as a share of the median."""
        return (self.high - self.low) / 2 / self.median


@dataclass(frozen=True)
class Efficiency:
    """Epochs of one replica: a single step for a structure, many for what is trained in batches.

    Args:
        train: Time of a training epoch (forward, backward, optimiser).
        evaluation: Time of answers for the validation part, with their score.
        train_subgraphs: Labelled subgraphs of a training epoch.
        eval_subgraphs: Subgraphs answered for.
        train_batches: Steps of a training epoch.
        eval_batches: Forward passes that answer for all.
        parameters: Numbers that are trained, the node table included.
        memory: Bytes: on a GPU what training and evaluation had allocated at the most, above what
            was there before the model; on the CPU, where nobody counts, the stages, parameters and
            their best state, gradients, moments, and the most that a forward pass keeps for the
            backward.
        device: Where.
        build_seconds: Time to present the task and build the network; what was made before for
            another model of the same data is not made again.
    """

    train: Timing
    evaluation: Timing
    train_subgraphs: int
    eval_subgraphs: int
    train_batches: int
    eval_batches: int
    parameters: int
    memory: int
    device: str
    build_seconds: float = 0.0

    @property
    def train_seconds(self) -> float:
        """Median time of a training epoch."""
        return self.train.median

    @property
    def eval_seconds(self) -> float:
        """Median time of answers for the validation part."""
        return self.evaluation.median

    @property
    def train_throughput(self) -> float:
        """Training subgraphs / (seconds / epochs)."""
        return self.train_subgraphs / self.train_seconds

    @property
    def eval_throughput(self) -> float:
        """Validation subgraphs / (seconds / epochs)."""
        return self.eval_subgraphs / self.eval_seconds

    @property
    def train_latency(self) -> float:
        """Seconds of training / training batches."""
        return self.train_seconds / self.train_batches

    @property
    def eval_latency(self) -> float:
        """Seconds of validation / validation batches."""
        return self.eval_seconds / self.eval_batches


def efficiency(
    task: SubgraphTask, model: NetworkModel, *, repeats: int = 10, seconds: float = 4.0,
    replicas: int = 1,
) -> Efficiency:  # fmt: skip
    """Time and memory of one replica's epochs; the first ones, which warm up, do not count.

    Args:
        task: With labels and a split.
        model: A network of a structure, or a baseline's; of several candidates the first.
        repeats: Blocks of epochs that are timed.
        seconds: After so long fewer blocks count, but two at least; half of it for training.
        replicas: Trained side by side; where not all fit at once, the first group is measured.
    """
    where, settings = find_device(model.device), model.candidates[0]
    cuda = where.type == "cuda"
    before = _cleared(where)
    start = time.perf_counter()
    task, _ = model.present(task)
    labels = {part: labels_of(task, part) for part in ("train", "val")}
    asked: tuple[Part, ...] = ("train", "val")
    with use(model.compile), kept_memory(where):
        built = model.build(task, settings, range(replicas), where)
        _wait(where)
        build_seconds = time.perf_counter() - start
        if cuda:  # features may have been made there
            gc.collect()
            torch.cuda.reset_peak_memory_stats(where)
        group = model.group(
            *built.networks[0], built.stages,
            {part: target(labels[part]) for part in asked}, settings.training,
        )  # fmt: skip
        limits: dict[str, Any] = {"repeats": repeats, "seconds": seconds / 2}
        with fitting_threads(built.numbers, where):
            train = timed(group.train_step, where, **limits)
            answer = timed(group.val_step, where, **limits)
        if cuda:
            memory = torch.cuda.max_memory_allocated(where) - before
        else:
            memory = _held(group, built.stages)
    count, val = len(labels["train"]), len(labels["val"])
    return Efficiency(
        train=train,
        evaluation=answer,
        train_subgraphs=count,
        eval_subgraphs=val,
        train_batches=_batches(group, count, whole=True),
        eval_batches=_batches(group, val, whole=False),
        parameters=sum(p.numel() for p in group.network.parameters() if p.requires_grad),
        memory=memory,
        device=where.type,
        build_seconds=build_seconds,
    )


def timed(
    step: Callable[[], Any], device: torch.device, *, repeats: int = 10, seconds: float = 2.0
) -> Timing:
    """The time of a step over blocks of steps; the device is waited for between blocks only.

    The first step never counts. Then steps warm up until two blocks take about the same, or a
    quarter of the time is gone. A block has so many steps that it lasts twenty milliseconds.

    Args:
        step: What to time.
        device: Where its work is done.
        repeats: Blocks.
        seconds: After so long fewer blocks count, but two at least.
    """
    if repeats < 2:
        raise ConfigError(f"repeats are two at least, to see a spread, found {repeats}.")
    each, count, blocks = _block(step, 1, device), 1, list[float]()
    start = time.perf_counter()  # the first step may compile for long
    done = 1
    for _ in range(_ROUNDS):
        if time.perf_counter() - start > seconds / 4:
            if done > 1 and count == _steps(each):
                blocks.append(each)  # slow ones are too dear to be dropped
            break
        count = _steps(each)
        last, each = each, _block(step, count, device)
        done += count
        if done >= _WARM and abs(each - last) <= _SETTLED * max(each, last):
            break
    count = _steps(each)
    while len(blocks) < 2 or (len(blocks) < repeats and time.perf_counter() - start < seconds):
        each = _block(step, count, device)
        if each * count < _BLOCK / 2 and time.perf_counter() - start < seconds:
            count, blocks = _steps(each), []  # it became quicker only now
            continue
        blocks.append(each)
    low, high = min(blocks), max(blocks)
    return Timing(statistics.median(blocks), low, high, len(blocks), count * len(blocks))


def _steps(each: float) -> int:
    """Steps of a block, if one takes so long."""
    return max(1, math.ceil(_BLOCK / max(each, 1e-6)))


def _block(step: Callable[[], Any], count: int, device: torch.device) -> float:
    """Seconds of a step, over several."""
    _wait(device)
    start = time.perf_counter()
    for _ in range(count):
        step()
    _wait(device)
    return max(time.perf_counter() - start, 1e-9) / count


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _cleared(device: torch.device) -> int:
    """Give back what earlier models left on a GPU; bytes that are still allocated."""
    gc.collect()
    if device.type != "cuda":
        return 0
    _wait(device)
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats(device)
    return torch.cuda.memory_allocated(device)


def _batches(group: Group, count: int, *, whole: bool) -> int:
    """Batches of an epoch; a training epoch has ``whole`` ones only."""
    if not isinstance(group, BatchGroup):
        return 1
    size = min(group.training.batch, count)
    return max(1, count // size) if whole else -(-count // size)


class _Kept:
    """A tensor that a forward pass keeps for the backward, counted for as long as it is there."""

    def __init__(self, tensor: Tensor, counter: _Counter) -> None:
        self.tensor, self.counter = tensor, counter
        counter.change(tensor.untyped_storage(), 1)

    def __del__(self) -> None:
        self.counter.change(self.tensor.untyped_storage(), -1)


class _Counter:
    """Bytes of different storages that are kept, those of ``fixed`` tensors apart."""

    def __init__(self, fixed: dict[int, int]) -> None:
        self.fixed, self.uses = fixed, dict[int, int]()
        self.now = self.most = 0

    def change(self, storage: torch.UntypedStorage, by: int) -> None:
        place = storage.data_ptr()
        if place in self.fixed:
            return
        before = self.uses.get(place, 0)
        self.uses[place] = before + by
        if not before or not before + by:
            self.now += by * storage.nbytes()
            self.most = max(self.most, self.now)


def _held(group: Group, stages: Stages) -> int:
    """Bytes of all different tensors that are there when the largest forward pass ends."""
    fixed: dict[int, int] = {}
    for tensor in _tensors([group, stages], set()):
        storage = tensor.untyped_storage()
        fixed[storage.data_ptr()] = storage.nbytes()
    counter = _Counter(fixed)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: _Kept(tensor, counter), lambda kept: kept.tensor
    ):
        group.train_step()
    for parameter in group.network.parameters():
        if parameter.grad is not None:
            storage = parameter.grad.untyped_storage()
            fixed[storage.data_ptr()] = storage.nbytes()
    return sum(fixed.values()) + counter.most


def _tensors(value: Any, seen: set[int]) -> Iterator[Tensor]:
    """Every tensor that can be reached from a value through its fields."""
    if isinstance(value, Tensor):
        yield value
        return
    if id(value) in seen or isinstance(value, type | ModuleType):
        return
    seen.add(id(value))
    inside: list[Any] = []
    if isinstance(value, dict):
        inside = list(value.values())
    elif isinstance(value, list | tuple):
        inside = list(value)
    else:
        if is_dataclass(value):
            inside = [getattr(value, item.name) for item in fields(value)]
        inside += list(getattr(value, "__dict__", {}).values())
    for item in inside:
        yield from _tensors(item, seen)
