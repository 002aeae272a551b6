"""Counted operations of a training epoch, and what it holds (Proposition 1 of the paper).

Sums over edges cost edges × width, linear maps rows × width². How many seconds that is, a machine
has to tell: see ``rates``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...config import Config
from ...ragged import Array, distinct
from ...task import Part, SubgraphTask
from ...translate import S2NGraph

_BACKWARD = 3  # forward and backward, against forward alone
_KEPT = 5  # copies of what is trained: itself, gradient, two moments, best state
_ENTRY = 4  # numbers of an entry of a graph: row, column, order by columns, weight
_MAPS = {"gcn": 1, "gcn2": 1, "gin": 2, "sage": 2, "gatv2": 2}  # linear maps of a layer
_PER_VIRTUAL = 64  # links of a virtual subgraph, about, where the graph has many edges


@dataclass(frozen=True)
class Sizes:
    """What a network reads in one stage.

    Args:
        members: Members of its subgraphs.
        nodes: Rows of the graph inside: members, or all nodes of the global graph; 0 without.
        edges: Its entries, both directions and the diagonal.
        subgraphs: Rows of the S2N graph, or subgraphs read out.
        links: Entries of the S2N graph, both directions and the diagonal; 0 without.
    """

    members: int
    nodes: int
    edges: int
    subgraphs: int
    links: int = 0


@dataclass(frozen=True)
class Shape:
    """What a network of a structure reads.

    Args:
        table: Nodes that have vectors.
        train: The train stage.
        val: The val stage.
        coarsened: Edges to be coarsened first; 0: none, or it is done.
    """

    table: int
    train: Sizes
    val: Sizes
    coarsened: int = 0

    @property
    def rows(self) -> int:
        """Of the largest activation of a training step."""
        return max(self.train.members, self.train.nodes, self.train.subgraphs)


def count(task: SubgraphTask, config: Config, graph: S2NGraph | None) -> Shape:
    """Count what a network reads.

    Args:
        task: As the network sees it, split.
        config: Structure and cut.
        graph: The raw S2N graph, for S2N and CoS2N.
    """
    split, subgraphs = task.split, task.subgraphs
    assert split is not None
    ptr = subgraphs.internal_edges(task.graph)[0] if config.structure != "connected" else None
    cut = None
    if graph is not None and config.translated:
        cut = graph.normalize(config.translation.a, config.translation.delta)

    def sizes(part: Part) -> Sizes:
        if cut is not None:
            first, last = 0, split.visible(part)
        else:
            rows = np.flatnonzero(split.mask(part))
            first, last = int(rows[0]), int(rows[-1]) + 1
        members = int(subgraphs.ptr[last] - subgraphs.ptr[first])
        nodes = edges = links = 0
        if config.structure == "connected":
            nodes = task.graph.num_nodes
            edges = 2 * task.graph.num_edges + nodes
        elif config.with_inner or not config.translated:
            assert ptr is not None
            nodes, edges = members, 2 * int(ptr[last] - ptr[first]) + members
        if cut is not None:
            links = int(cut.stage(part).nnz) + last
        return Sizes(members, nodes, edges, last - first, links)

    table = task.graph.num_nodes
    if config.structure != "connected":
        table = len(distinct(np.array(subgraphs.nodes)))
    return Shape(table, sizes("train"), sizes("val"))


def with_virtual_guess(shape: Shape, task: SubgraphTask, config: Config) -> Shape:
    """The shape of S2N with virtual subgraphs that were not made yet.

    Edge methods leave about 0.7 · (1 - ratio) · N sets of two nodes or more, of 0.8 N nodes in all
    at ratio 0.5, hardly more internal edges than a tree has, and as many links as the global graph
    has edges, as long as these are not many more than subgraphs. Rough: within a factor of three.

    Args:
        shape: Of the same structure without them.
        task: The data.
        config: Structure and ratio.
    """
    size, ratio = task.graph.num_nodes, config.coarsening.ratio
    sets = int(0.7 * (1 - ratio) * size)
    members = int(min(1.0, 1.6 * ratio) * size)
    links = int(min(task.graph.num_edges, _PER_VIRTUAL * sets)) + sets

    def grown(sizes: Sizes) -> Sizes:
        inner = (members, 3 * members) if config.with_inner else (0, 0)
        return Sizes(
            sizes.members + members, sizes.nodes + inner[0], sizes.edges + inner[1],
            sizes.subgraphs + sets, sizes.links + links,
        )  # fmt: skip

    table = min(size, shape.table + members)
    return Shape(table, grown(shape.train), grown(shape.val), task.graph.num_edges)


def time_terms(shape: Shape, config: Config, width_in: int, replicas: int) -> Array:
    """What an epoch of a group of replicas does, by kind; see :data:`TERMS`."""
    step, look = (_forward(sizes, config, width_in) for sizes in (shape.train, shape.val))
    both = (_BACKWARD * step + look) * np.array([1, *[replicas] * (len(step) - 1)])
    trained = _trained(shape, config, width_in) * replicas
    return np.append(both, trained)


TERMS = ("layers", "layers of replicas", "edges", "edges x width", "rows x width",
         "rows x width²", "numbers trained")  # fmt: skip


def _forward(sizes: Sizes, config: Config, width_in: int) -> Array:
    """A forward pass by kind, all but the last of :data:`TERMS`."""
    model, width = config.model, config.model.hidden
    inside, outside = _depths(config)
    layers = 2 + inside + outside
    edges = inside * sizes.edges + outside * sizes.links
    rows = inside * sizes.nodes + outside * sizes.subgraphs
    read = sizes.members * (2 if config.structure != "connected" and inside else 1)
    maps = _MAPS.get(config.conv, 2) + model.skip
    if config.conv == "gcn2":
        maps += not model.outer.shared_weights
    first = sizes.nodes if inside else sizes.subgraphs
    project = first * width_in * width if width_in != width else 0
    return np.array([
        layers, layers, edges, edges * width + read * width_in,
        rows * width * (2 + model.batch_norm), rows * maps * width**2 + project,
    ], float)  # fmt: skip


def _depths(config: Config) -> tuple[int, int]:
    """Layers inside subgraphs or on the global graph, and layers on the S2N graph."""
    if not config.translated:
        return config.model.layers, 0
    return (config.model.inner_layers if config.with_inner else 0), config.model.layers


def _trained(shape: Shape, config: Config, width_in: int) -> int:
    """Numbers of one replica that are trained, nearly all of them vectors of nodes."""
    width, depth = config.model.hidden, sum(_depths(config))
    table = shape.table * width_in if config.features.trainable else 0
    return table + (depth + 2) * width**2


def fixed_bytes(shape: Shape, config: Config, width_in: int, replicas: int) -> int:
    """Bytes of what is trained and its copies, and of the graphs: numbers of 4 bytes."""
    constant = config.features.trainable or config.features.kind == "constant"
    table = 0 if constant else shape.table * width_in
    flat = 2 if _depths(config)[0] else 1  # members are read once more, as rows of their own
    entries = sum(
        each.edges + each.links + flat * each.members for each in (shape.train, shape.val)
    )
    trained = _KEPT * replicas * _trained(shape, config, width_in)
    return 4 * (trained + table + _ENTRY * entries)


def memory_terms(shape: Shape, config: Config, replicas: int) -> Array:
    """Bytes that grow with a step, by kind.

    Activations, those of norms and skips, values of edges.
    """
    inside, outside = _depths(config)
    train, width = shape.train, config.model.hidden
    more = int(config.model.batch_norm) + int(config.model.skip)
    rows = inside * train.nodes + outside * train.subgraphs
    values = inside * train.edges + outside * train.links
    rows *= replicas * width
    return 4.0 * np.array([rows, more * rows, replicas * values])
