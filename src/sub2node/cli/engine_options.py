"""Options about where the graph is held: in memory, or on disk behind an engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .help_text import ON_DISK

EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        help="memory; duckdb or spark for a graph that stays on disk: a folder of tables (Parquet,"
        " CSV, a zip archive), also at an address (https, s3, gs), of which only what the subgraphs"
        " need is loaded.",
        rich_help_panel=ON_DISK,
    ),
]
EngineMemory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        help="How much memory the engine may use, as 8GB.",
        rich_help_panel=ON_DISK,
    ),
]
SpillFolder = Annotated[
    Path | None,
    typer.Option(
        "--spill",
        help="Where duckdb puts what does not fit into memory.",
        rich_help_panel=ON_DISK,
    ),
]
SparkMaster = Annotated[
    str | None,
    typer.Option("--master", help="Spark's master, as 'local[2]'.", rich_help_panel=ON_DISK),
]
BorderHops = Annotated[
    int,
    typer.Option(
        "--border-hops",
        help="With an engine: how far summaries of what lies around subgraphs reach, 1 or 2.",
        rich_help_panel=ON_DISK,
    ),
]
