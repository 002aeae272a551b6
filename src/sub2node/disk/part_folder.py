"""From tables that are too large to load to a folder with the part of them that a task needs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..base import progress
from ..base.errors import ConfigError, DataError
from ..base.files import new_file
from ..base.plural import plural
from ..base.ragged import Array
from ..io import save_task
from ..io.folder import read_sets, read_tables
from ..io.tables import TableReader
from ..task import Border, BorderSums, Subgraphs, SubgraphTask, WholeGraph, finish_border
from ..task.frames import Frame
from ..task.ids import concat, id_column
from ..task.reading_options import Reading
from .backends import Backend, opened
from .large_files import parquet_files
from .neighbour_tables import ALL_NODES, NEIGHBOURS, IndexCard, count_edges
from .source_tables import SourceRequest, SourceTables, find_source
from .unfinished import PART, unfinished

if TYPE_CHECKING:
    import ibis.expr.types as ir

ENGINES = ("duckdb", "spark")
_GROUP = 1 << 17  # rows of a Parquet file that are read together


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


@dataclass
class _Pass:
    """One pass over the tables: what is there is not made again.

    Args:
        folder: Where it writes; what stands there is whole.
        source: The tables.
        backend: The engine.
        directed: Whether edges have a direction.
        reading: What to do about problems.
        hops: How far the border reaches.
    """

    folder: Path
    source: SourceTables
    backend: Backend
    directed: bool
    reading: Reading
    hops: int
    tables: dict[str, ir.Table] = field(default_factory=dict)

    def make(self, name: str, query: Callable[[], ir.Table], *, what: str) -> ir.Table:
        """The table of this name: the one that is there, or that of a query."""
        path = self.folder / name
        if not path.exists():
            self.backend.store(query(), path, what=what, group_rows=_GROUP)
        if name not in self.tables:
            self.tables[name] = self.backend.read(path)
        return self.tables[name]

    def load(self, name: str, query: Callable[[], ir.Table], *, what: str) -> pa.Table:
        """As :meth:`make`, but small enough to be read."""
        self.make(name, query, what=what)
        files = parquet_files(self.folder / name)
        return pa.concat_tables([pq.read_table(file) for file in files])


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
    from . import expression  # needs ibis, which an open engine has

    reading = reading or Reading()
    if hops not in (1, 2):
        raise ConfigError(f"a border has 1 or 2 hops, not {hops!r}.")
    asked = {"data": request.fingerprint(), "hops": hops, "policies": repr(reading.options)}
    with unfinished(out, asked, keep=(NEIGHBOURS, ALL_NODES)) as folder:
        source = find_source(request, folder)
        spill = options.spill or folder
        with opened(
            options.engine,
            memory=options.memory,
            spill=_spill(options, spill),
            master=options.master,
        ) as backend:
            job = _Pass(folder, source, backend, request.directed, reading, hops)
            edges = backend.read(source.edges.path)
            index = job.make(
                NEIGHBOURS,
                lambda: expression.neighbours(edges, source.edges, directed=request.directed),
                what="Sorting edges by node",
            )
            nodes = _make_nodes(job)
            task, near = _read_part(job, index, nodes)
            degrees = _read_degrees(job, near, task.graph.ids())
            border = _read_border(job, index, near, nodes, task)
        facts = count_edges(folder / NEIGHBOURS)
        number = facts.num_nodes if nodes is None else _count_rows(folder / ALL_NODES)
        whole = WholeGraph(number, facts.num_edges, degrees[0], degrees[1], folder=out)
        card = IndexCard.of(source, request.directed, reading.options.repeated, hops)
        _finish(folder, task, whole, border, card)
    return out


def _spill(options: EngineOptions, folder: Path) -> Path | None:
    return None if options.engine == "spark" else folder


def _make_nodes(job: _Pass) -> ir.Table | None:
    from . import expression

    table = job.source.nodes
    if table is None:
        return None
    rows = job.backend.read(table.path)
    return job.make(
        ALL_NODES, lambda: expression.node_rows(rows, table), what="Sorting nodes by id"
    )


def _read_part(
    job: _Pass, index: ir.Table, nodes: ir.Table | None
) -> tuple[SubgraphTask, ir.Table]:
    """The task of the members and the edges between them, and all rows of the members."""
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
    _check_missing(job)
    task = _assemble(job, _sorted_edges(inner), _sorted_nodes(known))
    return task, near


def _write_ids(job: _Pass, index: ir.Table) -> ir.Table:
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
            pq.write_table(pa.table({"node_id": _cast_ids(ids, kind)}), part)
    return job.backend.read(path)


def _present(frame: Frame) -> pa.Array:
    """The ids that are there; what is missing is found when the tables are read."""
    return frame.need("node_id").combine_chunks().drop_null()


def _cast_ids(ids: pa.Array, kind: pa.DataType) -> pa.Array:
    """Ids of the type of the tables; those that cannot be of it are in none of them."""
    if not pa.types.is_integer(kind):
        return ids.cast(pa.string())
    if pa.types.is_integer(ids.type):
        return ids.cast(pa.int64())
    plain = ids.filter(pc.match_substring_regex(ids, r"^(0|-?[1-9][0-9]{0,17})$"))
    return plain.cast(pa.int64())


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


def _check_missing(job: _Pass) -> None:
    """Raise where a number or an id is missing that sums would pass over."""
    for name, large in ((NEIGHBOURS, job.source.edges), (ALL_NODES, job.source.nodes)):
        if large is None:
            continue
        for file in parquet_files(job.folder / name):
            metadata = pq.ParquetFile(file).metadata
            for group in range(metadata.num_row_groups):
                for column in range(metadata.num_columns):
                    part = metadata.row_group(group).column(column)
                    facts = part.statistics
                    if part.path_in_schema != "title" and facts is not None and facts.null_count:
                        raise DataError(
                            "ids and numbers must not be missing where an engine reads them, and"
                            f" {plural(facts.null_count, 'row')} or more lack some"
                            f" ({_column_name(large, part.path_in_schema)}); fill them first.",
                            path=large.path,
                        )


def _column_name(large: object, ours: str) -> str:
    """The user's name of a column of ours."""
    features: tuple[str, ...] = getattr(large, "features", ())
    columns: Mapping[str, str] = getattr(large, "columns", {})
    if ours[0] in "fx" and ours[1:].isdecimal() and int(ours[1:]) < len(features):
        return features[int(ours[1:])]
    return columns.get({"node": "source", "other": "target"}.get(ours, ours), ours)


