"""What an efficiency benchmark gave: rows, and ratios against GLASS within the same run."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import torch

from ..device import find_device
from ..errors import DataError
from ..versions import installed
from .complete import Complete
from .efficiency import Efficiency, Timing

REFERENCE = "glass"  # what ratios are against
METRICS = {  # and whether more is better
    "train_throughput": True,
    "eval_throughput": True,
    "train_latency": False,
    "eval_latency": False,
    "parameters": False,
    "memory": False,
}
_TIMES = {"median": "seconds", "low": "seconds_low", "high": "seconds_high", "blocks": "blocks",
          "epochs": "epochs_timed"}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One model on one data set.

    Args:
        data: Its name.
        model: As ``s2n+a gcn2`` or ``glass``; empty where the data could not be read.
        preset: Where its settings come from.
        found: What was measured.
        complete: Seconds of a complete result, where asked for.
        reason: What kept it from being measured.
    """

    data: str
    model: str
    preset: str = ""
    found: Efficiency | None = None
    complete: Complete | None = None
    reason: str = ""

    @property
    def structure(self) -> str:
        """How subgraphs are presented; empty for a baseline."""
        return self.model.partition(" ")[0] if " " in self.model else ""

    @property
    def conv(self) -> str:
        """The convolution; empty for a baseline."""
        return self.model.partition(" ")[2]

    def value(self, metric: str) -> float | None:
        """One of :data:`METRICS`."""
        return None if self.found is None else float(getattr(self.found, metric))


@dataclass(frozen=True, eq=False)
class Benchmark:
    """What was measured on one machine in one run.

    Args:
        rows: One a model and data set.
        machine: Device, processor, threads and versions.
        notes: What to know.
    """

    rows: tuple[Row, ...]
    machine: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def data(self) -> list[str]:
        """Names of the data sets with a model that was measured."""
        return list(dict.fromkeys(row.data for row in self.rows if row.found is not None))

    def of(self, data: str) -> list[Row]:
        """The rows of a data set."""
        return [row for row in self.rows if row.data == data and row.model]

    def reference(self, data: str) -> Row | None:
        """GLASS on the same data, where it was measured."""
        rows = (row for row in self.of(data) if row.model == REFERENCE and row.found is not None)
        return next(rows, None)

    def ratio(self, row: Row, metric: str) -> float | None:
        """A median over that of GLASS in the same run."""
        against = self.reference(row.data)
        ours = row.value(metric)
        theirs = None if against is None else against.value(metric)
        return None if ours is None or not theirs else ours / theirs

    def best(self, data: str, metric: str) -> Row | None:
        """The best of S2N+0 and S2N+A."""
        rows = [r for r in self.of(data) if r.structure.startswith("s2n") and r.found is not None]
        choose = max if METRICS[metric] else min
        return choose(rows, key=lambda row: row.value(metric) or 0.0, default=None)

    def records(self) -> list[dict[str, Any]]:
        """A flat record a row, for CSV."""
        return [self._record(row) for row in self.rows]

    def _record(self, row: Row) -> dict[str, Any]:
        found, whole = row.found, row.complete
        record: dict[str, Any] = {"data": row.data, "model": row.model, "structure": row.structure,
                                  "conv": row.conv, "preset": row.preset}  # fmt: skip
        for name in ("device", "train_subgraphs", "eval_subgraphs", "train_batches",
                     "eval_batches"):  # fmt: skip
            record[name] = None if found is None else getattr(found, name)
        for stage, timing in (
            ("train", found and found.train), ("eval", found and found.evaluation)
        ):  # fmt: skip
            for name, column in _TIMES.items():
                record[f"{stage}_{column}"] = timing and getattr(timing, name)
        for metric in METRICS:
            value = row.value(metric)
            whole_number = metric in ("parameters", "memory") and value is not None
            record[metric] = int(value or 0) if whole_number else value
        for metric in METRICS:
            record[f"{metric}_ratio"] = self.ratio(row, metric)
        record["build_seconds"] = found and found.build_seconds
        for name in ("seconds", "data", "translation", "training", "evaluation", "seeds",
                     "estimated"):  # fmt: skip
            record[f"complete_{name}"] = None if whole is None else getattr(whole, name)
        return {**record, "reason": row.reason}

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
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


def read_benchmark(path: Path) -> Benchmark:
    """What was written as ``result.json``.

    Raises:
        DataError: The file is not one of an efficiency benchmark.
    """
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        rows = tuple(row_of_record(record) for record in facts["rows"])
        return Benchmark(rows, dict(facts["machine"]), tuple(facts["notes"]))
    except (ValueError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise DataError(
            f"this is no result of an efficiency benchmark ({error!r}).", path=path
        ) from None


def row_of_record(record: Mapping[str, Any]) -> Row:
    """The row that a record was made of."""
    found = whole = None
    if record["train_seconds"] is not None:
        times = [_timing(record, stage) for stage in ("train", "eval")]
        names = ("train_subgraphs", "eval_subgraphs", "train_batches", "eval_batches", "parameters",
                 "memory", "device", "build_seconds")  # fmt: skip
        found = Efficiency(times[0], times[1], **{name: record[name] for name in names})
    if record["complete_seconds"] is not None:
        whole = Complete(**{f.name: record[f"complete_{f.name}"] for f in fields(Complete)})
    return Row(record["data"], record["model"], record["preset"], found, whole, record["reason"])


def _timing(record: Mapping[str, Any], stage: str) -> Timing:
    names = {name: f"{stage}_{column}" for name, column in _TIMES.items()}
    return Timing(**{name: record[column] for name, column in names.items()})


def machine(device: str) -> dict[str, Any]:
    """What the numbers are of: device, processor, threads, versions."""
    where = find_device(device)
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    facts = {
        "device": where.type,
        "name": torch.cuda.get_device_name(where) if where.type == "cuda" else "",
        "processor": next(models, "") or platform.processor() or platform.machine(),
        "processors": os.cpu_count() or 1,
        "threads": torch.get_num_threads(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "sub2node": installed("sub2node") or "",
    }
    if where.type == "cuda":
        facts["cuda"] = torch.version.cuda
        facts["gpu_memory"] = torch.cuda.get_device_properties(where).total_memory
    return facts
