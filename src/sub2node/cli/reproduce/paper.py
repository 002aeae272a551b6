"""``s2n reproduce TARGET``: the paper's tables and figures on the data at hand."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...base.errors import ConfigError, MissingExtraError
from ...base.plural import plural
from ..options import AsJson, Device, OptionalSeeds, Shard, is_given, out_option
from ..output import errors, print_json, progress, report_cut_lines, say

if TYPE_CHECKING:
    from ...reproduce.cell_journal import Journal
    from ...reproduce.cell_sheet import Sheet
    from ...reproduce.paper_tables import PaperTable

_ABOUT = {
    "table1": "Statistics of the datasets, and how much smaller their S2N graphs are.",
    "real": "Scores on the real-world datasets, with t-test marks, beside simple models.",
    "synthetic": "Scores on the synthetic datasets, with t-test marks, beside simple models.",
    "efficiency": "Throughput, latency, parameters and memory against GLASS.",
    "data-scarce": "All structures on few training subgraphs of each class.",
    "gnns": "Scores with GIN and GATv2.",
    "readout": "Scores by readout: sum, mean, max, degree.",
    "layers": "Scores by the number of layers on the S2N graph.",
    "encoding": "Scores with RWPE and LapPE.",
    "ratio": "CoS2N by coarsening ratio.",
    "theory": "The paper's propositions, checked by numbers.",
    "all": "Every table and figure of the paper that the data at hand allow.",
}
ALL = tuple(_ABOUT)
TARGETS = ALL[:-1]
_HELP = """

    Examples:
        s2n reproduce {name} --quick -o quick-look
        s2n reproduce {name} -o reproduction

    Our numbers stand beside the published ones, with what differs. Data are looked for in S2N_DATA;
    where some are missing, the rows say so and the rest goes on. Every cell is kept as it ends: the
    same command goes on where it stopped, Ctrl-C loses one cell at most. The folder gets a CSV file
    for each table and report.html.
