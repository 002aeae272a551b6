"""The description of the model that the service gives."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from ..scoring.card_words import card_words

if TYPE_CHECKING:
    from ..base.records import JsonObject
    from ..scoring import Scorer
    from ..task import SubgraphTask
    from .request_limits import Limits, Token

_EXAMPLES = 3
_CANDIDATES = 1000  # known subgraphs that may become examples


def describe_model(scorer: Scorer, limits: Limits, *, token: Token, name: str = "") -> JsonObject:
    """The answer to ``GET /v1/model``.

    Args:
        scorer: The model.
        limits: Limits on a request.
        token: The secret that requests must show, if there is one.
        name: What to call the data of the model; by default as the model does.
    """
    words = card_words(scorer.card, scorer.task)
    nouns = words.nouns()
    return {
        "name": name or words.title or scorer.task.name or "model",
        "question": words.full_question,
        "words": {
            key + ending: noun
            for key in nouns
            for ending, noun in zip(("", "s"), nouns[key], strict=True)
        },
        "caution": words.caution,
        "reads_excluded": scorer.reads_excluded,
        "structure": str(scorer.structure),
        "conv": scorer.conv,
        "classes": list(scorer.classes),
        "multilabel": bool(scorer.multilabel),
        "seeds": len(scorer.seeds),
        "nodes": scorer.graph.full_size,
        "edges": scorer.graph.full_edges,
        "known_subgraphs": _count_labelled(scorer),
        "validation": _finite_numbers(scorer.card.get("validation") or {}),
        "examples": _choose_examples(scorer, limits),
        "limits": {
            "subgraphs": limits.subgraphs,
            "nodes": limits.nodes,
            "explained_nodes": limits.explained_nodes,
            "body_bytes": limits.body_bytes,
        },
        "token": bool(token),
    }


def _finite_numbers(scores: JsonObject) -> dict[str, float]:
    """The scores that are numbers which JSON has."""
    return {
        name: value
        for name, value in scores.items()
        if isinstance(value, int | float) and isfinite(value)
    }


def _count_labelled(scorer: Scorer) -> int:
    """Number of known subgraphs that are not virtual; they come first."""
    return len(scorer.task) - scorer.task.num_virtual


def _choose_examples(scorer: Scorer, limits: Limits) -> list[JsonObject]:
    """A few known subgraphs, of different labels where possible."""
    task, names = scorer.task, scorer.graph.names
    labels: dict[bytes, int] = {}
    others = []
    for number in range(min(_count_labelled(scorer), _CANDIDATES)):
        if task.subgraphs.sizes[number] > limits.nodes:
            continue
        label = b"" if task.labels is None else task.labels[number].tobytes()
        if labels.setdefault(label, number) != number:
            others.append(number)
    chosen = sorted([*labels.values(), *others][:_EXAMPLES])
    return [
        {
            "id": task.subgraphs.name_of(number),
            "title": "" if task.subgraphs.titles is None else task.subgraphs.titles[number],
            "nodes": [str(n) if names is None else names[n] for n in _member_nodes(task, number)],
        }
        for number in chosen
    ]


def _member_nodes(task: SubgraphTask, number: int) -> list[int]:
    subgraphs = task.subgraphs
    return [int(n) for n in subgraphs.nodes[subgraphs.ptr[number] : subgraphs.ptr[number + 1]]]
