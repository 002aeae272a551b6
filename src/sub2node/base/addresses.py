"""Addresses of data elsewhere: what is one, and how it is shown."""

from __future__ import annotations

from urllib.parse import urlsplit


def is_address(word: str) -> bool:
    """Whether this is ``scheme://…`` and no path."""
    return "://" in word


def shown_address(word: str) -> str:
    """An address as messages show it, without what may be secret: name, password and query.

    A path stays as it is.
    """
    if not is_address(word):
        return word
    try:
        parts = urlsplit(word)
    except ValueError:  # as of a wrong bracket
        return word.partition("?")[0].rpartition("@")[2]
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
