"""A task → a folder in one of the formats we read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import ConfigError, suggest
from ..base.files import check_folder, new_folder, written
from ..base.ragged import Array
from ..task import SubgraphTask
from .folder import CARD, CARD_FORMAT, CARD_VERSION
from .subgnn import write_subgnn
from .tables import write_gmt, write_jsonl, write_table

Format = Literal["parquet", "csv", "tsv", "jsonl", "gmt", "subgnn"]
FORMATS: tuple[Format, ...] = get_args(Format)
# Names of the files we write: a folder that holds others is never overwritten.
OURS = (
    r"(edges|members|labels|nodes|subgraph_edges)\.(parquet|csv|tsv)|task\.json"
    r"|subgraphs\.(jsonl|gmt|pth)|edge_list\.txt|subgraph_ids\.tsv"
)


def tables_of(task: SubgraphTask) -> dict[str, pa.Table]:
    """A task as Arrow tables: edges, nodes, members, labels, subgraph_edges; those it needs."""
    graph, subgraphs = task.graph, task.subgraphs
    node_ids = pa.array(np.arange(graph.num_nodes)) if graph.names is None else graph.names.arrow
    set_ids = pa.array(np.arange(len(task))) if subgraphs.names is None else subgraphs.names.arrow

    def nodes_at(positions: Array) -> pa.Array:
        return node_ids.take(pa.array(positions))

    low, high, weights = graph.edges()
    edges = {
        "source": nodes_at(np.concatenate([low, graph.loops])),
        "target": nodes_at(np.concatenate([high, graph.loops])),
    }
    if weights is not None and graph.loop_weights is not None:
        edges["weight"] = pa.array(np.concatenate([weights, graph.loop_weights]))
    nodes = {"node_id": node_ids}
    if graph.titles is not None:
        nodes["title"] = graph.titles.arrow
    if graph.features is not None:
        nodes["features"] = pa.FixedSizeListArray.from_arrays(
            pa.array(graph.features.ravel()), graph.features.shape[1]
        )
    members = {
        "subgraph_id": set_ids.take(pa.array(subgraphs.owner)),
        "node_id": nodes_at(subgraphs.nodes),
    }
    if subgraphs.weights is not None:
        members["weight"] = pa.array(subgraphs.weights)
    labels = {"subgraph_id": set_ids}
    if task.labels is not None:
        labels["label"] = task.label_lists() if task.multilabel else _single_labels(task)
    if task.split is not None:
        labels["split"] = pa.array(task.split.words())
    if subgraphs.titles is not None:
        labels["title"] = subgraphs.titles.arrow
    tables = {"edges": edges, "nodes": nodes, "members": members}
    if len(labels) > 1:
        tables["labels"] = labels
    if subgraphs.edges is not None and subgraphs.edge_ptr is not None:
        counts = np.diff(subgraphs.edge_ptr)
        tables["subgraph_edges"] = {
            "subgraph_id": set_ids.take(pa.array(np.repeat(np.arange(len(task)), counts))),
            "source": nodes_at(subgraphs.edges[:, 0]),
            "target": nodes_at(subgraphs.edges[:, 1]),
        }
    return {name: pa.table(columns) for name, columns in tables.items()}


def _single_labels(task: SubgraphTask) -> pa.Array:
    """The class name of each subgraph, null for a virtual one."""
    assert task.labels is not None  # for mypy
    numbers = pa.array(task.labels, mask=task.labels < 0)
    return pa.array(task.class_names, pa.string()).take(numbers)


def save_task(
    task: SubgraphTask, path: str | Path, *, format: Format = "parquet", overwrite: bool = False
) -> Path:
    """Write a task as a folder; ``parquet`` reads back identical, checked by its content hash.

    Args:
        task: The task to write.
        path: The folder to make. Nothing is seen there until all of it is written.
        format: ``parquet``, ``csv``, ``tsv``, ``jsonl``, ``gmt`` or ``subgnn``.
        overwrite: Replace a folder that exists.
    """
    check_target(path, format, overwrite=overwrite)
    with new_folder(Path(path), overwrite=overwrite, ours=OURS) as folder, written(path):
        if format == "subgnn":
            write_subgnn(task, folder)
        else:
            write_tables(task, folder, format)
    return Path(path)


def check_target(path: str | Path, format: str, *, overwrite: bool) -> None:
    """Raise if a task cannot be written there in this format; best called before it is read."""
    if format not in FORMATS:
        raise ConfigError(f"there is no format {format!r}.{suggest(format, FORMATS)}")
    check_folder(Path(path), overwrite=overwrite, ours=OURS)


def write_tables(task: SubgraphTask, folder: Path, format: Format) -> None:
    """Write the files of a task into a folder that exists."""
    tables = tables_of(task)
    if format == "parquet":
        card = {
            "format": CARD_FORMAT,
            "version": CARD_VERSION,
            "name": task.name,
            "hash": task.hash,
            "class_names": list(task.class_names),
            "notes": list(task.notes),
            "nodes": task.graph.num_nodes,
            "edges": task.graph.num_edges,
            "subgraphs": len(task),
        }
        text = json.dumps(card, indent=2, ensure_ascii=False) + "\n"
        (folder / CARD).write_text(text, encoding="utf-8")
    else:
        tables["nodes"] = _spread_features(tables["nodes"])
        if task.graph.names is None and tables["nodes"].num_columns == 1:
            lonely = (task.graph.degrees == 0).any()
            tables = tables if lonely else {k: v for k, v in tables.items() if k != "nodes"}
    if format in ("csv", "tsv", "gmt") and task.multilabel and not _all_labelled(task):
        raise ConfigError(f"{format} cannot say 'none of the classes'; write parquet or jsonl.")
    if format == "jsonl":
        write_jsonl(tables.pop("members"), tables.pop("labels", None), task.subgraphs.ptr, folder)
    if format == "gmt":
        _write_gmt(task, tables, folder)
    ending = {"parquet": ".parquet", "csv": ".csv", "tsv": ".tsv"}.get(format, ".tsv")
    for name, table in tables.items():
        flat = _one_label_per_row(table) if ending != ".parquet" else table
        write_table(flat, folder / f"{name}{ending}")


def _write_gmt(task: SubgraphTask, tables: dict[str, pa.Table], folder: Path) -> None:
    if task.subgraphs.weights is not None:
        raise ConfigError("a GMT file has no member weights; write parquet instead.")
    titles = None
    if (labels := tables.get("labels")) is not None and "title" in labels.column_names:
        titles = labels["title"]
        tables["labels"] = labels.drop_columns(["title"])
        if tables["labels"].num_columns == 1:
            tables.pop("labels")
    write_gmt(tables.pop("members"), titles, task.subgraphs.ptr, folder)


def _all_labelled(task: SubgraphTask) -> bool:
    """Whether every subgraph that is not virtual has a class."""
    virtual = False if task.split is None else task.split.mask("virtual")
    return task.labels is not None and bool((task.labels.any(axis=1) | virtual).all())


def _spread_features(nodes: pa.Table) -> pa.Table:
    """A list of features as one column per feature, for formats that have no lists."""
    if "features" not in nodes.column_names:
        return nodes
    values = nodes["features"].combine_chunks()
    table = values.flatten().to_numpy().reshape(len(values), -1)
    nodes = nodes.drop_columns(["features"])
    for position, column in enumerate(table.T):
        nodes = nodes.append_column(f"x{position}", pa.array(column))
    return nodes


def _one_label_per_row(labels: pa.Table) -> pa.Table:
    """Several labels as several rows, for formats that have no lists."""
    if "label" not in labels.column_names or not pa.types.is_list(labels["label"].type):
        return labels
    lists = labels["label"].combine_chunks()
    counts = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
    rows = np.repeat(np.arange(len(lists)), np.maximum(counts, 1))  # a virtual one has none
    places = np.cumsum(counts[rows] > 0) - 1
    classes = lists.flatten().take(pa.array(places, mask=counts[rows] == 0))
    return labels.drop_columns(["label"]).take(pa.array(rows)).append_column("label", classes)
