"""Every row that something is wrong with, in a file of any format."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from sub2node import ConfigError
from sub2node.io.problem_files import check_problem_file, problem_table, write_problems
from sub2node.task.problems import Problem

PROBLEMS = [
    Problem("", "the file is empty.", "a.csv"),
    Problem(
        "unknown member",
        "it is not there.",
        "b.csv",
        np.array([3, 5]),
        np.array([5, 7]),
        pa.array(["x", "y"], pa.large_string()),
        "--unknown-nodes drop",
        "dropped",
    ),
]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_all_rows_are_written(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"rows{ending}"
    check_problem_file(path)
    write_problems(PROBLEMS, path)
    if ending == ".parquet":
        rows = pq.read_table(path).to_pylist()
    elif ending == ".jsonl":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
    else:
        options = pacsv.ParseOptions(delimiter="," if ending == ".csv" else "\t")
        rows = pacsv.read_csv(path, parse_options=options).to_pylist()
    assert [row["problem"] for row in rows] == ["unusable file", *["unknown member"] * 2]
    assert [(row["row"], row["line"], row["value"]) for row in rows[1:]] == [
        (4, 5, "x"),
        (6, 7, "y"),
    ]
    check_problem_file(path)  # a newer list replaces it
    write_problems([], path)


def test_what_is_no_list_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("subgraph_id,label\ns,x\n")
    with pytest.raises(ConfigError, match="exists and is no list of problems"):
        check_problem_file(path)
    with pytest.raises(ConfigError, match="must end in"):
        check_problem_file(tmp_path / "rows.docx")
    assert problem_table([]).num_rows == 0
