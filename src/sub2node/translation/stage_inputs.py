"""What models of S2N+0 and S2N+A read: members, internal edges, readout weights of a stage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from ..base.errors import ConfigError, suggest
from ..base.ragged import Array
from ..task.whole_graph import full_strengths, require_loaded
from .edge_weights import loop_weights
from .s2n_graph import S2NGraph, task_split

if TYPE_CHECKING:
    from ..task import Part, SubgraphTask

Readout = Literal["sum", "mean", "node-degree", "volume", "degree", "degree-code"]
READOUTS: tuple[Readout, ...] = get_args(Readout)


@dataclass(frozen=True)
class StageInputs:
    """T_v of all subgraphs that a stage sees.

    Args:
        nodes: Members, flat, ascending within a subgraph.
        owner: The subgraph of each member.
        edges: S2N+A's internal edges as positions in ``nodes``, each once, (2, K); those of
            subgraphs that have edges of their own, else the induced ones. Self-loops of the global
            graph are not among them.
        weights: Readout weights ω, one per member, float32.
    """

    nodes: Array
    owner: Array
    edges: Array
    weights: Array


def stage_inputs(
    task: SubgraphTask,
    stage: Part = "test",
    *,
    readout: Readout = "sum",
    graph: S2NGraph | None = None,
) -> StageInputs:
    """Members, internal edges and readout weights of what a stage sees (equations 4 and 5).

    Arguments as for :func:`readout_weights`.
    """
    count = task_split(task).visible(stage)
    subgraphs = task.subgraphs
    flat = int(subgraphs.ptr[count])
    ptr, edges = subgraphs.internal_edges(task.graph)
    weights = readout_weights(task, stage, readout=readout, graph=graph)
    members = (subgraphs.nodes[:flat], subgraphs.owner[:flat])
    return StageInputs(*members, edges[:, : ptr[count]], weights)


def readout_weights(
    task: SubgraphTask,
    stage: Part = "test",
    *,
    readout: Readout = "sum",
    graph: S2NGraph | None = None,
) -> Array:
    r"""Readout weights ω(v, i), one for each member that a stage sees: float32.

    They multiply node vectors before these are summed to a subgraph's:

    - ``sum``: 1; ``mean``: 1/\\|S_i\\|.
    - ``node-degree``: sqrt(d_v / d̄), with d_v the weighted degree of v in A + I and d̄ its mean.
    - ``volume``: d_v / d̄, so that a node counts as often as it has edges.
    - ``degree``: sqrt(d_v / d̂_i), the paper's R = D^½ M D̂^-½, with d̂_i the sum of row i of the
      stage's raw W. Needs no W.
    - ``degree-code``: sqrt(d_v / (c_i + 1)), what the published code does: c_i is the *number* of
      non-zero entries of that row. Needs ``graph``, raw and complete.

    ``degree`` and ``degree-code`` change with the stage, since d̂_i and c_i count the subgraphs in
    sight; what a network has learned in one stage may not hold in the next.
    A member's own weight, where it has one, multiplies ω.
    """
    weights = _readout(task, stage, readout=readout, graph=graph)
    if task.subgraphs.weights is not None:
        weights = weights * task.subgraphs.weights[: len(weights)]
    return weights.astype(np.float32)


def weight_sums(task: SubgraphTask, count: int) -> Array:
    """Row sums of the raw W = M(A+I)Mᵀ of the first subgraphs, without making W; (count,)."""
    adjacency = task.graph.adjacency(dtype=np.float64)
    diagonal = loop_weights(task.graph, True, np.float64)
    total = np.zeros(count)
    for sets in (task.subgraphs, task.excluded):
        if sets is not None:
            members = sets.membership(task.graph.num_nodes, dtype=np.float64)[:count]
            times = members.T @ np.ones(count)
            total += members @ (adjacency @ times + diagonal * times)
    return total


def _readout(task: SubgraphTask, stage: Part, *, readout: Readout, graph: S2NGraph | None) -> Array:
    subgraphs, count = task.subgraphs, task_split(task).visible(stage)
    flat = int(subgraphs.ptr[count])
    owner = subgraphs.owner[:flat]
    if readout == "sum":
        return np.ones(flat)
    if readout == "mean":
        return 1 / subgraphs.sizes[owner]
    if readout not in READOUTS:
        raise ConfigError(f"there is no readout {readout!r}.{suggest(readout, READOUTS)}")
    if readout in ("node-degree", "volume"):
        require_loaded(task.graph, f"the readout {readout}")
    around = full_strengths(task.graph) + loop_weights(task.graph, True, np.float64)
    if readout == "node-degree":
        return np.asarray(np.sqrt(around / around.mean())[subgraphs.nodes[:flat]])
    if readout == "volume":
        return np.asarray(around[subgraphs.nodes[:flat]] / around.mean())
    if readout == "degree":
        below = weight_sums(task, count)
    else:
        if graph is None or graph.normalized or not graph.settings.complete:
            raise ConfigError("the readout 'degree-code' needs the raw, complete S2N graph.")
        graph.require_task(task)
        below = np.diff(graph.stage(stage).indptr) + 1.0
    return np.asarray(np.sqrt(around[subgraphs.nodes[:flat]] / below[owner]))
