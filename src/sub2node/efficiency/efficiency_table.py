"""The table of an efficiency benchmark: rows, and ratios against GLASS within the same run."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import torch

from ..base.environment import find_device, versions
from ..base.errors import DataError
from ..base.structured_text import parse_json
from ..config import is_plain_s2n
from .complete_runs import CompleteRun
from .measure import Efficiency, Timing

REFERENCE = "glass"  # the denominator of ratios
METRICS = {  # by name, whether more is better
    "train_throughput": True,
    "eval_throughput": True,
    "train_latency": False,
    "eval_latency": False,
    "parameters": False,
    "memory": False,
}
_TIMING_COLUMNS = {
    "median": "seconds",
    "low": "seconds_low",
    "high": "seconds_high",
    "blocks": "blocks",
    "epochs": "epochs_timed",
}
_SUBGRAPH_COLUMNS = ("train_subgraphs", "eval_subgraphs", "train_batches", "eval_batches")


@dataclass(frozen=True)
class EfficiencyRow:
    """One model on one data set.

    Args:
        data: The name of the data set.
        model: A name as ``s2n+a gcn2`` or ``glass``; empty where the data could not be read.
        preset: The preset that its settings come from.
        efficiency: What was measured; None where it could not be measured.
        complete: Seconds of a complete run, where requested.
        reason: Why it could not be measured.
    """

    data: str
    model: str
    preset: str = ""
    efficiency: Efficiency | None = None
    complete: CompleteRun | None = None
    reason: str = ""

    @property
    def structure(self) -> str:
        """The structure; empty for a baseline."""
        return self.model.partition(" ")[0] if " " in self.model else ""

    @property
    def conv(self) -> str:
        """The convolution; empty for a baseline."""
        return self.model.partition(" ")[2]

    def value(self, metric: str) -> float | None:
        """The value of one of :data:`METRICS`."""
        return None if self.efficiency is None else float(getattr(self.efficiency, metric))


@dataclass(frozen=True, eq=False)
class EfficiencyTable:
    """What was measured on one machine in one run.

    Args:
        rows: One row per model and data set.
        machine: Device, processor, threads and versions.
        notes: Remarks for the reader, one sentence each.
    """

    rows: tuple[EfficiencyRow, ...]
    machine: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def data(self) -> list[str]:
        """Names of the data sets with a model that was measured."""
        return list(dict.fromkeys(row.data for row in self.rows if row.efficiency is not None))

    def of(self, data: str) -> list[EfficiencyRow]:
        """The rows of a data set."""
        return [row for row in self.rows if row.data == data and row.model]

    def reference(self, data: str) -> EfficiencyRow | None:
        """GLASS on the same data, where it was measured."""
        rows = (
            row for row in self.of(data) if row.model == REFERENCE and row.efficiency is not None
        )
        return next(rows, None)

    def ratio(self, row: EfficiencyRow, metric: str) -> float | None:
        """The median of a row over that of GLASS in the same run."""
        reference = self.reference(row.data)
        value = row.value(metric)
        reference_value = None if reference is None else reference.value(metric)
        return None if value is None or not reference_value else value / reference_value

    def best(self, data: str, metric: str) -> EfficiencyRow | None:
        """The best of S2N+0 and S2N+A."""
        rows = [r for r in self.of(data) if is_plain_s2n(r.model) and r.efficiency is not None]
        choose = max if METRICS[metric] else min
        return choose(rows, key=lambda row: row.value(metric) or 0.0, default=None)

    def records(self) -> list[dict[str, Any]]:
        """One flat record per row, for CSV."""
        return [self._record(row) for row in self.rows]

    def _record(self, row: EfficiencyRow) -> dict[str, Any]:
        measured, complete = row.efficiency, row.complete
        record: dict[str, Any] = {
            name: getattr(row, name) for name in ("data", "model", "structure", "conv", "preset")
        }
        for name in ("device", *_SUBGRAPH_COLUMNS):
            record[name] = measured and getattr(measured, name)
        for stage, timing in (
            ("train", measured and measured.train),
            ("eval", measured and measured.evaluation),
        ):
            for name, column in _TIMING_COLUMNS.items():
                record[f"{stage}_{column}"] = timing and getattr(timing, name)
        for metric in METRICS:
            value = row.value(metric)
            is_count = metric in ("parameters", "memory") and value is not None
            record[metric] = int(value or 0) if is_count else value
        for metric in METRICS:
            record[f"{metric}_ratio"] = self.ratio(row, metric)
        record["build_seconds"] = measured and measured.build_seconds
        for name in ("seconds", *(item.name for item in fields(CompleteRun))):
            record[f"complete_{name}"] = complete and getattr(complete, name)
        return {**record, "reason": row.reason}

    def to_dict(self) -> dict[str, object]:
        """Machine, rows and notes, for JSON."""
        best = [
            {"data": data, "metric": metric, "model": row.model, "ratio": self.ratio(row, metric)}
            for data in self.data
            for metric in METRICS
            if (row := self.best(data, metric)) is not None
        ]
        return {
            "machine": dict(self.machine),
            "reference": REFERENCE,
            "rows": self.records(),
            "best_s2n": best,
            "notes": list(self.notes),
        }


def read_efficiency_table(path: Path) -> EfficiencyTable:
    """Read the ``result.json`` of a benchmark.

    Raises:
        DataError: The file is not one of an efficiency benchmark.
    """
    try:
        facts = parse_json(path.read_text(encoding="utf-8"))
        rows = tuple(row_of_record(record) for record in facts["rows"])
        return EfficiencyTable(rows, machine=dict(facts["machine"]), notes=tuple(facts["notes"]))
    except (ValueError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise DataError(
            f"this is no result of an efficiency benchmark ({error!r}).", path=path
        ) from None


def row_of_record(record: Mapping[str, Any]) -> EfficiencyRow:
    """Restore the row that a record was made of."""
    efficiency = complete = None
    if record["train_seconds"] is not None:
        names = (*_SUBGRAPH_COLUMNS, "parameters", "memory", "device", "build_seconds")
        efficiency = Efficiency(
            train=_read_timing(record, "train"),
            evaluation=_read_timing(record, "eval"),
            **{name: record[name] for name in names},
        )
    if record["complete_seconds"] is not None:
        phases = (item.name for item in fields(CompleteRun))
        complete = CompleteRun(**{name: record[f"complete_{name}"] for name in phases})
    return EfficiencyRow(
        record["data"],
        record["model"],
        preset=record["preset"],
        efficiency=efficiency,
        complete=complete,
        reason=record["reason"],
    )


def _read_timing(record: Mapping[str, Any], stage: str) -> Timing:
    columns = _TIMING_COLUMNS.items()
    return Timing(**{name: record[f"{stage}_{column}"] for name, column in columns})


def machine(device: str) -> dict[str, object]:
    """Describe the machine of a benchmark: device, processor, threads, versions."""
    where = find_device(device)
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    packages = versions()
    facts = {
        "device": where.type,
        "name": torch.cuda.get_device_name(where) if where.type == "cuda" else "",
        "processor": next(models, "") or platform.processor() or platform.machine(),
        "processors": os.cpu_count() or 1,
        "threads": torch.get_num_threads(),
        "system": f"{platform.system()} {platform.release()}",
        **{name: packages[name] for name in ("python", "torch", "sub2node")},
    }
    if where.type == "cuda":
        facts["cuda"] = torch.version.cuda
        facts["gpu_memory"] = torch.cuda.get_device_properties(where).total_memory
    return facts
