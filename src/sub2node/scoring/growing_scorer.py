"""A model whose graph stays on disk: nodes that are asked about join the part that is loaded.

Nodes join at the end, so that positions stay what they are, and what was computed of the known
subgraphs holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from ..base.errors import ConfigError
from ..base.ragged import Array
from ..base.records import JsonObject
from ..baselines.linear_classifier import LinearClassifier
from ..baselines.node_bags import inverse_frequencies
from ..baselines.set_classifier import SetClassifier
from ..baselines.tree_classifier import TreeClassifier
from ..disk import grow
from ..nn import Init, Network, Streams
from ..nn.node_inputs import node_inputs
from ..nn.node_table import NodeTable, VectorTable
from ..task import Graph, SubgraphTask
from .answers import Surroundings
from .doubt import TrainingProfile
from .ensemble_scorer import EnsembleScorer
from .explanation import Explanation
from .network_scorer import NetworkScorer
from .node_index import NodeIndex
from .query import Query
from .reference_set import KnownSubgraphs
from .scorer import Mode, PlacedSubgraphs, Scorer
from .simple_scorer import SimpleScorer

# What is known of the known subgraphs alone, whatever other nodes the graph has.
_OF_KNOWN = ("outer", "degrees")
_OF_FORWARD = ("_known_readouts", "_known_sums", "_entered", "_base")


class GrowingScorer(Scorer):
    """A model with the nodes that it was asked about so far.

    Args:
        scorer: The model, with the part of its graph that the known subgraphs need.
    """

    def __init__(self, scorer: Scorer) -> None:
        self.base, self._grown = scorer, scorer
        self.seeds, self.threshold, self.card = scorer.seeds, scorer.threshold, scorer.card

    def reach(self, ids: Sequence[str]) -> None:
        """Let nodes of these ids join, those that the graph on disk has."""
        graph = grow(self.graph, pa.array(ids, pa.large_string()))
        if graph is not self.graph:
            self._grown = on_graph(self._grown, graph)

    @property
    def task(self) -> SubgraphTask:
        """The known subgraphs with their labels."""
        return self._grown.task

    @property
    def structure(self) -> str:
        """The structure of a network, or the name of another model."""
        return self.base.structure

    @property
    def conv(self) -> str:
        """The convolution of a network."""
        return self.base.conv

    @property
    def replica_weights(self) -> Array:
        """How much each replica counts."""
        return self.base.replica_weights

    @property
    def reads_excluded(self) -> bool:
        """Whether nodes that are excluded from a subgraph have a say in its answer."""
        return self.base.reads_excluded

    @property
    def vector_names(self) -> list[str]:
        """Names of the columns of :meth:`vectors`."""
        return self.base.vector_names

    @property
    def trained_graph(self) -> Graph:
        """The part of the graph that the model was trained on."""
        return self.base.graph

    @property
    def index(self) -> NodeIndex:  # it changes when nodes join
        """The nodes of the graph by id, those that have joined."""
        return self._grown.index

    @property
    def training_profile(self) -> TrainingProfile:
        """What the training subgraphs are like."""
        return self._grown.training_profile

    def with_card(self, card: JsonObject) -> GrowingScorer:
        """The same model with another card."""
        return GrowingScorer(self.base.with_card(card))

    def place(
        self, query: Query | PlacedSubgraphs, *, mode: Mode = "independent"
    ) -> PlacedSubgraphs:
        """A query with its place beside the known subgraphs."""
        return self._grown.place(query, mode=mode)

    def replica_probabilities(self, placed: PlacedSubgraphs) -> Array:
        """Calibrated probabilities of all replicas; (R, K, C)."""
        return self._grown.replica_probabilities(placed)

    def explain_one(self, placed: PlacedSubgraphs, target: int | None) -> Explanation:
        """Contributions to the probability of a class, for a query with one subgraph."""
        return self._grown.explain_one(placed, target)

    def similarities(self, placed: PlacedSubgraphs) -> Array | None:
        """Cosine of new and known labelled subgraphs, (K, n)."""
        return self._grown.similarities(placed)

    def around(self, query: Query | PlacedSubgraphs, *, most: int = 40) -> list[Surroundings]:
        """The S2N graph around each subgraph."""
        return self._grown.around(query, most=most)

    def vectors(self, query: Query | PlacedSubgraphs, *, mode: Mode = "independent") -> Array:
        """Vectors of subgraphs."""
        return self._grown.vectors(query, mode=mode)


def growing(scorer: Scorer) -> Scorer:
    """The model, which nodes can join where the rest of its graph lies on disk."""
    return scorer if scorer.graph.whole is None else GrowingScorer(scorer)


def on_graph(scorer: Scorer, graph: Graph) -> Scorer:
    """The same model on its graph with more nodes at the end.

    Args:
        scorer: A model.
        graph: Its graph, grown.
    """
    if isinstance(scorer, EnsembleScorer):
        return replace(scorer, members=tuple(on_graph(one, graph) for one in scorer.members))
    if isinstance(scorer, SimpleScorer):
        task = replace(scorer.known_task, graph=graph)
        classifier = _grown_classifier(scorer.classifier, scorer.known_task, graph)
        return replace(scorer, known_task=task, classifier=classifier)
    assert isinstance(scorer, NetworkScorer)
    old = scorer.known_subgraphs
    known = replace(old, task=replace(old.task, graph=graph))
    _share(old, known, _OF_KNOWN)
    network = _grown_network(scorer.network, scorer.seeds, old, known)
    grown = replace(scorer, known_subgraphs=known, network=network)
    _share(scorer.forward, grown.forward, _OF_FORWARD)
    return grown


def _share(old: object, new: object, names: Sequence[str]) -> None:
    """Hand on what was computed once and has not changed."""
    new.__dict__.update({name: old.__dict__[name] for name in names if name in old.__dict__})


def _grown_network(
    network: Network, seeds: Sequence[int], old: KnownSubgraphs, new: KnownSubgraphs
) -> Network:
    """The network with vectors of the new nodes, those that they would have started with."""
    size, table = new.graph.num_nodes, network.table.table
    features = new.config.features
    if features.kind != "constant" or features.encoding != "none":
        rows = np.arange(old.graph.num_nodes, size)
        inputs = node_inputs(new.task, features, rows, device="cpu")
        fresh = NodeTable(rows, features, inputs=inputs, init=Init(seeds), streams=Streams(seeds))
        with torch.no_grad():
            table = _below(table, fresh.eval()())
    grown = copy(network)
    grown._modules = {**network._modules, "table": VectorTable(table, len(seeds), size)}
    return grown


def _below(known: Tensor, fresh: Tensor) -> Tensor:
    """The vectors of new nodes below those of others; (R or 1, N, F)."""
    replicas = len(known) if fresh.stride(0) == 0 else max(len(known), len(fresh))
    parts = [
        part[:1].expand(replicas, -1, -1) if replicas == 1 or len(part) == 1 else part
        for part in (known, fresh)
    ]
    return torch.cat(parts, dim=1)


def _grown_classifier(classifier: SetClassifier, task: SubgraphTask, graph: Graph) -> SetClassifier:
    """What a simple model has learned, for more nodes than it knew."""
    if isinstance(classifier, LinearClassifier):
        return _grown_linear(classifier, task, graph.num_nodes)
    if isinstance(classifier, TreeClassifier) and classifier.vectors_of_nodes is not None:
        known, features = classifier.vectors_of_nodes, graph.features
        if features is None or not np.array_equal(known, features[: len(known)]):
            raise ConfigError(
                "this model reads vectors of nodes that new nodes of a graph on disk do not have;"
                " fit it with the features of nodes as they are (features.kind given), or with"
                " inputs that need none (statistics, border)."
            )
        return replace(classifier, vectors_of_nodes=features)
    return classifier


def _grown_linear(classifier: LinearClassifier, task: SubgraphTask, size: int) -> LinearClassifier:
    """New nodes have no weights of their own, and the weight in the bag of nodes never seen."""
    bag, old = classifier.bag, task.graph.num_nodes
    parts = (bag.hops + 1) * (2 if bag.excluded else 1)
    section = np.minimum(classifier.columns // old, parts)  # what follows moves as a whole
    columns = classifier.columns + section * (size - old)
    assert task.split is not None
    count = int(task.split.mask("train").sum())
    unseen = inverse_frequencies(task.subgraphs.take(np.arange(count)), size)[old:]
    weights = [
        None if own is None else np.concatenate([own, unseen.astype(own.dtype)])
        for own in (bag.node_weights, bag.excluded_weights)
    ]
    grown = replace(bag, node_weights=weights[0], excluded_weights=weights[1])
    return replace(classifier, bag=grown, columns=columns)