"""


@dataclass(frozen=True)
class ReproduceArguments:
    """What the options say.

    Args:
        targets: The tables and figures to make.
        out: The folder for cells, tables and report.
        quick: Whether to use few seeds and epochs.
        seeds: How many seeds; None: 10, or few.
        only: Names of the datasets to use, separated by commas; None: all.
        device: ``auto``, ``cpu`` or ``cuda``.
        shard: The number of this process and how many there are, as 3/12.
        only_report: Whether nothing is run.
        no_report: Whether no HTML is written.
        as_json: Whether JSON is printed instead of tables.
    """

    targets: tuple[str, ...]
    out: Path
    quick: bool
    seeds: int | None
    only: str | None
    device: str
    shard: str
    only_report: bool
    no_report: bool
    as_json: bool


_REPRODUCTION = "Reproduction"  # a group of options in the help
Out = Annotated[Path, out_option("Folder for cells, tables and report.")]
Quick = Annotated[
    bool,
    typer.Option(
        "--quick",
        help="A look at whether all works: few seeds, epochs and cells.",
        rich_help_panel=_REPRODUCTION,
    ),
]
Only = Annotated[
    str | None,
    typer.Option(
        "--data",
        metavar="NAME,NAME",
        help="Some datasets only, as ppi_bp,density.",
        show_default="all",
        rich_help_panel=_REPRODUCTION,
    ),
]
OnlyReport = Annotated[
    bool,
    typer.Option(
        "--only-report",
        help="Run nothing; write the report of the folder again.",
        rich_help_panel=_REPRODUCTION,
    ),
]
NoReport = Annotated[
    bool,
    typer.Option("--no-report", help="Write tables, but no HTML.", rich_help_panel=_REPRODUCTION),
]


def make_command(name: str) -> Callable[..., None]:
    """The command of a target."""
    targets = TARGETS if name == "all" else (name,)

    def run(
        *,
        out: Out = Path("reproduction"),
        quick: Quick = False,
        seeds: OptionalSeeds = None,
        only: Only = None,
        device: Device = "auto",
        shard: Shard = "",
        only_report: OnlyReport = False,
        no_report: NoReport = False,
        as_json: AsJson = False,
    ) -> None:
        arguments = ReproduceArguments(
            targets=targets,
            out=out,
            quick=quick,
            seeds=seeds,
            only=only,
            device=device,
            shard=shard,
            only_report=only_report,
            no_report=no_report,
            as_json=as_json,
        )
        reproduce(arguments)

    run.__doc__ = inspect.cleandoc(_ABOUT[name] + _HELP.format(name=name))
    return run


def with_and_without_data(on_data: Callable[..., None]) -> Callable[..., None]:
    """A command with DATA as one without: then it makes the paper's figure on what is at hand.

    Args:
        on_data: The command with DATA and options of its own, four of which both have.
    """
    with_data = inspect.signature(on_data).parameters
    without_data = make_command("data-scarce")
    paper = inspect.signature(without_data, eval_str=True).parameters
    paper_only = [paper[name] for name in paper if name not in with_data]
    data, *rest = with_data.values()
    argument = copy.copy(data.annotation.__metadata__[0])  # other commands have the same one
    argument.help = f"{argument.help} Without: the paper's figures."
    parameters = [
        inspect.Parameter("context", data.kind, annotation=typer.Context),
        data.replace(default=None, annotation=Annotated[str | None, argument]),
        *rest,
        *paper_only,
    ]

    def run(**values: Any) -> None:
        context: typer.Context = values.pop("context")
        named = {name for name in values if is_given(context, name)}
        if values["data"] is None:
            arguments = {name: values[name] for name in paper}
            arguments["out"] = values["out"] or Path("reproduction")
            arguments["seeds"] = values["seeds"] if "seeds" in named else None
            _refuse_options(named - set(paper) - {"resume"}, "goes with DATA, and there is none")
            without_data(**arguments)
        else:
            paper_names = {parameter.name for parameter in paper_only}
            _refuse_options(named & paper_names, "is for the paper's figures, without DATA")
            on_data(**{name: values[name] for name in with_data})

    run.__doc__ = on_data.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _refuse_options(names: set[str], reason: str) -> None:
    options = {"only": "data", "settings": "set", "structures": "structure"}
    for name in sorted(names):
        option = options.get(name, name).replace("_", "-")
        raise ConfigError(f"--{option} {reason}; omit it.")


def reproduce(arguments: ReproduceArguments) -> None:
    """Run what is missing, then show and write everything."""
    from ...reproduce.cell_journal import Journal
    from ...reproduce.cell_sheet import read_sheet

    shard, finished = _parse_shard(arguments.shard), True
    if arguments.only_report:
        journal, sheet = Journal(arguments.out), read_sheet(arguments.out)
        sheet.spots = {t: spots for t, spots in sheet.spots.items() if t in arguments.targets}
        if not sheet.spots:
            raise ConfigError(
                f"{arguments.out} has nothing of {', '.join(arguments.targets)}; run it without"
                " --only-report first."
            )
    else:
        sheet, journal, finished = _run_missing(arguments, shard)
    report_cut_lines(journal.broken)
    if shard[1] > 1 and not arguments.only_report:
        _finish_shard(journal, finished=finished)
        return
    _finish(arguments, sheet, journal, finished=finished)


def _parse_shard(text: str) -> tuple[int, int]:
    if not text:
        return 1, 1
    match = re.fullmatch(r"(\d{1,3})/(\d{1,3})", text)
    number, count = (int(part) for part in match.groups()) if match else (0, 0)
    if not 1 <= number <= count:
        raise ConfigError(f"--shard wants I/N with I from 1 to N, as 3/12, found {text!r}.")
    return number, count


def _run_missing(
    arguments: ReproduceArguments, shard: tuple[int, int]
) -> tuple[Sheet, Journal, bool]:
    """Run everything that is not there yet; False where Ctrl-C ended it."""
    from ...reproduce.reproduction_session import session

    only = arguments.only
    names = None if only is None else [w.strip() for w in only.split(",") if w.strip()]
    with progress():
        work = session(
            arguments.targets,
            arguments.out,
            seeds=arguments.seeds,
            quick=arguments.quick,
            data=names,
            device=arguments.device,
            worker=shard,
        )
    todo, count = work.todo, len(work.jobs)
    if work.known and not arguments.as_json:
        text = f"{work.known} of {plural(count, 'cell')} there already."
        say("Going on", text, style="bold", to=errors)
    with progress():
        try:
            for record in work.run():
                if not record.done:
                    say("Failed", f"{record.job}: {record.why}", style="red", to=errors)
        except KeyboardInterrupt:
            left = sum(not work.journal.done(job.key) for job in todo)
            text = (
                f"{plural(len(todo) - left, 'cell')} done, {left} left; the same command goes on."
            )
            say("Stopped", text, style="yellow", to=errors)
            return work.sheet, work.journal, False
    return work.sheet, work.journal, True


def _finish_shard(journal: Journal, *, finished: bool) -> None:
    number, count = journal.worker
    if not finished:
        say("Stopped", f"shard {number}/{count}; the same command goes on.", style="yellow")
        raise typer.Exit(130)
    text = (
        f"{number}/{count} is done; when all are, the same command without --shard measures times"
        " and writes the report."
    )
    say("Shard", text, style="green")


def _finish(
    arguments: ReproduceArguments, sheet: Sheet, journal: Journal, *, finished: bool
) -> None:
    """Tables to the terminal, CSV and HTML to the folder, and a last line."""
    from ...reproduce.table_collection import failed, missing, records_of, tables_of, write_csv
    from .show import show_table

    tables = tables_of(sheet, journal.records)
    write_csv(tables, sheet, journal.records, arguments.out / "tables")
    for table in () if arguments.as_json else tables:
        show_table(table)
    closing = _write_page(arguments, journal)
    if arguments.as_json:
        print_json(
            {
                "tables": [
                    {
                        "name": table.name,
                        "title": table.title,
                        "source": table.source,
                        "quick": table.quick,
                        "notes": list(table.notes),
                        "cells": records_of(table),
                    }
                    for table in tables
                ],
                "missing": missing(sheet),
                "failed": failed(tables),
                "finished": finished,
                "folder": str(arguments.out),
            }
        )
    done = sum(table.count("done") for table in tables)
    if not arguments.as_json:
        _show_totals(tables, sheet, done=done, closing=closing)
    if not finished:
        raise typer.Exit(130)
    if not done:
        raise ConfigError("nothing could be done; the tables say why.")


def _show_totals(tables: Sequence[PaperTable], sheet: Sheet, *, done: int, closing: str) -> None:
    from ...reproduce.table_collection import missing

    for text in missing(sheet):
        say("Missing", text, style="yellow")
    states = ("missing", "left out", "failed", "not yet")
    counts = {state: sum(table.count(state) for table in tables) for state in states}
    rest = "".join(f", {count} {state}" for state, count in counts.items() if count)
    say(
        "Done",
        f"{plural(done, 'cell')} of {plural(len(tables), 'table')}{rest}; {closing}",
        style="green",
    )


def _write_page(arguments: ReproduceArguments, journal: Journal) -> str:
    """Write the page of everything that the folder has; the last words about it."""
    folder = arguments.out
    if arguments.no_report:
        return f"tables are in {folder / 'tables'}."
    from ...reproduce.cell_sheet import read_sheet
    from ...reproduce.table_collection import tables_of

    sheet = read_sheet(folder)
    try:
        from ...reproduce.reproduction_page import write_reproduction

        tables = tables_of(sheet, journal.records)
        path = write_reproduction(sheet, journal.records, tables, folder / "report.html")
    except (ImportError, MissingExtraError) as error:
        say("Note", f"no page was written: {error}", style="dim", to=errors)
        return f"tables are in {folder / 'tables'}."
    return f"open {path}."
