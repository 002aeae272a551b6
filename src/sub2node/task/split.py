"""Which part each subgraph belongs to: train, virtual, val or test."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ..base.errors import ConfigError, DataError
from ..base.plural import plural
from ..base.ragged import Array, frozen, generator, integers, sealed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Part = Literal["train", "virtual", "val", "test"]
PARTS: tuple[Part, ...] = get_args(Part)
# Other words for the parts of a benchmark; upper and lower case are the same.
_SPELLINGS: dict[str, Part] = {
    "training": "train", "trn": "train", "valid": "val", "validation": "val", "dev": "val",
    "development": "val", "testing": "test", "tst": "test", "holdout": "test", "hold-out": "test",
    "held-out": "test",
}  # fmt: skip


class SplitCode(IntEnum):
    """The part of a subgraph as a number: its position in :data:`PARTS`, or left out."""

    LEFT_OUT = -1
    TRAIN = 0
    VIRTUAL = 1
    VAL = 2
    TEST = 3


@dataclass(frozen=True, eq=False, repr=False)
class Split:
    """The part of each subgraph.

    Args:
        codes: One :class:`SplitCode` per subgraph: int8 (M,).
    """

    codes: Array

    def __post_init__(self) -> None:
        codes = integers(self.codes, "split codes")
        least, most = SplitCode.LEFT_OUT, SplitCode.TEST
        if len(codes) and not (codes.min() >= least and codes.max() <= most):
            raise DataError("split codes are 0 train, 1 virtual, 2 val, 3 test, -1 left out.")
        object.__setattr__(self, "codes", frozen(codes.astype(np.int8), np.int8))

    @classmethod
    def given(cls, words: Iterable[str]) -> Split:
        """From one word per subgraph: train, val or test, or another spelling of these."""
        codes = []
        for where, word in enumerate(words):
            part = part_of(word)
            if part is None:
                raise DataError(
                    f"subgraph {where} has the split word {word!r}; use train, val or test."
                )
            codes.append(_code(part))
        return cls(np.array(codes, dtype=np.int8))

    @classmethod
    def sizes(cls, *, train: int, val: int = 0, test: int = 0, virtual: int = 0) -> Split:
        """From part sizes, for subgraphs that are in order already."""
        return cls(np.repeat(np.arange(len(PARTS)), [train, virtual, val, test]))

    @classmethod
    def random(
        cls,
        labels: Array | None = None,
        *,
        count: int | None = None,
        fractions: Sequence[float] = (0.8, 0.1, 0.1),
        groups: Sequence[Any] | Array | None = None,
        seed: int = 0,
    ) -> Split:
        """A random split, stratified by label, that keeps each group in one part.

        Every part gets about its fraction of each class, and every class gets a subgraph in train
        as far as train is large enough. A multi-label subgraph counts for its rarest label.

        Args:
            labels: (M,) classes or (M, C) booleans; None: not stratified, ``count`` is needed.
            count: Number of subgraphs, where there are no labels.
            fractions: Shares of train, val and test; they add up to 1.
            groups: One value per subgraph, in the order of ``labels``; subgraphs of equal value
                stay together.
            seed: Seed of the draw; the same seed gives the same split.
        """
        _check_fractions(fractions)
        if labels is None and count is None:
            raise ConfigError("a random split needs labels or a count of subgraphs.")
        labels = None if labels is None else np.asarray(labels)
        size = len(labels) if labels is not None else int(count or 0)
        if size < 0:
            raise ConfigError(f"a count of subgraphs is 0 or more, found {count}.")
        height = _heights(labels, size, groups, seed)
        drawn = np.array([SplitCode.TRAIN, SplitCode.VAL, SplitCode.TEST], np.int8)
        bounds = np.cumsum(np.asarray(fractions)[:2]) * size
        codes = drawn[np.searchsorted(bounds, height)]
        if labels is not None and groups is not None and fractions[0] > 0:
            _cover_classes(codes, labels, groups)
        return cls(sealed(codes))

    @classmethod
    def by_time(
        cls, times: Sequence[float] | Array, *, fractions: Sequence[float] = (0.8, 0.1, 0.1)
    ) -> Split:
        """The earliest subgraphs are train, the latest test; those of one time stay together.

        Args:
            times: One number per subgraph, as :meth:`SubgraphAttributes.times` gives them.
            fractions: Shares of train, val and test, which are met as far as equal times allow.
        """
        _check_fractions(fractions)
        values = np.asarray(times, np.float64)
        if values.ndim != 1 or not np.isfinite(values).all():
            raise DataError("times must be one finite number per subgraph.")
        _, moment, counts = np.unique(values, return_inverse=True, return_counts=True)
        middle = np.cumsum(counts) - counts / 2
        bounds = np.cumsum(np.asarray(fractions)[:2]) * len(values)
        drawn = np.array([SplitCode.TRAIN, SplitCode.VAL, SplitCode.TEST], np.int8)
        return cls(sealed(drawn[np.searchsorted(bounds, middle)][moment]))

    def redrawn(
        self,
        labels: Array,
        fractions: Sequence[float],
        *,
        seed: int = 0,
        parts: Sequence[Part] = ("train", "val", "test"),
        groups: Array | None = None,
    ) -> Split:
        """Subgraphs of some parts drawn anew, as of :meth:`random`; the others stay.

        Args:
            labels: Labels of all subgraphs: (M,) classes or (M, C) booleans.
            fractions: Shares of train, val and test among those that are drawn.
            seed: Seed of the draw; the same seed gives the same split.
            parts: The parts to draw anew; virtual subgraphs stay what they are.
            groups: One value per subgraph; of those drawn, equal ones stay together.
        """
        chosen = np.isin(self.codes, [_code(part) for part in parts])
        codes = self.codes.copy()
        codes[chosen] = Split.random(
            labels[chosen],
            fractions=fractions,
            groups=None if groups is None else groups[chosen],
            seed=seed,
        ).codes
        return Split(sealed(codes))

    def per_class(self, labels: Array, n: int, *, seed: int = 0) -> Split:
        """Keep ``n`` training subgraphs of each class, drawn at random, and leave the rest out.

        Val and test stay. For single-label data.
        """
        labels = np.asarray(labels)
        if len(labels) != len(self):
            raise DataError(f"{plural(len(labels), 'label')} for {plural(len(self), 'subgraph')}.")
        if labels.ndim != 1:
            raise DataError("n per class is defined for single-label data only.")
        if n < 1:
            raise ConfigError(f"n per class must be at least 1, found {n}.")
        train = np.flatnonzero(self.mask("train"))
        classes = labels[train]
        present, counts = np.unique(classes, return_counts=True)
        if len(counts) and counts.min() < n:
            smallest, size = present[np.argmin(counts)], int(counts.min())
            raise DataError(
                f"class {smallest} has {plural(size, 'training subgraph')}, fewer than n = {n}."
            )
        shuffled = generator(seed).permutation(len(train))
        order = shuffled[np.argsort(classes[shuffled], kind="stable")]
        rank = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
        codes = self.codes.copy()
        codes[train[order[rank >= n]]] = SplitCode.LEFT_OUT
        return Split(sealed(codes))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def order(self) -> Array:
        """Positions in the order train, virtual, val, test, stable; without those left out."""
        order = np.argsort(self.codes, kind="stable")
        return order[np.count_nonzero(self.codes == SplitCode.LEFT_OUT) :]

    def count(self, part: Part) -> int:
        """Subgraphs in a part."""
        return int(self._counts[_code(part)])

    @cached_property
    def _counts(self) -> Array:
        return np.bincount(self.codes[self.codes >= 0], minlength=len(PARTS))

    def mask(self, part: Part) -> Array:
        """Which subgraphs are in a part: bool (M,)."""
        return np.asarray(self.codes == _code(part))

    def visible(self, stage: Part) -> int:
        """Size of the leading block that a stage sees: everything up to and with that part."""
        return int(np.count_nonzero(self.codes <= max(_code(stage), SplitCode.VIRTUAL)))

    def words(self) -> list[str]:
        """The part of each subgraph as a word."""
        return [PARTS[code] for code in self.codes]

    def __repr__(self) -> str:
        sizes = (f"{self.count(part)} {part}" for part in PARTS if self.count(part))
        return f"Split({', '.join(sizes)})"


def stratified_folds(
    labels: Array, count: int, *, groups: Sequence[Any] | Array | None = None, seed: int = 0
) -> Array:
    """The fold of each subgraph, 0 … ``count`` - 1: about equal in size and in shares of classes.

    Args:
        labels: (M,) classes or (M, C) booleans.
        count: The number of folds.
        groups: One value per subgraph; subgraphs of equal value are in one fold.
        seed: Seed of the draw; the same seed gives the same folds.
    """
    if count < 2:
        raise ConfigError(f"at least two folds are needed, found {count}.")
    height = _heights(np.asarray(labels), len(labels), groups, seed)
    bounds = np.arange(1, count) * len(labels) / count
    return np.asarray(np.searchsorted(bounds, height))


def _check_fractions(fractions: Sequence[float]) -> None:
    if len(fractions) != 3 or not (min(fractions) >= 0 and abs(sum(fractions) - 1) < 1e-6):
        raise ConfigError(f"split fractions {tuple(fractions)} must be three that add up to 1.")


def _cover_classes(codes: Array, labels: Array, groups: Sequence[Any] | Array) -> None:
    """Move the smallest group of each class that train lacks into train, in place."""
    _, unit, sizes = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)
    for number in range(labels.shape[1]) if labels.ndim == 2 else np.unique(labels):
        has = labels[:, number] if labels.ndim == 2 else labels == number
        if has.any() and not (codes[has] == SplitCode.TRAIN).any():
            owners = np.unique(unit[has])
            codes[unit == owners[np.argmin(sizes[owners])]] = SplitCode.TRAIN


def _heights(
    labels: Array | None, size: int, groups: Sequence[Any] | Array | None, seed: int
) -> Array:
    """The place of each subgraph on a line of length M; groups have one; see :func:`_spread`."""
    if groups is not None and len(groups) != size:
        raise DataError(f"{len(groups):,} groups for {size:,} subgraphs.")
    unit = np.arange(size)
    if groups is not None:
        seen: dict[Any, int] = {}
        unit = np.array([seen.setdefault(group, len(seen)) for group in groups], np.int64)
    units = int(unit.max()) + 1 if size else 0
    weight = np.bincount(unit, minlength=units)
    strata = np.zeros(size, np.int64) if labels is None else _strata(labels)
    stratum = np.full(units, strata.max(initial=0))
    np.minimum.at(stratum, unit, strata)  # of a group, as of labels: the rarest one
    order = _spread(stratum, generator(seed))
    middle = np.empty(units)
    middle[order] = np.cumsum(weight[order]) - weight[order] / 2
    return np.asarray(middle[unit])


def _code(part: str) -> SplitCode:
    if part not in PARTS:
        raise ConfigError(f"a part is one of {', '.join(PARTS)}, not {part!r}.")
    return SplitCode[part.upper()]


def _strata(labels: Array) -> Array:
    """One number per subgraph, rarest label = lowest number."""
    if labels.ndim == 1:
        _, inverse, counts = np.unique(labels, return_inverse=True, return_counts=True)
        rank = np.argsort(np.argsort(counts, kind="stable"))
        return np.asarray(rank[inverse], np.int64)
    rarest_first = np.argsort(labels.sum(axis=0), kind="stable")
    has = labels[:, rarest_first]
    return np.asarray(np.where(has.any(axis=1), has.argmax(axis=1), labels.shape[1]))


def _spread(stratum: Array, rng: np.random.Generator) -> Array:
    """A random order in which every leading piece holds each stratum in proportion.

    Entry j of a stratum of n sits at a random height of the j-th n-th of the line; the first one
    at its very start, so that a stratum of one is never only in test.
    """
    order = rng.permutation(len(stratum))
    order = order[np.argsort(stratum[order], kind="stable")]
    counts = np.bincount(stratum)
    counts = counts[counts > 0]
    rank = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    height = (rank + np.repeat(rng.random(len(counts)), counts)) / np.repeat(counts, counts)
    height[rank == 0] = -rng.random(len(counts))
    return np.asarray(order[np.argsort(height, kind="stable")])


def part_of(word: object) -> Part | None:
    """The part that a word names, in any case and usual spelling; None: it names none."""
    if not isinstance(word, str):
        return None
    plain = "-".join(word.lower().replace("_", " ").split()).removesuffix("-set")
    return next((part for part in PARTS if part == plain), _SPELLINGS.get(plain))
