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


_SUMS = "border_sums.parquet"


def sum_border(
    job: Pass,
    task: SubgraphTask,
    near: ir.Table,
    others: ir.Table | None,
    around: ir.Table | None = None,
) -> None:
    """Sum up what lies around the subgraphs, into a table.

    Args:
        job: The pass.
        task: The task of the members.
        near: All rows of the members.
        others: The rows of all neighbours among the nodes; None: nodes have no features.
        around: Means of what lies behind the neighbours, with two hops.
    """
    from . import expression

    parts, pairs = all_subgraphs(task), job.folder / "pairs.parquet"
    with new_file(pairs) as place:
        pq.write_table(_members(parts, task.graph.ids(), _id_type(near)), place)
    if others is not None and job.source.node_features == 0:
        others = around = None
    job.make(
        _SUMS,
        lambda: expression.border_sums(
            near,
            job.backend.read(pairs),
            others,
            around=around,
            repeated=job.reading.options.repeated,
        ),
        what="Looking around subgraphs",
    )


def read_border(job: Pass, task: SubgraphTask) -> list[Border]:
    """The border of the subgraphs with labels, and of those without, from the table of sums.

    Args:
        job: The pass, of which the engine may be closed.
        task: The task of the members.
    """
    parts = all_subgraphs(task)
    count = sum(map(len, parts))
    border = _finish_in_pieces(job, count)
    ends = np.cumsum([len(part) for part in parts])[:-1]
    return [border.take(rows) for rows in np.split(np.arange(count), ends)]


def _id_type(near: ir.Table) -> pa.DataType:
    return pa.int64() if near.node.type().is_integer() else pa.string()


def _members(parts: list[Subgraphs], ids: pa.Array, kind: pa.DataType) -> pa.Table:
    """``number, node_id``: the members of all subgraphs, which are counted through."""
    shift, numbers, nodes = 0, list[pa.Array](), list[pa.Array]()
    for part in parts:
        numbers.append(pa.array(part.owner + shift))
        nodes.append(cast_ids(ids.take(pa.array(part.nodes)), kind))
        shift += len(part)
    return pa.table({"number": pa.chunked_array(numbers), "node_id": pa.chunked_array(nodes)})


def look_behind(job: Pass, index: ir.Table, others: ir.Table, nodes: ir.Table) -> ir.Table:
    """Means of features over the neighbours of neighbours.

    Args:
        job: The pass.
        index: All edges.
        others: The neighbours of members.
        nodes: All nodes.
    """
    from . import expression

    rows = expression.of_nodes(index, others.select("node_id"))
    return job.make(
        "behind.parquet",
        lambda: expression.means_around(rows, nodes),
        what="Looking behind neighbours",
    )


def find_neighbours(job: Pass, near: ir.Table, nodes: ir.Table) -> ir.Table:
    """The rows of all neighbours of members among the nodes, of which none may be unknown."""
    wanted = near.select(node_id=near.other).distinct()
    others = job.make(
        "others.parquet",
        lambda: nodes.semi_join(wanted, "node_id"),
        what="Finding features of neighbours",
    )
    lost = wanted.anti_join(others, "node_id")
    found = job.load(
        "lost.parquet",
        lambda: lost.aggregate(count=lost.count(), one=lost.node_id.min()),
        what="Checking neighbours",
    )
    if (row := found.to_pylist()[0])["count"]:
        raise DataError(
            f"an edge ends at node {row['one']!r}, which the nodes table does not have"
            f" ({plural(row['count'], 'such node')}).",
            path=job.source.edges.path,
        )
    return others


def _finish_in_pieces(job: Pass, count: int) -> Border:
    """The border of all subgraphs, of whose sums only some rows are in memory at a time.

    A row is that of a subgraph and a group, and makes the columns of this group.
    """
    directions = ("out", "in") if job.directed else ("any",)
    groups = tuple(f"{one}.{side}" for one in directions for side in ("outside", "inside"))
    names = _value_names(job.source, job.hops)
    none = np.empty((0, len(groups))), *[np.empty((0, len(groups), len(names)))] * 4
    columns = finish_border(BorderSums(groups, names, *none)).columns
    values = np.zeros((count, len(groups), len(columns) // len(groups)), np.float32)
    for table in job.pieces(_SUMS):
        group = np.asarray(table["inside"].cast(pa.int64()))
        if job.directed:
            group = group + 2 * (1 - np.asarray(table["leaving"].cast(pa.int64())))
        sums = [
            np.stack([np.asarray(table[f"{kind}{place}"]) for place in range(len(names))], axis=1)
            if names
            else np.empty((len(table), 0))
            for kind in "sqlh"
        ]
        counts = np.asarray(table["count"])[:, None]
        own = BorderSums(groups[:1], names, counts, *(array[:, None] for array in sums))
        values[np.asarray(table["number"], np.int64), group] = finish_border(own).values
    return Border(columns, values.reshape(count, -1))


def _value_names(source: SourceTables, hops: int) -> tuple[str, ...]:
    """What the values of incidences are called, as :func:`sub2node.encode.border_sums` does."""
    own = [f"x{column}" for column in range(source.node_features)]
    behind = [f"next.{name}" for name in own] if hops == 2 else []
    edges = [f"edge.{name}" for name in source.edges.features]
    weight = ["edge.weight"] if "weight" in source.edges.columns else []
    return (*own, *behind, *edges, *weight)
