"""SubgraphClassifier: fit, predict, explain, save, in scikit-learn's manner."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self, get_args

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from .errors import ConfigError, DataError
from .ragged import Array
from .scoring import Answers, Explanation, Neighbor, Scorer, load_scorer, save_scorer
from .scoring.choices import choose, show_choices
from .scoring.given import in_order, query_of, task_labels, task_of
from .scoring.labels import encode_labels, truth_table
from .scoring.query import Unknown
from .scoring.scorer import Mode
from .scoring.training import Recipe, train
from .task import Split, SubgraphTask


class SubgraphClassifier(ClassifierMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Which class does a set of nodes belong to?

    ``fit(task)``, ``fit(graph, subgraphs, y)``, or, with ``graph`` given here, ``fit(subgraphs,
    y)``, which is what ``cross_val_score``, ``GridSearchCV`` and ``Pipeline`` call. Subgraphs are
    lists of node ids, a dict of such lists by name, a data frame with the columns ``subgraph_id``
    and ``node_id``, or :class:`Subgraphs`; ``y`` has one label a subgraph, or one list of labels,
    or a table of zeros and ones.

    Args:
        structure: ``separated``, ``connected``, ``s2n+0``, ``s2n+a``, ``cos2n+0``, ``cos2n+a``; or
            ``auto``: structure and convolution are chosen on validation within ``budget``.
        conv: ``gcn``, ``gcn2``, ``gin``, ``gatv2``, ``sage``, ``module:Class`` or a class; by
            default ``gcn2``.
        graph: The global graph, for ``fit(subgraphs, y)``.
        seeds: How many networks are averaged; their spread is the uncertainty.
        preset: As of :func:`sub2node.run`.
        settings: Replace single settings of the preset, as in ``{"lr": 0.01}``.
        budget: Seconds that ``auto`` may take to choose.
        validation: Share of the subgraphs to choose epochs and calibrate on, where the data has no
            validation part.
        class_weight: None, ``balanced``, or a dict of numbers by class.
        threshold: Of multi-label answers: ``half``, or the best on ``val``.
        unknown_nodes: A node that is not in the graph is an ``error``, or is ``drop``-ped.
        mode: ``independent``: an answer never depends on the others asked with it; ``joint``: all
            are in one graph, as the paper evaluates.
        device: ``auto``, ``cpu`` or ``cuda``, to train on.
        random_state: Of the split into training and validation.
        verbose: Print what ``auto`` tried.

    Attributes:
        classes_: The classes, as in ``y``.
        scorer_: The trained model.
        validation_: Scores on the validation part.
        test_: Scores on the test part of a task that has one, read once; else None.
        choices_: What ``auto`` tried.
        notes_: What to know, one sentence each.

    Example:
        >>> sets = [["TP53", "MDM2"], ["TP53"], ["CDKN1A"], ["INS", "IGF1"], ["INS"], ["IGF1"]]
        >>> model = SubgraphClassifier().fit(graph, sets, ["p53"] * 3 + ["insulin"] * 3)
        >>> model.predict_proba([["TP53", "CDKN1A"]])
    """

    def __init__(
        self,
        structure: str | None = "s2n+a",
        conv: str | Callable[..., Any] | None = None,
        *,
        graph: Any = None,
        seeds: int | Sequence[int] = 5,
        preset: str = "default",
        settings: Mapping[str, Any] | None = None,
        budget: float = 120.0,
        validation: float = 0.2,
        class_weight: str | Mapping[Any, float] | None = None,
        threshold: str = "half",
        unknown_nodes: str = "error",
        mode: str = "independent",
        device: str = "auto",
        random_state: int = 0,
        verbose: bool = False,
    ) -> None:
        self.structure = structure
        self.conv = conv
        self.graph = graph
        self.seeds = seeds
        self.preset = preset
        self.settings = settings
        self.budget = budget
        self.validation = validation
        self.class_weight = class_weight
        self.threshold = threshold
        self.unknown_nodes = unknown_nodes
        self.mode = mode
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, labels: Any = None) -> Self:
        """Learn; see the class for what may be given.

        Args:
            X: A task; or subgraphs (with ``y``); or a graph (with subgraphs and ``labels``).
            y: Labels; after a graph, the subgraphs.
            labels: After a graph and subgraphs, the labels.
        """
        self._check()
        task, classes = task_of(X, y, labels, graph=self.graph, unknown=self.unknown_nodes)
        task = self._split(task)
        recipe = self._recipe(classes)
        self.choices_: list[dict[str, Any]] = []
        if self.structure == "auto":
            found, self.choices_ = choose(task, recipe, self.budget)
            recipe = replace(recipe, structure=found.structure, conv=found.conv)
            if self.verbose:
                show_choices(self.choices_)
        self.scorer_ = train(task, recipe, choices=self.choices_)
        self._describe(classes)
        return self

    def _check(self) -> None:
        """Raise what can be known of the parameters before anything is done."""
        if self.mode not in get_args(Mode):
            raise ConfigError(f"a mode is independent or joint, not {self.mode!r}.")
        if self.threshold not in ("half", "val"):
            raise ConfigError(f"a threshold is 'half' or 'val', not {self.threshold!r}.")
        if self.unknown_nodes not in get_args(Unknown):
            raise ConfigError(f"unknown_nodes is error or drop here, not {self.unknown_nodes!r}.")
        if self.structure == "auto" and self.conv is not None:
            raise ConfigError("structure='auto' chooses the convolution too; leave conv away.")
        real = isinstance(self.validation, Real) and not isinstance(self.validation, bool)
        if not real or not 0 < self.validation < 1:
            raise ConfigError(f"validation is a share between 0 and 1, found {self.validation!r}.")
        real = isinstance(self.budget, Real) and not isinstance(self.budget, bool)
        if not real or not 0 < self.budget < math.inf:
            raise ConfigError(f"a budget is a number of seconds above 0, found {self.budget!r}.")
        if not isinstance(self.preset, str):
            raise ConfigError(f"a preset is a name or a path, found {self.preset!r}.")
        given = {} if self.settings is None else self.settings
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise ConfigError(f"settings are a dict as {{'lr': 0.01}}, found {self.settings!r}.")

    def _seeds(self) -> int | list[int]:
        if isinstance(self.seeds, Integral):
            return bool(self.seeds) if isinstance(self.seeds, bool) else int(self.seeds)
        found: list[Any] = []
        if isinstance(self.seeds, Iterable) and not isinstance(self.seeds, str):
            found = list(self.seeds)
        if not found or not all(isinstance(seed, Integral) for seed in found):
            raise ConfigError(f"seeds are a number, or a list of whole numbers: {self.seeds!r}.")
        return [int(seed) for seed in found]

    def _recipe(self, classes: Array) -> Recipe:
        auto = self.structure == "auto"
        return Recipe(
            structure=None if auto else self.structure, conv=self.conv, seeds=self._seeds(),
            preset=self.preset, settings=self.settings, class_weight=self.class_weight,
            threshold=self.threshold, device=self.device, classes=classes,
        )  # fmt: skip

    def _describe(self, classes: Array) -> None:
        card = self.scorer_.card
        self.classes_ = classes
        self.validation_, self.test_ = card.get("validation", {}), card.get("test")
        self.notes_ = tuple(card.get("notes", ()))

    def _split(self, task: SubgraphTask) -> SubgraphTask:
        """With training and validation parts, drawn where there are none."""
        codes = np.zeros(len(task), np.int8) if task.split is None else np.array(task.split.codes)
        if not (codes == 2).any():
            train = np.flatnonzero(codes == 0)
            assert task.labels is not None
            share = (1 - float(self.validation), float(self.validation), 0.0)
            drawn = Split.random(task.labels[train], fractions=share, seed=self._chance())
            codes[train] = drawn.codes
        if not (codes == 2).any() or not (codes == 0).any():
            raise DataError(
                f"too few subgraphs ({len(task)}) to learn from some and choose on others; give"
                " more, or a larger share for validation."
            )
        return task.with_split(Split(codes))

    def _chance(self) -> int:
        """A seed from ``random_state``, which may be all that scikit-learn takes."""
        if isinstance(self.random_state, Integral) and self.random_state >= 0:
            return int(self.random_state)
        try:
            return int(check_random_state(self.random_state).randint(2**31))
        except (TypeError, ValueError):
            raise ConfigError(
                f"random_state is a whole number from 0, found {self.random_state!r}."
            ) from None

    def _fitted(self) -> Scorer:
        if not hasattr(self, "scorer_"):
            raise NotFittedError("this SubgraphClassifier is not fitted yet; call fit or load.")
        return self.scorer_

    def answers(self, X: Any) -> Answers:
        """Probabilities, their spread over seeds, and the share of known nodes."""
        scorer = self._fitted()
        query = query_of(scorer.index, X, self.unknown_nodes)
        return scorer.predict(query, mode=self.mode)  # type: ignore[arg-type]

    def predict_proba(self, X: Any) -> Array:
        """Probability of each class, in the order of ``classes_``; (K, C)."""
        return self.answers(X).probabilities

    def predict(self, X: Any) -> Array:
        """The class of each subgraph, (K,); multi-label: zeros and ones, (K, C)."""
        said = self.answers(X).said
        if self._fitted().multilabel:
            return said.astype(np.int64)
        return np.asarray(self.classes_[said.argmax(axis=1)])

    def transform(self, X: Any) -> Array:
        """Vectors of subgraphs, those of all seeds side by side; (K, seeds · width)."""
        scorer = self._fitted()
        query = query_of(scorer.index, X, self.unknown_nodes)
        vectors, _ = scorer.outputs(query, mode=self.mode)  # type: ignore[arg-type]
        width = vectors.shape[0] * vectors.shape[2]
        return np.ascontiguousarray(vectors.swapaxes(0, 1)).reshape(len(query), width)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of :meth:`transform`."""
        scorer = self._fitted()
        width = scorer.known.config.model.hidden
        names = [f"seed{seed}_{i}" for seed in scorer.seeds for i in range(width)]
        return np.array(names, dtype=object)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy; of multi-label answers micro-F1."""
        from sklearn.metrics import accuracy_score, f1_score

        scorer = self._fitted()
        query = query_of(scorer.index, X, self.unknown_nodes)
        if y is None and isinstance(X, SubgraphTask):
            y = task_labels(X)
        y = in_order(y, query.names)
        said = scorer.predict(query, mode=self.mode).said  # type: ignore[arg-type]
        if scorer.multilabel:
            table = truth_table(y, len(query), self.classes_)
            return float(
                f1_score(table, said, average="micro", sample_weight=sample_weight, zero_division=0)
            )
        values, given = encode_labels(y, len(query))
        if values.ndim != 1:
            raise DataError("this model gives one class a subgraph, but y has several labels.")
        claimed, truth = self.classes_[said.argmax(axis=1)], given[values]
        kind = float if {claimed.dtype.kind, truth.dtype.kind} <= set("biuf") else str
        return float(
            accuracy_score(truth.astype(kind), claimed.astype(kind), sample_weight=sample_weight)
        )

    def explain(self, X: Any, label: str | None = None) -> list[Explanation]:
        """Why: what members and known subgraphs contribute to the probability of a class.

        Args:
            X: Subgraphs.
            label: The class; by default the likeliest of each.
        """
        scorer = self._fitted()
        query = query_of(scorer.index, X, self.unknown_nodes)
        return scorer.explain(query, label=None if label is None else str(label))

    def neighbors(self, X: Any, count: int = 10) -> list[list[Neighbor]]:
        """The most similar training subgraphs of each, by their vectors."""
        scorer = self._fitted()
        return scorer.neighbors(query_of(scorer.index, X, self.unknown_nodes), count=count)

    def save(self, path: str | Path, *, graph: str | None = None, overwrite: bool = False) -> Path:
        """Write a folder that :meth:`load`, ``s2n predict`` and ``s2n serve`` read.

        Args:
            path: The folder.
            graph: Where the data lies, to refer to its graph instead of including it.
            overwrite: Whether a model that is there may be replaced.
        """
        scorer = self._fitted()
        kinds = {"estimator": self._kept(), "labels": self.classes_.tolist()}
        known = replace(scorer, card={**scorer.card, **kinds})
        return save_scorer(known, path, graph=graph, overwrite=overwrite)

    def _kept(self) -> dict[str, Any]:
        """Parameters that a saved model remembers."""
        names = ("preset", "budget", "validation", "threshold", "unknown_nodes", "mode",
                 "random_state")  # fmt: skip
        config = self._fitted().known.config
        structure = {"structure": config.structure, "conv": config.conv}
        given = {name: getattr(self, name) for name in names}
        return {**structure, **{name: _plain(value) for name, value in given.items()}}

    @classmethod
    def load(cls, path: str | Path, *, graph: Any = None, conv: Any = None) -> SubgraphClassifier:
        """Read what :meth:`save` wrote.

        Args:
            path: The folder.
            graph: The global graph, where the folder only refers to one.
            conv: The convolution class, where it is one of your own.
        """
        scorer = load_scorer(path, graph=graph, conv=conv)
        known = scorer.card.get("estimator", {})
        options = {name: value for name, value in known.items()
                   if name in cls._get_param_names() and value is not None}  # fmt: skip
        model = cls(**{**options, "seeds": list(scorer.seeds)})
        model.conv = conv if conv is not None else model.conv
        try:
            model._check()
        except ConfigError as error:
            raise DataError(f"model.json: {error}", path=path) from None
        model.scorer_ = scorer
        model.choices_ = scorer.card.get("choices", [])
        model._describe(np.array(scorer.card.get("labels", scorer.classes)))
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "scorer_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        tags.classifier_tags.multi_label = True
        return tags


def _plain(value: Any) -> Any:
    """A value as JSON keeps it; what it cannot keep is left away."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, str | int | float | bool) else None
