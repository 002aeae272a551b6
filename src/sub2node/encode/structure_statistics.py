"""Exact statistics of how nodes and subgraphs lie in the graph; nothing here is learned."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from ..base.errors import ConfigError
from ..base.progress import step
from ..base.ragged import Array, blocks, owners
from ..task import Graph, SubgraphTask, measure
from ..task.subgraph_measures import core_numbers, ratio
from ..task.whole_graph import require_loaded
from .border import BORDER_HOPS, border_inputs
from .encoding import Encoding, wanted_nodes

NODE_COLUMNS = (
    "degree",
    "core_number",
    "clustering",
    "least_degree_around",
    "largest_degree_around",
    "mean_degree_around",
    "sd_degree_around",
)
SUBGRAPH_COLUMNS = (
    "size",
    "internal_edges",
    "density",
    "boundary_edges",
    "cut_ratio",
    "components",
    "mean_core",
    "mean_degree",
    "sd_degree",
    "mean_inner_degree",
    "sd_inner_degree",
)
_SHARPNESS, _HEIGHT = 6, 5.0  # of steps; by rehearsal on the training and validation parts
_TINY = 1e-12
_SCRATCH = 16 << 20  # bytes of numbers that become inputs together
_WEDGES = 1 << 24  # paths of two edges that are looked at together


def node_statistics(graph: Graph) -> Array:
    """Degree, core number, clustering and the local degree profile of all nodes; (N, 7).

    Columns are named by :data:`NODE_COLUMNS`: the last four are the least, the largest, the mean
    and the standard deviation of the neighbours' degrees. Self-loops and weights do not count;
    isolated nodes have 0 throughout.
    """
    require_loaded(graph, "the encoding by statistics of nodes")
    degrees = graph.degrees.astype(np.float64)
    pairs = degrees * (degrees - 1) / 2
    clustering = ratio(triangles(graph), pairs)
    cores = core_numbers(graph.indptr, graph.indices)
    around = degrees[graph.indices]
    mean = ratio(_row_sums(graph, around), degrees)
    spread = around - np.repeat(mean, graph.degrees)
    sd = np.sqrt(ratio(_row_sums(graph, spread**2), degrees))
    joined = np.flatnonzero(graph.degrees)
    least, largest = np.zeros(graph.num_nodes), np.zeros(graph.num_nodes)
    if len(joined):
        least[joined] = np.minimum.reduceat(around, graph.indptr[joined])
        largest[joined] = np.maximum.reduceat(around, graph.indptr[joined])
    return np.stack([degrees, cores, clustering, least, largest, mean, sd], axis=1)


def structure(graph: Graph, *, nodes: ArrayLike | None = None) -> Encoding:
    """Node statistics as model inputs: counts as log(1 + x), columns of mean 0 and sd 1."""
    start, wanted = time.perf_counter(), wanted_nodes(nodes, graph.num_nodes)
    values = _compress_counts(node_statistics(graph), NODE_COLUMNS)
    facts = {"column_names": list(NODE_COLUMNS), "seconds": time.perf_counter() - start}
    return Encoding("structure", wanted, standardized(values, values)[wanted], facts)


def triangles(graph: Graph) -> Array:
    """Triangles that each node is in: int64 (N,).

    Edges point from the end of lower degree to the other, so no node has more than √(2E) of them
    and hubs cost nothing. A triangle a → b → c, a → c is counted once as a path that an edge closes
    (for a and c) and once as a fork that an edge closes (for b).
    """
    indptr, indices = graph.uphill
    size = graph.num_nodes
    ones = np.ones(len(indices), np.int64)
    up = sp.csr_array((ones, indices, indptr), shape=(size, size))
    down = up.T.tocsr()
    counts = np.zeros(size, np.int64)
    reach = np.diff(indptr)
    for left, ends in ((up, True), (down, False)):
        costs = left @ reach
        for first, last in blocks(costs + 1, _WEDGES):
            step("Counting triangles", first, size, f"{size:,} nodes")
            closed = (left[first:last] @ up).multiply(up[first:last]).tocsr()
            counts[first:last] += closed.sum(axis=1)
            if ends:
                counts += closed.sum(axis=0)
    step("Counting triangles", size, size)
    return counts


def subgraph_statistics(task: SubgraphTask) -> Array:
    """Size, edges, density, boundary, cut ratio, components, cores, degrees; (M, 11).

    One row per row of the task, see ``task.subgraph_ids``.
    Columns are named by :data:`SUBGRAPH_COLUMNS`. ``mean_core`` is that of the members within
    their own subgraph; ``degree`` is in the global graph, ``inner_degree`` in the subgraph.
    """
    measures = measure(task.graph, task.subgraphs)
    columns = (
        measures.sizes,
        measures.edges,
        measures.density,
        measures.boundary,
        measures.cut_ratio,
        measures.components,
        measures.mean_core,
        *measures.degree_moments,
        *measures.inner_degree_moments,
    )
    return np.stack(columns, axis=1).astype(np.float64)


def subgraph_inputs(task: SubgraphTask, kind: str) -> Array:
    """What models read about each subgraph besides its nodes: float32 (M, F).

    Counts as log(1 + x), columns of mean 0 and sd 1 over the training subgraphs (all, where there
    is no split). Beside the statistics stand steps, negative below and positive above a value: a
    network is slow to find that a class begins at a certain density, so each column is cut, where
    its values tell the classes of the *training* subgraphs apart best, into four at most. A column
    and its steps are the larger the better it does so, or the others would drown it.

    Args:
        task: The task whose subgraphs are described.
        kind: ``structure``; ``wl``: Weisfeiler-Leman histograms; ``border``: summaries of what lies
            around; ``border2``: those of two hops. Of the many columns of a border, those that
            tell the classes apart better than most are raised above the others and have steps.
    """
    numbers = _numbers(task, kind)
    return _fit_scale(task, kind, _compressed(numbers, kind))._inputs_of(numbers)


@dataclass(frozen=True, eq=False)
class SubgraphScale:
    """How the statistics of any subgraph become model inputs: fitted to the training subgraphs.

    Args:
        kind: As for :func:`subgraph_inputs`.
        mean: Mean of each column over the training subgraphs, (F,).
        sd: Standard deviation of each column, (F,).
        heights: How large each column is made, (F,); None: as they are, without steps.
        edges: Where the steps of each column are.
    """

    kind: str
    mean: Array
    sd: Array
    heights: Array | None = None
    edges: tuple[Array, ...] = ()

    @classmethod
    def of(cls, task: SubgraphTask, kind: str) -> SubgraphScale:
        """The scale that fits the training subgraphs of a task."""
        return _fit_scale(task, kind, _raw_inputs(task, kind))

    @classmethod
    def plain(cls, task: SubgraphTask, kind: str) -> SubgraphScale:
        """Mean 0 and sd 1 over the training subgraphs of a task; no label is read."""
        return _plain_scale(task, kind, _raw_inputs(task, kind))

    def inputs(self, task: SubgraphTask) -> Array:
        """Of all subgraphs of a task, not only of the one it was fitted to; float32 (M, F)."""
        return self._inputs_of(_numbers(task, self.kind))

    def _inputs_of(self, numbers: Array) -> Array:
        """Inputs some rows at a time: on the way numbers take eight times the memory."""
        steps = sum(map(len, self.edges))
        inputs = np.empty((len(numbers), numbers.shape[1] + steps), np.float32)
        rows = max(_SCRATCH // (8 * max(inputs.shape[1], 1)), 1)
        for first in range(0, len(numbers), rows):
            some = _compressed(numbers[first : first + rows], self.kind)
            inputs[first : first + rows] = self._inputs(some)
        return inputs

    def _inputs(self, values: Array) -> Array:
        even = np.asarray((values - self.mean) / self.sd)
        if self.heights is None:
            return even.astype(np.float32)
        raised = [
            _HEIGHT * height * np.where(column[:, None] > edges, 1.0, -1.0)
            for height, column, edges in zip(self.heights, values.T, self.edges, strict=True)
        ]
        return np.concatenate([self.heights * even, *raised], axis=1).astype(np.float32)


def _raw_inputs(task: SubgraphTask, kind: str) -> Array:
    """Numbers of each subgraph, counts as log(1 + x), those of a border as sign(x) log(1 + |x|)."""
    return _compressed(_numbers(task, kind), kind)


def _numbers(task: SubgraphTask, kind: str) -> Array:
    """Numbers of each subgraph as they are."""
    if kind in BORDER_HOPS:
        return border_inputs(task, hops=BORDER_HOPS[kind]).values
    if kind == "wl":
        from .weisfeiler_leman import weisfeiler_leman

        return np.asarray(weisfeiler_leman(task))
    if kind != "structure":
        raise ConfigError(f"subgraph inputs are structure, wl, border or border2, not {kind!r}.")
    return subgraph_statistics(task)


def _compressed(numbers: Array, kind: str) -> Array:
    """Large ones nearer to the others: each number by itself."""
    if kind in BORDER_HOPS:
        values = numbers.astype(np.float64)
        return np.asarray(np.copysign(np.log1p(np.abs(values)), values))
    if kind == "wl":
        return np.asarray(np.log1p(numbers))
    return _compress_counts(numbers, SUBGRAPH_COLUMNS)


def _fit_scale(task: SubgraphTask, kind: str, values: Array) -> SubgraphScale:
    plain, train = _plain_scale(task, kind, values), _training_rows(task)
    if kind == "wl" or task.labels is None or not len(task.labels[train]):
        return plain
    gains, edges = _fit_steps(values[train], task.labels[train])
    if kind == "structure":
        return replace(plain, heights=gains**_SHARPNESS, edges=edges)
    length = np.sqrt((gains**2).mean())
    if length <= _TINY:
        return plain
    heights = gains / length  # all columns together are as large as before
    steps = [own if high else own[:0] for own, high in zip(edges, heights > 1, strict=True)]
    return replace(plain, heights=heights, edges=tuple(steps))


def _plain_scale(task: SubgraphTask, kind: str, values: Array) -> SubgraphScale:
    return SubgraphScale(kind, *_moments(values[_training_rows(task)]))


def _training_rows(task: SubgraphTask) -> Array | slice:
    return slice(None) if task.split is None else task.split.mask("train")


def _fit_steps(values: Array, labels: Array) -> tuple[Array, tuple[Array, ...]]:
    """How far each column tells the training classes apart, 0…1 (F,); and where its steps are.

    A tree of at most four leaves per column finds the steps; what share of the impurity of the
    classes they remove is how far it tells them apart.
    """
    from sklearn.tree import DecisionTreeClassifier

    gains, steps = [], []
    for column in values.T:
        model = DecisionTreeClassifier(max_leaf_nodes=4, min_samples_leaf=3, random_state=0)
        tree = model.fit(column[:, None], labels).tree_
        leaves, impurity = tree.feature < 0, tree.impurity * tree.weighted_n_node_samples
        gains.append(1 - impurity[leaves].sum() / max(impurity[0], _TINY))
        steps.append(np.sort(tree.threshold[~leaves]))
    return np.clip(gains, 0, 1), tuple(steps)


def standardized(values: Array, basis: Array) -> Array:
    """Columns with mean 0 and sd 1 over the rows of ``basis``; a constant column is 0 there."""
    mean, sd = _moments(basis)
    return np.asarray((values - mean) / sd)


def _moments(basis: Array) -> tuple[Array, Array]:
    if not len(basis):
        return np.zeros(basis.shape[1]), np.ones(basis.shape[1])
    mean, sd = basis.mean(axis=0), basis.std(axis=0)
    sd[sd < 1e-9 * (1 + np.abs(mean))] = 1
    return mean, sd


def _compress_counts(values: Array, columns: Sequence[str]) -> Array:
    """All but ratios as log(1 + x): degrees and counts have long tails."""
    ratios = np.isin(columns, ("density", "cut_ratio", "clustering"))
    return np.where(ratios, values, np.log1p(values))


def _row_sums(graph: Graph, values: Array) -> Array:
    return np.bincount(owners(graph.indptr), values, minlength=graph.num_nodes)
