"""Counts with their noun, and lists with a few examples, for messages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

_EXAMPLES = 3


def plural(count: int, noun: str) -> str:
    """``1 node``, ``14 nodes``, ``1,591 subgraphs``, ``2 classes``."""
    return f"{count:,} {noun if count == 1 else plural_of(noun)}"


def plural_of(noun: str) -> str:
    """``nodes``, ``classes``, ``families``, ``diagnoses``, ``batches``, but ``epochs``.

    Of what comes with a preposition, the noun before it: ``terms without an id``.
    """
    if (place := re.search(" (without|between|outside) ", noun)) is not None:
        return plural_of(noun[: place.start()]) + noun[place.start() :]
    if noun.endswith("is"):
        return f"{noun[:-2]}es"
    if re.search("[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if re.search("(s|x|z|[^o]ch|sh)$", noun) else f"{noun}s"


def examples(items: Iterable[object], count: int) -> str:
    """The first three of ``count`` items: ``a, b, c and 11 more``."""
    shown = [str(item) for item in islice(items, min(count, _EXAMPLES))]
    more = f" and {count - len(shown):,} more" if count > len(shown) else ""
    return ", ".join(shown) + more
