"""Other names of nodes (former ids, symbols, synonyms), and members that are given by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.notes import Note, changed
from ..base.plural import examples, plural

_TEXT = pa.large_string()


@dataclass(frozen=True, eq=False)
class OtherNames:
    """Which node a name stands for that is not its id. Case does not count.

    Args:
        table: One row per name, all text but the last: ``node``, ``name``, ``rank``; of several
            nodes that a name may stand for, the one of the lowest rank is meant.
        kinds: What a rank says, as in ``2 members given by a synonym``.
    """

    table: pa.Table
    kinds: tuple[str, ...]

    @classmethod
    def of_pairs(cls, pairs: Mapping[str, Iterable[tuple[str, str]]]) -> OtherNames:
        """Lists of node and name, by kind, in the order of their rank."""
        parts = []
        for rank, rows in enumerate(pairs.values()):
            nodes, names = zip(*rows, strict=True) if (rows := list(rows)) else ((), ())
            columns = [pa.array(nodes, _TEXT), pa.array(names, _TEXT)]
            ranks = pa.array(np.full(len(nodes), rank, np.int64))
            parts.append(pa.table([*columns, ranks], names=["node", "name", "rank"]))
        return cls(pa.concat_tables(parts), tuple(pairs))

    def resolve(self, members: pa.Array, nodes: pa.Array) -> tuple[pa.Array, list[Note]]:
        """Members with the ids of nodes where other names were given, and what was done.

        A name that may stand for several nodes stays as it is.

        Args:
            members: Ids or other names, text.
            nodes: The ids of the graph, text; a member among them is what it says.
        """
        members, nodes = members.cast(_TEXT), nodes.cast(_TEXT)
        foreign = pc.invert(pc.is_in(members, value_set=nodes))
        given = members.filter(foreign).unique()
        if not len(given):
            return members, []
        found = self._find(given, nodes)
        place = pc.index_in(members, value_set=found["given"].combine_chunks())
        is_other = pc.and_(foreign, pc.is_valid(place))
        resolved = found["node"].combine_chunks().take(place)
        ranks = np.asarray(found["rank"].combine_chunks().take(place.filter(is_other)))
        notes = []
        for rank, kind in enumerate(self.kinds):
            if count := int((ranks == rank).sum()):
                rows = found.filter(pc.equal(found["rank"], rank)).slice(0, 3).to_pylist()
                distinct = int(pc.sum(pc.equal(found["rank"], rank)).as_py())
                shown = examples((f"{r['given']!r} is {r['node']!r}" for r in rows), distinct)
                notes.append(changed(f"{plural(count, 'member')} given {kind} found: {shown}."))
        return pc.if_else(is_other, resolved, members), notes

    def _find(self, given: pa.Array, nodes: pa.Array) -> pa.Table:
        """The node of each name that stands for one: ``given``, ``node``, ``rank``, in order."""
        asked = pa.table({"given": given, "key": pc.utf8_lower(given)})
        keys = pc.utf8_lower(self.table["name"])
        rows = self.table.append_column("key", keys)
        rows = rows.filter(pc.is_in(keys, value_set=asked["key"].combine_chunks()))
        rows = rows.filter(pc.is_in(rows["node"], value_set=nodes))
        pairs = asked.join(rows, "key", join_type="inner", use_threads=False)
        # Of names of one rank, the one that is spelled as given.
        other_case = pc.not_equal(pairs["given"], pairs["name"]).cast(pa.int64())
        order = pc.add(pc.multiply(pairs["rank"], 2), other_case)
        pairs = pairs.append_column("order", order).select(["given", "node", "rank", "order"])
        best = pairs.group_by("given", use_threads=False).aggregate([("order", "min")])
        pairs = pairs.join(best, "given", use_threads=False)
        pairs = pairs.filter(pc.equal(pairs["order"], pairs["order_min"]))
        single = pairs.group_by("given", use_threads=False).aggregate(
            [("node", "count_distinct"), ("node", "min"), ("rank", "min")]
        )
        single = single.filter(pc.equal(single["node_count_distinct"], 1))
        single = single.select(["given", "node_min", "rank_min"])
        return single.rename_columns(["given", "node", "rank"]).sort_by("given")
