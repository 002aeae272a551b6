"""A task → a folder in one of the formats we read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import ConfigError, suggest
from ..base.files import check_folder, new_folder, written
from ..base.plural import plural
from ..base.ragged import Array, pointers
from ..task import Graph, Subgraphs, SubgraphTask
from ..task.attributes import OWN_COLUMNS
from ..task.frames import Frame
from .folder import CARD, CARD_FORMAT, CARD_VERSION
from .part_files import PART_VERSION, arc_table, write_part
from .set_files import write_gmt, write_jsonl
from .subgnn import write_subgnn
from .tables import write_table
from .white_space import has_white_space

Format = Literal["parquet", "csv", "tsv", "jsonl", "gmt", "subgnn"]
FORMATS: tuple[Format, ...] = get_args(Format)
# Names of the files we write: a folder that holds others is never overwritten.
OURS = (
    r"(edges|members|excluded|labels|nodes|subgraph_edges|aliases)\.(parquet|csv|tsv)|task\.json"
    r"|(whole|border|arcs)\.parquet"
    r"|subgraphs\.(jsonl|gmt|pth)|edge_list\.txt|subgraph_ids\.tsv"
)


class TableOrder(NamedTuple):
    """Rows of a task in the order in which its tables list them.

    Args:
        members: The order of members and of edges of subgraphs.
        labels: The order of labels.
    """

    members: Array
    labels: Array

    @classmethod
    def of_rows(cls, task: SubgraphTask) -> TableOrder:
        """As the rows of the task are."""
        return cls(*[np.arange(len(task))] * 2)

    @classmethod
    def of_input(cls, task: SubgraphTask, *, one_file: bool = False) -> TableOrder:
        """As the input was; members only where the task is read back with the same rows.

        That is not so after a second split, and then the labels alone keep the order of the input.

        Args:
            task: The task.
            one_file: Whether members and labels stand in one file, which has one order.
        """
        order, codes = task.input_order, np.zeros(len(task), np.int8)
        if task.split is not None:
            codes = task.split.codes
        rows = np.arange(len(task))
        same_rows = np.array_equal(order[np.argsort(codes[order], kind="stable")], rows)
        return cls(order if same_rows or one_file else rows, order)


def tables_of(task: SubgraphTask, order: TableOrder | None = None) -> dict[str, pa.Table]:
    """A task as Arrow tables, those it needs.

    They are edges, nodes, members, excluded, labels, subgraph_edges and aliases.

    Args:
        task: The task.
        order: The order of the subgraphs in the tables; by default that of the rows.
    """
    members_order, labels_order = order or TableOrder.of_rows(task)
    tables = {
        **_graph_columns(task.graph),
        **_member_columns(task, members_order),
        "labels": _label_columns(task, labels_order),
    }
    if len(tables["labels"]) == 1:
        tables.pop("labels")
    if (others := task.graph.other_names) is not None:
        tables["aliases"] = others.to_table(_node_ids(task.graph))
    return {name: pa.table(columns) for name, columns in tables.items()}


def _node_ids(graph: Graph) -> pa.Array:
    return pa.array(np.arange(graph.num_nodes)) if graph.names is None else graph.names.arrow


def _subgraph_ids(task: SubgraphTask) -> pa.Array:
    names = task.subgraphs.names
    return pa.array(np.arange(len(task))) if names is None else names.arrow


def _graph_columns(graph: Graph) -> dict[str, dict[str, pa.Array]]:
    """The tables of edges and nodes."""
    node_ids = _node_ids(graph)

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
    return {"edges": edges, "nodes": nodes}


def _member_columns(task: SubgraphTask, order: Array) -> dict[str, dict[str, pa.Array]]:
    """The tables of members and, where there are some, of excluded nodes and of their own edges."""
    node_ids, subgraphs = _node_ids(task.graph), task.subgraphs.take(order)
    set_ids = _subgraph_ids(task).take(pa.array(order))

    def columns_of(sets: Subgraphs) -> dict[str, pa.Array]:
        columns = {
            "subgraph_id": set_ids.take(pa.array(sets.owner)),
            "node_id": node_ids.take(pa.array(sets.nodes)),
        }
        return columns if sets.weights is None else {**columns, "weight": pa.array(sets.weights)}

    tables = {"members": columns_of(subgraphs)}
    if subgraphs.excluded is not None:
        tables["excluded"] = columns_of(subgraphs.excluded)
    if subgraphs.edges is None or subgraphs.edge_ptr is None:
        return tables
    counts = np.diff(subgraphs.edge_ptr)
    edges = {
        "subgraph_id": set_ids.take(pa.array(np.repeat(np.arange(len(task)), counts))),
        "source": node_ids.take(pa.array(subgraphs.edges[:, 0])),
        "target": node_ids.take(pa.array(subgraphs.edges[:, 1])),
    }
    return {**tables, "subgraph_edges": edges}


def _label_columns(task: SubgraphTask, order: Array) -> dict[str, pa.Array]:
    """The table of labels, parts, titles and attributes."""
    columns = {"subgraph_id": _subgraph_ids(task)}
    if task.labels is not None:
        columns["label"] = task.label_lists() if task.multilabel else _single_labels(task)
    if task.split is not None:
        columns["split"] = pa.array(task.split.words())
    if task.subgraphs.titles is not None:
        columns["title"] = task.subgraphs.titles.arrow
    columns |= {name: values.arrow for name, values in task.attributes.items()}
    return {name: column.take(pa.array(order)) for name, column in columns.items()}


def _single_labels(task: SubgraphTask) -> pa.Array:
    """The class name of each subgraph, null for a virtual one."""
    assert task.labels is not None  # for mypy
    numbers = pa.array(task.labels, mask=task.labels < 0)
    return pa.array(task.class_names, pa.string()).take(numbers)


def save_task(
    task: SubgraphTask, path: str | Path, *, format: Format = "parquet", overwrite: bool = False
) -> Path:
    """Write a task as a folder; ``parquet`` reads back identical, checked by its content hash.

    Subgraphs are written in the order of the input. Only members of a task that was split a second
    time stand in the order of its rows (except in JSONL and SubGNN files).

    Args:
        task: The task to write.
        path: The folder to make. Nothing is seen there until all of it is written.
        format: ``parquet``, ``csv``, ``tsv``, ``jsonl``, ``gmt`` or ``subgnn``.
        overwrite: Replace a folder that exists.
    """
    check_target(path, format, overwrite=overwrite)
    if task.graph.whole is not None and format != "parquet":
        raise ConfigError(
            f"{format} cannot say that the graph is a part of a larger one on disk; write parquet."
        )
    sealed = format == "parquet"  # text is for people, who may edit it
    with (
        new_folder(Path(path), overwrite=overwrite, ours=OURS, sealed=sealed) as folder,
        written(path),
    ):
        if format == "subgnn":
            if task.unlabelled is not None:
                raise ConfigError(f"{_unlabelled_count(task)}; write parquet, csv, tsv or jsonl.")
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
    order = TableOrder.of_input(task, one_file=format == "jsonl")
    tables, sizes = tables_of(task, order), task.subgraphs.sizes[order.members]
    if task.unlabelled is not None:
        if format == "gmt":
            raise ConfigError(f"{_unlabelled_count(task)}; write parquet, csv, tsv or jsonl.")
        sizes = _add_unlabelled(tables, task.unlabelled, sizes)
    if format == "parquet":
        beyond = write_part(task, folder)
        card = {
            "format": CARD_FORMAT,
            "version": PART_VERSION if beyond else CARD_VERSION,
            "name": task.name,
            "hash": task.hash,
            "class_names": list(task.class_names),
            "notes": list(task.notes),
            "nodes": task.graph.num_nodes,
            "edges": task.graph.num_edges,
            "subgraphs": len(task),
            **({"imputed": task.graph.imputed} if task.graph.imputed else {}),
            **beyond,
        }
        text = json.dumps(card, indent=2, ensure_ascii=False) + "\n"
        (folder / CARD).write_text(text, encoding="utf-8")
    else:
        if task.graph.arcs is not None:
            tables["edges"] = arc_table(task.graph)
        tables["nodes"] = _spread_features(tables["nodes"])
        if task.graph.names is None and tables["nodes"].num_columns == 1:
            lonely = (task.graph.degrees == 0).any()
            tables = tables if lonely else {k: v for k, v in tables.items() if k != "nodes"}
    if format in ("csv", "tsv", "gmt") and task.multilabel and not _all_labelled(task):
        raise ConfigError(f"{format} cannot say 'none of the classes'; write parquet or jsonl.")
    if format == "jsonl":
        absent = None
        if "excluded" in tables:
            absent = (tables.pop("excluded"), pointers(_excluded_sizes(task, order.members)))
        members, labels = tables.pop("members"), tables.pop("labels", None)
        write_jsonl(members, labels, pointers(sizes), folder, excluded=absent)
    if format == "gmt":
        _write_gmt(task, tables, folder, order.members)
    if "labels" in tables:
        _check_attribute_names(task, tables["labels"])
    ending = {"parquet": ".parquet", "csv": ".csv", "tsv": ".tsv"}.get(format, ".tsv")
    for name, table in tables.items():
        flat = _one_label_per_row(table) if ending != ".parquet" else table
        write_table(flat, folder / f"{name}{ending}")


def _unlabelled_count(task: SubgraphTask) -> str:
    assert task.unlabelled is not None  # for mypy
    return f"the format has no place for {plural(len(task.unlabelled), 'unlabelled subgraph')}"


def _add_unlabelled(tables: dict[str, pa.Table], others: SubgraphTask, sizes: Array) -> Array:
    """Put subgraphs without a label below the others, in place; returns the sizes of all.

    Args:
        tables: The tables of the subgraphs with labels.
        others: Those without.
        sizes: Members of each subgraph with labels.
    """
    order = TableOrder.of_input(others, one_file=True)
    more = {
        **_member_columns(others, order.members),
        "labels": _label_columns(others, order.labels),
    }
    for name, columns in more.items():
        both = [tables[name], pa.table(columns)] if name in tables else [pa.table(columns)]
        for column in ("subgraph_id", "node_id", "source", "target"):
            if (
                len(
                    {part.schema.field(column).type for part in both if column in part.column_names}
                )
                > 1
            ):
                both = [_with_texts(part, column) for part in both]
        tables[name] = pa.concat_tables(both, promote_options="permissive")
    return np.concatenate([sizes, others.subgraphs.sizes[order.members]])


def _excluded_sizes(task: SubgraphTask, order: Array) -> Array:
    """Excluded nodes of each subgraph in the order of its file, those without a label last."""
    parts = [(task, order)]
    if task.unlabelled is not None:
        last = TableOrder.of_input(task.unlabelled, one_file=True).members
        parts.append((task.unlabelled, last))
    sizes = [
        np.zeros(len(part), np.int64) if part.excluded is None else part.excluded.sizes[rows]
        for part, rows in parts
    ]
    return np.concatenate(sizes)


def _with_texts(table: pa.Table, column: str) -> pa.Table:
    place = table.column_names.index(column)
    return table.set_column(place, column, table[column].cast(pa.large_string()))


def _check_attribute_names(task: SubgraphTask, labels: pa.Table) -> None:
    """Raise where an attribute would be read back as a column of ours that the table lacks."""
    frame = Frame(labels, "labels", {})
    for ours in OWN_COLUMNS:
        if (name := frame.column_name(ours)) in task.attributes:
            raise ConfigError(
                f"the attribute {name!r} would be read back as '{ours}'; call it otherwise."
            )


def _write_gmt(task: SubgraphTask, tables: dict[str, pa.Table], folder: Path, order: Array) -> None:
    if task.subgraphs.weights is not None:
        raise ConfigError("a GMT file has no member weights; write parquet instead.")
    ids = [tables["members"][name] for name in ("subgraph_id", "node_id")]
    if any(pa.types.is_large_string(c.type) and has_white_space(c) for c in ids):
        raise ConfigError("a GMT file has no names with white space around; write parquet instead.")
    titles = None
    if (labels := tables.get("labels")) is not None and "title" in labels.column_names:
        titles = task.subgraphs.titles.take(order).arrow  # type: ignore[union-attr]
        tables["labels"] = labels.drop_columns(["title"])
        if tables["labels"].num_columns == 1:
            tables.pop("labels")
    write_gmt(tables.pop("members"), titles, pointers(task.subgraphs.sizes[order]), folder)


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
    counts = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False)
    rows = np.repeat(np.arange(len(lists)), np.maximum(counts, 1))  # a virtual one has none
    places = np.cumsum(counts[rows] > 0) - 1
    classes = lists.flatten().take(pa.array(places, mask=counts[rows] == 0))
    return labels.drop_columns(["label"]).take(pa.array(rows)).append_column("label", classes)
