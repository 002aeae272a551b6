"""What a model remembers: the global graph, its training subgraphs, and how new ones join them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..config import Config
from ..encode import SubgraphScale
from ..nn.build import members_stage
from ..nn.networks import Stage
from ..nn.readout import Members
from ..ragged import Array
from ..task import Graph, Subgraphs, SubgraphTask
from ..translate import S2NGraph, translate
from ..translate.kernels import loop_weights
from .links import KnownGraph, Links


@dataclass(frozen=True, eq=False)
class Joined:
    """How new subgraphs lie beside known ones.

    Args:
        links: Normalised weights.
        among: Between the new ones, CSR (K, K).
        degrees: d̂ of the new ones, as the degree readouts want it; (K,).
        changes: Of each pair (new, known), what d̂ of the known one grows by; CSR (K, n).
    """

    links: Links
    among: Any
    degrees: Array
    changes: Any


@dataclass(frozen=True, eq=False)
class Known:
    """The known subgraphs: those of train, and virtual ones.

    Args:
        task: They and nothing else, split into train and virtual.
        config: The settings of the network.
        scale: How statistics of subgraphs become inputs, where the network reads some.
    """

    task: SubgraphTask
    config: Config
    scale: SubgraphScale | None = None

    def __len__(self) -> int:
        return len(self.task)

    @property
    def graph(self) -> Graph:
        """The global graph."""
        return self.task.graph

    @cached_property
    def s2n(self) -> S2NGraph:
        """Raw weights; without those that the normalisation drops, where nothing reads them."""
        code = self.config.model.readout == "degree-code"
        cut = None if code else max(self.config.translation.a, 0.0)
        return translate(self.task, self_loops=self.config.translation.self_loops, cut=cut)

    @cached_property
    def outer(self) -> KnownGraph:
        """The S2N graph of the known subgraphs, normalised."""
        settings = self.config.translation
        return KnownGraph(self.s2n.normalize(settings.a, settings.delta).stage("train"))

    @property
    def by_degree(self) -> bool:
        """Whether readout weights depend on the other subgraphs in sight."""
        return self.config.model.readout.startswith("degree")

    @cached_property
    def _around(self) -> Array:
        """d_v of all nodes, in A + I; (N,)."""
        adjacency = self.graph.adjacency(dtype=np.float64)
        loops = loop_weights(self.graph, True, np.float64)
        return np.asarray(adjacency @ np.ones(self.graph.num_nodes) + loops)

    @cached_property
    def degrees(self) -> Array:
        """d̂ of the known subgraphs (degree readouts only); (n,)."""
        if self.config.model.readout == "degree-code":
            return np.asarray(np.diff(self.s2n.stage("train").indptr) + 1.0)
        members = self.task.subgraphs.membership(self.graph.num_nodes, dtype=np.float64)
        times = members.T @ np.ones(len(self))
        loops = loop_weights(self.graph, True, np.float64)
        adjacency = self.graph.adjacency(dtype=np.float64)
        return np.asarray(members @ (adjacency @ times + loops * times))

    def join(self, new: Subgraphs, *, joint: bool) -> Joined:
        """Attach new subgraphs, to each other too or not."""
        raw = self.s2n.attach(new, among=joint)
        settings = self.config.translation
        found = raw.normalize(settings.a, settings.delta)
        links = Links.of(found.known, found.new)
        if not self.by_degree:
            return Joined(links, found.new, np.ones(len(new)), None)
        parts = [part.astype(np.float64) for part in (raw.known, raw.new)]
        if self.config.model.readout == "degree-code":
            for part in parts:
                part.data[:] = 1
        ones = self.config.model.readout == "degree-code"
        degrees = ones + sum((np.asarray(part.sum(axis=1)).ravel() for part in parts), np.zeros(1))
        return Joined(links, found.new, degrees, parts[0])

    def stage(self, task: SubgraphTask, degrees: Array | None = None) -> Stage:
        """Subgraphs of a task by themselves, as the network reads them.

        Args:
            task: Known or new ones, on the same graph.
            degrees: Their d̂ (degree readouts only).
        """
        inputs = None if self.scale is None else torch.from_numpy(self.scale.inputs(task))
        rows = np.arange(self.graph.num_nodes)
        stage = members_stage(task, self.config, rows, inputs=inputs)
        if not self.by_degree or degrees is None:
            return stage
        subgraphs = task.subgraphs
        weights = np.sqrt(self._around[subgraphs.nodes] / degrees[subgraphs.owner])
        if subgraphs.weights is not None:
            weights = weights * subgraphs.weights
        made = torch.from_numpy(weights.astype(np.float32))
        return replace(stage, members=Members(stage.members.pattern, made))

    @cached_property
    def own_stage(self) -> Stage:
        """The known subgraphs by themselves."""
        return self.stage(self.task, self.degrees if self.by_degree else None)

    def shrunk(self, joined: Joined, first: int, last: int, *, joint: bool) -> Tensor | None:
        """What readouts of the known are multiplied by, beside each of some new ones; (k, n).

        ``joint``: beside all of them, (1, n).
        """
        if not self.by_degree:
            return None
        changes = joined.changes[first:last].toarray()
        grown = self.degrees + (changes.sum(axis=0, keepdims=True) if joint else changes)
        return torch.from_numpy(np.sqrt(self.degrees / grown).astype(np.float32))
