"""``s2n advise``: which structure fits the data, with its evidence, before training."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from .output import AsJson, Device, console, errors, print_json, progress, say, table
from .reading import Reading, reads_data

if TYPE_CHECKING:
    from rich.table import Table

    from ..evaluate.advice import Advice, Traits


@reads_data
def advise(
    reading: Reading,
    minutes: Annotated[
        float, typer.Option("--minutes", help="How long all of it may take, about.")
    ] = 2.0,
    probes: Annotated[
        bool,
        typer.Option(
            "--probes/--no-probes",
            help="Short trainings on train and val; without them, rules decide.",
        ),
    ] = True,
    conv: Annotated[
        str, typer.Option("--conv", help="gcn, gcn2, gin, gatv2, sage, or module:Class.")
    ] = "gcn2",
    seeds: Annotated[int, typer.Option("--seeds", help="Of each probe.")] = 2,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Say which structure fits the data: its characteristics, time and memory, short trainings.

    The test part is never looked at. Ctrl-C ends the probe in hand; what was found by then counts.

    Example: s2n advise generate:density --minutes 1
    """
    task = reading.load()
    from ..evaluate.advice import advise as advice_for
    from ..evaluate.advice.words import next_commands

    with progress():
        found = advice_for(
            task, minutes=minutes, probes=probes, conv=conv, seeds=seeds, device=device
        )
    words = _words(reading)
    if as_json:
        print_json({**found.to_dict(), "next": next_commands(found, words)})
    else:
        _show(found, words)
    if found.interrupted:
        count = len(found.probes)
        say("Stopped", f"after {count} of the structures.", style="yellow", to=errors)
        raise typer.Exit(130)


def _words(reading: Reading) -> str:
    """The data as it was named, for the next command."""
    words, plain = [reading.data], Reading(reading.data)
    for field in fields(Reading):
        value = getattr(reading, field.name)
        if value == getattr(plain, field.name):
            continue
        option = f"--{field.name.replace('_', '-')}"
        if isinstance(value, bool):
            words.append(option if value else f"--no-{field.name}")
        else:
            for each in value if isinstance(value, list) else [value]:
                words += [option, str(each)]
    return shlex.join(words)


def _show(found: Advice, words: str) -> None:
    from ..evaluate.advice.words import next_commands, recommendation

    console.print(_traits(found.traits, found.name))
    console.print(_structures(found))
    for note in found.notes:
        say("Note", note, style="dim")
    for reason in found.reasons:
        say("Rule", reason.text, style="dim")
    console.print()
    say("Advice", " ".join(recommendation(found)), style="bold green")
    for command in next_commands(found, words):
        say("Next", command, style="cyan")


def _traits(found: Traits, name: str) -> Table:
    view = table(name or "Task", "", "")
    view.show_header = False

    def row(what: str, value: str) -> None:
        view.add_row(what, value)

    row("Nodes, edges", f"{found.nodes:,}, {found.edges:,}")
    row("Density", f"{found.density:.4f}")
    row("Nodes in some subgraph", f"{found.coverage:.1%}")
    shares = (found.inside, found.between, found.border, found.outside)
    row("Edges inside, between, at the border, outside", ", ".join(f"{s:.0%}" for s in shares))
    view.add_section()
    row("Subgraphs", f"{found.subgraphs:,}")
    row("Nodes a subgraph", f"{found.size_mean:.1f} ± {found.size_sd:.1f}, at most"
        f" {found.size_max:,}")  # fmt: skip
    row("Components a subgraph", f"{found.components:.1f}")
    row("Density inside", f"{found.internal_density:.3f} ± {found.internal_density_sd:.3f}")
    row("Covered nodes in several subgraphs", f"{found.overlap.several:.1%}")
    row("Overlap of two subgraphs (Jaccard)", f"{found.overlap.jaccard:.4f}")
    if found.links is not None:
        view.add_section()
        row(f"Links of the S2N graph at a = {found.links.cut:g}", f"{found.links.count:,}")
        row("Its density", f"{found.links.density:.4f}")
        row("Subgraphs without a link", f"{found.links.isolated:.1%}")
    if found.labelled is not None:
        labelled = found.labelled
        view.add_section()
        row("Classes", f"{labelled.classes}")
        row("Training subgraphs a class: least, median",
            f"{labelled.least:,}, {labelled.median:g}")  # fmt: skip
        if labelled.homophily is not None:
            row("Label overlap of linked ones, of any two",
                f"{labelled.homophily:.1%}, {labelled.chance:.1%}")  # fmt: skip
    return view


def _structures(found: Advice) -> Table:
    from ..evaluate.advice.words import duration, size

    count = found.costs[0].seeds if found.costs else 0
    tried = {each.name: each for each in (*found.simple, *found.probes)}
    view = table("Structures", "", f"Time, {count} seeds", "Memory", "Validation", "Verdict")
    for column in view.columns[:-1]:
        column.no_wrap = True
    view.columns[-1].justify = "left"

    def score(name: str) -> str:
        if name not in tried or name not in found.draws.scores:
            return "-"
        low, high = found.draws.interval(name)
        return f"{100 * tried[name].score:.1f} ({100 * low:.0f} to {100 * high:.0f})"

    for each in found.costs:
        mark = "~" if each.source == "extrapolated" and not each.reason else ""
        style = "bold" if each.structure == found.structure else ""
        memory = "-" if each.reason else f"{mark}{size(each.memory)}"
        view.add_row(
            each.structure, f"{mark}{duration(each.seconds)}", memory, score(each.structure),
            Text(found.verdict(each.structure)), style=style,
        )  # fmt: skip
    if found.simple:
        view.add_section()
    for model in found.simple:
        view.add_row(model.name, duration(model.seconds), "", score(model.name), "simple model")
    marks = ["Validation: micro-F1 and its 95 % interval"] * bool(found.probes)
    if any(each.source == "extrapolated" and not each.reason for each in found.costs):
        marks.append("~ extrapolated from counted operations, the others timed")
    view.caption = Text("; ".join(marks)) if marks else None
    view.caption_justify = "left"
    return view
