"""Time and memory that a model takes to train and to answer."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from types import ModuleType

import torch
from torch import Tensor

from ..base.environment import find_device
from ..base.errors import ConfigError
from ..evaluate.protocol import labels_of
from ..models.candidates import NetworkModel, target
from ..nn import Stages
from ..ops.kept_memory import kept_memory
from ..ops.triton import compile_mode
from ..task import Part, SubgraphTask
from ..train import BatchGroup, Group
from ..train.training_resources import fitting_threads

_BLOCK = 0.02  # least seconds of a block of epochs
_WARM, _ROUNDS = 3, 12  # least epochs of the warm-up; blocks after which it ends anyway
_SETTLED = 0.2  # relative difference of two blocks at which the warm-up ends


@dataclass(frozen=True)
class Timing:
    """Seconds of one epoch, measured in blocks of several.

    Args:
        median: Median over the blocks.
        low: Time per epoch of the quickest block.
        high: Time per epoch of the slowest block.
        blocks: Number of blocks.
        epochs: Number of timed epochs, without the warm-up.
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
        train_subgraphs: Labelled subgraphs per training epoch.
        eval_subgraphs: Subgraphs of the validation part.
        train_batches: Steps per training epoch.
        eval_batches: Forward passes that answer for the validation part.
        parameters: Number of trained values, the node table included.
        memory: Peak bytes: on a GPU what training and evaluation allocated, beyond what was
            allocated before the model; on the CPU, where there is no counter, the stages,
            parameters and their best state, gradients, moments, and the most that a forward pass
            keeps for the backward.
        device: The type of the device.
        build_seconds: Time to present the task and build the network; what another model of the
            same data has cached is not made again.
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
    task: SubgraphTask,
    model: NetworkModel,
    *,
    repeats: int = 10,
    seconds: float = 4.0,
    replicas: int = 1,
) -> Efficiency:
    """Measure time and memory of one replica's epochs, without the warm-up.

    Args:
        task: The data, with labels and a split.
        model: A network of a structure, or a baseline's; of several candidates the first.
        repeats: Blocks of epochs that are timed.
        seconds: Time after which fewer blocks are timed, but at least two; half of it for
            training.
        replicas: Replicas trained side by side; where not all fit at once, the first group is
            measured.
    """
    where, settings = find_device(model.device), model.candidates[0]
    cuda = where.type == "cuda"
    before = clear_memory(where)
    start = time.perf_counter()
    task, _ = model.present(task)
    labels = {part: labels_of(task, part) for part in ("train", "val")}
    parts: tuple[Part, ...] = ("train", "val")
    with compile_mode(model.compile), kept_memory(where):
        built = model.build(task, settings, range(replicas), where)
        _wait(where)
        build_seconds = time.perf_counter() - start
        if cuda:  # features may have been computed on the GPU
            gc.collect()
            torch.cuda.reset_peak_memory_stats(where)
        group = model.group(
            *built.networks[0],
            stages=built.stages,
            labels={part: target(labels[part]) for part in parts},
            training=settings.training,
        )
        with fitting_threads(built.numbers, where):
            train = timed(group.train_step, where, repeats=repeats, seconds=seconds / 2)
            evaluation = timed(group.val_step, where, repeats=repeats, seconds=seconds / 2)
        memory = memory_in_use(group, built.stages, where, before)
    count, val = len(labels["train"]), len(labels["val"])
    return Efficiency(
        train=train,
        evaluation=evaluation,
        train_subgraphs=count,
        eval_subgraphs=val,
        train_batches=_count_batches(group, count, drop_last=True),
        eval_batches=_count_batches(group, val, drop_last=False),
        parameters=sum(p.numel() for p in group.network.parameters() if p.requires_grad),
        memory=memory,
        device=where.type,
        build_seconds=build_seconds,
    )


def timed(
    step: Callable[[], object], device: torch.device, *, repeats: int = 10, seconds: float = 2.0
) -> Timing:
    """Time a step over blocks of steps; the device is synchronised between blocks only.

    The first step never counts. Then steps warm up until two blocks take about the same, or a
    quarter of the time is gone. A block has so many steps that it lasts twenty milliseconds.

    Args:
        step: The step to time.
        device: The device that does its work.
        repeats: Number of blocks.
        seconds: Time after which fewer blocks are timed, but at least two.
    """
    if repeats < 2:
        raise ConfigError(f"repeats are two at least, to see a spread, found {repeats}.")
    per_step, count, blocks = seconds_of_steps(step, 1, device), 1, list[float]()
    start = time.perf_counter()  # the first step may compile for long
    done = 1
    for _ in range(_ROUNDS):
        if time.perf_counter() - start > seconds / 4:
            if done > 1 and count == _steps_per_block(per_step):
                blocks.append(per_step)  # slow ones take too long to be dropped
            break
        count = _steps_per_block(per_step)
        last, per_step = per_step, seconds_of_steps(step, count, device)
        done += count
        if done >= _WARM and abs(per_step - last) <= _SETTLED * max(per_step, last):
            break
    count = _steps_per_block(per_step)
    while len(blocks) < 2 or (len(blocks) < repeats and time.perf_counter() - start < seconds):
        per_step = seconds_of_steps(step, count, device)
        if per_step * count < _BLOCK / 2 and time.perf_counter() - start < seconds:
            count, blocks = _steps_per_block(per_step), []  # it became quicker only now
            continue
        blocks.append(per_step)
    return Timing(
        median=statistics.median(blocks),
        low=min(blocks),
        high=max(blocks),
        blocks=len(blocks),
        epochs=count * len(blocks),
    )


