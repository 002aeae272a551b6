"""Labels that hold several in one value: taken apart, or warned of."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.notes import changed, doubtful
from ..base.plural import examples, plural
from .frames import Frame
from .missing_values import NA_WORDS, is_text
from .reading_options import Reading

_SEPARATORS = ("|", ";", ",", "/", " + ")
_IN_NAMES = (",", "/")  # which names may have in them


def split_labels(labels: Frame, reading: Reading, notes: list[str]) -> Frame:
    """Labels that hold several, taken apart at the separator; a warning where that seems due.

    Args:
        labels: The labels table.
        reading: The separator.
        notes: Takes sentences about it.
    """
    column, separator = labels.need("label").combine_chunks(), reading.options.label_separator
    if not is_text(column.type):
        return labels
    if separator is None:
        notes += _suspect_separators(column)
        return labels
    count = pc.sum(pc.match_substring(column, separator)).as_py() or 0
    if not count:
        notes.append(doubtful(f"no label has the separator {separator!r}."))
        return labels
    parts = pc.split_pattern(column, separator)
    trimmed = pc.utf8_trim_whitespace(parts.flatten())
    used = pc.not_equal(trimmed, "")
    owner = np.asarray(pc.list_parent_indices(parts))[np.asarray(used)]
    sizes = np.bincount(owner, minlength=len(column))
    offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32))
    missing = pc.or_kleene(pc.is_null(column), pc.equal(column, "")).fill_null(True)
    lists = pa.ListArray.from_arrays(offsets, trimmed.filter(used), mask=missing)
    notes.append(changed(f"{plural(count, 'label')} taken apart at {separator!r}."))
    return labels.with_column("label", lists)


def _suspect_separators(column: pa.Array) -> list[str]:
    """A warning where labels seem to hold several: parts of them come back in others."""
    classes = [text for text in column.unique().to_pylist() if text and text not in NA_WORDS]
    known = set(classes)
    for separator in _SEPARATORS:
        split = [[part.strip() for part in text.split(separator)] for text in classes]
        counts = Counter(part for parts in split for part in set(parts))
        several = [parts for parts in split if len(parts) > 1]
        whole = all if separator in _IN_NAMES else any
        again = [parts for parts in several if whole(counts[part] > 1 for part in parts)]
        alone = any(known.issuperset(parts) for parts in several)
        if len(again) >= (1 if alone else 2) and 2 * len(again) >= len(several):
            shown = examples((repr(separator.join(parts)) for parts in again[:3]), len(several))
            return [
                doubtful(
                    f"{plural(len(several), 'class')} of {len(classes):,} seem to be several"
                    f" labels in one: {shown}; --label-separator {separator!r} takes them apart."
                )
            ]
    return []
