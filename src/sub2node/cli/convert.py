"""``s2n convert``: a task from any format to any other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ..base.plural import plural
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
    """Convert data to another format; Parquet reads back identical.

    Examples:
        s2n convert sets.gmt my-folder --graph edges.tsv --labels labels.csv
        s2n convert my-folder my-tables --to csv

    What a format cannot hold is refused, not lost.
    """
    from ..io import check_target, save_task

    check_target(out, to, overwrite=overwrite)
    task = source.load(quiet=True)
    with progress(), activity(f"Writing {out}"):
        save_task(task, out, format=to, overwrite=overwrite)  # type: ignore[arg-type]
    show_notes(task.notes)
    message = Text(f"Wrote {plural(len(task), 'subgraph')} to {out} ({to}).")
    console.print(message, highlight=False, soft_wrap=True)
