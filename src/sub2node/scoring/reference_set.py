"""The known subgraphs of a model, its global graph, and how new subgraphs are attached to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from ..base.ragged import Array, SparseMatrix
from ..config import Config
from ..encode import SubgraphScale
from ..nn.build import members_stage
from ..nn.networks import Stage
from ..nn.readout import Members
from ..task import Graph, Subgraphs, SubgraphTask
from ..task.whole_graph import full_strengths
from ..translation import S2NGraph, normalize_by, normalize_rows_by, translate_by
from ..translation.edge_weights import loop_weights
from ..translation.stage_inputs import weight_sums
from .query_links import KnownGraph, QueryLinks


@dataclass(frozen=True, eq=False)
class QueryAttachment:
    """How new subgraphs are joined to known ones.

    Args:
        links: Normalised weights between new and known subgraphs.
        among: Normalised weights between new subgraphs; CSR (K, K).
        degrees: d̂ of the new subgraphs, as the degree readouts need it; (K,).
        changes: By how much each new subgraph increases d̂ of each known one; CSR (K, n), or None
            without a degree readout.
    """

    links: QueryLinks
    among: SparseMatrix
    degrees: Array
    changes: SparseMatrix | None


@dataclass(frozen=True, eq=False)
class KnownSubgraphs:
    """The known subgraphs: those of train, and virtual ones.

    Args:
        task: A task of these subgraphs only, split into train and virtual.
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
        """Raw weights, without those that the normalisation drops if nothing else reads them."""
        code = self.config.model.readout == "degree-code"
        cut = None if code else max(self.config.translation.a, 0.0)
        return translate_by(self.task, self.config.translation, cut=cut)

    @cached_property
    def outer(self) -> KnownGraph:
        """The S2N graph of the known subgraphs, normalised."""
        return KnownGraph(normalize_by(self.s2n, self.config.translation).stage("train"))

    @property
    def by_degree(self) -> bool:
        """Whether readout weights depend on the other visible subgraphs."""
        return self.config.model.readout.startswith("degree")

    @cached_property
    def _node_degrees(self) -> Array:
        """d_v of all nodes, in A + I; (N,)."""
        return np.asarray(full_strengths(self.graph) + loop_weights(self.graph, True, np.float64))

    @cached_property
    def degrees(self) -> Array:
        """d̂ of the known subgraphs (degree readouts only); (n,)."""
        if self.config.model.readout == "degree-code":
            return np.asarray(np.diff(self.s2n.stage("train").indptr) + 1.0)
        return weight_sums(self.task, len(self))

    def attach(self, new: Subgraphs, *, joint: bool) -> QueryAttachment:
        """Attach new subgraphs to the known ones, and with ``joint`` to each other."""
        raw = self.s2n.attach(new, among=joint)
        normalized = normalize_rows_by(raw, self.config.translation)
        links = QueryLinks.of(normalized.known, normalized.new)
        if not self.by_degree:
            return QueryAttachment(links, normalized.new, np.ones(len(new)), None)
        parts = [part.astype(np.float64) for part in (raw.known, raw.new)]
        if self.config.model.readout == "degree-code":
            for part in parts:
                part.data[:] = 1
        ones = self.config.model.readout == "degree-code"
        degrees = ones + sum((np.asarray(part.sum(axis=1)).ravel() for part in parts), np.zeros(1))
        return QueryAttachment(links, normalized.new, degrees, parts[0])

    def stage(self, task: SubgraphTask, degrees: Array | None = None) -> Stage:
        """Subgraphs of a task by themselves, as the network reads them.

        Args:
            task: Known or new subgraphs, on the same graph.
            degrees: d̂ of the subgraphs (degree readouts only).
        """
        inputs = None if self.scale is None else torch.from_numpy(self.scale.inputs(task))
        rows = np.arange(self.graph.num_nodes)
        stage = members_stage(task, self.config, rows, inputs=inputs)
        if not self.by_degree or degrees is None:
            return stage
        subgraphs = task.subgraphs
        weights = np.sqrt(self._node_degrees[subgraphs.nodes] / degrees[subgraphs.owner])
        if subgraphs.weights is not None:
            weights = weights * subgraphs.weights
        member_weights = torch.from_numpy(weights.astype(np.float32))
        return replace(stage, members=Members(stage.members.pattern, member_weights))

    def own_stage(self) -> Stage:
        """The known subgraphs by themselves; not kept, since it is as large as what is known."""
        return self.stage(self.task, self.degrees if self.by_degree else None)

    def readout_scale(
        self, attachment: QueryAttachment, first: int, last: int, *, joint: bool
    ) -> Tensor | None:
        """Factors of the known subgraphs' readouts beside new ones ``first`` to ``last``; (k, n).

        With ``joint``, beside all of them together; (1, n).
        """
        if not self.by_degree or attachment.changes is None:
            return None
        changes = attachment.changes[first:last].toarray()
        grown = self.degrees + (changes.sum(axis=0, keepdims=True) if joint else changes)
        return torch.from_numpy(np.sqrt(self.degrees / grown).astype(np.float32))
