"""What to do about data that is not as it should be: one option for each kind of problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from ..base.errors import ConfigError
from .edges import Repeated
from .missing_values import NA_WORDS
from .problems import Problems

UnknownNodes = Literal["error", "drop", "ignore-subgraph"]
NaLabels = Literal["missing", "keep"]
LabelCase = Literal["merge", "keep"]
Unlabelled = Literal["keep", "drop"]
MissingFeatures = Literal["error", "impute"]
BadWeights = Literal["error", "drop", "one"]
BadRows = Literal["error", "drop"]
_CHOICES = {
    "unknown_nodes": UnknownNodes,
    "repeated": Repeated,
    "na_labels": NaLabels,
    "label_case": LabelCase,
    "unlabelled": Unlabelled,
    "missing_features": MissingFeatures,
    "bad_weights": BadWeights,
    "bad_rows": BadRows,
}


@dataclass(frozen=True)
class ReadingOptions:
    """What reading does about each kind of problem.

    Args:
        unknown_nodes: Members that the graph does not have.
        repeated: What an edge that is given again means.
        na_labels: Whether labels that read NA, nan, NULL or None are missing, or classes to keep.
        label_case: Whether labels of three letters and more that differ in case only are one class.
        unlabelled: Subgraphs without a label where others have one: ``keep`` them apart, to be
            scored and never trained on, or ``drop`` them.
        missing_features: Numbers of nodes that are missing: ``impute`` takes the median of the
            column, and adds a column that says where.
        bad_weights: Weights that are missing, 0, negative or not finite: ``drop`` the row, or take
            ``one`` as the weight.
        bad_rows: Rows that cannot be used: ``drop`` them. Such are lines of another length than the
            header, rows without an id, empty subgraphs, ids given again (the first counts), labels
            without members, a second label where few subgraphs have several, edges to nodes that
            the nodes table does not have.
        label_separator: What separates several labels in one value, as ``|``.
        node_separator: What separates several nodes in one value of a table of members, as ``;``.
        na_words: Words for a missing value of your own, as ``-``, beside NA, nan, NULL and None:
            in labels, numbers, categories, attributes and weights. Ids that read so are missing;
            of the usual words, ids may be such.
        directed: Whether edges go from source to target, each row of their table one of its own,
            and have their columns of numbers as features.
        no_header: Whether text tables of edges, members and labels have no header line, unless it
            names a column of ours. Edges and members without one are recognised otherwise by an id
            of the first line that comes again.
    """

    unknown_nodes: UnknownNodes = "error"
    repeated: Repeated = "same"
    na_labels: NaLabels = "missing"
    label_case: LabelCase = "merge"
    unlabelled: Unlabelled = "keep"
    missing_features: MissingFeatures = "error"
    bad_weights: BadWeights = "error"
    bad_rows: BadRows = "error"
    label_separator: str | None = None
    node_separator: str | None = None
    na_words: Sequence[str] = ()
    directed: bool = False
    no_header: bool = False

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value, allowed = getattr(self, name), get_args(choices)
            if value not in allowed:
                raise ConfigError(f"{name} is one of {', '.join(allowed)}, not {value!r}.")
        for name in ("label_separator", "node_separator"):
            separator = getattr(self, name)
            if separator is not None and not separator.strip(" \r\n"):
                raise ConfigError(f"{name} is one or more characters, as '|'.")
        if isinstance(self.na_words, str) or not all(self.na_words):
            raise ConfigError(f"na_words is a list of words, found {self.na_words!r}.")
        object.__setattr__(self, "na_words", tuple(word.strip() for word in self.na_words))
        if self.directed and self.repeated != "same":
            raise ConfigError(
                "directed edges are kept as they come, also those between the same two nodes; omit"
                " repeated (--repeated)."
            )

    @property
    def missing_words(self) -> frozenset[str]:
        """All words for a missing value, the usual ones and the user's own."""
        return NA_WORDS | frozenset(self.na_words)

    @property
    def missing_labels(self) -> frozenset[str]:
        """Words for a missing label."""
        return frozenset(self.na_words) if self.na_labels == "keep" else self.missing_words


@dataclass(frozen=True)
class Reading:
    """How data is read, and what was found wrong with it on the way.

    Args:
        options: What to do about problems.
        problems: Those that were found.
        without_split: Whether a column of parts is not read, as the task is split anew.
    """

    options: ReadingOptions = field(default_factory=ReadingOptions)
    problems: Problems = field(default_factory=Problems)
    without_split: bool = False
