"""``s2n translate``: a task to its S2N graph, in memory or on an engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..base.addresses import is_address
from ..base.errors import ConfigError
from ..base.records import JsonObject
from .data_arguments import DataArguments, reads_data
from .options import AsJson, Overwrite, out_option
from .output import console, print_json, progress, say, table
from .picture_file import Picture, check_picture, write_picture

if TYPE_CHECKING:
    from ..task import SubgraphTask
    from ..translation import TranslationOptions


@reads_data
def translate(
    source: DataArguments,
    *,
    out: Annotated[Path, out_option("The folder to write.")],
    te: Annotated[
        str,
        typer.Option(
            "--te", help="What a link counts (T_e): edges, shared_nodes or shortest_path."
        ),
    ] = "edges",
    self_loops: Annotated[
        bool, typer.Option("--self-loops/--no-self-loops", help="W = M(A+I)Mᵀ, or M A Mᵀ.")
    ] = True,
    max_distance: Annotated[
        int, typer.Option("--max-distance", help="Most hops that count, for shortest_path.")
    ] = 2,
    direction: Annotated[
        str,
        typer.Option(
            "--direction",
            help="Of directed edges, which join i to j: those from i to j (out), from j to i (in),"
            " or both.",
        ),
    ] = "both",
    a: Annotated[
        float | None, typer.Option("--a", help="Normalise: the standard score that becomes 0.")
    ] = None,
    delta: Annotated[
        float | None,
        typer.Option(
            "--delta",
            help="Normalise: how far above a is 1.",
            show_default="1",
        ),
    ] = None,
    cut: Annotated[
        float | None, typer.Option("--cut", help="Drop entries at or below this standard score.")
    ] = None,
    min_weight: Annotated[
        float | None, typer.Option("--min-weight", help="Drop entries below this weight.")
    ] = None,
    top_k: Annotated[
        int | None,
        typer.Option("--top-k", help="Keep the diagonal and the k largest others of either end."),
    ] = None,
    picture: Picture = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Translate data to its S2N graph: each subgraph becomes a node.

    Examples:
        s2n translate my-folder -o my-graph --picture graph.png
        s2n translate my-folder -o my-graph --engine duckdb --memory 2GB

    Two subgraphs are joined by the number of edges between them. With the engines duckdb and spark,
    DATA may be a folder of Parquet tables (s2n convert makes one); neither it nor the result is
    loaded.
    """
    from ..base.files import check_folder
    from ..translation import TranslationOptions
    from ..translation.graph_files import OURS
    from ..translation.translate import check_engine, check_settings

    if delta is not None and a is None:
        raise ConfigError("--delta goes with --a: scores from a to a + delta become 0 to 1.")
    settings = TranslationOptions(
        te=te,
        self_loops=self_loops,
        max_distance=max_distance,
        direction=direction,  # type: ignore[arg-type]  # checked below
        cut=cut,
        min_weight=min_weight,
        top_k=top_k,
        a=a,
        delta=None if a is None else 1.0 if delta is None else delta,
    )
    check_settings(settings)
    check_folder(out, overwrite=overwrite, ours=OURS)
    if picture is not None:
        check_picture(picture, source.engine, overwrite=overwrite)
    engine, folder = source.engine, Path(source.data)
    if is_address(source.data):
        raise ConfigError("translate reads files of this machine: copy what is at the address.")
    check_engine(engine, te, master=source.master, spill=source.spill)
    from_tables = engine != "memory" and source.is_plain and (folder / "edges.parquet").exists()
    in_memory = replace(source, engine="memory", memory=None, spill=None, master=None)
    task = None if from_tables else in_memory.load()
    with progress():
        if engine == "memory" and task is not None:
            _translate_in_memory(task, out, settings, memory=source.memory, overwrite=overwrite)
            if picture is not None:
                write_picture(out, task, picture, overwrite=overwrite)
        else:
            _translate_on_engine(
                task or folder,
                out,
                settings,
                overwrite=overwrite,
                options={
                    "engine": engine,
                    "memory": source.memory,
                    "master": source.master,
                    "spill": source.spill,
                },
            )
        summary = _summarize(out, task, folder)
    if as_json:
        print_json(summary | ({} if picture is None else {"picture": str(picture)}))
    else:
        _show_summary(summary, out)
        if picture is not None:
            say("Picture", str(picture), style="green")


