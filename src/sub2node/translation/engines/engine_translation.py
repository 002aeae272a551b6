"""Translate tables on an engine: check, join, measure, cut, and write graph and card."""

from __future__ import annotations

from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from ...base.byte_sizes import parse_memory
from ...base.errors import ConfigError, DataError
from ...base.plural import plural
from ...base.work_folders import work_folder
from ...disk.backends import Backend, opened
from ...task import SubgraphTask
from ..graph_files import WEIGHTS, load_graph, write_card, write_subgraphs
from ..s2n_graph import S2NGraph, TranslationOptions
from ..weight_statistics import Statistics
from .engine_tables import EngineTables, find_tables, write_tables

if TYPE_CHECKING:
    import ibis.expr.types as ir


def translate_tables(
    data: SubgraphTask | str | Path,
    settings: TranslationOptions,
    *,
    engine: str,
    memory: str | int | None = None,
    master: str | None = None,
    spill: str | Path | None = None,
) -> S2NGraph:
    """Translate on an engine and load the result."""
    check_spill(spill)
    with work_folder(_spill_folder(spill), label="translation") as place:
        out = place / "graph"
        out.mkdir()
        translate_to(data, out, settings, engine=engine, memory=memory, master=master, spill=spill)
        task = data if isinstance(data, SubgraphTask) else None
        return load_graph(out, task=task)


def translate_to(
    data: SubgraphTask | str | Path,
    out: Path,
    settings: TranslationOptions,
    *,
    engine: str,
    memory: str | int | None = None,
    master: str | None = None,
    spill: str | Path | None = None,
) -> dict[str, Any]:
    """Translate on an engine into a folder, loading neither graph nor result; returns the card.

    Args:
        data: A task, or a folder of Parquet tables.
        out: An empty folder.
        settings: Which entries to keep, and with ``a`` and ``delta`` how to normalise.
        engine: ``duckdb`` or ``spark``.
        memory: DuckDB's memory limit.
        master: Spark's master.
        spill: The folder for DuckDB's temporary files.
    """
    check_spill(spill)
    if not isinstance(data, SubgraphTask | str | Path):
        raise ConfigError(f"translate takes a task or a folder, found {type(data).__name__}.")
    place = None if spill is None else Path(spill)
    with (
        work_folder(out.parent if spill is None else Path(spill), label="translation") as work,
        opened(engine, memory=parse_memory(memory), spill=place, master=master) as backend,
    ):
        from . import expression  # needs ibis, which an open engine has

        if isinstance(data, SubgraphTask):
            tables = write_tables(data, work / "task", directed=not settings.symmetric)
        else:
            tables = find_tables(Path(data), directed=not settings.symmetric)
        edges, members = (backend.read(tables.paths[name]) for name in ("edges", "members"))
        sets = _write_sets(backend, tables, work / "sets.parquet")
        _check_tables(backend, edges, members, tables, directed=not settings.symmetric)
        loops, outward = settings.self_loops, settings.direction == "out"
        if settings.symmetric:
            query = expression.weights(edges, members, sets, self_loops=loops)
        else:
            query = expression.directed_weights(
                edges, members, sets, self_loops=loops, outward=outward
            )
        unchanged = settings.complete and settings.a is None
        first = out / WEIGHTS if unchanged else work / WEIGHTS
        backend.write(query, first, what="Joining tables")
        raw = backend.read(first)
        train = tables.split.visible("train")
        sums = backend.value(
            expression.sums(raw, train, half=settings.symmetric), what="Measuring weights"
        )
        statistics = Statistics(train, sums["total"] or 0.0, sums["squares"] or 0.0)
        if not unchanged:
            backend.write(_cut(raw, settings, statistics), out / WEIGHTS, what="Cutting weights")
        ids = tables.sets["subgraph_id"]
        write_subgraphs(out, ids, split=tables.split, labels=tables.labels)
        return write_card(
            out,
            settings,
            statistics=statistics,
            split=tables.split,
            task_hash=tables.hash,
            extra={"engine": engine, "spilled_bytes": backend.spilled},
        )


def _spill_folder(spill: str | Path | None) -> Path:
    return Path(gettempdir() if spill is None else spill)


def check_spill(spill: str | Path | None) -> None:
    """Raise unless temporary files can go there."""
    if spill is not None and not Path(spill).is_dir():
        raise ConfigError(f"there is no folder {spill} to spill into.")


