"""The six structures: how subgraphs are presented to a network."""

from __future__ import annotations

from enum import StrEnum


class Structure(StrEnum):
    """How subgraphs are presented to a network; a member equals its name, as in ``"s2n+a"``."""

    SEPARATED = "separated"
    CONNECTED = "connected"
    S2N_0 = "s2n+0"
    S2N_A = "s2n+a"
    COS2N_0 = "cos2n+0"
    COS2N_A = "cos2n+a"

    @property
    def translated(self) -> bool:
        """Whether the network works on the S2N graph: S2N and CoS2N."""
        return self not in (Structure.SEPARATED, Structure.CONNECTED)

    @property
    def coarsened(self) -> bool:
        """Whether virtual subgraphs take part: CoS2N."""
        return self in (Structure.COS2N_0, Structure.COS2N_A)

    @property
    def inner(self) -> bool:
        """Whether a network inside each subgraph comes before the S2N graph: +A."""
        return self in (Structure.S2N_A, Structure.COS2N_A)

    @classmethod
    def parse(cls, model: str | None) -> Structure | None:
        """The structure that a model's name begins with (``s2n+a gcn2``); None: it has none."""
        word = (model or "").partition(" ")[0]
        return cls(word) if word in STRUCTURES else None

    def __repr__(self) -> str:  # settings are shown and hashed as plain values
        return repr(self.value)


STRUCTURES: tuple[Structure, ...] = tuple(Structure)


def is_coarsened(model: str | None) -> bool:
    """Whether this is the name of a model with virtual subgraphs, as ``cos2n+a gcn2``."""
    structure = Structure.parse(model)
    return structure is not None and structure.coarsened


def is_plain_s2n(model: str | None) -> bool:
    """Whether this is the name of an S2N model without virtual subgraphs, as ``s2n+a gcn2``."""
    structure = Structure.parse(model)
    return structure is not None and structure.translated and not structure.coarsened
