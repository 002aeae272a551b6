"""``s2n bench``: how fast models are and what memory they take, side by side."""

from __future__ import annotations

import csv
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigError
from ..base.plural import plural
from ..report.number_format import short
from .former_spellings import CommandGroup, command_class
from .options import (
    AsJson,
    Compile,
    Device,
    Overwrite,
    PresetOfShape,
    Seeds,
    minutes_option,
    out_option,
)
from .output import console, errors, print_json, progress, say, table, warn

if TYPE_CHECKING:
    from rich.table import Table

    from ..efficiency.efficiency_table import EfficiencyRow, EfficiencyTable
    from ..efficiency.measure import Timing

_DATA = ("like:ppi_bp", "like:hpo_neuro", "like:hpo_metab", "like:em_user")
_OWN_FILES = r"efficiency\.(csv|png|svg|html)|result\.json"  # html: the figure of version 0.1
_INTERRUPTED = "interrupted: some models are missing."

app = typer.Typer(
    help="Measure speed and memory of models, side by side in one run.\n\nExamples:\n"
    "  s2n bench efficiency my-folder --model gcn2 --model glass -o speed\n\n"
    "s2n bench efficiency --help explains a command.",
    cls=CommandGroup,
    no_args_is_help=True,
)


@app.callback()
def _top() -> None:
    """A callback makes the name of the benchmark a word of its own."""


