"""A trained network that answers for new subgraphs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..base.calibration import probabilities
from ..base.ragged import Array
from ..base.records import JsonObject
from ..nn.networks import Network
from ..task import SubgraphTask
from .answers import Answers, NearbySubgraph, Surroundings
from .explain import explain
from .explanation import Explanation
from .forward import ForwardPass
from .placed_query import PlacedQuery
from .query import Query
from .reference_set import KnownSubgraphs
from .scorer import Mode, PlacedSubgraphs, Scorer, check_mode, require_finite

_LINKS_PER_NODE = 3  # in the surroundings of a subgraph


@dataclass(frozen=True, eq=False)
class NetworkScorer(Scorer):
    """A trained network with its global graph and its known subgraphs.

    Args:
        known_subgraphs: The known subgraphs with their graph and the settings.
        network: All replicas, trained.
        seeds: One seed per replica.
        temperature: Number by which logits are divided.
        threshold: Probability above which a class of a multi-label model is predicted.
        card: Origin of the model: data, settings, versions, scores.
    """

    known_subgraphs: KnownSubgraphs
    network: Network
    seeds: tuple[int, ...]
    temperature: float = 1.0
    threshold: float = 0.5
    card: JsonObject = field(default_factory=dict)

    @property
    def task(self) -> SubgraphTask:
        """The known subgraphs with their labels."""
        return self.known_subgraphs.task

    @property
    def structure(self) -> str:
        """The structure of the network."""
        return self.known_subgraphs.config.structure

    @property
    def conv(self) -> str:
        """The convolution of the network."""
        return self.known_subgraphs.config.conv

    @property
    def replica_weights(self) -> Array:
        """All replicas count the same; (R,)."""
        return np.full(len(self.seeds), 1 / len(self.seeds))

    @property
    def reads_excluded(self) -> bool:
        """Whether the network has a readout of excluded nodes."""
        return self.network.excluded is not None

    @cached_property
    def forward(self) -> ForwardPass:
        """The forward pass of the network for new subgraphs."""
        return ForwardPass(self.network, self.known_subgraphs)

    @property
    def vector_names(self) -> list[str]:
        """Names of the columns of :meth:`vectors`."""
        width = self.known_subgraphs.config.model.hidden
        return [f"seed{seed}_{i}" for seed in self.seeds for i in range(width)]

    def with_card(self, card: JsonObject) -> NetworkScorer:
        """The same model with another card."""
        return replace(self, card=card)

    def place(self, query: Query | PlacedSubgraphs, *, mode: Mode = "independent") -> PlacedQuery:
        """A query with its place beside the known subgraphs, for several questions about it.

        Args:
            query: The subgraphs; a query that was placed in this mode stays as it is.
            mode: The mode of :meth:`predict`.
        """
        check_mode(mode)
        joint = mode == "joint"
        if isinstance(query, PlacedQuery) and query.joint == joint:
            return query
        plain = query.query if isinstance(query, PlacedSubgraphs) else query
        return PlacedQuery(plain, self.known_subgraphs, joint)

    def outputs(
        self, query: Query | PlacedSubgraphs, *, mode: Mode = "independent"
    ) -> tuple[Array, Array]:
        """Vectors (R, K, F) and logits (R, K, C) of all replicas."""
        placed = self.place(query, mode=mode)
        vectors, logits = self.forward.answer(placed)
        finite = (vectors.isfinite().all(dim=-1) & logits.isfinite().all(dim=-1)).all(dim=0)
        require_finite(finite.numpy(), placed.query)
        return vectors.numpy(), logits.numpy()

    def logits(self, query: Query) -> Array:
        """Logits (R, K, C) of all replicas, each subgraph beside the known ones alone."""
        return self.outputs(query)[1]

    def replica_probabilities(self, placed: PlacedSubgraphs) -> Array:
        """Calibrated probabilities of all replicas; (R, K, C)."""
        mode: Mode = "joint" if placed.joint else "independent"
        return self.calibrate(self.outputs(placed, mode=mode)[1])

    def calibrate(self, logits: Array) -> Array:
        """Probabilities from logits; (R, K, C)."""
        return probabilities(logits, self.temperature, multilabel=self.multilabel)

    def answers(self, query: Query, logits: Array) -> Answers:
        """Answers from the logits (R, K, C) of all replicas: calibrated, then averaged."""
        return self.combine(query, self.calibrate(logits))

    def explain_one(self, placed: PlacedSubgraphs, target: int | None) -> Explanation:
        """Contributions to the probability of a class, for a query with one subgraph."""
        return explain(self, self.place(placed), target)

    @cached_property
    def _known_vectors(self) -> Array:
        """Unit vectors of the known labelled subgraphs, one per replica; (R, n, F)."""
        return _normalize(self.forward.known_vectors().numpy()[:, : self.num_labelled])

    def similarities(self, placed: PlacedSubgraphs) -> Array:
        """Cosine of new and known labelled subgraphs, mean over replicas; (K, n)."""
        vectors = _normalize(self.outputs(placed)[0])
        total = np.einsum("rkf,rnf->kn", vectors, self._known_vectors)
        return np.asarray(total / len(vectors))

    def vectors(self, query: Query | PlacedSubgraphs, *, mode: Mode = "independent") -> Array:
        """Vectors of subgraphs, those of all replicas side by side; (K, R · F)."""
        vectors = self.outputs(query, mode=mode)[0]
        width = vectors.shape[0] * vectors.shape[2]
        return np.ascontiguousarray(vectors.swapaxes(0, 1)).reshape(len(query), width)

    def around(self, query: Query | PlacedSubgraphs, *, most: int = 40) -> list[Surroundings]:
        """The S2N graph around each subgraph: strongest neighbours, then theirs."""
        attachment = self.place(query).attachment
        if attachment is None:
            return [Surroundings((), ())] * len(query)
        parts = [attachment.links.part(number, number + 1) for number in range(len(query))]
        return [self._surroundings(part.nodes, part.weights.numpy(), most) for part in parts]

    def _surroundings(self, nodes: Array, weights: Array, most: int) -> Surroundings:
        matrix = self.known_subgraphs.outer.matrix
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
        upper = np.flatnonzero(block.row < block.col)
        upper = upper[
            np.argsort(-block.data[upper], kind="stable")[: _LINKS_PER_NODE * len(chosen)]
        ]
        between = zip(block.row[upper], block.col[upper], block.data[upper], strict=True)
        hop_1 = [
            NearbySubgraph(*self.describe_known(int(i)), weight, 1)
            for i, weight in zip(near, strength.tolist(), strict=True)
        ]
        hop_2 = [NearbySubgraph(*self.describe_known(int(i)), None, 2) for i in far]
        links = [(-1, p, float(w)) for p, w in enumerate(strength)]
        links += [(int(a), int(b), float(w)) for a, b, w in between]
        return Surroundings((*hop_1, *hop_2), tuple(links))


def _normalize(vectors: Array) -> Array:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-12))
