"""The folder that an engine makes has what the task in memory has, to the last bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sub2node as s2n
from disk_tables import check_part, disk_tables, on_disk
from sub2node.base.errors import ConfigError, DataError

pytest.importorskip("ibis")
from sub2node.disk import EngineOptions, SourceRequest, grow, make_part_folder
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
    tmp_path: Path, kind: str, hops: int, *, weighted: bool
) -> None:
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


@pytest.mark.spark
@pytest.mark.slow
def test_spark_makes_the_same_part(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    source = disk_tables(tmp_path / "tables", weighted=True)
    reading = Reading(ReadingOptions(repeated="max"))
    made = [
        make_part_folder(SourceRequest(source), tmp_path / o.engine, options=o, reading=reading)
        for o in (EngineOptions("duckdb"), EngineOptions("spark", master="local[2]"))
    ]
    duck, spark = map(s2n.load_task, made)
    assert spark == duck
    check_part(spark, s2n.load_task(source, repeated="max"))
    fresh = grow(spark.graph, pa.array(["7", "14", "21"]))
    assert fresh == grow(duck.graph, pa.array(["7", "14", "21"]))


@pytest.mark.slow
def test_features_are_those_that_were_chosen(tmp_path: Path) -> None:
    source = disk_tables(tmp_path / "tables")
    part = on_disk(source, node_features=["age2", "age0"])
    whole = s2n.load_task(source, node_features=["age2", "age0"])
    check_part(part, whole)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "column", "value", "sentence"),
    [
        ("edges", "weight", None, "'weight' is missing in some rows"),
        ("nodes", "age1", None, "'age1' is missing in some rows"),
        ("nodes", "node_id", 3, "which the nodes table does not have"),
    ],
)
def test_what_sums_would_pass_over_is_refused(
    tmp_path: Path, table: str, column: str, value: object, sentence: str
) -> None:
    folder = disk_tables(tmp_path / "tables", weighted=True)
    path = folder / f"{table}.parquet"
    rows = pq.read_table(path)
    values = rows[column].to_pylist()
    values[5] = value
    place = rows.column_names.index(column)
    pq.write_table(rows.set_column(place, column, pa.array(values)), path)
    with pytest.raises(DataError, match=sentence):
        on_disk(folder, repeated="sum")


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
