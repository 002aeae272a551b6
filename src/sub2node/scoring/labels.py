"""Labels as people give them: classes of any kind, one or several a subgraph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import ConfigError, DataError
from ..ragged import Array
from ..task import SubgraphTask


def encode_labels(y: Any, count: int) -> tuple[Array, Array]:
    """Class numbers (m,), or booleans (m, C), and the classes as they were given, (C,).

    Args:
        y: One label a subgraph; a table of zeros and ones, one column a class; or one list of
            labels a subgraph.
        count: Subgraphs.
    """
    if y is None:
        raise DataError("labels are missing: fit wants one for each subgraph.")
    if isinstance(y, str | bytes | Mapping | set | frozenset) or not hasattr(y, "__len__"):
        raise DataError(f"labels are a list, one for each subgraph; found {type(y).__name__}.")
    values = y if isinstance(y, list | tuple) else np.asarray(y)
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if isinstance(values, np.ndarray) and values.ndim not in (1, 2):
        raise DataError(f"labels have {values.ndim} dimensions, expected one a subgraph.")
    if len(values) != count:
        raise DataError(f"{count:,} subgraphs but {len(values):,} labels.")
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return _indicator(values)
    if _is_table(values):
        return _indicator(np.array([list(row) for row in values]))
    if len(values) and all(_is_list(each) for each in values):
        return _several(list(values))
    if any(_is_list(each) for each in values):
        raise DataError("some labels are lists and some are not; use lists throughout.")
    return _single(values)


def _is_table(values: Any) -> bool:
    """Whether nested lists are zeros and ones, two columns at least."""
    if not len(values) or not all(isinstance(row, list | tuple) for row in values):
        return False
    widths = {len(row) for row in values}
    flat = [each for row in values for each in row]
    whole = all(isinstance(each, bool | int | np.bool_ | np.integer) for each in flat)
    return len(widths) == 1 and min(widths) > 1 and whole and set(map(int, flat)) <= {0, 1}


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and bool(np.isnan(value)))


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset | np.ndarray)


def _single(values: Any) -> tuple[Array, Array]:
    """Class numbers and classes; all of one kind: text, whole numbers or booleans."""
    plain = [_plain(each) for each in values]
    missing = next((row for row, each in enumerate(plain) if _is_missing(each)), None)
    if missing is not None:
        raise DataError(f"label {missing} is missing.")
    kinds = sorted({type(each).__name__ for each in plain})
    if len(kinds) > 1:
        raise DataError(f"labels are of different kinds ({' and '.join(kinds)}); use one.")
    if kinds and kinds[0] not in ("str", "int", "float", "bool"):
        raise DataError(f"labels are text or whole numbers, found {kinds[0]}: {plain[0]!r:.60}.")
    if kinds == ["int"] and max(map(abs, plain)) >= 2**63:
        raise DataError("labels are whole numbers below 2^63; use text for larger ones.")
    if kinds == ["float"]:
        odd = [each for each in plain if not np.isfinite(each) or each != np.floor(each)]
        if odd:
            raise DataError(
                "Unknown label type: continuous. Labels are classes: text or whole numbers, found"
                f" {odd[0]}."
            )
    try:
        classes, numbers = np.unique(np.array(plain), return_inverse=True)
    except (TypeError, ValueError, OverflowError):
        raise DataError("these labels cannot be told apart; use text or whole numbers.") from None
    if classes.dtype.kind not in "biufU":
        raise DataError("these labels cannot be told apart; use text or whole numbers.")
    return numbers.astype(np.int64), classes


def _indicator(values: Array) -> tuple[Array, Array]:
    if values.dtype.kind not in "biuf" or not np.isin(values, (0, 1)).all():
        raise DataError("a table of labels has zeros and ones, one column a class.")
    return values.astype(bool), np.arange(values.shape[1])


def _several(values: Sequence[Any]) -> tuple[Array, Array]:
    flat = [label for row in values for label in row]
    if not flat:
        raise DataError("no subgraph has a label; nothing to learn.")
    numbers, classes = _single(flat)
    owner = np.repeat(np.arange(len(values)), [len(row) for row in values])
    table = np.zeros((len(values), len(classes)), bool)
    table[owner, numbers] = True
    return table, classes


def truth_table(y: Any, count: int, classes: Array) -> Array:
    """Labels to compare answers with, as booleans in the order of a model's classes, (m, C).

    Args:
        y: As of :func:`encode_labels`; lists may be empty.
        count: Subgraphs.
        classes: As they were given to the model.
    """
    lists = isinstance(y, list | tuple) and all(_is_list(row) for row in y) and len(y) == count
    wide = lists and all(len(row) == len(classes) for row in y)
    if lists and not (wide and _is_table(y)):
        values, given = (_several(list(y)) if any(len(row) for row in y)
                         else (np.zeros((count, 0), bool), np.empty(0, int)))  # fmt: skip
    else:
        values, given = encode_labels(y, count)
        if values.ndim == 2:  # a table, whose columns are the model's classes
            if values.shape[1] != len(classes):
                raise DataError(f"{values.shape[1]} label columns for {len(classes)} classes.")
            return values
        values = values[:, None] == np.arange(len(given))
    known = {str(label): number for number, label in enumerate(classes.tolist())}
    table = np.zeros((count, len(known)), bool)
    for column, label in enumerate(given.tolist()):
        if str(label) not in known:
            raise DataError(f"the label {label!r} is no class of this model.")
        table[:, known[str(label)]] = values[:, column]
    return table


def ordered_labels(frame: Any, names: Sequence[str]) -> list[Any]:
    """Labels of a frame ``subgraph_id, label`` in the order of the subgraphs.

    One a subgraph, or lists where one has several rows or a list.
    """
    import pyarrow as pa

    from ..task.frames import Frame

    read = Frame.of(frame, "labels", {})
    column = read.need("label").to_pylist()
    found: dict[str, list[Any]] = {name: [] for name in names}
    several = False
    ids = read.ids("subgraph_id").cast(pa.large_string()).to_pylist()
    for who, label in zip(ids, column, strict=True):
        if who not in found:
            raise read.error(f"subgraph {who!r} has a label but no members.")
        several |= isinstance(label, list)
        given = label if isinstance(label, list) else [None if label == "" else label]
        found[who] += [each for each in given if each not in found[who]]
    several |= any(len(labels) > 1 for labels in found.values())
    lost = next((name for name, labels in found.items() if not labels), None)
    if lost is not None and not several:
        raise read.error(f"the label of subgraph {lost!r} is missing.")
    return list(found.values()) if several else [labels[0] for labels in found.values()]


def class_weights(weights: Any, task: SubgraphTask, classes: Array) -> tuple[float, ...] | None:
    """How much the loss of each class counts.

    Args:
        weights: None: all alike; ``balanced``: the rarer the more (multi-label: as if each class
            were had by half of the subgraphs); or a number for each class.
        task: With labels and a split.
        classes: As they were given.
    """
    if weights is None:
        return None
    counts = task.label_counts()[0].astype(float)
    if isinstance(weights, str):
        if weights != "balanced":
            raise ConfigError(f"class_weight is None, 'balanced' or a dict, not {weights!r}.")
        if task.multilabel:
            total = max(task.split.count("train"), 1)  # type: ignore[union-attr]
            return tuple(((total - counts) / np.maximum(counts, 1)).clip(1e-3, 1e3))
        return tuple(counts.sum() / (len(counts) * np.maximum(counts, 1)))
    if not isinstance(weights, Mapping):
        raise ConfigError(f"class_weight is None, 'balanced' or a dict, not {weights!r}.")
    known = {_plain(label): number for number, label in enumerate(classes)}
    found = np.ones(len(classes))
    for label, weight in weights.items():
        if _plain(label) not in known:
            raise ConfigError(f"class_weight names {label!r}, which is no class.")
        number = isinstance(weight, int | float | np.number) and not isinstance(weight, bool)
        if not number or not 0 < float(weight) < np.inf:
            raise ConfigError(f"the weight of class {label!r} is above 0, found {weight!r}.")
        found[known[_plain(label)]] = weight
    return tuple(found)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