def _cut(raw: ir.Table, settings: TranslationOptions, statistics: Statistics) -> ir.Table:
    from . import expression

    above = 0.0
    if settings.cut is not None:
        above = max(above, statistics.weight_at(settings.cut))
    if settings.a is not None:
        above = max(above, statistics.weight_at(settings.a))
    query = expression.keep_entries(
        raw,
        above=above,
        least=settings.min_weight or 0.0,
        top_k=settings.top_k,
        half=settings.symmetric,
    )
    if settings.a is None or settings.delta is None:
        return query
    least = statistics.weight_at(settings.a)
    return expression.scores(query, least=least, width=settings.delta * statistics.std)


def _write_sets(backend: Backend, tables: EngineTables, path: Path) -> ir.Table:
    import pyarrow.parquet as pq

    pq.write_table(tables.sets, path)
    return backend.read(path)


def _check_tables(
    backend: Backend, edges: ir.Table, members: ir.Table, tables: EngineTables, *, directed: bool
) -> None:
    """Refuse what would give wrong weights: missing ids, repeated members, unknown nodes."""
    path, edge_path = tables.paths["members"], tables.paths["edges"]
    pairs = members.select("subgraph_id", "node_id")
    for table, columns, where in (
        (pairs, ("node_id",), path),
        (edges, ("source", "target"), edge_path),
    ):
        for column in columns:
            if lost := _count_rows(backend, table.filter(table[column].isnull())):
                raise DataError(f"'{column}' is missing in {plural(lost, 'row')}.", path=where)
    if not _count_rows(backend, edges.limit(1)):
        raise DataError("the graph has no edges: the edges table has no rows.", path=edge_path)
    if twice := _count_rows(backend, pairs) - _count_rows(backend, pairs.distinct()):
        count = plural(twice, "member")
        raise DataError(f"{count} given twice; 's2n convert' merges them.", path=path)
    if "nodes" in tables.paths:
        nodes = backend.read(tables.paths["nodes"]).select("node_id")
        if twice := _count_rows(backend, nodes) - _count_rows(backend, nodes.distinct()):
            raise DataError(f"{plural(twice, 'node')} given twice.", path=tables.paths["nodes"])
        message = "is not in the nodes table"
        _require_none(backend, pairs.anti_join(nodes, "node_id"), path=path, message=message)
        for end in ("source", "target"):
            lost = edges.select(node_id=edges[end]).anti_join(nodes, "node_id")
            _require_none(backend, lost, path=edge_path, message=message)
    for table, where in ((members, path), (edges, edge_path)):
        if "weight" in table.columns:
            _check_weights(backend, table, where)
    if "weight" in edges.columns and not directed:
        _check_repeats(backend, edges, edge_path)


def _count_rows(backend: Backend, query: ir.Table) -> int:
    return int(backend.value(query.aggregate(count=query.count()), what="Checking tables")["count"])


def _require_none(backend: Backend, lost: ir.Table, *, path: Path, message: str) -> None:
    """Raise if a query has a row, naming one of its nodes."""
    query = lost.aggregate(count=lost.count(), one=lost["node_id"].min())
    row = backend.value(query, what="Checking tables")
    if row["count"]:
        raise DataError(f"{row['one']!r} {message} ({row['count']:,} such rows).", path=path)


def _check_weights(backend: Backend, table: ir.Table, path: Path) -> None:
    w = table.weight.cast("float64")
    bad = table.filter(w.isnull() | (w <= 0) | w.isnan() | w.isinf())
    if count := _count_rows(backend, bad):
        raise DataError(
            f"{plural(count, 'row')} with a weight that is missing, not finite or not above 0.",
            path=path,
        )


def _check_repeats(backend: Backend, edges: ir.Table, path: Path) -> None:
    import ibis

    ends = edges.select(
        u=ibis.least(edges.source, edges.target),
        v=ibis.greatest(edges.source, edges.target),
        w=edges.weight.cast("float64"),
    )
    weights = ends.group_by(["u", "v"]).aggregate(low=ends.w.min(), high=ends.w.max())
    if count := _count_rows(backend, weights.filter(weights.low != weights.high)):
        raise DataError(
            f"{plural(count, 'edge')} given several times with different weights.", path=path
        )
