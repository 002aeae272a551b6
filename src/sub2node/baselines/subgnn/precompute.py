"""Anchors of SubGNN and how near they are to each component, drawn once for each seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ...progress import step
from ...ragged import Array
from ...task import SubgraphTask
from .anchors import sample_border, sample_members
from .components import Components, components
from .distances import component_distances
from .sequences import Side, degree_sequences, sequence_similarity
from .settings import SubGNNModel
from .walks import patch_walks, patches

SIDES: tuple[Side, ...] = ("internal", "border")
T = TypeVar("T")
_ANCHORS = 3  # what the numbers of a seed are for


@dataclass(frozen=True, eq=False)
class NodeAnchors:
    """Nodes, and how much each counts for each component, for one channel, side and layer.

    Args:
        ids: (R, K, n): of each component; (R, M, n): of each subgraph; (R, n): of all.
        weights: (R, K, n), 0 for what is not there.
    """

    ids: Array
    weights: Array


@dataclass(frozen=True, eq=False)
class PatchAnchors:
    """Patches as walks, and how alike each is to each component, for one side and layer.

    Args:
        walks: (R, n, walks, length), -1 after the end of a walk.
        weights: (R, K, n).
    """

    walks: Array
    weights: Array


@dataclass(frozen=True, eq=False)
class Precomputed:
    """All that SubGNN reads besides node vectors; each list by layer, each pair by side."""

    components: Components
    neighborhood: tuple[dict[Side, NodeAnchors], ...]
    position: tuple[dict[Side, NodeAnchors], ...]
    structure: tuple[dict[Side, PatchAnchors], ...]


def precompute(task: SubgraphTask, model: SubGNNModel, seeds: Sequence[int]) -> Precomputed:
    """Draw anchors for each seed and compare them with all components."""
    found = components(task.graph, task.subgraphs)
    maker = _Maker(task, model, found, [np.random.default_rng([s, _ANCHORS]) for s in seeds])
    return Precomputed(
        found,
        maker.layers(maker.neighborhood) if model.neighborhood else (),
        maker.layers(maker.position) if model.position else (),
        maker.layers(maker.structure) if model.structure else (),
    )


@dataclass(eq=False)
class _Maker:
    task: SubgraphTask
    model: SubGNNModel
    found: Components
    rngs: list[np.random.Generator]

    def layers(self, make: Callable[[Side], T]) -> tuple[dict[Side, T], ...]:
        """What a channel needs, layer by layer."""
        made = []
        for layer in range(self.model.layers):
            step("SubGNN anchors", layer, self.model.layers)
            made.append({side: make(side) for side in SIDES})
        step("SubGNN anchors", self.model.layers, self.model.layers)
        return tuple(made)

    def neighborhood(self, side: Side) -> NodeAnchors:
        """Nodes of a component, or around it."""
        model, found = self.model, self.found
        if side == "internal":
            drawn = [
                sample_members(found.ptr, found.nodes, model.neighborhood_in, rng)
                for rng in self.rngs
            ]
        else:
            drawn = sample_border(
                self.task.graph, found, model.border_hops, model.neighborhood_out, self.rngs
            )
        weights = [self._weights(ids, mask) for ids, mask in drawn]
        return NodeAnchors(np.stack([ids for ids, _ in drawn]), np.stack(weights))

    def position(self, side: Side) -> NodeAnchors:
        """Nodes of a subgraph, or of the global graph."""
        model, subgraphs = self.model, self.task.subgraphs
        chosen, weights = [], []
        for rng in self.rngs:
            if side == "internal":
                ids, mask = sample_members(subgraphs.ptr, subgraphs.nodes, model.position_in, rng)
                chosen.append(ids)
                ids, mask = ids[self.found.owner], mask[self.found.owner]
            else:
                size = self.task.graph.num_nodes
                some = rng.permutation(size)[: model.position_out]
                ids = np.zeros(model.position_out, np.int64)
                ids[: len(some)] = some
                chosen.append(ids)
                ids = np.broadcast_to(ids, (len(self.found), len(ids)))
                mask = np.broadcast_to(np.arange(ids.shape[1]) < len(some), ids.shape)
            weights.append(self._weights(ids, mask))
        return NodeAnchors(np.stack(chosen), np.stack(weights))

    def _weights(self, ids: Array, mask: Array) -> Array:
        """1 / (1 + distance), or the distance, of anchors (K, n); float32."""
        place = np.nonzero(mask)
        far = component_distances(
            self.task.graph, self.found, place[0], ids[place], limit=self.model.limit
        )
        near = (
            1 / (1 + far) if self.model.similarity == "inverse" else np.where(far < np.inf, far, 0)
        )
        weights = np.zeros(ids.shape, np.float32)
        weights[place] = near
        return weights

    def structure(self, side: Side) -> PatchAnchors:
        """Patches by triangular walks; both sides have patches of their own."""
        model, graph = self.model, self.task.graph
        walks, drawn = [], []
        for rng in self.rngs:
            ptr, nodes = patches(graph, model.patches, model.patch_length, beta=model.beta, rng=rng)
            options = {"beta": model.beta, "rng": rng}
            shape = (model.walks, model.walk_length, side)
            walks.append(patch_walks(graph, ptr, nodes, *shape, **options))  # type: ignore[arg-type]
            drawn.append((np.diff(ptr), degree_sequences(graph, ptr, nodes, side)))
        sizes, degrees = (np.concatenate(each) for each in zip(*drawn, strict=True))
        ours = degree_sequences(graph, self.found.ptr, self.found.nodes, side)
        alike = sequence_similarity(
            self.found.ptr, ours, np.concatenate([[0], np.cumsum(sizes)]), degrees
        )
        by_seed = alike.reshape(len(alike), len(self.rngs), model.patches).swapaxes(0, 1)
        return PatchAnchors(np.stack(walks), np.ascontiguousarray(by_seed))
