"""A coarsening as a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import DataError
from ..base.files import check_folder, new_folder, written
from ..base.ragged import Array
from ..io.save import OURS as TASK_FILES
from ..io.save import write_tables
from ..io.tables import write_table
from ..task import SubgraphTask
from .coarsening import Coarsening
from .virtual import with_virtual

if TYPE_CHECKING:
    import pyarrow as pa

OURS = rf"{TASK_FILES}|(partition|coarse_edges|virtual)\.parquet|coarsening\.json"


def check_place(path: str | Path, *, overwrite: bool) -> None:
    """Raise unless a coarsening can be written there."""
    check_folder(Path(path), overwrite=overwrite, ours=OURS)


def save_coarsening(
    coarsening: Coarsening,
    task: SubgraphTask,
    path: str | Path,
    *,
    facts: Mapping[str, object] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write ``partition``, ``coarse_edges`` and ``virtual`` as Parquet, and ``coarsening.json``.

    Where the task is split, the folder is the task too, with the virtual subgraphs in it: every
    command reads it, and CoS2N uses them.

    Args:
        coarsening: A coarsening of the task's graph.
        task: The task whose graph was coarsened.
        path: The folder to write.
        facts: More entries of ``coarsening.json``.
        overwrite: Replace a folder that exists.
    """
    if coarsening.source != task.graph:
        raise DataError("the coarsening is of another graph than that of the task.")
    path = Path(path)
    with (
        new_folder(path, overwrite=overwrite, ours=OURS, sealed=True) as folder,
        written(path),
    ):
        for name, columns in _tables(coarsening).items():
            write_table(columns, folder / f"{name}.parquet")
        card = {**summary(coarsening), **(facts or {})}
        text = json.dumps(card, indent=2, ensure_ascii=False) + "\n"
        (folder / "coarsening.json").write_text(text, encoding="utf-8")
        if task.split is not None:
            write_tables(with_virtual(task, coarsening.subgraphs), folder, "parquet")
    return path


def summary(coarsening: Coarsening) -> dict[str, Any]:
    """What a coarsening is, for people and machines."""
    sizes = coarsening.subgraphs.sizes
    coarse = None if coarsening.partition is None else coarsening.graph.num_edges
    return {
        "method": coarsening.method,
        "ratio": coarsening.ratio,
        "seed": coarsening.seed,
        "levels": coarsening.levels,
        "nodes": coarsening.source.num_nodes,
        "left_out": coarsening.left_out,
        "sets": coarsening.num_sets,
        "wanted": coarsening.wanted,
        "edges": {"before": coarsening.source.num_edges, "after": coarse},
        "virtual_subgraphs": len(coarsening),
        "covered_nodes": coarsening.covered,
        "sizes": {
            "median": float(np.median(sizes)),
            "mean": float(sizes.mean()),
            "max": int(sizes.max()),
        },
        "notes": list(coarsening.notes),
    }


def _tables(coarsening: Coarsening) -> dict[str, pa.Table]:
    import pyarrow as pa

    graph, virtual = coarsening.source, coarsening.subgraphs

    def ids(positions: Array) -> pa.Array:
        if graph.names is None:
            return pa.array(np.asarray(positions, np.int64))
        return graph.names.arrow.take(pa.array(positions))

    tables = {"virtual": {"subgraph_id": pa.array(virtual.owner), "node_id": ids(virtual.nodes)}}
    if coarsening.partition is not None:
        nodes = np.flatnonzero(coarsening.partition >= 0)
        low, high, weights = coarsening.graph.edges()
        tables["partition"] = {"node_id": ids(nodes), "set": pa.array(coarsening.partition[nodes])}
        tables["coarse_edges"] = {
            "source": pa.array(low),
            "target": pa.array(high),
            "weight": pa.array(weights),
        }
    return {name: pa.table(columns) for name, columns in tables.items()}
