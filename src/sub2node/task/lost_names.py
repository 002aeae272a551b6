"""Names that mean no node: what may be meant by those that are ambiguous or misspelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from ..base.ragged import Array
from .node_names import NodeNames

if TYPE_CHECKING:
    from .graph import Graph

_SUGGESTED = 3  # different names that are compared with all names of nodes
_LONGEST = 120  # characters of them


class LostNames(NamedTuple):
    """Names of members for which no node was found.

    Args:
        is_ambiguous: Which of them may mean several nodes; bool (n,).
        hints: What may be meant by each, to be put behind it; "" where nothing is known.
    """

    is_ambiguous: Array
    hints: list[str]

    @classmethod
    def of(cls, graph: Graph | None, given: pa.Array) -> LostNames:
        """Look names up; only the first few that are unknown are compared with all others.

        Args:
            graph: The graph with all its names; None: nodes have positions only.
            given: The names, text or numbers; each may come again.
        """
        if graph is None:
            return cls(np.zeros(len(given), bool), [""] * len(given))
        encoded = given.cast(pa.large_string()).dictionary_encode()
        names, texts = NodeNames(graph), encoded.dictionary
        several = names.match_foreign(texts, np.full(len(texts), -1)).candidates
        hints = [""] * len(texts)
        for place, nodes in several.items():
            hints[place] = f" (may mean {names.describe(nodes)})"
        unknown = [place for place in range(len(texts)) if place not in several]
        for place in unknown[:_SUGGESTED]:
            hints[place] = names.describe_like(texts[place].as_py()[:_LONGEST])
        codes = np.asarray(encoded.indices)
        return cls(np.isin(codes, list(several)), [hints[code] for code in codes.tolist()])

    def take(self, rows: Array) -> LostNames:
        """Those of a mask."""
        hints = [hint for hint, kept in zip(self.hints, rows.tolist(), strict=True) if kept]
        return LostNames(self.is_ambiguous[rows], hints)
