"""Columns that are missing by name, found by what is in them: ids that other tables have too.

What is found is no more than a proposal: reading goes on with it to see what else is wrong, and is
then refused with the options that take it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations

import pyarrow as pa
import pyarrow.compute as pc

from ..base.plural import examples
from .column_names import NEEDED, column_in
from .frames import Frame
from .missing_values import is_text
from .problems import MissingColumnError, Problems

_LOOKED_AT = 1_000_000  # rows
_SHARE = 0.5  # of the ids of a column that another table has, at least
_SHARE_OF_ENDS = 0.3  # of the smaller of two columns of edges that is in the other
_FEW_CLASSES = 3  # subgraphs per class, at least
_NODES = (("nodes", "node_id"), ("edges", "source"), ("edges", "target"))
_ORDER = ("edges", "nodes", "members", "excluded", "labels")


def with_likely_columns(frames: dict[str, Frame], problems: Problems) -> dict[str, Frame]:
    """The tables with columns of ours that are missing by name, each of which is a problem.

    A table that lacks a column for which none is likely is left out: there is no use in looking
    further at it.

    Args:
        frames: The tables, by what their rows are.
        problems: Takes what is missing, with the option that names the likely column.
    """
    complete = dict(frames)
    for what in _ORDER:
        if (frame := frames.get(what)) is None or not (missing := _missing(frame)):
            continue
        named = not _is_row(frame, complete)
        likely = _FINDERS[what](complete) if named else {}
        for ours in missing:
            with problems.collected():
                error = frame.missing_column(ours, likely.get(ours), guess=named)
                if several := _node_columns(frame, ours, complete):
                    error = frame.error(f"{error.reason} {several}")
                if isinstance(error, MissingColumnError) and not error.separator:
                    likely[ours] = error.column
                raise error
        if likely.keys() >= set(missing):
            mapping = {f"{what}.{ours}": likely[ours] for ours in missing}
            complete[what] = replace(frame, columns={**frame.columns, **mapping})
        else:
            del complete[what]
    return complete


def _is_row(frame: Frame, frames: Mapping[str, Frame]) -> bool:
    """Whether the names of the columns of a table are ids: its header is a row."""
    places = [("members", "subgraph_id"), *_NODES, ("members", "node_id")]
    known = _known_ids({**frames, frame.what: frame}, *places)
    names = pa.array([name.lower() for name in _free_columns(frame)], pa.large_string())
    return known is not None and _common(names, known) > 0


def _missing(frame: Frame) -> list[str]:
    """Columns that a table needs and has not, by our names."""
    missing = [ours for ours in NEEDED[frame.what] if frame.column_name(ours) is None]
    if frame.what == "labels":
        if frame.column_name("split") is not None or frame.column_name("title") is not None:
            missing = [ours for ours in missing if ours != "label"]
        missing.reverse()
    return missing


def _texts(frame: Frame, name: str) -> pa.Array:
    """The different values of a column that may be ids, as text in small letters."""
    column = frame.table[name].slice(0, _LOOKED_AT).combine_chunks()
    while pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        column = column.flatten()
    if not (is_text(column.type) or pa.types.is_integer(column.type)):
        return pa.array([], pa.large_string())
    texts = pc.utf8_lower(pc.utf8_trim_whitespace(column.cast(pa.large_string())))
    return texts.filter(pc.not_equal(texts, "").fill_null(False)).unique()


def _known_ids(frames: Mapping[str, Frame], *places: tuple[str, str]) -> pa.Array | None:
    """The ids in columns of ours, as text; None where no table has them."""
    found = []
    for what, ours in places:
        frame = frames.get(what)
        name = None if frame is None else frame.column_name(ours)
        if frame is not None and name is not None:
            found.append(_texts(frame, name))
    return pa.concat_arrays(found).unique() if found else None


def _common(texts: pa.Array, others: pa.Array) -> int:
    return pc.sum(pc.is_in(texts, value_set=others)).as_py() or 0


def _free_columns(frame: Frame) -> list[str]:
    """Columns that are nothing of ours."""
    ours = {column_in(frame.table.column_names, name, frame.what, frame.columns)
            for name in (*NEEDED[frame.what], "weight", "excluded", "split", "title")}  # fmt: skip
    return [name for name in frame.table.column_names if name not in ours]


def _holding(frame: Frame, known: pa.Array | None, taken: str | None = None) -> list[str]:
    """Columns most of whose values are known ids, and whose name is none."""
    if known is None:
        return []
    shares = dict[str, float]()
    for name in _free_columns(frame):
        texts = _texts(frame, name)
        share = _common(texts, known) / max(len(texts), 1)
        if name != taken and share > _SHARE and pc.index(texts, name.lower()).as_py() < 0:
            shares[name] = share
    return list(shares)


def _only_holding(frame: Frame, known: pa.Array | None, taken: str | None = None) -> str | None:
    """The one column of :func:`_holding`; None where there is none, or are several."""
    names = _holding(frame, known, taken)
    return names[0] if len(names) == 1 else None


def _find_ends(frames: Mapping[str, Frame]) -> dict[str, str]:
    """The columns of the ends of edges."""
    frame = frames["edges"]
    own = {ours: frame.column_name(ours) for ours in NEEDED["edges"]}
    free = [name for name in _free_columns(frame) if len(_texts(frame, name))]
    texts = {name: _texts(frame, name) for name in (*free, *filter(None, own.values()))}
    known = _known_ids(frames, ("nodes", "node_id"), ("members", "node_id"))
    best, most = dict[str, str](), 0
    for first, second in combinations(texts, 2):
        if not {first, second} >= set(filter(None, own.values())):
            continue
        common = _common(texts[first], texts[second])
        if common < _SHARE_OF_ENDS * min(len(texts[first]), len(texts[second])):
            common = 0
        if known is not None:
            shares = [_common(texts[name], known) for name in (first, second)]
            common = sum(shares) if min(shares) else 0
        if common > most and {first, second}.isdisjoint(_words_inside(texts, (first, second))):
            rest = [name for name in (first, second) if name not in own.values()]
            ends = [ours for ours, name in own.items() if name is None]
            best, most = dict(zip(ends, rest, strict=True)), common
    return best


def _words_inside(texts: Mapping[str, pa.Array], names: tuple[str, str]) -> set[str]:
    """Names of columns that are ids in one of them: the header is a row."""
    ids = pa.concat_arrays([texts[name] for name in names])
    return {name for name in names if pc.index(ids, name.lower()).as_py() >= 0}


def _node_columns(frame: Frame, ours: str, frames: Mapping[str, Frame]) -> str:
    """What is to be done where nodes stand in several columns of a row; '' where they do not."""
    if ours != "node_id" or frame.what == "nodes":
        return ""
    names = _holding(frame, _known_ids(frames, *_NODES))
    if len(names) < 2:
        return ""
    shown = examples(map(repr, names), len(names))
    return f"Nodes seem to stand in {len(names):,} columns, {shown}: write a row for each of them."


def _find_node(frames: Mapping[str, Frame]) -> dict[str, str]:
    known = _known_ids(frames, ("edges", "source"), ("edges", "target"))
    name = _only_holding(frames["nodes"], known)
    return {} if name is None else {"node_id": name}


def _find_members(what: str) -> Callable[[Mapping[str, Frame]], dict[str, str]]:
    """The columns of subgraphs and nodes of members, or of excluded nodes."""

    def find(frames: Mapping[str, Frame]) -> dict[str, str]:
        frame, found = frames[what], dict[str, str]()
        if frame.column_name("node_id") is None:
            name = _only_holding(frame, _known_ids(frames, *_NODES))
            if name is not None:
                found["node_id"] = name
        if frame.column_name("subgraph_id") is None:
            sets = (("labels", "subgraph_id"), ("members", "subgraph_id"))
            name = _only_holding(frame, _known_ids(frames, *sets), found.get("node_id"))
            free = [name for name in _free_columns(frame) if name not in found.values()]
            name = free[0] if name is None and len(free) == 1 and found else name
            if name is not None:
                found["subgraph_id"] = name
        return found

    return find


def _are_classes(texts: pa.Array, rows: int) -> bool:
    """Whether the different values of a column may be classes: more than one, each of several."""
    return 2 <= len(texts) <= rows / _FEW_CLASSES


def _find_labels(frames: Mapping[str, Frame]) -> dict[str, str]:
    frame, found = frames["labels"], dict[str, str]()
    if frame.column_name("subgraph_id") is None:
        name = _only_holding(frame, _known_ids(frames, ("members", "subgraph_id")))
        if name is not None:
            found["subgraph_id"] = name
    if frame.column_name("label") is None and (found or frame.column_name("subgraph_id")):
        free = [name for name in _free_columns(frame) if name not in found.values()]
        few = [name for name in free if _are_classes(_texts(frame, name), len(frame.table))]
        if len(free) == 1 or len(few) == 1:
            found["label"] = (few if len(few) == 1 else free)[0]
    return found


_FINDERS: Mapping[str, Callable[[Mapping[str, Frame]], dict[str, str]]] = {
    "edges": _find_ends,
    "nodes": _find_node,
    "members": _find_members("members"),
    "excluded": _find_members("excluded"),
    "labels": _find_labels,
}
