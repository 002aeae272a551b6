"""The folder that an engine makes has what the task in memory has, to the last bit."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import sub2node as s2n
from disk_tables import check_part, disk_tables, on_disk
from sub2node.base.errors import ConfigError, DataError

pytest.importorskip("ibis")
from sub2node.disk import EngineOptions, SourceRequest, grow, make_part_folder
from sub2node.disk.backends import Backend
from sub2node.task import Arcs
from sub2node.task.reading_options import Reading, ReadingOptions

COLUMNS = {"source": "payer_no", "target": "payee_no", "node_id": "account_no"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "text", "weighted", "hops"),
    [
        ("parquet", False, False, 1),
        ("parquet", True, True, 2),
        ("csv", True, False, 1),
        ("csv.gz", False, True, 1),
        ("zip", False, True, 2),
    ],
)
def test_the_part_is_that_of_the_task_in_memory(
    tmp_path: Path, kind: str, hops: int, *, text: bool, weighted: bool
) -> None:
    named = COLUMNS if kind in ("csv", "zip") else {}
    source = disk_tables(tmp_path / "tables", text=text, weighted=weighted, kind=kind, names=named)
    options = {"repeated": "sum" if weighted else "same", "columns": named}
    whole = s2n.load_task(tmp_path / "tables", **options)  # type: ignore[arg-type]
    part = on_disk(source, border_hops=hops, **options)
    check_part(part, whole, hops=hops)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "weighted", "hops"), [("parquet", True, 2), ("zip", False, 1)])
def test_a_directed_part_is_that_of_the_task_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, hops: int, *, weighted: bool
) -> None:
    monkeypatch.setattr("sub2node.disk.steps._PIECE", 5)
    source = disk_tables(
        tmp_path / "tables", text=weighted, weighted=weighted, directed=True, kind=kind
    )
    whole = s2n.load_task(tmp_path / "tables", directed=True)
    part = on_disk(source, border_hops=hops, directed=True)
    check_part(part, whole, hops=hops)
    assert part.graph.arcs is not None
    ids = np.array(part.graph.ids().to_pylist())
    inside = np.isin(whole.graph.ids().to_pylist(), ids)
    expected = whole.graph.arcs.within(inside)  # type: ignore[union-attr]
    names = np.array(whole.graph.ids().to_pylist())[inside]
    assert sorted(rows_of(part.graph.arcs, ids)) == sorted(rows_of(expected, names))


def rows_of(arcs: Arcs, ids: np.ndarray) -> list[tuple[object, ...]]:
    """Arcs by the ids of their ends."""
    assert arcs.features is not None
    weights = np.ones(len(arcs)) if arcs.weights is None else arcs.weights
    columns = (ids[arcs.source], ids[arcs.target], weights, *arcs.features.T)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.fixture
def failing_tasks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, killed: bool
) -> Iterator[list[str]]:
    """Each task of Spark that reads the edges fails once, or the first takes its executor along.

    Takes the partitions of the session.
    """
    read, partitions = Backend.read, list[str]()
    is_done = tmp_path / "an executor was killed"

    def read_badly(self: Backend, path: Path) -> Any:
        if self.spill is not None or path.name != "edges.parquet":
            return read(self, path)

        def fail_once(batches: Any) -> Any:
            from pyspark import TaskContext

            if killed and not is_done.exists():
                is_done.touch()
                own = Path(f"/proc/{os.getppid()}/stat").read_text()  # of what starts workers
                os.kill(int(own.rpartition(")")[2].split()[1]), signal.SIGKILL)
            if not killed and TaskContext.get().attemptNumber() == 0:
                raise RuntimeError("this task fails once")
            yield from batches

        session = self.connection._session
        partitions.append(session.conf.get("spark.sql.shuffle.partitions"))
        rows = session.read.parquet(str(path))
        rows.mapInArrow(fail_once, rows.schema).createOrReplaceTempView("edges")
        return self.connection.table("edges")

    monkeypatch.setattr(Backend, "read", read_badly)
    yield partitions
    if killed:  # executors keep files beside Spark
        rmtree(Path(find_spec("pyspark").origin).parent / "work", ignore_errors=True)  # type: ignore[union-attr,arg-type]


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(
    ("directed", "killed"),
    [
        (False, False),
        pytest.param(
            True, True, marks=pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
        ),
    ],
)
def test_spark_makes_the_same_part_though_tasks_fail(
    tmp_path: Path, failing_tasks: list[str], *, directed: bool, killed: bool
) -> None:
    pytest.importorskip("pyspark")
    source = disk_tables(tmp_path / "tables", weighted=True, directed=directed)
    request = SourceRequest(source, directed=directed)
    policies = ReadingOptions(directed=True) if directed else ReadingOptions(repeated="max")
    hops = 1 + directed
    master = "local-cluster[1,1,1024]" if killed else "local[2,2]"  # one has executors to lose
    made = [
        make_part_folder(
            request, tmp_path / o.engine, options=o, reading=Reading(policies), hops=hops
        )
        for o in (EngineOptions("duckdb"), EngineOptions("spark", master=master))
    ]
    duck, spark = map(s2n.load_task, made)
    assert spark == duck
    assert failing_tasks == ["2"]  # as tests/spark/spark-defaults.conf says
    assert (tmp_path / "an executor was killed").exists() is killed
    if not directed:
        check_part(spark, s2n.load_task(source, repeated="max"))
    fresh = grow(spark.graph, pa.array(["7", "14", "21"]))
    assert fresh == grow(duck.graph, pa.array(["7", "14", "21"]))


@pytest.mark.slow
def test_features_are_those_that_were_chosen(tmp_path: Path) -> None:
    source = disk_tables(tmp_path / "tables")
    part = on_disk(source, node_features=["age2", "age0"])
    whole = s2n.load_task(source, node_features=["age2", "age0"])
    check_part(part, whole)


def with_value(path: Path, column: str, value: object) -> None:
    """Replace a value in the sixth row of a table."""
    rows = pq.read_table(path) if path.suffix == ".parquet" else pacsv.read_csv(path)
    values = rows[column].to_pylist()
    values[5] = value
    changed = rows.set_column(rows.column_names.index(column), column, pa.array(values))
    pq.write_table(changed, path) if path.suffix == ".parquet" else pacsv.write_csv(changed, path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "column", "value", "sentence"),
    [
        ("edges.csv", "weight", None, r"tables/edges\.csv: 'weight' is missing, .*--bad-weights"),
        ("edges.parquet", "weight", -3, r"'weight' is missing, not finite or not above 0 in some"),
        ("edges.csv", "source", None, r"tables/edges\.csv: 'source' is missing .*--bad-rows drop"),
        ("nodes.csv", "age1", None, r"tables/nodes\.csv: 'age1' is missing .*; fill them first"),
        ("nodes.parquet", "node_id", 3, "which the nodes table does not have"),
    ],
)
def test_what_sums_would_pass_over_is_refused(
    tmp_path: Path, table: str, column: str, value: object, sentence: str
) -> None:
    folder = disk_tables(tmp_path / "tables", weighted=True, kind=table.partition(".")[2])
    with_value(folder / table, column, value)
    with pytest.raises(DataError, match=sentence):
        on_disk(folder, repeated="sum")
    assert not list(tmp_path.rglob(".*.unfinished"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "policies", "note"),
    [
        ("source", {"bad_rows": "drop"}, "1 row of the edges table dropped: an end or a feature"),
        ("amount", {"bad_rows": "drop"}, "1 row of the edges table dropped: an end or a feature"),
        ("weight", {"bad_weights": "drop"}, "1 row dropped for 1 unusable weight of the edges"),
        ("weight", {"bad_weights": "one"}, "1 unusable weight of the edges table taken as 1"),
    ],
)
def test_rows_that_may_be_dropped_are_dropped_as_in_memory(
    tmp_path: Path, column: str, policies: dict[str, str], note: str
) -> None:
    folder = disk_tables(tmp_path / "tables", weighted=True, directed=True)
    with_value(folder / "edges.parquet", column, None)
    part = on_disk(folder, directed=True, **policies)
    check_part(part, s2n.load_task(folder, directed=True, **policies))  # type: ignore[arg-type]
    assert any(note in one for one in part.notes)


@pytest.mark.slow
def test_messages_about_a_part_name_the_file_of_the_user(tmp_path: Path) -> None:
    folder = disk_tables(tmp_path / "tables", weighted=True)
    with pytest.raises(DataError, match=r"tables/edges\.parquet: .*weights") as caught:
        on_disk(folder)
    assert "part_edges" not in str(caught.value)


def test_options_of_one_engine_are_refused_for_the_other() -> None:
    with pytest.raises(ConfigError, match=r"memory and spill .* are DuckDB's"):
        EngineOptions("spark", master="local[2]", spill=Path())
    with pytest.raises(ConfigError, match="are DuckDB's"):
        EngineOptions("spark", master="local[2]", memory=1)
    with pytest.raises(ConfigError, match="is Spark's"):
        EngineOptions("duckdb", master="local[2]")
    with pytest.raises(ConfigError, match="no engine 'polars'"):
        EngineOptions("polars")


@pytest.mark.slow
def test_a_border_has_one_hop_or_two(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="1 or 2 hops, not 3"):
        on_disk(disk_tables(tmp_path / "tables"), border_hops=3)


@pytest.mark.slow
def test_a_node_without_edges_is_a_member_where_it_is_in_the_table_of_nodes(
    tmp_path: Path,
) -> None:
    folder = disk_tables(tmp_path / "tables")
    nodes = pq.read_table(folder / "nodes.parquet")
    lonely = {name: np.array([1000], nodes[name].type.to_pandas_dtype()) for name in ["node_id"]}
    lonely |= {f"age{n}": np.array([n], np.int16) for n in range(3)}
    pq.write_table(pa.concat_tables([nodes, pa.table(lonely)]), folder / "nodes.parquet")
    members = pq.read_table(folder / "members.parquet")
    more = pa.table({"subgraph_id": np.array([0]), "node_id": np.array([1000])})
    pq.write_table(pa.concat_tables([members, more]), folder / "members.parquet")
    check_part(on_disk(folder), s2n.load_task(folder))