def _steps_per_block(per_step: float) -> int:
    """Steps of a block, from the seconds per step."""
    return max(1, math.ceil(_BLOCK / max(per_step, 1e-6)))


def seconds_of_steps(step: Callable[[], object], count: int, device: torch.device) -> float:
    """Mean seconds per step over several."""
    _wait(device)
    start = time.perf_counter()
    for _ in range(count):
        step()
    _wait(device)
    return max(time.perf_counter() - start, 1e-9) / count


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def clear_memory(device: torch.device) -> int:
    """Free what earlier models left on a GPU; returns the bytes still allocated."""
    gc.collect()
    if device.type != "cuda":
        return 0
    _wait(device)
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats(device)
    return torch.cuda.memory_allocated(device)


def _count_batches(group: Group, count: int, *, drop_last: bool) -> int:
    """Count the batches of an epoch; training drops a last one that is not full."""
    if not isinstance(group, BatchGroup):
        return 1
    size = min(group.training.batch, count)
    return max(1, count // size) if drop_last else -(-count // size)


class _SavedTensor:
    """A tensor that a forward pass keeps for the backward, counted for as long as it exists."""

    def __init__(self, tensor: Tensor, counter: _ByteCounter) -> None:
        self.tensor, self.counter = tensor, counter
        counter.change(tensor.untyped_storage(), 1)

    def __del__(self) -> None:
        self.counter.change(self.tensor.untyped_storage(), -1)


class _ByteCounter:
    """Bytes of different storages that are kept, without those of ``fixed`` tensors."""

    def __init__(self, fixed: dict[int, int]) -> None:
        self.fixed, self.uses = fixed, dict[int, int]()
        self.current = self.peak = 0

    def change(self, storage: torch.UntypedStorage, by: int) -> None:
        place = storage.data_ptr()
        if place in self.fixed:
            return
        before = self.uses.get(place, 0)
        self.uses[place] = before + by
        if not before or not before + by:
            self.current += by * storage.nbytes()
            self.peak = max(self.peak, self.current)


def memory_in_use(group: Group, stages: Stages, device: torch.device, before: int) -> int:
    """Count the bytes of a trained model; on the CPU, one more step is done to count them.

    Args:
        group: The replicas.
        stages: The inputs of the replicas.
        device: The device that they are on.
        before: Bytes that were allocated on a GPU before the model, see :func:`clear_memory`.
    """
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) - before
    return _bytes_of_step(group, stages)


def tensor_bytes(value: object) -> int:
    """Count the bytes of all different tensors reachable from a value through its fields."""
    storages = (tensor.untyped_storage() for tensor in _find_tensors(value, set()))
    return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())


def _bytes_of_step(group: Group, stages: Stages) -> int:
    """Count the bytes of all different tensors at the end of the largest forward pass."""
    fixed: dict[int, int] = {}
    for tensor in _find_tensors([group, stages], set()):
        storage = tensor.untyped_storage()
        fixed[storage.data_ptr()] = storage.nbytes()
    counter = _ByteCounter(fixed)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: _SavedTensor(tensor, counter), lambda saved: saved.tensor
    ):
        group.train_step()
    for parameter in group.network.parameters():
        if parameter.grad is not None:
            storage = parameter.grad.untyped_storage()
            fixed[storage.data_ptr()] = storage.nbytes()
    return sum(fixed.values()) + counter.peak


def _find_tensors(value: object, seen: set[int]) -> Iterator[Tensor]:
    """Find every tensor reachable from a value through its fields."""
    if isinstance(value, Tensor):
        yield value
        return
    if id(value) in seen or isinstance(value, type | ModuleType):
        return
    seen.add(id(value))
    inside: list[object] = []
    if isinstance(value, dict):
        inside = list(value.values())
    elif isinstance(value, list | tuple):
        inside = list(value)
    else:
        if is_dataclass(value):
            inside = [getattr(value, item.name) for item in fields(value)]
        inside += list(getattr(value, "__dict__", {}).values())
    for item in inside:
        yield from _find_tensors(item, seen)
