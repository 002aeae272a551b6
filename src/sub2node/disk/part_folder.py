"""From tables that are too large to load to a folder with the part of them that a task needs."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..base import progress
from ..base.errors import ConfigError, DataError
from ..base.files import new_file
from ..base.ragged import Array
from ..io import save_task
from ..io.folder import read_sets, read_tables
from ..io.tables import TableReader
from ..task import Border, SubgraphTask, WholeGraph
from ..task.frames import Frame
from ..task.ids import concat, id_column
from ..task.reading_options import Reading
from .backends import opened
from .large_files import parquet_files
from .neighbour_tables import ALL_NODES, NEIGHBOURS, IndexCard, cast_ids, count_edges
from .part_border import all_subgraphs, find_neighbours, look_behind, read_border, sum_border
from .source_tables import LargeTable, SourceRequest, find_source
from .steps import Pass
from .unfinished import PART, make_in_steps
from .unusable_rows import check_missing, usable_edges
from .user_paths import user_paths

if TYPE_CHECKING:
    import ibis.expr.types as ir

ENGINES = ("duckdb", "spark")


@dataclass(frozen=True)
class EngineOptions:
    """How to run an engine.

    Args:
        engine: ``duckdb`` or ``spark``.
        memory: Bytes that DuckDB may use; None: most of what there is.
        master: Spark's master.
        spill: Where DuckDB puts what does not fit; None: beside the result.
    """

    engine: str
    memory: int | None = None
    master: str | None = None
    spill: Path | None = None

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise ConfigError(f"there is no engine {self.engine!r}; {' and '.join(ENGINES)} are.")
        if self.engine == "spark" and (self.memory, self.spill) != (None, None):
            raise ConfigError(
                "memory and spill (--memory, --spill) are DuckDB's; Spark has its own settings."
            )
        if self.engine == "duckdb" and self.master is not None:
            raise ConfigError("a master (--master) is Spark's; DuckDB runs in this process.")


def make_part_folder(
    request: SourceRequest,
    out: Path,
    *,
    options: EngineOptions,
    reading: Reading | None = None,
    hops: int = 1,
) -> Path:
    """Make the folder of a task whose graph stays on disk; goes on where it was interrupted.

    The folder is a task like any other: members, the edges between them, their features, labels,
    and summaries of what lies around each subgraph. Beside them are all edges and nodes, sorted,
    in which the neighbours of new subgraphs are found.

    Args:
        request: The data.
        out: The folder, which must not be there.
        options: The engine.
        reading: What to do about problems in the data.
        hops: How far summaries of the border reach, 1 or 2.
    """
    reading = reading or Reading()
    if hops not in (1, 2):
        raise ConfigError(f"a border has 1 or 2 hops, not {hops!r}.")
    asked = {"data": request.fingerprint(), "hops": hops, "policies": repr(reading.options)}
    source = {"source": request.origin, "files": request.files_digest()}

    def build(folder: Path) -> None:
        local = request.local(folder)
        with user_paths(local, folder, reading.problems):
            _build(folder, local, options, reading, hops)

    make_in_steps(
        out,
        {**asked, **source},
        build,
        keep=(NEIGHBOURS, ALL_NODES),
    )
    return out


def _build(
    folder: Path, request: SourceRequest, options: EngineOptions, reading: Reading, hops: int
) -> None:
    """Write the task, and the tables of its index beside it."""
    from . import expression  # needs ibis, which an open engine has

    source = find_source(request, folder)
    spill = None if options.engine == "spark" else options.spill or folder
    with opened(
        options.engine, memory=options.memory, spill=spill, master=options.master
    ) as backend:
        job = Pass(folder, source, backend, request.directed, reading, hops)
        edges = usable_edges(job)
        index = job.make(
            NEIGHBOURS,
            lambda: expression.neighbours(edges, directed=request.directed),
            what="Sorting edges by node",
        )
        nodes = _make_nodes(job)
        part = _read_part(job, index, nodes)
        degrees = _read_degrees(job, part.near, part.task.graph.ids())
        around = None
        if hops == 2 and nodes is not None and part.others is not None:
            around = look_behind(job, index, part.others, nodes)
        sum_border(job, part.task, part.near, part.others, around)
    border = read_border(job, part.task)  # the engine has given its memory back
    facts = count_edges(folder / NEIGHBOURS)
    number = facts.num_nodes if nodes is None else _count_rows(folder / ALL_NODES)
    whole = WholeGraph(number, facts.num_edges, degrees[0], degrees[1])
    card = IndexCard.of(source, request.directed, reading.options.repeated, hops)
    _finish(folder, part.task, whole, border, card)


def _make_nodes(job: Pass) -> ir.Table | None:
    from . import expression

    table = job.source.nodes
    if table is None:
        return None
    rows = job.backend.read(table.path)
    return job.make(
        ALL_NODES, lambda: expression.node_rows(rows, table), what="Sorting nodes by id"
    )


class _Part(NamedTuple):
    """What was found of the members.

    Args:
        task: The task of the members and the edges between them.
        near: All rows of the members.
        others: The rows of their neighbours among the nodes, where there is a table of nodes.
    """

    task: SubgraphTask
    near: ir.Table
    others: ir.Table | None


def _read_part(job: Pass, index: ir.Table, nodes: ir.Table | None) -> _Part:
    """Find the members, the edges between them and their neighbours."""
    from . import expression

    ids = _write_ids(job, index)
    near = job.make(
        "near.parquet",
        lambda: expression.of_nodes(index, ids),
        what="Finding edges of members",
    )
    inner = job.load(
        "inner.parquet",
        lambda: expression.inner_edges(near, ids),
        what="Finding edges between members",
    )
    if nodes is None:
        known = job.load(
            "known.parquet",
            lambda: near.select(node_id=near.node).distinct(),
            what="Finding members",
        )
    else:
        known = job.load(
            "known.parquet",
            lambda: nodes.semi_join(ids, "node_id"),
            what="Finding features of members",
        )
    check_missing(job)
    others = None if nodes is None else find_neighbours(job, near, nodes)
    return _Part(_assemble(job, _sorted_edges(inner), _sorted_nodes(known)), near, others)


def _write_ids(job: Pass, index: ir.Table) -> ir.Table:
    """``node_id``: the members and excluded nodes of all subgraphs, each once, as the index has."""
    path = job.folder / "ids.parquet"
    if not path.exists():
        reader = TableReader(job.source.columns, Reading())
        sets = read_sets(job.source.sets, reader)
        tables = {"members": sets.members, "excluded": sets.excluded}
        if "excluded" in job.source.small:
            tables["excluded"] = reader.read(job.source.small["excluded"], "excluded")
        frames = [
            Frame.of(table, what, job.source.columns)
            for what, table in tables.items()
            if table is not None
        ]
        columns = [id_column(_present(frame), "node_id") for frame in frames]
        ids = concat(columns).unique()
        kind = pq.read_schema(parquet_files(job.folder / NEIGHBOURS)[0]).field("node").type
        with new_file(path) as part:
            pq.write_table(pa.table({"node_id": cast_ids(ids, kind)}), part)
    return job.backend.read(path)


def _present(frame: Frame) -> pa.Array:
    """The ids that are there; what is missing is found when the tables are read."""
    return frame.need("node_id").combine_chunks().drop_null()


def _sorted_edges(edges: pa.Table) -> pa.Table:
    """Edges in an order that does not depend on the engine."""
    order = pc.sort_indices(edges, [(name, "ascending") for name in edges.column_names])
    return edges.take(order)


def _sorted_nodes(nodes: pa.Table) -> pa.Table:
    """Nodes by id: numbers by size, text by its letters."""
    ids = id_column(nodes["node_id"], "node_id")
    if len(ids.unique()) < len(ids):
        twice = pc.value_counts(ids).filter(pc.greater(pc.value_counts(ids).field(1), 1))
        raise DataError(f"the node {twice[0]['values'].as_py()!r} has several rows.")
    return nodes.take(pc.sort_indices(ids))


def _assemble(job: Pass, edges: pa.Table, nodes: pa.Table) -> SubgraphTask:
    """The part as a task, read with the same policies and columns as data that are loaded."""
    source = job.source
    paths = {"edges": job.folder / "part_edges.parquet", "nodes": job.folder / "part_nodes.parquet"}
    pq.write_table(_with_own_names(edges, source.edges, "f"), paths["edges"])
    pq.write_table(_with_own_names(nodes, source.nodes, "x"), paths["nodes"])
    return read_tables(
        paths["edges"],
        source.sets,
        nodes=paths["nodes"],
        labels=source.small.get("labels"),
        subgraph_edges=source.small.get("subgraph_edges"),
        excluded=source.small.get("excluded"),
        columns=source.columns,
        reading=job.reading,
        name=source.name,
        notes=source.notes,
        aliases=source.small.get("aliases"),
    )


def _with_own_names(table: pa.Table, large: LargeTable | None, letter: str) -> pa.Table:
    """Columns called as in the user's table, for which mappings and policies are meant."""
    if large is None:
        return table
    names = dict(large.columns)
    if large.width is None:
        names |= {f"{letter}{n}": name for n, name in enumerate(large.features)}
    return table.rename_columns([names.get(name, name) for name in table.column_names])


