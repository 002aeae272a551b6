"""Weisfeiler-Leman colours of the nodes, counted in each subgraph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from ..base.errors import ConfigError
from ..base.ragged import Array
from ..task import SubgraphTask, measure
from ..task.whole_graph import require_loaded

View = Literal["induced", "hops"]
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def weisfeiler_leman(
    task: SubgraphTask, *, rounds: int = 3, width: int = 64, view: View = "induced"
) -> Array:
    """How often each colour occurs in each subgraph: int64 (M, (rounds + 1) · width).

    One row per row of the task, see ``task.subgraph_ids``.

    All nodes start with one colour; a round gives a node a new one from its own and the multiset of
    its neighbours'. Colours are 64-bit hashes, the same in every process; a histogram counts them
    modulo ``width``, one histogram per round, side by side.

    Args:
        task: The task whose subgraphs are described.
        rounds: Rounds of refinement.
        width: Columns per round.
        view: ``induced``: neighbours inside the subgraph count; ``hops``: all neighbours in the
            global graph do, so a colour of round k stands for all within k hops of a member.
    """
    _check_arguments(rounds, view, ("width", width, 1))
    histograms = np.zeros((len(task.subgraphs), rounds + 1, width), np.int64)
    for number, colours in enumerate(member_colours(task, rounds=rounds, view=view)):
        bucket = (colours % np.uint64(width)).astype(np.int64)
        place = task.subgraphs.owner * width + bucket
        counts = np.bincount(place, minlength=len(task.subgraphs) * width)
        histograms[:, number] = counts.reshape(-1, width)
    return histograms.reshape(len(task.subgraphs), -1)


def _check_arguments(rounds: int, view: View, *more: tuple[str, int, int]) -> None:
    for name, value, least in (("rounds", rounds, 0), *more):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ConfigError(f"{name} is a whole number from {least}, found {value!r}.")
    if view not in ("induced", "hops"):
        raise ConfigError(f"a view is induced or hops, not {view!r}.")


def member_colours(
    task: SubgraphTask, *, rounds: int = 3, view: View = "induced"
) -> Iterator[Array]:
    """Colours of the members of all subgraphs, before any round and after each; uint64 (members,).

    A colour depends on what is around its node alone, not on which other subgraphs there are.
    Arguments as for :func:`weisfeiler_leman`.
    """
    _check_arguments(rounds, view)
    subgraphs, graph = task.subgraphs, task.graph
    if view == "induced":
        size = len(subgraphs.nodes)
        members = np.arange(size)
        matrix = measure(graph, subgraphs).inner_graph
        indptr, indices = matrix.indptr, matrix.indices
    else:
        require_loaded(graph, "colours of nodes within hops")
        size, members = graph.num_nodes, subgraphs.nodes
        indptr, indices = graph.indptr, graph.indices
    colours = np.zeros(size, np.uint64)
    yield colours[members]
    for _ in range(rounds):
        colours = refined(colours, indptr, indices)
        yield colours[members]


def refined(colours: Array, indptr: Array, indices: Array) -> Array:
    """One round: each colour with the multiset of its neighbours', as a new 64-bit colour.

    A multiset is known by the sum, modulo 2^64, of well-mixed numbers of its elements.
    """
    sums = np.zeros(len(indices) + 1, np.uint64)
    np.cumsum(_mixed(colours)[indices], out=sums[1:])  # wraps round, and so do differences
    total = sums[indptr[1:]] - sums[indptr[:-1]]
    return _mixed(colours * np.uint64(3) + np.uint64(1) + _mixed(total + np.uint64(7)))


def _mixed(values: Array) -> Array:
    """A one-to-one map of 64-bit numbers that spreads small differences over all bits."""
    values = values + _MIX[0]
    values = (values ^ (values >> np.uint64(30))) * _MIX[1]
    values = (values ^ (values >> np.uint64(27))) * _MIX[2]
    return np.asarray(values ^ (values >> np.uint64(31)))
