"""The one expression gives what the memory engine gives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sub2node as s2n
from directed_tasks import directed_task
from strategies import tasks
from sub2node import ConfigError, SubgraphTask

pytest.importorskip("ibis")
import ibis

from parquet_tables import same_graph, write_parquet
from sub2node.translation.engines import expression


@pytest.mark.slow
@settings(max_examples=12)
@given(tasks(), st.booleans(), st.data())
def test_duckdb_equals_memory(task: SubgraphTask, self_loops: bool, data: st.DataObject) -> None:
    if task.split is not None and not task.split.visible("train"):
        task = replace(task, split=None)
    kept = data.draw(
        st.sampled_from([{}, {"min_weight": 2.0}, {"top_k": 1}, {"top_k": 2, "min_weight": 2.0}])
    )
    one = s2n.translate(task, self_loops=self_loops, **kept)
    two = s2n.translate(task, self_loops=self_loops, engine="duckdb", **kept)
    assert same_graph(one, two)
    assert two.attach(task.subgraphs).known.shape[0] == len(task)


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.datasets.generate("density", subgraphs=40, seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("kept", [{}, {"cut": 1.0}, {"min_weight": 20.0}, {"top_k": 3}])
def test_duckdb_cuts_like_memory(task: SubgraphTask, kept: dict[str, float]) -> None:
    one, two = (s2n.translate(task, engine=e, **kept) for e in ("memory", "duckdb"))  # type: ignore[arg-type]
    assert same_graph(one, two)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"direction": "out"},
        {"direction": "in", "self_loops": False},
        {"direction": "out", "top_k": 2},
        {"direction": "in", "cut": 0.5, "min_weight": 1.5},
    ],
)
def test_duckdb_counts_directed_edges_like_memory(weighted: bool, options: dict[str, Any]) -> None:
    task = directed_task(weighted=weighted, named=weighted)
    one, two = (s2n.translate(task, engine=e, **options) for e in ("memory", "duckdb"))  # type: ignore[arg-type]
    assert same_graph(one, two)
    assert two.settings.direction == options["direction"]
    assert not np.array_equal(one.weights.toarray(), one.weights.toarray().T)


@pytest.mark.slow
def test_directed_edges_of_tables_that_are_never_loaded(tmp_path: Path) -> None:
    edges = {"source": ["a", "a", "b", "c"], "target": ["b", "b", "a", "c"], "weight": [1, 2, 4, 8]}
    members = {"subgraph_id": ["s", "t", "t"], "node_id": ["a", "b", "c"]}
    write_parquet(tmp_path, edges=edges, members=members)
    task = SubgraphTask.from_tables(edges, members, directed=True)
    s2n.save_task(task, tmp_path / "saved")
    s2n.save_task(SubgraphTask.from_tables(edges, members, repeated="max"), tmp_path / "plain")
    for folder in (tmp_path, tmp_path / "saved"):
        graph = s2n.translate(folder, engine="duckdb", direction="out")
        assert graph.weights.toarray().tolist() == [[1, 3], [4, 9]]
        assert same_graph(graph, s2n.translate(task, direction="out"))
    with pytest.raises(ConfigError, match="these data were read without"):
        s2n.translate(tmp_path / "plain", engine="duckdb", direction="out")


@pytest.mark.slow
def test_weights_are_those_of_the_memory_engine(tmp_path: Path) -> None:
    edges = {"source": ["a"], "target": ["b"], "weight": [0.7]}
    members = {"subgraph_id": ["s", "t"], "node_id": ["a", "b"]}
    write_parquet(tmp_path, edges=edges, members=members)
    kept = {"self_loops": False, "min_weight": 0.7}
    graph = s2n.translate(tmp_path, engine="duckdb", **kept)  # type: ignore[arg-type]
    assert same_graph(graph, s2n.translate(SubgraphTask.from_tables(edges, members), **kept))  # type: ignore[arg-type]


ENTRIES = pa.table(
    {"row": [0, 0, 0, 1, 1, 2], "column": [0, 1, 2, 1, 2, 2], "weight": [5.0, 4, 3, 2, 4, 1]}
)


def run(query) -> set[tuple[int, int, float]]:
    """Rows of a query over the entries of a small W."""
    rows = ibis.duckdb.connect().to_pyarrow(query).to_pylist()
    return {(row["row"], row["column"], row["weight"]) for row in rows}


@pytest.mark.slow
def test_sums_count_both_halves_of_the_train_block() -> None:
    raw = ibis.memtable(ENTRIES)
    (row,) = ibis.duckdb.connect().to_pyarrow(expression.sums(raw, 2)).to_pylist()
    assert row == {"total": 5 + 2 * 4 + 2, "squares": 25 + 2 * 16 + 4}


def test_entries_are_kept_above_and_from_a_bound() -> None:
    raw = ibis.memtable(ENTRIES)
    kept = run(expression.keep_entries(raw, above=2.0, least=4.0, top_k=None))
    assert kept == {(0, 0, 5), (0, 1, 4), (1, 2, 4)}


def test_the_largest_of_a_row_win_ties_by_the_lower_column() -> None:
    raw = ibis.memtable(ENTRIES)
    kept = run(expression.keep_entries(raw, above=0.0, least=0.0, top_k=1))
    # Row 1 has two of weight 4 and takes column 0; row 2 takes its own largest, column 1.
    assert kept == {(0, 0, 5), (1, 1, 2), (2, 2, 1), (0, 1, 4), (1, 2, 4)}


def test_scores_are_cut_to_0_and_1() -> None:
    raw = ibis.memtable(ENTRIES)
    assert run(expression.scores(raw, least=2.0, width=2.0)) == {
        (0, 0, 1), (0, 1, 1), (0, 2, 0.5), (1, 2, 1)
    }  # fmt: skip
