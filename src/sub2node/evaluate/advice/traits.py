"""Measured characteristics of a task: what may decide which structure fits it.

The paper leaves open which of them do (its section on limitations). All are sums over sparse
arrays. Labels are read of training subgraphs only.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...coarsen import without_virtual
from ...config import Translation
from ...errors import Sub2NodeError
from ...ragged import Array, blocks, distinct, owners
from ...task import SubgraphTask
from ...task.measures import measure
from ...translate import S2NGraph, translate
from ..homophily import alike

_PIECE = 1 << 22  # shared nodes looked at together
_SHARED = 1 << 26  # shared nodes looked at in all; of more, a sample of subgraphs is compared
_PAIRS = 1 << 15  # pairs of label sets that chance is measured on


@dataclass(frozen=True)
class Overlapping:
    """How much subgraphs share.

    Args:
        several: Share of covered nodes that are in more than one subgraph.
        jaccard: Mean over pairs of subgraphs of |S_i ∩ S_j| / |S_i ∪ S_j|.
        compared: Subgraphs whose pairs with all others were looked at.
    """

    several: float
    jaccard: float
    compared: int


@dataclass(frozen=True)
class Links:
    """The S2N graph at the cut of the default settings; all parts.

    Args:
        cut: The standard score ``a`` at or below which a link is gone.
        count: Joined pairs of different subgraphs.
        density: Of all pairs.
        isolated: Share of subgraphs that no link reaches.
        half: The cut at which half of the subgraphs have a link; None where no cut does that.
    """

    cut: float
    count: int
    density: float
    isolated: float
    half: float | None


@dataclass(frozen=True)
class Labelled:
    """Labels of the training subgraphs.

    Args:
        classes: C.
        least: Training subgraphs of the rarest class that has some.
        median: Of those classes.
        largest: Share of the most frequent class.
        links: Links of the S2N graph between two training subgraphs.
        homophily: Mean over those links, by weight, of the overlap of the two label sets (1 or 0
            where each has one label); None without links.
        chance: The same over all pairs of training subgraphs.
    """

    classes: int
    least: int
    median: float
    largest: float
    links: int
    homophily: float | None
    chance: float

    @property
    def gain(self) -> float | None:
        """Homophily above chance, as a share of what is possible: 0 for chance, 1 for all alike."""
        if self.homophily is None or self.chance >= 1:
            return None
        return (self.homophily - self.chance) / (1 - self.chance)


@dataclass(frozen=True)
class Traits:
    """Characteristics of a task; shares lie in 0…1.

    Args:
        nodes: N.
        edges: Of the global graph, self-loops aside.
        density: Edges over pairs of nodes.
        subgraphs: M, virtual ones aside.
        coverage: Share of nodes in some subgraph.
        inside: Share of edges with both ends in one subgraph: what ``separated`` and +A see.
        between: With both ends in subgraphs, but in none together: only the S2N graph counts them.
        border: With one end in a subgraph.
        outside: With none; only ``connected`` and CoS2N see these two.
        size_mean: Nodes of a subgraph.
        size_sd: Their standard deviation.
        size_max: The largest.
        components: Connected components of a subgraph, on average.
        internal_density: Internal edges over pairs of members, on average.
        internal_density_sd: Its standard deviation over subgraphs.
        overlap: How much subgraphs share.
        links: The S2N graph; None where there is none.
        labelled: Labels of the training subgraphs; None without labels or split.
        notes: What to know, one sentence each.
    """

    nodes: int
    edges: int
    density: float
    subgraphs: int
    coverage: float
    inside: float
    between: float
    border: float
    outside: float
    size_mean: float
    size_sd: float
    size_max: int
    components: float
    internal_density: float
    internal_density_sd: float
    overlap: Overlapping
    links: Links | None
    labelled: Labelled | None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        found = {**asdict(self), "notes": list(self.notes)}
        if self.labelled is not None:
            found["labelled"]["gain"] = self.labelled.gain
        return found


def traits(task: SubgraphTask, translation: Translation | None = None) -> Traits:
    """Measure a task; of its labels only those of training subgraphs are read.

    Args:
        task: Labels and split may be missing.
        translation: The cut of the S2N graph; by default that of the default settings.
    """
    if translation is None:
        from ...train import find_preset

        translation = find_preset("default", task).config.translation
    notes = []
    if task.num_virtual:
        notes.append(f"{task.num_virtual:,} virtual subgraphs of the data are left aside here.")
    labels = _train_labels(task)
    bare = without_virtual(replace(task, labels=None, class_names=()))
    graph, subgraphs = bare.graph, bare.subgraphs
    measures = measure(graph, subgraphs)
    covered = np.zeros(graph.num_nodes, bool)
    covered[subgraphs.nodes] = True
    sizes, density = subgraphs.sizes, measures.density
    many = len(bare) > 0
    links, s2n = None, None
    try:
        raw = translate(bare, self_loops=translation.self_loops)
        s2n = raw.normalize(translation.a, translation.delta)
        links = _links(raw, s2n, translation.a)
    except Sub2NodeError as error:
        notes.append(f"there is no S2N graph at the default cut: {error}")
    return Traits(
        nodes=graph.num_nodes,
        edges=graph.num_edges,
        density=_share(graph.num_edges, graph.num_nodes * (graph.num_nodes - 1) / 2),
        subgraphs=len(bare),
        coverage=_share(covered.sum(), graph.num_nodes),
        **_edge_shares(bare, covered),
        size_mean=float(sizes.mean()) if many else 0.0,
        size_sd=float(sizes.std()) if many else 0.0,
        size_max=int(sizes.max(initial=0)),
        components=float(measures.components.mean()) if many else 0.0,
        internal_density=float(density.mean()) if many else 0.0,
        internal_density_sd=float(density.std()) if many else 0.0,
        overlap=_overlap(bare),
        links=links,
        labelled=None if labels is None else _labelled(labels, task, s2n),
        notes=tuple(notes),
    )


def _share(part: Any, whole: Any) -> float:
    return float(part / whole) if whole else 0.0


def _train_labels(task: SubgraphTask) -> Array | None:
    if task.labels is None or task.split is None or not task.split.count("train"):
        return None
    return np.asarray(task.labels[np.flatnonzero(task.split.mask("train"))])


def _edge_shares(task: SubgraphTask, covered: Array) -> dict[str, float]:
    """Shares of the edges of the global graph by where their ends are."""
    graph, subgraphs = task.graph, task.subgraphs
    nodes = subgraphs.nodes.astype(np.int64)
    low, high = nodes[subgraphs.induced_edges(graph)[1]]
    inside = len(distinct(low * graph.num_nodes + high))
    touched = covered[graph.indices]  # of each entry of A, whether its column is covered
    around = np.repeat(covered, np.diff(graph.indptr))
    both = int(np.count_nonzero(touched & around)) // 2
    border = int(np.count_nonzero(touched != around)) // 2
    total = graph.num_edges
    return {
        "inside": _share(inside, total),
        "between": _share(both - inside, total),
        "border": _share(border, total),
        "outside": _share(total - both - border, total),
    }


def _overlap(task: SubgraphTask) -> Overlapping:
    """From M Mᵀ, the nodes that two sets share, in pieces of bounded size."""
    members = task.subgraphs.membership(task.graph.num_nodes)
    members.data = np.ones(len(members.data), np.float32)  # sets, whatever the weights
    sizes, count = task.subgraphs.sizes, len(task)
    seen = np.bincount(task.subgraphs.nodes, minlength=task.graph.num_nodes)
    several = _share(np.count_nonzero(seen > 1), np.count_nonzero(seen))
    if count < 2:
        return Overlapping(several, 0.0, count)
    work = np.add.reduceat(seen[members.indices], members.indptr[:-1])
    rows, total = np.arange(count), int(work.sum())
    if total > _SHARED:
        rows = np.linspace(0, count - 1, max(2, int(count * _SHARED / total))).astype(np.int64)
    other, sum_ = members.T.tocsr(), 0.0
    for start, stop in blocks(work[rows], _PIECE):
        here = rows[start:stop]
        shared = (members[here] @ other).tocoo()
        row, column = here[shared.coords[0]], shared.coords[1]
        apart = row != column
        both = shared.data[apart].astype(np.float64)
        sum_ += float((both / (sizes[row[apart]] + sizes[column[apart]] - both)).sum())
    return Overlapping(several, sum_ / (len(rows) * (count - 1)), len(rows))


def _links(raw: S2NGraph, graph: S2NGraph, cut: float) -> Links:
    count = len(graph)
    off = _off_diagonal(graph.weights)
    strongest = _off_diagonal(raw.weights).max(axis=1).toarray().ravel()
    middle = float(np.sort(strongest)[count // 2]) if count else 0.0  # half reach this, or more
    half = (middle - raw.statistics.mean) / raw.statistics.std if middle else None
    return Links(
        cut=cut,
        count=graph.num_edges,
        density=_share(graph.num_edges, count * (count - 1) / 2),
        isolated=_share(np.count_nonzero(np.diff(off.indptr) == 0), count),
        half=half,
    )


def _off_diagonal(weights: Any) -> Any:
    """A copy without the diagonal."""
    off = sp.csr_array(weights)
    rows = owners(off.indptr.astype(np.int64))
    kept = rows != off.indices
    shape = off.shape
    return sp.coo_array((off.data[kept], (rows[kept], off.indices[kept])), shape=shape).tocsr()


def _labelled(labels: Array, task: SubgraphTask, graph: S2NGraph | None) -> Labelled:
    count, single = len(labels), labels.ndim == 1
    each = np.bincount(labels, minlength=task.num_classes) if single else labels.sum(axis=0)
    present = each[each > 0]
    links, homophily = 0, None
    if graph is not None:
        block = _off_diagonal(graph.weights[:count, :count])
        links = block.nnz // 2
        if links:
            pairs = alike(labels, owners(block.indptr.astype(np.int64)), block.indices)
            homophily = float(np.average(pairs, weights=block.data.astype(np.float64)))
    return Labelled(
        classes=task.num_classes,
        least=int(present.min(initial=count)) if len(present) else 0,
        median=float(np.median(present)) if len(present) else 0.0,
        largest=_share(each.max(initial=0), count),
        links=links,
        homophily=homophily,
        chance=_chance(labels, each),
    )


def _chance(labels: Array, each: Array) -> float:
    """Mean overlap of the labels of two different training subgraphs."""
    count = len(labels)
    if count < 2:
        return 1.0
    if labels.ndim == 1:
        return float((each * (each - 1)).sum() / (count * (count - 1)))
    if count * (count - 1) // 2 <= _PAIRS:
        first, second = np.triu_indices(count, 1)
    else:  # always the same draws
        rng = np.random.default_rng(0)
        first = rng.integers(0, count, _PAIRS)
        second = (first + rng.integers(1, count, _PAIRS)) % count
    return float(alike(labels, first, second).mean())
