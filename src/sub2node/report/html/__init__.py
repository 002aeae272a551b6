"""HTML reports of runs and of cases: each one file that needs nothing from outside.

Reports of cases are in ``case_findings`` and ``case_page``, which need torch; those of runs do
not.
"""

from ...runs import Run as Run
from ...runs import RunSet as RunSet
from ...runs import read_study as read_study
from .report_findings import ReportFindings as ReportFindings
from .report_findings import collect_findings as collect_findings
from .report_page import write_report as write_report