def _assemble(job: _Pass, edges: pa.Table, nodes: pa.Table) -> SubgraphTask:
    """The part as a task, read with the same policies as data that are loaded."""
    source = job.source
    names = {f"f{n}": name for n, name in enumerate(source.edges.features)}
    paths = {"edges": job.folder / "part_edges.parquet", "nodes": job.folder / "part_nodes.parquet"}
    pq.write_table(
        edges.rename_columns([names.get(n, n) for n in edges.column_names]), paths["edges"]
    )
    pq.write_table(nodes, paths["nodes"])
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


def _read_degrees(job: _Pass, near: ir.Table, ids: pa.Array) -> tuple[Array, Array | None]:
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


def _all_subgraphs(task: SubgraphTask) -> list[Subgraphs]:
    """The subgraphs with labels, and those without."""
    return [part.subgraphs for part in (task, task.unlabelled) if part is not None]


def _read_border(
    job: _Pass, index: ir.Table, near: ir.Table, nodes: ir.Table | None, task: SubgraphTask
) -> list[Border]:
    """The border of the subgraphs with labels, and of those without."""
    from . import expression

    parts, kind = _all_subgraphs(task), near.node.type()
    ids, shift, columns = task.graph.ids(), 0, dict[str, list[pa.Array]](number=[], node_id=[])
    for part in parts:
        columns["number"].append(pa.array(part.owner + shift))
        nodes_of = ids.take(pa.array(part.nodes))
        columns["node_id"].append(
            _cast_ids(nodes_of, pa.int64() if kind.is_integer() else pa.string())
        )
        shift += len(part)
    path = job.folder / "pairs.parquet"
    with new_file(path) as place:
        pq.write_table(
            pa.table({name: pa.concat_arrays(column) for name, column in columns.items()}), place
        )
    features = job.source.nodes
    has_features = nodes is not None and features is not None and features.num_features > 0
    others = _make_others(job, near, nodes) if has_features else None
    around = None
    if job.hops == 2 and others is not None and nodes is not None:
        behind = job.make(
            "behind.parquet",
            lambda: expression.means_around(
                expression.of_nodes(index, others.select("node_id")), nodes
            ),
            what="Looking behind neighbours",
        )
        around = behind
    table = job.load(
        "border_sums.parquet",
        lambda: expression.border_sums(
            near,
            job.backend.read(path),
            others,
            around=around,
            repeated=job.reading.options.repeated,
        ),
        what="Looking around subgraphs",
    )
    border = finish_border(_as_sums(job, table, shift, hops=2 if around is not None else 1))
    ends = np.cumsum([len(part) for part in parts])[:-1]
    return [border.take(rows) for rows in np.split(np.arange(shift), ends)]


