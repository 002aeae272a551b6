"""What the model says, as the JSON that goes out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..scoring import Answers, Explanation, Neighbor, Node, Surroundings

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def to_json(content: Any) -> bytes:
    """JSON in UTF-8; a number that JSON does not have is an error of ours."""
    return _encoder.encode(content).encode()


@dataclass(frozen=True)
class Said:
    """What a pass of the model gave, as plain lists: made once, cut for each request."""

    classes: Sequence[str]
    labels: Sequence[Sequence[str]]
    probabilities: list[list[float]]
    spread: list[list[float]]
    known: list[float]
    unknown: Sequence[Sequence[str]]

    @classmethod
    def of(cls, classes: Sequence[str], answers: Answers) -> Said:
        """From the model's own form."""
        return cls(
            classes,
            [[one] if isinstance(one, str) else one for one in answers.labels],
            answers.probabilities.tolist(),
            answers.spread.tolist(),
            answers.known.tolist(),
            answers.unknown,
        )

    def row(self, at: int, id: str) -> dict[str, Any]:
        """The answer for one subgraph, which its request calls ``id``."""
        return {
            "id": id,
            "labels": self.labels[at],
            "probabilities": dict(zip(self.classes, self.probabilities[at], strict=True)),
            "spread": dict(zip(self.classes, self.spread[at], strict=True)),
            "known": self.known[at],
            "unknown": self.unknown[at],
        }


def predictions(ids: Sequence[str | None], said: Said, rows: range) -> bytes:
    """The rows of a pass that belong to one request, whose subgraphs are called ``ids``."""
    named = (str(at) if id is None else id for at, id in enumerate(ids))
    found = [said.row(row, id) for row, id in zip(rows, named, strict=True)]
    return to_json({"predictions": found})


def explanation(id: str | None, found: Explanation, around: Surroundings) -> bytes:
    """Where one probability comes from, and what lies around the subgraph."""
    return to_json(
        {
            "id": "0" if id is None else id,
            "label": found.label,
            "probability": found.probability,
            "baseline": found.baseline,
            "gap": found.gap,
            "statistics": found.statistics,
            "members": [
                {"id": one.id, "title": one.title, "contribution": one.value}
                for one in found.members
            ],
            "neighbors": [
                {"id": one.id, "title": one.title, "labels": list(one.labels),
                 "weight": one.weight, "contribution": one.value}
                for one in found.neighbors
            ],
            "graph": {
                "nodes": [
                    {"id": one.name, "title": one.title, "labels": list(one.labels),
                     "weight": one.weight, "hop": one.hop}
                    for one in around.nodes
                ],
                "links": [list(link) for link in around.links],
            },
        }
    )  # fmt: skip


def neighbors(found: Sequence[Neighbor]) -> bytes:
    """Known subgraphs that are alike."""
    return to_json(
        {
            "neighbors": [
                {"id": one.name, "title": one.title, "labels": list(one.labels),
                 "similarity": one.similarity}
                for one in found
            ]
        }
    )  # fmt: skip


def nodes(found: Sequence[Node]) -> bytes:
    """Nodes that were searched for."""
    return to_json(
        {"nodes": [{"id": one.id, "title": one.title, "degree": one.degree} for one in found]}
    )
