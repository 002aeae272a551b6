"""Options of every command that reads data: its format, and what of it counts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .help_text import READING, UNUSUAL

DataFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="The format of the subgraphs, where it is not recognised: tables, subgnn, elliptic2,"
        " ibm-aml, phenopackets, gmt, gmx or jsonl.",
        show_default="recognised",
        rich_help_panel=READING,
    ),
]
GraphFormat = Annotated[
    str | None,
    typer.Option(
        "--graph-format",
        metavar="NAME",
        help="The format of --graph, where it is not recognised: obo, string, biogrid or ibm-aml.",
        show_default="recognised",
        rich_help_panel=UNUSUAL,
    ),
]
Directed = Annotated[
    bool,
    typer.Option(
        "--directed",
        help="Edges go from source to target: each row is kept, its columns of numbers are features"
        " of the edge, and --inputs border tells senders from receivers.",
        rich_help_panel=READING,
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="Text tables of edges, members and labels have no header line, unless it names a"
        " column of ours. Most such edges and members are recognised without.",
        rich_help_panel=UNUSUAL,
    ),
]
NodeFeatures = Annotated[
    str | None,
    typer.Option(
        "--node-features",
        metavar="COLUMNS",
        help="Columns of the table of nodes that become features, as age,country; none: no column."
        " Text becomes one feature per category.",
        show_default="all with numbers",
        rich_help_panel=READING,
    ),
]
BackgroundFile = Annotated[
    Path | None,
    typer.Option(
        "--background",
        metavar="FILE",
        help="The universe of a study, one id per line: other nodes are omitted, and such members"
        " are unknown.",
        rich_help_panel=UNUSUAL,
    ),
]