def _make_others(job: _Pass, near: ir.Table, nodes: ir.Table | None) -> ir.Table:
    """Features of all neighbours of members, of which none may be unknown."""
    assert nodes is not None
    wanted = near.select(node_id=near.other).distinct()
    others = job.make(
        "others.parquet",
        lambda: nodes.semi_join(wanted, "node_id"),
        what="Finding features of neighbours",
    )
    lost = wanted.anti_join(others, "node_id")
    row = job.backend.value(
        lost.aggregate(count=lost.count(), one=lost.node_id.min()), what="Checking neighbours"
    )
    if row["count"]:
        raise DataError(
            f"an edge ends at node {row['one']!r}, which the nodes table does not have"
            f" ({plural(row['count'], 'such node')}).",
            path=job.source.edges.path,
        )
    return others


def _as_sums(job: _Pass, table: pa.Table, count: int, *, hops: int) -> BorderSums:
    """The rows of an engine as arrays by subgraph, group and value."""
    directions = ("out", "in") if job.directed else ("any",)
    groups = tuple(f"{one}.{side}" for one in directions for side in ("outside", "inside"))
    names = job_value_names(job.source, hops)
    number = np.asarray(table["number"], np.int64)
    group = np.asarray(table["inside"].cast(pa.int64()))
    if job.directed:
        group = group + 2 * (1 - np.asarray(table["leaving"].cast(pa.int64())))
    counts = np.zeros((count, len(groups)), np.int64)
    counts[number, group] = np.asarray(table["count"])
    arrays = {kind: np.zeros((count, len(groups), len(names))) for kind in "sqlh"}
    for kind, array in arrays.items():
        for place in range(len(names)):
            array[number, group, place] = np.asarray(table[f"{kind}{place}"])
    return BorderSums(groups, names, counts, *arrays.values())


def job_value_names(source: SourceTables, hops: int) -> tuple[str, ...]:
    """What the values of incidences are called, as :func:`sub2node.encode.border_sums` does."""
    width = 0 if source.nodes is None else source.nodes.num_features
    own = [f"x{column}" for column in range(width)]
    behind = [f"next.{name}" for name in own] if hops == 2 else []
    edges = [f"edge.{name}" for name in source.edges.features]
    weight = ["edge.weight"] if "weight" in source.edges.columns else []
    return (*own, *behind, *edges, *weight)


def _count_rows(path: Path) -> int:
    return sum(pq.ParquetFile(file).metadata.num_rows for file in parquet_files(path))


def _finish(
    folder: Path, task: SubgraphTask, whole: WholeGraph, border: list[Border], card: IndexCard
) -> None:
    """Write the task."""
    progress.step("Writing the task", 0, 1)
    graph = replace(task.graph, whole=whole)
    subgraphs = [
        replace(part, border=own) for part, own in zip(_all_subgraphs(task), border, strict=True)
    ]
    others = task.unlabelled
    if others is not None:
        others = replace(others, graph=graph, subgraphs=subgraphs[1])
    done = replace(task, graph=graph, subgraphs=subgraphs[0], unlabelled=others)
    save_task(done, folder / PART, overwrite=True)
    text = json.dumps(card.to_json(), indent=1, ensure_ascii=False) + "\n"
    (folder / PART / IndexCard.FILE).write_text(text, encoding="utf-8")
    progress.step("Writing the task", 1, 1)
