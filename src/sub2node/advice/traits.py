"""Characteristics of a task that may decide which structure fits it.

The paper leaves open which of them do (its section on limitations). All are sums over sparse
arrays. Only labels of training subgraphs are read.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, SupportsFloat

import numpy as np
import scipy.sparse as sp

from ..base.errors import Sub2NodeError
from ..base.plural import plural
from ..base.ragged import Array, blocks, distinct, owners
from ..coarsen import without_virtual
from ..config import TranslationSettings
from ..evaluate.homophily import label_overlap
from ..task import SubgraphTask
from ..task.subgraph_measures import measure
from ..task.whole_graph import require_loaded
from ..translation import S2NGraph, normalize_by, translate_by

_CHUNK = 1 << 22  # shared nodes processed together
_MAX_SHARED = 1 << 26  # shared nodes processed in all; beyond, a sample of subgraphs is compared
_PAIRS = 1 << 15  # pairs of label sets that chance is estimated from


@dataclass(frozen=True)
class OverlapTraits:
    """How much subgraphs share.

    Args:
        several: Share of covered nodes that are in more than one subgraph.
        jaccard: Mean over pairs of subgraphs of |S_i ∩ S_j| / |S_i ∪ S_j|.
        compared: Number of subgraphs that were compared with all others.
    """

    several: float
    jaccard: float
    compared: int


@dataclass(frozen=True)
class LinkTraits:
    """The S2N graph at the cut of the default settings; all parts.

    Args:
        cut: The standard score ``a`` at or below which a link is removed.
        count: Joined pairs of different subgraphs.
        density: Share of all pairs that are joined.
        isolated: Share of subgraphs that no link reaches.
        half: The cut at which half of the subgraphs have a link; None where no cut does that.
    """

    cut: float
    count: int
    density: float
    isolated: float
    half: float | None


@dataclass(frozen=True)
class LabelTraits:
    """Labels of the training subgraphs.

    Args:
        classes: The number of classes.
        least: Training subgraphs of the rarest class that has some.
        median: Median of training subgraphs over those classes.
        largest: Share of the most frequent class.
        links: LinkTraits of the S2N graph between two training subgraphs.
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
        nodes: Nodes of the global graph.
        edges: Edges of the global graph, without self-loops.
        density: Edges over pairs of nodes.
        subgraphs: Number of subgraphs, without virtual ones.
        coverage: Share of nodes in some subgraph.
        inside: Share of edges with both ends in one subgraph: what ``separated`` and +A see.
        between: Share with both ends in subgraphs, but in none together: only the S2N graph counts
            them.
        border: Share with one end in a subgraph; seen by ``connected`` and CoS2N only.
        outside: Share with no end in a subgraph; seen by ``connected`` and CoS2N only.
        size_mean: Nodes per subgraph, on average.
        size_sd: Standard deviation of the nodes per subgraph.
        size_max: Nodes of the largest subgraph.
        components: Connected components of a subgraph, on average.
        internal_density: Internal edges over pairs of members, on average.
        internal_density_sd: Standard deviation of the internal density over subgraphs.
        overlap: How much subgraphs share.
        links: Links of the S2N graph; None where there is no S2N graph.
        labelled: Labels of the training subgraphs; None without labels or split.
        notes: Remarks for the reader, one sentence each.
        virtual: Virtual subgraphs that came with the data; not counted in the other fields.
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
    overlap: OverlapTraits
    links: LinkTraits | None
    labelled: LabelTraits | None
    notes: tuple[str, ...] = ()
    virtual: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The fields, for JSON."""
        record = {**asdict(self), "notes": list(self.notes)}
        if self.labelled is not None:
            record["labelled"]["gain"] = self.labelled.gain
        return record


def traits(task: SubgraphTask, translation: TranslationSettings | None = None) -> Traits:
    """Measure a task; only labels of its training subgraphs are read.

    Args:
        task: The data; labels and split may be missing.
        translation: Settings of the S2N graph; by default those of the default preset.
    """
    require_loaded(task.graph, "measuring the traits of a task")
    if translation is None:
        from ..models import find_preset

        translation = find_preset("default", task).config.translation
    notes = []
    if task.num_virtual:
        notes.append(
            f"{plural(task.num_virtual, 'virtual subgraph')} of the data not counted here."
        )
    labels = _train_labels(task)
    bare = without_virtual(replace(task, labels=None, class_names=()))
    graph, subgraphs = bare.graph, bare.subgraphs
    measures = measure(graph, subgraphs)
    covered = np.zeros(graph.num_nodes, bool)
    covered[subgraphs.nodes] = True
    sizes, density = subgraphs.sizes, measures.density
    has_subgraphs = len(bare) > 0
    links, s2n = None, None
    try:
        raw = translate_by(bare, translation)
        s2n = normalize_by(raw, translation)
        links = _measure_links(raw, s2n, translation.a)
    except Sub2NodeError as error:
        notes.append(f"there is no S2N graph at the default cut: {error}")
    return Traits(
        nodes=graph.num_nodes,
        edges=graph.num_edges,
        density=_share(graph.num_edges, graph.num_nodes * (graph.num_nodes - 1) / 2),
        subgraphs=len(bare),
        coverage=_share(covered.sum(), graph.num_nodes),
        **_edge_shares(bare, covered),
        size_mean=float(sizes.mean()) if has_subgraphs else 0.0,
        size_sd=float(sizes.std()) if has_subgraphs else 0.0,
        size_max=int(sizes.max(initial=0)),
        components=float(measures.components.mean()) if has_subgraphs else 0.0,
        internal_density=float(density.mean()) if has_subgraphs else 0.0,
        internal_density_sd=float(density.std()) if has_subgraphs else 0.0,
        overlap=_measure_overlap(bare),
        links=links,
        labelled=None if labels is None else _measure_labels(labels, task, s2n),
        notes=tuple(notes),
        virtual=task.num_virtual,
    )


def _share(part: SupportsFloat, total: SupportsFloat) -> float:
    return float(part) / float(total) if total else 0.0


def _train_labels(task: SubgraphTask) -> Array | None:
    if task.labels is None or task.split is None or not task.split.count("train"):
        return None
    return np.asarray(task.labels[np.flatnonzero(task.split.mask("train"))])


def _edge_shares(task: SubgraphTask, covered: Array) -> dict[str, float]:
    """Shares of the edges of the global graph by the place of their ends."""
    graph, subgraphs = task.graph, task.subgraphs
    nodes = subgraphs.nodes.astype(np.int64)
    low, high = nodes[subgraphs.induced_edges(graph)[1]]
    inside = len(distinct(low * graph.num_nodes + high))
    column_covered = covered[graph.indices]  # for each entry of A
    row_covered = np.repeat(covered, np.diff(graph.indptr))
    both_covered = int(np.count_nonzero(column_covered & row_covered)) // 2
    border = int(np.count_nonzero(column_covered != row_covered)) // 2
    total = graph.num_edges
    return {
        "inside": _share(inside, total),
        "between": _share(both_covered - inside, total),
        "border": _share(border, total),
        "outside": _share(total - both_covered - border, total),
    }


def _measure_overlap(task: SubgraphTask) -> OverlapTraits:
    """Compare subgraphs by M Mᵀ, the nodes that two sets share, in chunks of bounded size."""
    members = task.subgraphs.membership(task.graph.num_nodes)
    members.data = np.ones(len(members.data), np.float32)  # sets, whatever the weights
    sizes, count = task.subgraphs.sizes, len(task)
    uses = np.bincount(task.subgraphs.nodes, minlength=task.graph.num_nodes)
    several = _share(np.count_nonzero(uses > 1), np.count_nonzero(uses))
    if count < 2:
        return OverlapTraits(several, 0.0, count)
    work = np.add.reduceat(uses[members.indices], members.indptr[:-1])
    rows, total = np.arange(count), int(work.sum())
    if total > _MAX_SHARED:
        sample = max(2, int(count * _MAX_SHARED / total))
        rows = np.linspace(0, count - 1, sample).astype(np.int64)
    transposed, jaccard_sum = members.T.tocsr(), 0.0
    for start, stop in blocks(work[rows], _CHUNK):
        chunk = rows[start:stop]
        shared = (members[chunk] @ transposed).tocoo()
        row, column = chunk[shared.coords[0]], shared.coords[1]
        different = row != column
        common = shared.data[different].astype(np.float64)
        union = sizes[row[different]] + sizes[column[different]] - common
        jaccard_sum += float((common / union).sum())
    return OverlapTraits(several, jaccard_sum / (len(rows) * (count - 1)), len(rows))


def _measure_links(raw: S2NGraph, graph: S2NGraph, cut: float) -> LinkTraits:
    count = len(graph)
    links = _off_diagonal(graph.weights)
    strongest = _off_diagonal(raw.weights).max(axis=1).toarray().ravel()
    median = float(np.sort(strongest)[count // 2]) if count else 0.0  # half reach this, or more
    half = (median - raw.statistics.mean) / raw.statistics.std if median else None
    return LinkTraits(
        cut=cut,
        count=graph.num_edges,
        density=_share(graph.num_edges, count * (count - 1) / 2),
        isolated=_share(np.count_nonzero(np.diff(links.indptr) == 0), count),
        half=half,
    )


def _off_diagonal(weights: sp.csr_array) -> sp.csr_array:
    """Copy a matrix without its diagonal."""
    matrix = sp.csr_array(weights)
    rows = owners(matrix.indptr.astype(np.int64))
    off = rows != matrix.indices
    entries = (matrix.data[off], (rows[off], matrix.indices[off]))
    return sp.coo_array(entries, shape=matrix.shape).tocsr()


def _measure_labels(labels: Array, task: SubgraphTask, graph: S2NGraph | None) -> LabelTraits:
    count, single = len(labels), labels.ndim == 1
    class_sizes = np.bincount(labels, minlength=task.num_classes) if single else labels.sum(axis=0)
    present = class_sizes[class_sizes > 0]
    links, homophily = 0, None
    if graph is not None:
        block = _off_diagonal(graph.weights[:count, :count])
        links = block.nnz // 2
        if links:
            overlap = label_overlap(labels, owners(block.indptr.astype(np.int64)), block.indices)
            homophily = float(np.average(overlap, weights=block.data.astype(np.float64)))
    return LabelTraits(
        classes=task.num_classes,
        least=int(present.min(initial=count)) if len(present) else 0,
        median=float(np.median(present)) if len(present) else 0.0,
        largest=_share(class_sizes.max(initial=0), count),
        links=links,
        homophily=homophily,
        chance=_chance_overlap(labels, class_sizes),
    )


def _chance_overlap(labels: Array, class_sizes: Array) -> float:
    """Mean overlap of the labels of two different training subgraphs."""
    count = len(labels)
    if count < 2:
        return 1.0
    if labels.ndim == 1:
        return float((class_sizes * (class_sizes - 1)).sum() / (count * (count - 1)))
    if count * (count - 1) // 2 <= _PAIRS:
        first, second = np.triu_indices(count, 1)
    else:  # a sample, always the same
        rng = np.random.default_rng(0)
        first = rng.integers(0, count, _PAIRS)
        second = (first + rng.integers(1, count, _PAIRS)) % count
    return float(label_overlap(labels, first, second).mean())
