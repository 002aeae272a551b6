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

from ...errors import ConfigError, MissingExtraError
from ..output import AsJson, Device, errors, given, print_json, progress, say

if TYPE_CHECKING:
    from ...evaluate.paper.journal import Journal
    from ...evaluate.paper.sheet import Sheet
    from ...evaluate.paper.tables import Table

TARGETS = ("table1", "real", "synthetic", "efficiency", "data-scarce", "gnns", "readout", "layers",
           "encoding", "ratio", "theory")  # fmt: skip
ALL = (*TARGETS, "all")
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
_MORE = """

    Our numbers stand beside the published ones, with what differs. Data are looked for in S2N_DATA;
    where some are missing, the rows say so and the rest goes on. Every cell is kept as it ends: the
    same command goes on where it stopped, Ctrl-C loses one cell at most. The folder gets a CSV file
    for each table and report.html.

    Example: s2n reproduce {name} --quick -o quick-look
"""


@dataclass(frozen=True)
class Asked:
    """What the options say.

    Args:
        targets: Which tables and figures.
        out: The folder.
        quick: Few seeds and epochs.
        seeds: How many; None: 10, or few.
        only: Datasets, with commas.
        device: Where.
        worker: This process and how many there are, as 3/12.
        only_report: Nothing is run.
        no_report: No HTML is written.
        as_json: For machines.
    """

    targets: tuple[str, ...]
    out: Path
    quick: bool
    seeds: int | None
    only: str | None
    device: str
    worker: str
    only_report: bool
    no_report: bool
    as_json: bool


Out = Annotated[Path, typer.Option("-o", "--out", help="Folder for cells, tables and report.")]
Quick = Annotated[
    bool, typer.Option("--quick", help="A look at whether all works: few seeds, epochs and cells.")
]
Seeds = Annotated[int | None, typer.Option("--seeds", help="How many.", show_default="10")]
Only = Annotated[
    str | None,
    typer.Option("--data", help="Some datasets only, as ppi_bp,density.", show_default="all"),
]
Worker = Annotated[
    str,
    typer.Option(
        "--worker",
        help="Do a share, as 3/12 for the third of twelve processes on one folder; a run without"
        " it then measures times and writes the report.",
        show_default=False,
    ),
]
OnlyReport = Annotated[
    bool, typer.Option("--only-report", help="Run nothing; write the report of the folder anew.")
]
NoReport = Annotated[bool, typer.Option("--no-report", help="Write tables, but no HTML.")]


def command(name: str) -> Callable[..., None]:
    """The command of a target."""
    targets = TARGETS if name == "all" else (name,)

    def run(
        out: Out = Path("reproduction"),
        quick: Quick = False,
        seeds: Seeds = None,
        only: Only = None,
        device: Device = "auto",
        worker: Worker = "",
        only_report: OnlyReport = False,
        no_report: NoReport = False,
        as_json: AsJson = False,
    ) -> None:
        reproduce(Asked(targets, out, quick, seeds, only, device, worker, only_report, no_report,
                        as_json))  # fmt: skip

    run.__doc__ = inspect.cleandoc(_ABOUT[name] + _MORE.format(name=name))
    return run


def either(on_data: Callable[..., None]) -> Callable[..., None]:
    """A command with DATA as one without: then it makes the paper's figure on what is at hand.

    Args:
        on_data: The command with DATA and options of its own, four of which both have.
    """
    with_data = inspect.signature(on_data).parameters
    alone = command("data-scarce")
    hints = inspect.signature(alone, eval_str=True).parameters
    own = [hints[name].replace(kind=inspect.Parameter.KEYWORD_ONLY)
           for name in hints if name not in with_data]  # fmt: skip
    data, *rest = with_data.values()
    about = copy.copy(data.annotation.__metadata__[0])  # other commands have the same one
    about.help = f"{about.help} Without: the paper's figures."
    listed = [
        inspect.Parameter("context", data.kind, annotation=typer.Context),
        data.replace(default=None, annotation=Annotated[str | None, about]),
        *rest,
        *own,
    ]

    def run(**values: Any) -> None:
        context: typer.Context = values.pop("context")
        named = {name for name in values if given(context, name)}
        if values["data"] is None:
            known = {name: values[name] for name in hints}
            known["out"] = values["out"] or Path("reproduction")
            known["seeds"] = values["seeds"] if "seeds" in named else None
            _refuse(named - set(hints) - {"resume"}, "goes with DATA, and there is none")
            alone(**known)
        else:
            _refuse(named & {p.name for p in own}, "is for the paper's figures, without DATA")
            on_data(**{name: values[name] for name in with_data})

    run.__doc__ = on_data.__doc__
    run.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in listed}
    return run


def _refuse(names: set[str], why: str) -> None:
    for name in sorted(names):
        option = {"only": "data", "settings": "set"}.get(name, name).replace("_", "-")
        raise ConfigError(f"--{option} {why}; leave it away.")


