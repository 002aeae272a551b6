"""``s2n datasets``: the named benchmarks and whether they are here."""

from __future__ import annotations

from rich import box
from rich.table import Table

from .output import AsJson, console, print_json, say


def datasets(as_json: AsJson = False) -> None:
    """List the named benchmarks: which are here, how large they are, under which licence.

    Benchmarks are looked for in the folders that S2N_DATA names, then in the user's cache.

    Example: S2N_DATA=~/data s2n datasets
    """
    from ..datasets import SHAPES, SYNTHETIC, data_folders, others, overview

    rows, more = overview(), {name: str(path) for name, path in others().items()}
    if as_json:
        looked = [str(folder) for folder in data_folders()]
        print_json({"folders": looked, "benchmarks": rows, "others": more})
        return
    view = Table(box=box.SIMPLE_HEAD)
    for name in ("Name", "Here", "Nodes", "Edges", "Subgraphs", "Classes", "Licence"):
        number = name in ("Nodes", "Edges", "Subgraphs", "Classes")
        view.add_column(name, justify="right" if number else "left", no_wrap=True)
    roomy = console.width >= 120
    if roomy:
        view.add_column("Nodes; subgraphs; labels")
    for row in rows:
        counts = [f"{row['published'][k]:,}" for k in ("nodes", "edges", "subgraphs", "classes")]
        here = "[green]yes[/]" if row["here"] else "no"
        view.add_row(row["name"], here, *counts, row["licence"], *([row["about"]] * roomy))
    console.print(view)
    if more:
        say("Also here", ", ".join(more), style="bold")
    folders = ", ".join(str(folder) for folder in data_folders())
    say("Sizes", "as published", style="bold")
    say("Looked for in", folders, style="bold")
    text = (
        f"generate:{{{','.join(SYNTHETIC)}}} draws a synthetic benchmark,"
        f" like:{{{','.join(SHAPES)}}} random data of a published shape."
    )
    say("Without data", text, style="bold")
