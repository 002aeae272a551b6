"""Efficiency of all structures, convolutions and baselines, measured side by side in one run."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch

from ..baselines import NETWORKS
from ..config import STRUCTURES
from ..datasets import SHAPES
from ..device import find_device
from ..errors import ConfigError, Sub2NodeError, suggest
from ..kernels import Compile
from ..kernels import check as check_compile
from ..nn.convolutions import CONVOLUTIONS
from ..progress import step
from ..task import SubgraphTask
from ..train import find_baseline
from ..translate import S2NGraph
from .choosing import NetworkModel
from .complete import complete_run, estimated
from .efficiency import efficiency
from .models import translated
from .protocol import check, find_model, seed_list, split_if_needed
from .ratios import Row

# Edges of the S2N graphs in the paper's Table "The number of nodes and edges of real-world graphs".
PUBLISHED_EDGES = {"ppi_bp": 4.8e3, "hpo_neuro": 6.3e5, "hpo_metab": 6.0e4, "em_user": 3.0e3}
_PAIRS = [f"{structure} {conv}" for structure in STRUCTURES for conv in CONVOLUTIONS]
MODELS = (*_PAIRS, "subgnn", "glass")


def select(words: Sequence[str], among: Sequence[str] | None = None) -> tuple[str, ...]:
    """Models by words, in the order of tables.

    Args:
        words: A structure (``s2n+a``: with each convolution), a convolution (``gcn2``: on each
            structure), both (``s2n+a:gcn2``), a network of the baselines (``glass``), or ``all``.
        among: The models to choose from.
    """
    known = [*_PAIRS, *NETWORKS] if among is None else list(among)
    chosen: set[str] = set()
    for word in words:
        parts = word.split(":")
        if word == "all":
            found = set(MODELS if among is None else among)
        else:
            found = {name for name in known if set(parts) <= set(name.split(" "))}
        if not found:
            names = dict.fromkeys(part for name in known for part in name.split(" "))
            raise ConfigError(f"there is no model {word!r} to measure.{suggest(word, names)}")
        chosen |= found
    return tuple(name for name in known if name in chosen)


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Args:
        models: As ``s2n+a gcn2`` or ``glass``; see :func:`select`. None: all that have settings.
        preset: Of all models; None: the published one for data of a published shape, else default.
        device: ``auto``, ``cpu`` or ``cuda``.
        repeats: Blocks of epochs of each model.
        seconds: After so long a model has fewer blocks.
        complete: Models to run completely.
        limit: Seconds; a complete run that would take longer is estimated.
        seeds: Of a complete run.
        compile: ``auto``: kernels and CUDA graphs on a GPU; ``off``: plain PyTorch.
    """

    models: tuple[str, ...] | None = None
    preset: str | None = None
    device: str = "auto"
    repeats: int = 10
    seconds: float = 30.0
    complete: tuple[str, ...] = ()
    limit: float = 600.0
    seeds: tuple[int, ...] = tuple(range(10, 20))
    compile: Compile = "auto"

    def __post_init__(self) -> None:
        find_device(self.device)
        check_compile(self.compile)
        seed_list(self.seeds)
        if self.repeats < 2:
            raise ConfigError(f"repeats are two at least, to see a spread, found {self.repeats}.")
        if not (self.seconds > 0 and self.limit >= 0):
            raise ConfigError("a limit in seconds is above 0.")

    @property
    def names(self) -> tuple[str, ...]:
        """All models."""
        return MODELS if self.models is None else self.models

    def completing(self, words: Sequence[str]) -> Plan:
        """The same with complete runs of some of its models; words as of :func:`select`."""
        return replace(self, complete=select(words, self.names))


def published_cut(graph: S2NGraph, edges: float) -> float:
    """The cut ``a`` that leaves a raw S2N graph as near as can be to a number of edges.

    It lies half-way between two weights, so that rounding decides nothing.

    Args:
        graph: Raw, as :func:`translate` gives it.
        edges: Wanted, without self-loops.
    """
    matrix = graph.weights.tocoo()
    weights, counts = np.unique(matrix.data[matrix.row < matrix.col], return_counts=True)
    kept = np.cumsum(counts[::-1])[::-1]  # edges with this weight or more
    place = int(np.argmin(abs(kept - edges)))
    below = float(weights[place - 1]) if place else 0.0
    cut = (below + float(weights[place])) / 2
    return (cut - graph.statistics.mean) / graph.statistics.std


