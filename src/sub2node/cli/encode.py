"""``s2n encode``: node vectors that carry the structure of the graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ConfigError
from .output import AsJson, Device, console, print_json, progress, say, table
from .reading import Reading, reads_data

if TYPE_CHECKING:
    from ..encode import Encoding
    from ..task import SubgraphTask


@reads_data
def encode(
    reading: Reading,
    rwpe: Annotated[
        int | None, typer.Option("--rwpe", help="Return chances of random walks up to this length.")
    ] = None,
    lappe: Annotated[
        int | None, typer.Option("--lappe", help="So many eigenvectors of the Laplacian.")
    ] = None,
    pretrain: Annotated[
        str | None, typer.Option("--pretrain", help="Embeddings: link (prediction) or svd.")
    ] = None,
    width: Annotated[int, typer.Option("--width", help="Columns of the embeddings.")] = 64,
    structure: Annotated[
        bool, typer.Option("--structure", help="Degree, core number, clustering, degrees around.")
    ] = False,
    subgraphs: Annotated[
        str | None,
        typer.Option(
            "--subgraphs", help="Of subgraphs instead: structure, wl (induced) or wl-hops."
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All nodes, not only those that some subgraph has.")
    ] = False,
    tolerance: Annotated[
        float, typer.Option("--tolerance", help="Largest certified error of RWPE; 0: exact.")
    ] = 0.0,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the pre-training, as in layers=3 or epochs=200."),
    ] = None,
    device: Device = "auto",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Make it anew, even if it has been made before.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="File to write: .parquet, .npz or .safetensors."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Encode the nodes: random-walk and Laplacian encodings, embeddings, statistics.

    What was made is kept by content and not made twice; s2n run finds it there. For the nodes that
    occur in subgraphs, unless --all; embeddings always for all nodes. Weights of edges count,
    directions do not.

    Example: s2n encode generate:density --rwpe 16 --lappe 8 -o density.parquet
    """
    from ..encode.files import check_output
    from ..settings import parse_setting

    wanted = {"rwpe": rwpe, "lappe": lappe, pretrain: width if pretrain else None,
              "structure": width if structure else None}  # fmt: skip
    jobs = {name: columns for name, columns in wanted.items() if name and columns is not None}
    if not jobs and subgraphs is None:
        raise ConfigError("say what to make: --rwpe 64, --lappe 64, --pretrain link, --structure.")
    if jobs and subgraphs is not None:
        raise ConfigError("--subgraphs is about subgraphs, the others are about nodes: run twice.")
    if pretrain not in (None, "link", "svd"):
        raise ConfigError(f"--pretrain is link or svd, not {pretrain!r}.")
    if settings and pretrain is None:
        raise ConfigError("--set goes with --pretrain.")
    if tolerance and rwpe is None:
        raise ConfigError("--tolerance goes with --rwpe.")
    if out is not None:
        check_output(out, overwrite=overwrite)
    own: dict[str, dict[str, Any]] = {"rwpe": {"tolerance": tolerance} if tolerance else {}}
    if pretrain:
        own[pretrain] = dict(parse_setting(text) for text in settings or [])
    task = reading.load()
    if subgraphs is not None:
        _subgraphs(task, subgraphs, out, as_json)
        return
    nodes = None if everything else task.subgraphs.nodes
    found = _encodings(task, jobs, own, nodes, device, fresh)
    if out is not None:
        _save(out, task, found)
    _show(found, out, as_json)


def _encodings(
    task: SubgraphTask, jobs: dict[Any, int], own: dict[str, dict[str, Any]], nodes: Any,
    device: str, fresh: bool,
) -> list[Encoding]:  # fmt: skip
    from .. import encode as encoders

    with progress():
        return [
            encoders.encode(
                task.graph, name, width=columns, nodes=nodes, device=device, fresh=fresh,
                **own.get(name, {}),
            )
            for name, columns in jobs.items()
        ]  # fmt: skip


def _save(out: Path, task: SubgraphTask, found: list[Encoding]) -> None:
    """All tables for the nodes that all of them have."""
    from ..encode import Encoding
    from ..encode.files import save_encodings

    nodes = min((each.nodes for each in found), key=len)
    same = [Encoding(each.name, nodes, each.at(nodes), each.facts) for each in found]
    save_encodings(out, task.graph, same)


def _show(found: list[Encoding], out: Path | None, as_json: bool) -> None:
    if as_json:
        print_json(
            [
                {**each.facts, "name": each.name, "nodes": len(each.nodes), "columns": each.width}
                for each in found
            ]
        )
        return
    view = table("Encodings", "", "Nodes", "Columns", "Seconds")
    view.add_column("", justify="left")
    for each in found:
        seconds = "kept" if each.facts.get("cached") else f"{each.facts.get('seconds', 0):.1f}"
        view.add_row(each.name, f"{len(each.nodes):,}", f"{each.width:,}", seconds, each.about)
    console.print(view)
    for each in found:
        if len(estimates := each.facts.get("estimates", {})) > 1:
            words = ", ".join(f"{name} {value:.1f} s" for name, value in estimates.items())
            say("Estimated", f"{each.name} by {words}", style="dim")
        for note in each.facts.get("notes", ()):
            say("Note", note, style="dim")
    if out is not None:
        say("Wrote", str(out), style="green")


def _subgraphs(task: SubgraphTask, kind: str, out: Path | None, as_json: bool) -> None:
    """Statistics of subgraphs, raw, as a table with one row a subgraph."""
    from ..encode import subgraph_statistics, weisfeiler_leman
    from ..encode.structure import SUBGRAPH_COLUMNS

    if kind == "structure":
        values, columns = subgraph_statistics(task), list(SUBGRAPH_COLUMNS)
    elif kind in ("wl", "wl-hops"):
        values = weisfeiler_leman(task, view="hops" if kind == "wl-hops" else "induced")
        columns = [f"round{i // 64}_{i % 64}" for i in range(values.shape[1])]
    else:
        raise ConfigError(f"--subgraphs is structure, wl or wl-hops, not {kind!r}.")
    if out is not None:
        from ..encode.files import save_subgraphs

        save_subgraphs(out, task, kind, columns, values)
    means, sds = values.mean(axis=0), values.std(axis=0)
    if as_json:
        print_json({"name": kind, "subgraphs": len(task), "columns": columns,
                    "mean": means.tolist(), "sd": sds.tolist()})  # fmt: skip
        return
    if kind == "structure":
        view = table(f"Statistics of {len(task):,} subgraphs", "", "Mean", "SD", "Least", "Largest")
        for name, mean, sd, column in zip(columns, means, sds, values.T, strict=True):
            numbers = (mean, sd, *((column.min(), column.max()) if len(column) else (0, 0)))
            view.add_row(name.replace("_", " "), *(f"{number:,.4g}" for number in numbers))
        console.print(view)
    else:
        say("Histograms", f"{values.shape[1]:,} columns of {len(task):,} subgraphs", style="bold")
    if out is not None:
        say("Wrote", str(out), style="green")
