"""Label permutation: without a relation to labels there is nothing to learn, and a score shows it.

Labels change places within train and within test, which keeps the shares of classes. A model that
learned from the permuted labels must then score what chance gives; and the true score must be one
that permuted labels do not reach.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..base.progress import counted
from ..base.ragged import generator
from ..task import SubgraphTask
from .chance import SIGNIFICANT
from .check import Check, Verdict, points
from .quick_models import QuickModel, QuickScore, labels_of_part, one_hot

_NAME, _TITLE = "permuted_labels", "Permuted labels"
_LEVEL = 0.05


def check_permuted_labels(
    task: SubgraphTask,
    models: Sequence[QuickModel],
    scores: Sequence[QuickScore],
    *,
    permutations: int,
    seed: int,
) -> Check:
    """Learn from permuted labels, and compare the true score with what comes out.

    The p-value is that of the best of the models against the best of them under each permutation,
    (1 + as good ones) / (1 + permutations) (Ojala and Garriga, JMLR 11, 2010).

    Args:
        task: The data, with labels and a split.
        models: The quick models.
        scores: Their scores with the true labels.
        permutations: How often the labels are permuted.
        seed: Seed of the permutations.
    """
    rng, classes = generator(seed), task.num_classes
    train, test = labels_of_part(task, "train"), labels_of_part(task, "test")
    drawn, chances, deviations = [], [], []
    for _ in counted(range(permutations), "Permutation"):
        learned = train[rng.permutation(len(train))]
        truth = one_hot(test[rng.permutation(len(test))], classes)
        found = [QuickScore.of(truth, model.predict(learned, classes=classes)) for model in models]
        drawn.append([one.score for one in found])
        chances.append([one.chance.mean for one in found])
        deviations.append(float(np.mean([one.chance.sd for one in found])))  # as if all were one
    best, null = max(one.score for one in scores), np.max(drawn, axis=1)
    p = (1 + int((null >= best - 1e-12).sum())) / (1 + permutations)
    mean, chance = float(np.mean(drawn)), float(np.mean(chances))
    error = math.sqrt(float(np.square(deviations).sum())) / permutations
    z = (mean - chance) / error if error > 1e-12 else 0.0
    verdict, advice = _judge(z, p, smallest=1 / (1 + permutations))
    by_model = {model.name: one.score for model, one in zip(models, scores, strict=True)}
    name = max(by_model, key=lambda key: by_model[key])
    found_text = (
        f"{points(mean)} points with permuted labels, chance is {points(chance)} ±"
        f" {points(error)}; {points(best)} with the true ones ({name}), p = {p:.3f}."
    )
    numbers = {
        "permutations": permutations,
        "mean": mean,
        "chance": chance,
        "standard_error": error,
        "z": z,
        "p": p,
        "scores": by_model,
        "best_permuted": null.tolist(),
    }
    return Check(_NAME, _TITLE, verdict, found_text, advice, numbers)


def _judge(z: float, p: float, *, smallest: float) -> tuple[Verdict, str]:
    if z > SIGNIFICANT:
        return Verdict.PROBLEM, (
            "Find where labels reach the model besides the labels table: permuted ones must not be"
            " learned."
        )
    if smallest > _LEVEL:
        return Verdict.WARNING, (
            f"Permute at least {round(1 / _LEVEL) - 1} times: with fewer no p-value is small enough"
            " to say anything."
        )
    if p > _LEVEL:
        return Verdict.WARNING, (
            "Repeat this control with your own model before you believe its score: the quick ones"
            " find nothing beyond chance."
        )
    return Verdict.OK, "Nothing to do: there is something to learn, and chance looks like chance."
