"""``s2n reproduce data-scarce``: structures on few training subgraphs, on any data."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import ConfigError
from ..output import AsJson, Device, console, errors, print_json, progress, say, table
from ..reading import Reading, reads_data
from ..tables import Tables

if TYPE_CHECKING:
    from ...evaluate.scarce import Scarce
    from ...evaluate.significance import Summary
    from ...task import SubgraphTask

_SHORT = "interrupted: some runs are missing."


@reads_data
def data_scarce(
    reading: Reading,
    sizes: Annotated[
        str, typer.Option("--sizes", help="Training subgraphs of each class.")
    ] = "10,20,40,80",
    structures: Annotated[
        str,
        typer.Option(
            "--structures", help="Some of the six, as s2n+0,cos2n+0.", show_default="all six"
        ),
    ] = "",
    coarsen: Annotated[
        list[str] | None,
        typer.Option(
            "--coarsen",
            help="Of CoS2N: METHOD:RATIO; repeatable, validation chooses the one in the table.",
            show_default="variation_edges at 0.2, 0.3, 0.4, 0.5",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", help="How many.")] = 10,
    subsets: Annotated[
        str,
        typer.Option(
            "--subsets", help="fresh: another for each seed; published: the authors' one for all."
        ),
    ] = "fresh",
    conv: Annotated[
        str | None, typer.Option("--conv", help="As of s2n run.", show_default="gcn2")
    ] = None,
    preset: Annotated[
        str, typer.Option("--preset", help="As of s2n run; a TOML file may have them by structure.")
    ] = "default",
    features: Annotated[
        str | None, typer.Option("--features", help="What nodes enter with, as of s2n run.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option("--encoding", help="What joins them, as of s2n run.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Replace a setting, as in lr=0.01.")
    ] = None,
    device: Device = "auto",
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder for tables and figures.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what the folder holds already.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare structures on few training subgraphs of each class, all on the same subsets.

    Writes every run as it ends, so Ctrl-C loses one run at most and --resume goes on. With -o:
    rows.jsonl, table.csv, result.json, and the figures as HTML and PNG.

    Without DATA it is the paper's figures on the data at hand, as of s2n reproduce all; their
    options are at the end of the list.

    Example: s2n reproduce data-scarce ppi_bp --features link --seeds 10 -o scarce
    """
    from ...config import STRUCTURES
    from ...evaluate import scarce
    from ...evaluate.findings import Findings
    from ...evaluate.protocol import seed_list, split_if_needed

    plan = scarce.Plan(
        sizes=tuple(_number(word) for word in _words(sizes)),
        structures=tuple(_words(structures)) or STRUCTURES,  # type: ignore[arg-type]
        coarsenings=tuple(coarsen or scarce.COARSENINGS),
        seeds=tuple(seed_list(seeds)),
        subsets=subsets,  # type: ignore[arg-type]
    )
    given = Tables(features, encoding, None)
    chosen = given.with_settings(settings or [], plan.coarsenings[0] if plan.bridged else None)
    log = Findings(out, resume=resume)
    task, drawn = split_if_needed(given.read(reading.load()))
    if coarsen is None and task.num_virtual:
        plan = replace(plan, coarsenings=("",))  # those that come with the data
    models, notes = scarce.models_of(
        task, plan, conv=conv, preset=preset, settings=chosen, device=device,
        encodings=given.encodings,
    )  # fmt: skip
    scarce.require(task, plan)
    known = log.open(plan, task, models)
    rows, finished = [row for row in known if plan.covers(row)], True
    failed: dict[str, str] = {}  # said once a model, not once a subset

    def tell(model: str, error: Exception) -> None:
        if model not in failed:
            failed[model] = f"{model}: {error}"
            say("Beware", failed[model], style="yellow", to=errors)

    with progress():
        try:
            for row in scarce.data_scarce(task, plan, models, known=known, failed=tell):
                rows.append(row)
                log.add(row)
        except KeyboardInterrupt:
            finished = False
    found = scarce.Scarce(
        plan,
        tuple(row for row in rows if isinstance(row, scarce.Row)),
        tuple(row for row in rows if isinstance(row, scarce.Step)),
        (*drawn, *notes, *failed.values(), *[_SHORT] * (not finished)),
    )
    if not found.rows:
        if finished:
            raise ConfigError("no model could be trained.")
        say("Stopped", "before the first run was done.", style="yellow", to=errors)
        raise typer.Exit(130)
    print_json(found.to_dict()) if as_json else _show(found, task.name)
    if out is not None:
        _write(found, task, out, quiet=as_json)
    if not finished:
        more = "; --resume goes on." if out is not None else "; with -o they would be kept."
        say("Stopped", f"after {len(found.rows)} runs{more}", style="yellow", to=errors)
        raise typer.Exit(130)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _number(word: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise ConfigError(f"sizes are whole numbers from 1, as 10,20,40,80, found {word!r}.")
    return int(word)


def _show(found: Scarce, name: str) -> None:
    sizes = found.plan.sizes
    kind = "fresh" if found.plan.subsets == "fresh" else "the published"
    title = f"{name or 'This task'}: test micro-F1 by training subgraphs of each class"
    view = table(title, "Structure", *(f"n = {n}" for n in sizes))
    view.columns[0].no_wrap = True
    for structure in found.plan.structures:
        view.add_row(structure, *(_score(found.summary(structure, n)) for n in sizes))
    console.print(view)
    gains = table("What virtual subgraphs bring, on the same subsets", "CoS2N - S2N",
                  *(f"n = {n}" for n in sizes))  # fmt: skip
    for kind_of in ("+0", "+a"):
        both = [found.gain(f"cos2n{kind_of}", f"s2n{kind_of}", n) for n in sizes]
        if any(gain is not None for gain in both):
            gains.add_row(kind_of, *map(_gain, both))
    if gains.row_count:
        console.print(gains)
    for structure in found.plan.structures:
        if chosen := found.chosen(structure):
            several = len(found.plan.coarsenings) > 1
            how = ", the best on validation" if several else ""
            say("Coarsening", f"{structure}: {chosen}{how}", style="bold")
    count = len(found.plan.seeds)
    runs = f"{count} {'seed' if count == 1 else 'seeds'} on {kind} subsets"
    say(
        "Runs",
        f"{runs}; ± is the standard deviation, below it the 95 % interval of the mean; p is of a"
        " paired t-test.",
        style="bold",
    )
    for note in found.notes:
        say("Note", note, style="dim")


def _score(summary: Summary | None) -> str:
    if summary is None:
        return "-"
    if summary.n == 1:
        return f"{100 * summary.mean:.1f}"
    low, high = summary.interval
    return f"{100 * summary.mean:.1f} ± {100 * summary.sd:.1f}\n{100 * low:.1f} … {100 * high:.1f}"


def _gain(found: tuple[Summary, float | None] | None) -> str:
    if found is None:
        return "-"
    points = round(100 * found[0].mean, 1) + 0.0  # no -0.0
    return f"{points:+.1f}" + ("" if found[1] is None else f" (p {found[1]:.2g})")


def _write(found: Scarce, task: SubgraphTask, out: Path, *, quiet: bool) -> None:
    from ...errors import MissingExtraError
    from ...files import new_file
    from ...report.figures import data_scarce_figure, ratio_figure, save_figure

    with new_file(out / "result.json") as part:
        part.write_text(json.dumps(found.to_dict(), indent=1) + "\n", encoding="utf-8")
    with new_file(out / "table.csv") as part, part.open("w", newline="", encoding="utf-8") as file:
        rows = [asdict(row) for row in found.rows]
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    name = task.name or "this task"
    try:
        for stem, make in (("data-scarce", data_scarce_figure), ("ratios", ratio_figure)):
            figure = make(found, name)
            if figure is not None and (why := save_figure(figure, out / stem)):
                say("Note", why, style="dim", to=errors)
    except MissingExtraError as error:
        say("Note", f"no figures were drawn: {error}", style="dim", to=errors)
    if not quiet:
        say("Wrote", str(out), style="green")
