"""What else is known of subgraphs, such as publication or date: columns of text, one value each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import ConfigError, DataError, suggest
from ..base.plural import examples, plural
from ..base.ragged import Array
from .names import Names

# The columns of the labels table that mean something to us; no attribute is called so.
OWN_COLUMNS = ("subgraph_id", "label", "split", "title")

# The year comes first, so that there is no doubt about day and month; perhaps a zone at the end.
_ZONE = r"(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)$"
_CLOCK = r"[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?"
_ISO_TIME = rf"^\d{{4}}([-/]\d\d([-/]\d\d({_CLOCK})?)?)?$"
_DAY_FIRST = r"^(\d\d)\.(\d\d)\.(\d{4})"  # with points there is no doubt either


class SubgraphAttributes(Mapping[str, Names]):
    """Columns of text about subgraphs, by name; immutable, row by row as the labels are.

    Args:
        columns: Texts by name, one per subgraph; '' where nothing is known.
    """

    __slots__ = ("_columns",)

    def __init__(self, columns: Mapping[str, Names | Iterable[str]] | None = None) -> None:
        self._columns = {
            str(name): values if isinstance(values, Names) else Names(values)
            for name, values in (columns or {}).items()
        }
        for name, values in self._columns.items():
            if not name or name in OWN_COLUMNS:
                raise DataError(f"an attribute of subgraphs cannot be called {name!r}.")
            if (broken := values.first_match(r"[\t\n\r\x00]")) is not None:
                raise DataError(f"the attribute '{name}' has {broken!r}; values are single lines.")

    def __getitem__(self, name: str) -> Names:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return f"SubgraphAttributes({', '.join(self) or 'none'})"

    def check_length(self, count: int) -> None:
        """Raise unless every attribute has one value per subgraph."""
        for name, values in self._columns.items():
            if len(values) != count:
                raise DataError(
                    f"the attribute '{name}' has {plural(len(values), 'value')} for"
                    f" {plural(count, 'subgraph')}."
                )

    def take(self, rows: Array) -> SubgraphAttributes:
        """The attributes of these subgraphs, in this order."""
        return SubgraphAttributes({name: self[name].take(rows) for name in self})

    def padded(self, count: int) -> SubgraphAttributes:
        """The same with so many subgraphs more of which nothing is known."""
        empty = pa.array([""] * count, pa.large_string())
        return SubgraphAttributes(
            {name: Names(pa.concat_arrays([self[name].arrow, empty])) for name in self}
        )

    def require(self, name: str) -> Names:
        """The column of this name; an error that lists the columns if there is none."""
        if name not in self._columns:
            hint = suggest(name, self) if self else " The table has no such columns."
            raise ConfigError(
                f"no column {name!r} of the labels table is kept as an attribute.{hint}"
            )
        return self._columns[name]

    def groups(self, name: str) -> Array:
        """A number per subgraph, the same for equal values; without a value, one of its own.

        Args:
            name: The attribute.
        """
        codes = self.require(name).arrow.dictionary_encode()
        numbers = np.asarray(codes.indices).astype(np.int64)
        missing = np.asarray(pc.equal(self[name].arrow, ""))
        numbers[missing] = len(codes.dictionary) + np.arange(int(missing.sum()))
        return numbers

    def times(self, name: str, *, ids: Sequence[str] | None = None) -> Array:
        """A column of numbers, or of dates and times, as numbers that ascend with time.

        Dates are ISO's (also with / for -), or 31.05.2024, with or without a zone; without one, UTC
        is meant.

        Args:
            name: The attribute.
            ids: How subgraphs are called in errors, by row; None: by the number of their row.
        """
        texts = self.require(name).arrow
        texts = pc.replace_substring_regex(texts, r"^(\d)\.", r"0\1.")
        texts = pc.replace_substring_regex(texts, r"^(\d\d)\.(\d)\.", r"\1.0\2.")
        missing = np.flatnonzero(np.asarray(pc.equal(texts, "")))
        if len(missing):
            raise DataError(
                f"the time '{name}' of {plural(len(missing), 'subgraph')} is missing:"
                f" {_shown(missing, ids)}; every subgraph needs one."
            )
        try:
            return np.asarray(texts.cast(pa.float64()))
        except pa.ArrowInvalid:
            pass
        texts = pc.replace_substring_regex(texts, _DAY_FIRST, r"\3-\2-\1")
        fits = np.asarray(pc.match_substring_regex(texts, _ISO_TIME))
        try:
            if fits.all():
                return _as_microseconds(texts)
        except ValueError:  # a day or an hour that does not exist
            pass
        good = [fit and _is_time(text) for fit, text in zip(fits, texts.to_pylist(), strict=True)]
        wrong = np.flatnonzero(~np.array(good, bool))
        values = [repr(self[name][int(row)]) for row in wrong[:3]]
        raise DataError(
            f"the column '{name}' has {plural(len(wrong), 'value')} that {_are(wrong)} no time:"
            f" {examples(values, len(wrong))} of {_shown(wrong, ids)}; times are numbers or dates"
            " like 2024-05-31, 2024-05-31T12:00:00 or 31.05.2024."
        )


def _shown(rows: Array, ids: Sequence[str] | None) -> str:
    """The first of some subgraphs."""
    return examples(
        (f"row {row + 1}" if ids is None else repr(ids[row]) for row in rows[:3]), len(rows)
    )


def _are(rows: Array) -> str:
    return "is" if len(rows) == 1 else "are"


def _is_time(text: str) -> bool:
    """Whether the day and the hour of a time exist."""
    try:
        _as_microseconds(pa.array([text], pa.large_string()))
    except ValueError:
        return False
    return True


def _as_microseconds(texts: pa.Array) -> Array:
    """Dates and times as microseconds since 1970, zones taken into account; float64."""
    clock = pc.match_substring(texts, ":")
    zones = pc.extract_regex(texts, pattern=rf":\d\d.*{_ZONE}")
    sign, hours, minutes = (
        pc.struct_field(zones, name).fill_null("") for name in ("sign", "hours", "minutes")
    )
    zoned = np.asarray(pc.and_(clock, pc.not_equal(sign, "")))
    plain = pc.replace_substring(texts, "/", "-")
    plain = pc.if_else(pa.array(zoned), pc.replace_substring_regex(plain, _ZONE, ""), plain)
    plain = pc.replace_substring_regex(plain, "Z$", "")
    shift = np.zeros(len(texts))
    for column, seconds in ((hours, 3600), (minutes, 60)):
        numbers = pc.if_else(pc.equal(column, ""), "0", column).cast(pa.int64())
        shift += seconds * np.asarray(numbers)
    east = np.where(np.asarray(pc.equal(sign, "-")), -1, 1)
    moments = np.array(plain.to_pylist(), "datetime64[us]").astype(np.float64)
    return np.asarray(moments - np.where(zoned, 1e6 * east * shift, 0))


def as_attribute(column: pa.ChunkedArray) -> pa.Array | None:
    """A column as single lines of text, '' where it has no value; None if it is no text."""
    try:
        texts = column.combine_chunks().cast(pa.large_string()).fill_null("")
    except pa.ArrowException:
        return None
    return pc.replace_substring_regex(texts, r"[\t\n\r\x00]+", " ")
