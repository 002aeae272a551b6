"""A task whose graph stays on disk: made once from its tables, and then read like any other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..base.addresses import is_address
from ..base.byte_sizes import parse_memory
from ..base.errors import ConfigError, suggest
from ..base.notes import Note, NoteKind
from ..disk import (
    EngineOptions,
    RemoteSource,
    SourceRequest,
    make_part_folder,
    remove_unfinished,
)
from ..disk.part_folder import ENGINES
from ..io import read_task
from ..io.encodings import says_encodings
from ..io.folder import CARD
from ..task import SubgraphTask
from ..task.reading_options import Reading
from .registry import cache_folder


@dataclass(frozen=True)
class EngineRequest:
    """Where the graph of a task is held.

    Args:
        engine: ``memory``; ``duckdb`` or ``spark`` where it stays on disk.
        memory: How much memory DuckDB may use, as "8GB".
        master: Spark's master.
        spill: Where DuckDB puts what does not fit.
        border_hops: How far the summaries of what lies around subgraphs reach, 1 or 2.
    """

    engine: str = "memory"
    memory: str | int | None = None
    master: str | None = None
    spill: str | Path | None = None
    border_hops: int = 1

    @property
    def on_disk(self) -> bool:
        """Whether the graph stays on disk; raises for options that do not fit each other."""
        if self.engine not in ("memory", *ENGINES):
            known = ("memory", *ENGINES)
            raise ConfigError(f"there is no engine {self.engine!r}.{suggest(self.engine, known)}")
        others = {
            "memory": self.memory,
            "master": self.master,
            "spill": self.spill,
            "border_hops": None if self.border_hops == 1 else self.border_hops,
        }
        given = [name for name, value in others.items() if value is not None]
        if self.engine == "memory" and given:
            option = f"--{given[0].replace('_', '-')}"
            raise ConfigError(f"{given[0]} ({option}) goes with engine='duckdb' or 'spark'.")
        return self.engine != "memory"

    def options(self) -> EngineOptions:
        """As the engine wants them."""
        spill = None if self.spill is None else Path(self.spill)
        if spill is not None and not spill.is_dir():
            raise ConfigError(f"there is no folder {spill} to spill into.")
        return EngineOptions(self.engine, parse_memory(self.memory), self.master, spill)


@says_encodings
def load_on_disk(
    source: str,
    request: EngineRequest,
    *,
    reading: Reading,
    columns: Mapping[str, str] | None,
    node_features: Any,
    others: Mapping[str, object],
) -> SubgraphTask:
    """The task of tables whose graph stays on disk; what it needs of it is made where it lacks.

    Args:
        source: A folder of tables or of Elliptic2's files, or a zip archive of one, or the address
            of such.
        request: The engine.
        reading: What to do about problems.
        columns: The user's column for ours.
        node_features: The columns of the nodes that become features.
        others: Further arguments of :func:`sub2node.load_task`, which an engine does not know.
    """
    if given := [name for name, value in others.items() if value not in (None, False)]:
        raise ConfigError(
            f"the engine {request.engine} reads a folder of tables; omit {given[0]}, or load the"
            " data once and keep them with s2n convert."
        )
    if reading.options.missing_features != "error":
        raise ConfigError(
            f"the engine {request.engine} fills no missing features; fill them in the table, and"
            " omit missing_features (--missing-features)."
        )
    if reading.options.no_header:
        raise ConfigError(f"the engine {request.engine} wants headers; omit no_header.")
    if reading.options.node_separator is not None:
        raise ConfigError(
            f"the engine {request.engine} wants a row for each member; omit node_separator."
        )
    remote = RemoteSource.at(source) if is_address(source) else None
    path = Path(source if remote is None else remote.name)
    wanted = SourceRequest(path, columns or {}, node_features, reading.options.directed, remote)
    out = on_disk_folder(wanted, request, reading)
    if (out / CARD).is_file():
        remove_unfinished(out)
    else:
        make_part_folder(
            wanted, out, options=request.options(), reading=reading, hops=request.border_hops
        )
    task = read_task(out)
    where = f"the graph stays on disk; what is needed of it lies in {out}."
    known = dict.fromkeys(task.notes)  # those of the pass, and of reading what it made
    notes = (*known, Note(NoteKind.SOURCE, where))
    return replace(task, name=wanted.path.name.removesuffix(".zip"), notes=notes)


def on_disk_folder(wanted: SourceRequest, request: EngineRequest, reading: Reading) -> Path:
    """Where the part of some tables is kept, by their content and all that was asked for.

    The content is known by sizes, times of change and the first and last MiB of each file: a change
    in the middle that keeps size and time is not seen.
    """
    from ..task.content_hash import digest

    key = digest("on disk", wanted.fingerprint(), request.border_hops, repr(reading.options))
    name = wanted.path.resolve().name.removesuffix(".zip")
    return on_disk_folders() / f"{name[:60]}-{key[:16]}"


def on_disk_folders() -> Path:
    """Where the parts of all tables are kept."""
    return cache_folder() / "on-disk"
