"""A run with several replicas, once with one label per subgraph and once with several."""

from __future__ import annotations

from pathlib import Path

import pytest

from report_runs import made_result, small_task
from sub2node.evaluate.result import Result
from sub2node.report.html import collect_findings, read_study
from sub2node.runs import save_run
from sub2node.task import SubgraphTask


@pytest.fixture(scope="module", params=[False, True], ids=["single", "multi"])
def task(request) -> SubgraphTask:
    return small_task(80, 4, multilabel=request.param)


@pytest.fixture(scope="module")
def result(task) -> Result:
    return made_result(task)


@pytest.fixture(scope="module")
def folder(task, result, tmp_path_factory) -> Path:
    return save_run(result, task, tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture(scope="module")
def numbers(folder) -> dict:
    return collect_findings(read_study([folder])).numbers
