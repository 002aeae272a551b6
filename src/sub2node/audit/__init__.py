"""Whether a score on a task can be trusted: one check for each way in which it could not be."""

from .audit import Audit as Audit
from .audit import audit as audit
from .check import Check as Check
from .check import Verdict as Verdict

__all__ = ["Audit", "Check", "Verdict", "audit"]
