"""The S2N graph: one node per subgraph, weights raw or normalised, stages as leading blocks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ..base.errors import ConfigError, DataError
from ..base.plotting import draw
from ..base.ragged import Array, SparseMatrix, owners
from ..task import Names, Part, Split, Subgraphs
from .edge_weights import Direction, EdgeWeights, LinearEdgeWeights, Side
from .graph_views import graph_data, graph_frame, graph_html
from .memory_limits import Limit
from .product import Keep, rows
from .weight_statistics import Statistics

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from torch_geometric.data import Data

    from ..task import SubgraphTask

EXACT = 2**24  # counts below this are exact in float32


@dataclass(frozen=True)
class TranslationOptions:
    """How a graph was translated; kept with it.

    Args:
        te: T_e by name, or ``operator`` for one that the user brought.
        self_loops: Whether A + I stands for A.
        max_distance: The most hops that count, for ``shortest_path``.
        cut: Standard score at or below which entries were dropped; None: all are there.
        min_weight: Weight below which entries were dropped.
        top_k: Entries kept per row besides the diagonal; more where the other end keeps them.
        a: Lower end of the scores that were normalised to 0…1; None: weights are raw.
        delta: Width of that range.
        weighted: Whether scores above 0 stayed what they are; else they became 1.
        direction: Which directed edges count for W_ij: those from i to j (``out``), from j to i
            (``in``), or both.
    """

    te: str = "edges"
    self_loops: bool = True
    max_distance: int = 2
    cut: float | None = None
    min_weight: float | None = None
    top_k: int | None = None
    a: float | None = None
    delta: float | None = None
    weighted: bool = True
    direction: Direction = "both"

    @property
    def symmetric(self) -> bool:
        """Whether W_ij = W_ji."""
        return self.direction == "both"

    @property
    def complete(self) -> bool:
        """Whether every non-zero weight is there."""
        return self.cut is None and not self.min_weight and self.top_k is None


@dataclass(frozen=True)
class Source:
    """What new subgraphs are attached to: edge weights, and membership of the translated ones.

    Args:
        edge_weights: How two subgraphs are joined.
        membership: M, (M, N); with excluded nodes [M | M⁻], (M, 2N).
        signed: Whether excluded nodes are there.
    """

    edge_weights: EdgeWeights
    membership: SparseMatrix
    signed: bool = False
    _sides: dict[int, Side] = field(default_factory=dict)

    @property
    def num_nodes(self) -> int:
        """N."""
        return int(self.membership.shape[1]) // (2 if self.signed else 1)

    def rows_of(self, new: Subgraphs) -> SparseMatrix:
        """New subgraphs as rows like those of ``membership``."""
        make = new.signed_membership if self.signed else new.membership
        return make(self.num_nodes, self.membership.dtype)

    def first(self, count: int) -> Side:
        """The first subgraphs as a side of a product, made once."""
        if count not in self._sides:
            self._sides[count] = Side(self.membership[:count])
        return self._sides[count]

    def widened(self, new: Subgraphs) -> Source:
        """The same in float64, where new subgraphs may give weights that float32 cannot hold."""
        edge_weights = self.edge_weights
        if self.membership.dtype == np.float64 or not isinstance(edge_weights, LinearEdgeWeights):
            return self
        degrees = np.diff(edge_weights.operator.indptr)[: self.num_nodes]
        weighted = [sets.weights for sets in (new, new.excluded) if sets is not None]
        if all(weights is None for weights in weighted) and largest_possible(degrees, new) < EXACT:
            return self
        diagonal = (
            None if edge_weights.diagonal is None else edge_weights.diagonal.astype(np.float64)
        )
        wide = LinearEdgeWeights(edge_weights.operator.astype(np.float64), diagonal)
        return Source(wide, self.membership.astype(np.float64), self.signed)


def largest_possible(degrees: Array, subgraphs: Subgraphs) -> int:
    """A bound on the counts: no weight exceeds the degrees of a subgraph's nodes, and its size."""
    around = degrees[subgraphs.nodes] + 1
    sums = np.bincount(subgraphs.owner, around, minlength=len(subgraphs))
    if subgraphs.excluded is not None:
        absent = subgraphs.excluded
        sums += np.bincount(absent.owner, degrees[absent.nodes] + 1, minlength=len(subgraphs))
    return int(sums.max(initial=0))


