"""Answers of the model as the JSON that the service sends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..scoring.answer_details import neighbor_objects
from ..scoring.answers import answer_objects, explanation_object

if TYPE_CHECKING:
    from ..scoring import Answers, Explanation, Neighbor, Node, Surroundings

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def to_json(content: object) -> bytes:
    """JSON in UTF-8; a number that JSON does not have raises an error."""
    return _encoder.encode(content).encode()


def predictions_json(ids: Sequence[str | None], answers: Answers, rows: range) -> bytes:
    """The rows of a batch that belong to one request, whose subgraphs have these ``ids``."""
    names = [str(number) if id is None else id for number, id in enumerate(ids)]
    return to_json({"predictions": answer_objects(answers.part(rows, names))})


def explanation_json(id: str | None, explanation: Explanation, around: Surroundings) -> bytes:
    """The contributions to one probability, and the S2N graph around the subgraph."""
    return to_json(explanation_object(explanation, around, id="0" if id is None else id))


def neighbors_json(neighbors: Sequence[Neighbor]) -> bytes:
    """Known subgraphs that are similar."""
    return to_json({"neighbors": neighbor_objects(neighbors)})


def nodes_json(nodes: Sequence[Node]) -> bytes:
    """Nodes that match a search."""
    return to_json({"nodes": [node._asdict() for node in nodes]})
