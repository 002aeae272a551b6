"""Operations of one layer by structure: the formula (Proposition 1) and a count of what runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from ...errors import ConfigError, suggest
from ...task import SubgraphTask

if TYPE_CHECKING:
    from ...translate import S2NGraph

Compared = Literal["glass", "connected", "s2n+0", "s2n+a"]
COMPARED: tuple[Compared, ...] = get_args(Compared)


@dataclass(frozen=True)
class Counts:
    """What the formula reads of a task; edges once each, self-loops aside.

    Args:
        nodes: N.
        edges: E.
        subgraphs: M.
        members: M N̄, nodes in all subgraphs.
        internal_edges: M Ē, edges in all subgraphs.
        s2n_edges: Ê, joined pairs of the S2N graph that a network reads.
    """

    nodes: int
    edges: int
    subgraphs: int
    members: int
    internal_edges: int
    s2n_edges: int

    @classmethod
    def of(cls, task: SubgraphTask, graph: S2NGraph) -> Counts:
        """Of a task and its S2N graph, cut as networks read it."""
        return cls(
            nodes=task.graph.num_nodes,
            edges=task.graph.num_edges,
            subgraphs=len(task),
            members=len(task.subgraphs.nodes),
            internal_edges=int(task.internal_edges()[0][-1]),
            s2n_edges=graph.num_edges,
        )


@dataclass(frozen=True)
class Complexity:
    """Multiplications with additions of one layer, forward, of all subgraphs.

    Args:
        structure: Of the model.
        hidden: F.
        terms: Of the formula, by name.
        counted: What ran, by step (``propagation``, ``transformation``, ``readout`` …); None where
            there was only the formula.
    """

    structure: Compared
    hidden: int
    terms: dict[str, int]
    counted: dict[str, int] | None = None

    @property
    def formula(self) -> int:
        """The sum of the terms."""
        return sum(self.terms.values())

    @property
    def operations(self) -> int | None:
        """All that was counted, the head (to classes) aside, which no structure differs in."""
        if self.counted is None:
            return None
        return sum(n for step, n in self.counted.items() if step != "head")


def complexity(
    of: SubgraphTask | Counts, structure: Compared, *, hidden: int = 64, count: bool = True
) -> Complexity:
    """The terms of Proposition 1 and, of a task, the operations of a real pass of our networks.

    The network has one GCN layer of width F (S2N+A: one inside subgraphs, one on the S2N graph) or
    one layer of GLASS, and a sum as readout. It answers for all subgraphs in one pass; what it
    multiplies is seen where PyTorch dispatches it, not computed from the formula.

    Args:
        of: A task, or counts where the formula is enough.
        structure: ``glass``, ``connected``, ``s2n+0`` or ``s2n+a``.
        hidden: F, width of all vectors.
        count: Whether to run the network of a task.
    """
    if structure not in COMPARED:
        raise ConfigError(f"nothing is said of {structure!r}.{suggest(str(structure), COMPARED)}")
    if isinstance(of, Counts):
        return Complexity(structure, hidden, formula_terms(of, structure, hidden))
    from .passes import prepared

    return prepared(of).complexity(structure, hidden, count=count)


def formula_terms(counts: Counts, structure: Compared, hidden: int) -> dict[str, int]:
    """The terms of Proposition 1, as they are printed, without constants."""
    f, square = hidden, hidden**2
    if structure in ("glass", "connected"):
        return {
            "E F": counts.edges * f,
            "M N̄ F": counts.members * f,
            "N F²": counts.nodes * square,
        }
    if structure == "s2n+0":
        return {
            "Ê F": counts.s2n_edges * f,
            "M N̄ F": counts.members * f,
            "M F²": counts.subgraphs * square,
        }
    return {
        "Ê F": counts.s2n_edges * f,
        "M Ē F": counts.internal_edges * f,
        "M N̄ F²": counts.members * square,
    }


def most(structure: Compared) -> int:
    """How many times the formula the count is at most, with F ≥ 2 and no more loops than nodes.

    A node table, self-loops and both directions of an edge make it (2E + 2N) F + M N̄ F + N F² for
    ``connected``; GLASS has maps for two labels on vectors of width F and 2F, 6 N F². S2N+A reads
    members from the table, adds self-loops inside, and has M F² of its second layer.
    """
    return {"connected": 3, "glass": 7, "s2n+0": 3, "s2n+a": 5}[structure]


def as_row(found: Complexity, **more: Any) -> dict[str, Any]:
    """A line of a table: formula, count and their ratio."""
    counted = found.operations or 0
    ratio = counted / max(found.formula, 1)
    return {**more, "structure": found.structure, "F": found.hidden, "formula": found.formula,
            "counted": counted, "counted / formula": round(ratio, 3)}  # fmt: skip
