"""Rows of members as subgraphs, some at a time where the rows of each stand together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import Sub2NodeError
from ..base.ragged import Array, pointers
from .member_rows import MemberRows
from .set_batch import SetBatch


class ScatteredRowsError(Sub2NodeError):
    """The rows of a subgraph do not stand together, so that the file has to be read at once."""


def group_rows(blocks: Iterable[MemberRows], *, at_once: bool) -> Iterator[SetBatch]:
    """Rows as subgraphs; a bad row makes its subgraph bad.

    Args:
        blocks: Rows of members, block by block.
        at_once: Whether to wait for all rows; else a subgraph ends where another one begins.
    """
    seen: set[str] = set()
    waiting: list[MemberRows] = []
    for block in blocks:
        waiting.append(block)
        if at_once or (len(waiting) > 1 and not _begins_another(waiting[0], block)):
            continue
        rows = MemberRows.concat(waiting)
        last = _last_start(rows)
        waiting = [rows.part(last, len(rows))]
        yield _complete_batch(rows.part(0, last), seen)
    if waiting and at_once:
        yield _batch_by_subgraph(MemberRows.concat(waiting))[0]
    elif waiting:
        yield _complete_batch(MemberRows.concat(waiting), seen)


def _begins_another(rows: MemberRows, block: MemberRows) -> bool:
    """Whether a block has a subgraph besides the one that waiting rows belong to."""
    return bool(set(block.codes.dictionary.to_pylist()) - set(rows.codes.dictionary.to_pylist()))


def _named_runs(rows: MemberRows) -> tuple[Array, Array]:
    """Rows that have a name, and which of those begin a run of the same name."""
    named = np.flatnonzero(np.asarray(pc.binary_length(rows.names)) > 0)
    codes = np.asarray(rows.codes.indices)[named]
    return named, np.concatenate([[True], codes[1:] != codes[:-1]])[: len(named)]


def _last_start(rows: MemberRows) -> int:
    """Where the last subgraph, which may go on, begins."""
    named, starts = _named_runs(rows)
    return int(named[starts][-1]) if len(named) else len(rows)


def _complete_batch(rows: MemberRows, seen: set[str]) -> SetBatch:
    """Subgraphs all of whose rows are among these; none of them was seen before."""
    batch, together = _batch_by_subgraph(rows)
    names = {name for name in batch.names if name}
    if not together or names & seen:
        raise ScatteredRowsError("the rows of a subgraph do not stand together.")
    seen |= names
    return batch


def _batch_by_subgraph(rows: MemberRows) -> tuple[SetBatch, bool]:
    """Rows by subgraph, and whether those of each stand together.

    Subgraphs come in the order of their first rows. A bad row without a name is one by itself: it
    comes before the subgraph in whose rows it stands, or before all where they do not stand
    together.
    """
    named, starts = _named_runs(rows)
    codes = np.asarray(rows.codes.indices).astype(np.int64)
    together = int(starts.sum()) == len(np.unique(codes[named]))
    key = np.zeros(len(rows), np.int64)
    if together:
        run = np.zeros(len(rows), np.int64)
        run[named] = starts
        key = np.maximum(2 * np.cumsum(run) - 2, 0)
    else:
        key[named] = 2 * codes[named]
    key[named] += 1
    order = np.argsort(key, kind="stable")
    key = key[order]
    begins = (key % 2 == 0) | (np.diff(key, prepend=-1) != 0)
    firsts = order[begins]
    owner = np.cumsum(begins) - 1
    lines = rows.lines[firsts]
    names = rows.names.take(pa.array(firsts)).to_pylist()
    sizes = np.bincount(owner, minlength=len(firsts))
    absent = None if rows.absent is None else rows.absent[order]
    batch = SetBatch(lines, names, pointers(sizes), rows.nodes.take(pa.array(order)), {}, absent)
    if not rows.problems:
        return batch, together
    places = np.empty(len(rows), np.int64)
    places[order] = owner
    problems: dict[int, str] = {}
    for row, text in rows.problems.items():
        at = int(places[row])
        if at not in problems:
            problems[at], lines[at] = text, rows.lines[row]
    return batch.with_problems(problems), together
