"""Whether a score on a task can be trusted: one check for each way in which it could not be.

What needs torch is loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .check import Check as Check
from .check import Verdict as Verdict

if TYPE_CHECKING:
    from .task_audit import Audit as Audit
    from .task_audit import audit as audit

__all__ = ["Audit", "Check", "Verdict", "audit"]


def __getattr__(name: str) -> object:
    if name in ("Audit", "audit"):
        return getattr(import_module(".task_audit", __name__), name)
    raise AttributeError(f"module 'sub2node.audit' has no attribute {name!r}")
