"""A trained model that answers for new subgraphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from ..errors import ConfigError
from ..nn.networks import Network
from ..ragged import Array
from ..task import Graph, SubgraphTask
from .calibration import probabilities
from .explain import Explanation, explain
from .known import Joined, Known
from .passes import Pass
from .query import Index, Node, Query, Unknown, ask

Mode = Literal["independent", "joint"]
_PICTURED = 3  # links a known subgraph in a picture


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model says about the subgraphs of a query.

    Args:
        names: As in the query.
        probabilities: Mean over seeds; (K, C).
        spread: Standard deviation over seeds, 0 with one; (K, C).
        known: Share of nodes that the graph has; (K,).
        unknown: The others, by subgraph.
        said: Which classes are claimed; bool (K, C).
        classes: Names of the classes.
        multilabel: Whether there may be several, or none.
    """

    names: tuple[str, ...]
    probabilities: Array
    spread: Array
    known: Array
    unknown: tuple[tuple[str, ...], ...]
    said: Array
    classes: tuple[str, ...]
    multilabel: bool

    def __len__(self) -> int:
        return len(self.names)

    @property
    def labels(self) -> list[str] | list[list[str]]:
        """The class of each subgraph, or its list of classes."""
        lists = [[self.classes[c] for c in np.flatnonzero(row)] for row in self.said]
        return lists if self.multilabel else [found[0] for found in lists]


class Neighbor(NamedTuple):
    """A known subgraph that is like the one asked about."""

    name: str
    title: str
    labels: tuple[str, ...]
    similarity: float


class Around(NamedTuple):
    """A known subgraph near the one asked about in the S2N graph."""

    name: str
    title: str
    labels: tuple[str, ...]
    weight: float | None
    hop: int


@dataclass(frozen=True)
class Surroundings:
    """The S2N graph around a subgraph: its strongest links, and the strongest among the others.

    Args:
        nodes: Known subgraphs, nearest first.
        links: Pairs of positions in ``nodes`` and their weight; -1 is the one asked about.
    """

    nodes: tuple[Around, ...]
    links: tuple[tuple[int, int, float], ...]