@app.command("efficiency", cls=command_class("s2n bench efficiency"))
def efficiency(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DATA",
            help="Your folders, or names of benchmarks, generate:NAME, like:NAME.",
            show_default="the four published shapes, like:ppi_bp …",
        ),
    ] = None,
    *,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="A structure, a convolution, both as s2n+a:gcn2, or a network as glass;"
            " repeatable.",
            show_default="all that have settings, subgnn, glass",
        ),
    ] = None,
    preset: PresetOfShape = None,
    device: Device = "auto",
    compiled: Compile = "auto",
    repeats: Annotated[int, typer.Option("--repeats", help="Timed blocks of epochs.")] = 10,
    minutes: Annotated[
        float, minutes_option("Per model; after that it has fewer blocks, two at least.")
    ] = 0.5,
    complete: Annotated[
        list[str] | None,
        typer.Option(
            "--complete",
            help="A model (as for --model, or all) to run completely too, from data to table;"
            " repeatable.",
        ),
    ] = None,
    seeds: Seeds = 10,
    complete_minutes: Annotated[
        float,
        typer.Option(
            "--complete-minutes", help="Complete runs that would take longer are estimated."
        ),
    ] = 10.0,
    out: Annotated[Path | None, out_option("Folder for table, figure and facts.")] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Measure throughput, latency, parameters and memory of models.

    Examples:
        s2n bench efficiency my-folder --model gcn2 --model glass -o speed

    Ratios are against GLASS on the same data, in the same run. Ctrl-C keeps what was measured. With
    -o: efficiency.csv, result.json with facts about the machine, and the figure as PNG and SVG.
    """
    from ..base.files import check_folder, require_writable
    from ..datasets import load_task
    from ..efficiency.benchmark import BenchmarkPlan, benchmark, select
    from ..efficiency.efficiency_table import EfficiencyTable, machine
    from ..evaluate.seeds import seed_list

    if out is not None:
        check_folder(out, overwrite=overwrite, ours=_OWN_FILES)
        require_writable(out)
    plan = BenchmarkPlan(
        models=None if models is None else select(_split_names("--model", models)),
        preset=preset,
        device=device,
        repeats=repeats,
        seconds=60 * minutes,
        limit=60 * complete_minutes,
        seeds=tuple(seed_list(seeds)),
        compile=compiled,  # type: ignore[arg-type]  # checked there
    )
    plan = plan.completing([] if complete is None else _split_names("--complete", complete))
    facts = {**machine(device), "compile": compiled}
    rows: dict[tuple[str, str], EfficiencyRow] = {}
    notes: dict[str, None] = {}
    finished = True
    with progress():
        try:
            loaders = {name: partial(load_task, name) for name in data or _DATA}
            for row in benchmark(loaders, plan):
                if isinstance(row, str):
                    notes[row] = None
                else:
                    rows[row.data, row.model] = row
        except KeyboardInterrupt:
            finished = False
    all_notes = (*notes, *[_INTERRUPTED] * (not finished))
    measured = EfficiencyTable(tuple(rows.values()), facts, all_notes)
    _require_rows(measured, finished=finished)
    print_json(measured.to_dict()) if as_json else _show_benchmark(measured)
    if out is not None:
        _write(measured, out, overwrite=overwrite, quiet=as_json)
    if not finished:
        hint = "" if out is not None else "; with -o they would be kept"
        count = sum(row.efficiency is not None for row in rows.values())
        say("Stopped", f"after {plural(count, 'model')}{hint}.", style="yellow", to=errors)
        raise typer.Exit(130)


@app.command("draw", cls=command_class("s2n bench draw"))
def draw(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="What s2n bench efficiency -o wrote.")
    ],
) -> None:
    """Draw the figure of measurements that were made before.

    Examples:
        s2n bench draw speed

    For measurements of a machine that cannot draw, such as one without Matplotlib.
    """
    from ..efficiency.efficiency_table import read_efficiency_table
    from ..report.drawing import save_figure
    from ..report.efficiency_figure import efficiency_figure

    measured = read_efficiency_table(folder / "result.json")
    if not measured.data:
        raise ConfigError(f"{folder} has no model that could be measured.")
    for path in save_figure(efficiency_figure(measured), folder / "efficiency"):
        say("Wrote", str(path), style="green")


def _split_names(option: str, values: list[str]) -> list[str]:
    """Names of models, of which several may also be joined by commas."""
    names = [name.strip() for value in values for name in value.split(",") if name.strip()]
    if not names:
        raise ConfigError(f"{option} names one model at least, as s2n+a:gcn2.")
    return names


def _require_rows(measured: EfficiencyTable, *, finished: bool) -> None:
    """Leave where there is nothing to show."""
    if measured.data:
        return
    if not finished:
        say("Stopped", "before the first model was measured.", style="yellow", to=errors)
        raise typer.Exit(130)
    reasons = dict.fromkeys(row.reason for row in measured.rows if row.reason)
    raise ConfigError(f"no model could be measured: {next(iter(reasons), 'none has settings.')}")


def _show_benchmark(measured: EfficiencyTable) -> None:
    for data in measured.data:
        console.print(_efficiency_table(measured, data))
    if any(row.complete is not None for row in measured.rows):
        _show_complete(measured)
    machine = measured.machine
    name = machine["name"] or f"{machine['processor']}, {machine['threads']} threads"
    say("Device", f"{machine['device']}: {name}", style="bold")
    say(
        "Read",
        "/s are subgraphs per second, ± half the distance from the slowest to the quickest block;"
        " ms are of one batch; × against GLASS in this run.",
        style="bold",
    )
    for row in measured.rows:
        if row.reason:
            what = f"{row.data}: {row.model}".rstrip(": ")
            warn(f"{what}: {row.reason}")
    for note in measured.notes:
        say("Note", note, style="dim")


def _efficiency_table(measured: EfficiencyTable, data: str) -> Table:
    throughput = ("Train/s", "×", "Eval/s", "×", "Train ms", "Eval ms")
    view = table(f"Efficiency on {data}", "Model", *throughput, "Params", "MB", "×")
    view.padding = (0, 1, 0, 0)  # ten columns in a hundred letters
    for column in view.columns:
        column.no_wrap = True
    for row in measured.of(data):
        measurement = row.efficiency
        if measurement is None:
            view.add_row(row.model, "failed", style="dim")
            continue
        view.add_row(
            row.model,
            _speed_text(measurement.train_throughput, measurement.train),
            _ratio_text(measured.ratio(row, "train_throughput")),
            _speed_text(measurement.eval_throughput, measurement.evaluation),
            _ratio_text(measured.ratio(row, "eval_throughput")),
            short(1e3 * measurement.train_latency),
            short(1e3 * measurement.eval_latency),
            short(measurement.parameters),
            short(measurement.memory / 1e6),
            _ratio_text(measured.ratio(row, "memory")),
            style="bold" if row.model == "glass" else "",
        )
    return view


def _show_complete(measured: EfficiencyTable) -> None:
    seeds = max(row.complete.seeds for row in measured.rows if row.complete is not None)
    title = f"Seconds of a complete result over {seeds} seeds, from data to table"
    phase_names = ("Data", "Translation", "Training", "Evaluation", "All")
    view = table(title, "Data", "Model", *phase_names)
    view.columns[1].justify = "left"
    for row in measured.rows:
        if row.complete is not None:
            run = row.complete
            phases = (run.data, run.translation, run.training, run.evaluation, run.seconds)
            sign = "≈ " if run.estimated else ""
            view.add_row(row.data, row.model, *(sign + short(seconds) for seconds in phases))
    console.print(view)
    if any(row.complete is not None and row.complete.estimated for row in measured.rows):
        text = "estimated, not run: an epoch's time × epochs × seeds, without an early end."
        say("≈", text, style="bold")


def _ratio_text(ratio: float | None) -> str:
    return "-" if ratio is None else short(ratio)


def _speed_text(value: float, timing: Timing) -> str:
    return f"{short(value)} ±{100 * timing.spread:.0f}%"


def _write(measured: EfficiencyTable, out: Path, *, overwrite: bool, quiet: bool) -> None:
    from ..base.errors import MissingExtraError
    from ..base.files import new_folder, written
    from ..report.drawing import save_figure
    from ..report.efficiency_figure import efficiency_figure

    with new_folder(out, overwrite=overwrite, ours=_OWN_FILES) as folder, written(out):
        text = json.dumps(measured.to_dict(), indent=1, ensure_ascii=False)
        (folder / "result.json").write_text(text + "\n", encoding="utf-8")
        with (folder / "efficiency.csv").open("w", newline="", encoding="utf-8") as file:
            records = measured.records()
            writer = csv.DictWriter(file, list(records[0]))
            writer.writeheader()
            writer.writerows(records)
        try:
            save_figure(efficiency_figure(measured), folder / "efficiency")
        except MissingExtraError as error:
            say("Note", f"no figure was drawn: {error}", style="dim", to=errors)
        except KeyboardInterrupt:  # drawing takes seconds; the numbers are not lost with it
            say("Stopped", "while the figure was drawn.", style="yellow", to=errors)
    if not quiet:
        say("Wrote", str(out), style="green")
