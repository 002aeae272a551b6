"""``s2n convert``: a task from any format to any other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from .output import console, progress, say
from .reading import Reading, reads_data


@reads_data
def convert(
    reading: Reading,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write.")],
    to: Annotated[
        str, typer.Option("--to", help="parquet, csv, tsv, jsonl, gmt or subgnn.")
    ] = "parquet",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace OUT.")] = False,
) -> None:
    """Read a task and write it as a folder; Parquet reads back identical.

    Example: s2n convert sets.gmt out --graph edges.tsv --labels labels.csv
    """
    from ..io import check_target, save_task

    check_target(out, to, overwrite=overwrite)
    task = reading.load()
    with progress():
        save_task(task, out, format=to, overwrite=overwrite)  # type: ignore[arg-type]
    for note in task.notes:
        say("Note", note, style="dim")
    wrote = Text(f"Wrote {len(task):,} subgraphs to {out} ({to}).")
    console.print(wrote, highlight=False, soft_wrap=True)
