"""``s2n coarsen``: the global graph → sets of nodes → virtual subgraphs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigError
from ..base.plural import plural
from ..base.records import JsonObject
from .data_arguments import DataArguments, reads_data
from .options import AsJson, Overwrite, out_option
from .output import console, print_json, progress, say, show_notes, table

if TYPE_CHECKING:
    from ..coarsen import Coarsening
    from ..task import SubgraphTask


@reads_data
def coarsen(
    source: DataArguments,
    *,
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
        int, typer.Option("--eigenvectors", help="Eigenvectors that local variation preserves.")
    ] = 4,
    small: Annotated[
        str,
        typer.Option(
            "--small",
            help="Components of at most --eigenvectors nodes: leave-out, or keep as one set.",
        ),
    ] = "leave-out",
    averaging: Annotated[
        str,
        typer.Option(
            "--averaging",
            help="How local variation passes vectors to the next level: mean over a set, or root:"
            " sum over the root of its size, as the published code.",
        ),
    ] = "mean",
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same sets.")] = 0,
    errors: Annotated[
        int, typer.Option("--errors", help="Eigenvalues to measure the loss on; 0: none.")
    ] = 10,
    out: Annotated[
        Path | None, out_option("Folder to write: sets, coarse graph, and the data.")
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Coarsen the graph into virtual subgraphs for CoS2N.

    Examples:
        s2n coarsen my-folder --ratio 0.3 -o my-coarse-folder
        s2n run my-coarse-folder --structure cos2n+a

    The folder is the data with the virtual subgraphs in it.
    """
    from ..base.notes import data_changes
    from ..coarsen import coarsen as coarsen_graph
    from ..coarsen.coarsen import check_method
    from ..coarsen.coarsening_files import check_place, save_coarsening, summary
    from ..evaluate.protocol import split_if_needed

    check_method(method, ratio)
    if errors < 0 or errors == 1:
        raise ConfigError(f"--errors is 0, or two eigenvalues at least, found {errors}.")
    if out is not None:
        check_place(out, overwrite=overwrite)
    task = source.load()
    if task.num_virtual:
        raise ConfigError("the data has virtual subgraphs already; coarsen what it was made from.")
    start = time.perf_counter()
    with progress():
        coarsening = coarsen_graph(
            task.graph,
            method,
            ratio,
            eigenvectors=eigenvectors,
            small=small,  # type: ignore[arg-type]  # checked there
            averaging=averaging,  # type: ignore[arg-type]  # checked there
            seed=seed,
        )
        seconds = time.perf_counter() - start
        spectral, spectral_notes = _measure_errors(coarsening, errors)
        task, split_notes = split_if_needed(task)
        changes = [*data_changes(task.notes), *(split_notes if out is not None else ())]
        notes = [*changes, *coarsening.notes, *spectral_notes]
        facts: JsonObject = {"seconds": seconds, **spectral, "notes": notes}
        if out is not None:
            save_coarsening(coarsening, task, out, facts=facts, overwrite=overwrite)
    result = {**summary(coarsening), **facts, "out": None if out is None else str(out)}
    print_json(result) if as_json else _show_coarsening(result, task)


def _measure_errors(coarsening: Coarsening, count: int) -> tuple[JsonObject, tuple[str, ...]]:
    """Spectral errors on so many eigenvalues, and what to know about them."""
    if not count or coarsening.partition is None:
        return {}, ()
    measured = coarsening.errors(count)
    facts = {
        "spectral": {
            "eigenvalues": len(measured.fine),
            "mean_eigenvalue_error": measured.mean,
            "eigenvalue_errors": list(measured.eigenvalues),
            "subspace_error": measured.subspace,
        }
    }
    return facts, measured.notes


def _show_coarsening(result: JsonObject, task: SubgraphTask) -> None:
    title = f"{task.name or 'The graph'}, {result['method']}:{result['ratio']:g}"
    view = table(title, "", "before", "after")
    edges = result["edges"]["after"]
    view.add_row("Nodes", f"{result['nodes']:,}", plural(result["sets"], "set"))
    view.add_row(
        "Edges", f"{result['edges']['before']:,}", "sets overlap" if edges is None else f"{edges:,}"
    )
    console.print(view)
    sizes = result["sizes"]
    say(
        "Virtual subgraphs",
        f"{result['virtual_subgraphs']:,} of two nodes at least, over"
        f" {plural(result['covered_nodes'], 'node')}; sizes {sizes['median']:g} (median),"
        f" {sizes['mean']:.1f} (mean), {sizes['max']:,} (largest)",
        style="bold",
    )
    if result["left_out"]:
        say("Left out", plural(result["left_out"], "node"), style="bold")
    if "spectral" in result:
        spectral = result["spectral"]
        say(
            "Spectral error",
            f"the first {spectral['eigenvalues']} eigenvalues are"
            f" {spectral['mean_eigenvalue_error']:.1%} too large on average; subspace error"
            f" {spectral['subspace_error']:.3f}",
            style="bold",
        )
    say("Time", f"{result['seconds']:.1f} s", style="bold")
    show_notes(result["notes"], except_for=task.notes)
    if result["out"] is not None:
        say("Wrote", result["out"], style="green")
