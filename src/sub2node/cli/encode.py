"""``s2n encode``: node vectors that carry the structure of the graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..base.errors import ConfigError
from ..base.plural import plural
from .data_arguments import DataArguments, reads_data
from .options import AsJson, ChangedSettings, Device, Overwrite, out_option
from .output import console, print_json, progress, say, show_notes, table

if TYPE_CHECKING:
    from ..encode import Encoding
    from ..task import SubgraphTask


@reads_data
def encode(
    source: DataArguments,
    *,
    rwpe: Annotated[
        int | None,
        typer.Option("--rwpe", help="Random-walk encoding: chances to be back after 1 to N steps."),
    ] = None,
    lappe: Annotated[
        int | None, typer.Option("--lappe", help="Laplacian encoding: N eigenvectors.")
    ] = None,
    pretrain: Annotated[
        str | None,
        typer.Option("--pretrain", help="Learned embeddings: link (link prediction) or svd."),
    ] = None,
    width: Annotated[int, typer.Option("--width", help="Columns of the embeddings.")] = 64,
    node_statistics: Annotated[
        bool,
        typer.Option("--node-statistics", help="Degree, core number, clustering, degrees around."),
    ] = False,
    subgraphs: Annotated[
        str | None,
        typer.Option(
            "--subgraphs",
            help="Vectors of subgraphs instead: structure, border (border2: two hops), wl (induced)"
            " or wl-hops.",
        ),
    ] = None,
    all_nodes: Annotated[
        bool,
        typer.Option("--all-nodes", help="For all nodes, not only those that some subgraph has."),
    ] = False,
    tolerance: Annotated[
        float,
        typer.Option("--tolerance", help="Largest error of the random-walk encoding; 0: exact."),
    ] = 0.0,
    settings: ChangedSettings = None,
    device: Device = "auto",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Compute again, even if it was computed before.")
    ] = False,
    out: Annotated[
        Path | None, out_option("File to write: .parquet, .npz or .safetensors.")
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Compute node encodings, embeddings and statistics of the graph.

    Examples:
        s2n encode my-folder --rwpe 16 --lappe 8 -o vectors.parquet
        s2n encode my-folder --subgraphs structure -o statistics.parquet

    What was computed is kept by content and not computed twice; s2n run finds it there. For the
    nodes that occur in subgraphs, unless --all-nodes; embeddings always for all nodes. Weights of
    edges count, directions do not. --set is for the pre-training, as in layers=3.
    """
    from ..config.settings import parse_setting
    from ..encode.encoding_files import check_output

    requested = {
        "rwpe": rwpe,
        "lappe": lappe,
        pretrain: width if pretrain else None,
        "structure": width if node_statistics else None,
    }
    widths = {name: columns for name, columns in requested.items() if name and columns is not None}
    if not widths and subgraphs is None:
        raise ConfigError(
            "say what to make: --rwpe 64, --lappe 64, --pretrain link, --node-statistics."
        )
    if widths and subgraphs is not None:
        raise ConfigError("--subgraphs is about subgraphs, the others are about nodes: run twice.")
    if pretrain not in (None, "link", "svd"):
        raise ConfigError(f"--pretrain is link or svd, not {pretrain!r}.")
    if settings and pretrain is None:
        raise ConfigError("--set goes with --pretrain.")
    if tolerance and rwpe is None:
        raise ConfigError("--tolerance goes with --rwpe.")
    if out is not None:
        check_output(out, overwrite=overwrite)
    options: dict[str, dict[str, Any]] = {"rwpe": {"tolerance": tolerance} if tolerance else {}}
    if pretrain:
        options[pretrain] = dict(parse_setting(text) for text in settings or [])
    task = source.load()
    if subgraphs is not None:
        _encode_subgraphs(task, subgraphs, out, as_json=as_json)
        return
    nodes = None if all_nodes else task.subgraphs.nodes
    from .. import encode as encoders

    with progress():
        encodings = [
            encoders.encode(
                task.graph,
                name,  # type: ignore[arg-type]  # checked there
                width=columns,
                nodes=nodes,
                device=device,
                fresh=fresh,
                **options.get(name, {}),
            )
            for name, columns in widths.items()
        ]
    if out is not None:
        _save_encodings(out, task, encodings)
    _show_encodings(encodings, out, as_json=as_json)


