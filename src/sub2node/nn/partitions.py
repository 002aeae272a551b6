"""Stages in partitions: what a training step holds at once belongs to some subgraphs, not to all.

Vectors of subgraphs are made from their nodes partition by partition, and a layer on the S2N graph
answers for some rows at a time, from the vectors of these and of their neighbours. What a partition
needs on the way is computed again in the backward pass (Chen et al.,
https://arxiv.org/abs/1604.06174), so gradients are those of all subgraphs together, whatever the
graph looks like. Only batch normalisation among nodes reads less: the statistics of a partition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from ..base.ragged import Array, ranges
from ..ops.pattern import Pattern
from .adjacency import Adjacency
from .readout import Members
from .streams import Streams

if TYPE_CHECKING:
    from .networks import Stage


@dataclass(frozen=True, eq=False)
class StageParts:
    """The subgraphs of a stage in partitions.

    Args:
        stages: A stage for each; without the graph among subgraphs.
        order: Where each subgraph stands when those of all partitions follow each other; (m,).
    """

    stages: tuple[Stage, ...]
    order: Tensor


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Consecutive rows of a graph.

    Args:
        rows: Which rows.
        entries: Their entries among those of the graph.
        sources: The nodes whose vectors they read: first those of the rows themselves.
        pattern: Rows × sources.
        diagonal: Positions of the entries (i, i) in this pattern.
    """

    rows: slice
    entries: slice
    sources: Tensor
    pattern: Pattern
    diagonal: Tensor

    @classmethod
    def of(cls, pattern: Pattern, rows: slice) -> RowBlock:
        """These rows of a symmetric graph with the full diagonal."""
        ptr, index = _numpy(pattern.ptr), _numpy(pattern.index)
        entries = slice(int(ptr[rows.start]), int(ptr[rows.stop]))
        columns, own = index[entries], np.arange(rows.start, rows.stop)
        sources = np.concatenate([own, np.setdiff1d(columns, own)])
        place = np.zeros(pattern.num_rows, np.int64)
        place[sources] = np.arange(len(sources))
        device = pattern.index.device
        block = Pattern.from_csr(
            ptr[rows.start : rows.stop + 1] - entries.start, place[columns], len(sources), device
        )
        diagonal = torch.nonzero(block.row == block.index).squeeze(-1)
        return cls(rows, entries, torch.from_numpy(sources).to(device), block, diagonal)

    def graph(self, whole: Adjacency) -> Adjacency:
        """The rows of a graph with this pattern, which may have lost edges."""
        weights = whole.values[..., self.entries]
        return _Rows(
            self.pattern, self.diagonal, weights, whole.weighted, whole=whole, entries=self.entries
        )


@dataclass(frozen=True, eq=False)
class _Rows(Adjacency):
    """Some rows of a graph; degrees are those in all of it."""

    whole: Adjacency | None = None
    entries: slice | None = None

    @cached_property
    def normalized(self) -> Tensor:
        """As of the whole graph."""
        assert self.whole is not None
        assert self.entries is not None
        return self.whole.normalized[..., self.entries]


def convolve_in_blocks(
    convolution: nn.Module, x: Tensor, first: Tensor, graph: Adjacency
) -> Tensor:
    """What a convolution gives, some rows at a time; (R, n, F) → (R, n, F)."""
    parameters = list(convolution.parameters())

    def answer(block: RowBlock, x: Tensor, first: Tensor) -> Tensor:
        sources, own = x.index_select(1, block.sources), first[:, block.rows]
        out: Tensor = convolution(sources, own, block.graph(graph))
        return out

    parts = [
        recomputed(partial(answer, block), x, first, parameters=parameters)
        for block in graph.blocks
    ]
    return torch.cat(parts, dim=1)


def recomputed(
    function: Callable[..., Tensor],
    *inputs: Tensor,
    parameters: Sequence[Tensor],
    streams: Streams | None = None,
    buffers: Sequence[Tensor] = (),
) -> Tensor:
    """``function(*inputs)``, of which only the result is kept: gradients compute it again.

    As ``torch.utils.checkpoint``, which loads a compiler of 160 MB and knows nothing of streams.

    Args:
        function: What to compute.
        inputs: Its arguments.
        parameters: What else it reads and may need gradients.
        streams: What it draws from; the second time the same numbers.
        buffers: What it changes, which must not happen twice.
    """
    state = streams.state() if streams is not None and torch.is_grad_enabled() else None
    replay = partial(_again, streams, state, buffers)
    return _Recomputed.apply(  # type: ignore[no-any-return,no-untyped-call]
        function, replay, len(inputs), *inputs, *parameters
    )


class _Recomputed(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        function: Callable[..., Tensor],
        replay: Callable[[], AbstractContextManager[None]],
        count: int,
        *tensors: Tensor,
    ) -> Tensor:
        ctx.function, ctx.replay, ctx.count = function, replay, count
        ctx.save_for_backward(*tensors)
        return function(*tensors[:count])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        wanted = ctx.needs_input_grad[3:]
        inputs = [
            tensor.detach().requires_grad_(needed)
            for tensor, needed in zip(ctx.saved_tensors[: ctx.count], wanted, strict=False)
        ]
        chosen = [n for n, needed in enumerate(wanted) if needed]
        with torch.enable_grad(), ctx.replay():
            out = ctx.function(*inputs)
            if not out.requires_grad:  # it reads none of the parameters
                return (None, None, None, *(None for _ in wanted))
            tensors = [*inputs, *ctx.saved_tensors[ctx.count :]]
            found = torch.autograd.grad(
                out, [tensors[n] for n in chosen], grads[0], allow_unused=True
            )
        to_each = dict(zip(chosen, found, strict=True))
        return None, None, None, *(to_each.get(n) for n in range(len(wanted)))


