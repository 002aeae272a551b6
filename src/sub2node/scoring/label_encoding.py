"""Labels as users write them, one or several per subgraph, encoded as class numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..base.errors import ConfigError, DataError
from ..base.plural import plural
from ..base.ragged import Array
from ..task import SubgraphTask


def encode_labels(y: Any, count: int) -> tuple[Array, Array]:
    """Class numbers (m,), or booleans (m, C), and the classes as the user wrote them, (C,).

    Args:
        y: One label per subgraph; a table of zeros and ones, one column per class; or one list of
            labels per subgraph.
        count: Number of subgraphs.
    """
    if y is None:
        raise DataError("labels are missing: fit wants one for each subgraph.")
    if isinstance(y, str | bytes | Mapping | set | frozenset) or not hasattr(y, "__len__"):
        raise DataError(f"labels are a list, one for each subgraph; found {type(y).__name__}.")
    values = y if isinstance(y, list | tuple) else np.asarray(y)
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if isinstance(values, np.ndarray) and values.ndim not in (1, 2):
        raise DataError(f"labels have {values.ndim} dimensions, expected one per subgraph.")
    if len(values) != count:
        raise DataError(f"{plural(count, 'subgraph')} but {plural(len(values), 'label')}.")
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return _encode_indicator(values)
    if _is_table(values):
        return _encode_indicator(np.array([list(row) for row in values]))
    if len(values) and all(_is_list(label) for label in values):
        return _encode_lists(list(values))
    if any(_is_list(label) for label in values):
        raise DataError("some labels are lists and some are not; use lists throughout.")
    return _encode_single(values)


def _is_table(values: Any) -> bool:
    """Whether nested lists are zeros and ones, two columns at least."""
    if not len(values) or not all(isinstance(row, list | tuple) for row in values):
        return False
    widths = {len(row) for row in values}
    flat = [value for row in values for value in row]
    integral = all(isinstance(value, bool | int | np.bool_ | np.integer) for value in flat)
    return len(widths) == 1 and min(widths) > 1 and integral and set(map(int, flat)) <= {0, 1}


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float | np.floating) and bool(np.isnan(value)))


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple | set | frozenset | np.ndarray)


def _encode_single(values: Any) -> tuple[Array, Array]:
    """Class numbers and classes, all of one type: text, whole numbers or booleans."""
    plain = [_to_python(label) for label in values]
    missing = next((row for row, label in enumerate(plain) if _is_missing(label)), None)
    if missing is not None:
        raise DataError(f"label {missing} is missing.")
    kinds = sorted({type(label).__name__ for label in plain})
    if len(kinds) > 1:
        raise DataError(f"labels are of different kinds ({' and '.join(kinds)}); use one.")
    if kinds and kinds[0] not in ("str", "int", "float", "bool"):
        raise DataError(f"labels are text or whole numbers, found {kinds[0]}: {plain[0]!r:.60}.")
    if kinds == ["int"] and max(map(abs, plain)) >= 2**63:
        raise DataError("labels are whole numbers below 2^63; use text for larger ones.")
    if kinds == ["float"]:
        continuous = [
            label for label in plain if not np.isfinite(label) or label != np.floor(label)
        ]
        if continuous:
            raise DataError(
                "Unknown label type: continuous. Labels are classes: text or whole numbers, found"
                f" {continuous[0]}."
            )
    try:
        classes, numbers = np.unique(np.array(plain), return_inverse=True)
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            "these labels cannot be distinguished; use text or whole numbers."
        ) from None
    if classes.dtype.kind not in "biufU":
        raise DataError("these labels cannot be distinguished; use text or whole numbers.")
    return numbers.astype(np.int64), classes


def _encode_indicator(values: Array) -> tuple[Array, Array]:
    if values.dtype.kind not in "biuf" or not np.isin(values, (0, 1)).all():
        raise DataError("a table of labels has zeros and ones, one column per class.")
    return values.astype(bool), np.arange(values.shape[1])


def _encode_lists(values: Sequence[Any]) -> tuple[Array, Array]:
    flat = [label for row in values for label in row]
    if not flat:
        raise DataError("no subgraph has a label; nothing to learn.")
    numbers, classes = _encode_single(flat)
    owner = np.repeat(np.arange(len(values)), [len(row) for row in values])
    table = np.zeros((len(values), len(classes)), bool)
    table[owner, numbers] = True
    return table, classes


def truth_table(y: Any, count: int, classes: Array) -> Array:
    """Labels to compare answers with, as booleans in the order of a model's classes, (m, C).

    Args:
        y: Labels, as for :func:`encode_labels`; lists may be empty.
        count: Number of subgraphs.
        classes: Classes of the model, as the user wrote them.
    """
    lists = isinstance(y, list | tuple) and all(_is_list(row) for row in y) and len(y) == count
    wide = lists and all(len(row) == len(classes) for row in y)
    if lists and not (wide and _is_table(y)):
        values, labels = np.zeros((count, 0), bool), np.empty(0, int)
        if any(len(row) for row in y):
            values, labels = _encode_lists(list(y))
    else:
        values, labels = encode_labels(y, count)
        if values.ndim == 2:  # a table, whose columns are the model's classes
            if values.shape[1] != len(classes):
                raise DataError(f"{values.shape[1]} label columns for {len(classes)} classes.")
            return values
        values = values[:, None] == np.arange(len(labels))
    numbers = {str(label): number for number, label in enumerate(classes.tolist())}
    table = np.zeros((count, len(numbers)), bool)
    for column, label in enumerate(labels.tolist()):
        if str(label) not in numbers:
            raise DataError(f"the label {label!r} is no class of this model.")
        table[:, numbers[str(label)]] = values[:, column]
    return table


def ordered_labels(frame: Any, names: Sequence[str]) -> list[Any]:
    """Labels of a frame ``subgraph_id, label`` in the order of the subgraphs.

    One label per subgraph, or lists where one has several rows or a list.
    """
    import pyarrow as pa

    from ..task.frames import Frame

    table = Frame.of(frame, "labels", {})
    column = table.need("label").to_pylist()
    labels_of: dict[str, list[Any]] = {name: [] for name in names}
    several = False
    ids = table.ids("subgraph_id").cast(pa.large_string()).to_pylist()
    for name, cell in zip(ids, column, strict=True):
        if name not in labels_of:
            raise table.error(f"subgraph {name!r} has a label but no members.")
        several |= isinstance(cell, list)
        labels = cell if isinstance(cell, list) else [None if cell == "" else cell]
        labels_of[name] += [label for label in labels if label not in labels_of[name]]
    several |= any(len(labels) > 1 for labels in labels_of.values())
    unlabelled = next((name for name, labels in labels_of.items() if not labels), None)
    if unlabelled is not None and not several:
        raise table.error(f"the label of subgraph {unlabelled!r} is missing.")
    return list(labels_of.values()) if several else [labels[0] for labels in labels_of.values()]


def class_weights(weights: Any, task: SubgraphTask, classes: Array) -> tuple[float, ...] | None:
    """How much the loss of each class counts.

    Args:
        weights: None for equal weights; ``balanced`` for higher weights of rarer classes
            (multi-label: as if half of the subgraphs had each class); or a number per class.
        task: A task with labels and a split.
        classes: Classes, as the user wrote them.
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
    numbers = {_to_python(label): number for number, label in enumerate(classes)}
    values = np.ones(len(classes))
    for label, weight in weights.items():
        if _to_python(label) not in numbers:
            raise ConfigError(f"class_weight names {label!r}, which is no class.")
        is_number = isinstance(weight, int | float | np.number) and not isinstance(weight, bool)
        if not is_number or not 0 < float(weight) < np.inf:
            raise ConfigError(f"the weight of class {label!r} is above 0, found {weight!r}.")
        values[numbers[_to_python(label)]] = weight
    return tuple(values)


def _to_python(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
