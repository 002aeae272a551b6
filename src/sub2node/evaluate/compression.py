"""How much smaller the S2N graph is than the global graph (Table 1 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..task import SubgraphTask
    from ..translation import S2NGraph


@dataclass(frozen=True)
class Compression:
    """Nodes and edges before and after translation, without self-loops.

    Args:
        nodes_before: Nodes of the global graph; None where they were never counted.
        nodes_after: Nodes of the S2N graph.
        edges_before: Edges of the global graph.
        edges_after: Joined pairs of different subgraphs.
    """

    nodes_before: int | None
    nodes_after: int
    edges_before: int
    edges_after: int

    @property
    def nodes(self) -> float | None:
        """Nodes after translation over nodes before."""
        return self.nodes_after / self.nodes_before if self.nodes_before else None

    @property
    def edges(self) -> float | None:
        """Edges after translation over edges before."""
        return self.edges_after / self.edges_before if self.edges_before else None

    @property
    def density(self) -> float:
        """Joined pairs over all pairs of subgraphs."""
        pairs = self.nodes_after * (self.nodes_after - 1) / 2
        return self.edges_after / pairs if pairs else 0.0


def compression(task: SubgraphTask, graph: S2NGraph) -> Compression:
    """How much smaller a task's S2N graph is than its global graph."""
    return Compression(
        nodes_before=task.graph.full_size,
        nodes_after=len(graph),
        edges_before=task.graph.full_edges,
        edges_after=graph.num_edges,
    )
