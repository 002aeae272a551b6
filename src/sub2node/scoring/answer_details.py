"""What goes along with the answers of a file, as tables: reasons, neighbours, meanings of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from ..base.records import JsonObject
from .name_mapping import COLUMNS as MAPPING_COLUMNS
from .name_mapping import MappedName

if TYPE_CHECKING:
    from .answers import Neighbor
    from .explanation import Explanation

_TEXT, _LIST, _NUMBER = pa.string(), pa.list_(pa.string()), pa.float64()
WHY = pa.schema(
    {
        "subgraph_id": _TEXT,
        "label": _TEXT,
        "kind": _TEXT,
        "item": _TEXT,
        "title": _TEXT,
        "contribution": _NUMBER,
    }
)
NEIGHBORS = pa.schema(
    {
        "subgraph_id": _TEXT,
        "rank": pa.int64(),
        "neighbor": _TEXT,
        "title": _TEXT,
        "labels": _LIST,
        "similarity": _NUMBER,
    }
)
MAPPING = pa.schema(dict(zip(MAPPING_COLUMNS, (*[_TEXT] * 4, _LIST), strict=True)))


def why_table(explanations: Iterable[Explanation]) -> pa.Table:
    """One row per contribution; those of a subgraph add up to the probability of the label.

    The kinds are those of :meth:`Explanation.to_frame`: ``baseline``, ``member``, ``excluded``,
    ``neighbour``, ``statistics``, ``border`` and ``rounding``.
    """
    from .answer_views import contribution_rows

    rows = [
        (one.name, one.label, kind, item, title, points / 100)
        for one in explanations
        for item, kind, points, title in contribution_rows(one)
    ]
    return _table(rows, WHY)


def neighbor_table(names: Sequence[str], neighbors: Sequence[Sequence[Neighbor]]) -> pa.Table:
    """One row per subgraph and similar known subgraph, the most similar first.

    Args:
        names: Names of the subgraphs.
        neighbors: Their neighbours, as :meth:`Scorer.neighbors` gives them.
    """
    rows = [
        (name, rank, near.name, near.title, list(near.labels), near.similarity)
        for name, some in zip(names, neighbors, strict=True)
        for rank, near in enumerate(some, start=1)
    ]
    return _table(rows, NEIGHBORS)


def neighbor_objects(neighbors: Iterable[Neighbor]) -> list[JsonObject]:
    """Similar known subgraphs as JSON."""
    return [
        {
            "id": near.name,
            "title": near.title,
            "labels": list(near.labels),
            "similarity": near.similarity,
            "shared": list(near.shared),
            "size": near.size,
        }
        for near in neighbors
    ]


def mapping_table(rows: Iterable[MappedName]) -> pa.Table:
    """One row per name: what was given, the node that is meant, and how it was found."""
    return _table([(*row[:4], list(row.candidates)) for row in rows], MAPPING)


def _table(rows: Sequence[tuple[object, ...]], schema: pa.Schema) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(c, kind) for c, kind in zip(columns, schema.types, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
