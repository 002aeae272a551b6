"""Some subgraphs of a file as ragged arrays, with their lines and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa

from ..base.ragged import Array, pointers, ranges


@dataclass(frozen=True, eq=False)
class SetBatch:
    """Some subgraphs of a file as ragged arrays; one that is bad has no nodes and says why.

    Args:
        lines: Line (Parquet: row) where each subgraph, or what is wrong with it, begins, from 1;
            (K,).
        names: Name of each subgraph; "" where the file does not tell it.
        ptr: Subgraph i has the nodes ``ptr[i]…ptr[i + 1]``; (K+1,).
        nodes: Ids of the nodes, Arrow text; (ptr[-1],).
        problems: What is wrong with some subgraphs, by position.
        absent: Which of the nodes are excluded, that is, were looked for and are absent; bool
            (ptr[-1],). None: none of them.
    """

    lines: Array
    names: Sequence[str]
    ptr: Array
    nodes: pa.Array
    problems: Mapping[int, str]
    absent: Array | None = None

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def of_lists(
        cls,
        lines: Sequence[int],
        names: Sequence[str],
        nodes: Sequence[Sequence[str]],
        *,
        problems: Sequence[str],
        excluded: Sequence[Sequence[str]],
    ) -> SetBatch:
        """A batch from lists, one entry of each for a subgraph.

        Args:
            lines: Where each subgraph begins.
            names: Their names.
            nodes: Ids of their members.
            problems: What is wrong with each; "" where nothing is.
            excluded: Ids of the nodes that are excluded from each.
        """
        pairs = list(zip(nodes, excluded, strict=True))
        sizes = np.array([len(own) + len(absent) for own, absent in pairs], np.int64)
        signs = [
            sign for own, absent in pairs for sign in (False,) * len(own) + (True,) * len(absent)
        ]
        return cls(
            np.array(lines, np.int64),
            names,
            pointers(sizes),
            pa.array(
                [node for own, absent in pairs for node in (*own, *absent)], pa.large_string()
            ),
            {at: text for at, text in enumerate(problems) if text},
            np.array(signs) if any(excluded) else None,
        )

    @classmethod
    def concat(cls, parts: Sequence[SetBatch]) -> SetBatch:
        """Subgraphs of several batches, one after the other."""
        if len(parts) == 1:
            return parts[0]
        starts = np.cumsum([0, *map(len, parts)])[:-1].tolist()
        problems = {
            start + at: text
            for part, start in zip(parts, starts, strict=True)
            for at, text in part.problems.items()
        }
        return cls(
            np.concatenate([part.lines for part in parts]),
            list(chain.from_iterable(part.names for part in parts)),
            pointers(np.concatenate([np.diff(part.ptr) for part in parts])),
            pa.concat_arrays([part.nodes for part in parts]),
            problems,
            concat_signs([(part.absent, len(part.nodes)) for part in parts]),
        )

    def part(self, first: int, last: int) -> SetBatch:
        """Subgraphs from ``first`` up to ``last``."""
        ptr = self.ptr[first : last + 1]
        return SetBatch(
            self.lines[first:last],
            self.names[first:last],
            ptr - ptr[0],
            self.nodes.slice(int(ptr[0]), int(ptr[-1] - ptr[0])),
            {at - first: text for at, text in self.problems.items() if first <= at < last},
            None if self.absent is None else self.absent[ptr[0] : ptr[-1]],
        )

    def take(self, positions: Array) -> SetBatch:
        """The subgraphs at these positions, in this order."""
        sizes = np.diff(self.ptr)[positions]
        rows = ranges(self.ptr[positions], sizes)
        nodes, absent = self.nodes.take(pa.array(rows)), self.absent
        names = [self.names[at] for at in positions.tolist()]
        problems = {i: self.problems[at] for i, at in enumerate(positions) if at in self.problems}
        return SetBatch(
            self.lines[positions],
            names,
            pointers(sizes),
            nodes,
            problems,
            None if absent is None else absent[rows],
        )

    def with_excluded(self, excluded: Mapping[str, Sequence[str]]) -> SetBatch:
        """The same subgraphs, with more excluded nodes by their names; bad ones get none."""
        more = [
            () if at in self.problems else excluded.get(name, ())
            for at, name in enumerate(self.names)
        ]
        sizes = np.array(list(map(len, more)), np.int64)
        if not sizes.any():
            return self
        places = np.arange(len(self))
        owner = np.concatenate([np.repeat(places, np.diff(self.ptr)), np.repeat(places, sizes)])
        order = np.argsort(owner, kind="stable")
        nodes = pa.concat_arrays(
            [self.nodes, pa.array(chain.from_iterable(more), pa.large_string())]
        )
        absent = concat_signs(
            [(self.absent, len(self.nodes)), (np.ones(sizes.sum(), bool), int(sizes.sum()))]
        )
        assert absent is not None
        return SetBatch(
            self.lines,
            self.names,
            pointers(np.diff(self.ptr) + sizes),
            nodes.take(pa.array(order)),
            self.problems,
            absent[order],
        )

    def with_problems(self, problems: Mapping[int, str]) -> SetBatch:
        """The same subgraphs, with more bad ones among them."""
        if not problems:
            return self
        sizes = np.diff(self.ptr)
        good = np.ones(len(self), bool)
        good[list(problems)] = False
        kept = np.repeat(good, sizes)
        absent = None if self.absent is None else self.absent[kept]
        nodes, problems = self.nodes.filter(pa.array(kept)), {**self.problems, **problems}
        return SetBatch(self.lines, self.names, pointers(sizes * good), nodes, problems, absent)


def concat_signs(parts: Sequence[tuple[Array | None, int]]) -> Array | None:
    """Signs of several lists, each with its length, one after the other; None: nothing excluded."""
    if all(absent is None for absent, _ in parts):
        return None
    return np.concatenate([np.zeros(n, bool) if a is None else a for a, n in parts])


def in_sizes(batches: Iterable[SetBatch], size: int | None) -> Iterator[SetBatch]:
    """The same subgraphs in batches of one size."""
    waiting: list[SetBatch] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += len(batch)
        if size is None or count < size:
            continue
        together = SetBatch.concat(waiting)
        ends = range(size, count + 1, size)
        yield from (together.part(end - size, end) for end in ends)
        waiting = [together.part(ends[-1], count)]
        count -= ends[-1]
    if count:
        yield SetBatch.concat(waiting)
