"""Why a model answers as it does: integrated gradients over members, excluded nodes and links.

Every member, every excluded node that is read, and every link to a known subgraph, has a gate that
goes from 0 to 1 along a straight line; the gradient of a class's probability by each gate, summed
along the line, is what it contributes (Sundararajan et al., arXiv:1703.01365). All contributions
add up to the probability less that of an empty subgraph without links.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from ..base.errors import NotFiniteError
from ..base.ragged import Array
from ..encode.border import BORDER_HOPS
from .explanation import Contribution, Explanation, rank_members
from .forward import Gates
from .placed_query import PlacedQuery

if TYPE_CHECKING:
    from .network_scorer import NetworkScorer

_STEPS = (8, 16, 32, 64, 128)  # points on the line; more where the sum is not close enough
_CLOSE = 2e-4  # how far the sum may be off
_NEARLY = 1e-9  # some convolutions treat a link of weight 0 as missing, unlike a weak one
_ROWS = 1 << 15  # members, links and their copies that are computed together


@dataclass(frozen=True, eq=False)
class _GatePath:
    """The line of gates from 0 to 1 for one subgraph.

    Args:
        scorer: The model.
        placed: The subgraph; it is attached once, and copied for the points.
    """

    scorer: NetworkScorer
    placed: PlacedQuery

    def evaluate(self, points: Array) -> tuple[Tensor, list[Tensor]]:
        """Probabilities (T, C) and the gates they depend on, one row per point."""
        column = torch.from_numpy(points.astype(np.float32))[:, None]
        widths = (self._num_members, self._num_links, 1, self._num_excluded)
        gates = [column.repeat(1, width).requires_grad_() for width in widths]
        return self._probabilities(*gates).mean(dim=0), gates

    def _probabilities(
        self, members: Tensor, links: Tensor, inputs: Tensor, excluded: Tensor
    ) -> Tensor:
        """Probabilities of all replicas; (R, T, C)."""
        forward = self.scorer.forward
        neighbors = self.placed.attachment is not None and forward.reads_neighbor_edges
        copies = self.placed.tile(len(inputs), neighbors=neighbors)
        weak = links.flatten().clamp(min=_NEARLY)
        gates = Gates(members.flatten(), weak, inputs, excluded.flatten())
        x, attachment = forward.enter(copies.stage, gates), copies.attachment
        if attachment is not None:
            weights = attachment.links.weights * gates.links
            x = forward.embed(
                x,
                attachment,
                links=replace(attachment.links, weights=weights),
                neighbors=copies.neighbors,
                grad=True,
            )
        logits = forward.network.head(x) / self.scorer.temperature
        return torch.sigmoid(logits) if self.scorer.multilabel else torch.softmax(logits, dim=-1)

    def integrate(self, target: int, steps: int) -> list[Array]:
        """Integrals of the gradients by each gate; as :meth:`evaluate`.

        Gauss-Legendre in the square root of the gate: norms of messages divide by sums over all
        links, so most happens where the gates are small, and points are close together there.
        """
        roots, weights = np.polynomial.legendre.leggauss(steps)
        roots = (roots + 1) / 2
        points, weights = roots**2, weights * roots
        totals: list[Array] = []
        size = max(1, _ROWS // max(self._rows_per_point, 1))
        for first in range(0, steps, size):
            part = slice(first, first + size)
            values, gates = self.evaluate(points[part])
            grads = torch.autograd.grad(values[:, target].sum(), gates, allow_unused=True)
            segment_sums = [
                weights[part] @ (torch.zeros_like(gate) if grad is None else grad).double().numpy()
                for grad, gate in zip(grads, gates, strict=True)
            ]
            if totals:
                segment_sums = [a + b for a, b in zip(totals, segment_sums, strict=True)]
            totals = segment_sums
        return totals

    @property
    def _num_members(self) -> int:
        return int(self.placed.query.subgraphs.sizes[0])

    @property
    def _num_excluded(self) -> int:
        """Excluded nodes that the network reads."""
        excluded = self.placed.query.subgraphs.excluded
        return len(excluded.nodes) if excluded is not None and self.scorer.reads_excluded else 0

    @property
    def _num_links(self) -> int:
        attachment = self.placed.attachment
        return 0 if attachment is None else len(attachment.links.nodes)

    @property
    def _rows_per_point(self) -> int:
        """Rows that are computed for one point."""
        rows = self._num_members + 8 * self._num_links
        if self.placed.attachment is not None and not self.scorer.forward.by_rings:
            rows += self.scorer.known_subgraphs.outer.matrix.nnz // 32  # the graph per point
        return rows


def explain(scorer: NetworkScorer, placed: PlacedQuery, target: int | None) -> Explanation:
    """Contributions for the one subgraph of a query.

    Args:
        scorer: The model.
        placed: A query with one subgraph.
        target: Number of the class; None: the likeliest.
    """
    path = _GatePath(scorer, placed)
    with torch.no_grad():
        ends = path.evaluate(np.array([0.0, 1.0]))[0].double().numpy()
    target = int(ends[1].argmax()) if target is None else target
    baseline, probability = float(ends[0, target]), float(ends[1, target])
    for steps in _STEPS:
        members, links, inputs, excluded = path.integrate(target, steps)
        parts = (members, links, inputs, excluded)
        gap = probability - baseline - sum(float(part.sum()) for part in parts)
        if abs(gap) < _CLOSE:
            break
    if not math.isfinite(gap):
        raise NotFiniteError("the model has no finite explanation for this subgraph.")
    kind = scorer.known_subgraphs.config.features.subgraphs
    return Explanation(
        name=placed.query.names[0],
        label=scorer.classes[target],
        probability=probability,
        baseline=baseline,
        members=rank_members(scorer, placed.query, np.concatenate([members, excluded])),
        neighbors=_rank_neighbors(scorer, placed, links),
        statistics=float(inputs[0]) if kind in ("structure", "wl") else None,
        gap=gap,
        joins=scorer.known_subgraphs.config.structure.translated,
        border=float(inputs[0]) if kind in BORDER_HOPS else None,
    )


def _rank_neighbors(
    scorer: NetworkScorer, placed: PlacedQuery, values: Array
) -> tuple[Contribution, ...]:
    if placed.attachment is None:
        return ()
    links, contributions = placed.attachment.links, []
    for i in np.argsort(-np.abs(values), kind="stable").tolist():
        name, title, labels = scorer.describe_known(int(links.nodes[i]))
        weight = float(links.weights[i])
        contributions.append(Contribution(name, title, float(values[i]), weight, labels))
    return tuple(contributions)
