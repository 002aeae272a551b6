"""How much smaller the S2N graph is than the global graph (Table 1 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..task import SubgraphTask
    from ..translate import S2NGraph


@dataclass(frozen=True)
class Compression:
    """Nodes and edges before and after translation, self-loops left aside.

    Args:
        nodes_before: Of the global graph; None where they were never counted.
        nodes_after: Of the S2N graph.
        edges_before: Of the global graph.
        edges_after: Joined pairs of different subgraphs.
    """

    nodes_before: int | None
    nodes_after: int
    edges_before: int
    edges_after: int

    @property
    def nodes(self) -> float | None:
        """After over before."""
        return self.nodes_after / self.nodes_before if self.nodes_before else None

    @property
    def edges(self) -> float | None:
        """After over before."""
        return self.edges_after / self.edges_before if self.edges_before else None

    @property
    def density(self) -> float:
        """Joined pairs over all pairs of subgraphs."""
        pairs = self.nodes_after * (self.nodes_after - 1) / 2
        return self.edges_after / pairs if pairs else 0.0


def compression(task: SubgraphTask, graph: S2NGraph) -> Compression:
    """How much smaller a task's S2N graph is than its global graph."""
    before = task.graph
    return Compression(before.num_nodes, len(graph), before.num_edges, graph.num_edges)
