"""What stays known of a graph too large to load, of which a task holds the part it needs."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ..base.byte_sizes import size_words
from ..base.errors import ConfigError, DataError
from ..base.plural import plural
from ..base.ragged import Array, frozen
from .content_hash import digest

if TYPE_CHECKING:
    from .graph import Graph

# Bytes of memory per node and edge while tables are read, by measurement.
_NODE, _EDGE = 60, 140


@dataclass(frozen=True, eq=False)
class WholeGraph:
    """The graph on disk from which the members of subgraphs and the edges between them were taken.

    The weights between subgraphs, the edges inside them and all that is computed from both need
    no other nodes. What else is needed of the whole graph is here.

    Args:
        num_nodes: Nodes of the whole graph, those in no subgraph among them.
        num_edges: Its undirected edges, self-loops not counted.
        degrees: Neighbours in the whole graph of each node that was taken, self-loops not
            counted; int64 (n,).
        strengths: The sum of the weights of these edges; float64 (n,). None: all weights are 1.
        folder: Where the neighbours of all nodes lie, for subgraphs to come; None: nowhere. Not
            part of the content hash.
    """

    num_nodes: int
    num_edges: int
    degrees: Array
    strengths: Array | None = None
    folder: Path | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "degrees", frozen(self.degrees, "int64"))
        if self.strengths is not None:
            object.__setattr__(self, "strengths", frozen(self.strengths, "float64"))
            if self.strengths.shape != self.degrees.shape:
                raise DataError(
                    f"{plural(len(self.strengths), 'strength')} for"
                    f" {plural(len(self.degrees), 'degree')}."
                )

    def check(self, degrees: Array) -> None:
        """Raise unless nodes with these degrees can be a part of this graph.

        Args:
            degrees: Neighbours of each node within the part.
        """
        if self.degrees.shape != degrees.shape:
            raise DataError(
                f"{plural(len(self.degrees), 'degree')} in the whole graph for"
                f" {plural(len(degrees), 'node')}."
            )
        if len(degrees) > self.num_nodes or (self.degrees < degrees).any():
            raise DataError("a part of a graph cannot have more nodes or edges than the whole.")

    @property
    def hash(self) -> str:
        """Content hash."""
        return digest(
            "whole", str(self.num_nodes), str(self.num_edges), self.degrees, self.strengths
        )


def require_loaded(graph: Graph, what: str) -> None:
    """Raise where only a part of the graph is loaded, of which the result would be a wrong one.

    Args:
        graph: The graph.
        what: What needs all of it, as the subject of a sentence in the singular.
    """
    whole = graph.whole
    if whole is None:
        return
    width = 0 if graph.features is None else graph.features.shape[1]
    size = whole.num_nodes * (_NODE + 4 * width) + whole.num_edges * _EDGE
    raise ConfigError(
        f"{what} needs the whole graph, {plural(whole.num_nodes, 'node')} and"
        f" {plural(whole.num_edges, 'edge')}, of which {plural(graph.num_nodes, 'node')} are"
        f" loaded; read the data without an engine, in about {size_words(size)} of memory."
    )


def full_strengths(graph: Graph) -> Array:
    """Sum of the weights of each node's edges, also of those on disk, without self-loops.

    float64 (N,).
    """
    if graph.whole is None:
        return np.asarray(graph.adjacency(dtype=np.float64) @ np.ones(graph.num_nodes))
    strengths = graph.whole.strengths
    return graph.whole.degrees.astype(np.float64) if strengths is None else strengths


def draw_numbers(graph: Graph, nodes: Array) -> Array | None:
    """Numbers by which random vectors of nodes of a part are drawn: hashes of their ids; uint64.

    Positions will not do, since those of new nodes depend on what was asked before. None: the graph
    is all there.
    """
    if graph.whole is None:
        return None
    texts = graph.ids().take(pa.array(nodes)).to_pylist()
    digests = (blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(b"".join(digests), "<u8")
