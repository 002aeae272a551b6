"""Counts with their noun, and lists with a few examples, for messages."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

_EXAMPLES = 3


def plural(count: int, noun: str) -> str:
    """``1 node``, ``14 nodes``, ``1,591 subgraphs``, ``2 classes``."""
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count:,} {noun}{ending}"


def examples(items: Iterable[object], count: int) -> str:
    """The first three of ``count`` items: ``a, b, c and 11 more``."""
    shown = [str(item) for item in islice(items, min(count, _EXAMPLES))]
    more = f" and {count - len(shown):,} more" if count > len(shown) else ""
    return ", ".join(shown) + more
