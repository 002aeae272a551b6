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
    """

    lines: Array
    names: Sequence[str]
    ptr: Array
    nodes: pa.Array
    problems: Mapping[int, str]

    def __len__(self) -> int:
        return len(self.names)

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
        )

    def take(self, positions: Array) -> SetBatch:
        """The subgraphs at these positions, in this order."""
        sizes = np.diff(self.ptr)[positions]
        nodes = self.nodes.take(pa.array(ranges(self.ptr[positions], sizes)))
        names = [self.names[at] for at in positions.tolist()]
        problems = {i: self.problems[at] for i, at in enumerate(positions) if at in self.problems}
        return SetBatch(self.lines[positions], names, pointers(sizes), nodes, problems)

    def with_problems(self, problems: Mapping[int, str]) -> SetBatch:
        """The same subgraphs, with more bad ones among them."""
        if not problems:
            return self
        sizes = np.diff(self.ptr)
        good = np.ones(len(self), bool)
        good[list(problems)] = False
        nodes = self.nodes.filter(pa.array(np.repeat(good, sizes)))
        problems = {**self.problems, **problems}
        return SetBatch(self.lines, self.names, pointers(sizes * good), nodes, problems)


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
