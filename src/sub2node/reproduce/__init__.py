"""The paper's tables and figures, cell by cell, on the data at hand.

What needs torch is loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .published import Published as Published
from .published import published as published
from .published import published_tables as published_tables

if TYPE_CHECKING:
    from .cell_settings import settings_for as settings_for
    from .reproduction_session import Session as Session
    from .reproduction_session import session as session
    from .table_collection import tables_of as tables_of

_HOME = {
    "settings_for": "cell_settings",
    "tables_of": "table_collection",
    "Session": "reproduction_session",
    "session": "reproduction_session",
}

__all__ = ["Published", "published", "published_tables", *_HOME]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module 'sub2node.reproduce' has no attribute {name!r}")
