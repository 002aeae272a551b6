"""``s2n bench``: how fast models are and what memory they take, side by side."""

from __future__ import annotations

import csv
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ConfigError
from ..report.numbers import short
from .output import AsJson, Compiled, Device, console, errors, print_json, progress, say, table

if TYPE_CHECKING:
    from ..evaluate.efficiency import Timing
    from ..evaluate.ratios import Benchmark, Row

_DATA = ("like:ppi_bp", "like:hpo_neuro", "like:hpo_metab", "like:em_user")
_OURS = r"efficiency\.(csv|html|png)|result\.json"
_SHORT = "interrupted: some models are missing."

app = typer.Typer(
    help="Measure speed and memory of models, side by side in one run.",
    epilog="Example: s2n bench efficiency like:ppi_bp --models gcn2,glass -o speed",
    no_args_is_help=True,
)


@app.callback()
def _top() -> None:
    """A callback makes the name of the benchmark a word of its own."""


@app.command()
def efficiency(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DATA",
            help="Benchmarks' names, generate:NAME, like:NAME, or folders.",
            show_default="the four published shapes, like:ppi_bp …",
        ),
    ] = None,
    models: Annotated[
        str | None,
        typer.Option(
            "--models",
            help="A structure, a convolution, both as s2n+a:gcn2, or a network as glass; several"
            " with commas.",
            show_default="all that have settings, subgnn, glass",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            help="As of s2n run.",
            show_default="paper:NAME for like:NAME, else default",
        ),
    ] = None,
    device: Device = "auto",
    compiled: Compiled = "auto",
    repeats: Annotated[int, typer.Option("--repeats", help="Timed blocks of epochs.")] = 10,
    seconds: Annotated[
        float, typer.Option("--seconds", help="After so long a model has fewer, two at least.")
    ] = 30.0,
    complete: Annotated[
        str | None,
        typer.Option(
            "--complete",
            help="Models (as for --models, or all) to run completely too, from data to table.",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", help="Of complete runs.")] = 10,
    limit: Annotated[
        float,
        typer.Option("--limit", help="Seconds; longer complete runs are estimated, not run."),
    ] = 600.0,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder for table, figure and facts.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure training and evaluation throughput and latency, parameters and peak memory.

    Ratios are against GLASS on the same data, in the same run. Ctrl-C keeps what was measured. With
    -o: efficiency.csv, result.json with facts about the machine, and the figure as HTML and PNG.

    Example: s2n bench efficiency like:ppi_bp like:em_user --models gcn2,glass -o speed
    """
    from ..datasets import load_task
    from ..evaluate.benchmark import Plan, benchmark, select
    from ..evaluate.protocol import seed_list
    from ..evaluate.ratios import Benchmark, machine
    from ..files import check_folder, require_writable

    if out is not None:
        check_folder(out, overwrite=overwrite, ours=_OURS)
        require_writable(out)
    chosen = None if models is None else select(_words("--models", models))
    plan = Plan(
        models=chosen, preset=preset, device=device, repeats=repeats, seconds=seconds, limit=limit,
        seeds=tuple(seed_list(seeds)), compile=compiled,  # type: ignore[arg-type]  # checked there
    )  # fmt: skip
    plan = plan.completing([] if complete is None else _words("--complete", complete))
    facts = {**machine(device), "compile": compiled}
    rows: dict[tuple[str, str], Row] = {}
    notes: dict[str, None] = {}
    finished = True
    with progress():
        try:
            asked = {word: partial(load_task, word) for word in data or _DATA}
            for found in benchmark(asked, plan):
                if isinstance(found, str):
                    notes[found] = None
                else:
                    rows[found.data, found.model] = found
        except KeyboardInterrupt:
            finished = False
    said = (*notes, *[_SHORT] * (not finished))
    whole = Benchmark(tuple(rows.values()), facts, said)
    _require(whole, finished)
    print_json(whole.to_dict()) if as_json else _show(whole)
    if out is not None:
        _write(whole, out, overwrite=overwrite, quiet=as_json)
    if not finished:
        kept = "" if out is not None else "; with -o they would be kept"
        count = sum(row.found is not None for row in rows.values())
        say("Stopped", f"after {count} models{kept}.", style="yellow", to=errors)
        raise typer.Exit(130)


@app.command()
def draw(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="What s2n bench efficiency -o wrote.")
    ],
) -> None:
    """Draw the figure of measurements made before, such as on a machine that cannot draw.

    Example: s2n bench draw speed
    """
    from ..evaluate.ratios import read_benchmark
    from ..report.efficiency import efficiency_figure
    from ..report.figures import save_figure

    found = read_benchmark(folder / "result.json")
    if not found.data:
        raise ConfigError(f"{folder} has no model that could be measured.")
    if why := save_figure(efficiency_figure(found), folder / "efficiency"):
        say("Note", why, style="dim", to=errors)
    say("Wrote", str(folder / "efficiency.html"), style="green")


def _words(option: str, text: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise ConfigError(f"{option} names one model at least, as s2n+a:gcn2,glass.")
    return words


def _require(found: Benchmark, finished: bool) -> None:
    """Leave where there is nothing to show."""
    if found.data:
        return
    if not finished:
        say("Stopped", "before the first model was measured.", style="yellow", to=errors)
        raise typer.Exit(130)
    reasons = dict.fromkeys(row.reason for row in found.rows if row.reason)
    raise ConfigError(f"no model could be measured: {next(iter(reasons), 'none has settings.')}")


def _show(found: Benchmark) -> None:
    for data in found.data:
        console.print(_table(found, data))
    if any(row.complete is not None for row in found.rows):
        _show_complete(found)
    where = found.machine
    name = where["name"] or f"{where['processor']}, {where['threads']} threads"
    say("Device", f"{where['device']}: {name}", style="bold")
    say(
        "Read",
        "/s are subgraphs a second, ± half the distance from the slowest to the quickest block; ms"
        " are of one batch; × against GLASS in this run.",
        style="bold",
    )
    for row in found.rows:
        if row.reason:
            what = f"{row.data}: {row.model}".rstrip(": ")
            say("Beware", f"{what}: {row.reason}", style="yellow", to=errors)
    for note in found.notes:
        say("Note", note, style="dim")


def _table(found: Benchmark, data: str) -> Any:
    view = table(
        f"Efficiency on {data}", "Model", "Train/s", "×", "Eval/s", "×", "Train ms", "Eval ms",
        "Params", "MB", "×",
    )  # fmt: skip
    view.padding = (0, 1, 0, 0)  # ten columns in a hundred letters
    for column in view.columns:
        column.no_wrap = True
    for row in found.of(data):
        got = row.found
        if got is None:
            view.add_row(row.model, "failed", style="dim")
            continue
        view.add_row(
            row.model,
            _spread(got.train_throughput, got.train), _times(found.ratio(row, "train_throughput")),
            _spread(got.eval_throughput, got.evaluation),
            _times(found.ratio(row, "eval_throughput")),
            short(1e3 * got.train_latency), short(1e3 * got.eval_latency),
            short(got.parameters), short(got.memory / 1e6), _times(found.ratio(row, "memory")),
            style="bold" if row.model == "glass" else "",
        )  # fmt: skip
    return view


def _show_complete(found: Benchmark) -> None:
    seeds = max(row.complete.seeds for row in found.rows if row.complete is not None)
    view = table(
        f"Seconds of a complete result over {seeds} seeds, from data to table", "Data", "Model",
        "Data", "Translation", "Training", "Evaluation", "All",
    )  # fmt: skip
    view.columns[1].justify = "left"
    for row in found.rows:
        if row.complete is not None:
            whole = row.complete
            phases = (whole.data, whole.translation, whole.training, whole.evaluation)
            sign = "≈ " if whole.estimated else ""
            view.add_row(row.data, row.model, *(sign + short(s) for s in (*phases, whole.seconds)))
    console.print(view)
    if any(row.complete is not None and row.complete.estimated for row in found.rows):
        say("≈", "estimated, not run: an epoch's time × epochs × seeds, without an early end.",
            style="bold")  # fmt: skip


def _times(ratio: float | None) -> str:
    return "-" if ratio is None else short(ratio)


def _spread(value: float, timing: Timing) -> str:
    return f"{short(value)} ±{100 * timing.spread:.0f}%"


def _write(found: Benchmark, out: Path, *, overwrite: bool, quiet: bool) -> None:
    from ..errors import MissingExtraError
    from ..files import new_folder, written
    from ..report.efficiency import efficiency_figure
    from ..report.figures import save_figure

    with new_folder(out, overwrite=overwrite, ours=_OURS) as folder, written(out):
        text = json.dumps(found.to_dict(), indent=1, ensure_ascii=False)
        (folder / "result.json").write_text(text + "\n", encoding="utf-8")
        with (folder / "efficiency.csv").open("w", newline="", encoding="utf-8") as file:
            records = found.records()
            writer = csv.DictWriter(file, list(records[0]))
            writer.writeheader()
            writer.writerows(records)
        try:
            if why := save_figure(efficiency_figure(found), folder / "efficiency"):
                say("Note", why, style="dim", to=errors)
        except MissingExtraError as error:
            say("Note", f"no figure was drawn: {error}", style="dim", to=errors)
        except KeyboardInterrupt:  # drawing takes seconds; the numbers are not lost with it
            say("Stopped", "while the figure was drawn.", style="yellow", to=errors)
    if not quiet:
        say("Wrote", str(out), style="green")
