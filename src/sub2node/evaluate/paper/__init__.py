"""The paper's tables and figures, cell by cell, on the data at hand.

What needs torch is loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .published import Published as Published
from .published import published as published
from .published import published_tables as published_tables

if TYPE_CHECKING:
    from .choice import settings_for as settings_for
    from .collect import tables_of as tables_of
    from .sessions import Session as Session
    from .sessions import session as session

_HOME = {
    "settings_for": "choice",
    "tables_of": "collect",
    "Session": "sessions",
    "session": "sessions",
}

__all__ = ["Published", "published", "published_tables", *_HOME]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module 'sub2node.evaluate.paper' has no attribute {name!r}")
