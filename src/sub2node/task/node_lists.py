"""Several nodes in one value, as ``TP53;MDM2``: taken apart into rows of their own."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.notes import changed, doubtful
from ..base.plural import plural
from ..base.ragged import Array
from .frames import Frame
from .ids import Column
from .missing_values import is_text
from .reading_options import Reading


def split_texts(texts: Column, separator: str) -> tuple[Array, pa.Array]:
    """The row of each part, and the parts; a text that has none stays, as one that is missing.

    Args:
        texts: The texts.
        separator: What stands between the parts, white space around which does not count.
    """
    whole = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    lists = pc.split_pattern(whole.cast(pa.large_string()).fill_null(""), separator)
    owner, parts = np.asarray(pc.list_parent_indices(lists)), lists.flatten()
    parts = pc.utf8_trim_whitespace(parts)
    used = np.asarray(pc.not_equal(parts, ""))
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    used[first[np.bincount(owner[used], minlength=len(whole))[owner[first]] == 0]] = True
    return owner[used], parts.filter(pa.array(used))


def split_nodes(frame: Frame, reading: Reading, notes: list[str]) -> Frame:
    """A table of members with a row for each node, where several may stand in one value.

    Args:
        frame: The table of members, or of excluded nodes.
        reading: What separates nodes in one value; None: nothing does.
        notes: Takes sentences about it.
    """
    separator, column = reading.options.node_separator, frame.get("node_id")
    if separator is None or column is None or not is_text(column.type):
        return frame
    count = pc.sum(pc.match_substring(column, separator)).as_py() or 0
    if not count:
        notes.append(doubtful(f"no node of the {frame.what} table has {separator!r} in it."))
        return frame
    owner, nodes = split_texts(column, separator)
    notes.append(
        changed(f"{plural(count, 'value')} of the {frame.what} table taken apart at {separator!r}.")
    )
    return frame.take(owner).with_column("node_id", nodes)
