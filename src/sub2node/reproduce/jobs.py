"""What there is to do: the plan, the jobs, and the table cells that show their results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

JobKind = Literal["train", "scarce", "speed", "statistics", "compression", "attributes", "theory"]
QUICK_SEEDS, QUICK_EPOCHS = 2, 20


@dataclass(frozen=True)
class ReproductionPlan:
    """How everything is run.

    Args:
        seeds: One seed per run.
        quick: Fewer seeds, epochs and cells: to see that everything works, not for results.
        device: The device to run on: ``auto``, ``cpu`` or ``cuda``.
    """

    seeds: tuple[int, ...]
    quick: bool = False
    device: str = "auto"

    @property
    def epochs(self) -> int | None:
        """The most epochs of a training; None: as the settings say."""
        return QUICK_EPOCHS if self.quick else None


@dataclass(frozen=True)
class Job:
    """One thing to run; several cells may show its result.

    Args:
        what: ``train`` (one ``assess`` over all seeds), ``scarce`` (the same on a few training
            subgraphs of each class), ``speed``, ``statistics``, ``compression``, ``attributes`` or
            ``theory``.
        column: The dataset of the paper.
        model: A baseline's name, empty for a structure; of ``theory`` the claim.
        structure: One of the six structures.
        conv: The name of the convolution.
        encoding: ``none``, ``rwpe`` or ``lappe``; empty: as the settings have it.
        changes: Settings that differ from those of the preset.
        coarsen: The coarsening of CoS2N, as method and ratio.
        n: Training subgraphs of each class; 0: all.
    """

    what: JobKind
    column: str
    model: str = ""
    structure: str = ""
    conv: str = ""
    encoding: str = "none"
    changes: tuple[tuple[str, object], ...] = ()
    coarsen: str = ""
    n: int = 0

    @property
    def description(self) -> str:
        """The job in words, for progress and messages."""
        name = self.model or f"{self.structure} {self.conv}".strip() or self.what
        details = [
            "" if self.what in ("train", name) else self.what,
            "" if self.encoding == "none" else self.encoding,
            *(f"{key.rpartition('.')[2]} {value}" for key, value in self.changes),
            self.coarsen,
            f"{self.n} of each class" if self.n else "",
        ]
        return " · ".join([f"{self.column}: {name}", *(detail for detail in details if detail)])


@dataclass(frozen=True)
class PlannedCell:
    """A cell of a table, and the job that fills it.

    Args:
        table: The name of our table, as ``real``.
        row: The row as in the published table.
        column: The column of the table: a dataset, or a size.
        job: The job that gives the result.
        why_omitted: Why the job is not run; empty where it is.
    """

    table: str
    row: str
    column: str
    job: Job
    why_omitted: str = ""
