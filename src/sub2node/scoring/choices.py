"""Choose structure and convolution on validation, within a time budget."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..advice import StructureChoice, TrialState, try_structures
from ..base.errors import ConfigError, Sub2NodeError
from ..base.records import JsonObject
from ..models.candidates import TrainedNetwork
from ..task import SubgraphTask
from .training import Recipe, fit_network

# The likeliest winners first: the time may be up before the last ones are tried.
CANDIDATES = tuple(
    StructureChoice(structure, conv)
    for structure, conv in (
        ("s2n+a", "gcn2"), ("s2n+0", "gcn2"), ("separated", "gcn2"), ("s2n+a", "gin"),
        ("s2n+0", "gin"), ("connected", "gcn2"), ("separated", "gin"), ("cos2n+a", "gcn2"),
    )
)  # fmt: skip
_SEEDS = 2  # per trial


def choose_structure(
    task: SubgraphTask, recipe: Recipe, budget: float
) -> tuple[StructureChoice, list[JsonObject]]:
    """The structure and convolution with the best validation micro-F1, and a row for each.

    Each is trained with two seeds; one that is still training when the time is up counts with its
    best score so far. Ctrl-C ends the search.

    Args:
        task: A task with labels and a split, whose test part is not read.
        recipe: All settings except structure and convolution.
        budget: Seconds for all candidates together.
    """
    if isinstance(budget, bool) or not isinstance(budget, int | float) or not budget > 0:
        raise ConfigError(f"a budget is a number of seconds above 0, found {budget!r}.")

    def fit(choice: StructureChoice, seconds: float) -> TrainedNetwork:
        trial_recipe = replace(recipe, structure=choice.structure, conv=choice.conv, seeds=_SEEDS)
        return fit_network(task, trial_recipe, seconds=seconds).trained

    rows: list[JsonObject] = []
    for trial in try_structures(CANDIDATES, fit, seconds=budget):
        if trial.interrupted:
            raise KeyboardInterrupt
        row: JsonObject = trial.choice._asdict()
        if trial.trained is not None:
            scores = trial.trained.val_scores
            row |= {"validation": float(scores.mean()), "sd": float(scores.std(ddof=1))}
            row["seconds"] = trial.seconds
        rows.append({**row, "state": str(trial)})
    best = int(np.argmax([row.get("validation", -np.inf) for row in rows]))
    if "validation" not in rows[best]:
        raise Sub2NodeError(f"nothing could be trained; the first: {rows[0]['state']}")
    rows[best]["chosen"] = True
    return StructureChoice(rows[best]["structure"], rows[best]["conv"]), rows


def describe_choice(row: JsonObject) -> tuple[str, str, str]:
    """The score, the seconds and the state of a row of :func:`choose`, for people to read."""
    score = f"{100 * row['validation']:.1f} ± {100 * row['sd']:.1f}" if "sd" in row else "-"
    seconds = f"{row['seconds']:.1f}" if "seconds" in row else "-"
    state = "" if row["state"] == TrialState.COMPLETE else row["state"]
    return score, seconds, "chosen" if row.get("chosen") else state
