"""HTML reports of runs and of cases: each one file that needs nothing from outside.

Reports of cases need torch and are loaded on first use; those of runs do not.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ...runs import Run as Run
from ...runs import RunSet as RunSet
from ...runs import read_study as read_study
from .report_findings import ReportFindings as ReportFindings
from .report_findings import collect_findings as collect_findings
from .report_page import write_report as write_report

if TYPE_CHECKING:
    from .case_findings import collect_cases as collect_cases
    from .case_page import write_case_report as write_case_report

_CASES = {"collect_cases": "case_findings", "write_case_report": "case_page"}


def __getattr__(name: str) -> object:
    if name in _CASES:
        return getattr(import_module(f".{_CASES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
