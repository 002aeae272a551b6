"""What a report shows of the subgraphs: names, sizes, and a piece of the S2N graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..ragged import Array, owners
from ..task import PARTS, SubgraphTask

if TYPE_CHECKING:
    from ..translate import S2NGraph

SUBGRAPHS, LINKS = 400, 3000  # the most that a picture shows
_TESTED = {"test": 160, "val": 60}  # of these parts, the most


@dataclass(frozen=True, eq=False)
class Scene:
    """Subgraphs and links for a report.

    Args:
        subgraphs: Arrow table: ``subgraph_id, title, part, label, size, shown, train_links``; the
            last are links to training subgraphs of each class, of val and test.
        links: Arrow table: ``source, target, weight``, positions in the other table; None without
            an S2N graph.
        facts: How the S2N graph was made, and how much of it is there.
    """

    subgraphs: Any
    links: Any
    facts: dict[str, Any]


def make_scene(task: SubgraphTask, graph: S2NGraph | None = None) -> Scene:
    """What a report needs to know of a task, and of its normalised S2N graph.

    Of large data the picture has some test and val subgraphs, evenly spread, and those that are
    linked to them most strongly; each subgraph keeps its strongest links first.

    Args:
        task: As the model saw it: with virtual subgraphs where there were some.
        graph: Its S2N graph; None: the model has none.
    """
    if graph is None:
        kept = np.flatnonzero(~_virtual(task))
        return Scene(_table(task, kept, np.zeros(len(kept), bool), None), None, {})
    weights = sp.csr_array(graph.weights - sp.diags_array(graph.weights.diagonal())).tocsr()
    weights.eliminate_zeros()
    shown = _shown(task, weights)
    mask = np.zeros(len(task), bool)
    mask[shown] = True
    kept = np.flatnonzero(mask | ~_virtual(task))
    source, target, weight = _links(weights[shown][:, shown].tocsr())
    place = np.searchsorted(kept, shown)
    settings = graph.settings
    facts = {
        "a": settings.a, "delta": settings.delta, "self_loops": settings.self_loops,
        "subgraphs": len(task), "links": graph.num_edges,
        "shown_subgraphs": len(shown), "shown_links": len(weight),
    }  # fmt: skip
    links = _arrow(source=place[source].astype(np.int32), target=place[target].astype(np.int32),
                   weight=weight.astype(np.float32))  # fmt: skip
    return Scene(_table(task, kept, mask[kept], weights), links, facts)


def _virtual(task: SubgraphTask) -> Array:
    return np.zeros(len(task), bool) if task.split is None else task.split.mask("virtual")


def _shown(task: SubgraphTask, weights: Any) -> Array:
    """Positions of the subgraphs in the picture, ascending."""
    count = len(task)
    if count <= SUBGRAPHS or task.split is None:
        return _spread(np.arange(count), SUBGRAPHS)
    asked = np.concatenate(
        [_spread(np.flatnonzero(task.split.mask(part)), _TESTED[part]) for part in PARTS[2:]]
    )
    near = weights[asked].tocsr()
    rank = _ranks(near)
    order = np.lexsort((near.indices, -near.data, rank))
    rest = np.r_[near.indices[order], np.arange(count)]  # those without a link come last
    _, first = np.unique(rest, return_index=True)
    rest = rest[np.sort(first)]
    train, virtual = (rest[task.split.codes[rest] == code] for code in range(2))
    room = SUBGRAPHS - len(asked)
    virtual = virtual[: max(room // 3, room - len(train))]
    return np.sort(np.r_[asked, train[: room - len(virtual)], virtual])


def _spread(positions: Array, most: int) -> Array:
    """Some of these, evenly spread; all where they are few."""
    if len(positions) <= most:
        return positions
    return positions[np.linspace(0, len(positions) - 1, most).astype(np.int64)]


def _ranks(weights: Any) -> Array:
    """Of each entry of a CSR matrix, how many entries of its row come before it by weight."""
    row = owners(weights.indptr.astype(np.int64))
    order = np.lexsort((weights.indices, -weights.data, row))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - weights.indptr[:-1][row[order]]
    return rank


def _links(weights: Any) -> tuple[Array, Array, Array]:
    """The strongest links of a symmetric matrix: each row's first, then each row's second …"""
    weights.sort_indices()
    row, column = owners(weights.indptr.astype(np.int64)), weights.indices
    rank = _ranks(weights)
    order = np.lexsort((column, row, -weights.data, rank))
    low, high = np.minimum(row, column)[order], np.maximum(row, column)[order]
    key = low.astype(np.int64) * weights.shape[0] + high
    _, first = np.unique(key, return_index=True)  # a link is there from both ends
    first = np.sort(first)[:LINKS]
    return low[first], high[first], weights.data[order][first]


def _table(task: SubgraphTask, kept: Array, shown: Array, weights: Any) -> Any:
    import pyarrow as pa

    words = PARTS if task.split is not None else ("train",)
    codes = np.zeros(len(task), np.int8) if task.split is None else task.split.codes
    labels = None if task.labels is None else task.label_lists().take(pa.array(kept))
    own = task.subgraphs
    return _arrow(
        subgraph_id=[own.name_of(int(number)) for number in kept],
        title=None if own.titles is None else own.titles.take(kept).arrow,
        part=pa.DictionaryArray.from_arrays(pa.array(codes[kept]), pa.array(words)),
        label=labels,
        size=own.sizes[kept].astype(np.int32),
        shown=shown,
        train_links=None if weights is None else _train_links(task, kept, weights),
    )


def _train_links(task: SubgraphTask, kept: Array, weights: Any) -> Any:
    """Links of val and test subgraphs to training ones of each class; none for the others."""
    import pyarrow as pa

    if task.labels is None or task.split is None:
        return None
    train = task.split.mask("train")
    classes = task.num_classes
    one_hot = task.labels if task.multilabel else task.labels[:, None] == np.arange(classes)
    asked = task.split.codes[kept] > 1
    linked = weights[kept[asked]][:, np.flatnonzero(train)].astype(bool).astype(np.int64)
    counts = linked @ one_hot[train].astype(np.int64)
    ptr = np.r_[0, np.cumsum(asked * classes)].astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(ptr), pa.array(counts.astype(np.int32).ravel()))


def _arrow(**columns: Any) -> Any:
    """A table of the columns that there are."""
    import pyarrow as pa

    return pa.table({name: column for name, column in columns.items() if column is not None})
