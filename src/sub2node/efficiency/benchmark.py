"""Efficiency of all structures, convolutions and baselines, measured side by side in one run."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch

from ..base.environment import find_device
from ..base.errors import ConfigError, Sub2NodeError, suggest
from ..base.progress import item
from ..baselines import NETWORKS
from ..config import STRUCTURES, TranslationSettings, is_plain_s2n
from ..datasets import SHAPES
from ..evaluate.protocol import split_if_needed
from ..evaluate.seeds import seed_list
from ..models import find_baseline
from ..models.candidates import NetworkModel
from ..models.find import find_model
from ..models.graph_network import translated
from ..nn.convolutions import CONVOLUTIONS
from ..ops.triton import Compile, check_compile_mode
from ..task import SubgraphTask, require_learnable
from ..translation import S2NGraph
from .complete_runs import estimate_complete_run, time_complete_run
from .efficiency_table import EfficiencyRow
from .measure import efficiency

# Edges of the S2N graphs in the paper's Table "The number of nodes and edges of real-world graphs".
PUBLISHED_EDGES = {"ppi_bp": 4.8e3, "hpo_neuro": 6.3e5, "hpo_metab": 6.0e4, "em_user": 3.0e3}
_PAIRS = [f"{structure} {conv}" for structure in STRUCTURES for conv in CONVOLUTIONS]
MODELS = (*_PAIRS, "subgnn", "glass")


def select(terms: Sequence[str], among: Sequence[str] | None = None) -> tuple[str, ...]:
    """Select models by search terms, in the order of tables.

    Args:
        terms: A structure (``s2n+a``: with each convolution), a convolution (``gcn2``: on each
            structure), both (``s2n+a:gcn2``), a network of the baselines (``glass``), or ``all``.
        among: The models to choose from; None: all that can be measured.
    """
    models = [*_PAIRS, *NETWORKS] if among is None else list(among)
    chosen: set[str] = set()
    for term in terms:
        parts = set(term.split(":"))
        if term == "all":
            matches = set(MODELS if among is None else among)
        else:
            matches = {model for model in models if parts <= set(model.split(" "))}
        if not matches:
            names = dict.fromkeys(part for model in models for part in model.split(" "))
            raise ConfigError(f"there is no model {term!r} to measure.{suggest(term, names)}")
        chosen |= matches
    return tuple(model for model in models if model in chosen)


@dataclass(frozen=True)
class BenchmarkPlan:
    """Which models an efficiency benchmark measures, and for how long.

    Args:
        models: Names as ``s2n+a gcn2`` or ``glass``; see :func:`select`. None: all that have
            settings.
        preset: The preset of all models; None: the published one for data of a published shape,
            otherwise the default.
        device: ``auto``, ``cpu`` or ``cuda``.
        repeats: Blocks of epochs that are timed per model.
        seconds: Time per model after which fewer blocks are timed.
        complete: Models to run completely.
        limit: Seconds; a complete run that would take longer is estimated.
        seeds: Seeds of a complete run.
        compile: ``auto``: kernels and CUDA graphs on a GPU; ``off``: plain PyTorch.
    """

    models: tuple[str, ...] | None = None
    preset: str | None = None
    device: str = "auto"
    repeats: int = 10
    seconds: float = 30.0
    complete: tuple[str, ...] = ()
    limit: float = 600.0
    seeds: tuple[int, ...] = tuple(seed_list(10))
    compile: Compile = "auto"

    def __post_init__(self) -> None:
        find_device(self.device)
        check_compile_mode(self.compile)
        seed_list(self.seeds)
        if self.repeats < 2:
            raise ConfigError(f"repeats are two at least, to see a spread, found {self.repeats}.")
        if not (self.seconds > 0 and self.limit >= 0):
            raise ConfigError("a limit in seconds is above 0.")

    @property
    def names(self) -> tuple[str, ...]:
        """The models to measure."""
        return MODELS if self.models is None else self.models

    def completing(self, terms: Sequence[str]) -> BenchmarkPlan:
        """The same plan with complete runs of some of its models; terms as of :func:`select`."""
        return replace(self, complete=select(terms, self.names))


def published_cut(graph: S2NGraph, edges: float) -> float:
    """Find the cut ``a`` that brings a raw S2N graph closest to a number of edges.

    It lies half-way between two weights, so that rounding decides nothing.

    Args:
        graph: The raw S2N graph, as :func:`translate` gives it.
        edges: The wanted number of edges, without self-loops.
    """
    matrix = graph.weights.tocoo()
    weights, counts = np.unique(matrix.data[matrix.row < matrix.col], return_counts=True)
    edges_left = np.cumsum(counts[::-1])[::-1]  # with this weight or more
    place = int(np.argmin(abs(edges_left - edges)))
    below = float(weights[place - 1]) if place else 0.0
    cut = (below + float(weights[place])) / 2
    return (cut - graph.statistics.mean) / graph.statistics.std


def benchmark(
    data: Mapping[str, Callable[[], SubgraphTask]], plan: BenchmarkPlan
) -> Iterator[EfficiencyRow | str]:
    """Measure models; yields each row as soon as it is complete, and notes as sentences.

    A model that is run completely comes twice: first with its efficiency, then with both.

    Args:
        data: Functions that read the data sets, by name.
        plan: Which models to measure, and for how long.
    """
    total, done = len(data) * (len(plan.names) + len(plan.complete)), 0
    for number, (name, load) in enumerate(data.items()):
        done = number * (len(plan.names) + len(plan.complete))
        item("Measurement", done, total, name, even=False)
        try:
            data_set = _DataSet.read(name, load, plan)
        except Sub2NodeError as error:
            yield EfficiencyRow(name, "", reason=str(error))
            continue
        yield from data_set.notes
        rows: dict[str, EfficiencyRow] = {}
        for place, model in enumerate(plan.names):
            item("Measurement", done + place, total, f"{name} · {model}", even=False)
            for row_or_note in data_set.measure(model):
                if isinstance(row_or_note, EfficiencyRow):
                    rows[model] = row_or_note
                yield row_or_note
        yield from data_set.report_omitted(rows)
        for place, model in enumerate(plan.complete, start=len(plan.names)):
            item("Measurement", done + place, total, f"{name} · {model}, complete", even=False)
            if model in rows and rows[model].efficiency is not None:
                yield data_set.complete(rows[model])
    item("Measurement", total, total)


@dataclass(eq=False)
class _DataSet:
    """One data set, read once for all models."""

    name: str
    load: Callable[[], SubgraphTask]
    plan: BenchmarkPlan
    task: SubgraphTask
    seconds: float
    notes: tuple[str, ...]

    @classmethod
    def read(cls, name: str, load: Callable[[], SubgraphTask], plan: BenchmarkPlan) -> _DataSet:
        start = time.perf_counter()
        task, split_notes = split_if_needed(load())
        seconds = time.perf_counter() - start
        require_learnable(task)
        return cls(name, load, plan=plan, task=task, seconds=seconds, notes=split_notes)

    def __post_init__(self) -> None:
        self.shape = self.task.name.removeprefix("like ")
        if self.shape == self.task.name or self.shape not in SHAPES:
            self.shape = ""
        self.models: dict[str, NetworkModel] = {}
        self.omitted: dict[str, str] = {}  # why models have no settings

    @property
    def preset(self) -> str:
        return self.plan.preset or (f"paper:{self.shape}" if self.shape else "default")

    @cached_property
    def cut(self) -> float:
        return published_cut(
            translated(self.task, TranslationSettings()), PUBLISHED_EDGES[self.shape]
        )

    def settings(self, model: str) -> dict[str, object]:
        """Settings for data of a published shape: the published number of edges, no pretraining."""
        if not self.shape:
            return {}
        if model in NETWORKS:
            kind = find_baseline(model, self.preset, self.task).config.features.kind
            return {"features.kind": "random"} if kind == "link" else {}
        if is_plain_s2n(model):
            return {"translation.a": self.cut, "translation.delta": 1.0}
        return {}

    def measure(self, model: str) -> Iterator[EfficiencyRow | str]:
        """Notes on a model, and its row; nothing where there are no settings for it."""
        structure, _, conv = model.partition(" ")
        try:
            spec = find_model(
                self.task,
                model if model in NETWORKS else None,
                structure=structure if conv else None,
                conv=conv or None,
                preset=self.preset,
                settings=self.settings(model),
                device=self.plan.device,
                compile=self.plan.compile,
            )
        except Sub2NodeError as error:
            self.omitted[model] = str(error)
            return
        network = spec.model
        assert isinstance(network, NetworkModel)
        self.models[model] = network
        row = EfficiencyRow(self.name, model, spec.preset_name)
        try:
            measured = efficiency(
                self.task, network, repeats=self.plan.repeats, seconds=self.plan.seconds
            )
        except Exception as error:  # the others go on, whatever it is
            yield replace(row, reason=reason_of(error))
            return
        yield from self._notes_on(model, spec.notes)
        yield replace(row, efficiency=measured)

    def report_omitted(self, rows: Mapping[str, EfficiencyRow]) -> Iterator[EfficiencyRow | str]:
        """Say which models have no settings; where none has, why."""
        if self.omitted and not rows:
            yield EfficiencyRow(self.name, "", reason=next(iter(self.omitted.values())))
        elif self.omitted:
            yield f"{self.name}: no settings in {self.preset} for {', '.join(self.omitted)}."

    def _notes_on(self, model: str, notes: tuple[str, ...]) -> tuple[str, ...]:
        """Notes on a model; those that many models share have the same text."""
        if model in NETWORKS:
            return tuple(f"{model}: {note}" for note in notes)
        if self.shape and is_plain_s2n(model):
            graph = translated(self.task, TranslationSettings()).normalize(self.cut, 1.0)
            edges = f"{graph.num_edges:,} edges (published: {PUBLISHED_EDGES[self.shape]:,.0f})"
            notes = (*notes, f"{self.name}: S2N graphs are cut at a = {self.cut:.3f} to {edges}.")
        return notes

    def complete(self, row: EfficiencyRow) -> EfficiencyRow:
        """Add the seconds of a complete run to a row."""
        assert row.efficiency is not None
        seeds, model = self.plan.seeds, self.models[row.model]
        expected = estimate_complete_run(
            row.efficiency, model, task=self.task, data=self.seconds, seeds=len(seeds)
        )
        if expected.seconds > self.plan.limit:
            return replace(row, complete=expected)
        gc.collect()
        try:
            return replace(row, complete=time_complete_run(self.load, model, seeds))
        except Exception as error:
            return replace(row, reason=f"complete run: {reason_of(error)}")


def reason_of(error: BaseException) -> str:
    """Say what went wrong, in one line."""
    text = " ".join(str(error).split("\n")[0].split()) or type(error).__name__
    full = isinstance(error, MemoryError | torch.OutOfMemoryError) or "allocate memory" in text
    return f"out of memory ({text[:120]})" if full else text[:300]