def _translate_in_memory(
    task: SubgraphTask,
    out: Path,
    settings: TranslationOptions,
    *,
    memory: str | None,
    overwrite: bool,
) -> None:
    from ..translation import translate as translate_task

    # With a range of scores asked for, what lies below it need never be held.
    cut = settings.cut if settings.a is None else settings.a
    graph = translate_task(
        task,
        te=settings.te,
        self_loops=settings.self_loops,
        max_distance=settings.max_distance,
        direction=settings.direction,
        cut=cut,
        min_weight=settings.min_weight,
        top_k=settings.top_k,
        memory=memory,
    )
    if settings.a is not None and settings.delta is not None:
        graph = replace(graph.normalize(settings.a, settings.delta), settings=settings)
    graph.save(out, task, overwrite=overwrite)


def _translate_on_engine(
    data: SubgraphTask | Path,
    out: Path,
    settings: TranslationOptions,
    *,
    overwrite: bool,
    options: dict[str, Any],
) -> None:
    from ..base.files import new_folder
    from ..translation.engines import translate_to
    from ..translation.graph_files import OURS

    with new_folder(out, overwrite=overwrite, ours=OURS, sealed=True) as folder:
        translate_to(data, folder, settings, **options)


def _summarize(out: Path, task: SubgraphTask | None, data: Path) -> JsonObject:
    """What went in and what came out, from the stored graph, without loading it."""
    from ..base.notes import data_changes
    from ..evaluate import Compression
    from ..evaluate.homophily import homophily_of_pairs
    from ..translation.graph_files import graph_card, read_labels, read_pairs

    card = graph_card(out)
    nodes, edges = _count_input(task, data)
    diagonal, pairs, count = 0, card["entries"], card["nodes"]
    homophily, symmetric = None, card["settings"].get("direction", "both") == "both"
    labels = read_labels(out)
    for row, column in read_pairs(out):
        diagonal += int((row == column).sum())
    if labels is not None:
        measured = homophily_of_pairs(read_pairs(out), labels, half=symmetric)
        homophily = {"edge": measured.edge, "node": measured.node} if measured.edges else None
    after = pairs - diagonal
    compression = Compression(nodes, count, edges, after)
    return {
        "nodes": {"before": nodes, "after": count},
        "edges": {"before": edges, "after": after},
        "before_counts": "rows of the tables" if task is None else "nodes and edges",
        "self_loops": diagonal,
        "compression": {"nodes": compression.nodes, "edges": compression.edges},
        "density": compression.density / (1 if symmetric else 2),
        "homophily": homophily,
        "statistics": card["statistics"],
        "settings": card["settings"],
        "spilled_bytes": card.get("spilled_bytes", 0),
        "notes": [] if task is None else list(data_changes(task.notes)),
        "out": str(out),
    }


def _count_input(task: SubgraphTask | None, data: Path) -> tuple[int | None, int]:
    """Nodes and edges that went in; of tables that were never loaded, the rows they have."""
    if task is not None:
        return task.graph.num_nodes, task.graph.num_edges
    from ..translation.graph_files import count_rows

    nodes = data / "nodes.parquet"
    return count_rows(nodes) if nodes.exists() else None, count_rows(data / "edges.parquet")


def _show_summary(summary: JsonObject, out: Path) -> None:
    view = table("Translated", "", "before", "after", "ratio")
    for what in ("nodes", "edges"):
        before, after = summary[what]["before"], summary[what]["after"]
        ratio = summary["compression"][what]
        view.add_row(
            what.capitalize(),
            "unknown" if before is None else f"{before:,}",
            f"{after:,}",
            "" if ratio is None else f"×{ratio:.4g}",
        )
    console.print(view)
    if summary["before_counts"].startswith("rows"):
        say("Before", "rows of the tables, which may list an edge more than once", style="bold")
    numbers = summary["statistics"]
    spread = "" if numbers["std"] is None else f" ± {numbers['std']:.4g}"
    say("Weights", f"{numbers['mean']:.4g}{spread} over all pairs of the train block", style="bold")
    say("Density", f"{summary['density']:.4g}", style="bold")
    say("Self-loops", f"{summary['self_loops']:,}", style="bold")
    if summary["homophily"] is not None:
        shares = summary["homophily"]
        text = f"edge {shares['edge']:.3f}, node {shares['node']:.3f} (without self-loops)"
        say("Homophily", text, style="bold")
    if summary["spilled_bytes"]:
        say("Spilled", f"{summary['spilled_bytes'] / 1e9:.2f} GB at most", style="bold")
    say("Wrote", str(out), style="green")
