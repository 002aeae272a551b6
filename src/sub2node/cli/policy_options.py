"""Options that say what to do about data that is not as it should be."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .help_text import READING, UNUSUAL

Unlabelled = Annotated[
    str,
    typer.Option(
        "--unlabelled",
        help="Subgraphs without a label where others have one: keep (apart; s2n predict MODEL DATA"
        " answers for them) or drop.",
        rich_help_panel=READING,
    ),
]
LabelCase = Annotated[
    str,
    typer.Option(
        "--label-case",
        help="Labels of three letters and more that differ in case only, as Fraud and fraud: merge"
        " (one class) or keep.",
        rich_help_panel=READING,
    ),
]
LabelSeparator = Annotated[
    str | None,
    typer.Option(
        "--label-separator",
        metavar="TEXT",
        help="What separates several labels in one value, as '|'.",
        show_default=False,
        rich_help_panel=READING,
    ),
]
NodeSeparator = Annotated[
    str | None,
    typer.Option(
        "--node-separator",
        metavar="TEXT",
        help="What separates several nodes in one value of a table of members, as ';'.",
        show_default=False,
        rich_help_panel=UNUSUAL,
    ),
]
NaWords = Annotated[
    str | None,
    typer.Option(
        "--na-words",
        metavar="WORDS",
        help="Words for a missing value beside NA, nan, NULL and None, as -,unknown: in labels,"
        " ids, features, weights and attributes.",
        show_default=False,
        rich_help_panel=UNUSUAL,
    ),
]
MissingFeatures = Annotated[
    str,
    typer.Option(
        "--missing-features",
        help="Numbers of nodes that are missing, or no numbers: error, or impute (the median, and a"
        " column that says where).",
        rich_help_panel=UNUSUAL,
    ),
]
BadWeights = Annotated[
    str,
    typer.Option(
        "--bad-weights",
        help="Weights that are missing, 0 or below: error, drop (their rows) or one.",
        rich_help_panel=UNUSUAL,
    ),
]
BadRows = Annotated[
    str,
    typer.Option(
        "--bad-rows",
        help="Rows of no use: error or drop. Lines of another length, rows without an id, empty"
        " subgraphs, ids or labels given again (the first counts), labels without members.",
        rich_help_panel=UNUSUAL,
    ),
]
ProblemFile = Annotated[
    Path | None,
    typer.Option(
        "--problems",
        metavar="FILE",
        help="Write every row that something is wrong with: .csv, .tsv, .jsonl or .parquet.",
        rich_help_panel=UNUSUAL,
    ),
]
