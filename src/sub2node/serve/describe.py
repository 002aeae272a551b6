"""What the model is, for those who ask it."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..scoring import Scorer
    from ..task import SubgraphTask
    from .limits import Limits, Token

_EXAMPLES = 3
_LOOKED_AT = 1000  # known subgraphs that may become examples


def describe(scorer: Scorer, limits: Limits, token: Token) -> dict[str, Any]:
    """The answer to ``GET /v1/model``."""
    config = scorer.known.config
    return {
        "name": scorer.task.name or "model",
        "structure": config.structure,
        "conv": config.conv,
        "classes": list(scorer.classes),
        "multilabel": bool(scorer.multilabel),
        "seeds": len(scorer.seeds),
        "nodes": scorer.graph.num_nodes,
        "edges": scorer.graph.num_edges,
        "known_subgraphs": _labelled(scorer),
        "validation": _numbers(scorer.card.get("validation") or {}),
        "examples": _examples(scorer, limits),
        "limits": {
            "subgraphs": limits.subgraphs,
            "nodes": limits.nodes,
            "body_bytes": limits.body_bytes,
        },
        "token": bool(token),
    }


def _numbers(scores: dict[str, Any]) -> dict[str, float]:
    """The scores that are numbers, in JSON too."""
    return {
        name: value
        for name, value in scores.items()
        if isinstance(value, int | float) and isfinite(value)
    }


def _labelled(scorer: Scorer) -> int:
    """Known subgraphs that are not virtual; they come first."""
    return len(scorer.task) - scorer.task.num_virtual


def _examples(scorer: Scorer, limits: Limits) -> list[dict[str, Any]]:
    """A few known subgraphs, of different labels where there are."""
    task, names = scorer.task, scorer.graph.names
    labels: dict[bytes, int] = {}
    others = []
    for at in range(min(_labelled(scorer), _LOOKED_AT)):
        if task.subgraphs.sizes[at] > limits.nodes:
            continue
        label = b"" if task.labels is None else task.labels[at].tobytes()
        if labels.setdefault(label, at) != at:
            others.append(at)
    chosen = sorted([*labels.values(), *others][:_EXAMPLES])
    return [
        {
            "id": task.subgraphs.name_of(at),
            "title": "" if task.subgraphs.titles is None else task.subgraphs.titles[at],
            "nodes": [str(n) if names is None else names[n] for n in _members(task, at)],
        }
        for at in chosen
    ]


def _members(task: SubgraphTask, at: int) -> list[int]:
    subgraphs = task.subgraphs
    return [int(n) for n in subgraphs.nodes[subgraphs.ptr[at] : subgraphs.ptr[at + 1]]]
