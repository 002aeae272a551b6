"""A subgraph task: one graph, many subgraphs, their labels and their split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..base.errors import DataError
from ..base.plural import plural
from ..base.ragged import Array, distinct, frozen, integers
from .attributes import SubgraphAttributes
from .content_hash import digest
from .graph import Graph
from .impute_features import impute_anew
from .learnable import require_learnable
from .split import PARTS, Split
from .subgraphs import Subgraphs
from .task_checks import (
    check_labels,
    check_lengths,
    check_members,
    check_order,
    read_split_words,
    renumber_order,
)
from .task_views import labels_of_input, lists_of_labels, task_data, task_frame, task_html

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from torch_geometric.data import Data

    from . import reading_options as policies
    from .edges import Repeated
    from .frames import TableLike


@dataclass(frozen=True, eq=False, repr=False)
class SubgraphTask:
    """Global graph, subgraphs, labels and split, checked once and then immutable.

    The rows of a task are its subgraphs in the order train, virtual, val, test (inside each, as
    they came), so that what a stage sees is always a leading block. ``labels``, ``subgraphs``,
    ``split`` and the S2N graph have this order, and :attr:`subgraph_ids` says which row is what.
    Results for people (answers, frames, saved tables) come in the order of the input instead, with
    ids: compare them with :attr:`input_labels`, never with ``labels``. Subgraphs that the split
    leaves out are dropped.

    Args:
        graph: The global graph.
        subgraphs: Node sets of it, none of them empty.
        labels: (M,) class numbers by row, not in the order of the input; (M, C) booleans for
            multi-label; None for no labels. Virtual subgraphs have -1, or a row of False.
        class_names: One name per class; by default the numbers.
        split: The part of each subgraph; None: not split yet.
        name: What to call the data in outputs.
        notes: What reading the data did to it, one sentence each.
        input_order: The row of each subgraph in the order of the input, a permutation (M,); by
            default the order in which the subgraphs are given here. Not part of the content hash.
        attributes: What else is known of the subgraphs, such as publication or date: texts by name,
            one per subgraph, '' where there is none. Not part of the content hash.
        unlabelled: Subgraphs of the same graph that came without a label where others have one, as
            a task without labels: nothing trains on them, and a model answers for them as for any
            new ones. Not part of the content hash.
    """

    graph: Graph
    subgraphs: Subgraphs
    labels: Array | None = None
    class_names: tuple[str, ...] = ()
    split: Split | None = None
    name: str = ""
    notes: tuple[str, ...] = ()
    input_order: Array = None  # type: ignore[assignment]  # __post_init__ makes it an array
    attributes: SubgraphAttributes = field(default_factory=SubgraphAttributes)
    unlabelled: SubgraphTask | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        if self.labels is not None:
            labels: Any = self.labels
            if np.ndim(labels) == 1:
                labels = integers(labels, "labels (class numbers; names go in class_names)")
            put(self, "labels", frozen(labels, np.int64 if np.ndim(labels) == 1 else np.bool_))
        put(self, "notes", tuple(self.notes))
        if not isinstance(self.attributes, SubgraphAttributes):
            put(self, "attributes", SubgraphAttributes(self.attributes))
        check_lengths(self)
        put(self, "input_order", check_order(self.input_order, len(self.subgraphs)))
        if self.split is not None and not np.array_equal(self.split.order, range(len(self.split))):
            order = self.split.order
            put(self, "subgraphs", self.subgraphs.take(order))
            put(self, "labels", None if self.labels is None else frozen(self.labels[order]))
            put(self, "split", Split(self.split.codes[order]))
            put(self, "attributes", self.attributes.take(order))
            put(self, "input_order", frozen(renumber_order(self.input_order, order)))
        check_members(self)
        put(self, "class_names", check_labels(self))
        if self.unlabelled is not None and self.unlabelled.graph is not self.graph:
            put(self, "unlabelled", replace(self.unlabelled, graph=self.graph))

    @classmethod
    def from_tables(
        cls,
        edges: TableLike,
        members: TableLike,
        labels: TableLike | None = None,
        *,
        nodes: TableLike | None = None,
        subgraph_edges: TableLike | None = None,
        excluded: TableLike | None = None,
        aliases: TableLike | None = None,
        columns: Mapping[str, str] | None = None,
        unknown_nodes: policies.UnknownNodes = "error",
        repeated: Repeated = "same",
        na_labels: policies.NaLabels = "missing",
        label_case: policies.LabelCase = "merge",
        unlabelled: policies.Unlabelled = "keep",
        missing_features: policies.MissingFeatures = "error",
        bad_weights: policies.BadWeights = "error",
        bad_rows: policies.BadRows = "error",
        label_separator: str | None = None,
        node_separator: str | None = None,
        na_words: Sequence[str] = (),
        directed: bool = False,
        node_features: Sequence[str] | None = None,
        name: str = "",
    ) -> SubgraphTask:
        """Make a task from data frames (pandas, Polars, Arrow or dicts); ids may be strings.

        Args:
            edges: Columns ``source, target[, weight]``, one undirected edge per row.
            members: Columns ``subgraph_id, node_id[, weight]``, one member per row.
            labels: Columns ``subgraph_id, label[, split][, title]``, one row per subgraph, or
                several rows (or a list as label) where it has several labels. Other columns are
                kept as :attr:`attributes`. Results come in the order of this table; without it, in
                the order of the members.
            nodes: Columns ``node_id[, title]`` and numeric columns, which become features; gives
                the nodes their order and may name isolated ones.
            subgraph_edges: Columns ``subgraph_id, source, target``: the edges of each subgraph,
                where they are not all the edges of the graph between its members.
            excluded: The same columns for absent nodes; or a column ``excluded`` of ``members``.
            aliases: Columns ``alias, node_id[, kind]``: other names of nodes. Members may be given
                by them too, by titles, and by ids in another case.
            columns: Your column for ours, ``{"source": "payer"}``, ``{"labels.title": "disease"}``.
            unknown_nodes: A member that is not in the graph is an ``error``, or is ``drop``-ped, or
                the whole subgraph is (``ignore-subgraph``); ``task.notes`` counts them.
            repeated: A repeated edge has the ``same`` weight, or ``sum`` or ``max`` is taken.
            na_labels: Labels that read NA, nan, NULL or None: ``missing``, or classes to ``keep``.
            label_case: ``Fraud`` and ``fraud`` are one class (``merge``), or two (``keep``).
            unlabelled: Subgraphs without a label: ``keep`` (as :attr:`unlabelled`) or ``drop``.
            missing_features: Missing numbers of nodes: ``error``, or ``impute`` the median.
            bad_weights: Weights that are not above 0: ``error``, ``drop`` (their rows) or ``one``.
            bad_rows: Rows that cannot be used: ``error`` or ``drop``; see :class:`ReadingOptions`.
            label_separator: What separates several labels in one value, as ``|``.
            node_separator: What separates several nodes in one value of members, as ``;``.
            na_words: Words for a missing value beside NA, nan, NULL and None, as ``["-"]``.
            directed: Whether edges go from source to target: each row is kept, with its columns of
                numbers as features; ``border`` inputs tell senders from receivers.
            node_features: The columns of ``nodes`` that become features: numbers as they are, text
                as one column for each category; None: all columns of numbers.
            name: What to call the data in outputs.
        """
        from .assemble import assemble
        from .reading_options import Reading, ReadingOptions

        options = ReadingOptions(
            unknown_nodes=unknown_nodes,
            repeated=repeated,
            na_labels=na_labels,
            label_case=label_case,
            unlabelled=unlabelled,
            missing_features=missing_features,
            bad_weights=bad_weights,
            bad_rows=bad_rows,
            label_separator=label_separator,
            node_separator=node_separator,
            na_words=na_words,
            directed=directed,
        )
        return assemble(
            edges,
            members,
            labels,
            nodes=nodes,
            subgraph_edges=subgraph_edges,
            excluded=excluded,
            aliases=aliases,
            columns=columns or {},
            reading=Reading(options),
            node_features=node_features,
            name=name,
        )

    def __len__(self) -> int:
        return len(self.subgraphs)

    @property
    def subgraph_ids(self) -> list[str]:
        """The id of each row: its name, or its number where it has none."""
        names = self.subgraphs.names
        return list(map(str, range(len(self)))) if names is None else list(names)

    def in_input_order(self, values: ArrayLike) -> Array:
        """Values that stand row by row, such as ``labels``, in the order of the input.

        Args:
            values: One value, or one row of values, per subgraph.
        """
        array = np.asarray(values)
        if array.shape[:1] != (len(self),):
            count = len(array) if array.ndim else 1
            raise DataError(f"{plural(count, 'value')} for {plural(len(self), 'subgraph')}.")
        return np.asarray(array[self.input_order])

    @cached_property
    def input_subgraphs(self) -> Subgraphs:
        """The subgraphs in the order of the input, each under its id."""
        in_order = np.array_equal(self.input_order, np.arange(len(self)))
        return self.subgraphs if in_order else self.subgraphs.take(self.input_order)

    @property
    def input_labels(self) -> Array:
        """The labels in the order of the input, as a model's ``predict`` gives its answers.

        Names of classes, (M,), '' for a virtual subgraph; multi-label: zeros and ones, (M, C).

        Example:
            >>> (model.predict(task) == task.input_labels).mean()
        """
        return labels_of_input(self)

    @property
    def excluded(self) -> Subgraphs | None:
        """Nodes that were looked for and are absent, one set per row; None: none."""
        return self.subgraphs.excluded

    def without_excluded(self) -> SubgraphTask:
        """The same task with its members only."""
        return replace(self, subgraphs=replace(self.subgraphs, excluded=None))

    @property
    def multilabel(self) -> bool:
        """Whether a subgraph may have several labels."""
        return self.labels is not None and self.labels.ndim == 2

    @property
    def num_virtual(self) -> int:
        """Virtual subgraphs; 0 without a split."""
        return 0 if self.split is None else self.split.count("virtual")

    @property
    def num_classes(self) -> int:
        """C; 0 without labels."""
        return len(self.class_names)

    @cached_property
    def hash(self) -> str:
        """Content hash that names the data; name, notes and attributes do not count."""
        return digest(
            "task",
            self.graph.hash,
            self.subgraphs.hash,
            self.labels,
            self.class_names,
            None if self.split is None else self.split.codes,
        )

    def induced_edges(self) -> tuple[Array, Array]:
        """Edges of the graph inside each subgraph; see :meth:`Subgraphs.induced_edges`."""
        return self.subgraphs.induced_edges(self.graph)

    def internal_edges(self) -> tuple[Array, Array]:
        """The subgraphs' own edges where they were given, else the induced ones."""
        return self.subgraphs.internal_edges(self.graph)

    def members(self, subgraph: int | str) -> list[str]:
        """Ids of the nodes of a subgraph, which is given by its row or its name."""
        position = int(self._positions([subgraph])[0])
        nodes = self.subgraphs.nodes[
            self.subgraphs.ptr[position] : self.subgraphs.ptr[position + 1]
        ]
        names = self.graph.names
        return [str(node) if names is None else names[int(node)] for node in nodes]

    def subset(
        self,
        which: Array | Sequence[int] | Sequence[bool] | Sequence[str],
        *,
        keep_input_order: bool = False,
    ) -> SubgraphTask:
        """The task with some of its subgraphs.

        Args:
            which: Rows, a mask over the rows, or names. The subset's input order is that of
                ``which`` (of a mask, that of the rows), so that answers for ``task.subset(which)``
                and ``task.labels[which]`` go together.
            keep_input_order: Whether the subset has the order of this task's input instead.
        """
        positions = self._positions(which)
        if len(distinct(positions)) != len(positions):
            raise DataError("a subset takes each subgraph at most once.")
        order = np.arange(len(positions))
        if keep_input_order:
            order = renumber_order(self.input_order, positions)
        return replace(
            self,
            subgraphs=self.subgraphs.take(positions),
            labels=None if self.labels is None else self.labels[positions],
            split=None if self.split is None else Split(self.split.codes[positions]),
            input_order=order,
            attributes=self.attributes.take(positions),
        )

    def _positions(self, which: ArrayLike) -> Array:
        values = np.asarray(which)
        if values.ndim != 1:
            raise DataError("a subset is a flat list of positions, names, or a mask.")
        if values.dtype.kind in "UTO" and len(values):
            names = self.subgraphs.names
            positions = names.find(values.tolist()) if names is not None else np.array([-1])
            if (positions < 0).any():
                unknown = str(values[int(np.argmax(positions < 0))])
                raise DataError(f"no subgraph is named {unknown!r}.")
            return positions
        if values.dtype.kind == "b":
            if values.shape != (len(self),):
                raise DataError(f"a mask of {len(values)} for {len(self):,} subgraphs.")
            return np.flatnonzero(values)
        values = integers(values, "positions of subgraphs")
        if len(values) and not (values.min() >= 0 and values.max() < len(self)):
            raise DataError(f"positions of subgraphs lie in 0…{len(self) - 1}.")
        return values

    def with_split(self, split: Split | Sequence[str] | Mapping[str, str]) -> SubgraphTask:
        """The task split anew; the order of its input stays.

        Where missing features were imputed, they are set to the medians of the new training part.

        Args:
            split: A :class:`Split` of the rows; or one word (train, val, test) per subgraph, by id
                or in the order of the input.

        Example:
            >>> task.with_split(Split.random(task.labels, seed=1))
            >>> task.with_split(task.split.per_class(task.labels, n=10))
        """
        split = split if isinstance(split, Split) else read_split_words(self, split)
        task = replace(self, split=split)
        require_learnable(task, parts=())
        return impute_anew(task)

    def label_counts(self) -> Array:
        """Subgraphs of each class in each part: int64 (4, C), by :class:`SplitCode`."""
        table = np.zeros((len(PARTS), self.num_classes), dtype=np.int64)
        if self.labels is None:
            return table
        codes = np.zeros(len(self), np.int64) if self.split is None else self.split.codes
        if self.multilabel:
            np.add.at(table, codes, self.labels)
        else:
            labelled = self.labels >= 0
            np.add.at(table, (codes[labelled], self.labels[labelled]), 1)
        return table

    def label_lists(self) -> pa.ListArray:
        """The class names of each row, as an Arrow list array of text (needs labels)."""
        return lists_of_labels(self)

    def to_pyg(self) -> Data:
        """The task as one ``torch_geometric.data.Data`` (needs torch).

        ``edge_index`` has both directions and the self-loops, ``edge_weight`` and ``x`` where they
        exist; ``membership_index`` and ``excluded_index`` (2, K) pair subgraph and node; ``y`` and
        ``part`` (numbers as in ``PARTS``) are per row, and ``subgraph_ids`` names the rows.
        """
        return task_data(self)

    def to_frame(self) -> pd.DataFrame:
        """The subgraphs as a pandas data frame, one row each, in the order of the input.

        Columns ``subgraph_id`` (text) and ``size``; ``label``, ``split``, ``title`` and attributes
        where the task has them. ``label`` is a list in multi-label data; virtual subgraphs have
        none.
        """
        return task_frame(self)

    def _repr_html_(self) -> str:
        return task_html(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SubgraphTask) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing in it can change

    def __repr__(self) -> str:
        kind = "multi-label" if self.multilabel else "classes"
        return (
            f"SubgraphTask({self.name or self.hash[:8]}: {self.graph!r}, {len(self):,} subgraphs"
            + (f", {self.num_classes} {kind}" if self.labels is not None else ", no labels")
            + (f", {self.split!r})" if self.split is not None else ", not split)")
        )
