"""Several models on the same data, in one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..base.notes import NoteKind, has_kind
from ..base.plotting import draw
from ..base.plural import plural
from ..base.progress import counted
from ..base.threshold import ThresholdWord
from ..models.interface import Model
from ..task import Part, SubgraphTask
from .positive_class import join_positive
from .protocol import assess, random_splits
from .result import Result, join_areas
from .result_views import comparison_frame, comparison_html
from .significance import SignificanceTest, Summary
from .verdicts import best_on_validation, choose_test, compare_models, describe_test

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class ComparisonRow:
    """One model in a comparison.

    Args:
        result: Scores over seeds, or over splits.
        p: The p-value of the test against the model that is best on validation; None for that
            model itself, and with too few runs for a verdict.
        sign: ∗ where it is significantly better, ∼ for no significant difference, ? with too few
            runs, "" where it is worse, and for the model that is best on validation.
    """

    result: Result
    p: float | None = None
    sign: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Models on the same data.

    Args:
        rows: One row per model.
        reference: Position of the model that the others are tested against: the best mean on
            validation, of ties a simple model.
        significance_test: The test that fits how the models were assessed: ``welch`` over seeds
            on one split, ``corrected_resampled`` over the same random splits; None where they were
            assessed in different ways.
    """

    rows: tuple[ComparisonRow, ...]
    reference: int
    significance_test: SignificanceTest | None

    @property
    def test(self) -> str:
        """The test in words, with metric and level."""
        return describe_test(self.significance_test)

    def to_frame(self) -> pd.DataFrame:
        """One row per model as a pandas data frame.

        Columns ``model``; of micro-F1 ``test_mean``, ``test_sd``, ``test_low`` and ``test_high``
        (95 % interval over runs, from five runs), ``full_low`` and ``full_high`` (the one of
        ``Result.test_intervals``, over test subgraphs too), ``val_mean``, ``val_sd``; ``runs``,
        ``p``, ``sign``, ``significance_test``, ``reference`` (best on validation) and ``seconds``.
        """
        return comparison_frame(self)

    def plot(self) -> Figure:
        """Test micro-F1 of each model with its interval, as a Matplotlib figure."""
        return draw("draw_comparison", self)

    def _repr_html_(self) -> str:
        return comparison_html(self)

    def __repr__(self) -> str:
        best = self.rows[self.reference].result
        return f"Comparison({plural(len(self.rows), 'model')}, best on validation: {best!r})"

    def to_dict(self) -> dict[str, object]:
        """The test and the rows, for JSON."""
        return {
            "test": self.test,
            "significance_test": self.significance_test,
            "reference": self.rows[self.reference].result.model,
            "models": [{**row.result.to_dict(), "p": row.p, "sign": row.sign} for row in self.rows],
        }


def compare(results: Sequence[Result]) -> Comparison:
    """Test each model's test scores against those of the model that is best on validation.

    Results over the same random splits are compared split by split with the corrected resampled
    t-test, results over seeds with Welch's.

    Args:
        results: Results of the models on the same data.
    """
    best = best_on_validation(results)
    rows = []
    for result in results:
        if result is best:
            rows.append(ComparisonRow(result))
            continue
        verdict = compare_models(result, best)
        rows.append(ComparisonRow(result, verdict.p, verdict.sign))
    tests = {choose_test(result.scored_on, best.scored_on) for result in results}
    test = tests.pop() if len(tests) == 1 else None
    return Comparison(tuple(rows), list(results).index(best), test)


def over_splits(
    task: SubgraphTask,
    model: Callable[[SubgraphTask], Model],
    *,
    splits: int,
    seeds: Sequence[int],
    threshold: ThresholdWord = "half",
    parts: tuple[float, float, float] | None = None,
    positive: str | None = None,
    groups: str | None = None,
) -> Result:
    """Assess a model over random splits: one value per split, the mean over the seeds in it.

    Args:
        task: The data, with labels.
        model: Makes the model for a split.
        splits: The number of random splits.
        seeds: The seeds that are trained in each split.
        threshold: How the threshold of multi-label answers is chosen.
        parts: Shares of train, val and test; by default those of the task's own split.
        positive: The class whose ranking and threshold are scored too.
        groups: An attribute of the subgraphs; those of equal value are in one part of each split.
    """
    results = []
    for part in counted(random_splits(task, splits, parts, groups=groups), "Split"):
        drawn = assess(part, model(part), seeds=seeds, threshold=threshold, positive=positive)
        results.append(drawn)
        if results[-1].ended == "interrupted":
            break
    first = results[0]

    def join_tables(attribute: str) -> dict[Part, dict[str, Summary]]:
        tables = [getattr(result, attribute) for result in results]
        return {
            part: {
                name: Summary(tuple(table[part][name].mean for table in tables))
                for name in tables[0][part]
                if all(name in table[part] for table in tables)
            }
            for part in tables[0]
        }

    feature_kinds = Counter(
        result.config["features"]["kind"] for result in results if "features" in result.config
    )
    seed_count = plural(len(first.seeds), "seed")
    together = "" if groups is None else f" by '{groups}'"
    notes = [
        f"{len(results)} random stratified splits{together}, {seed_count} each; n counts splits."
    ]
    if len(feature_kinds) > 1:
        counts = ", ".join(f"{kind} in {count}" for kind, count in feature_kinds.items())
        notes.append(f"node features chosen on validation: {counts}; config is that of split 0.")
    notes += [
        f"split {number}: {note}"
        for number, result in enumerate(results)
        for note in result.notes
        if not has_kind(note, NoteKind.CHOSEN)
    ]
    return replace(
        first,
        scores=join_tables("scores"),
        class_scores=join_tables("class_scores"),
        class_areas=join_areas(results),
        positive=join_positive([result.positive for result in results]),
        seconds=sum(result.seconds for result in results),
        notes=tuple(notes),
        outputs={},
        labels={},
        subgraph_ids={},
        history={},
        leaderboard=(),  # each split has its own
        best_epoch=(),
        thresholds=(),
        published_ties=_join_ties(results),
        ended=results[-1].ended,
        data={**first.data, "hash": task.hash, "splits": len(results)},
    )


def _join_ties(results: Sequence[Result]) -> Summary | None:
    """Scores by the published tie rule, one per split; None where it was not requested."""
    ties = [result.published_ties for result in results]
    return Summary(tuple(scores.mean for scores in ties if scores is not None)) if ties[0] else None
