"""Run folders read back: every wrong file is one sentence that names file, field and value."""

from __future__ import annotations

from pathlib import Path

import pytest

from report_runs import made_result, simple_result, small_task
from sub2node.base.errors import DataError
from sub2node.evaluate import compare
from sub2node.runs import (
    load_scores,
    read_result,
    read_study,
    read_works,
    save_comparison,
    save_run,
)


def test_a_flipped_bit_is_seen(tmp_path: Path) -> None:
    task = small_task()
    path = save_run(made_result(task), task, tmp_path / "run")
    for name in ("result.json", "predictions.parquet", "epochs.parquet", "links.parquet"):
        content = (path / name).read_bytes()
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        (path / name).write_bytes(flipped)
        with pytest.raises(DataError, match="not the one that was written"):
            read_study([path])
        (path / name).write_bytes(content)
    read_study([path])


def test_scores_are_read_back(folder: Path, tmp_path: Path) -> None:
    result = made_result(small_task())
    for path in (folder, folder / "result.json"):
        scores = load_scores(path)
        assert (scores["val"], scores["test"]) == (result.val, result.test)
        assert scores["data"] == result.data
        assert scores["versions"]["torch"]
        assert read_result(path).test == result.test
    with pytest.raises(DataError, match=r"none: there is no result\.json here"):
        load_scores(tmp_path / "none")
    (folder / "result.json").write_text('{"test": 3}')
    with pytest.raises(DataError, match="not the result of a run"):
        load_scores(folder)


def test_the_models_of_a_comparison_are_read_from_its_file_alone(tmp_path: Path) -> None:
    task = small_task()
    both = compare([made_result(task), simple_result(task)])
    folder = save_comparison(both, task, tmp_path / "both")
    (tmp_path / "alone").mkdir()
    (folder / "comparison.json").rename(tmp_path / "alone" / "comparison.json")
    first, second = read_works(tmp_path / "alone")
    assert (first.kind, first.seeds, first.name) == ("run", 3, "random")
    assert second.config == {"baseline": "bag"}
    assert first.significance_test == second.significance_test == "welch"
    with pytest.raises(DataError, match="this is no run, comparison, model or study"):
        read_works(folder)
