"""Anchors of SubGNN and how near they are to each component, drawn once for each seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.random import SeedSequence

from ...base.keyed_numbers import mix, set_keys
from ...base.progress import counted
from ...base.ragged import Array
from ...task import SubgraphTask
from .anchors import sample_border, sample_members
from .components import Components, components
from .distances import component_distances
from .sequences import Side, degree_sequences, sequence_similarity
from .subgnn_settings import SubGNNModel
from .walks import patch_walks, patches

SIDES: tuple[Side, ...] = ("internal", "border")
T = TypeVar("T")
_ANCHORS = 3  # stream of a seed


@dataclass(frozen=True, eq=False)
class NodeAnchors:
    """Nodes, and how much each counts for each component, for one channel, side and layer.

    Args:
        ids: Numbers of nodes, (R, K, n): of each component; (R, M, n): of each subgraph; (R, n):
            of all.
        weights: Weight of each anchor for each component, (R, K, n); 0 for padding.
    """

    ids: Array
    weights: Array


@dataclass(frozen=True, eq=False)
class PatchAnchors:
    """Patches as walks, and how alike each is to each component, for one side and layer.

    Args:
        walks: Nodes of walks, (R, n, walks, length), -1 after the end of a walk.
        weights: Similarity of each patch to each component, (R, K, n).
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
    """Draw anchors for each seed and compare them with all components.

    Anchors of a subgraph and of its components depend on the seed and its members, those of all
    on the seed alone: other subgraphs change neither.
    """
    parts = components(task.graph, task.subgraphs)
    sampler = _AnchorSampler(task, model, parts, seeds)
    return Precomputed(
        parts,
        sampler.layers(sampler.neighborhood, 0) if model.neighborhood else (),
        sampler.layers(sampler.position, 1) if model.position else (),
        sampler.layers(sampler.structure, 2) if model.structure else (),
    )


class _AnchorSampler:
    """Draws anchors; every channel, layer and side has random numbers of its own for each seed."""

    def __init__(
        self, task: SubgraphTask, model: SubGNNModel, parts: Components, seeds: Sequence[int]
    ) -> None:
        self.task, self.model, self.components, self.seeds = task, model, parts, seeds
        self.keys = set_keys(task.subgraphs.ptr, task.subgraphs.nodes)
        # Components of one subgraph differ, and are alike in no other one that has other members.
        own = set_keys(parts.ptr, parts.nodes)
        self.component_keys = mix(own + self.keys[parts.owner])

    def layers(
        self, make: Callable[[Side, list[SeedSequence]], T], channel: int
    ) -> tuple[dict[Side, T], ...]:
        """The anchors of a channel, layer by layer."""
        return tuple(
            {
                side: make(
                    side,
                    [SeedSequence([seed, _ANCHORS, channel, layer, place]) for seed in self.seeds],
                )
                for place, side in enumerate(SIDES)
            }
            for layer in counted(range(self.model.layers), "SubGNN anchors of layer")
        )

    def neighborhood(self, side: Side, seeds: list[SeedSequence]) -> NodeAnchors:
        """Nodes of a component, or around it."""
        model, parts = self.model, self.components
        keys = [_keys_of(seed, self.component_keys) for seed in seeds]
        if side == "internal":
            drawn = [
                sample_members(parts.ptr, parts.nodes, model.neighborhood_in, own) for own in keys
            ]
        else:
            drawn = sample_border(
                self.task.graph,
                parts,
                hops=model.border_hops,
                count=model.neighborhood_out,
                keys=keys,
            )
        weights = [self._weights(ids, mask) for ids, mask in drawn]
        return NodeAnchors(np.stack([ids for ids, _ in drawn]), np.stack(weights))

    def position(self, side: Side, seeds: list[SeedSequence]) -> NodeAnchors:
        """Nodes of a subgraph, or of the global graph."""
        model, subgraphs = self.model, self.task.subgraphs
        chosen, weights = [], []
        for seed in seeds:
            if side == "internal":
                ids, mask = sample_members(
                    subgraphs.ptr, subgraphs.nodes, model.position_in, _keys_of(seed, self.keys)
                )
                chosen.append(ids)
                ids, mask = ids[self.components.owner], mask[self.components.owner]
            else:
                size = self.task.graph.num_nodes
                some = np.random.default_rng(seed).permutation(size)[: model.position_out]
                ids = np.zeros(model.position_out, np.int64)
                ids[: len(some)] = some
                chosen.append(ids)
                ids = np.broadcast_to(ids, (len(self.components), len(ids)))
                mask = np.broadcast_to(np.arange(ids.shape[1]) < len(some), ids.shape)
            weights.append(self._weights(ids, mask))
        return NodeAnchors(np.stack(chosen), np.stack(weights))

    def _weights(self, ids: Array, mask: Array) -> Array:
        """1 / (1 + distance), or the distance, of anchors (K, n); float32."""
        place = np.nonzero(mask)
        far = component_distances(
            self.task.graph, self.components, place[0], ids[place], limit=self.model.limit
        )
        near = (
            1 / (1 + far) if self.model.similarity == "inverse" else np.where(far < np.inf, far, 0)
        )
        weights = np.zeros(ids.shape, np.float32)
        weights[place] = near
        return weights

    def structure(self, side: Side, seeds: list[SeedSequence]) -> PatchAnchors:
        """Patches by triangular walks; both sides have patches of their own."""
        model, graph = self.model, self.task.graph
        walks, drawn = [], []
        for rng in map(np.random.default_rng, seeds):
            ptr, nodes = patches(graph, model.patches, model.patch_length, beta=model.beta, rng=rng)
            drawn_walks = patch_walks(
                graph,
                ptr,
                nodes,
                walks=model.walks,
                length=model.walk_length,
                side=side,
                rng=rng,
                beta=model.beta,
            )
            walks.append(drawn_walks)
            drawn.append((np.diff(ptr), degree_sequences(graph, ptr, nodes, side)))
        sizes, degrees = (np.concatenate(arrays) for arrays in zip(*drawn, strict=True))
        own_degrees = degree_sequences(graph, self.components.ptr, self.components.nodes, side)
        similarity = sequence_similarity(
            self.components.ptr, own_degrees, np.concatenate([[0], np.cumsum(sizes)]), degrees
        )
        by_seed = similarity.reshape(len(similarity), len(seeds), model.patches)
        by_seed = by_seed.swapaxes(0, 1)
        return PatchAnchors(np.stack(walks), np.ascontiguousarray(by_seed))


def _keys_of(seed: SeedSequence, keys: Array) -> Array:
    """Keys of lists for one seed: uint64."""
    return mix(keys + seed.generate_state(1, np.uint64))