@contextmanager
def _again(
    streams: Streams | None, state: Tensor | None, buffers: Sequence[Tensor]
) -> Iterator[None]:
    """Inside the block the streams stand where they stood; afterwards everything is as before."""
    kept = [buffer.clone() for buffer in buffers]
    now = None if streams is None else streams.state()
    if streams is not None and state is not None:
        streams.restore(state)
    try:
        yield
    finally:
        if streams is not None and now is not None:
            streams.restore(now)
        for buffer, values in zip(buffers, kept, strict=True):
            buffer.copy_(values)


def in_partitions(stage: Stage, count: int) -> Stage:
    """The stage in this many partitions; what a network makes of it is the same."""
    if count <= 1:
        return stage
    if stage.positions is None and stage.nodes is not None:  # one graph of all nodes
        return replace(stage, nodes=_in_blocks(stage.nodes, count))
    total = stage.members.pattern.num_rows
    # Every count-th: a partition is a fair sample, even of subgraphs that are sorted by class.
    rows = [np.arange(first, total, count) for first in range(min(count, total))]
    order = np.empty(total, np.int64)
    order[np.concatenate([np.zeros(0, np.int64), *rows])] = np.arange(total)
    device = stage.members.pattern.index.device
    parts = StageParts(tuple(_take(stage, own) for own in rows), torch.from_numpy(order).to(device))
    outer = None if stage.subgraphs is None else _in_blocks(stage.subgraphs, count)
    return replace(stage, parts=parts if rows else None, subgraphs=outer)


def _in_blocks(graph: Adjacency, count: int) -> Adjacency:
    ends = np.linspace(0, graph.pattern.num_rows, count + 1).astype(int).tolist()
    blocks = [
        RowBlock.of(graph.pattern, slice(first, last))
        for first, last in pairwise(ends)
        if last > first
    ]
    return replace(graph, blocks=tuple(blocks))


def _take(stage: Stage, rows: Array) -> Stage:
    """Some subgraphs of a stage by themselves."""
    everything = slice(0, len(rows))
    excluded = None if stage.excluded is None else _some_members(stage.excluded, rows)
    inputs = None
    if stage.inputs is not None:
        inputs = stage.inputs.index_select(0, torch.from_numpy(rows).to(stage.inputs.device))
    some = replace(stage, scored=everything, inputs=inputs, excluded=excluded, subgraphs=None)
    if stage.positions is None:
        return replace(some, members=_some_members(stage.members, rows))
    entries = _entries(stage.members.pattern, rows)
    columns = _numpy(stage.positions.index)[entries]
    width, device = len(stage.positions.back_ptr) - 1, stage.positions.index.device
    return replace(
        some,
        members=_some_members(stage.members, rows, np.arange(len(entries))),
        positions=Pattern.from_csr(np.arange(len(entries) + 1), columns, width, device),
        nodes=None if stage.nodes is None else _component(stage.nodes, entries),
    )


def _some_members(members: Members, rows: Array, columns: Array | None = None) -> Members:
    """Some rows; their entries in other columns, where these are given."""
    pattern, weights = members.pattern, members.weights
    entries, counts = _entries(pattern, rows), np.diff(_numpy(pattern.ptr))[rows]
    width = len(pattern.back_ptr) - 1 if columns is None else len(columns)
    columns = _numpy(pattern.index)[entries] if columns is None else columns
    device = pattern.index.device
    if weights is not None:
        weights = weights.index_select(0, torch.from_numpy(entries).to(device))
    ptr = np.concatenate([[0], np.cumsum(counts)])
    return Members(Pattern.from_csr(ptr, columns, width, device), weights)


def _component(graph: Adjacency, nodes: Array) -> Adjacency:
    """Some nodes of a graph that no edge joins with the others."""
    pattern, device = graph.pattern, graph.pattern.index.device
    entries, counts = _entries(pattern, nodes), np.diff(_numpy(pattern.ptr))[nodes]
    place = np.zeros(pattern.num_rows, np.int64)
    place[nodes] = np.arange(len(nodes))
    columns = place[_numpy(pattern.index)[entries]]
    own = Pattern.from_csr(np.concatenate([[0], np.cumsum(counts)]), columns, len(nodes), device)
    weights = graph.weights.index_select(-1, torch.from_numpy(entries).to(device))
    diagonal = torch.nonzero(own.row == own.index).squeeze(-1)
    return Adjacency(own, diagonal, weights, graph.weighted)


def _entries(pattern: Pattern, rows: Array) -> Array:
    """The entries of some rows, in this order."""
    ptr = _numpy(pattern.ptr).astype(np.int64)
    return ranges(ptr[rows], np.diff(ptr)[rows])


def _numpy(tensor: Tensor) -> Array:
    return tensor.cpu().numpy()