@dataclass(frozen=True, eq=False, repr=False)
class S2NGraph:
    """The S2N graph of a task.

    Args:
        weights: Â as CSR (M, M), in the order train, virtual, val, test; see :attr:`subgraph_ids`.
            Symmetric, unless one direction of directed edges was chosen.
        split: The part of each subgraph.
        statistics: Statistics of the train block of the raw weights.
        settings: How it was translated.
        task_hash: Content hash of the task it was made from.
        source: For attaching; None where the graph was read without its task.
        names: The id of each node; None: a node is called by its number.
    """

    weights: SparseMatrix
    split: Split
    statistics: Statistics
    settings: TranslationOptions = field(default_factory=TranslationOptions)
    task_hash: str = ""
    source: Source | None = None
    names: Names | None = None

    def __len__(self) -> int:
        return int(self.weights.shape[0])

    @property
    def subgraph_ids(self) -> list[str]:
        """The id of the subgraph that each row and column of the weights stands for."""
        return list(map(str, range(len(self)))) if self.names is None else list(self.names)

    @property
    def num_edges(self) -> int:
        """Joined pairs of different subgraphs; each direction by itself where they differ."""
        off_diagonal = self.weights.nnz - np.count_nonzero(self.weights.diagonal())
        return int(off_diagonal // (2 if self.settings.symmetric else 1))

    @property
    def normalized(self) -> bool:
        """Whether the weights lie in (0, 1]."""
        return self.settings.a is not None

    def stage(self, stage: Part) -> SparseMatrix:
        """What a stage sees: the leading block, CSR.

        ``train``: train and virtual subgraphs; ``val``: these and val; ``test``: all. Rows and
        columns are not in the order of the input: :attr:`subgraph_ids` says which is what.
        """
        size = self.split.visible(stage)
        return self.weights if size == len(self) else self.weights[:size, :size]

    def require_task(self, task: SubgraphTask) -> None:
        """Raise unless this is the graph of that task, as far as the graph knows."""
        if self.task_hash not in ("", task.hash) or len(self) != len(task):
            raise ConfigError("the graph was translated from another task than the one given.")

    def normalize(self, a: float, delta: float, *, weighted: bool = True) -> S2NGraph:
        """Weights by standard score, from 0 at ``a`` to 1 at ``a + delta`` and above (equation 3).

        The mean and standard deviation are those of the train block in every stage. Entries at or
        below ``a`` are gone. Works on raw weights and does not translate again.

        Args:
            a: Standard score of a weight that becomes 0.
            delta: Width of the range of scores up to weight 1.
            weighted: Whether entries have their weights; without, each that is left is 1.
        """
        if self.normalized:
            raise ConfigError("the weights are normalised already; normalize the raw graph.")
        if self.settings.cut is not None and a < self.settings.cut:
            raise ConfigError(
                f"entries up to a score of {self.settings.cut:g} were dropped in translation, so"
                f" a = {a:g} cannot be had; translate with a lower cut."
            )
        weights = normalized(self.weights, self.statistics, a, delta, weighted=weighted)
        settings = replace(self.settings, a=a, delta=delta, weighted=weighted)
        return replace(self, weights=weights, settings=settings)

    def attach(self, new: Subgraphs, *, to: Part = "train", among: bool = True) -> Attachment:
        """Weights of subgraphs that were not there at translation; costs only their rows.

        A ``min_weight`` of the translation holds for them too; ``cut`` and ``top_k`` do not.
        Excluded nodes count where those of the translated subgraphs did.

        Args:
            new: Node sets of the same graph.
            to: The stage whose subgraphs they are joined to.
            among: Whether the new ones are joined to each other too, not only to themselves.

        Returns:
            Raw weights, and :meth:`Attachment.normalize` for the scores of this graph.
        """
        if self.source is None:
            raise ConfigError(
                "this graph was read without its task; load it with task=… to attach."
            )
        if not isinstance(new, Subgraphs):
            raise ConfigError(f"attach takes Subgraphs, found {type(new).__name__}.")
        count, size = self.split.visible(to), self.source.num_nodes
        for sets, verb in ((new, "has"), (new.excluded, "excludes")):
            if sets is not None and len(sets.nodes) and sets.nodes.max() >= size:
                raise DataError(
                    f"a new subgraph {verb} node {sets.nodes.max()}; the graph has nodes"
                    f" 0…{size - 1}."
                )
        if (new.sizes == 0).any():
            raise DataError(f"new subgraph {int(np.argmin(new.sizes))} is empty; it needs a node.")
        source = self.source.widened(new)
        fresh = source.rows_of(new)
        keep = Keep(least=self.settings.min_weight or 0.0)

        def weights(side: Side) -> SparseMatrix:
            return rows(source.edge_weights, fresh, side, keep, limit=Limit(), what="Attaching")

        existing = weights(source.first(count))
        between = weights(Side(fresh)) if among else _own(source.edge_weights, fresh, keep)
        return Attachment(existing, between, self.statistics)

    def save(self, path: str | Path, task: SubgraphTask, *, overwrite: bool = False) -> Path:
        """Write a folder: weights as Parquet, ids and labels of the subgraphs, a JSON card."""
        from .graph_files import save_graph

        return save_graph(self, path, task, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path, *, task: SubgraphTask | None = None) -> S2NGraph:
        """Read what :meth:`save` or an engine wrote; give the task to attach new subgraphs."""
        from .graph_files import load_graph

        return load_graph(path, task=task)

    def to_frame(self, *, diagonal: bool = False) -> pd.DataFrame:
        """The edges as a pandas data frame: ``source``, ``target`` (ids) and ``weight``.

        Args:
            diagonal: Whether weights of subgraphs with themselves are rows too.
        """
        return graph_frame(self, diagonal=diagonal)

    def to_pyg(self, task: SubgraphTask | None = None) -> Data:
        """The graph as a ``torch_geometric.data.Data`` (extra ``pyg``), a node per subgraph.

        ``edge_index`` has both directions and the weights of subgraphs with themselves,
        ``edge_weight`` beside it; ``part`` is a number as in ``PARTS``, ``subgraph_ids`` names the
        nodes. What a stage sees is the leading block: the nodes below ``split.visible(stage)``.

        Args:
            task: The task it was made from: its labels become ``y``.
        """
        if task is not None:
            self.require_task(task)
        return graph_data(self, None if task is None else task.labels)

    def plot(self, task: SubgraphTask | None = None) -> Figure:
        """The graph as a Matplotlib figure; of a large one, some subgraphs and strong edges.

        A disc is a subgraph of train, a square one of val, a disc with a rim one of test.

        Args:
            task: The task it was made from: colours then show labels.
        """
        return draw("draw_graph", self, task=task)

    def _repr_html_(self) -> str:
        return graph_html(self)

    def __repr__(self) -> str:
        kind = "normalised" if self.normalized else "raw"
        return f"S2NGraph({len(self):,} nodes, {self.num_edges:,} edges, {kind}, {self.split!r})"


@dataclass(frozen=True)
class Attachment:
    """Rows for new subgraphs.

    Args:
        known: Weights of the new subgraphs, in their order, with the first n of the graph, CSR
            (K, n).
        new: Weights among the new ones, CSR (K, K).
        statistics: Statistics of the graph they are attached to.
        normalized: Whether the weights are scores.
    """

    known: SparseMatrix
    new: SparseMatrix
    statistics: Statistics
    normalized: bool = False

    def normalize(self, a: float, delta: float, *, weighted: bool = True) -> Attachment:
        """As :meth:`S2NGraph.normalize`, by the scores of the graph they are attached to."""
        if self.normalized:
            raise ConfigError("the rows are normalised already; normalize the raw ones.")
        known, new = (
            normalized(w, self.statistics, a, delta, weighted=weighted)
            for w in (self.known, self.new)
        )
        return replace(self, known=known, new=new, normalized=True)


def normalized(
    weights: SparseMatrix, statistics: Statistics, a: float, delta: float, *, weighted: bool = True
) -> SparseMatrix:
    """clamp((z - a) / delta) of a sparse matrix, entries at or below 0 gone, as float32.

    Without ``weighted`` the entries that are left are 1.
    """
    check_delta(delta)
    if not isinstance(a, int | float | np.number) or not np.isfinite(a):
        raise ConfigError(f"a, the score that becomes 0, is a number; found {a!r}.")
    least = statistics.weight_at(a)
    passed = weights.data > np.float64(max(least, 0))
    share = (weights.data[passed].astype(np.float64) - least) / (delta * statistics.std)
    inside = share > 0
    row = owners(weights.indptr)[passed][inside]
    ptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=weights.shape[0]))])
    data = np.minimum(share[inside], 1).astype(np.float32)
    tiny = np.finfo(np.float32).tiny  # a share too small for float32 must not become a zero
    data = np.maximum(data, tiny) if weighted else np.ones_like(data)
    return sp.csr_array((data, weights.indices[passed][inside], ptr), shape=weights.shape)


def _own(edge_weights: EdgeWeights, fresh: SparseMatrix, keep: Keep) -> SparseMatrix:
    """Weights of subgraphs with themselves, those that are kept; CSR (K, K)."""
    own = edge_weights.own(fresh)
    diagonal = np.flatnonzero(keep.mask(own))
    entries = (own[diagonal], (diagonal, diagonal))
    return sp.coo_array(entries, shape=(len(own), len(own))).tocsr()


def check_delta(delta: object) -> None:
    """Raise unless this is a width."""
    if not isinstance(delta, int | float | np.number) or not 0 < delta < np.inf:
        raise ConfigError(f"delta, the width of the range of scores, is positive; found {delta!r}.")


def task_split(task: SubgraphTask) -> Split:
    """The split of a task; all train where it has none."""
    return Split.sizes(train=len(task)) if task.split is None else task.split
