"""Several models on the same data, in one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..task import SubgraphTask
from .models import Model
from .protocol import Threshold, assess, random_splits
from .result import Result
from .significance import Summary, mark, tested


@dataclass(frozen=True, eq=False)
class Row:
    """One model in a comparison.

    Args:
        result: Over seeds, or over splits.
        p: That it is as good as the best model on validation; None for that one itself, or where
            a test is not possible.
        sign: ∗ it is significantly better, ∼ no significant difference, "" it is worse.
    """

    result: Result
    p: float | None = None
    sign: str = ""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Models on the same data.

    Args:
        rows: One a model.
        reference: Which one the others are tested against: the best mean on validation.
        test: What the test is.
    """

    rows: tuple[Row, ...]
    reference: int
    test: str

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "test": self.test,
            "reference": self.rows[self.reference].result.model,
            "models": [{**row.result.to_dict(), "p": row.p, "sign": row.sign} for row in self.rows],
        }


def compare(results: Sequence[Result], *, paired: bool = False) -> Comparison:
    """Test each model's test scores against those of the model that is best on validation.

    Args:
        results: On the same data.
        paired: Whether value k of each model belongs to split k; else values are seeds.
    """
    reference = int(np.argmax([result.val["micro_f1"].mean for result in results]))
    best = results[reference].test["micro_f1"]
    rows = []
    for number, result in enumerate(results):
        ours, p = result.test["micro_f1"], None
        if number != reference:
            p = tested(ours, best, result.data["split"] if paired else None)
        rows.append(Row(result, p, "" if p is None else mark(ours, best, p)))
    test = "corrected resampled t-test" if paired else "Welch's t-test"
    return Comparison(tuple(rows), reference, f"{test} on test micro-F1, level 0.01")


def over_splits(
    task: SubgraphTask,
    model: Callable[[SubgraphTask], Model],
    *,
    splits: int,
    seeds: Sequence[int],
    threshold: Threshold = "zero",
    parts: tuple[float, float, float] | None = None,
) -> Result:
    """A model over repeated random splits: one value a split, the mean over the seeds in it.

    Args:
        task: With labels.
        model: The model for a split.
        splits: How many.
        seeds: Of each.
        threshold: Of multi-label answers.
        parts: Shares of train, val and test; by default those of the task's own split.
    """
    results = []
    for part in random_splits(task, splits, parts):
        results.append(assess(part, model(part), seeds=seeds, threshold=threshold))
        if results[-1].ended == "interrupted":
            break
    first = results[0]

    def joined(which: str) -> Any:
        tables = [getattr(result, which) for result in results]
        return {
            part: {
                name: Summary(tuple(table[part][name].mean for table in tables))
                for name in tables[0][part]
            }
            for part in tables[0]
        }

    kinds = Counter(
        result.config["features"]["kind"] for result in results if "features" in result.config
    )
    notes = [
        f"{len(results)} random stratified splits, {len(first.seeds)} seed(s) each; n counts"
        " splits."
    ]
    if len(kinds) > 1:
        each = ", ".join(f"{kind} in {count}" for kind, count in kinds.items())
        notes.append(f"node features chosen on validation: {each}; config is that of split 0.")
    notes += [
        f"split {number}: {note}"
        for number, result in enumerate(results)
        for note in result.notes
        if "chosen on validation" not in note
    ]
    return replace(
        first,
        scores=joined("scores"),
        class_scores=joined("class_scores"),
        seconds=sum(result.seconds for result in results),
        notes=tuple(notes),
        outputs={},
        history={},
        best_epoch=(),
        thresholds=(),
        published_ties=_joined_ties(results),
        ended=results[-1].ended,
        data={**first.data, "hash": task.hash, "splits": len(results)},
    )


def _joined_ties(results: Sequence[Result]) -> Summary | None:
    """Scores by the published tie rule, one a split; None where it was not asked for."""
    found = [result.published_ties for result in results]
    return Summary(tuple(ties.mean for ties in found if ties is not None)) if found[0] else None