@dataclass(frozen=True, eq=False)
class Scorer:
    """A trained network, the graph and the subgraphs they know.

    Args:
        known: Graph, known subgraphs and settings.
        network: All replicas, trained.
        seeds: One a replica.
        temperature: What logits are divided by.
        threshold: Probability above which a class of a multi-label model is claimed.
        card: Where it comes from: data, settings, versions, scores.
    """

    known: Known
    network: Network
    seeds: tuple[int, ...]
    temperature: float = 1.0
    threshold: float = 0.5
    card: dict[str, Any] = field(default_factory=dict)

    @property
    def task(self) -> SubgraphTask:
        """The known subgraphs with their labels."""
        return self.known.task

    @property
    def graph(self) -> Graph:
        """The global graph."""
        return self.known.graph

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.task.class_names

    @property
    def multilabel(self) -> bool:
        """Whether a subgraph may have several labels."""
        return self.task.multilabel

    @cached_property
    def index(self) -> Index:
        """Nodes by id."""
        return Index(self.graph)

    @cached_property
    def forward(self) -> Pass:
        """The network with what it remembers."""
        return Pass(self.network, self.known)

    def ask(
        self,
        sets: Sequence[Sequence[str | int]],
        *,
        names: Sequence[str] | None = None,
        unknown_nodes: Unknown = "error",
    ) -> Query:
        """A query from lists of node ids.

        Args:
            sets: One list a subgraph.
            names: What to call them; by default their numbers.
            unknown_nodes: A node that is not in the graph is an ``error``, or ``drop``-ped.
        """
        return ask(self.index, sets, names, unknown_nodes)

    def new_task(self, query: Query) -> SubgraphTask:
        """The subgraphs of a query as a task without labels."""
        return SubgraphTask(self.graph, query.subgraphs)

    def join(self, query: Query, *, joint: bool = False) -> Joined | None:
        """Where they lie in the S2N graph; None where the network knows none."""
        if not self.known.config.translated:
            return None
        return self.known.join(query.subgraphs, joint=joint)

    def outputs(self, query: Query, *, mode: Mode = "independent") -> tuple[Array, Array]:
        """Vectors (R, K, F) and logits (R, K, C) of all replicas."""
        if mode not in ("independent", "joint"):
            raise ConfigError(f"a mode is independent or joint, not {mode!r}.")
        task, joint = self.new_task(query), mode == "joint"
        joined = self.join(query, joint=joint)
        vectors, logits = self.forward.answer(task, joined, joint=joint)
        return vectors.numpy(), logits.numpy()

    def predict(self, query: Query, *, mode: Mode = "independent") -> Answers:
        """Answers for a query.

        Args:
            query: What to answer for.
            mode: ``independent``: each beside the known subgraphs alone, so that its answer never
                depends on the others; ``joint``: all in one graph, as the paper evaluates.
        """
        _, logits = self.outputs(query, mode=mode)
        each = probabilities(logits, self.temperature, multilabel=self.multilabel)
        mean = each.mean(axis=0)
        spread = each.std(axis=0, ddof=1) if len(each) > 1 else np.zeros_like(mean)
        return Answers(
            query.names, mean, spread, query.known, query.unknown, self.claims(mean), self.classes,
            self.multilabel,
        )  # fmt: skip

    def claims(self, probabilities: Array) -> Array:
        """Which classes probabilities (K, C) claim; bool (K, C)."""
        if self.multilabel:
            return np.asarray(probabilities > self.threshold)
        return np.asarray(probabilities.argmax(axis=1)[:, None] == range(len(self.classes)))

    def explain(self, query: Query, *, label: str | None = None) -> list[Explanation]:
        """Why: what members and neighbours contribute to the probability of a class.

        Args:
            query: What to explain.
            label: The class; by default the likeliest.
        """
        if label is not None and label not in self.classes:
            raise ConfigError(f"there is no class {label!r}; known: {', '.join(self.classes)}.")
        found = None if label is None else self.classes.index(label)
        return [explain(self, query.take([number]), found) for number in range(len(query))]

    @cached_property
    def _known_vectors(self) -> Array:
        """Unit vectors of the known labelled subgraphs, one a replica: (R, n, F)."""
        return _unit(self.forward.vectors().numpy()[:, : self._labelled])

    @property
    def _labelled(self) -> int:
        """Known subgraphs that are not virtual, which come first."""
        return len(self.task) - self.task.num_virtual

    def neighbors(self, query: Query, *, count: int = 10) -> list[list[Neighbor]]:
        """The known subgraphs whose vectors are nearest, by cosine, mean over seeds."""
        if not len(query):
            return []
        vectors = _unit(self.outputs(query)[0])
        near = np.einsum("rkf,rnf->kn", vectors, self._known_vectors) / len(vectors)
        order = np.argsort(-near, axis=1, kind="stable")[:, : max(count, 0)]
        return [
            [Neighbor(*self._named(i), float(row[i])) for i in map(int, best)]
            for row, best in zip(near, order, strict=True)
        ]

    def _named(self, number: int) -> tuple[str, str, tuple[str, ...]]:
        """Name, title and labels of a known subgraph."""
        subgraphs, labels = self.task.subgraphs, self.task.labels
        title = "" if subgraphs.titles is None else subgraphs.titles[number]
        found: tuple[str, ...] = ()
        if labels is not None and number < self._labelled:
            row = np.flatnonzero(labels[number]) if self.multilabel else [labels[number]]
            found = tuple(self.classes[c] for c in row)
        return subgraphs.name_of(number), title, found

    def around(self, query: Query, *, most: int = 40) -> list[Surroundings]:
        """The S2N graph around each subgraph: strongest neighbours, then theirs."""
        joined = self.join(query)
        if joined is None:
            return [Surroundings((), ()) for _ in query.names]
        parts = [joined.links.part(number, number + 1) for number in range(len(query))]
        return [self._surroundings(part.nodes, part.weights.numpy(), most) for part in parts]

    def _surroundings(self, nodes: Array, weights: Array, most: int) -> Surroundings:
        matrix = self.known.outer.matrix
        first = np.argsort(-weights, kind="stable")[:most]
        near, strength = nodes[first], weights[first]
        reach = np.asarray(matrix[near].max(axis=0).todense()).ravel() if len(near) else None
        far = np.empty(0, np.int64)
        if reach is not None:
            reach[nodes] = 0
            far = np.argsort(-reach, kind="stable")[: max(most - len(near), 0)]
            far = far[reach[far] > 0]
        chosen = np.concatenate([near, far]).astype(np.int64)
        block = matrix[chosen][:, chosen].tocoo()
        once = np.flatnonzero(block.row < block.col)
        once = once[np.argsort(-block.data[once], kind="stable")[: _PICTURED * len(chosen)]]
        between = zip(block.row[once], block.col[once], block.data[once], strict=True)
        found = [
            Around(*self._named(int(i)), float(strength[p]) if p < len(near) else None,
                   1 if p < len(near) else 2)
            for p, i in enumerate(chosen)
        ]  # fmt: skip
        links = [(-1, p, float(w)) for p, w in enumerate(strength)]
        links += [(int(a), int(b), float(w)) for a, b, w in between]
        return Surroundings(tuple(found), tuple(links))

    def find_nodes(self, text: str, *, count: int = 20) -> list[Node]:
        """Nodes whose id or title has this text."""
        return self.index.search(text, count)


def _unit(vectors: Array) -> Array:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-12))