def reproduce(asked: Asked) -> None:
    """Run what is missing, then show and write everything."""
    from ...evaluate.paper.journal import Journal
    from ...evaluate.paper.sheet import read_sheet

    worker, finished = _worker(asked.worker), True
    if asked.only_report:
        journal, sheet = Journal(asked.out), read_sheet(asked.out)
        sheet.spots = {t: spots for t, spots in sheet.spots.items() if t in asked.targets}
        if not sheet.spots:
            raise ConfigError(f"{asked.out} has nothing of {', '.join(asked.targets)}; run it"
                              " without --only-report first.")  # fmt: skip
    else:
        sheet, journal, finished = _run(asked, worker)
    if journal.broken:
        say("Note", f"{journal.broken} lines that were cut off were left aside.", style="dim",
            to=errors)  # fmt: skip
    if worker[1] > 1 and not asked.only_report:
        _leave_worker(journal, finished)
        return
    _finish(asked, sheet, journal, finished)


def _worker(text: str) -> tuple[int, int]:
    if not text:
        return 1, 1
    match = re.fullmatch(r"(\d{1,3})/(\d{1,3})", text)
    number, count = (int(part) for part in match.groups()) if match else (0, 0)
    if not 1 <= number <= count:
        raise ConfigError(f"--worker wants I/N with I from 1 to N, as 3/12, found {text!r}.")
    return number, count


def _run(asked: Asked, worker: tuple[int, int]) -> tuple[Sheet, Journal, bool]:
    """Everything that is not there yet; False where Ctrl-C ended it."""
    from ...evaluate.paper.sessions import session

    words = None if asked.only is None else [w.strip() for w in asked.only.split(",") if w.strip()]
    with progress():
        found = session(asked.targets, asked.out, seeds=asked.seeds, quick=asked.quick, data=words,
                        device=asked.device, worker=worker)  # fmt: skip
    todo, count = found.todo, len(found.jobs)
    if found.known and not asked.as_json:
        say("Going on", f"{found.known} of {count} cells are there already.", style="bold",
            to=errors)  # fmt: skip
    with progress():
        try:
            for record in found.run():
                if not record.done:
                    say("Failed", f"{record.job}: {record.why}", style="red", to=errors)
        except KeyboardInterrupt:
            left = sum(not found.journal.done(job.key) for job in todo)
            say("Stopped", f"{len(todo) - left} cells were done, {left} are left; the same command"
                           " goes on.", style="yellow", to=errors)  # fmt: skip
            return found.sheet, found.journal, False
    return found.sheet, found.journal, True


def _leave_worker(journal: Journal, finished: bool) -> None:
    number, count = journal.worker
    if not finished:
        say("Stopped", f"worker {number}/{count}; the same command goes on.", style="yellow")
        raise typer.Exit(130)
    say("Worker", f"{number}/{count} is done; when all are, the same command without --worker"
                  " measures times and writes the report.", style="green")  # fmt: skip


def _finish(asked: Asked, sheet: Sheet, journal: Journal, finished: bool) -> None:
    """Tables to the terminal, CSV and HTML to the folder, and a last line."""
    from ...evaluate.paper.collect import failed, missing, records_of, tables_of, write_csv
    from .show import show

    tables = tables_of(sheet, journal.records)
    write_csv(tables, sheet, journal.records, asked.out / "tables")
    for table in () if asked.as_json else tables:
        show(table)
    wrote = _write(asked, sheet, journal, tables)
    if asked.as_json:
        print_json(
            {
                "tables": [
                    {"name": t.name, "title": t.title, "source": t.source, "quick": t.quick,
                     "notes": list(t.notes), "cells": records_of(t)}
                    for t in tables
                ],
                "missing": missing(sheet),
                "failed": failed(tables),
                "finished": finished,
                "folder": str(asked.out),
            }
        )  # fmt: skip
    done = sum(table.count("done") for table in tables)
    if not asked.as_json:
        _last_line(tables, sheet, done, wrote)
    if not finished:
        raise typer.Exit(130)
    if not done:
        raise ConfigError("nothing could be done; the tables say why.")


def _last_line(tables: Sequence[Table], sheet: Sheet, done: int, wrote: str) -> None:
    from ...evaluate.paper.collect import missing

    for text in missing(sheet):
        say("Missing", text, style="yellow")
    counts = {word: sum(t.count(word) for t in tables)
              for word in ("missing", "left out", "failed", "not yet")}  # fmt: skip
    words = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    say("Done", f"{done} cells of {len(tables)} tables{', ' if words else ''}{words}; {wrote}",
        style="green")  # fmt: skip


def _write(asked: Asked, sheet: Sheet, journal: Journal, tables: list[Table]) -> str:
    """The page, of everything that the folder has; the last words about it."""
    folder = asked.out
    if asked.no_report:
        return f"tables are in {folder / 'tables'}."
    from ...evaluate.paper.collect import tables_of
    from ...evaluate.paper.sheet import read_sheet

    whole = read_sheet(folder)
    try:
        from ...report.html.reproduction import write_reproduction

        everything = tables_of(whole, journal.records)
        path = write_reproduction(whole, journal.records, everything, folder / "report.html")
    except (ImportError, MissingExtraError) as error:
        say("Note", f"no page was written: {error}", style="dim", to=errors)
        return f"tables are in {folder / 'tables'}."
    return f"open {path}."
