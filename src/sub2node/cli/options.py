"""Options that several commands share, each declared once with one help text."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from ..base.errors import ConfigError
from ..base.threshold import read_threshold
from .help_text import EVALUATION, MACHINE, MODEL, OUTPUT, READING, UNUSUAL

_SEEDS = "Trainings, each with its own seed (s2n run: 10, or 1 with --splits; s2n fit: 5)."
_PRESET = "A set of settings: default, fast, paper, tuned, paper:NAME, or a TOML file."
_STRUCTURES = "separated, connected, s2n+0, s2n+a, cos2n+0, cos2n+a"

# Data, and how it is read.
Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="Your data: a folder of tables, or a file of subgraphs with --graph. Or the name of a"
        " benchmark, generate:NAME or like:NAME (s2n datasets lists them).",
        show_default=False,
    ),
]
GraphFile = Annotated[
    Path | None,
    typer.Option(
        "--graph",
        metavar="FILE",
        help="The edges of the graph, where DATA is a file of subgraphs.",
        rich_help_panel=READING,
    ),
]
LabelsFile = Annotated[
    Path | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="The labels, where DATA is a file of subgraphs without them.",
        rich_help_panel=READING,
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="OURS=YOURS",
        help="What you call one of our columns, as source=from_account, or in one table, as"
        " labels.title=disease; repeatable.",
        rich_help_panel=READING,
    ),
]
UnknownNodes = Annotated[
    str,
    typer.Option(
        "--unknown-nodes",
        help="Members that are not in the graph: error, drop (these members) or ignore-subgraph.",
        rich_help_panel=READING,
    ),
]
Repeated = Annotated[
    str,
    typer.Option(
        "--repeated",
        help="Weight of an edge that is given again: same (they must agree), sum or max.",
        rich_help_panel=UNUSUAL,
    ),
]
NaLabels = Annotated[
    str,
    typer.Option(
        "--na-labels",
        help="Labels that read NA, nan, NULL or None: missing, or keep (as a class).",
        rich_help_panel=UNUSUAL,
    ),
]
AliasFile = Annotated[
    Path | None,
    typer.Option(
        "--aliases",
        metavar="FILE",
        help="Other names of nodes: a table alias, node_id[, kind], STRING's aliases, an ontology.",
        rich_help_panel=READING,
    ),
]
MinScore = Annotated[
    float | None,
    typer.Option(
        "--min-score",
        metavar="SCORE",
        help="Omit links of STRING of a lower combined score, as 700.",
        rich_help_panel=UNUSUAL,
    ),
]
ScoreWeights = Annotated[
    bool,
    typer.Option(
        "--score-weights",
        help="Weigh links of STRING by their combined score.",
        rich_help_panel=UNUSUAL,
    ),
]
Variant = Annotated[
    str | None,
    typer.Option(
        "--variant",
        help="Another split of a benchmark, as split1 for subgraphs.split1.pth.",
        rich_help_panel=UNUSUAL,
    ),
]
Swap = Annotated[
    bool | None,
    typer.Option(
        "--swap/--no-swap",
        help="Exchange val and test if val is smaller. Default: only for ppi_bp.",
        show_default=False,
        rich_help_panel=UNUSUAL,
    ),
]
SplitBy = Annotated[
    str | None,
    typer.Option(
        "--split-by",
        metavar="COLUMN",
        help="Split at random so that subgraphs of one value of this column of the labels table, as"
        " publication, stay in one part.",
        rich_help_panel=READING,
    ),
]
SplitTime = Annotated[
    str | None,
    typer.Option(
        "--split-time",
        metavar="COLUMN",
        help="Split by this column of the labels table, dates or numbers: the earliest are train,"
        " the latest test.",
        rich_help_panel=READING,
    ),
]
SplitShares = Annotated[
    str | None,
    typer.Option(
        "--split",
        metavar="SHARES",
        help="Split anew, with these shares of train, val and test.",
        show_default="0.8,0.1,0.1 with --split-by or --split-time",
        rich_help_panel=READING,
    ),
]
MaxExpansion = Annotated[
    float | None,
    typer.Option(
        "--max-expansion",
        metavar="TIMES",
        help="How many times their size compressed files may expand to; 1 GiB always.",
        show_default="200",
        rich_help_panel=UNUSUAL,
    ),
]

# The model and its settings.
Structure = Annotated[
    str | None,
    typer.Option(
        "--structure",
        help=f"How subgraphs are presented to the network: {_STRUCTURES}; in s2n fit also auto.",
        show_default="s2n+a",
        rich_help_panel=MODEL,
    ),
]
SeveralStructures = Annotated[
    list[str] | None,
    typer.Option(
        "--structure",
        help=f"{_STRUCTURES}; repeatable, to compare.",
        show_default="all six",
        rich_help_panel=MODEL,
    ),
]
Conv = Annotated[
    str | None,
    typer.Option(
        "--conv",
        help="Graph convolution: gcn, gcn2, gin, gatv2, sage, fagcn, or module:Class of your own.",
        show_default="gcn2",
        rich_help_panel=MODEL,
    ),
]
Preset = Annotated[str, typer.Option("--preset", help=_PRESET, rich_help_panel=MODEL)]
PresetOfShape = Annotated[
    str | None,
    typer.Option(
        "--preset",
        help=_PRESET,
        show_default="paper:NAME for like:NAME, else default",
        rich_help_panel=MODEL,
    ),
]
ChangedSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Change one setting, as in lr=0.01; repeatable.",
        rich_help_panel=MODEL,
    ),
]
Features = Annotated[
    str | None,
    typer.Option(
        "--features",
        help="Node features: random, constant, given (columns of your nodes table), link or svd"
        " (learned from the graph), or FILE[:TABLE].",
        show_default="chosen on validation",
        rich_help_panel=MODEL,
    ),
]
NodeEncoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        help="Columns beside the features: rwpe, lappe, structure, or FILE[:TABLE].",
        rich_help_panel=MODEL,
    ),
]
SubgraphInputs = Annotated[
    str | None,
    typer.Option(
        "--inputs",
        help="Features of whole subgraphs: structure (statistics), wl (Weisfeiler-Leman), border"
        " (their neighbours and edges) or border2 (two hops).",
        rich_help_panel=MODEL,
    ),
]
Coarsen = Annotated[
    str | None,
    typer.Option(
        "--coarsen",
        metavar="METHOD:RATIO",
        help="For cos2n+0 and cos2n+a: how virtual subgraphs are made.",
        show_default="variation_edges:0.5",
        rich_help_panel=MODEL,
    ),
]
Seeds = Annotated[int, typer.Option("--seeds", help=_SEEDS, rich_help_panel=EVALUATION)]
OptionalSeeds = Annotated[
    int | None, typer.Option("--seeds", help=_SEEDS, show_default="10", rich_help_panel=EVALUATION)
]


Threshold = Annotated[
    str,
    typer.Option(
        "--threshold",
        help="Where subgraphs may have several labels, predict those above probability one half, or"
        " above the best threshold on val.",
        metavar="half|val",
        callback=read_threshold,
        rich_help_panel=EVALUATION,
    ),
]

Positive = Annotated[
    str | None,
    typer.Option(
        "--positive",
        metavar="CLASS",
        help="The class that matters, as fraud, of data with one label per subgraph: s2n run and"
        " s2n fit score its ranking and choose a threshold on validation, s2n predict ranks answers"
        " by it and marks alerts (by default for the class of s2n fit).",
        rich_help_panel=EVALUATION,
    ),
]

Groups = Annotated[
    str | None,
    typer.Option(
        "--groups",
        metavar="COLUMN",
        help="Subgraphs of one value of this column of the labels table, as publication, belong"
        " together: --model best has none on both sides of a border between folds, nor s2n tune in"
        " splits of train and val; s2n audit checks that no value is in two parts.",
        rich_help_panel=EVALUATION,
    ),
]

# The machine.
Device = Annotated[
    str,
    typer.Option("--device", help="Where to compute: auto, cpu or cuda.", rich_help_panel=MACHINE),
]
Compile = Annotated[
    str,
    typer.Option(
        "--compile",
        help="auto: own kernels and CUDA graphs on a GPU; off: plain PyTorch.",
        rich_help_panel=MACHINE,
    ),
]
Shard = Annotated[
    str,
    typer.Option(
        "--shard",
        help="Do a share, as 3/12 for the third of twelve processes on one folder; a run without"
        " it then measures times and writes the report.",
        show_default=False,
        rich_help_panel=MACHINE,
    ),
]

# The output.
Overwrite = Annotated[
    bool,
    typer.Option("--overwrite", help="Replace the output if it exists.", rich_help_panel=OUTPUT),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Continue what was interrupted or killed in this folder.",
        rich_help_panel=OUTPUT,
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON for programs.", rich_help_panel=OUTPUT)
]
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
    return typer.Option("-o", "--out", help=help, show_default=show_default, rich_help_panel=OUTPUT)


def read_minutes(value: float | None) -> float | None:
    """A time limit above 0; None: not given."""
    if value is not None and not 0 < value < math.inf:
        raise ConfigError(f"a time limit is a number of minutes above 0, found {value:g}.")
    return value


def minutes_option(help: str) -> Any:
    """A time limit: always in minutes, whatever has to end by then."""
    return typer.Option("--minutes", help=help, callback=read_minutes, rich_help_panel=EVALUATION)


def parse_shares(text: str, option: str) -> tuple[float, float, float]:
    """``50/25/25`` or ``0.5,0.25,0.25`` as shares of one.

    Args:
        text: The value.
        option: The option that it is of, for messages.
    """
    try:
        train, val, test = (float(number) for number in text.replace(",", "/").split("/"))
    except ValueError:
        raise ConfigError(f"{option} is written as 50/25/25, found {text!r}.") from None
    total = train + val + test
    if not (min(train, val, test) > 0 and total < 1e9):
        raise ConfigError(f"each of the {option} is above 0, found {text!r}.")
    return train / total, val / total, test / total


def is_given(context: typer.Context, name: str) -> bool:
    """Whether an option was given, rather than left at its default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
