"""What looking up subgraphs omitted or merged, counted over the batches of a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from ..base.notes import Note, changed, dropped
from ..base.plural import examples, plural
from ..base.ragged import owners, repeated_entries
from .query import IdLists, Query

_KEPT = 3  # examples


@dataclass
class QueryChanges:
    """Nodes of queries that were dropped or merged.

    Args:
        unknown: Nodes that the graph does not have and that were dropped.
        subgraphs: Subgraphs that had such nodes.
        repeated: Nodes that a subgraph listed again.
    """

    unknown: int = 0
    subgraphs: int = 0
    repeated: int = 0
    _unknown_examples: list[str] = field(default_factory=list)
    _repeated_examples: list[str] = field(default_factory=list)

    def add(self, query: Query, lists: IdLists | None = None) -> None:
        """Count what happened to a query, and to the lists of ids that it comes from."""
        for name, nodes in zip(query.names, query.unknown, strict=True):
            if nodes:
                self.unknown += len(nodes)
                self.subgraphs += 1
                left = _KEPT - len(self._unknown_examples)
                self._unknown_examples += [
                    f"{node!r} in subgraph {name!r}" for node in nodes[: max(left, 0)]
                ]
        if lists is not None:
            self._add_repeated(lists)

    def _add_repeated(self, lists: IdLists) -> None:
        owner = owners(lists.ptr)
        again = repeated_entries(owner, lists.codes)
        self.repeated += len(again)
        left = _KEPT - len(self._repeated_examples)
        self._repeated_examples += [
            f"{lists.ids[lists.codes[i]]!r} in subgraph {lists.names[owner[i]]!r}"
            for i in islice(again, max(left, 0))
        ]

    def notes(self) -> Iterator[Note]:
        """One sentence for what was dropped and one for what was merged, with examples."""
        if self.unknown:
            counts = (
                f"{plural(self.unknown, 'unknown node')} in {plural(self.subgraphs, 'subgraph')}"
            )
            yield dropped(f"{counts} dropped: {examples(self._unknown_examples, self.unknown)}.")
        if self.repeated:
            shown = examples(self._repeated_examples, self.repeated)
            yield changed(f"{plural(self.repeated, 'repeated node')} merged: {shown}.")