def benchmark(data: Mapping[str, Callable[[], SubgraphTask]], plan: Plan) -> Iterator[Row | str]:
    """Measure; yields each row as soon as it is there, and sentences to know.

    A model that is run completely comes twice: first with what was measured, then with both.

    Args:
        data: By name, how to read it.
        plan: What to measure.
    """
    total, done = len(data) * (len(plan.names) + len(plan.complete)), 0
    for number, (name, load) in enumerate(data.items()):
        done = number * (len(plan.names) + len(plan.complete))
        step("Efficiency", done, total, name)
        try:
            here = _Data.read(name, load, plan)
        except Sub2NodeError as error:
            yield Row(name, "", reason=str(error))
            continue
        yield from here.notes
        rows: dict[str, Row] = {}
        for place, model in enumerate(plan.names):
            step("Efficiency", done + place, total, f"{name} · {model}")
            for found in here.measured(model):
                rows |= {model: found} if isinstance(found, Row) else {}
                yield found
        yield from here.left_out(rows)
        for place, model in enumerate(plan.complete, start=len(plan.names)):
            step("Efficiency", done + place, total, f"{name} · {model}, complete")
            if model in rows and rows[model].found is not None:
                yield here.completed(rows[model])
    step("Efficiency", total, total)


@dataclass(eq=False)
class _Data:
    """One data set, read once for all models."""

    name: str
    load: Callable[[], SubgraphTask]
    plan: Plan
    task: SubgraphTask
    seconds: float
    notes: tuple[str, ...]

    @classmethod
    def read(cls, name: str, load: Callable[[], SubgraphTask], plan: Plan) -> _Data:
        start = time.perf_counter()
        task, drawn = split_if_needed(load())
        seconds = time.perf_counter() - start
        check(task)
        return cls(name, load, plan, task, seconds, drawn)

    def __post_init__(self) -> None:
        self.shape = self.task.name.removeprefix("like ")
        if self.shape == self.task.name or self.shape not in SHAPES:
            self.shape = ""
        self.models: dict[str, NetworkModel] = {}
        self.left: dict[str, str] = {}  # what is wrong with the settings of some

    @property
    def preset(self) -> str:
        return self.plan.preset or (f"paper:{self.shape}" if self.shape else "default")

    @cached_property
    def cut(self) -> float:
        return published_cut(translated(self.task, True), PUBLISHED_EDGES[self.shape])

    def settings(self, model: str) -> dict[str, Any]:
        """What data of a published shape needs: the published number of edges, no pre-training."""
        if not self.shape:
            return {}
        if model in NETWORKS:
            kind = find_baseline(model, self.preset, self.task).config.features.kind
            return {"features.kind": "random"} if kind == "link" else {}
        if model.startswith("s2n"):
            return {"translation.a": self.cut, "translation.delta": 1.0}
        return {}

    def measured(self, model: str) -> Iterator[Row | str]:
        """What to know about a model, and its row; nothing where there are no settings for it."""
        structure, _, conv = model.partition(" ")
        try:
            network, preset, notes = find_model(
                self.task, model if model in NETWORKS else None,
                structure=structure if conv else None, conv=conv or None, preset=self.preset,
                settings=self.settings(model), device=self.plan.device, compile=self.plan.compile,
            )  # fmt: skip
        except Sub2NodeError as error:
            self.left[model] = str(error)
            return
        assert isinstance(network, NetworkModel)
        self.models[model] = network
        row = Row(self.name, model, preset)
        try:
            found = efficiency(
                self.task, network, repeats=self.plan.repeats, seconds=self.plan.seconds
            )
        except Exception as error:  # the others go on, whatever it is
            yield replace(row, reason=reason_of(error))
            return
        yield from self._notes(model, notes)
        yield replace(row, found=found)

    def left_out(self, rows: Mapping[str, Row]) -> Iterator[Row | str]:
        """Which models have no settings; where none has, why."""
        if self.left and not rows:
            yield Row(self.name, "", reason=next(iter(self.left.values())))
        elif self.left:
            yield f"{self.name}: no settings in {self.preset} for {', '.join(self.left)}."

    def _notes(self, model: str, notes: tuple[str, ...]) -> tuple[str, ...]:
        """What to know about a model; what many of them share says it once."""
        if model in NETWORKS:
            return tuple(f"{model}: {note}" for note in notes)
        if self.shape and model.startswith("s2n"):
            graph = translated(self.task, True).normalize(self.cut, 1.0)
            edges = f"{graph.num_edges:,} edges (published: {PUBLISHED_EDGES[self.shape]:,.0f})"
            notes = (*notes, f"{self.name}: S2N graphs are cut at a = {self.cut:.3f} to {edges}.")
        return notes

    def completed(self, row: Row) -> Row:
        """The row with the seconds of a complete result."""
        assert row.found is not None
        seeds, model = self.plan.seeds, self.models[row.model]
        expected = estimated(row.found, model, self.task, self.seconds, len(seeds))
        if expected.seconds > self.plan.limit:
            return replace(row, complete=expected)
        gc.collect()
        try:
            return replace(row, complete=complete_run(self.load, model, seeds))
        except Exception as error:
            return replace(row, reason=f"complete run: {reason_of(error)}")


def reason_of(error: BaseException) -> str:
    """What went wrong, in one line."""
    text = " ".join(str(error).split("\n")[0].split()) or type(error).__name__
    memory = isinstance(error, MemoryError | torch.OutOfMemoryError) or "allocate memory" in text
    return f"out of memory ({text[:120]})" if memory else text[:300]
