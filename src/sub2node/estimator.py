"""SubgraphClassifier: fit, predict, explain, save, in scikit-learn's manner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from .base.errors import ConfigError, DataError
from .base.notes import changed
from .base.plural import plural
from .base.ragged import Array
from .base.records import JsonObject
from .config.best_settings import NAME as BEST
from .evaluate.positive_class import PositiveClass
from .scoring import Answers, Explanation, Neighbor, Scorer, load_scorer, save_scorer
from .scoring.arguments import build_task, order_labels, query_of, task_labels
from .scoring.choices import choose_structure, describe_choice
from .scoring.growing_scorer import growing
from .scoring.label_encoding import encode_labels, truth_table
from .scoring.null_distribution import null_p_values
from .scoring.parameter_checks import check_parameters, learned_groups, read_seeds
from .scoring.training import Recipe, train
from .task import Split, SubgraphTask

if TYPE_CHECKING:
    from sklearn.utils import Tags  # since scikit-learn 1.6
    from torch import nn


class SubgraphClassifier(ClassifierMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Which class does a set of nodes belong to?

    ``fit(task)``, ``fit(graph, subgraphs, y)``, or, with the argument ``graph``, ``fit(subgraphs,
    y)``, which is what ``cross_val_score``, ``GridSearchCV`` and ``Pipeline`` call. Subgraphs are
    lists of node ids, a dict of such lists by name, a data frame with the columns ``subgraph_id``
    and ``node_id``, or :class:`Subgraphs`; ``y`` has one label per subgraph, or one list of
    labels, or is a table of zeros and ones. Answers and explanations come in the order of the
    subgraphs that were given; those for a task, and labels for it, in the order of its input.

    Args:
        structure: ``separated``, ``connected``, ``s2n+0``, ``s2n+a``, ``cos2n+0``, ``cos2n+a``; or
            ``auto``: structure and convolution are chosen on validation within ``budget``.
        conv: ``gcn``, ``gcn2``, ``gin``, ``gatv2``, ``sage``, ``fagcn``, ``module:Class`` or a
            class; by default ``gcn2``.
        model: Another model than the network of a structure: ``best``, an ensemble of several kinds
            of models within ``time_limit``; or a simple one, ``hops``, ``bag``, ``statistics``, ….
        time_limit: Seconds that ``best`` may take to learn.
        graph: The global graph, for ``fit(subgraphs, y)``.
        seeds: How many networks are averaged; their spread is the uncertainty.
        preset: Name or path of the preset, as in :func:`sub2node.run`.
        settings: Values that replace single settings of the preset, as in ``{"lr": 0.01}``.
        coarsen: For ``cos2n+0`` and ``cos2n+a``: ``METHOD:RATIO`` of the virtual subgraphs.
        encodings: Columns of your own that join the node features, (N, K), or an
            :class:`~sub2node.encode.Encoding` of all nodes.
        compare: Whether simple models are scored on validation beside this one, for the card.
        budget: Seconds that ``auto`` may take to choose.
        validation: Share of the subgraphs to choose epochs and calibrate on, where the data has no
            validation part.
        class_weight: None, ``balanced``, or a dict of numbers by class.
        threshold: Threshold of multi-label answers: ``half``, or the best on ``val``.
        positive: Name of the class that matters, of single-label data: the card then has the
            scores of its ranking and a threshold that is chosen on validation.
        unknown_nodes: A node that is not in the graph is an ``error``, or is ``drop``-ped.
        mode: ``independent``: an answer never depends on the others in a query; ``joint``: all
            are in one graph, as the paper evaluates.
        device: Device to train on: ``auto``, ``cpu`` or ``cuda``.
        compile: ``auto``: kernels and CUDA graphs on a GPU; ``off``: plain PyTorch.
        words: What the page and the case report call things: ``title``, ``question``,
            ``subgraph``, ``member``, ``label`` (singular nouns) and ``caution``; those that are not
            given follow from the data.
        random_state: Seed of the split into training and validation.
        verbose: Whether to print a line for each structure that ``auto`` tried.

    Attributes:
        classes_: The classes, as in ``y``.
        scorer_: The trained model.
        validation_: Scores on the validation part.
        test_: Scores on the test part of a task that has one, read once; else None.
        choices_: One row per structure that ``auto`` tried.
        leaderboard_: One row per member that ``best`` tried, the best first.
        notes_: Notes for the user, one sentence each.

    Example:
        >>> sets = [["TP53", "MDM2"], ["TP53"], ["CDKN1A"], ["INS", "IGF1"], ["INS"], ["IGF1"]]
        >>> model = SubgraphClassifier().fit(graph, sets, ["p53"] * 3 + ["insulin"] * 3)
        >>> model.predict_proba([["TP53", "CDKN1A"]])
    """

    def __init__(
        self,
        structure: str | None = "s2n+a",
        conv: str | Callable[..., nn.Module] | None = None,
        *,
        model: str | None = None,
        time_limit: float = 300.0,
        graph: object = None,
        seeds: int | Sequence[int] = 5,
        preset: str = "default",
        settings: Mapping[str, Any] | None = None,
        coarsen: str | None = None,
        encodings: Any = None,
        compare: bool = False,
        budget: float = 120.0,
        validation: float = 0.2,
        class_weight: str | Mapping[Any, float] | None = None,
        threshold: str = "half",
        positive: str | None = None,
        unknown_nodes: str = "error",
        mode: str = "independent",
        device: str = "auto",
        compile: str = "auto",
        words: Mapping[str, str] | None = None,
        random_state: int = 0,
        verbose: bool = False,
    ) -> None:
        self.structure = structure
        self.conv = conv
        self.model = model
        self.time_limit = time_limit
        self.graph = graph
        self.seeds = seeds
        self.preset = preset
        self.settings = settings
        self.coarsen = coarsen
        self.encodings = encodings
        self.compare = compare
        self.budget = budget
        self.validation = validation
        self.class_weight = class_weight
        self.threshold = threshold
        self.positive = positive
        self.unknown_nodes = unknown_nodes
        self.mode = mode
        self.device = device
        self.compile = compile
        self.words = words
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: object, y: Any = None, labels: Any = None, *, groups: Any = None) -> Self:
        """Train; the class describes the forms of the arguments.

        Args:
            X: A task; or subgraphs (with ``y``); or a graph (with subgraphs and ``labels``).
            y: Labels; after a graph, the subgraphs.
            labels: After a graph and subgraphs, the labels.
            groups: For ``best``: one value per subgraph, in the order of the input, or the name of
                an attribute of the task; subgraphs of equal value are never on both sides of a
                border between folds.
        """
        self._check_parameters()
        if groups is not None and self.model != BEST:
            raise ConfigError("groups are for model='best', which has folds; omit them.")
        task, classes = build_task(X, y, labels, graph=self.graph, unknown=self.unknown_nodes)
        task = self._complete_split(task)
        recipe = replace(self._build_recipe(classes), groups=learned_groups(task, groups))
        PositiveClass.of_task(task, recipe.positive)  # raises before anything is trained
        self.choices_: list[JsonObject] = []
        if self.structure == "auto" and self.model is None:
            choice, self.choices_ = choose_structure(task, recipe, self.budget)
            recipe = replace(recipe, structure=choice.structure, conv=choice.conv)
            for row in self.choices_ if self.verbose else ():
                print(row["structure"], row["conv"], *describe_choice(row))
        self.scorer_ = growing(train(task, recipe, choices=self.choices_))
        self._set_attributes(classes)
        return self

    def _check_parameters(self) -> None:
        """Raise on wrong parameters before any work is done."""
        check_parameters(self)

    def _build_recipe(self, classes: Array) -> Recipe:
        auto = self.structure == "auto"
        return Recipe(
            structure=None if auto else self.structure,
            conv=self.conv,
            seeds=read_seeds(self.seeds),
            preset=self.preset,
            settings=self.settings,
            class_weight=self.class_weight,
            threshold=self.threshold,
            device=self.device,
            classes=classes,
            coarsen=self.coarsen,
            encodings=self.encodings,
            compile=self.compile,  # type: ignore[arg-type]
            model=self.model,
            time_limit=float(self.time_limit),
            compare=bool(self.compare),
            positive=None if self.positive is None else str(self.positive),
            words=self.words,
        )

    def _set_attributes(self, classes: Array) -> None:
        card = self.scorer_.card
        self.classes_ = classes
        self.validation_, self.test_ = card.get("validation", {}), card.get("test")
        self.notes_ = tuple(card.get("notes", ()))
        self.leaderboard_ = list(card.get("leaderboard", ()))

    def _complete_split(self, task: SubgraphTask) -> SubgraphTask:
        """The task with training and validation parts, drawn where there are none."""
        split, notes = task.split, task.notes
        if split is None:
            split = Split.sizes(train=len(task))
        if not split.count("val"):
            assert task.labels is not None
            share = (1 - float(self.validation), float(self.validation), 0.0)
            split = split.redrawn(task.labels, share, seed=self._split_seed(), parts=("train",))
            drawn = plural(split.count("val"), "subgraph")
            note = f"the data came without a validation part; {drawn} of train were drawn for it."
            notes += (changed(note),)
        if not split.count("val") or not split.count("train"):
            raise DataError(
                f"too few subgraphs ({len(task)}) to learn from some and choose on others; give"
                " more, or a larger share for validation."
            )
        return replace(task.with_split(split), notes=notes)

    def _split_seed(self) -> int:
        """A seed from ``random_state``, which may be anything that scikit-learn accepts."""
        if isinstance(self.random_state, Integral) and self.random_state >= 0:
            return int(self.random_state)
        try:
            return int(check_random_state(self.random_state).randint(2**31))
        except (TypeError, ValueError):
            raise ConfigError(
                f"random_state is a whole number from 0, found {self.random_state!r}."
            ) from None

    def _require_scorer(self) -> Scorer:
        if not hasattr(self, "scorer_"):
            raise NotFittedError("this SubgraphClassifier is not fitted yet; call fit or load.")
        return self.scorer_

    def answers(self, X: object) -> Answers:
        """Probabilities with ids, their spread over seeds, and the share of known nodes."""
        scorer = self._require_scorer()
        query = query_of(scorer, X, self.unknown_nodes)
        return scorer.predict(query, mode=self.mode)  # type: ignore[arg-type]

    def predict_proba(self, X: object) -> Array:
        """Probability of each class, in the order of ``classes_``; (K, C)."""
        return self.answers(X).probabilities

    def predict(self, X: object) -> Array:
        """Classes in the form and order of ``task.input_labels``, not of ``task.labels``."""
        predicted = self.answers(X).predicted
        if self._require_scorer().multilabel:
            return predicted.astype(np.int64)
        return np.asarray(self.classes_[predicted.argmax(axis=1)])

    def transform(self, X: object) -> Array:
        """Vectors of subgraphs, those of all networks side by side; (K, seeds · width)."""
        scorer = self._require_scorer()
        query = query_of(scorer, X, self.unknown_nodes)
        return scorer.vectors(query, mode=self.mode)  # type: ignore[arg-type]

    def get_feature_names_out(self, input_features: object = None) -> Array:
        """Names of the columns of :meth:`transform`."""
        scorer = self._require_scorer()
        return np.array(scorer.vector_names, dtype=object)

    def score(self, X: object, y: Any = None, sample_weight: Array | None = None) -> float:
        """Accuracy; of multi-label answers micro-F1. Without ``y``, by the labels of a task."""
        from sklearn.metrics import accuracy_score, f1_score

        scorer = self._require_scorer()
        query = query_of(scorer, X, self.unknown_nodes)
        if y is None and isinstance(X, SubgraphTask):
            y = task_labels(X)
        y = order_labels(y, query.names)
        predicted = scorer.predict(query, mode=self.mode).predicted  # type: ignore[arg-type]
        if scorer.multilabel:
            options = {"average": "micro", "sample_weight": sample_weight, "zero_division": 0}
            return float(f1_score(truth_table(y, len(query), self.classes_), predicted, **options))
        numbers, labels = encode_labels(y, len(query))
        if numbers.ndim != 1:
            raise DataError("this model gives one class per subgraph, but y has several labels.")
        predictions, truth = self.classes_[predicted.argmax(axis=1)], labels[numbers]
        kind = float if {predictions.dtype.kind, truth.dtype.kind} <= set("biuf") else str
        return float(
            accuracy_score(
                truth.astype(kind), predictions.astype(kind), sample_weight=sample_weight
            )
        )

    def explain(self, X: object, label: str | None = None) -> list[Explanation]:
        """What members and known subgraphs contribute to the probability of a class.

        Args:
            X: The subgraphs whose answers are explained.
            label: The class; by default the likeliest of each.
        """
        scorer = self._require_scorer()
        query = query_of(scorer, X, self.unknown_nodes)
        return scorer.explain(query, label=None if label is None else str(label))

    def neighbors(self, X: object, count: int = 10) -> list[list[Neighbor]]:
        """The most similar training subgraphs of each, by their vectors."""
        scorer = self._require_scorer()
        return scorer.neighbors(query_of(scorer, X, self.unknown_nodes), count=count)

    def null(self, X: object, *, draws: int = 200, seed: int = 0) -> Array:
        """How often random sets of the same degrees, asked alone, get as high a probability.

        Args:
            X: The subgraphs.
            draws: Number of random sets per subgraph.
            seed: Seed of the random sets.
        """
        scorer = self._require_scorer()
        query = query_of(scorer, X, self.unknown_nodes)
        return null_p_values(scorer, query, draws=draws, seed=seed)

    def save(self, path: str | Path, *, graph: str | None = None, overwrite: bool = False) -> Path:
        """Write a folder that :meth:`load`, ``s2n predict`` and ``s2n serve`` read.

        Args:
            path: The folder to write.
            graph: Where the data lies, to refer to its graph instead of including it.
            overwrite: Whether an existing model may be replaced.
        """
        scorer = self._require_scorer()
        facts = {"estimator": self._saved_parameters(), "labels": self.classes_.tolist()}
        described = scorer.with_card({**scorer.card, **facts})
        return save_scorer(described, path, graph=graph, overwrite=overwrite)

    def _saved_parameters(self) -> JsonObject:
        """Parameters that are written with the model."""
        names = (
            "preset",
            "budget",
            "validation",
            "threshold",
            "positive",
            "unknown_nodes",
            "mode",
            "random_state",
        )
        scorer = self._require_scorer()
        chosen: JsonObject = {"model": self.model, "time_limit": float(self.time_limit)}
        if self.model is None:
            chosen = {"structure": scorer.structure, "conv": scorer.conv}
        return {**chosen, **{name: _to_json_value(getattr(self, name)) for name in names}}

    @classmethod
    def load(
        cls, path: str | Path, *, graph: object = None, conv: Callable[..., nn.Module] | None = None
    ) -> SubgraphClassifier:
        """Read what :meth:`save` wrote.

        Args:
            path: The folder to read.
            graph: The global graph, where the folder only refers to one.
            conv: The convolution class, where it is one of your own.
        """
        scorer = load_scorer(path, graph=graph, conv=conv)
        names = cls._get_param_names()
        options = {
            name: value
            for name, value in scorer.card.get("estimator", {}).items()
            if name in names and value is not None
        }
        model = cls(**{**options, "seeds": list(scorer.seeds)})
        model.conv = conv if conv is not None else model.conv
        try:
            model._check_parameters()
        except ConfigError as error:
            raise DataError(f"model.json: {error}", path=path) from None
        model.scorer_ = scorer
        model.choices_ = scorer.card.get("choices", [])
        model._set_attributes(np.array(scorer.card.get("labels", scorer.classes)))
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "scorer_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        tags.classifier_tags.multi_label = True
        return tags


def _to_json_value(value: object) -> str | int | float | bool | None:
    """A value as JSON stores it; None for one that JSON cannot store."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, str | int | float | bool) else None
