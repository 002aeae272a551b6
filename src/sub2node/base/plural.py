"""Counts with their noun, for messages."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """``1 node``, ``14 nodes``, ``1,591 subgraphs``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
