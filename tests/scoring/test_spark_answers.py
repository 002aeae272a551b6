"""Answers of a Spark cluster are those of one process."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from commands import refused
from commands import s2n as command
from disk_tables import NODES, disk_tables, on_disk
from sub2node import SubgraphClassifier
from sub2node.base.errors import DataError
from sub2node.disk.backends import opened
from sub2node.scoring.spark_answers import _questions

pytest.importorskip("ibis")
SPARK = ("--engine", "spark", "--master", "local[2]")


@pytest.mark.spark
@pytest.mark.slow
def test_answers_are_those_of_one_process(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    part = on_disk(disk_tables(tmp_path / "tables"))
    settings = {"hops": 0, "inputs": "border"}
    model = SubgraphClassifier(model="hops", settings=settings).fit(part)
    model.save(tmp_path / "model")
    rng = np.random.default_rng(2)
    names = [f"q{number}" for number in range(40)]
    sets = [[str(7 * i) for i in rng.choice(NODES, 4, replace=False)] for _ in names]
    sets[5].append("nowhere")
    rows = {"question": np.repeat(names, list(map(len, sets))), "node_id": np.concatenate(sets)}
    pq.write_table(pa.table(rows), tmp_path / "new.parquet")
    asked = ("predict", tmp_path / "model", tmp_path / "new.parquet")
    asked = (*asked, "--column", "members.subgraph_id=question", "--top", "2", "--json")
    done = command(*asked, *SPARK, "-o", tmp_path / "answers")
    assert done.code == 0, done.err
    assert done.json == {"answered": 39, "bad": 1, "path": str(tmp_path / "answers")}
    assert command(*asked, "-o", tmp_path / "one.parquet").code == 0
    found = pq.read_table(tmp_path / "answers").sort_by("subgraph_id")
    lost = found.filter(found["problem"].is_valid())
    assert lost["subgraph_id"].to_pylist() == ["q5"]
    assert "nowhere" in lost["problem"][0].as_py()
    found = found.filter(found["problem"].is_null()).drop("problem")
    assert found.equals(pq.read_table(tmp_path / "one.parquet").sort_by("subgraph_id"))


@pytest.mark.spark
@pytest.mark.slow
def test_tables_that_cannot_be_asked_about_are_told(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    tables: dict[str, tuple[dict[str, list[object]], str]] = {
        "a.parquet": ({"subgraph_id": ["q"], "thing": ["1"]}, "no column 'node_id'; columns found"),
        "b.parquet": ({"subgraph_id": ["q"], "node_id": [None, "1"]}, "1 row without an id"),
        "c.parquet": (
            {"subgraph_id": ["q"], "node_id": ["1"], "excluded": [True]},
            "excluded nodes are answered for without Spark only",
        ),
        "d.parquet": ({"subgraph_id": [], "node_id": []}, "there is no subgraph in it"),
    }
    tables["b.parquet"][0]["subgraph_id"] *= 2
    with opened("spark", memory=None, spill=None, master="local[1]") as backend:
        session = backend.connection._session
        for name, (columns, sentence) in tables.items():
            types = {
                name: pa.array(values, None if values else "str")
                for name, values in columns.items()
            }
            pq.write_table(pa.table(types), tmp_path / name)
            with pytest.raises(DataError, match=sentence):
                _questions(session, tmp_path / name, {})
        (tmp_path / "e.csv").touch()
        with pytest.raises(DataError, match="subgraphs come as Parquet"):
            _questions(session, tmp_path / "e.csv", {})
        with pytest.raises(DataError, match="there is no such file"):
            _questions(session, tmp_path / "none.parquet", {})


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    asked = ("predict", tmp_path / "model", tmp_path / "new.parquet")
    for words, message in (
        (("--engine", "duckdb"), "predict needs no engine"),
        (("--engine", "sparkle"), "Did you mean 'spark'?"),
        (("--master", "local"), "--master goes with --engine spark"),
        (("--engine", "spark"), "needs a master"),
        ((*SPARK, "--why"), "--why is for answers in one process"),
        ((*SPARK, "--mode", "joint"), "each subgraph is asked alone"),
        (SPARK, "give a Parquet table of subgraphs and -o FOLDER"),
    ):
        refused(command(*asked, *words), message)
