"""What is wrong with a request, in one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from .limits import RefusalError

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from ..scoring import Scorer

_SHOWN = 5  # unknown nodes that are named
_LONGEST = 40  # letters of each
_KINDS = ("one", "many", "str", "int")  # pydantic's words for the choice that it tried


def complaint(error: ValidationError) -> RefusalError:
    """The first thing that is wrong with a body."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return RefusalError(400, f"the body is not JSON: {first['ctx']['error']}.")
    place = [part for part in first["loc"] if part not in _KINDS]
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    field = _clipped(field.lstrip("."), 200)
    return RefusalError(422, _sentence(first, place, field), field=field or None)


def query_complaint(errors: Sequence[Any]) -> RefusalError:
    """The first thing that is wrong with the parameters in an address."""
    first = errors[0]
    field = str(first["loc"][-1])
    if first["type"] == "missing":
        return RefusalError(422, f"the parameter '{field}' is missing.", field=field)
    return RefusalError(422, f"the parameter '{field}': {_told(first)}.", field=field)


def _sentence(first: ErrorDetails, place: list[int | str], field: str) -> str:
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
    return f"'{field}': {_told(first)}."


def _told(error: Any) -> str:
    text = str(error["msg"]).rstrip(".")
    return text[:1].lower() + text[1:]


def lookup_complaint(
    error: DataError, scorer: Scorer, sets: Sequence[Sequence[str | int]], policy: str
) -> RefusalError:
    """Why subgraphs could not be looked up; unknown nodes are named, and the way out is told."""
    field = _field(scorer, sets, policy)
    if policy == "error":
        try:
            dropped = scorer.ask(sets, unknown_nodes="drop").unknown
        except DataError as other:
            error = other  # to drop them does not help
        else:
            names = list(dict.fromkeys(name for names in dropped for name in names))
            if names:
                return RefusalError(422, _unknown(names), field=field)
    return RefusalError(422, _clipped(" ".join(str(error).split()), 500), field=field)


def _field(scorer: Scorer, sets: Sequence[Sequence[str | int]], policy: Any) -> str:
    """Which of the subgraphs is the first that cannot be looked up."""
    for number, nodes in enumerate(sets):
        try:
            scorer.ask([nodes], unknown_nodes=policy)
        except DataError:
            return "nodes" if len(sets) == 1 else f"subgraphs[{number}].nodes"
    return "nodes"


def _unknown(names: list[str]) -> str:
    shown = ", ".join(repr(_clipped(name, _LONGEST)) for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return (
        f"the graph has no node {shown}{more}; check the ids (GET /v1/nodes?q= searches them), or"
        ' send "unknown_nodes": "drop" to go on without.'
    )


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
