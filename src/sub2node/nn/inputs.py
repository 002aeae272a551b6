"""What nodes enter a network with, before any parameter: looked up, encoded, scaled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..config import NodeFeatures
from ..encode import Encoding, encode
from ..encode.structure import standardized
from ..errors import ConfigError
from ..ragged import Array
from ..settings import parse_setting
from ..task import Graph, SubgraphTask


@dataclass(frozen=True, eq=False)
class NodeInputs:
    """Vectors of the nodes that a network reads.

    Args:
        vectors: First values of the table, where they are not drawn; (rows, F).
        encodings: Further columns that are never trained; (rows, K).
        width: Columns of the table.
        notes: What to know about them.
    """

    vectors: Array | None
    encodings: Array | None
    width: int
    notes: tuple[str, ...] = ()


def node_inputs(
    task: SubgraphTask, features: NodeFeatures, rows: Array, *, encodings: Any = None,
    device: str = "auto",
) -> NodeInputs:  # fmt: skip
    """Look up or make what the settings ask for.

    Args:
        task: The data.
        features: What they ask for.
        rows: Nodes that are read, ascending.
        encodings: Columns of the caller's own, (N, K) or an :class:`Encoding`, instead of the
            encoding that the settings name.
        device: Where encodings are computed.
    """
    graph = task.graph
    if encodings is not None and features.encoding != "none":
        raise ConfigError(
            f"encodings are given and the setting features.encoding asks for {features.encoding}"
            " too; leave out one."
        )
    extra = None if encodings is None else _given(encodings, graph)
    whole = graph.features if features.kind == "given" else None
    if features.kind == "given" and whole is None:
        raise ConfigError("the graph has no features; set features.kind to random or constant.")
    width = features.width if whole is None else int(whole.shape[1])
    if features.encoding != "none":
        columns = features.encoding_width or (width // 2 if features.join == "share" else width)
        extra = encode(graph, features.encoding, width=max(columns, 1), nodes=rows, device=device)
    values = None if extra is None else np.array(extra.at(rows), np.float32)
    if values is not None:
        width = _joined_width(values, width, features)
        values = _columns(values, features.scaling)
    made = None
    if features.kind in ("link", "svd"):
        words = [word for word in features.pretraining.split(",") if word.strip()]
        settings = dict(map(parse_setting, words))
        made = encode(graph, features.kind, width=width, device=device, **settings)
        whole = _scaled(made.values, features.scale)
    notes = [note for found in (extra, made) if found is not None for note in _notes(found)]
    vectors = None if whole is None else np.array(whole[rows], np.float32)
    return NodeInputs(vectors, values, width, tuple(notes))


def _columns(values: Array, scaling: str) -> Array:
    """Encodings on the scale that the settings ask for."""
    if scaling == "none":
        return values
    if scaling == "log":
        if values.min(initial=0.0) < 0:
            raise ConfigError(
                "these encodings have values below 0, which have no logarithm; set"
                " features.scaling to standard."
            )
        small = 0.01 * values.mean(axis=0, dtype=np.float64)
        values = np.log(values + np.maximum(small, 1e-12))
    return standardized(values, values).astype(np.float32)


def _notes(found: Encoding) -> list[str]:
    about = f"{found.name}: {found.about}." if found.about else ""
    return [*([about] if about else []), *found.facts.get("notes", ())]


def _given(encodings: Any, graph: Graph) -> Encoding:
    if isinstance(encodings, Encoding):
        return encodings
    try:
        array = np.asarray(encodings, dtype=np.float32)
    except (TypeError, ValueError):
        raise ConfigError("encodings must be numbers, as many in each row.") from None
    if array.ndim != 2 or len(array) != graph.num_nodes:
        raise ConfigError(
            f"encodings have shape {array.shape}, expected one row for each of the"
            f" {graph.num_nodes:,} nodes."
        )
    if not np.isfinite(array).all():
        raise ConfigError("encodings must be finite numbers.")
    return Encoding("encodings", np.arange(graph.num_nodes), array)


def _joined_width(values: Array, width: int, features: NodeFeatures) -> int:
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


def _scaled(values: Array, scale: float) -> Array:
    """Columns of mean 0, all of them together with this standard deviation."""
    values = values - values.mean(axis=0)
    return np.asarray(values * (scale / max(float(values.std()), 1e-12)))
