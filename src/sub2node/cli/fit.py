"""``s2n fit``: train a model that answers for new subgraphs, and keep it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigError
from ..base.progress import activity
from ..base.records import JsonObject
from .data_arguments import DataArguments, reads_data
from .feature_arguments import FeatureArguments
from .help_text import MODEL, OUTPUT
from .options import (
    AsJson,
    ChangedSettings,
    Coarsen,
    Compile,
    Conv,
    Device,
    Features,
    NodeEncoding,
    Overwrite,
    Preset,
    Seeds,
    Structure,
    SubgraphInputs,
    Threshold,
    minutes_option,
    out_option,
)
from .output import console, print_json, progress, say, show_notes, table

if TYPE_CHECKING:
    from rich.table import Table

    from ..estimator import SubgraphClassifier


@reads_data
def fit(
    source: DataArguments,
    *,
    out: Annotated[Path, out_option("Folder to write the model to.", show_default=False)],
    structure: Structure = None,
    conv: Conv = None,
    preset: Preset = "default",
    seeds: Seeds = 5,
    features: Features = None,
    encoding: NodeEncoding = None,
    inputs: SubgraphInputs = None,
    settings: ChangedSettings = None,
    coarsen: Coarsen = None,
    minutes: Annotated[
        float, minutes_option("How long --structure auto may take to choose.")
    ] = 2.0,
    balanced: Annotated[
        bool,
        typer.Option(
            "--balanced",
            help="Let rare classes count as much as frequent ones.",
            rich_help_panel=MODEL,
        ),
    ] = False,
    threshold: Threshold = "half",
    by_reference: Annotated[
        bool,
        typer.Option(
            "--by-reference",
            help="Store where DATA's graph lies instead of a copy of it.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    device: Device = "auto",
    compiled: Compile = "auto",
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Train a model that answers for new subgraphs, and save it.

    Examples:
        s2n fit my-folder -o my-model
        s2n fit sets.gmt --graph edges.tsv --labels labels.csv -o my-model

    Trains on train and chooses on val. The networks of the seeds are averaged. With --structure
    auto, structure and convolution are chosen on validation. Data without a split gets a random one
    for validation. A test part is read once, at the end.
    """
    from ..estimator import SubgraphClassifier
    from ..scoring.artefact import check_place

    check_place(out, overwrite=overwrite)
    feature_arguments = FeatureArguments(features, encoding, inputs)
    changes = feature_arguments.with_settings(settings or [], coarsen)
    if conv is not None and ":" in conv:
        raise ConfigError(
            "a model with a convolution of your own is made and loaded in Python, where its class"
            " is at hand: SubgraphClassifier(conv=…)."
        )
    if by_reference:
        _check_reference(source, feature_arguments)
    task = feature_arguments.read(source.load(), all_nodes=True)
    model = SubgraphClassifier(
        structure,
        conv,
        seeds=seeds,
        preset=preset,
        settings=changes,
        coarsen=coarsen,
        encodings=feature_arguments.encodings,
        budget=60 * minutes,
        threshold=threshold,
        device=device,
        compile=compiled,
        class_weight="balanced" if balanced else None,
    )
    start = time.perf_counter()
    with progress():
        model.fit(task)
        seconds = time.perf_counter() - start
        with activity(f"Writing {out}"):
            model.save(out, graph=source.data if by_reference else None, overwrite=overwrite)
    if as_json:
        print_json({**model.scorer_.card, "seconds": seconds, "path": str(out)})
    else:
        _show_model(model, seconds, out=out, shown=task.notes)


def _check_reference(source: DataArguments, features: FeatureArguments) -> None:
    """Raise unless DATA alone gives the graph of the model again."""
    if source.data.startswith(("generate:", "like:")):
        raise ConfigError("--by-reference is for data that lies somewhere; omit it.")
    if not source.is_plain:
        raise ConfigError("--by-reference is for data that DATA alone names; omit the others.")
    if "features" in features.file_options:
        raise ConfigError(
            "--by-reference is for the graph as DATA has it, not for one with the vectors of"
            " --features; omit --by-reference."
        )


def _choices_table(rows: list[JsonObject]) -> Table:
    """What ``auto`` tried."""
    from ..scoring.choices import describe_choice

    headers = ("Structure", "Convolution", "Validation", "s", "")
    view = table("Tried on validation: micro-F1, two seeds each", *headers)
    for column in view.columns:
        column.justify = "right" if column.header in ("Validation", "s") else "left"
    for row in rows:
        view.add_row(row["structure"], row["conv"], *describe_choice(row))
    return view


def _show_model(
    model: SubgraphClassifier, seconds: float, *, out: Path, shown: Iterable[str]
) -> None:
    from ..base.metrics import METRIC_LABELS

    card: JsonObject = model.scorer_.card
    if model.choices_:
        console.print(_choices_table(model.choices_))
    parts = {"validation": "Validation"} | ({"test": "Test"} if model.test_ else {})
    name = card["data"]["name"] or "this task"
    view = table(f"{card['model']} on {name}", "", *parts.values())
    for metric, label in METRIC_LABELS.items():
        view.add_row(label, *(f"{100 * card[part][metric]:.1f}" for part in parts))
    view.add_row("Log loss", *(f"{card[part]['log_loss']:.3f}" for part in parts))
    view.add_row("Subgraphs", *(f"{card[part]['subgraphs']:,}" for part in parts))
    console.print(view)
    by_class = card[f"{list(parts)[-1]}_by_class"]
    if len(by_class) <= 12:
        text = ", ".join(f"{c} {100 * scores['f1']:.1f}" for c, scores in by_class.items())
        say(f"{list(parts.values())[-1]} F1 by class", text, style="bold")
    seeds = len(model.scorer_.seeds)
    text = f"{seeds}, averaged" if seeds > 1 else "1: answers have no spread"
    say("Seeds", text, style="bold")
    say("Time", f"{seconds:.1f} s", style="bold")
    show_notes(model.notes_, except_for=shown)
    say("Model", str(out), style="bold")
    say("Next", f"s2n predict {out} FILE -o answers.csv, or s2n serve {out}", style="dim")
