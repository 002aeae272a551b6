"""Refusals of wrong requests, with one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..base.errors import DataError
from ..base.records import JsonObject
from ..scoring.name_mapping import NameMapping
from .request_limits import RefusalError

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from ..scoring import Scorer
    from ..scoring.query import UnknownPolicy

_MOST_CHOICES = 10  # nodes that an ambiguous name may mean
_SHOWN = 5  # unknown nodes that a message names
_LONGEST = 40  # characters of each
_KINDS = ("one", "many", "str", "int")  # pydantic's names of the alternatives it tried


def body_refusal(error: ValidationError) -> RefusalError:
    """A refusal for the first error in a body."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return RefusalError(400, f"the body is not JSON: {first['ctx']['error']}.")
    place = [part for part in first["loc"] if part not in _KINDS]
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    field = _clip(field.lstrip("."), 200)
    return RefusalError(422, _describe_error(first, place, field), field=field or None)


def parameter_refusal(errors: Sequence[Mapping[str, Any]]) -> RefusalError:
    """A refusal for the first error in the parameters of a URL."""
    first = errors[0]
    field = str(first["loc"][-1])
    if first["type"] == "missing":
        return RefusalError(422, f"the parameter '{field}' is missing.", field=field)
    return RefusalError(422, f"the parameter '{field}': {_lower_first(first)}.", field=field)


def _describe_error(first: ErrorDetails, place: list[int | str], field: str) -> str:
    kind = first["type"]
    if not place:
        return 'the body must be a JSON object, as in {"nodes": ["a", "b"]}.'
    if kind == "missing":
        return f"'{field}' is missing."
    if kind == "extra_forbidden":
        return f"'{field}' is not a field of this request."
    if len(place) > 1 and place[-2] == "nodes":
        return f"'{field}' must be text or an integer of at most 64 bits."
    if kind == "too_short":
        return f"'{field}' is empty; give at least one."
    return f"'{field}': {_lower_first(first)}."


def _lower_first(error: Mapping[str, Any] | ErrorDetails) -> str:
    text = str(error["msg"]).rstrip(".")
    return text[:1].lower() + text[1:]


def lookup_refusal(
    error: DataError, scorer: Scorer, sets: Sequence[Sequence[str | int]], policy: UnknownPolicy
) -> RefusalError:
    """Why subgraphs could not be looked up; unknown nodes are named, with the way to drop them."""
    field = _first_wrong_field(scorer, sets, policy)
    names = list(dict.fromkeys(str(name) for nodes in sets for name in nodes))
    mapping = NameMapping(scorer.index, names, scorer.index.match(names))
    if choice := mapping.describe_choice(names):
        return RefusalError(422, choice, field=field, candidates=_candidates(mapping))
    if policy == "error":
        try:
            dropped = scorer.ask(sets, unknown_nodes="drop").unknown
        except DataError as drop_error:
            error = drop_error  # dropping them does not help
        else:
            names = list(dict.fromkeys(name for names in dropped for name in names))
            if names:
                return RefusalError(422, _describe_unknown(names, mapping), field=field)
    return RefusalError(422, _clip(" ".join(str(error).split()), 500), field=field)


def _first_wrong_field(
    scorer: Scorer, sets: Sequence[Sequence[str | int]], policy: UnknownPolicy
) -> str:
    """The field of the first subgraph that cannot be looked up."""
    for number, nodes in enumerate(sets):
        try:
            scorer.ask([nodes], unknown_nodes=policy)
        except DataError:
            return "nodes" if len(sets) == 1 else f"subgraphs[{number}].nodes"
    return "nodes"


def _candidates(mapping: NameMapping) -> dict[str, list[JsonObject]]:
    """The nodes that each ambiguous name may mean."""
    index = mapping.index
    return {
        mapping.names[place]: [
            {"id": index.name(node), "title": index.title(node)} for node in nodes[:_MOST_CHOICES]
        ]
        for place, nodes in mapping.matches.candidates.items()
    }


def _describe_unknown(names: list[str], mapping: NameMapping) -> str:
    quoted = ", ".join(
        repr(_clip(name, _LONGEST)) + mapping.describe_like(name) for name in names[:_SHOWN]
    )
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return (
        f"the graph has no node {quoted}{more}; check the ids (GET /v1/nodes?q= searches them), or"
        ' send "unknown_nodes": "drop" to omit them.'
    )


def _clip(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
