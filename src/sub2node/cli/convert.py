"""``s2n convert``: a task from any format to any other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from .output import (
    Columns,
    Data,
    GraphFile,
    LabelFile,
    Repeated,
    Swap,
    UnknownNodesOption,
    Variant,
    console,
    load,
    progress,
    say,
)


def convert(
    data: Data,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write.")],
    to: Annotated[
        str, typer.Option("--to", help="parquet, csv, tsv, jsonl, gmt or subgnn.")
    ] = "parquet",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace OUT.")] = False,
    graph: GraphFile = None,
    labels: LabelFile = None,
    column: Columns = None,
    unknown_nodes: UnknownNodesOption = "error",
    repeated: Repeated = "same",
    variant: Variant = None,
    swap: Swap = None,
) -> None:
    """Read a task and write it as a folder; Parquet reads back identical.

    Example: s2n convert sets.gmt out --graph edges.tsv --labels labels.csv
    """
    from ..io import check_target, save_task

    check_target(out, to, overwrite=overwrite)
    task = load(
        data,
        graph=graph,
        labels=labels,
        column=column,
        unknown_nodes=unknown_nodes,
        repeated=repeated,
        variant=variant,
        swap=swap,
    )
    with progress():
        save_task(task, out, format=to, overwrite=overwrite)  # type: ignore[arg-type]
    for note in task.notes:
        say("Note", note, style="dim")
    wrote = Text(f"Wrote {len(task):,} subgraphs to {out} ({to}).")
    console.print(wrote, highlight=False, soft_wrap=True)
