"""What lies around the subgraphs of a task whose graph stays on disk, as an engine sums it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..base.errors import DataError
from ..base.files import new_file
from ..base.plural import plural
from ..task import Border, BorderSums, Subgraphs, SubgraphTask, finish_border
from .neighbour_tables import cast_ids
from .source_tables import SourceTables
from .steps import Pass

if TYPE_CHECKING:
    import ibis.expr.types as ir


def all_subgraphs(task: SubgraphTask) -> list[Subgraphs]:
    """The subgraphs with labels, and those without."""
    return [part.subgraphs for part in (task, task.unlabelled) if part is not None]


def read_border(
    job: Pass, index: ir.Table, near: ir.Table, nodes: ir.Table | None, task: SubgraphTask
) -> list[Border]:
    """The border of the subgraphs with labels, and of those without."""
    from . import expression

    parts, kind = all_subgraphs(task), near.node.type()
    ids, shift, columns = task.graph.ids(), 0, dict[str, list[pa.Array]](number=[], node_id=[])
    for part in parts:
        columns["number"].append(pa.array(part.owner + shift))
        nodes_of = ids.take(pa.array(part.nodes))
        columns["node_id"].append(
            cast_ids(nodes_of, pa.int64() if kind.is_integer() else pa.string())
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


def _make_others(job: Pass, near: ir.Table, nodes: ir.Table | None) -> ir.Table:
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


def _as_sums(job: Pass, table: pa.Table, count: int, *, hops: int) -> BorderSums:
    """The rows of an engine as arrays by subgraph, group and value."""
    directions = ("out", "in") if job.directed else ("any",)
    groups = tuple(f"{one}.{side}" for one in directions for side in ("outside", "inside"))
    names = _value_names(job.source, hops)
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


def _value_names(source: SourceTables, hops: int) -> tuple[str, ...]:
    """What the values of incidences are called, as :func:`sub2node.encode.border_sums` does."""
    width = 0 if source.nodes is None else source.nodes.num_features
    own = [f"x{column}" for column in range(width)]
    behind = [f"next.{name}" for name in own] if hops == 2 else []
    edges = [f"edge.{name}" for name in source.edges.features]
    weight = ["edge.weight"] if "weight" in source.edges.columns else []
    return (*own, *behind, *edges, *weight)
