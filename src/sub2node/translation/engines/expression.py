"""W as one Ibis expression: join, join, group. DuckDB and Spark run the same.

Every undirected edge {u, v} is taken once, with u <= v. Joining subgraph i to its u and subgraph j
to its v gives the rows of which the weight of {i, j} is the sum: both (i, j) and (j, i) occur where
both can, so off the diagonal nothing is missing, and on it an edge is to count for both directions,
hence the 2. A self-loop of v (of the graph, or of A + I) meets (i, j) and (j, i) as well, so it
enters with half its weight.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir


def _number(value: float) -> ir.Value:
    """A literal that is a double everywhere; Spark would take a plain 2.0 for a decimal."""
    return ibis.literal(repr(float(value))).cast("float64")


def _weight(table: ir.Table) -> ir.Value:
    """The weights of a table, as the memory engine holds them: float32, summed in double."""
    if "weight" not in table.columns:
        return _number(1)
    return table.weight.cast("float32").cast("float64")


def weights(edges: ir.Table, members: ir.Table, sets: ir.Table, *, self_loops: bool) -> ir.Table:
    """The upper half of W: ``row <= column``, ``weight``, one row for each non-zero entry.

    Args:
        edges: ``source, target[, weight]``, one or both directions, repeated or not.
        members: ``subgraph_id, node_id[, weight]``.
        sets: ``subgraph_id, number``: the position of each subgraph.
        self_loops: A + I, or A with the self-loops it has.
    """
    own = _members(members, sets)
    covered = own.select("node").distinct()
    joined = _edges(edges, covered, self_loops=self_loops)
    left = own.select(u="node", i="number", a="weight")
    right = own.select(v="node", j="number", b="weight")
    pairs = joined.join(left, "u").join(right, "v")
    times = ibis.ifelse(pairs.i == pairs.j, _number(2), _number(1))
    pairs = pairs.select(
        row=ibis.least(pairs.i, pairs.j),
        column=ibis.greatest(pairs.i, pairs.j),
        part=pairs.w * pairs.a * pairs.b * times,
    )
    return pairs.group_by(["row", "column"]).aggregate(weight=pairs.part.sum())


def directed_weights(
    arcs: ir.Table, members: ir.Table, sets: ir.Table, *, self_loops: bool, outward: bool
) -> ir.Table:
    """W of directed edges: ``row``, ``column``, ``weight``, one row for each non-zero entry.

    Args:
        arcs: ``source, target[, weight]``; each row is an edge of its own.
        members: As for :func:`weights`, as are the next ones.
        sets: The position of each subgraph.
        self_loops: A + I, or A with the self-loops it has.
        outward: Whether W_ij counts the edges from i to j, or those from j to i.
    """
    own = _members(members, sets)
    covered = own.select("node").distinct()
    ends = ("source", "target") if outward else ("target", "source")
    flat = arcs.select(u=arcs[ends[0]], v=arcs[ends[1]], w=_weight(arcs))
    flat = flat.semi_join(covered.select(u="node"), "u").semi_join(covered.select(v="node"), "v")
    once = flat.group_by(["u", "v"]).aggregate(w=flat.w.sum())
    joined = once.filter(once.u != once.v).union(_loops(once, covered, self_loops=self_loops))
    left = own.select(u="node", row="number", a="weight")
    right = own.select(v="node", column="number", b="weight")
    pairs = joined.join(left, "u").join(right, "v")
    pairs = pairs.select("row", "column", part=pairs.w * pairs.a * pairs.b)
    return pairs.group_by(["row", "column"]).aggregate(weight=pairs.part.sum())


def _members(members: ir.Table, sets: ir.Table) -> ir.Table:
    weight = _weight(members)
    flat = members.select(subgraph_id=members.subgraph_id, node=members.node_id, weight=weight)
    return flat.join(sets, "subgraph_id").select("number", "node", "weight")


def _edges(edges: ir.Table, covered: ir.Table, *, self_loops: bool) -> ir.Table:
    """Distinct edges between covered nodes, lower end first; self-loops with half their weight."""
    w = _weight(edges)
    once = edges.select(
        u=ibis.least(edges.source, edges.target), v=ibis.greatest(edges.source, edges.target), w=w
    )
    once = once.semi_join(covered.select(u="node"), "u").semi_join(covered.select(v="node"), "v")
    once = once.group_by(["u", "v"]).aggregate(w=once.w.max())
    loops = _loops(once, covered, self_loops=self_loops)
    halves = loops.select(u="u", v="v", w=loops.w * _number(0.5))
    return once.filter(once.u != once.v).union(halves)


def _loops(once: ir.Table, covered: ir.Table, *, self_loops: bool) -> ir.Table:
    """Self-loops of covered nodes as ``u, v, w``; with ``self_loops`` those of A + I."""
    loops = once.filter(once.u == once.v).select("u", "v", "w")
    if not self_loops:
        return loops
    own_loops = loops.select(node="u", w="w")  # where the graph has none, one of weight 1
    loops = covered.left_join(own_loops, "node").select("node", "w")
    return loops.select(u="node", v="node", w=ibis.coalesce(loops.w, _number(1)))


def sums(raw: ir.Table, train: int, *, half: bool = True) -> ir.Table:
    """One row: Σ w and Σ w² over the train block; of a ``half``, both halves."""
    inside = raw.filter((raw.column < train) & (raw.row < train))
    times = _number(1)
    if half:
        times = ibis.ifelse(inside.row == inside.column, times, _number(2))
    return inside.aggregate(
        total=(times * inside.weight).sum(), squares=(times * inside.weight * inside.weight).sum()
    )


def keep_entries(
    raw: ir.Table, *, above: float, least: float, top_k: int | None, half: bool = True
) -> ir.Table:
    """The entries that are kept, as :class:`sub2node.translation.product.Keep` says.

    Args:
        raw: The entries.
        above: Only weights above this.
        least: Only weights of at least this.
        top_k: Only the diagonal and the largest others of a row; of a ``half``, of either end.
        half: Whether the entries are those of one half of a symmetric W.
    """
    some = raw.filter((raw.weight > _number(above)) & (raw.weight >= _number(least)))
    if top_k is None:
        return some
    off = some.filter(some.row != some.column)
    by_row = off.select("row", "column", "weight", end=off.row, other=off.column)
    by_column = off.select("row", "column", "weight", end=off.column, other=off.row)
    by_end = by_row.union(by_column) if half else by_row
    order = ibis.window(group_by=by_end.end, order_by=[by_end.weight.desc(), by_end.other])
    ranked = by_end.mutate(place=ibis.row_number().over(order))
    best = ranked.filter(ranked.place < top_k).select("row", "column", "weight").distinct()
    return best.union(some.filter(some.row == some.column).select("row", "column", "weight"))


def scores(raw: ir.Table, *, least: float, width: float) -> ir.Table:
    """Weights as shares of the range of scores from ``least``, ``width`` wide, at most 1."""
    share = (raw.weight - _number(least)) / _number(width)
    result = raw.select("row", "column", weight=ibis.least(share, _number(1)))
    return result.filter(result.weight > 0)
