"""What there is to do: jobs, the places in tables where their results stand, and the plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

What = Literal["train", "scarce", "speed", "statistics", "compression", "theory"]
QUICK_SEEDS, QUICK_EPOCHS = 2, 20


@dataclass(frozen=True)
class Plan:
    """How everything is run.

    Args:
        seeds: One a run.
        quick: Fewer seeds, epochs and cells: to see that all works, not for results.
        device: ``auto``, ``cpu`` or ``cuda``.
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
    """One thing to run; the same one may stand at several places.

    Args:
        what: ``train`` (one ``assess`` over all seeds), ``scarce`` (the same on a few training
            subgraphs of each class), ``speed``, ``statistics``, ``compression`` or ``theory``.
        column: The dataset of the paper.
        model: A baseline's name, empty for a structure; of ``theory`` the claim.
        structure: One of the six.
        conv: The convolution by name.
        encoding: ``none``, ``rwpe`` or ``lappe``; empty: as the settings have it.
        changes: Settings that differ from those of the preset.
        coarsen: Method and ratio of CoS2N.
        n: Training subgraphs of each class; 0: all.
    """

    what: What
    column: str
    model: str = ""
    structure: str = ""
    conv: str = ""
    encoding: str = "none"
    changes: tuple[tuple[str, Any], ...] = ()
    coarsen: str = ""
    n: int = 0

    @property
    def words(self) -> str:
        """For progress and messages."""
        name = self.model or f"{self.structure} {self.conv}".strip() or self.what
        more = [
            "" if self.what in ("train", name) else self.what,
            "" if self.encoding == "none" else self.encoding,
            *(f"{key.rpartition('.')[2]} {value}" for key, value in self.changes),
            self.coarsen,
            f"{self.n} of each class" if self.n else "",
        ]
        return " · ".join([f"{self.column}: {name}", *(word for word in more if word)])


@dataclass(frozen=True)
class Place:
    """Where a result stands.

    Args:
        table: Of ours, as ``real``.
        row: As in the published table.
        column: Of the table: a dataset, or a size.
        job: What gives the result.
        left: Why it is not run, where that is so.
    """

    table: str
    row: str
    column: str
    job: Job
    left: str = ""
