"""What models without a training loop share: data, candidates, choice on validation, logits."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache as cached
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..base.metrics import micro_f1
from ..base.notes import Note, NoteKind
from ..base.progress import counted
from ..base.ragged import Array, SparseMatrix
from ..config.settings import Settings
from ..encode import Encoding
from ..task import Part, SubgraphTask, excluded_for
from .set_classifier import SetClassifier

Features: TypeAlias = "Array | SparseMatrix"


@dataclass(frozen=True)
class SimplePredictions:
    """What a simple model predicts once it has learned.

    Args:
        logits: Gives the logits of the subgraphs of a part, (R, m, C).
        notes: Sentences for the user, such as what was chosen on validation.
        chosen: Description of the candidate that was chosen.
        classifier: What was learned, by itself; None where all subgraphs had to be there
            beforehand, so that it cannot answer for others.
    """

    logits: Callable[[Part], Array]
    notes: tuple[str, ...] = ()
    chosen: str = ""
    classifier: SetClassifier | None = None

    @classmethod
    def of(
        cls,
        data: TrainingData,
        classifier: SetClassifier,
        note: str = "",
        *,
        logits: Callable[[], Array] | None = None,
    ) -> Self:
        """The predictions of a classifier for the subgraphs of its own task.

        Args:
            data: What it learned from.
            classifier: What was learned.
            note: What was chosen, as a sentence.
            logits: Gives the logits of all subgraphs, where that is cheaper than from the graph.
        """
        by_subgraph = cached(logits or (lambda: classifier.logits(data.task)))
        return cls(
            lambda part: by_subgraph()[:, data.rows(part)],
            (Note(NoteKind.CHOSEN, note),) if note else (),
            classifier=classifier,
        )


@dataclass(frozen=True)
class TrainingData:
    """What a simple model learns from.

    Args:
        task: Graph, subgraphs and split; its labels are not to be read.
        labels: Labels of the train and the val subgraphs.
        seeds: One seed per replica; a deterministic model has one replica.
        device: Device that computes node vectors.
        encodings: Node vectors that the user passed.
        groups: One value per training subgraph; those of equal value are in one fold of train.
    """

    task: SubgraphTask
    labels: dict[Part, Array]
    seeds: Sequence[int]
    device: str = "auto"
    encodings: Encoding | ArrayLike | None = None
    groups: Array | None = None

    @property
    def multilabel(self) -> bool:
        """Whether a subgraph may have several classes."""
        return self.labels["train"].ndim == 2

    @property
    def truth(self) -> Array:
        """Labels to train on; a single column flat, which is how scikit-learn takes it anyway."""
        labels = self.labels["train"]
        return labels[:, 0] if labels.shape[1:] == (1,) else labels

    @property
    def train_task(self) -> SubgraphTask:
        """The task of the training subgraphs alone."""
        return self.task.subset(self.rows("train"))

    def rows(self, part: Part) -> Array:
        """Which subgraphs are in a part; bool (M,)."""
        assert self.task.split is not None
        return self.task.split.mask(part)


@dataclass(frozen=True)
class SimpleModel:
    """A model by name.

    Args:
        name: Name on the command line and in tables.
        about: What the model does, in one line.
        fit: Learns from training data, with settings.
        settings: Class of its settings.
        reads_excluded: Whether nodes that are excluded from a subgraph have a say.
    """

    name: str
    about: str
    fit: Callable[[TrainingData, Any], SimplePredictions]
    settings: type[Settings]
    reads_excluded: bool = False

    def learn(self, data: TrainingData, settings: Settings) -> SimplePredictions:
        """Fit; excluded nodes that it does not read are left out, and a note says so."""
        task, notes = excluded_for(self.name, data.task, reads=self.reads_excluded)
        predictions = self.fit(replace(data, task=task) if notes else data, settings)
        return replace(predictions, notes=(*predictions.notes, *notes)) if notes else predictions


@dataclass(frozen=True)
class Candidate:
    """One of several models that validation chooses from.

    Args:
        description: What distinguishes it from the others.
        model: A scikit-learn classifier, with ``decision_function`` or ``predict_proba``; not
            fitted yet.
        x: Features, a row for each subgraph, (M, F).
    """

    description: str
    model: Any
    x: Features


class ChosenCandidate(NamedTuple):
    """The candidate that was chosen, fitted, and the sentence about it, "" for the only one."""

    model: Any
    candidate: Candidate
    note: str

    def predictions(self, data: TrainingData) -> SimplePredictions:
        """What it predicts for the subgraphs of its own task."""
        return SimplePredictions(
            lambda part: decision(data, self.model, self.candidate.x[data.rows(part)])[None],
            (Note(NoteKind.CHOSEN, self.note),) if self.note else (),
            self.candidate.description,
        )


def choose(
    data: TrainingData, candidates: Iterable[Candidate], name: str, count: int
) -> ChosenCandidate:
    """Fit all on train and keep the best on validation (micro-F1).

    Small validation parts leave many at the same score; of those, the best in cross-validation
    within train is kept, the first where that is the same too.

    Args:
        data: Data to learn from.
        candidates: Models to choose from.
        name: Name of the model in progress reports and notes.
        count: Number of candidates.
    """
    best, tied = -1.0, list[tuple[Any, Candidate]]()
    for candidate in counted(
        candidates, "Candidate", name=lambda one: f"{name}, {one.description}", total=count
    ):
        model = _fit_classifier(data, candidate.model, candidate.x[data.rows("train")], data.truth)
        if count == 1:  # nothing to choose
            return ChosenCandidate(model, candidate, "")
        logits = decision(data, model, candidate.x[data.rows("val")])
        score = micro_f1(data.labels["val"], logits, multilabel=data.multilabel)
        if score > best:
            best, tied = score, []
        if score == best:
            tied.append((model, candidate))
    folds = [0.0]
    if len(tied) > 1:
        ties = counted(tied, "Tied candidate", name=lambda tie: f"{name}, {tie[1].description}")
        folds = [_score_within_train(data, tie) for _, tie in ties]
    model, candidate = tied[int(np.argmax(folds))]
    how = f", {len(tied)} of them tied, decided within train" if len(tied) > 1 else ""
    note = (
        f"{name}: {candidate.description} chosen on validation (micro-F1 {best:.3f}; {count} tried"
    )
    return ChosenCandidate(model, candidate, f"{note}{how}).")


def _score_within_train(data: TrainingData, candidate: Candidate) -> float:
    """Mean micro-F1 of a candidate over five folds of train; folds with one class do not count."""
    from sklearn.base import clone
    from sklearn.model_selection import KFold

    x, truth, labels = candidate.x[data.rows("train")], data.truth, data.labels["train"]
    if len(truth) < 2:
        return 0.0
    fold_scores = []
    folds = KFold(min(5, len(truth)), shuffle=True, random_state=0)
    for rest, out in folds.split(truth):
        if not data.multilabel and len(np.unique(truth[rest])) < 2:
            continue
        model = _fit_classifier(data, clone(candidate.model), x[rest], truth[rest])
        logits = decision(data, model, x[out])
        fold_scores.append(micro_f1(labels[out], logits, multilabel=data.multilabel))
    return float(np.mean(fold_scores)) if fold_scores else 0.0


def _fit_classifier(data: TrainingData, model: Any, x: Features, truth: Array) -> Any:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.multiclass import OneVsRestClassifier

    if data.multilabel and truth.ndim == 1 and len(np.unique(truth)) < 2:
        return _Always(bool(truth[0]))
    model = OneVsRestClassifier(model) if data.multilabel else model
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Label .* is present in all")
        warnings.simplefilter("ignore", ConvergenceWarning)  # judged on validation all the same
        return model.fit(x, truth)


@dataclass(frozen=True)
class _Always:
    """Predicts the same for all, where train has only one side of the only label."""

    answer: bool

    def decision_function(self, x: Features) -> Array:
        return np.full(x.shape[0], 1.0 if self.answer else -1.0)


def decision(data: TrainingData, model: Any, x: Features) -> Array:
    """Logits (m, C), also for classes and label columns without two sides in train."""
    classes = data.task.num_classes
    if not hasattr(model, "decision_function"):
        return share_logits(data, model, x)
    margins = np.asarray(model.decision_function(x))
    if data.multilabel:
        return margins.reshape(x.shape[0], classes)
    if margins.ndim == 1:
        margins = np.stack([-margins, margins], axis=1) / 2
    full = np.full((x.shape[0], classes), -1e9)
    full[:, model.classes_] = margins
    return full


def share_logits(data: TrainingData, model: Any, x: Array) -> Array:
    """log p, or log p/(1-p) for multi-label, of a model's shares (m, C)."""
    predicted, classes = model.predict_proba(x), data.task.num_classes
    if not data.multilabel:
        shares = np.zeros((len(x), classes))
        shares[:, model.classes_] = predicted
        return np.log(np.maximum(shares, 1e-9))
    if isinstance(predicted, np.ndarray) and predicted.shape == (len(x), classes) and classes > 1:
        shares = predicted
    else:  # one table per label column, each with the sides that train had
        single = isinstance(predicted, np.ndarray)
        tables, sides = ([predicted], [model.classes_]) if single else (predicted, model.classes_)
        shares = np.stack(
            [
                table[:, list(side).index(True)] if True in side else np.zeros(len(x))
                for table, side in zip(tables, sides, strict=True)
            ],
            axis=1,
        )
    return np.log(np.maximum(shares, 1e-9)) - np.log(np.maximum(1 - shares, 1e-9))
