"""Labels that differ in small and capital letters only: taken as one class, or warned of."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from ..base.notes import doubtful
from ..base.plural import examples, plural
from .frames import Frame
from .missing_values import is_text
from .reading_options import Reading

_SHORTEST = 3  # letters; shorter labels, as A and a, may be codes
_SAME = (
    frozenset({"1", "1.0", "true", "t", "yes", "y"}),
    frozenset({"0", "0.0", "false", "f", "no", "n"}),
)


def with_one_spelling(labels: Frame, reading: Reading, notes: list[str]) -> Frame:
    """The labels, each class spelled in the way that most of its subgraphs have.

    Args:
        labels: Rows with a label.
        reading: Whether labels that differ in case only are one class.
        notes: Takes sentences about it.
    """
    column = labels.need("label").combine_chunks()
    if not is_text(column.type):
        return labels
    counts = Counter(
        {pair["values"]: pair["counts"] for pair in column.drop_null().value_counts().to_pylist()}
    )
    notes += _warn_of_same(list(counts))
    spellings = dict[str, list[str]]()
    for label, _ in counts.most_common():
        if len(label) >= _SHORTEST:
            spellings.setdefault(label.casefold(), []).append(label)
    several = [labels for labels in spellings.values() if len(labels) > 1]
    if not several or reading.options.label_case == "keep":
        return labels
    others = {other: first for first, *rest in several for other in rest}
    count = plural(sum(counts[other] for other in others), "label")
    shown = examples((f"{a!r} is {b!r}" for a, b in others.items()), len(others))
    notes.append(
        doubtful(
            f"{count} in another case than the others of their class taken as the same: {shown};"
            " --label-case keep takes them as classes of their own."
        )
    )
    given = pa.array(list(others), column.type)
    meant = pa.array(list(others.values()), column.type)
    places = pc.index_in(column, value_set=given)
    return labels.with_column("label", pc.coalesce(meant.take(places), column))


def _warn_of_same(classes: list[str]) -> list[str]:
    """A warning where classes are different words for true, or for false."""
    for words in _SAME:
        known = {label.casefold(): label for label in classes if label.casefold() in words}
        if len(known) > 1:
            shown = " and ".join(map(repr, sorted(known.values())))
            text = f"the labels {shown} may mean the same class; write them alike if they do."
            return [doubtful(text)]
    return []
