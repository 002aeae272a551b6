"""One job: its model, the key that names its result, and running it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from ..base.environment import find_device, installed_version
from ..baselines import NETWORKS
from ..config import is_plain_s2n
from ..efficiency.benchmark import reason_of
from ..evaluate.protocol import assess
from ..models import Preset
from ..models.candidates import NetworkModel
from ..models.find import find_model
from ..models.interface import Model, ModelSpec
from ..task import SubgraphTask, require_learnable
from ..task.content_hash import digest
from .cell_journal import Record
from .cell_settings import baseline_for, changes_for, settings_for
from .job_measures import (
    count_statistics,
    explain_attributes,
    fit_published_size,
    measure_compression,
    measure_speed,
)
from .jobs import Job, ReproductionPlan
from .paper_data import DatasetCache, PaperDataset
from .scarce_subsets import subset

RecordFields = dict[str, Any]  # of Record
_COUNTS = {
    "statistics": count_statistics,
    "compression": measure_compression,
    "attributes": explain_attributes,
}


@dataclass(frozen=True, eq=False)
class PreparedJob:
    """A job that can be run.

    Args:
        job: The job to run.
        key: The key of its record.
        data: The name and hash of the data that it is run on.
        preset: Where its settings come from.
        notes: What to know about its settings.
        epochs: The largest number of epochs of its settings.
        cost: A rough estimate of its duration, without a unit.
        work: The function that runs it.
    """

    job: Job
    key: str
    data: str
    preset: str
    notes: tuple[str, ...]
    epochs: int | None
    cost: float
    work: Callable[[], RecordFields]

    @property
    def alone(self) -> bool:
        """Whether it measures time, which another process beside it would spoil."""
        return self.job.what == "speed" or self.job.model == "time"


def prepare(job: Job, datasets: DatasetCache, plan: ReproductionPlan) -> PreparedJob | str:
    """Find what a job needs, or the sentence that says why it cannot be run.

    Raises:
        Sub2NodeError: The data or the settings do not fit the job.
    """
    if job.what == "theory":
        return _prepare_theory(job, datasets, plan)
    by_shape = job.what == "speed" and not job.n
    data = datasets.load_shape(job.column) if by_shape else datasets.load(job.column)
    if isinstance(data, str):
        return data
    task, data_name = data.task, f"{data.load_name} {data.task.hash[:12]}"
    if job.what in _COUNTS:
        work = _COUNTS[job.what]
        settings = ""
        if job.what == "compression":
            pairs = [("s2n+0", "gcn"), ("s2n+a", "gcn"), ("s2n+0", "gcn2"), ("s2n+a", "gcn2")]
            settings = repr([settings_for(task, *pair).config.translation for pair in pairs])
        key = digest("cell", job.what, task.hash, settings)[:16]
        cost = float(task.graph.num_edges)
        return PreparedJob(
            job,
            key,
            data=data_name,
            preset="",
            notes=(),
            epochs=None,
            cost=cost,
            work=lambda: {"facts": work(task)},
        )
    return _prepare_training(job, data, data_name, plan)


def _prepare_training(
    job: Job, data: PaperDataset, data_name: str, plan: ReproductionPlan
) -> PreparedJob:
    task = data.task
    require_learnable(task)
    spec = _find_model(job, data, plan)
    model, preset, notes = spec.model, spec.preset_name, spec.notes
    config = getattr(model, "candidates", (getattr(model, "settings", None),))[0]
    epochs = getattr(getattr(config, "training", None), "epochs", None)
    parts = ["cell", job.what, task.hash, model.name, getattr(model, "key", repr(config))]
    if job.what == "speed":
        parts += [job.n, find_device(plan.device).type, plan.quick]
    else:
        parts += [job.n, list(plan.seeds), plan.quick]
    runners: dict[str, Callable[..., RecordFields]] = {
        "train": _train,
        "scarce": _train_scarce,
        "speed": _measure_speed,
    }
    rounds = 1 if job.what == "train" else len(plan.seeds)
    cost = _estimate_cost(job, task) * (epochs or 1) * rounds

    def work() -> RecordFields:
        return runners[job.what](job, data, model=model, preset=preset, plan=plan)

    return PreparedJob(
        job,
        digest(*parts)[:16],
        data=data_name,
        preset=preset,
        notes=notes,
        epochs=epochs,
        cost=cost,
        work=work,
    )


def _find_model(job: Job, data: PaperDataset, plan: ReproductionPlan) -> ModelSpec[Model]:
    """The model of a job."""
    task, changes = data.task, dict(job.changes)
    base: Preset[Any] = (
        baseline_for(task, job.model) if job.model else settings_for(task, job.structure, job.conv)
    )
    if job.structure:
        speed = job.what == "speed"
        changes |= changes_for(base, job.column, job.encoding, quick=plan.quick or speed)
    elif job.what == "speed" and getattr(base.config.features, "kind", "") == "link":
        changes["features.kind"] = "random"  # pre-training is no part of an epoch
    if job.what == "speed" and data.kind == "random shape" and is_plain_s2n(job.structure):
        changes |= fit_published_size(task, job.column)
    if plan.epochs is not None and (job.structure or job.model in NETWORKS):
        changes["training.epochs"] = min(plan.epochs, base.config.training.epochs)
    return find_model(
        task,
        job.model or None,
        structure=job.structure or None,
        conv=job.conv or None,
        preset=base.name,
        settings=changes,
        coarsen=job.coarsen or None,
        device=plan.device,
    )


def _estimate_cost(job: Job, task: SubgraphTask) -> float:
    """Entries that an epoch works on, roughly."""
    graph = task.graph.num_nodes + 2 * task.graph.num_edges
    members = len(task.subgraphs.nodes)
    if job.model == "glass" or job.structure == "connected":
        return float(graph) * (10 if job.model else 1)
    return float(members * (2 if job.structure == "s2n+0" else 6)) + 0.02 * graph


def _train(
    job: Job, data: PaperDataset, *, model: Model, preset: str, plan: ReproductionPlan
) -> RecordFields:
    result = assess(data.task, model, seeds=plan.seeds)
    if result.ended == "interrupted":
        raise KeyboardInterrupt
    facts: RecordFields = {"config": result.config}
    if result.published_ties is not None:
        facts["published_ties"] = list(result.published_ties.values)
    return {
        "values": result.test["micro_f1"].values,
        "val": result.val["micro_f1"].values,
        "notes": result.notes,
        "facts": facts,
    }


def _train_scarce(
    job: Job, data: PaperDataset, *, model: Model, preset: str, plan: ReproductionPlan
) -> RecordFields:
    """Train on a fresh subset for each seed."""
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


def _measure_speed(
    job: Job, data: PaperDataset, *, model: NetworkModel, preset: str, plan: ReproductionPlan
) -> RecordFields:
    task = data.task if not job.n else subset(data.task, job.n, seed=plan.seeds[0])
    name = job.model or f"{job.structure} {job.conv}"
    facts = measure_speed(
        task, model, data_name=data.load_name, name=name, preset=preset, quick=plan.quick
    )
    return {"facts": facts}


def _prepare_theory(job: Job, datasets: DatasetCache, plan: ReproductionPlan) -> PreparedJob:
    """One claim, on random graphs and on the data at hand."""
    from .theory import CLAIMS, verify

    tasks: dict[str, SubgraphTask] = {}
    for column in ("density",) if plan.quick else ("density", "ppi_bp"):
        data = datasets.load(column) if datasets.is_requested(column) else ""
        if isinstance(data, PaperDataset):
            tasks[data.load_name] = data.task
    others = set(CLAIMS) - {job.model}

    def work() -> RecordFields:
        claims = verify(quick=plan.quick, seed=plan.seeds[0], tasks=tasks or None, skip=others)
        return {"facts": {"claims": [claim.to_dict() for claim in claims]}}

    hashes = [task.hash for task in tasks.values()]
    key = digest("cell", "theory", job.model, plan.seeds[0], plan.quick, hashes)[:16]
    return PreparedJob(
        job,
        key,
        data=", ".join(["random graphs", *tasks]),
        preset="",
        notes=(),
        epochs=None,
        cost=1e9,
        work=work,
    )


def run_job(prepared: PreparedJob, plan: ReproductionPlan) -> Record:
    """Run a job; what goes wrong is recorded, only Ctrl-C passes."""
    start = time.perf_counter()
    record = Record(
        prepared.key,
        prepared.job.description,
        preset=prepared.preset,
        data=prepared.data,
        quick=plan.quick,
        epochs=prepared.epochs,
        version=installed_version("sub2node") or "",
        device=find_device(plan.device).type,
        when=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    try:
        fields = prepared.work()
    except Exception as error:  # the others go on, whatever it is
        fields = {"status": "failed", "why": reason_of(error)}
    notes = (*prepared.notes, *fields.pop("notes", ()))
    return replace(record, **fields, notes=notes, seconds=time.perf_counter() - start)
