"""One job: its model, the key that names its result, and running it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from ...baselines import NETWORKS
from ...device import find_device
from ...task import SubgraphTask
from ...task.content import digest
from ...versions import installed
from ..benchmark import reason_of
from ..models import Model
from ..protocol import assess, check, find_model
from ..scarce import subset
from .choice import baseline_for, changes_for, settings_for
from .columns import Data, Shelf
from .jobs import Job, Plan
from .journal import Record
from .measures import compression_of, shaped, speed_of, statistics_of

Found = dict[str, Any]  # fields of the record


@dataclass(frozen=True, eq=False)
class Ready:
    """A job that can be run.

    Args:
        job: Which.
        key: Names its result.
        data: What it is run on.
        preset: Where its settings come from.
        notes: What to know before.
        epochs: The most epochs of its settings.
        cost: About how long it takes, in no unit.
        work: Runs it.
    """

    job: Job
    key: str
    data: str
    preset: str
    notes: tuple[str, ...]
    epochs: int | None
    cost: float
    work: Callable[[], Found]

    @property
    def alone(self) -> bool:
        """Whether it measures time, which another process beside it would spoil."""
        return self.job.what == "speed" or self.job.model == "time"


def prepare(job: Job, shelf: Shelf, plan: Plan) -> Ready | str:
    """What a job needs, or the sentence that says why it cannot be run.

    Raises:
        Sub2NodeError: The data or its settings do not go along with it.
    """
    if job.what == "theory":
        return _theory(job, shelf, plan)
    data = shelf.shape(job.column) if job.what == "speed" and not job.n else shelf.data(job.column)
    if isinstance(data, str):
        return data
    task, word = data.task, f"{data.word} {data.task.hash[:12]}"
    if job.what in ("statistics", "compression"):
        work = statistics_of if job.what == "statistics" else compression_of
        settings = ""
        if job.what == "compression":
            pairs = [("s2n+0", "gcn"), ("s2n+a", "gcn"), ("s2n+0", "gcn2"), ("s2n+a", "gcn2")]
            settings = repr([settings_for(task, *pair).config.translation for pair in pairs])
        key = digest("cell", job.what, task.hash, settings)[:16]
        cost = float(task.graph.num_edges)
        return Ready(job, key, word, "", (), None, cost, lambda: {"facts": work(task)})
    return _trained(job, data, word, plan)


def _trained(job: Job, data: Data, word: str, plan: Plan) -> Ready:
    task = data.task
    check(task)
    model, preset, notes = _model(job, data, plan)
    config = getattr(model, "candidates", (getattr(model, "settings", None),))[0]
    epochs = getattr(getattr(config, "training", None), "epochs", None)
    parts = ["cell", job.what, task.hash, model.name, getattr(model, "key", repr(config))]
    if job.what == "speed":
        parts += [job.n, find_device(plan.device).type, plan.quick]
    else:
        parts += [job.n, list(plan.seeds), plan.quick]
    works = {"train": _train, "scarce": _scarce, "speed": _speed}
    cost = _cost(job, task) * (epochs or 1) * (1 if job.what == "train" else len(plan.seeds))

    def work() -> Found:
        return works[job.what](job, data, model, preset, plan)

    return Ready(job, digest(*parts)[:16], word, preset, notes, epochs, cost, work)


def _model(job: Job, data: Data, plan: Plan) -> tuple[Model, str, tuple[str, ...]]:
    """The model of a job, the name of its settings, and what to know about them."""
    task, changes = data.task, dict(job.changes)
    found = (
        baseline_for(task, job.model) if job.model else settings_for(task, job.structure, job.conv)
    )
    if job.structure:
        speed = job.what == "speed"
        changes |= changes_for(found, job.column, job.encoding, quick=plan.quick or speed)
    elif job.what == "speed" and getattr(found.config.features, "kind", "") == "link":
        changes["features.kind"] = "random"  # pre-training is no part of an epoch
    if job.what == "speed" and data.kind == "random shape" and job.structure.startswith("s2n"):
        changes |= shaped(task, job.column)
    if plan.epochs is not None and (job.structure or job.model in NETWORKS):
        changes["training.epochs"] = min(plan.epochs, found.config.training.epochs)
    return find_model(
        task, job.model or None, structure=job.structure or None, conv=job.conv or None,
        preset=found.name, settings=changes, coarsen=job.coarsen or None, device=plan.device,
    )  # fmt: skip


def _cost(job: Job, task: SubgraphTask) -> float:
    """Entries that an epoch works on, roughly."""
    graph = task.graph.num_nodes + 2 * task.graph.num_edges
    members = len(task.subgraphs.nodes)
    if job.model == "glass" or job.structure == "connected":
        return float(graph) * (10 if job.model else 1)
    return float(members * (2 if job.structure == "s2n+0" else 6)) + 0.02 * graph


def _train(job: Job, data: Data, model: Model, preset: str, plan: Plan) -> Found:
    result = assess(data.task, model, seeds=plan.seeds)
    if result.ended == "interrupted":
        raise KeyboardInterrupt
    facts: Found = {"config": result.config}
    if result.published_ties is not None:
        facts["published_ties"] = list(result.published_ties.values)
    return {
        "values": result.test["micro_f1"].values,
        "val": result.val["micro_f1"].values,
        "notes": result.notes,
        "facts": facts,
    }


def _scarce(job: Job, data: Data, model: Model, preset: str, plan: Plan) -> Found:
    """A fresh subset for each seed."""
    values: list[float] = []
    val: list[float] = []
    macro: list[float] = []
    for seed in plan.seeds:
        small = subset(data.task, job.n, seed=seed)
        result = assess(small, model, seeds=[seed])
        if result.ended == "interrupted":
            raise KeyboardInterrupt
        values += result.test["micro_f1"].values
        val += result.val["micro_f1"].values
        macro += result.test["macro_f1"].values
    facts = {"seeds": list(plan.seeds), "macro": macro, "config": result.config}
    return {"values": tuple(values), "val": tuple(val), "notes": result.notes, "facts": facts}


def _speed(job: Job, data: Data, model: Any, preset: str, plan: Plan) -> Found:
    task = data.task if not job.n else subset(data.task, job.n, seed=plan.seeds[0])
    name = job.model or f"{job.structure} {job.conv}"
    return {"facts": speed_of(task, model, data.word, name, preset, quick=plan.quick)}


def _theory(job: Job, shelf: Shelf, plan: Plan) -> Ready:
    """One claim, on random graphs and on the data at hand."""
    from ..theory import CLAIMS, verify

    tasks: dict[str, SubgraphTask] = {}
    for column in ("density",) if plan.quick else ("density", "ppi_bp"):
        data = shelf.data(column) if shelf.wants(column) else ""
        if isinstance(data, Data):
            tasks[data.word] = data.task
    others = set(CLAIMS) - {job.model}

    def work() -> Found:
        found = verify(quick=plan.quick, seed=plan.seeds[0], tasks=tasks or None, skip=others)
        return {"facts": {"claims": [claim.to_dict() for claim in found]}}

    hashes = [task.hash for task in tasks.values()]
    key = digest("cell", "theory", job.model, plan.seeds[0], plan.quick, hashes)[:16]
    words = ", ".join(["random graphs", *tasks])
    return Ready(job, key, words, "", (), None, 1e9, work)


def run(ready: Ready, plan: Plan) -> Record:
    """Run a job; what goes wrong is recorded, only Ctrl-C passes."""
    start = time.perf_counter()
    about = Record(
        ready.key, ready.job.words, preset=ready.preset, data=ready.data, quick=plan.quick,
        epochs=ready.epochs, version=installed("sub2node") or "",
        device=find_device(plan.device).type, when=datetime.now(UTC).isoformat(timespec="seconds"),
    )  # fmt: skip
    try:
        found = ready.work()
    except Exception as error:  # the others go on, whatever it is
        found = {"status": "failed", "why": reason_of(error)}
    notes = (*ready.notes, *found.pop("notes", ()))
    return replace(about, **found, notes=notes, seconds=time.perf_counter() - start)
