"""``s2n datasets``: the named benchmarks and whether they are here."""

from __future__ import annotations

from rich import box
from rich.table import Table

from .output import AsJson, console, print_json


def datasets(as_json: AsJson = False) -> None:
    """List the named benchmarks: which are here, how large they are, under which licence.

    Benchmarks are looked for in the folders that S2N_DATA names, then in the user's cache.

    Example: S2N_DATA=~/data s2n datasets
    """
    from ..datasets import SHAPES, SYNTHETIC, data_folders, overview

    rows = overview()
    if as_json:
        print_json({"folders": [str(f) for f in data_folders()], "benchmarks": rows})
        return
    view = Table(box=box.SIMPLE_HEAD)
    for name, justify in (
        ("Name", "left"), ("Here", "left"), ("Nodes", "right"), ("Edges", "right"),
        ("Subgraphs", "right"), ("Classes", "right"), ("Nodes; subgraphs; labels", "left"),
        ("Licence", "left"),
    ):  # fmt: skip
        view.add_column(name, justify=justify)  # type: ignore[arg-type]
    for row in rows:
        counts = [f"{row['published'][k]:,}" for k in ("nodes", "edges", "subgraphs", "classes")]
        here = "[green]yes[/]" if row["here"] else "no"
        view.add_row(row["name"], here, *counts, row["about"], row["licence"])
    console.print(view)
    folders = ", ".join(str(folder) for folder in data_folders())
    console.print(f"Sizes as published. Looked for in: {folders}", soft_wrap=True)
    console.print(
        f"Without data: generate:{{{','.join(SYNTHETIC)}}} draws a synthetic benchmark,"
        f" like:{{{','.join(SHAPES)}}} random data of a published shape.",
        soft_wrap=True,
        highlight=False,
    )
