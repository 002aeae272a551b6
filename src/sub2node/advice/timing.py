"""Cost of training a structure on this data and machine: two epochs are timed, within a limit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean, median
from time import perf_counter

from torch import Tensor

from ..base.environment import find_device, free_memory
from ..base.errors import Sub2NodeError
from ..base.progress import item
from ..config import STRUCTURES, Config, Structure
from ..efficiency.benchmark import reason_of
from ..efficiency.measure import clear_memory, memory_in_use, seconds_of_steps, tensor_bytes
from ..evaluate.protocol import labels_of
from ..models import find_preset
from ..models.candidates import Built, target
from ..models.graph_network import GraphNetwork, translated
from ..ops.kept_memory import kept_memory
from ..ops.triton import compile_mode
from ..task import Part, SubgraphTask
from ..train.training_resources import fitting_threads, replicas_at_once
from .task_parts import check_size, timing_part

_REPEAT = 0.2  # seconds for which short epochs are repeated after the first
_COARSENING = 4e-6  # seconds to coarsen an edge, about: 15 s for the 4.6 million of em_user
_COPIES = 5  # of what is trained: itself, gradient, two moments of Adam, best state
_ACTIVATIONS = 4  # that a layer keeps for the backward pass, about
# The most expensive last: where the limit is reached, those are not timed.
_CHEAPEST_FIRST = (
    Structure.S2N_0,
    Structure.SEPARATED,
    Structure.S2N_A,
    Structure.CONNECTED,
    Structure.COS2N_0,
    Structure.COS2N_A,
)


@dataclass(frozen=True)
class Cost:
    """Cost of training a structure, with all candidates of the preset and all seeds.

    Args:
        structure: The structure that is trained.
        seeds: Replicas that are trained.
        epoch: Seconds of an epoch of all seeds, mean over candidates; infinite where none was
            timed.
        by_features: The same by the kind of node features, which is what candidates differ in.
        prepare: Seconds to coarsen, translate and build.
        training: Seconds of all epochs of all candidates.
        memory: Peak bytes; where nothing was timed, an estimate; None: unknown.
        epochs: Epochs of each candidate.
        reason: Why the structure cannot be used here; empty where it can.
    """

    structure: Structure
    seeds: int
    epoch: float = math.inf
    by_features: dict[str, float] = field(default_factory=dict)
    prepare: float = math.inf
    training: float = math.inf
    memory: int | None = None
    epochs: int = 0
    reason: str = ""

    @property
    def timed(self) -> bool:
        """Whether epochs were timed."""
        return math.isfinite(self.epoch)

    @property
    def seconds(self) -> float:
        """Time until everything is trained."""
        return self.prepare + self.training

    def fits(self, free: int | None) -> bool:
        """Whether a number of free bytes suffices; where either is unknown, it is taken to fit."""
        return self.memory is None or free is None or self.memory <= free

    def to_dict(self) -> dict[str, object]:
        """The fields, for JSON; unknown numbers are null."""
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in asdict(self).items()
        }


def time_structures(
    task: SubgraphTask,
    structures: Sequence[Structure] = STRUCTURES,
    *,
    conv: str = "gcn2",
    seeds: int = 10,
    preset: str = "default",
    device: str = "auto",
    limit: float = 5.0,
) -> tuple[Cost, ...]:
    """Time two epochs of each structure; the test part is not read.

    The second epoch counts, and short ones are repeated for a fifth of a second. Replicas that do
    not fit side by side train in groups of equal time, so one group is timed. What needs more
    memory than there is, by an estimate, is built but not trained.

    Args:
        task: The data; labels and split may be missing.
        structures: The structures to time.
        conv: The convolution by name.
        seeds: Replicas whose training is estimated.
        preset: The name of the preset.
        device: ``auto``, ``cpu`` or ``cuda``.
        limit: Seconds after which no further candidate is begun; the first one always is.

    Returns:
        Costs in the order of ``structures``; those that the limit left out are not ``timed``.
    """
    check_size(task)
    timer = _Timer(timing_part(task), conv, seeds=seeds, preset=preset, device=device, limit=limit)
    order = sorted((Structure(name) for name in structures), key=_CHEAPEST_FIRST.index)
    candidates: dict[Structure, tuple[Config, ...]] = {}
    timed: dict[Structure, list[_TimedCandidate]] = {name: [] for name in order}
    reasons: dict[Structure, str] = {}
    for number in range(2):  # one candidate of each structure before others of the same
        for done, name in enumerate(order):
            item("Timing", done + number * len(order), 2 * len(order), name, even=False)
            if name in reasons:
                continue
            try:
                candidates[name] = timer.candidates(name)
                for config in candidates[name][1:] if number else candidates[name][:1]:
                    if not (timer.is_late(config) or any(one.too_large for one in timed[name])):
                        timed[name].append(timer.time(config))
            except (Sub2NodeError, MemoryError, RuntimeError) as error:  # the others go on
                reasons[name] = reason_of(error)
    item("Timing", 2 * len(order), 2 * len(order))
    return tuple(
        Cost(name, seeds, reason=reasons[name])
        if name in reasons
        else _estimate_cost(name, seeds, candidates[name], timed[name])
        for name in map(Structure, structures)
    )


def _estimate_cost(
    structure: Structure,
    seeds: int,
    candidates: Sequence[Config],
    timed: Sequence[_TimedCandidate],
) -> Cost:
    """Estimate the cost of a structure, whose first candidates were timed."""
    unknown = Cost(structure, seeds, epochs=candidates[0].training.epochs)
    if not timed:
        return unknown
    memory = max(one.memory for one in timed)
    if any(one.too_large for one in timed):
        return replace(unknown, memory=memory)
    # A candidate that was left out costs about as much as the others.
    mean = fmean(one.epoch for one in timed)
    epochs = [one.epoch for one in timed] + [mean] * (len(candidates) - len(timed))
    return replace(
        unknown,
        epoch=fmean(epochs),
        by_features={
            str(config.features.kind): epoch
            for config, epoch in zip(candidates, epochs, strict=True)
        },
        prepare=max(one.present for one in timed)
        + fmean(one.build for one in timed) * len(candidates),
        training=sum(
            epoch * config.training.epochs for config, epoch in zip(candidates, epochs, strict=True)
        ),
        memory=memory,
    )


@dataclass(frozen=True)
class _TimedCandidate:
    """A candidate that was built, and trained unless it does not fit in memory.

    Args:
        present: Seconds to coarsen and translate.
        build: Seconds to build the network.
        epoch: Seconds of an epoch of all seeds; infinite where it was not trained.
        memory: Peak bytes; an estimate where it was not trained.
    """

    present: float
    build: float
    epoch: float
    memory: int

    @property
    def too_large(self) -> bool:
        """Whether it does not fit in memory."""
        return not math.isfinite(self.epoch)


class _Timer:
    """Candidates of one task, one after the other until the limit."""

    def __init__(
        self,
        task: SubgraphTask,
        conv: str,
        *,
        seeds: int,
        preset: str,
        device: str,
        limit: float,
    ) -> None:
        self.task, self.conv, self.seeds, self.preset = task, conv, seeds, preset
        self.device, self.where, self.limit = device, find_device(device), limit
        self.deadline, self.begun = perf_counter() + limit, False
        self.present_seconds: dict[tuple[bool, bool], float] = {}

    def candidates(self, structure: Structure) -> tuple[Config, ...]:
        """Settings of a structure."""
        return find_preset(self.preset, self.task, structure, self.conv).candidates

    def is_late(self, config: Config) -> bool:
        """Whether no time is left; coarsening, which cannot be stopped, counts in advance."""
        expected, coarsened = 0.0, (True, True) in self.present_seconds or self.task.num_virtual
        if config.structure.coarsened and not coarsened:
            expected = _COARSENING * self.task.graph.num_edges
        late = self.begun and perf_counter() + expected > self.deadline
        self.begun = True
        return late

    def time(self, config: Config) -> _TimedCandidate:
        """Time a candidate, unless it would need more memory than there is."""
        before, start = clear_memory(self.where), perf_counter()
        model = GraphNetwork((config,), device=self.device)
        task, _ = model.present(self.task)
        if config.structure.translated:
            translated(task, config.translation.raw)
        kind = (config.structure.translated, config.structure.coarsened)
        presented = perf_counter()  # once for all structures of a kind
        present = max(presented - start, self.present_seconds.get(kind, 0.0))
        self.present_seconds[kind] = present
        with compile_mode(model.compile), kept_memory(self.where):
            built = model.build(task, config, range(1), self.where)
            width = config.model.hidden
            at_once = replicas_at_once(built.numbers // width, width, self.where, self.seeds)
            needed = _estimate_memory(built, config, at_once, self.seeds)
            free = free_memory(self.where)
            if free is not None and needed > free:
                return _TimedCandidate(present, build=0.0, epoch=math.inf, memory=needed)
            if at_once > 1:
                built = model.build(task, config, range(at_once), self.where)
            build = perf_counter() - presented
            labels: dict[Part, Tensor] = {
                part: target(labels_of(task, part)) for part in ("train", "val")
            }
            group = model.group(
                *built.networks[0],
                stages=built.stages,
                labels=labels,
                training=config.training,
            )

            def epoch() -> None:
                group.train_step()
                group.val_step()

            groups = math.ceil(self.seeds / at_once)
            with fitting_threads(built.numbers, self.where):
                seconds = groups * self._second_epoch(epoch)
                memory = memory_in_use(group, built.stages, self.where, before)
        other_groups = (groups - 1) * _COPIES * _trained_bytes(built)
        return _TimedCandidate(present, build=build, epoch=seconds, memory=memory + other_groups)

    def _second_epoch(self, epoch: Callable[[], None]) -> float:
        """Seconds of an epoch after the first; of the first where that took the whole limit."""
        first = seconds_of_steps(epoch, 1, self.where)
        if first > self.limit:
            return first
        times = [seconds_of_steps(epoch, 1, self.where)]
        while sum(times) < _REPEAT:
            times.append(seconds_of_steps(epoch, 1, self.where))
        return median(times)


def _trained_bytes(built: Built) -> int:
    """Bytes of the parameters that the first group trains."""
    network = built.networks[0][0]
    return sum(p.nbytes for p in network.parameters() if p.requires_grad)


def _estimate_memory(built: Built, config: Config, at_once: int, seeds: int) -> int:
    """Sum the stages, five copies of what all seeds train, and four activations per layer.

    Args:
        built: The network with one replica.
        config: The settings of the network.
        at_once: Replicas that train side by side.
        seeds: The number of replicas.
    """
    layers = 2 + config.model.layers + config.model.inner_layers * config.structure.inner
    activations = 4 * built.numbers * layers * _ACTIVATIONS * at_once
    return tensor_bytes(built.stages) + _COPIES * seeds * _trained_bytes(built) + activations
