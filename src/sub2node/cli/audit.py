"""``s2n audit``: whether a score on the data can be trusted, check by check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from ..base.plural import plural
from .data_arguments import DataArguments, reads_data
from .help_text import EVALUATION
from .options import AsJson, Groups, Overwrite, out_option
from .output import console, print_json, progress, say, show_notes, table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..audit import Audit

_STYLES = {"problem": "bold red", "warning": "yellow", "ok": "green"}


@reads_data
def audit(
    source: DataArguments,
    *,
    groups: Groups = None,
    edge_origins: Annotated[
        Path | None,
        typer.Option(
            "--edge-origins",
            metavar="FILE",
            help="Where edges come from: a table source, target, origin. Each origin is checked for"
            " edges that follow the labels of test subgraphs.",
            rich_help_panel=EVALUATION,
        ),
    ] = None,
    permutations: Annotated[
        int,
        typer.Option(
            "--permutations",
            help="How often labels are permuted; more give smaller p-values.",
            rich_help_panel=EVALUATION,
        ),
    ] = 39,
    out: Annotated[
        Path | None,
        out_option("Folder to write audit.json to; in that of a run, s2n report shows it."),
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Check your data for what makes a score untrustworthy.

    Examples:
        s2n audit my-folder
        s2n audit my-folder --groups publication
        s2n audit my-folder --edge-origins evidence.csv
        s2n audit my-folder -o my-run && s2n report my-run

    Near copies and groups across parts, permuted labels, random sets, what the test part can show,
    and more: a verdict each, with the numbers behind it and what to do. Labels of the test part
    are read, so audit data with it, and do not choose models by it.
    """
    from ..audit import audit as check_task
    from ..audit.audit_files import check_audit_file, save_audit
    from ..io.tables import TableReader

    if out is not None:
        check_audit_file(out, overwrite=overwrite)
    task = source.load()
    by_id = None
    if groups is not None:
        by_id = dict(zip(task.subgraph_ids, task.attributes.require(groups), strict=True))
    origins = None if edge_origins is None else TableReader().read(edge_origins, "edges")
    with progress():
        found = check_task(task, groups=by_id, origins=origins, permutations=permutations)
    path = None if out is None else save_audit(found, out, overwrite=overwrite)
    if as_json:
        print_json(found.to_dict())
        return
    _show(found, shown=task.notes)
    if path is not None:
        say("Wrote", str(path), style="green")


def _show(found: Audit, *, shown: Iterable[str]) -> None:
    view = table(f"Audit of {found.name or 'the task'}", "Check", "Verdict", "What was found")
    view.columns[1].no_wrap = True
    for column in view.columns[1:]:
        column.justify = "left"
    for check in found.checks:
        view.add_row(
            check.title,
            Text(check.verdict, style=_STYLES.get(check.verdict, "dim")),
            Text(check.found),
        )
    console.print(view)
    for check in found.checks:
        if check.verdict != "ok":
            word = str(check.verdict).capitalize()
            style = _STYLES.get(check.verdict, "dim")
            say(word, f"{check.title}: {check.advice}", style=style)
    show_notes(found.notes, except_for=shown)
    counts = [sum(check.verdict == word for check in found.checks) for word in _STYLES]
    kinds = ("problem", "warning")
    said = " and ".join(plural(count, kind) for count, kind in zip(counts, kinds, strict=False))
    say("Audit", f"{said}, {counts[2]} ok.", style="bold")
