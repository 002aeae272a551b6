"""Queries: new subgraphs, from the ids that users write to positions in the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from ..base.errors import ConfigError, DataError
from ..base.plural import plural
from ..base.ragged import Array, distinct, owners, pointers, ranges
from ..task import Subgraphs
from ..task.border import join_borders
from ..task.member_pairs import read_signs, sign_problem
from ..task.node_names import NameMatches
from .name_mapping import MappedName, NameMapping
from .node_index import NodeIndex

UnknownPolicy = Literal["error", "drop"]
_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Query:
    """New subgraphs whose labels are wanted.

    Args:
        names: Names of the subgraphs in answers.
        subgraphs: The subgraphs, without nodes that the graph does not have.
        known: Share of each subgraph's nodes that the graph has, excluded ones among them; (K,).
        unknown: Ids of the other nodes, by subgraph.
        mapping: What was meant by members that were not given by their id, by subgraph; ``()``: all
            members of all subgraphs were.
    """

    names: tuple[str, ...]
    subgraphs: Subgraphs
    known: Array
    unknown: tuple[tuple[str, ...], ...]
    mapping: tuple[tuple[MappedName, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def take(self, positions: Sequence[int] | Array) -> Query:
        """The subgraphs at some positions, in this order."""
        chosen = np.asarray(positions, np.int64)
        return Query(
            tuple(self.names[i] for i in chosen),
            _concatenate([self.subgraphs], chosen),
            self.known[chosen],
            tuple(self.unknown[i] for i in chosen),
            tuple(self.mapping[i] for i in chosen) if self.mapping else (),
        )

    @classmethod
    def of(cls, subgraphs: Subgraphs, names: Sequence[str] | None = None) -> Query:
        """A query from subgraphs of the graph itself, all of whose nodes are known."""
        count = len(subgraphs)
        names = names or [subgraphs.name_of(i) for i in range(count)]
        return cls(tuple(names), subgraphs, np.ones(count), ((),) * count)

    @classmethod
    def join(cls, queries: Sequence[Query]) -> Query:
        """Several queries as one, in this order."""
        return cls(
            tuple(name for query in queries for name in query.names),
            _concatenate([query.subgraphs for query in queries]),
            np.concatenate([query.known for query in queries]),
            tuple(ids for query in queries for ids in query.unknown),
            tuple(rows for query in queries for rows in query.mapping or ((),) * len(query)),
        )


def _concatenate(parts: Sequence[Subgraphs], chosen: Array | None = None) -> Subgraphs:
    """Subgraphs one after the other, without names; those ``chosen``, which may repeat."""
    with_edges = {part.edges is not None for part in parts}
    if len(with_edges) > 1:
        raise DataError("some subgraphs have edges of their own and some have none.")
    sizes = np.concatenate([part.sizes for part in parts])
    nodes = np.concatenate([part.nodes for part in parts])
    weights = None
    if any(part.weights is not None for part in parts):
        weights = np.concatenate([_member_weights(part) for part in parts])
    edges: Array | None = None
    edge_sizes: Array | None = None
    if with_edges == {True}:
        edges = np.concatenate([np.asarray(part.edges) for part in parts])
        edge_sizes = np.concatenate([np.diff(np.asarray(part.edge_ptr)) for part in parts])
    if chosen is not None:
        flat = ranges(pointers(sizes)[chosen], sizes[chosen])
        nodes, sizes = nodes[flat], sizes[chosen]
        weights = None if weights is None else weights[flat]
        if edges is not None and edge_sizes is not None:
            edges = edges[ranges(pointers(edge_sizes)[chosen], edge_sizes[chosen])]
            edge_sizes = edge_sizes[chosen]
    excluded: Subgraphs | None = None
    if any(part.excluded is not None for part in parts):
        excluded = _concatenate([part.excluded or _empty_sets(len(part)) for part in parts], chosen)
    edge_ptr = None if edge_sizes is None else pointers(edge_sizes)
    border = join_borders([part.border for part in parts])
    if border is not None and chosen is not None:
        border = border.take(chosen)
    return Subgraphs(
        pointers(sizes), nodes, weights, edge_ptr, edges, excluded=excluded, border=border
    )


def _empty_sets(count: int) -> Subgraphs:
    return Subgraphs(np.zeros(count + 1, np.int64), np.zeros(0, np.int64))


def _member_weights(subgraphs: Subgraphs) -> Array:
    weights = subgraphs.weights
    return np.ones(len(subgraphs.nodes), np.float32) if weights is None else weights


@dataclass(frozen=True, eq=False)
class IdLists:
    """Lists of node ids, where each distinct id is stored once.

    Args:
        names: Names of the subgraphs.
        ptr: Subgraph i has the codes ``ptr[i]…ptr[i + 1]``; (K+1,).
        codes: Positions in ``ids``; (ptr[-1],).
        ids: The distinct ids.
        absent: Which of them are excluded nodes; bool (ptr[-1],). None: none.
        matches: What they mean, where that has been looked up.
    """

    names: Sequence[str]
    ptr: Array
    codes: Array
    ids: Sequence[str]
    absent: Array | None = None
    matches: NameMatches | None = None

    @classmethod
    def of(
        cls,
        sets: Sequence[Sequence[Any]],
        names: Sequence[str] | None,
        *,
        excluded: Sequence[Sequence[Any]] | None = None,
    ) -> IdLists:
        """Store lists of ids, text or whole numbers.

        Args:
            sets: Ids of the members of each subgraph.
            names: Names of the subgraphs, by default their numbers.
            excluded: Ids of the nodes that are excluded from each subgraph.
        """
        if excluded is not None and any(map(len, excluded)):
            return cls._of_signed(sets, names, excluded)
        names = [str(i) for i in range(len(sets))] if names is None else list(map(str, names))
        if len(names) != len(sets):
            raise DataError(f"{plural(len(sets), 'subgraph')} but {plural(len(names), 'name')}.")
        for name, nodes in zip(names, sets, strict=True):
            if isinstance(nodes, str | bytes) or not hasattr(nodes, "__iter__"):
                raise DataError(f"subgraph {name!r} is {nodes!r}, expected a list of node ids.")
        lists = [list(nodes) for nodes in sets]
        flat = list(chain.from_iterable(lists))
        if not all(map(_is_id_type, set(map(type, flat)))):
            node = next(node for node in flat if not _is_id_type(type(node)))
            kind = type(node).__name__
            raise DataError(f"a node is known by text or a whole number, found {node!r} ({kind}).")
        texts = list(map(str, flat))
        code = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        codes = np.fromiter(map(code.__getitem__, texts), np.int64, len(texts))
        return cls(names, pointers(np.array(list(map(len, lists)), np.int64)), codes, list(code))

    @classmethod
    def _of_signed(
        cls,
        sets: Sequence[Sequence[Any]],
        names: Sequence[str] | None,
        excluded: Sequence[Sequence[Any]],
    ) -> IdLists:
        """Lists of members and of excluded nodes."""
        if len(excluded) != len(sets):
            count = plural(len(excluded), "list")
            raise DataError(f"{plural(len(sets), 'subgraph')} but {count} of excluded nodes.")
        for lists in (sets, excluded):
            cls.of(lists, names)  # raises unless they are lists of ids
        pairs = [(list(own), list(absent)) for own, absent in zip(sets, excluded, strict=True)]
        sizes = np.array([[len(own), len(absent)] for own, absent in pairs], np.int64)
        signs = np.tile([False, True], len(pairs))
        joined = cls.of([own + absent for own, absent in pairs], names)
        return replace(joined, absent=np.repeat(signs, sizes.ravel()))

    @classmethod
    def of_arrow(
        cls, names: Sequence[str], ptr: Array, ids: pa.Array, *, absent: Array | None = None
    ) -> IdLists:
        """Store Arrow text: the ids of one subgraph after the other.

        Args:
            names: Names of the subgraphs.
            ptr: Subgraph i has the ids ``ptr[i]…ptr[i + 1]``.
            ids: The ids.
            absent: Which of them are excluded nodes; None: none.
        """
        encoded = ids.dictionary_encode()
        codes = np.asarray(encoded.indices).astype(np.int64)
        return cls(names, ptr, codes, encoded.dictionary.to_pylist(), absent=absent)

    def split_keys(self, positions: Array, size: int) -> tuple[Array, Array]:
        """Distinct ``owner * size + position`` of members, and of nodes that are excluded only.

        Args:
            positions: Position in the graph of each entry, -1 where it has no such node.
            size: Number of nodes of the graph.
        """
        is_known, keys = positions >= 0, owners(self.ptr) * size + positions
        if self.absent is None:
            return distinct(keys[is_known]), np.zeros(0, np.int64)
        members = distinct(keys[is_known & ~self.absent])
        return members, np.setdiff1d(keys[is_known & self.absent], members)


def _is_id_type(kind: type) -> bool:
    return issubclass(kind, str | int | np.integer) and not issubclass(kind, bool)


def look_up(index: NodeIndex, lists: IdLists, unknown: str) -> tuple[Query, dict[int, str]]:
    """Lists of ids as a query, all of them at once.

    Args:
        index: The nodes of the graph by id.
        lists: Lists of ids, or of other names; one that is repeated in a list counts once.
        unknown: Whether members that the graph does not have are an ``error``, or ``drop``-ped;
            such excluded nodes are dropped.

    Returns:
        The subgraphs that can be answered, and the problem of each of the others, by its position
        in ``lists``.
    """
    if unknown not in ("error", "drop"):
        raise ConfigError(f"unknown_nodes is error or drop here, not {unknown!r}.")
    count, size = len(lists.names), max(index.graph.num_nodes, 1)
    matches = lists.matches or index.match(lists.ids)
    positions = matches.positions[lists.codes]
    owner = owners(lists.ptr)
    is_known = positions >= 0
    member_keys, absent_keys = lists.split_keys(positions, size)
    (member_of, nodes), (absent_of, absent_nodes) = (
        np.divmod(keys, size) for keys in (member_keys, absent_keys)
    )
    known_counts = np.bincount(member_of, minlength=count)
    absent_counts = np.bincount(absent_of, minlength=count)
    missing = _ids_where(~is_known, lists)
    refusable, num_absent = missing, np.zeros(count, np.int64)
    if lists.absent is not None:  # an excluded node that is unknown costs no answer
        num_absent = np.bincount(owner[lists.absent], minlength=count)
        can_choose = np.isin(lists.codes, np.array(list(matches.candidates), np.int64))
        refusable = _ids_where(~is_known & (~lists.absent | can_choose), lists)
    problems, mapping = {}, NameMapping(index, lists.ids, matches)
    has_unknown = np.array([bool(ids) for ids in refusable], bool)
    for place in np.flatnonzero((known_counts == 0) | has_unknown).tolist():
        if problem := _describe_problem(
            lists.names[place],
            refusable[place],
            num_known=int(known_counts[place]),
            num_absent=int(num_absent[place]),
            unknown=unknown,
            mapping=mapping,
        ):
            problems[place] = problem
    missing_counts = np.array(list(map(len, missing)), np.int64)
    answerable = np.ones(count, bool)
    answerable[list(problems)] = False
    all_counts = known_counts + absent_counts + missing_counts
    shares = 1 - missing_counts[answerable] / all_counts[answerable]
    excluded = Subgraphs(pointers(absent_counts[answerable]), absent_nodes[answerable[absent_of]])
    subgraphs = Subgraphs(
        pointers(known_counts[answerable]), nodes[answerable[member_of]], excluded=excluded
    )
    chosen = np.flatnonzero(answerable).tolist()
    names = tuple(lists.names[place] for place in chosen)
    others = mapping.by_subgraph(owner, lists.codes, chosen)
    unknown_ids = tuple(missing[place] for place in chosen)
    return Query(names, subgraphs, shares, unknown_ids, others), problems


def _ids_where(mask: Array, lists: IdLists) -> list[tuple[str, ...]]:
    """The distinct ids of some entries, by subgraph."""
    ids: list[tuple[str, ...]] = [()] * len(lists.names)
    for place, codes in zip(*_segments(owners(lists.ptr)[mask], lists.codes[mask]), strict=True):
        ids[place] = tuple(lists.ids[code] for code in dict.fromkeys(codes.tolist()))
    return ids


def _segments(owner: Array, values: Array) -> tuple[list[int], list[Array]]:
    """Values grouped by owner, for the owners that have some; owners ascend."""
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    return owner[starts].tolist(), np.split(values, starts[1:]) if len(starts) else []


def _describe_problem(
    name: str,
    missing: tuple[str, ...],
    *,
    num_known: int,
    num_absent: int,
    unknown: str,
    mapping: NameMapping,
) -> str:
    """Why a subgraph cannot be answered; "" where it can."""
    subgraph = f"subgraph {name!r}" if name else "the subgraph"
    if not num_known and num_absent and not missing:
        return f"{subgraph} has excluded nodes only; it needs a member."
    if not num_known and not missing:
        return f"{subgraph} is empty; it needs a node."
    if (unknown == "error" or not num_known) and (choice := mapping.describe_choice(missing)):
        return f"{subgraph}: {choice}"
    ids = ", ".join(repr(node[:60]) + mapping.describe_like(node) for node in missing[:_SHOWN])
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    if missing and unknown == "error":
        return (
            f"{subgraph} has nodes that are not in the graph: {ids}{more};"
            " unknown_nodes='drop' (--unknown-nodes drop) goes on without them."
        )
    if not num_known:
        return f"no node of {subgraph} is in the graph: {ids}{more}."
    return ""


def ask(index: NodeIndex, lists: IdLists, unknown: str) -> Query:
    """A query from lists of node ids; raises where one of them cannot be answered.

    Args:
        index: The nodes of the graph by id.
        lists: Lists of ids.
        unknown: Whether nodes that the graph does not have are an ``error``, or ``drop``-ped.
    """
    query, problems = look_up(index, lists, unknown)
    if problems:
        raise DataError(next(iter(problems.values())))
    return query


def read_id_lists(data: Any) -> IdLists:
    """Lists of ids from lists, a dict of them by name, or a frame of members."""
    from ..task.frames import Frame

    if isinstance(data, dict) and not {"subgraph_id", "node_id"} <= data.keys():
        return IdLists.of(list(data.values()), list(map(str, data)))
    if isinstance(data, dict | pa.Table) or hasattr(data, "columns"):
        frame = Frame.of(data, "members", {})
        signs = frame.get("excluded")
        absent = None if signs is None else read_signs(signs.combine_chunks())
        if signs is not None and absent is not None and absent.null_count:
            row = int(np.argmax(np.asarray(absent.is_null())))
            raise frame.error(f"row {row + 1}: {sign_problem(signs[row].as_py())}")
        subgraphs, nodes = frame.ids("subgraph_id").dictionary_encode(), frame.ids("node_id")
        owner = np.asarray(subgraphs.indices)
        ptr = pointers(np.bincount(owner, minlength=len(subgraphs.dictionary)))
        order = np.argsort(owner, kind="stable")
        ids = nodes.take(pa.array(order)).cast(pa.large_string())
        flags = None if absent is None else np.asarray(absent)[order]
        names = list(map(str, subgraphs.dictionary.to_pylist()))
        return IdLists.of_arrow(names, ptr, ids, absent=flags)
    if isinstance(data, str | bytes) or not hasattr(data, "__len__"):
        raise DataError(
            f"subgraphs are lists of node ids, or a frame of members; found {type(data).__name__}."
        )
    return IdLists.of(list(data), None)
