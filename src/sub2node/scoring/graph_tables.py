"""The global graph of a model as Parquet tables: edges or directed edges, names and titles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..base.ragged import Array
from ..task import Arcs, Graph, Names
from ..task.edges import Edges
from .artefact_checks import check_number_of_nodes

EDGES, ARCS, NODES = "edges.parquet", "arcs.parquet", "nodes.parquet"


class FileReader(Protocol):
    """Reads files of a model by name."""

    def has(self, name: str) -> bool:
        """Whether the model has such a file."""

    def table(self, name: str) -> pa.Table:
        """The content of a Parquet file."""


def encode_graph(graph: Graph) -> dict[str, bytes]:
    """The files of a graph; its self-loops and features lie elsewhere."""
    return {**_encode_edges(graph), **encode_names(NODES, graph.names, graph.titles)}


def _encode_edges(graph: Graph) -> dict[str, bytes]:
    """The file of the edges: each once, or as they came where they are directed."""
    if (arcs := graph.arcs) is None:
        low, high, weights = graph.edges()
        columns = {"low": low, "high": high}
        columns |= {} if weights is None else {"weight": weights}
        return {EDGES: encode_table(columns, delta=("low", "high"))}
    columns = {"source": arcs.source, "target": arcs.target}
    columns |= {} if arcs.weights is None else {"weight": arcs.weights}
    if arcs.features is not None:
        columns |= {name: arcs.features[:, k] for k, name in enumerate(arcs.feature_names)}
    return {ARCS: encode_table(columns)}


def encode_names(file: str, names: Names | None, titles: Names | None) -> dict[str, bytes]:
    """The file of names and titles; none where there are neither."""
    texts = (("name", names), ("title", titles))
    columns = {column: text.arrow for column, text in texts if text is not None}
    return {file: encode_table(columns)} if columns else {}


def encode_table(
    columns: Mapping[str, Array | pa.Array] | pa.Table, delta: tuple[str, ...] = ()
) -> bytes:
    """Columns as Parquet.

    Args:
        columns: The columns.
        delta: Those whose differences are written.
    """
    sink = pa.BufferOutputStream()
    encoding = dict.fromkeys(delta, "DELTA_BINARY_PACKED")
    options = {"use_dictionary": False, "column_encoding": encoding} if delta else {}
    pq.write_table(pa.table(columns), sink, compression="zstd", **options)
    return bytes(sink.getvalue())


def read_graph_files(nodes: int, arrays: Mapping[str, Array], read: FileReader) -> Graph:
    """The graph of these files.

    Args:
        nodes: How many nodes it has, as the model says.
        arrays: Self-loops and features.
        read: Reads the files.
    """
    directed = read.has(ARCS)
    table = read.table(ARCS if directed else EDGES)
    names, titles = read_names(read, NODES)
    check_number_of_nodes(nodes, edges=table.num_rows, names=names)
    columns = {name: np.asarray(table.column(name)) for name in table.column_names}
    features = arrays.get("graph.features")
    if directed:
        arcs = _arcs_of(columns)
        return Graph.from_arcs(arcs, num_nodes=nodes, features=features, names=names, titles=titles)
    loops, loop_weights = arrays["graph.loops"], arrays.get("graph.loop_weights")
    edges = Edges(columns["low"], columns["high"], columns.get("weight"), loops, loop_weights, 0)
    return Graph.from_undirected(
        edges, num_nodes=nodes, features=features, names=names, titles=titles
    )


def _arcs_of(columns: dict[str, Array]) -> Arcs:
    """Directed edges; all columns but ends and weights are features."""
    own = {name: columns.pop(name) for name in ("source", "target", "weight") if name in columns}
    features = np.stack(list(columns.values()), axis=1) if columns else None
    return Arcs(own["source"], own["target"], own.get("weight"), features, tuple(columns))


def read_names(read: FileReader, file: str) -> tuple[Names | None, Names | None]:
    """Names and titles of a file, where it is there."""
    if not read.has(file):
        return None, None
    table = read.table(file)
    names, titles = (
        Names(table.column(column)) if column in table.column_names else None
        for column in ("name", "title")
    )
    return names, titles
