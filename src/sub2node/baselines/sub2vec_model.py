"""Sub2Vec as a model: vectors of subgraphs, then a classifier that validation chooses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..encode.structure import standardized
from ..progress import step
from ..ragged import Array
from ..settings import Settings, within
from .simple import Answers, Candidate, Lesson, SimpleModel, choose
from .sub2vec import load_gensim, sub2vec

_STRENGTHS = (0.01, 0.1, 1.0, 10.0)
_VARIANTS = ("neighborhood", "structure", "joint")


@dataclass(frozen=True)
class Sub2VecSettings(Settings):
    """Of Sub2Vec.

    Args:
        variant: Walks of node ids, of letters for degrees, both beside each other, or what
            validation chooses.
        width: Columns of the vectors of a variant; ``joint`` has twice as many.
        start: A walk from ``every`` member, or ``one`` long walk as published.
        walks: From each start.
        walk_length: Nodes of each.
        window: Words on either side that ``dm`` looks at.
        epochs: Of Doc2Vec.
        doc2vec: ``dbow`` or ``dm``.
    """

    variant: Literal["neighborhood", "structure", "joint", "choose"] = "choose"
    width: int = within(128, 1)
    start: Literal["every", "one"] = "every"
    walks: int = within(1, 1)
    walk_length: int = within(10, 1)
    window: int = within(2, 1)
    epochs: int = within(50, 1)
    doc2vec: Literal["dbow", "dm"] = "dbow"


def _vectors(lesson: Lesson, settings: Sub2VecSettings, seed: int) -> dict[str, Array]:
    """Standardised vectors (M, F) by variant."""
    wanted = _VARIANTS if settings.variant == "choose" else (settings.variant,)
    found = {}
    for variant in ("neighborhood", "structure"):
        if {variant, "joint"} & set(wanted):
            vectors = sub2vec(
                lesson.task, variant=variant, width=settings.width, walks=settings.walks,
                walk_length=settings.walk_length, window=settings.window, epochs=settings.epochs,
                model=settings.doc2vec, start=settings.start, seed=seed,
            )  # fmt: skip
            found[variant] = standardized(vectors, vectors[lesson.rows("train")])
    if "joint" in wanted:
        found["joint"] = np.concatenate([found["neighborhood"], found["structure"]], axis=1)
    return {variant: found[variant] for variant in wanted}


def _candidates(tables: dict[str, Array]) -> Iterator[Candidate]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC

    for variant, x in tables.items():
        for strength in _STRENGTHS:
            model: Any = LogisticRegression(C=strength, max_iter=2000)
            yield Candidate(f"{variant}, logistic regression C = {strength:g}", model, x)
            model = SVC(C=10 * strength)
            yield Candidate(f"{variant}, support vectors C = {10 * strength:g}", model, x)


def _sub2vec(lesson: Lesson, settings: Sub2VecSettings) -> Answers:
    load_gensim()
    found = []
    for done, seed in enumerate(lesson.seeds):
        step("Fitting sub2vec", done, len(lesson.seeds))
        tables = _vectors(lesson, settings, seed)
        count = 2 * len(_STRENGTHS) * len(tables)
        found.append(choose(lesson, _candidates(tables), f"sub2vec, seed {seed}", count))
    step("Fitting sub2vec", len(lesson.seeds), len(lesson.seeds))
    chosen = Counter(answers.chosen.split(",")[0] for answers in found)
    words = ", ".join(f"{variant} in {number}" for variant, number in chosen.items())
    return Answers(
        lambda part: np.concatenate([answers.logits(part) for answers in found]),
        (f"sub2vec: variant and classifier chosen on validation, seed by seed ({words}).",),
    )


SUB2VEC = SimpleModel(
    "sub2vec", "paragraph vectors of random walks inside subgraphs", _sub2vec, Sub2VecSettings
)
