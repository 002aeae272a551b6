"""What a task needs of a graph on disk, as Ibis expressions that DuckDB and Spark both run.

``neighbours`` has each edge twice: once for each of its ends (``node``), with the other end, and
where edges have directions whether the edge leaves ``node``. A self-loop stands there once. Sorted
by ``node`` it is an index: the rows of few nodes are found without reading the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import ibis
import ibis.expr.types as ir

from .source_tables import LargeTable

_LARGEST = 3.4028234663852886e38  # of float32


def _double(column: ir.Value) -> ir.Value:
    """A number as it is in memory: float32, summed in double."""
    return column.cast("float32").cast("float64")


def usable(edges: ir.Table, table: LargeTable) -> ir.Table:
    """``source, target[, weight][, f0, f1, …]``, null where there is nothing that can be used.

    Weights are finite and above 0, features finite.

    Args:
        edges: The table of edges.
        table: Its columns.
    """
    values = {ours: edges[table.columns[ours]] for ours in ("source", "target")}
    if "weight" in table.columns:
        weight = _finite(edges[table.columns["weight"]])
        values["weight"] = (weight > 0).ifelse(weight, None)
    values |= {f"f{n}": _finite(edges[name]) for n, name in enumerate(table.features)}
    return edges.select(**values)


def _finite(column: ir.Value) -> ir.Value:
    """Numbers as float32, those that it has."""
    if column.type().is_floating():  # of which NaN is the largest to both engines
        column = (column.abs() <= _LARGEST).ifelse(column, None)
    return column.cast("float32")


def neighbours(edges: ir.Table, *, directed: bool) -> ir.Table:
    """``node, other[, leaving][, weight][, f0, f1, …]``, sorted by ``node`` and ``other``.

    Args:
        edges: As :func:`usable` makes it.
        directed: Whether to keep directions and features.
    """
    values = {name: edges[name] for name in edges.columns if name not in ("source", "target")}
    one = {"node": edges.source, "other": edges.target}
    two = {"node": edges.target, "other": edges.source}
    if directed:
        one["leaving"], two["leaving"] = ibis.literal(True), ibis.literal(False)
    proper = edges.filter(edges.source != edges.target)
    both = edges.select(**one, **values).union(proper.select(**two, **values))
    keys = [name for name in ("leaving", "weight") if name in both.columns]
    return both.order_by(["node", "other", *keys])  # the same rows in the same order each time


def node_rows(nodes: ir.Table, table: LargeTable) -> ir.Table:
    """``node_id[, title][, x0, x1, …]``, sorted by ``node_id``."""
    values = {"node_id": nodes[table.columns["node_id"]]}
    if "title" in table.columns:
        values["title"] = nodes[table.columns["title"]].cast("string")
    if table.width is None:
        features = [nodes[name] for name in table.features]
    else:
        features = [nodes[table.features[0]][place] for place in range(table.width)]
    values |= {f"x{n}": _finite(column) for n, column in enumerate(features)}
    return nodes.select(**values).order_by("node_id")


def of_nodes(neighbours: ir.Table, ids: ir.Table) -> ir.Table:
    """The rows of some nodes.

    Args:
        neighbours: As :func:`neighbours` makes it.
        ids: ``node_id``, each once.
    """
    return neighbours.semi_join(ids.select(node="node_id"), "node")


def inner_edges(near: ir.Table, ids: ir.Table) -> ir.Table:
    """The edges between some nodes, each as often as it was given: as ``source`` and ``target``.

    Args:
        near: The rows of these nodes.
        ids: ``node_id``, each once.
    """
    once = near.filter(near.leaving) if "leaving" in near.columns else near
    once = once.semi_join(ids.select(other="node_id"), "other")
    if "leaving" not in near.columns:
        once = once.filter(once.node <= once.other)
    ends = {"source": once.node, "target": once.other}
    rest = [name for name in once.columns if name not in ("node", "other", "leaving")]
    return once.select(**ends, **{name: once[name] for name in rest})


def merged(near: ir.Table, *, repeated: str) -> ir.Table:
    """Each neighbour of a node once, without self-loops, with the weight of their edge.

    Args:
        near: Rows of nodes.
        repeated: Where an edge is given again: ``sum`` of the weights, else the largest.
    """
    proper = near.filter(near.node != near.other)
    groups = proper.group_by(["node", "other"])
    if "weight" not in near.columns:
        if "leaving" not in near.columns:
            return proper.select("node", "other").distinct()
        return groups.aggregate(weight=proper.count().cast("float64"))
    weights = _double(proper.weight)
    added = repeated == "sum" or "leaving" in near.columns
    return groups.aggregate(weight=weights.sum() if added else weights.max())


def degrees(near: ir.Table, *, repeated: str) -> ir.Table:
    """``node, degree[, strength]``: neighbours of each node and the weights of its edges."""
    pairs = merged(near, repeated=repeated)
    measures = {"degree": pairs.count()}
    if "weight" in pairs.columns:
        measures["strength"] = pairs.weight.sum()
    return pairs.group_by("node").aggregate(**measures)


def border_sums(
    near: ir.Table,
    members: ir.Table,
    nodes: ir.Table | None,
    *,
    around: ir.Table | None = None,
    repeated: str = "same",
) -> ir.Table:
    """Counts, sums, sums of squares and extremes over the incidences of subgraphs.

    One row for each subgraph, direction and side that has an incidence: ``number[, leaving],
    inside, count`` and for the value k ``s{k}``, ``q{k}``, ``l{k}``, ``h{k}``. The values are, in
    this order, the features of the neighbour, the means of those of its own neighbours, the
    features of the edge and its weight, of those that there are.

    Args:
        near: The rows of all members.
        members: ``number, node_id``: the members of subgraphs.
        nodes: ``node_id, x0, …``: features of nodes.
        around: ``node[, leaving], n0, …``: means over the neighbours of the neighbours.
        repeated: As for :func:`merged`.
    """
    rows = near.filter(near.node != near.other)
    if "leaving" not in near.columns:
        rows = merged(near, repeated=repeated)
    rows = rows.inner_join(members.select("number", node="node_id"), "node")
    inner = members.select(own="number", member="node_id")
    same = [rows.number == inner.own, rows.other == inner.member]
    rows = rows.left_join(inner, same).mutate(inside=lambda joined: joined.own.notnull())
    if nodes is not None:
        features = [name for name in nodes.columns if name.startswith("x")]
        rows = rows.inner_join(nodes.select(*features, other="node_id"), "other")
    keys = [name for name in ("leaving",) if name in near.columns]
    if around is not None:
        means = [name for name in around.columns if name.startswith("n") and name != "node"]
        wanted = around.select(*means, *keys, other="node")
        rows = rows.left_join(wanted, ["other", *keys])
        rows = rows.mutate(**{name: rows[name].fill_null(0) for name in means})
    measures: dict[str, ir.Value] = {"count": rows.count()}
    for number, name in enumerate(value_columns(rows.columns)):
        x = _double(rows[name]) if name[0] != "n" else rows[name]
        measures |= {f"s{number}": x.sum(), f"q{number}": (x * x).sum()}
        measures |= {f"l{number}": x.min(), f"h{number}": x.max()}
    return rows.group_by(["number", *keys, "inside"]).aggregate(**measures)


def value_columns(columns: Sequence[str]) -> list[str]:
    """The columns that are values of incidences, in the order of a border."""
    found = []
    for kind in ("x", "n", "f"):
        own = [name for name in columns if name[0] == kind and name[1:].isdecimal()]
        found += sorted(own, key=lambda name: int(name[1:]))
    return [*found, *(["weight"] if "weight" in columns else [])]


def means_around(neighbours: ir.Table, nodes: ir.Table) -> ir.Table:
    """``node[, leaving], n0, …``: mean features of the neighbours of nodes, self-loops aside.

    Args:
        neighbours: The rows of these nodes.
        nodes: ``node_id, x0, …``: features of their neighbours.
    """
    features = [name for name in nodes.columns if name.startswith("x")]
    rows = neighbours.filter(neighbours.node != neighbours.other)
    keys = ["node", *(["leaving"] if "leaving" in neighbours.columns else [])]
    if len(keys) == 1:
        rows = rows.select("node", "other").distinct()
    rows = rows.inner_join(nodes.select(*features, other="node_id"), "other")
    means = {f"n{name[1:]}": _double(rows[name]).sum() / rows.count() for name in features}
    return rows.group_by(keys).aggregate(**means)
