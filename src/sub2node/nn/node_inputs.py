"""What nodes enter a network with, before any parameter: looked up, encoded, scaled."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..base.errors import ConfigError
from ..base.ragged import Array
from ..config import NodeFeatureSettings
from ..encode import Encoding, encode
from ..encode.structure_statistics import standardized
from ..task import Graph, SubgraphTask
from ..task.whole_graph import draw_numbers


@dataclass(frozen=True, eq=False)
class NodeInputs:
    """Vectors of the nodes that a network reads.

    Args:
        vectors: Initial values of the table, unless they are drawn; (rows, F).
        encodings: Further columns that are never trained; (rows, K).
        width: Number of columns of the table.
        notes: Sentences about how the vectors came to be.
        numbers: What random vectors are drawn by, (rows,); None: the numbers of the nodes.
    """

    vectors: Array | None
    encodings: Array | None
    width: int
    notes: tuple[str, ...] = ()
    numbers: Array | None = None


def node_inputs(
    task: SubgraphTask,
    features: NodeFeatureSettings,
    rows: Array,
    *,
    encodings: Encoding | ArrayLike | None = None,
    device: str = "auto",
) -> NodeInputs:
    """Look up or compute the node vectors that the settings ask for.

    Args:
        task: The task whose graph has the nodes.
        features: Settings of the node features.
        rows: Numbers of the nodes that are read, ascending.
        encodings: Columns of the caller, (N, K) or an :class:`Encoding`, instead of the encoding
            that the settings name.
        device: Device that computes encodings.
    """
    graph = task.graph
    if encodings is not None and features.encoding != "none":
        raise ConfigError(
            f"encodings are given and the setting features.encoding asks for {features.encoding}"
            " too; omit one."
        )
    extra = None if encodings is None else _as_encoding(encodings, graph)
    table = None
    if features.kind == "given":
        given = _given_features(graph, "set features.kind to random or constant")
        every = _in_train(task, np.arange(graph.num_nodes))
        table = _scale_encodings(given, features.scaling, every)
    width = features.width if table is None else int(table.shape[1])
    if features.encoding == "given":
        given = _given_features(graph, "set features.encoding to none")
        extra = Encoding("given", np.arange(graph.num_nodes), given)
    elif features.encoding != "none":
        columns = features.encoding_width or (width // 2 if features.join == "share" else width)
        extra = encode(graph, features.encoding, width=max(columns, 1), nodes=rows, device=device)
    values = None if extra is None else np.array(extra.at(rows), np.float32)
    if values is not None:
        width = _joined_width(values, width, features)
        values = _scale_encodings(values, features.scaling, _in_train(task, rows))
    pretrained = None
    if features.kind in ("link", "svd"):
        settings = asdict(features.pretraining)
        if features.kind == "svd":  # the default is omitted, as in the keys of the cache
            settings = {"seed": settings["seed"]} if settings["seed"] else {}
        columns = width if features.kind == "link" else min(width, graph.num_nodes)
        pretrained = encode(graph, features.kind, width=columns, device=device, **settings)
        table = _scale_vectors(pretrained.values, features.scale)
        table = np.pad(table, ((0, 0), (0, width - columns)))  # of a graph with fewer nodes
    used = [encoding for encoding in (extra, pretrained) if encoding is not None]
    notes = [note for encoding in used for note in _notes(encoding)]
    vectors = None if table is None else np.array(table[rows], np.float32)
    return NodeInputs(vectors, values, width, tuple(notes), draw_numbers(graph, rows))


def _given_features(graph: Graph, advice: str) -> Array:
    if graph.features is None:
        raise ConfigError(f"the graph has no features; {advice}.")
    return graph.features


def _in_train(task: SubgraphTask, rows: Array) -> Array:
    """Which of these nodes some training subgraph has; all, where there is no split; bool (rows,).

    What is fitted to these nodes alone is the same whatever val and test hold.
    """
    if task.split is None:
        return np.ones(len(rows), bool)
    subgraphs = task.subgraphs
    members = np.zeros(task.graph.num_nodes, bool)
    members[subgraphs.nodes[task.split.mask("train")[subgraphs.owner]]] = True
    return np.asarray(members[rows])


def _scale_encodings(values: Array, scaling: str, train: Array) -> Array:
    """Encodings on the scale that the settings ask for, fitted to the rows of ``train``."""
    if scaling == "none":
        return values
    if scaling == "log":
        if values.min(initial=0.0) < 0:
            raise ConfigError(
                "these encodings have values below 0, which have no logarithm; set"
                " features.scaling to standard."
            )
        known = values[train] if train.any() else np.zeros((1, values.shape[1]))
        small = 0.01 * known.mean(axis=0, dtype=np.float64)
        values = np.log(values + np.maximum(small, 1e-12))
    basis = values[train].astype(np.float64)  # sums of many float32 would be off
    scaled = standardized(values, basis).astype(np.float32)
    # Of a column that is constant in train nothing can be learned; elsewhere it may be anything.
    constant = np.ptp(basis, axis=0) == 0 if len(basis) else np.zeros(values.shape[1], bool)
    scaled[:, constant] = 0
    return scaled


def _notes(encoding: Encoding) -> list[str]:
    about = [f"{encoding.name}: {encoding.about}."] if encoding.about else []
    return [*about, *encoding.facts.get("notes", ())]


def _as_encoding(encodings: Encoding | ArrayLike, graph: Graph) -> Encoding:
    if isinstance(encodings, Encoding):
        return encodings
    try:
        array = np.asarray(encodings, dtype=np.float32)
    except (TypeError, ValueError):
        raise ConfigError("encodings must be numbers, the same count in each row.") from None
    if array.ndim != 2 or len(array) != graph.num_nodes:
        raise ConfigError(
            f"encodings have shape {array.shape}, expected one row for each of the"
            f" {graph.num_nodes:,} nodes."
        )
    if not np.isfinite(array).all():
        raise ConfigError("encodings must be finite numbers.")
    return Encoding("encodings", np.arange(graph.num_nodes), array)


def _joined_width(values: Array, width: int, features: NodeFeatureSettings) -> int:
    """Columns that are left for the features."""
    columns = int(values.shape[1])
    if features.join == "share":
        if features.kind == "given":
            raise ConfigError(
                "given features have a width of their own, which encodings cannot share; set"
                " features.join to add or concat."
            )
        if columns >= width:
            raise ConfigError(
                f"encodings of width {columns} leave nothing of the {width} columns that they"
                " share with the features; lower features.encoding_width."
            )
        return width - columns
    if features.join == "add" and columns != width:
        raise ConfigError(
            f"encodings of width {columns} cannot be added to features of width {width}; make the"
            " widths equal or set features.join to concat."
        )
    return width


def _scale_vectors(values: Array, scale: float) -> Array:
    """Columns of mean 0, all of them together with this standard deviation."""
    values = values - values.mean(axis=0)
    return np.asarray(values * (scale / max(float(values.std()), 1e-12)))
