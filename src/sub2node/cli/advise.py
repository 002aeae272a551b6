"""``s2n advise``: which structure fits the data, with its evidence, before training."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from ..base.plural import plural
from .data_arguments import DataArguments, reads_data
from .options import AsJson, Conv, Device, Seeds, minutes_option
from .output import console, errors, print_json, progress, say, show_notes, table

if TYPE_CHECKING:
    from rich.table import Table

    from ..advice import Advice, Traits


@reads_data
def advise(
    source: DataArguments,
    *,
    minutes: Annotated[float, minutes_option("How long all of it may take, about.")] = 2.0,
    probes: Annotated[
        bool,
        typer.Option(
            "--probes/--no-probes",
            help="Short trainings on train and val; without them, rules decide.",
        ),
    ] = True,
    conv: Conv = None,
    seeds: Seeds = 2,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Recommend a structure for your data, with the evidence.

    Examples:
        s2n advise my-folder
        s2n advise sets.gmt --graph edges.tsv --labels labels.csv --minutes 10

    Measures the data, times each structure and trains the likely ones for a short while. The test
    part is never looked at. Ctrl-C ends the training in hand; what was measured by then counts.
    """
    task = source.load()
    from ..advice import advise as advice_for
    from ..advice.wording import next_commands

    with progress():
        advice = advice_for(
            task, minutes=minutes, probes=probes, conv=conv or "gcn2", seeds=seeds, device=device
        )
    data = source.command_line()
    if as_json:
        print_json({**advice.to_dict(), "next": next_commands(advice, data)})
    else:
        _show_advice(advice, data, shown=task.notes)
    if advice.interrupted:
        count = plural(len(advice.probes), "structure")
        say("Stopped", f"after {count}.", style="yellow", to=errors)
        raise typer.Exit(130)


def _show_advice(advice: Advice, data: str, *, shown: Iterable[str]) -> None:
    from ..advice.wording import next_commands, recommendation

    console.print(_traits_table(advice.traits, advice.name))
    console.print(_structures_table(advice))
    show_notes(advice.notes, except_for=shown)
    for reason in advice.reasons:
        say("Rule", reason.text, style="dim")
    console.print()
    say("Advice", " ".join(recommendation(advice)), style="bold green")
    for command in next_commands(advice, data):
        say("Next", command, style="cyan")


def _traits_table(traits: Traits, name: str) -> Table:
    view = table(name or "Task", "", "")
    view.show_header = False

    def row(what: str, value: str) -> None:
        view.add_row(what, value)

    row("Nodes, edges", f"{traits.nodes:,}, {traits.edges:,}")
    row("Density", f"{traits.density:.4f}")
    row("Nodes in some subgraph", f"{traits.coverage:.1%}")
    shares = (traits.inside, traits.between, traits.border, traits.outside)
    row("Edges inside, between, at the border, outside", ", ".join(f"{s:.0%}" for s in shares))
    view.add_section()
    row("Subgraphs", f"{traits.subgraphs:,}")
    sizes = f"{traits.size_mean:.1f} ± {traits.size_sd:.1f}, at most {traits.size_max:,}"
    row("Nodes per subgraph", sizes)
    row("Components per subgraph", f"{traits.components:.1f}")
    row("Density inside", f"{traits.internal_density:.3f} ± {traits.internal_density_sd:.3f}")
    row("Covered nodes in several subgraphs", f"{traits.overlap.several:.1%}")
    row("Overlap of two subgraphs (Jaccard)", f"{traits.overlap.jaccard:.4f}")
    if traits.links is not None:
        view.add_section()
        row(f"Links of the S2N graph at a = {traits.links.cut:g}", f"{traits.links.count:,}")
        row("Its density", f"{traits.links.density:.4f}")
        row("Subgraphs without a link", f"{traits.links.isolated:.1%}")
    if traits.labelled is not None:
        labelled = traits.labelled
        view.add_section()
        row("Classes", f"{labelled.classes}")
        counts = f"{labelled.least:,}, {labelled.median:g}"
        row("Training subgraphs per class: least, median", counts)
        if labelled.homophily is not None:
            overlap = f"{labelled.homophily:.1%}, {labelled.chance:.1%}"
            row("Label overlap of linked ones, of any two", overlap)
    return view


def _structures_table(advice: Advice) -> Table:
    from ..advice.wording import duration, size

    count = advice.costs[0].seeds if advice.costs else 0
    tried = {model.name: model for model in (*advice.simple, *advice.probes)}
    view = table(
        "Structures", "", f"Time, {plural(count, 'seed')}", "Memory", "Validation", "Verdict"
    )
    for column in view.columns[:-1]:
        column.no_wrap = True
    view.columns[-1].justify = "left"

    def score(name: str) -> str:
        if name not in tried or name not in advice.draws.scores:
            return "-"
        low, high = advice.draws.interval(name)
        return f"{100 * tried[name].score:.1f} ({100 * low:.0f} to {100 * high:.0f})"

    for cost in advice.costs:
        view.add_row(
            cost.structure,
            duration(cost.seconds),
            size(cost.memory),
            score(cost.structure),
            Text(advice.verdict(cost.structure)),
            style="bold" if cost.structure == advice.structure else "",
        )
    if advice.simple:
        view.add_section()
    for model in advice.simple:
        view.add_row(model.name, duration(model.seconds), "", score(model.name), "simple model")
    if advice.probes:
        view.caption = Text("Validation: micro-F1 and its 95 % interval")
        view.caption_justify = "left"
    return view
