"""HTML reports of runs and of cases: each one file that needs nothing from outside."""

from ...runs import Run as Run
from ...runs import RunSet as RunSet
from ...runs import read_study as read_study
from .case_findings import Case as Case
from .case_findings import collect_cases as collect_cases
from .case_page import write_case_report as write_case_report
from .report_findings import ReportFindings as ReportFindings
from .report_findings import collect_findings as collect_findings
from .report_page import write_report as write_report
