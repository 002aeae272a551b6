"""Linear models on the Weisfeiler-Leman colours that subgraphs have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp

from ..base.errors import DataError
from ..base.ragged import Array, SparseMatrix
from ..base.records import JsonObject
from ..encode import member_colours
from ..encode.weisfeiler_leman import View
from ..task import SubgraphTask
from .node_bags import unit_rows

ColourView = Literal["induced", "hops", "both"]
VIEWS: dict[ColourView, tuple[View, ...]] = {
    "induced": ("induced",),
    "hops": ("hops",),
    "both": ("induced", "hops"),
}


@dataclass(frozen=True, eq=False)
class ColourBag:
    """How often a subgraph has each known colour, after each round, round beside round.

    The products of such rows are the Weisfeiler-Leman subtree kernel (Shervashidze et al. 2011,
    https://jmlr.org/papers/v12/shervashidze11a.html). A colour is a hash of what is around a node,
    so it is the same whatever other subgraphs there are. Colours that are not known have no column.

    Args:
        view: Whose neighbours count: those in the subgraph, all, or one beside the other.
        rounds: Number of refinements, besides the first colours.
        normalized: Whether each view is divided by its length, to which all colours of the subgraph
            count; else by the same number for all.
        colours: Known colours, ascending within each round of each view; uint64 (F,).
        ptr: Where the colours of each round of each view begin, and the last end.
        scales: What each view is multiplied by; (views,).
    """

    view: ColourView
    rounds: int
    normalized: bool
    colours: Array
    ptr: Array
    scales: Array

    @classmethod
    def of(cls, task: SubgraphTask, view: ColourView, rounds: int, *, normalized: bool) -> Self:
        """The colours of all subgraphs of a task, its training subgraphs.

        Counts are scaled so that a subgraph has similarity 1 to itself on average.
        """
        blocks, scales = list[Array](), list[float]()
        for name in VIEWS[view]:
            square = 0.0
            for colours in member_colours(task, rounds=rounds, view=name):
                blocks.append(np.unique(colours))
                square += float(_squares(task, colours).sum())
            mean = square / max(len(task), 1)
            scales.append(1.0 if normalized or not mean else 1 / np.sqrt(mean))
        ptr = np.concatenate([[0], np.cumsum([len(block) for block in blocks])]).astype(np.int64)
        return cls(view, rounds, normalized, np.concatenate(blocks), ptr, np.array(scales))

    def rows(self, task: SubgraphTask) -> SparseMatrix:
        """Features of the subgraphs of a task; CSR (M, F)."""
        subgraphs = task.subgraphs
        parts = (np.ones(len(subgraphs.nodes)), np.arange(len(subgraphs.nodes)), subgraphs.ptr)
        owners = sp.csr_array(parts, shape=(len(subgraphs), len(subgraphs.nodes)))
        return sp.csr_array(owners @ self.member_rows(task)).sorted_indices()

    def member_rows(self, task: SubgraphTask) -> SparseMatrix:
        """What each member adds to the row of its subgraph; CSR (members, F)."""
        values, members, columns = [], [], []
        for places, factors in self._entries(task):
            known = np.flatnonzero(places >= 0)
            values.append(factors[known])
            members.append(known)
            columns.append(places[known])
        entries = (np.concatenate(members), np.concatenate(columns))
        shape = (len(task.subgraphs.nodes), len(self.colours))
        return sp.coo_array((np.concatenate(values), entries), shape=shape).tocsr()

    def _entries(self, task: SubgraphTask) -> Iterator[tuple[Array, Array]]:
        """For each round of each view: column (-1: none) and value of each member."""
        owner, block = task.subgraphs.owner, 0
        for view, scale in zip(VIEWS[self.view], self.scales, strict=True):
            rounds = list(member_colours(task, rounds=self.rounds, view=view))
            factors = np.full(len(owner), float(scale))
            if self.normalized:
                squares = sum((_squares(task, colours) for colours in rounds), np.zeros(1))
                factors /= np.sqrt(np.maximum(squares, 1.0))[owner]
            for colours in rounds:
                first, last = self.ptr[block], self.ptr[block + 1]
                known = self.colours[first:last]
                place = np.searchsorted(known, colours)
                found = np.zeros(len(colours), bool)
                inside = place < len(known)
                found[inside] = known[place[inside]] == colours[inside]
                yield np.where(found, first + place, -1), factors
                block += 1


def _squares(task: SubgraphTask, colours: Array) -> Array:
    """Sum of the squared counts of the colours of each subgraph; (M,)."""
    names, number = np.unique(colours, return_inverse=True)
    pairs, counts = np.unique(
        task.subgraphs.owner * max(len(names), 1) + number, return_counts=True
    )
    owner = pairs // max(len(names), 1)
    return np.bincount(owner, counts.astype(np.float64) ** 2, minlength=len(task.subgraphs))


@dataclass(frozen=True, eq=False)
class ColourClassifier:
    """Logits x w + b of the rows x of a bag of colours.

    Args:
        bag: How subgraphs become rows.
        weights: Weights of the colours, float32 (F, C).
        biases: One per class, (C,).
    """

    kind: ClassVar[str] = "colours"
    reads_excluded: ClassVar[bool] = False
    reads_border: ClassVar[bool] = False

    bag: ColourBag
    weights: Array
    biases: Array

    @property
    def facts(self) -> JsonObject:
        """What it consists of besides numbers."""
        bag = self.bag
        return {"view": bag.view, "rounds": bag.rounds, "normalized": bag.normalized}

    @property
    def arrays(self) -> dict[str, Array]:
        """The numbers that it consists of; colours as int64, bit by bit."""
        bag = self.bag
        known = {"colours": bag.colours.view(np.int64), "ptr": bag.ptr, "scales": bag.scales}
        return {**known, "weights": self.weights, "biases": self.biases}

    @classmethod
    def restore(cls, facts: JsonObject, arrays: Mapping[str, Array]) -> Self:
        """The classifier that had these facts and arrays."""
        view, rounds, normalized = (facts.get(name) for name in ("view", "rounds", "normalized"))
        sound = isinstance(view, str) and view in VIEWS and isinstance(normalized, bool)
        if not sound or type(rounds) is not int or not 0 <= rounds <= 1000:
            raise DataError("the settings of a model of colours make no sense.")
        colours, ptr, scales = (arrays[name] for name in ("colours", "ptr", "scales"))
        weights, biases = arrays["weights"], arrays["biases"]
        whole = colours.dtype == ptr.dtype == np.int64 and colours.ndim == ptr.ndim == 1
        real = all(array.dtype.kind == "f" for array in (scales, weights, biases))
        views = len(VIEWS[view])  # type: ignore[index]
        fits = whole and real and len(ptr) == views * (rounds + 1) + 1 and scales.shape == (views,)
        fits = fits and biases.ndim == 1 and weights.shape == (len(colours), *biases.shape)
        fits = fits and ptr[0] == 0 and ptr[-1] == len(colours) and bool((np.diff(ptr) >= 0).all())
        if not fits or (scales <= 0).any():
            raise DataError("the arrays of a model of colours do not fit each other.")
        names = np.ascontiguousarray(colours).view(np.uint64)
        begins = np.isin(np.arange(1, len(names)), ptr)  # the first of a round may be any
        if ((names[1:] <= names[:-1]) & ~begins).any():
            raise DataError("the colours of the model do not ascend.")
        bag = ColourBag(view, rounds, normalized, names, ptr, scales)  # type: ignore[arg-type]
        return cls(bag, weights, biases)

    def logits(self, task: SubgraphTask) -> Array:
        """Logits (1, M, C) of all subgraphs of a task on the same graph."""
        return (self._weigh(self.bag.rows(task)) + self.biases)[None]

    def member_logits(self, task: SubgraphTask) -> Array:
        """What each member adds to the logits of its subgraph, by its colours; (members, C)."""
        return self._weigh(self.bag.member_rows(task))

    def border_logits(self, task: SubgraphTask) -> None:
        """No border is read."""
        return

    @property
    def empty_logits(self) -> Array:
        """Logits of an empty subgraph; (1, C)."""
        return np.asarray(self.biases[None], np.float64)

    def vectors(self, task: SubgraphTask) -> SparseMatrix:
        """Rows by which subgraphs can be compared, of length 1."""
        return unit_rows(self.bag.rows(task))

    def _weigh(self, rows: SparseMatrix) -> Array:
        return np.asarray(rows @ self.weights.astype(np.float64))
