"""What a structure costs on this data and this machine: time of an epoch, of all, and memory."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import torch

from ...config import STRUCTURES, Config, Structure
from ...device import find_device
from ...errors import Sub2NodeError
from ...progress import step
from ...task import SubgraphTask
from ...train import find_preset
from ...train.memory import replicas_at_once
from ..models import presented, translated
from .known import check_size, timing_part
from .rates import Measured, Rates, calibration, input_width, measured, refined
from .work import Shape, count, fixed_bytes, with_virtual_guess

Source = Literal["measured", "extrapolated"]
_EPOCHS = 8.0  # epochs that a measurement takes, about: warm-up, two blocks, memory
_SECONDS = 0.3  # of timing each network


@dataclass(frozen=True)
class Cost:
    """What training a structure costs, all candidates of the settings and all seeds.

    Args:
        structure: Which.
        epoch: Seconds of an epoch of all seeds, mean over candidates.
        by_features: The same by what nodes enter with, which is what candidates differ in.
        prepare: Seconds to coarsen, translate and build.
        training: Seconds of all epochs.
        memory: Bytes at the most.
        source: ``measured``: some epochs were timed; ``extrapolated``: counted operations times
            what such operations took elsewhere on this machine.
        predicted_epoch: What counting alone says, for comparison.
        predicted_memory: Likewise.
        epochs: Of each candidate.
        seeds: How many.
        reason: Why the structure cannot be used here; empty where it can.
    """

    structure: Structure
    epoch: float
    by_features: dict[str, float]
    prepare: float
    training: float
    memory: int
    source: Source
    predicted_epoch: float
    predicted_memory: int
    epochs: int
    seeds: int
    reason: str = ""

    @property
    def seconds(self) -> float:
        """Until everything is trained."""
        return self.prepare + self.training

    def to_dict(self) -> dict[str, Any]:
        """For JSON; numbers that are not there are null."""
        found = asdict(self)
        return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in found.items()}


def cost(
    task: SubgraphTask,
    structure: Structure,
    *,
    conv: str = "gcn2",
    seeds: int = 10,
    preset: str = "default",
    device: str = "auto",
    allowance: float = 5.0,
) -> Cost:
    """What training a structure would cost; the test part is not looked at.

    Args:
        task: Labels and split may be missing.
        structure: Which.
        conv: The convolution by name.
        seeds: How many are trained together.
        preset: Settings by name.
        device: ``auto``, ``cpu`` or ``cuda``.
        allowance: Seconds that measuring may take; 0: everything is extrapolated.
    """
    return costs(
        task, (structure,), conv=conv, seeds=seeds, preset=preset, device=device,
        allowance=allowance,
    )[0]  # fmt: skip


def costs(
    task: SubgraphTask,
    structures: Sequence[Structure] = STRUCTURES,
    *,
    conv: str = "gcn2",
    seeds: int = 10,
    preset: str = "default",
    device: str = "auto",
    allowance: float = 5.0,
) -> tuple[Cost, ...]:
    """The same for several structures; what is timed on one helps to extrapolate the others."""
    check_size(task)
    plan = _Plan(timing_part(task), conv, seeds, preset, device, allowance)
    return tuple(plan.all(structures))


class _Plan:
    """Structures of one task, the cheapest measured first."""

    def __init__(
        self, task: SubgraphTask, conv: str, seeds: int, preset: str, device: str, allowance: float
    ) -> None:
        self.task, self.conv, self.seeds, self.preset = task, conv, seeds, preset
        self.device, self.allowance = device, allowance
        self.where = find_device(device)
        self.base, self.coarsening = calibration(conv, device, seeds)
        self.own: list[Measured] = []
        self.presenting: dict[str, float] = {}  # seconds to coarsen and translate, by kind

    @property
    def rates(self) -> Rates:
        return refined(self.base, tuple(self.own), self.coarsening)

    def all(self, structures: Sequence[Structure]) -> Iterator[Cost]:
        """In the order asked for, measured from the cheapest on."""
        shapes: dict[Structure, list[tuple[Config, Shape]] | str] = {}
        for structure in structures:
            try:
                shapes[structure] = self.shapes(structure)
            except Sub2NodeError as error:
                shapes[structure] = str(error)
        usable = {name: found for name, found in shapes.items() if not isinstance(found, str)}
        rates, found = self.rates, dict[Structure, Cost]()
        order = sorted(usable, key=lambda name: self._extrapolated(usable[name], rates)[0])
        for done, name in enumerate(order):
            step("Timing structures", done, len(order), name)
            found[name] = self._cost(name, usable[name])
        step("Timing structures", len(order), len(order))
        for name in structures:
            reason = shapes[name]
            yield found[name] if name in found else self._impossible(name, str(reason))

    def shapes(self, structure: Structure) -> list[tuple[Config, Shape]]:
        """What each candidate reads; virtual subgraphs are guessed where making them is dear."""
        found, start = [], time.perf_counter()
        for config in find_preset(self.preset, self.task, structure, self.conv).candidates:
            guess = self._guessed(config)
            seen = config
            if guess:
                seen = config.with_settings({"structure": structure.removeprefix("co")})
            task, _ = presented(self.task, seen)
            graph = translated(task, config.translation.self_loops) if config.translated else None
            shape = count(task, seen, graph)
            found.append((config, with_virtual_guess(shape, task, config) if guess else shape))
        kind, spent = structure.partition("+")[0], time.perf_counter() - start
        self.presenting[kind] = max(spent, self.presenting.get(kind, 0.0))  # made once for both
        return found

    def _guessed(self, config: Config) -> bool:
        if not config.coarsened or self.task.num_virtual:
            return False
        return self.coarsening * self.task.graph.num_edges > self.allowance

    def _groups(self, config: Config, shape: Shape) -> tuple[int, int]:
        """Replicas at once, and how many such groups."""
        at_once = replicas_at_once(shape.rows, config.model.hidden, self.where, self.seeds)
        return at_once, math.ceil(self.seeds / at_once)

    def _extrapolated(
        self, shapes: list[tuple[Config, Shape]], rates: Rates
    ) -> tuple[float, list[float], int, float]:
        """Seconds of all epochs, of an epoch by candidate, bytes, seconds of a measurement."""
        epochs, memory, total, timing = [], 0, 0.0, 0.0
        for config, shape in shapes:
            width = input_width(self.task, config)
            at_once, groups = self._groups(config, shape)
            group = rates.epoch(shape, config, width, at_once)
            epochs.append(group * groups)
            total += group * groups * config.training.epochs
            others = (groups - 1) * _trained_bytes(shape, config, width, at_once)
            memory = max(memory, rates.memory(shape, config, width, at_once) + others)
            timing += max(_SECONDS, _EPOCHS * group)
        return total, epochs, memory, timing

    def _cost(self, name: Structure, shapes: list[tuple[Config, Shape]]) -> Cost:
        total, epochs, memory, timing = self._extrapolated(shapes, self.rates)
        config = shapes[0][0]
        guess = any(shape.coarsened for _, shape in shapes)
        prepare = self.presenting[name.partition("+")[0]]
        prepare += self.coarsening * shapes[0][1].coarsened
        known: dict[str, Any] = {
            "structure": name,
            "predicted_epoch": sum(epochs) / len(epochs),
            "predicted_memory": memory,
            "epochs": config.training.epochs,
            "seeds": self.seeds,
        }
        if guess or timing > self.allowance:
            kinds = {
                str(c.features.kind): each for (c, _), each in zip(shapes, epochs, strict=True)
            }
            return Cost(
                epoch=known["predicted_epoch"], by_features=kinds, prepare=prepare, training=total,
                memory=memory, source="extrapolated", **known,
            )  # fmt: skip
        rows = measured(
            self.task, name, self.conv, self.device, self.seeds, preset=self.preset,
            seconds=_SECONDS,
        )  # fmt: skip
        self.own += rows
        seconds, most, training = dict[str, float](), 0, 0.0
        for row in rows:
            groups = math.ceil(self.seeds / row.replicas)
            seconds[row.config.features.kind] = row.epoch * groups
            training += row.epoch * groups * row.config.training.epochs
            others = _trained_bytes(row.shape, row.config, row.width_in, row.replicas)
            most = max(most, row.found.memory + (groups - 1) * others)
        return Cost(
            epoch=sum(seconds.values()) / len(seconds), by_features=seconds,
            prepare=prepare + sum(row.found.build_seconds for row in rows),
            training=training, memory=most, source="measured", **known,
        )  # fmt: skip

    def _impossible(self, name: Structure, reason: str) -> Cost:
        none = math.nan
        return Cost(name, none, {}, none, none, 0, "extrapolated", none, 0, 0, self.seeds, reason)


def _trained_bytes(shape: Shape, config: Config, width_in: int, replicas: int) -> int:
    """Of one more group of replicas: graphs are shared."""
    alone = fixed_bytes(shape, config, width_in, 0)
    return fixed_bytes(shape, config, width_in, replicas) - alone


def free_memory(device: str = "auto") -> int | None:
    """Bytes that training may use; None where nobody says."""
    where = find_device(device)
    if where.type == "cuda":
        return int(torch.cuda.mem_get_info(where)[0])
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        words = next(line.split() for line in lines if line.startswith("MemAvailable"))
        return int(words[1]) * 1024
    except (OSError, StopIteration):
        names = getattr(os, "sysconf_names", {})
        if "SC_AVPHYS_PAGES" not in names:
            return None
        return int(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
