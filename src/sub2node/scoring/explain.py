"""Why a model answers as it does: integrated gradients over members and links.

Every member, and every link to a known subgraph, has a gate that goes from 0 to 1 along a straight
line; the gradient of a class's probability by each gate, summed along the line, is what it
contributes (Sundararajan et al., arXiv:1703.01365). All contributions add up to the probability
less that of an empty subgraph without links.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from ..ragged import Array
from ..task import SubgraphTask
from .passes import Gates
from .query import Query

if TYPE_CHECKING:
    from .known import Joined
    from .scorer import Scorer

_STEPS = (32, 64, 128)  # points on the line; more where the sum is not met
_CLOSE = 2e-4  # how far the sum may be off
_NEARLY = 1e-9  # a link of weight 0 is none, which some convolutions tell from a weak one
_ROWS = 1 << 15  # members, links and copies of them that are looked at together


@dataclass(frozen=True)
class Contribution:
    """What a member or a known subgraph adds to a probability.

    Args:
        id: Of the node, or the known subgraph.
        title: For people to read.
        value: Added to the probability.
        weight: Of the link (known subgraphs).
        labels: Of the known subgraph.
    """

    id: str
    title: str
    value: float
    weight: float | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """Baseline and contributions that add up to a probability.

    Args:
        name: Of the subgraph.
        label: The class.
        probability: Of it.
        baseline: Its probability for an empty subgraph without links.
        members: Largest first.
        neighbors: Known subgraphs it is joined to, largest first.
        statistics: What its statistics as a whole contribute, where the network reads some.
        gap: What is missing in the sum, by rounding and by the number of points on the line.
        joins: Whether the model joins subgraphs at all; if so, one without ``neighbors`` is too
            weakly joined to any known one.
    """

    name: str
    label: str
    probability: float
    baseline: float
    members: tuple[Contribution, ...]
    neighbors: tuple[Contribution, ...]
    statistics: float | None
    gap: float
    joins: bool = True


@dataclass(frozen=True, eq=False)
class _Line:
    """One subgraph, asked about at points of the line."""

    scorer: Scorer
    query: Query

    def at(self, points: Array) -> tuple[Tensor, list[Tensor]]:
        """Probabilities (T, C) and the gates they depend on, one row a point."""
        count, members = len(points), self.query.subgraphs.sizes[0]
        many = self.query.take(np.zeros(count, np.int64))
        task, joined = self.scorer.new_task(many), self.scorer.join(many)
        line = torch.from_numpy(points.astype(np.float32))[:, None]
        links = 0 if joined is None else len(joined.links.nodes) // count
        gates = [line.repeat(1, width).requires_grad_() for width in (int(members), links, 1)]
        return self._probabilities(task, joined, gates).mean(dim=0), gates

    def _probabilities(
        self, task: SubgraphTask, joined: Joined | None, given: list[Tensor]
    ) -> Tensor:
        """Of all replicas, (R, T, C)."""
        each, (members, links, inputs) = self.scorer.forward, given
        gates = Gates(members.flatten(), links.flatten().clamp(min=_NEARLY), inputs)
        stage = each.known.stage(task, None if joined is None else joined.degrees)
        read, extra = each.read(stage, gates)
        x = read if extra is None else read + extra
        if joined is not None:
            weak = replace(joined.links, weights=joined.links.weights * gates.links)
            x = each.outward(x, joined, 0, len(task), links=weak, grad=True)
        logits = each.network.head(x) / self.scorer.temperature
        return torch.sigmoid(logits) if self.scorer.multilabel else torch.softmax(logits, dim=-1)

    def sums(self, target: int, steps: int) -> list[Array]:
        """Gradients along the line by each gate, Gauss-Legendre; members, links, inputs."""
        points, weights = np.polynomial.legendre.leggauss(steps)
        points, weights = (points + 1) / 2, weights / 2
        totals: list[Array] = []
        size = max(1, _ROWS // max(self._rows, 1))
        for first in range(0, steps, size):
            part = slice(first, first + size)
            values, gates = self.at(points[part])
            grads = torch.autograd.grad(values[:, target].sum(), gates, allow_unused=True)
            kept = [torch.zeros_like(gate) if grad is None else grad
                    for grad, gate in zip(grads, gates, strict=True)]  # fmt: skip
            found = [weights[part] @ grad.double().numpy() for grad in kept]
            totals = [a + b for a, b in zip(totals, found, strict=True)] if totals else found
        return totals

    @property
    def _rows(self) -> int:
        """What a point costs."""
        members = int(self.query.subgraphs.sizes[0])
        joined = self.scorer.join(self.query)
        if joined is None:
            return members
        if not self.scorer.forward.by_rings:  # a whole graph each
            members += self.scorer.known.outer.matrix.nnz // 32
        return members + 8 * len(joined.links.nodes)


def explain(scorer: Scorer, query: Query, target: int | None) -> Explanation:
    """Contributions for the one subgraph of a query.

    Args:
        scorer: The model.
        query: One subgraph.
        target: Number of the class; by default the likeliest.
    """
    line = _Line(scorer, query)
    with torch.no_grad():
        ends = line.at(np.array([0.0, 1.0]))[0].double().numpy()
    chosen = int(ends[1].argmax()) if target is None else target
    baseline, probability = float(ends[0, chosen]), float(ends[1, chosen])
    for steps in _STEPS:
        members, links, inputs = line.sums(chosen, steps)
        gap = probability - baseline - sum(float(part.sum()) for part in (members, links, inputs))
        if abs(gap) < _CLOSE:
            break
    return Explanation(
        query.names[0],
        scorer.classes[chosen],
        probability,
        baseline,
        _members(scorer, query, members),
        _neighbors(scorer, query, links),
        float(inputs[0]) if scorer.known.scale is not None else None,
        gap,
        scorer.known.config.translated,
    )


def _members(scorer: Scorer, query: Query, values: Array) -> tuple[Contribution, ...]:
    index, nodes = scorer.index, query.subgraphs.nodes
    order = np.argsort(-np.abs(values), kind="stable")
    return tuple(
        Contribution(index.name(int(nodes[i])), index.title(int(nodes[i])), float(values[i]))
        for i in order
    )


def _neighbors(scorer: Scorer, query: Query, values: Array) -> tuple[Contribution, ...]:
    joined = scorer.join(query)
    if joined is None:
        return ()
    order = np.argsort(-np.abs(values), kind="stable")
    found = []
    for i in map(int, order):
        name, title, labels = scorer._named(int(joined.links.nodes[i]))
        weight = float(joined.links.weights[i])
        found.append(Contribution(name, title, float(values[i]), weight, labels))
    return tuple(found)
