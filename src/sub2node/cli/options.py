"""Options that several commands share, each declared once with one help text."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from ..base.errors import ConfigError

_SEEDS = "Number of seeds, one replica per seed (s2n run: 10, or 1 with --splits; s2n fit: 5)."
_PRESET = "default, fast, paper, tuned, paper:NAME, or a TOML file of your own."
_STRUCTURES = "separated, connected, s2n+0, s2n+a, cos2n+0, cos2n+a"
_READING = "How DATA is read"

# Data, and how it is read.
Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A folder, a file of subgraphs, a benchmark's name, generate:NAME or like:NAME.",
        show_default=False,
    ),
]
GraphFile = Annotated[
    Path | None,
    typer.Option(
        "--graph", help="Edges, where DATA is a file of subgraphs only.", rich_help_panel=_READING
    ),
]
LabelsFile = Annotated[
    Path | None,
    typer.Option(
        "--labels", help="Labels, where DATA is a file of subgraphs.", rich_help_panel=_READING
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        help="Your column for ours, as source=from_account; repeatable.",
        rich_help_panel=_READING,
    ),
]
UnknownNodes = Annotated[
    str,
    typer.Option(
        "--unknown-nodes",
        help="Members not in the graph: error, drop or ignore-subgraph.",
        rich_help_panel=_READING,
    ),
]
Repeated = Annotated[
    str,
    typer.Option(
        "--repeated",
        help="Weight of an edge given again: same, sum or max.",
        rich_help_panel=_READING,
    ),
]
Variant = Annotated[
    str | None,
    typer.Option(
        "--variant",
        help="Another split, as split1 for subgraphs.split1.pth.",
        rich_help_panel=_READING,
    ),
]
Swap = Annotated[
    bool | None,
    typer.Option(
        "--swap/--no-swap",
        help="Exchange val and test if val is smaller. Default: only for ppi_bp.",
        show_default=False,
        rich_help_panel=_READING,
    ),
]

# The model and its settings.
Structure = Annotated[
    str | None,
    typer.Option("--structure", help=f"{_STRUCTURES}; in s2n fit also auto.", show_default="s2n+a"),
]
SeveralStructures = Annotated[
    list[str] | None,
    typer.Option(
        "--structure", help=f"{_STRUCTURES}; repeatable, to compare.", show_default="all six"
    ),
]
Conv = Annotated[
    str | None,
    typer.Option(
        "--conv",
        help="gcn, gcn2, gin, gatv2, sage, or module:Class of another.",
        show_default="gcn2",
    ),
]
Preset = Annotated[str, typer.Option("--preset", help=_PRESET)]
PresetOfShape = Annotated[
    str | None,
    typer.Option("--preset", help=_PRESET, show_default="paper:NAME for like:NAME, else default"),
]
ChangedSettings = Annotated[
    list[str] | None,
    typer.Option("--set", help="Replace a setting, as in lr=0.01; repeatable."),
]
Features = Annotated[
    str | None,
    typer.Option(
        "--features",
        help="What nodes enter with: random, constant, given, link, svd, or FILE[:TABLE].",
        show_default="chosen on validation",
    ),
]
NodeEncoding = Annotated[
    str | None,
    typer.Option("--encoding", help="Joins them: rwpe, lappe, structure, or FILE[:TABLE]."),
]
SubgraphInputs = Annotated[
    str | None,
    typer.Option("--inputs", help="Of subgraphs besides their nodes: structure or wl."),
]
Coarsen = Annotated[
    str | None,
    typer.Option(
        "--coarsen",
        help="For cos2n+0 and cos2n+a: METHOD:RATIO of the virtual subgraphs.",
        show_default="variation_edges:0.5",
    ),
]
Seeds = Annotated[int, typer.Option("--seeds", help=_SEEDS)]
OptionalSeeds = Annotated[int | None, typer.Option("--seeds", help=_SEEDS, show_default="10")]


def read_threshold(value: str) -> str:
    """``half`` or ``val``; ``zero``, the logit of one half, is the former word for ``half``."""
    if value not in ("half", "zero", "val"):
        raise ConfigError(f"a threshold is 'half' or 'val', not {value!r}.")
    return "half" if value == "zero" else value


Threshold = Annotated[
    str,
    typer.Option(
        "--threshold",
        help="For several labels: probability one half, or the best on val.",
        metavar="half|val",
        callback=read_threshold,
    ),
]

# The machine.
Device = Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")]
Compile = Annotated[
    str,
    typer.Option("--compile", help="auto: kernels and CUDA graphs on a GPU; off: plain PyTorch."),
]
Shard = Annotated[
    str,
    typer.Option(
        "--shard",
        help="Do a share, as 3/12 for the third of twelve processes on one folder; a run without"
        " it then measures times and writes the report.",
        show_default=False,
    ),
]

# The output.
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")]
Resume = Annotated[
    bool, typer.Option("--resume", help="Continue what was interrupted or killed in this folder.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
DataName = Annotated[
    str,
    typer.Option(
        "--name",
        metavar="NAME",
        help="What to call the data, as 'Rare diseases'.",
        show_default="its own name, often that of a folder",
    ),
]


def out_option(help: str, *, show_default: bool | str = True) -> Any:
    """``-o``: what a command writes there differs, how it is spelled does not."""
    return typer.Option("-o", "--out", help=help, show_default=show_default)


def read_minutes(value: float) -> float:
    """A time limit above 0."""
    if not 0 < value < math.inf:
        raise ConfigError(f"a time limit is a number of minutes above 0, found {value:g}.")
    return value


def minutes_option(help: str) -> Any:
    """A time limit: always in minutes, whatever has to end by then."""
    return typer.Option("--minutes", help=help, callback=read_minutes)


def is_given(context: typer.Context, name: str) -> bool:
    """Whether an option was given, rather than left at its default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
