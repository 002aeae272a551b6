"""What a task knows beyond its tables, in files beside them: a larger graph, borders, arcs.

``whole.parquet`` has degree and strength of each node in the larger graph on disk, in the order of
the nodes; ``border.parquet`` the summaries of what lies around each subgraph; ``arcs.parquet`` the
directed edges as they came. What they have in common is in ``task.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..base.errors import DataError
from ..base.ragged import Array
from ..task import Arcs, Border, Graph, Subgraphs, SubgraphTask, WholeGraph

WHOLE, BORDER, ARCS = "whole.parquet", "border.parquet", "arcs.parquet"
INDEX_CARD = "neighbours.json"  # where it lies, the neighbours of all nodes do
PART_VERSION = 2  # of the card of a folder with one of these files


def write_part(task: SubgraphTask, folder: Path) -> dict[str, Any]:
    """Write the files that a task needs, and return what its card says of them; {}: none.

    Args:
        task: The task.
        folder: The folder of its tables.
    """
    graph, facts = task.graph, dict[str, Any]()
    if (whole := graph.whole) is not None:
        columns = {"degree": pa.array(whole.degrees)}
        if whole.strengths is not None:
            columns["strength"] = pa.array(whole.strengths)
        pq.write_table(pa.table(columns), folder / WHOLE)
        facts["whole"] = {"nodes": whole.num_nodes, "edges": whole.num_edges}
        if whole.folder is not None:
            facts["whole"]["folder"] = str(whole.folder.absolute())
    parts = [part.subgraphs for part in (task, task.unlabelled) if part is not None]
    if columns_of := [part.border.columns for part in parts if part.border is not None]:
        _write_border(parts, folder / BORDER)
        facts["border"] = list(columns_of[0])
    if graph.arcs is not None:
        pq.write_table(arc_table(graph), folder / ARCS)
        facts["arcs"] = list(graph.arcs.feature_names)
    return facts


def arc_table(graph: Graph) -> pa.Table:
    """The arcs of a graph that has some, as a table of edges."""
    arcs = graph.arcs
    assert arcs is not None
    ids = pa.array(np.arange(graph.num_nodes)) if graph.names is None else graph.names.arrow
    columns = {
        "source": ids.take(pa.array(arcs.source)),
        "target": ids.take(pa.array(arcs.target)),
    }
    if arcs.weights is not None:
        columns["weight"] = pa.array(arcs.weights)
    if arcs.features is not None:
        columns |= {n: pa.array(arcs.features[:, k]) for k, n in enumerate(arcs.feature_names)}
    return pa.table(columns)


def _write_border(parts: list[Subgraphs], path: Path) -> None:
    """One row for each subgraph that has a border: its id, and the numbers as a list."""
    rows = [part for part in parts if part.border is not None]
    ids = pa.chunked_array([_ids(part) for part in rows])
    values = np.concatenate([part.border.values for part in rows if part.border is not None])
    lists = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    pq.write_table(pa.table({"subgraph_id": ids, "values": lists}), path)


def _ids(subgraphs: Subgraphs) -> pa.Array:
    """The ids of subgraphs as text."""
    if subgraphs.names is not None:
        return subgraphs.names.arrow
    return pa.array(np.arange(len(subgraphs))).cast(pa.large_string())


def read_part(task: SubgraphTask, folder: Path, facts: Mapping[str, Any]) -> SubgraphTask:
    """The task with what the files beside its tables add to it.

    Args:
        task: The task of the tables.
        folder: Their folder.
        facts: The card of the folder.
    """
    graph, parts = task.graph, [part for part in (task, task.unlabelled) if part is not None]
    added: dict[str, Any] = {}
    if "whole" in facts:
        added["whole"] = _read_whole(folder, facts)
    if "arcs" in facts:
        added["arcs"] = _read_arcs(graph, folder, _texts(facts, "arcs", folder))
    if "imputed" in facts and graph.features is not None:
        added["imputed"] = _read_imputed(graph.features.shape[1], folder, facts["imputed"])
    subgraphs = [part.subgraphs for part in parts]
    if "border" in facts:
        columns = _texts(facts, "border", folder)
        subgraphs = _with_borders(subgraphs, folder, columns)
    if not added and "border" not in facts:
        return task
    graph, others = replace(graph, **added), task.unlabelled
    if others is not None:
        others = replace(others, graph=graph, subgraphs=subgraphs[1])
    return replace(task, graph=graph, subgraphs=subgraphs[0], unlabelled=others)


def _read_imputed(width: int, folder: Path, pairs: object) -> dict[str, tuple[int, int]]:
    """Which features were imputed, and which say where."""
    try:
        imputed = {str(name): (int(at), int(flag)) for name, (at, flag) in pairs.items()}  # type: ignore[attr-defined]
    except (AttributeError, TypeError, ValueError):
        imputed = {"": (-1, -1)}
    if not all(0 <= place < width for pair in imputed.values() for place in pair):
        raise DataError(
            "'imputed' must name two features for each imputed column.", path=folder / "task.json"
        )
    return imputed


def _texts(facts: Mapping[str, Any], name: str, folder: Path) -> tuple[str, ...]:
    texts = facts[name]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise DataError(f"'{name}' must be a list of text.", path=folder / "task.json")
    return tuple(texts)


def _read_table(path: Path, *needed: str) -> pa.Table:
    """A table of ours that the card promises."""
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        raise DataError(
            f"the card names this file, which cannot be read ({reason}).", path=path
        ) from error
    if lacking := [name for name in needed if name not in table.column_names]:
        raise DataError(f"the table has no column '{lacking[0]}'; make it anew.", path=path)
    return table


def _read_whole(folder: Path, facts: Mapping[str, Any]) -> WholeGraph:
    table, about = _read_table(folder / WHOLE, "degree"), facts["whole"]
    strengths = np.asarray(table["strength"]) if "strength" in table.column_names else None
    try:
        sizes, elsewhere = (int(about["nodes"]), int(about["edges"])), about.get("folder")
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DataError(
            "'whole' must have the numbers 'nodes' and 'edges'.", path=folder / "task.json"
        ) from None
    index: Path | None = None
    if (folder / INDEX_CARD).is_file():
        index = folder.absolute()
    elif isinstance(elsewhere, str):
        index = Path(elsewhere)
    return WholeGraph(*sizes, np.asarray(table["degree"]), strengths, folder=index)


def _with_borders(
    parts: list[Subgraphs], folder: Path, columns: tuple[str, ...]
) -> list[Subgraphs]:
    """Subgraphs with their rows of the table of borders, which are found by their ids."""
    table = _read_table(folder / BORDER, "subgraph_id", "values")
    values = table["values"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    values = values.reshape(len(table), -1)
    known = table["subgraph_id"].combine_chunks()
    with_borders = []
    for part in parts:
        places = pc.index_in(_ids(part), value_set=known)
        if places.null_count == len(part) and len(part):
            with_borders.append(part)  # the labelled have borders, the others none, or reverse
            continue
        if places.null_count:
            row = int(np.argmax(np.asarray(places.is_null())))
            raise DataError(
                f"the subgraph {part.name_of(row)!r} has no row; make the folder anew.",
                path=folder / BORDER,
            )
        border = Border(columns, values[np.asarray(places)])
        with_borders.append(replace(part, border=border))
    return with_borders


def _read_arcs(graph: Graph, folder: Path, features: tuple[str, ...]) -> Arcs:
    table = _read_table(folder / ARCS, "source", "target", *features)
    source, target = (_positions(graph, table[name], folder) for name in ("source", "target"))
    weights = np.asarray(table["weight"]) if "weight" in table.column_names else None
    values = [np.asarray(table[name]) for name in features]
    return Arcs(source, target, weights, np.stack(values, axis=1) if values else None, features)


def _positions(graph: Graph, ids: pa.ChunkedArray, folder: Path) -> Array:
    """Positions of nodes by their ids, all of which the graph must have."""
    if graph.names is None:
        return np.asarray(ids, np.int64)
    places = graph.names.find(ids)
    if (places < 0).any():
        row = int(np.argmax(places < 0))
        raise DataError(f"the node {ids[row].as_py()!r} is not in the graph.", path=folder / ARCS)
    return places