def _read_degrees(job: Pass, near: ir.Table, ids: pa.Array) -> tuple[Array, Array | None]:
    """Degree and strength of the nodes of the part in the whole graph."""
    from . import expression

    repeated = job.reading.options.repeated
    table = job.load(
        "degrees.parquet",
        lambda: expression.degrees(near, repeated=repeated),
        what="Counting neighbours",
    )
    place = _places(id_column(table["node"], "node"), ids)
    degrees = np.zeros(len(ids), np.int64)
    degrees[place[place >= 0]] = np.asarray(table["degree"])[place >= 0]
    if "strength" not in table.column_names:
        return degrees, None
    strengths = np.zeros(len(ids))
    strengths[place[place >= 0]] = np.asarray(table["strength"])[place >= 0]
    return degrees, strengths


def _places(found: pa.Array, ids: pa.Array) -> Array:
    """Where ids stand among others, -1 where they do not."""
    where = pc.index_in(found.cast(pa.large_string()), value_set=ids.cast(pa.large_string()))
    return np.asarray(where.fill_null(-1), np.int64)


def _count_rows(path: Path) -> int:
    return sum(pq.ParquetFile(file).metadata.num_rows for file in parquet_files(path))


def _finish(
    folder: Path, task: SubgraphTask, whole: WholeGraph, border: list[Border], card: IndexCard
) -> None:
    """Write the task."""
    progress.step("Writing the task", 0, 1)
    graph = replace(task.graph, whole=whole)
    subgraphs = [
        replace(part, border=own) for part, own in zip(all_subgraphs(task), border, strict=True)
    ]
    others = task.unlabelled
    if others is not None:
        others = replace(others, graph=graph, subgraphs=subgraphs[1])
    done = replace(task, graph=graph, subgraphs=subgraphs[0], unlabelled=others)
    if (folder / PART).exists():  # of a process that was killed here
        shutil.rmtree(folder / PART)
    save_task(done, folder / PART)
    text = json.dumps(card.to_json(), indent=1, ensure_ascii=False) + "\n"
    (folder / PART / IndexCard.FILE).write_text(text, encoding="utf-8")
    progress.step("Writing the task", 1, 1)
