"""``s2n coarsen``: the global graph → sets of nodes → virtual subgraphs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ConfigError
from .output import AsJson, console, print_json, progress, say, table
from .reading import Reading, reads_data

if TYPE_CHECKING:
    from ..coarsen import Coarsening


@reads_data
def coarsen(
    reading: Reading,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="variation_edges, variation_neighborhoods, variation_cliques, heavy_edge,"
            " algebraic_jc, affinity_gs, louvain; to compare with: ego_nets, random_walks.",
        ),
    ] = "variation_edges",
    ratio: Annotated[
        float, typer.Option("--ratio", help="Fraction of nodes to remove, between 0 and 1.")
    ] = 0.5,
    eigenvectors: Annotated[
        int, typer.Option("--eigenvectors", help="How many local variation preserves.")
    ] = 4,
    small: Annotated[
        str,
        typer.Option(
            "--small",
            help="Components of at most --eigenvectors nodes: leave-out, or keep as one set.",
        ),
    ] = "leave-out",
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same sets.")] = 0,
    errors: Annotated[
        int, typer.Option("--errors", help="Eigenvalues to measure the loss on; 0: none.")
    ] = 10,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Folder to write: sets, coarse graph, and the data."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder.")] = False,
    as_json: AsJson = False,
) -> None:
    """Coarsen the graph: nodes into sets, each set a virtual subgraph that CoS2N passes through.

    The folder is the data with virtual subgraphs in it: s2n run FOLDER --structure cos2n+a.

    Example: s2n coarsen generate:density --method variation_edges --ratio 0.3 -o density-coarse
    """
    from ..coarsen import coarsen as make
    from ..coarsen.coarsen import check_method
    from ..coarsen.store import check_place, save_coarsening, summary
    from ..evaluate.protocol import split_if_needed

    check_method(method, ratio)
    if errors < 0 or errors == 1:
        raise ConfigError(f"--errors is 0, or two eigenvalues at least, found {errors}.")
    if out is not None:
        check_place(out, overwrite=overwrite)
    task = reading.load()
    if task.num_virtual:
        raise ConfigError("the data has virtual subgraphs already; coarsen what it was made from.")
    start = time.perf_counter()
    with progress():
        found = make(task.graph, method, ratio, eigenvectors=eigenvectors, small=small, seed=seed)  # type: ignore[arg-type]
        seconds = time.perf_counter() - start
        measured, about = _errors(found, errors)
        task, drawn = split_if_needed(task)
        notes = [*(drawn if out is not None else ()), *found.notes, *about]
        facts: dict[str, Any] = {"seconds": seconds, **measured, "notes": notes}
        if out is not None:
            save_coarsening(found, task, out, facts=facts, overwrite=overwrite)
    result = {**summary(found), **facts, "out": None if out is None else str(out)}
    print_json(result) if as_json else _show(result, task.name)


def _errors(found: Coarsening, count: int) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What was measured, and what to know about it."""
    if not count or found.partition is None:
        return {}, ()
    measured = found.errors(count)
    facts = {
        "spectral": {
            "eigenvalues": len(measured.fine),
            "mean_eigenvalue_error": measured.mean,
            "eigenvalue_errors": list(measured.eigenvalues),
            "subspace_error": measured.subspace,
        }
    }
    return facts, measured.notes


def _show(result: dict[str, Any], name: str) -> None:
    title = f"{name or 'The graph'}, {result['method']}:{result['ratio']:g}"
    view = table(title, "", "before", "after")
    edges = result["edges"]["after"]
    view.add_row("Nodes", f"{result['nodes']:,}", f"{result['sets']:,} sets")
    view.add_row(
        "Edges", f"{result['edges']['before']:,}", "sets overlap" if edges is None else f"{edges:,}"
    )
    console.print(view)
    sizes = result["sizes"]
    say(
        "Virtual subgraphs",
        f"{result['virtual_subgraphs']:,} of two nodes at least, over {result['covered_nodes']:,}"
        f" nodes; sizes {sizes['median']:g} (median), {sizes['mean']:.1f} (mean),"
        f" {sizes['max']:,} (largest)",
        style="bold",
    )
    if result["left_out"]:
        say("Left out", f"{result['left_out']:,} nodes", style="bold")
    if "spectral" in result:
        found = result["spectral"]
        say(
            "Spectral error",
            f"the first {found['eigenvalues']} eigenvalues are {found['mean_eigenvalue_error']:.1%}"
            f" too large on average; subspace error {found['subspace_error']:.3f}",
            style="bold",
        )
    say("Time", f"{result['seconds']:.1f} s", style="bold")
    for note in result["notes"]:
        say("Note", note, style="dim")
    if result["out"] is not None:
        say("Wrote", result["out"], style="green")
