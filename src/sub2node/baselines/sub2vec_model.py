"""Sub2Vec as a model: vectors of subgraphs, then a classifier that validation chooses.

Transductive, as published: the vectors are learned from the walks of all subgraphs together. Labels
of val and test, and for the classifier their vectors, are not seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..base.notes import Note, NoteKind
from ..base.progress import counted
from ..base.ragged import Array
from ..config.settings import Settings, within
from ..encode.structure_statistics import standardized
from .simple import Candidate, SimpleModel, SimplePredictions, TrainingData, choose
from .sub2vec import load_gensim, sub2vec

_STRENGTHS = (0.01, 0.1, 1.0, 10.0)
_VARIANTS = ("neighborhood", "structure", "joint")


@dataclass(frozen=True)
class Sub2VecSettings(Settings):
    """Settings of Sub2Vec.

    Args:
        variant: Walks of node ids, of letters for degrees, both beside each other, or what
            validation chooses.
        width: Number of columns of a variant; ``joint`` has twice as many.
        start: A walk from ``every`` member, or ``one`` long walk as published.
        walks: Number of walks from each start.
        walk_length: Number of nodes on a walk.
        window: Words on either side that ``dm`` looks at.
        epochs: Number of passes of Doc2Vec over all walks.
        doc2vec: Model of Doc2Vec, ``dbow`` or ``dm``.
    """

    variant: Literal["neighborhood", "structure", "joint", "choose"] = "choose"
    width: int = within(128, 1)
    start: Literal["every", "one"] = "every"
    walks: int = within(1, 1)
    walk_length: int = within(10, 1)
    window: int = within(2, 1)
    epochs: int = within(50, 1)
    doc2vec: Literal["dbow", "dm"] = "dbow"


def _vectors(data: TrainingData, settings: Sub2VecSettings, seed: int) -> dict[str, Array]:
    """Standardised vectors (M, F) by variant."""
    wanted = _VARIANTS if settings.variant == "choose" else (settings.variant,)
    tables = {}
    for variant in ("neighborhood", "structure"):
        if {variant, "joint"} & set(wanted):
            vectors = sub2vec(
                data.task,
                variant=variant,
                width=settings.width,
                walks=settings.walks,
                walk_length=settings.walk_length,
                window=settings.window,
                epochs=settings.epochs,
                model=settings.doc2vec,
                start=settings.start,
                seed=seed,
            )
            tables[variant] = standardized(vectors, vectors[data.rows("train")])
    if "joint" in wanted:
        tables["joint"] = np.concatenate([tables["neighborhood"], tables["structure"]], axis=1)
    return {variant: tables[variant] for variant in wanted}


def _candidates(tables: dict[str, Array]) -> Iterator[Candidate]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC

    for variant, x in tables.items():
        for strength in _STRENGTHS:
            model: Any = LogisticRegression(C=strength, max_iter=2000)
            yield Candidate(f"{variant}, logistic regression C = {strength:g}", model, x)
            model = SVC(C=10 * strength)
            yield Candidate(f"{variant}, support vectors C = {10 * strength:g}", model, x)


def _sub2vec(data: TrainingData, settings: Sub2VecSettings) -> SimplePredictions:
    load_gensim()
    by_seed = []
    for seed in counted(data.seeds, "Seed", name=lambda seed: f"sub2vec, seed {seed}"):
        tables = _vectors(data, settings, seed)
        count = 2 * len(_STRENGTHS) * len(tables)
        chosen_model = choose(data, _candidates(tables), f"sub2vec, seed {seed}", count)
        by_seed.append(chosen_model.predictions(data))
    chosen = Counter(predictions.chosen.split(",")[0] for predictions in by_seed)
    variants = ", ".join(f"{variant} in {number}" for variant, number in chosen.items())
    note = f"sub2vec: variant and classifier chosen on validation, seed by seed ({variants})."
    return SimplePredictions(
        lambda part: np.concatenate([predictions.logits(part) for predictions in by_seed]),
        (Note(NoteKind.CHOSEN, note),),
    )


SUB2VEC = SimpleModel(
    "sub2vec",
    "transductive: paragraph vectors of random walks inside all subgraphs, val and test included",
    _sub2vec,
    Sub2VecSettings,
)
