"""``s2n convert``: a task from any format to any other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ..base.progress import activity
from .data_arguments import DataArguments, reads_data
from .options import Overwrite
from .output import console, progress, show_notes


@reads_data
def convert(
    source: DataArguments,
    *,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write.")],
    to: Annotated[
        str, typer.Option("--to", help="parquet, csv, tsv, jsonl, gmt or subgnn.")
    ] = "parquet",
    overwrite: Overwrite = False,
) -> None:
    """Read a task and write it as a folder; Parquet reads back identical.

    Example: s2n convert sets.gmt my-task --graph edges.tsv --labels labels.csv
    """
    from ..io import check_target, save_task

    check_target(out, to, overwrite=overwrite)
    task = source.load(quiet=True)
    with progress(), activity(f"Writing {out}"):
        save_task(task, out, format=to, overwrite=overwrite)  # type: ignore[arg-type]
    show_notes(task.notes)
    message = Text(f"Wrote {len(task):,} subgraphs to {out} ({to}).")
    console.print(message, highlight=False, soft_wrap=True)
