"""Tables of a run: checked against its result, and refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from report_runs import made_result, small_task
from sub2node.base.errors import DataError
from sub2node.report.html import collect_findings, read_study
from sub2node.runs import save_run


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("result.json", "{", "not the result of a run"),
        ("result.json", '{"test": 3}', "not the result of a run"),
        ("predictions.parquet", "PAR1", "not the predictions of a run"),
        ("epochs.parquet", "", "not the epochs of a run"),
        ("subgraphs.parquet", "x", "not what a run wrote"),
        ("links.parquet", "x", "not what a run wrote"),
    ],
)
def test_damage_is_one_sentence(tmp_path: Path, name: str, text: str, message: str) -> None:
    task = small_task()
    folder = save_run(made_result(task), task, tmp_path / "run")
    (folder / "checksums.json").unlink()
    (folder / name).write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        collect_findings(read_study([folder]))
    assert name in str(caught.value)


def test_predictions_of_another_run_are_found_out(tmp_path: Path) -> None:
    task = small_task()
    one = save_run(made_result(task), task, tmp_path / "one")
    two = save_run(made_result(task, signal=0.2), task, tmp_path / "two")
    (one / "checksums.json").unlink()
    (one / "predictions.parquet").write_bytes((two / "predictions.parquet").read_bytes())
    with pytest.raises(DataError, match="do not give the scores"):
        collect_findings(read_study([one]))
