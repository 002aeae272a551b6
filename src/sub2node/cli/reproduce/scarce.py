"""``s2n reproduce data-scarce``: structures on few training subgraphs, on any data."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...base.errors import ConfigError
from ...base.plural import plural
from ..data_arguments import DataArguments, reads_data
from ..feature_arguments import FeatureArguments
from ..options import (
    AsJson,
    ChangedSettings,
    Conv,
    Device,
    Features,
    NodeEncoding,
    Preset,
    Resume,
    Seeds,
    SeveralStructures,
    out_option,
)
from ..output import (
    console,
    errors,
    print_json,
    progress,
    report_cut_lines,
    say,
    table,
    warn,
)

if TYPE_CHECKING:
    from ...evaluate.significance import Summary
    from ...reproduce.scarce import ScarceStudy
    from ...task import SubgraphTask

_INTERRUPTED = "interrupted: some runs are missing."


@reads_data
def data_scarce(
    source: DataArguments,
    *,
    sizes: Annotated[
        str, typer.Option("--sizes", help="Training subgraphs of each class.")
    ] = "10,20,40,80",
    structures: SeveralStructures = None,
    coarsen: Annotated[
        list[str] | None,
        typer.Option(
            "--coarsen",
            help="Of CoS2N: METHOD:RATIO; repeatable, validation chooses the one in the table.",
            show_default="variation_edges at 0.2, 0.3, 0.4, 0.5",
        ),
    ] = None,
    seeds: Seeds = 10,
    subsets: Annotated[
        str,
        typer.Option(
            "--subsets", help="fresh: another for each seed; published: the authors' one for all."
        ),
    ] = "fresh",
    conv: Conv = None,
    preset: Preset = "default",
    features: Features = None,
    encoding: NodeEncoding = None,
    settings: ChangedSettings = None,
    device: Device = "auto",
    out: Annotated[Path | None, out_option("Folder for tables and figures.")] = None,
    resume: Resume = False,
    as_json: AsJson = False,
) -> None:
    """Compare structures on few training subgraphs of each class.

    Examples:
        s2n reproduce data-scarce my-folder --features link -o scarce

    Writes every run as it ends, so Ctrl-C loses one run at most and --resume goes on. A preset file
    may have settings by structure. With -o: rows.jsonl, table.csv, result.json, and the figures as
    PNG and SVG.

    Without DATA it is the paper's figures on the data at hand, as of s2n reproduce all; their
    options are those of the group Reproduction.
    """
    from ...config import STRUCTURES
    from ...evaluate.protocol import split_if_needed
    from ...evaluate.seeds import seed_list
    from ...reproduce import scarce
    from ...reproduce.scarce_journal import ScarceJournal

    plan = scarce.ScarcePlan(
        sizes=tuple(_parse_size(text.strip()) for text in sizes.split(",") if text.strip()),
        structures=tuple(structures or STRUCTURES),  # type: ignore[arg-type]  # checked there
        coarsenings=tuple(coarsen or scarce.COARSENINGS),
        seeds=tuple(seed_list(seeds)),
        subsets=subsets,  # type: ignore[arg-type]
    )
    feature_arguments = FeatureArguments(features, encoding)
    first_coarsening = plan.coarsenings[0] if plan.bridged else None
    changes = feature_arguments.with_settings(settings or [], first_coarsening)
    log = ScarceJournal(out, resume=resume)
    task, split_notes = split_if_needed(feature_arguments.read(source.load()))
    if coarsen is None and task.num_virtual:
        plan = replace(plan, coarsenings=("",))  # those that come with the data
    models, notes = scarce.models_of(
        task,
        plan,
        conv=conv,
        preset=preset,
        settings=changes,
        device=device,
        encodings=feature_arguments.encodings,
    )
    scarce.require(task, plan)
    earlier_rows = log.open(plan, task, models)
    report_cut_lines(log.broken)
    rows, finished = [row for row in earlier_rows if plan.covers(row)], True
    failures: dict[str, str] = {}  # printed once per model, not once per subset

    def report_failure(model: str, error: Exception) -> None:
        if model not in failures:
            failures[model] = f"{model}: {error}"
            warn(failures[model])

    with progress():
        try:
            for row in scarce.data_scarce(
                task, plan, models, known=earlier_rows, failed=report_failure
            ):
                rows.append(row)
                log.add(row)
        except KeyboardInterrupt:
            finished = False
    results = scarce.ScarceStudy(
        plan,
        tuple(row for row in rows if isinstance(row, scarce.ScarceRun)),
        tuple(row for row in rows if isinstance(row, scarce.ScarceSpeed)),
        (*split_notes, *notes, *failures.values(), *[_INTERRUPTED] * (not finished)),
    )
    if not results.rows:
        if finished:
            raise ConfigError("no model could be trained.")
        say("Stopped", "before the first run was done.", style="yellow", to=errors)
        raise typer.Exit(130)
    print_json(results.to_dict()) if as_json else _show_results(results, task.name)
    if out is not None:
        _write(results, task, out, quiet=as_json)
    if not finished:
        more = "; --resume goes on." if out is not None else "; with -o they would be kept."
        say("Stopped", f"after {plural(len(results.rows), 'run')}{more}", style="yellow", to=errors)
        raise typer.Exit(130)


def _parse_size(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ConfigError(f"sizes are whole numbers from 1, as 10,20,40,80, found {text!r}.")
    return int(text)


def _show_results(results: ScarceStudy, name: str) -> None:
    sizes = results.plan.sizes
    kind = "fresh" if results.plan.subsets == "fresh" else "the published"
    title = f"{name or 'This task'}: test micro-F1 by training subgraphs of each class"
    view = table(title, "Structure", *(f"n = {n}" for n in sizes))
    view.columns[0].no_wrap = True
    for structure in results.plan.structures:
        view.add_row(structure, *(_score_text(results.summary(structure, n)) for n in sizes))
    console.print(view)
    title = "What virtual subgraphs bring, on the same subsets"
    view = table(title, "CoS2N - S2N", *(f"n = {n}" for n in sizes))
    for ending in ("+0", "+a"):
        gains = [results.gain(f"cos2n{ending}", f"s2n{ending}", n) for n in sizes]
        if any(gain is not None for gain in gains):
            view.add_row(ending, *map(_gain_text, gains))
    if view.row_count:
        console.print(view)
    for structure in results.plan.structures:
        if chosen := results.chosen(structure):
            several = len(results.plan.coarsenings) > 1
            how = ", the best on validation" if several else ""
            say("Coarsening", f"{structure}: {chosen}{how}", style="bold")
    count = len(results.plan.seeds)
    runs = f"{count} {'seed' if count == 1 else 'seeds'} on {kind} subsets"
    say(
        "Runs",
        f"{runs}; ± is the standard deviation, below it the 95 % interval of the mean; p is of a"
        " paired t-test.",
        style="bold",
    )
    for note in results.notes:
        say("Note", note, style="dim")


def _score_text(summary: Summary | None) -> str:
    if summary is None:
        return "-"
    text = summary.percent_text()
    return text if summary.interval is None else f"{text}\n{summary.interval_text()}"


def _gain_text(gain: tuple[Summary, float | None] | None) -> str:
    if gain is None:
        return "-"
    summary, p = gain
    points = round(100 * summary.mean, 1) + 0.0  # no -0.0
    return f"{points:+.1f}" + ("" if p is None else f" (p {p:.2g})")


def _write(results: ScarceStudy, task: SubgraphTask, out: Path, *, quiet: bool) -> None:
    from ...base.errors import MissingExtraError
    from ...base.files import new_file
    from ...report.drawing import save_figure
    from ...reproduce.scarce_figures import data_scarce_figure, ratio_figure

    with new_file(out / "result.json") as part:
        part.write_text(json.dumps(results.to_dict(), indent=1) + "\n", encoding="utf-8")
    with new_file(out / "table.csv") as part, part.open("w", newline="", encoding="utf-8") as file:
        rows = [asdict(row) for row in results.rows]
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    name = task.name or "this task"
    try:
        for stem, make in (("data-scarce", data_scarce_figure), ("ratios", ratio_figure)):
            figure = make(results, name)
            if figure is not None:
                save_figure(figure, out / stem)
    except MissingExtraError as error:
        say("Note", f"no figures were drawn: {error}", style="dim", to=errors)
    if not quiet:
        say("Wrote", str(out), style="green")
