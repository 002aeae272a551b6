"""The HTML report of runs: one file that needs nothing from outside."""

from .findings import Findings as Findings
from .findings import find as find
from .page import write_report as write_report
from .runs import Run as Run
from .runs import Study as Study
from .runs import read_study as read_study
