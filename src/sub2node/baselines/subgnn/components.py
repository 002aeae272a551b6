"""Connected components of subgraphs, the units that SubGNN embeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from ...base.ragged import Array, pointers, sealed
from ...task import Graph, Subgraphs
from ...task.subgraph_measures import measure


@dataclass(frozen=True, eq=False)
class Components:
    """K components; component k is ``nodes[ptr[k]:ptr[k + 1]]``, ascending.

    Args:
        ptr: Pointers, int64 (K+1,).
        nodes: Members of all components, flat, int64.
        owner: The subgraph of each component, ascending, int64 (K,).
        first: Subgraph i has the components ``first[i]`` to ``first[i + 1]``, int64 (M+1,).
    """

    ptr: Array
    nodes: Array
    owner: Array
    first: Array

    def __len__(self) -> int:
        return len(self.owner)

    @property
    def sizes(self) -> Array:
        """Members of each component: int64 (K,)."""
        return np.diff(self.ptr)


def components(graph: Graph, subgraphs: Subgraphs) -> Components:
    """The connected components of the graph that each subgraph induces.

    Members without a neighbour in their subgraph are components of one. Within a subgraph,
    components come in the order of their lowest nodes; an empty subgraph has none.
    """
    # Explicit edges are omitted: SubGNN sees induced subgraphs only.
    members = Subgraphs(subgraphs.ptr, subgraphs.nodes)
    label = _labels(graph, members)
    order = np.argsort(label, kind="stable")  # stable: nodes stay ascending
    ptr = pointers(np.bincount(label))
    owner = members.owner[order[ptr[:-1]]]
    return Components(
        ptr=sealed(ptr),
        nodes=sealed(members.nodes[order].astype(np.int64)),
        owner=sealed(owner),
        first=sealed(pointers(np.bincount(owner, minlength=len(members)))),
    )


def _labels(graph: Graph, members: Subgraphs) -> Array:
    """The component of each member, numbered by their first members: int64, flat."""
    if not len(members.nodes):
        return np.empty(0, dtype=np.int64)
    _, label = connected_components(measure(graph, members).inner_graph, directed=False)
    _, first, label = np.unique(label, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[label])
