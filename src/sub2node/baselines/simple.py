"""What models without a training loop share: what they are, how they choose, how they answer."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..metrics import scores
from ..progress import step
from ..ragged import Array
from ..settings import Settings
from ..task import Part, SubgraphTask


@dataclass(frozen=True)
class Answers:
    """A simple model that has learned.

    Args:
        logits: Of the subgraphs of a part, (R, m, C).
        notes: What to know, such as what was chosen on validation.
        chosen: What was chosen, in words.
    """

    logits: Callable[[Part], Array]
    notes: tuple[str, ...] = ()
    chosen: str = ""


@dataclass(frozen=True)
class Lesson:
    """What a simple model learns from.

    Args:
        task: Graph, subgraphs and split; its labels are not to be read.
        labels: Of train and val.
        seeds: One a replica; a model without chance answers once.
        device: Where node vectors are computed.
        encodings: Node vectors of the user's own.
    """

    task: SubgraphTask
    labels: dict[Part, Array]
    seeds: Sequence[int]
    device: str = "auto"
    encodings: Any = None

    @property
    def multilabel(self) -> bool:
        """Whether a subgraph may have several classes."""
        return self.labels["train"].ndim == 2

    @property
    def truth(self) -> Array:
        """Labels to train on; a single column flat, which is how scikit-learn takes it anyway."""
        found = self.labels["train"]
        return found[:, 0] if found.shape[1:] == (1,) else found

    def rows(self, part: Part) -> Array:
        """Which subgraphs are in a part; bool (M,)."""
        assert self.task.split is not None
        return self.task.split.mask(part)


@dataclass(frozen=True)
class SimpleModel:
    """A model by name.

    Args:
        name: On the command line and in tables.
        about: What it does, in one line.
        fit: From what there is to learn from, and the settings.
        settings: Their kind.
    """

    name: str
    about: str
    fit: Callable[[Lesson, Any], Answers]
    settings: type[Settings]


@dataclass(frozen=True)
class Candidate:
    """One of several models that validation chooses from.

    Args:
        words: What tells it from the others.
        model: Of scikit-learn, with ``decision_function`` or ``predict_proba``; not fitted yet.
        x: A row for each subgraph, (M, F).
    """

    words: str
    model: Any
    x: Any


def choose(lesson: Lesson, candidates: Iterable[Candidate], what: str, count: int) -> Answers:
    """Fit all on train and keep the best on validation (micro-F1).

    Small validation parts leave many at the same score; of those, the best in cross-validation
    within train is kept, the first where that is the same too.

    Args:
        lesson: What to learn from.
        candidates: What to choose from.
        what: The name of the model, in progress reports and notes.
        count: How many candidates there are.
    """
    best, tied = -1.0, list[tuple[Any, Candidate]]()
    for done, candidate in enumerate(candidates):
        step(f"Fitting {what}", done, count, candidate.words)
        model = _fitted(lesson, candidate.model, candidate.x[lesson.rows("train")], lesson.truth)
        logits = decision(lesson, model, candidate.x[lesson.rows("val")])
        score = scores(lesson.labels["val"], logits, multilabel=lesson.multilabel)["micro_f1"]
        if score > best:
            best, tied = score, []
        if score == best:
            tied.append((model, candidate))
    step(f"Fitting {what}", count, count)
    inner = [_within_train(lesson, each, what) for _, each in tied] if len(tied) > 1 else [0.0]
    model, candidate = tied[int(np.argmax(inner))]
    ties = f", {len(tied)} of them tied, decided within train" if len(tied) > 1 else ""
    note = f"{what}: {candidate.words} chosen on validation (micro-F1 {best:.3f}; {count} tried"
    return Answers(
        lambda part: decision(lesson, model, candidate.x[lesson.rows(part)])[None],
        (f"{note}{ties}).",) if count > 1 else (),
        candidate.words,
    )


def _within_train(lesson: Lesson, candidate: Candidate, what: str) -> float:
    """Mean micro-F1 of a candidate over five folds of train; folds with one class do not count."""
    from sklearn.base import clone
    from sklearn.model_selection import KFold

    x, truth, labels = candidate.x[lesson.rows("train")], lesson.truth, lesson.labels["train"]
    if len(truth) < 2:
        return 0.0
    found = []
    folds = KFold(min(5, len(truth)), shuffle=True, random_state=0)
    for done, (rest, out) in enumerate(folds.split(truth)):
        step(f"Ties of {what}", done, folds.get_n_splits(), candidate.words)
        if not lesson.multilabel and len(np.unique(truth[rest])) < 2:
            continue
        model = _fitted(lesson, clone(candidate.model), x[rest], truth[rest])
        logits = decision(lesson, model, x[out])
        found.append(scores(labels[out], logits, multilabel=lesson.multilabel)["micro_f1"])
    step(f"Ties of {what}", 1, 1)
    return float(np.mean(found)) if found else 0.0


def _fitted(lesson: Lesson, model: Any, x: Any, truth: Array) -> Any:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.multiclass import OneVsRestClassifier

    if lesson.multilabel and truth.ndim == 1 and len(np.unique(truth)) < 2:
        return _Always(bool(truth[0]))
    model = OneVsRestClassifier(model) if lesson.multilabel else model
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Label .* is present in all")
        warnings.simplefilter("ignore", ConvergenceWarning)  # judged on validation all the same
        return model.fit(x, truth)


@dataclass(frozen=True)
class _Always:
    """Says the same of all, where train has only one side of the only label."""

    answer: bool

    def decision_function(self, x: Any) -> Array:
        return np.full(x.shape[0], 1.0 if self.answer else -1.0)


def decision(lesson: Lesson, model: Any, x: Any) -> Array:
    """Logits (m, C), also for classes and label columns without two sides in train."""
    classes = lesson.task.num_classes
    if not hasattr(model, "decision_function"):
        return share_logits(lesson, model, x)
    found = np.asarray(model.decision_function(x))
    if lesson.multilabel:
        return found.reshape(x.shape[0], classes)
    if found.ndim == 1:
        found = np.stack([-found, found], axis=1) / 2
    full = np.full((x.shape[0], classes), -1e9)
    full[:, model.classes_] = found
    return full


def share_logits(lesson: Lesson, model: Any, x: Array) -> Array:
    """log p, or log p/(1-p) for multi-label, of a model's shares (m, C)."""
    found, classes = model.predict_proba(x), lesson.task.num_classes
    if not lesson.multilabel:
        shares = np.zeros((len(x), classes))
        shares[:, model.classes_] = found
        return np.log(np.maximum(shares, 1e-9))
    if isinstance(found, np.ndarray) and found.shape == (len(x), classes) and classes > 1:
        shares = found
    else:  # one table a label column, each with the sides that train had
        single = isinstance(found, np.ndarray)
        tables, sides = ([found], [model.classes_]) if single else (found, model.classes_)
        shares = np.stack(
            [
                table[:, list(side).index(True)] if True in side else np.zeros(len(x))
                for table, side in zip(tables, sides, strict=True)
            ],
            axis=1,
        )
    return np.log(np.maximum(shares, 1e-9)) - np.log(np.maximum(1 - shares, 1e-9))


def unit_rows(matrix: Any) -> Any:
    """Rows of length 1; a row of zeros stays."""
    length = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    return sp.csr_array(sp.diags_array(1 / np.maximum(length, 1e-300)) @ matrix)