def _save_encodings(out: Path, task: SubgraphTask, encodings: list[Encoding]) -> None:
    """Write all tables for the nodes that all of them have."""
    from ..encode import Encoding
    from ..encode.encoding_files import save_encodings

    nodes = min((encoding.nodes for encoding in encodings), key=len)
    save_encodings(
        out,
        task.graph,
        [Encoding(item.name, nodes, item.at(nodes), item.facts) for item in encodings],
    )


def _show_encodings(encodings: list[Encoding], out: Path | None, *, as_json: bool) -> None:
    if as_json:
        print_json(
            [
                {**item.facts, "name": item.name, "nodes": len(item.nodes), "columns": item.width}
                for item in encodings
            ]
        )
        return
    view = table("Encodings", "", "Nodes", "Columns", "Seconds")
    view.add_column("", justify="left")
    for item in encodings:
        seconds = "kept" if item.facts.get("cached") else f"{item.facts.get('seconds', 0):.1f}"
        view.add_row(item.name, f"{len(item.nodes):,}", f"{item.width:,}", seconds, item.about)
    console.print(view)
    for item in encodings:
        if len(estimates := item.facts.get("estimates", {})) > 1:
            times = ", ".join(f"{name} {value:.1f} s" for name, value in estimates.items())
            say("Estimated", f"{item.name} by {times}", style="dim")
        show_notes(item.facts.get("notes", ()))
    if out is not None:
        say("Wrote", str(out), style="green")


def _encode_subgraphs(task: SubgraphTask, kind: str, out: Path | None, *, as_json: bool) -> None:
    """Statistics of subgraphs, raw, as a table with one row per subgraph."""
    from ..encode import border_inputs, subgraph_statistics, weisfeiler_leman
    from ..encode.border import BORDER_HOPS
    from ..encode.structure_statistics import SUBGRAPH_COLUMNS

    if kind == "structure":
        values, columns = subgraph_statistics(task), list(SUBGRAPH_COLUMNS)
    elif kind in ("wl", "wl-hops"):
        values = weisfeiler_leman(task, view="hops" if kind == "wl-hops" else "induced")
        columns = [f"round{i // 64}_{i % 64}" for i in range(values.shape[1])]
    elif kind in BORDER_HOPS:
        border = border_inputs(task, hops=BORDER_HOPS[kind])
        values, columns = border.values, list(border.columns)
    else:
        raise ConfigError(
            f"--subgraphs is structure, border, border2, wl or wl-hops, not {kind!r}."
        )
    if out is not None:
        from ..encode.encoding_files import save_subgraphs

        save_subgraphs(out, task, name=kind, columns=columns, values=values)
    means, sds = values.mean(axis=0), values.std(axis=0)
    if as_json:
        summary = {"mean": means.tolist(), "sd": sds.tolist()}
        print_json({"name": kind, "subgraphs": len(task), "columns": columns, **summary})
        return
    if kind == "structure":
        view = table(
            f"Statistics of {plural(len(task), 'subgraph')}", "", "Mean", "SD", "Least", "Largest"
        )
        for name, mean, sd, column in zip(columns, means, sds, values.T, strict=True):
            numbers = (mean, sd, *((column.min(), column.max()) if len(column) else (0, 0)))
            view.add_row(name.replace("_", " "), *(f"{number:,.4g}" for number in numbers))
        console.print(view)
    else:
        say(
            "Summaries" if kind in BORDER_HOPS else "Histograms",
            f"{values.shape[1]:,} columns of {plural(len(task), 'subgraph')}",
            style="bold",
        )
    if out is not None:
        say("Wrote", str(out), style="green")
