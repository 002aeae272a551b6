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
    values = y if isinstance(y, list | tuple) else np.asarray(y)
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if len(values) != count:
        raise DataError(f"{count:,} subgraphs but {len(values):,} labels.")
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return _indicator(values)
    if len(values) and all(_is_list(each) for each in values):
        return _several(list(values))
    if any(_is_list(each) for each in values):
        raise DataError("some labels are lists and some are not; use lists throughout.")
    return _single(values)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset | np.ndarray)


def _single(values: Any) -> tuple[Array, Array]:
    found = np.asarray(values)
    if found.dtype == object:
        missing = [row for row, each in enumerate(found) if _is_missing(each)]
        if missing:
            raise DataError(f"label {missing[0]} is missing.")
        kinds = {type(each) for each in found}
        if len(kinds) > 1:
            names = " and ".join(sorted(kind.__name__ for kind in kinds))
            raise DataError(f"labels are of different kinds ({names}); use one.")
    if found.dtype.kind == "f":
        if not np.isfinite(found).all():
            raise DataError(f"label {int(np.argmin(np.isfinite(found)))} is missing.")
        if (found != np.floor(found)).any():
            raise DataError(
                "Unknown label type: continuous. Labels are classes: text or whole numbers, found"
                f" {found[found != np.floor(found)][0]}."
            )
    classes, numbers = np.unique(found, return_inverse=True)
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
