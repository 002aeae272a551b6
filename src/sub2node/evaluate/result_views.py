"""Results and comparisons for notebooks: data frames, and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.data_frame import make_frame
from ..base.html_table import html_view
from ..base.metrics import METRIC_LABELS
from ..base.plural import plural
from .score_intervals import explain_intervals, interval_titles
from .significance import MIN_RUNS, Interval, interval_text
from .verdicts import MARKS

if TYPE_CHECKING:
    import pandas as pd

    from .comparison import Comparison
    from .result import Result


def result_frame(result: Result) -> pd.DataFrame:
    """One row per part, metric and seed, or random split."""
    splits = "splits" in result.data
    rows = [
        (result.model, part, metric, number if splits else result.seeds[number], value)
        for part, table in result.scores.items()
        for metric, summary in table.items()
        for number, value in enumerate(summary.values)
    ]
    names = ("model", "part", "metric", "split" if splits else "seed", "score")
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return make_frame({name: list(column) for name, column in zip(names, columns, strict=True)})


def comparison_frame(comparison: Comparison) -> pd.DataFrame:
    """One row per model."""
    rows = []
    for number, row in enumerate(comparison.rows):
        test, val = row.result.test["micro_f1"], row.result.val["micro_f1"]
        low, high = test.interval or (None, None)
        full_low, full_high = row.result.test_intervals.get("micro_f1", (None, None))
        rows.append(
            {
                "model": row.result.model,
                "test_mean": test.mean,
                "test_sd": test.sd,
                "test_low": low,
                "test_high": high,
                "full_low": full_low,
                "full_high": full_high,
                "val_mean": val.mean,
                "val_sd": val.sd,
                "runs": test.n,
                "p": row.p,
                "sign": row.sign,
                "significance_test": comparison.significance_test,
                "reference": number == comparison.reference,
                "seconds": row.result.seconds,
            }
        )
    return make_frame({name: [row[name] for row in rows] for name in rows[0]})


def result_html(result: Result) -> str:
    """Scores of a model by metric, with what they are of."""
    data, runs = result.data, next(iter(result.test.values())).n
    count = plural(len(result.seeds), "seed")
    return html_view(
        f"Result of {result.model}",
        {
            "Data": f"{data['name'] or data['hash'][:8]}: {data['subgraphs']:,} subgraphs"
            f" ({', '.join(f'{size:,} {part}' for part, size in data['split'].items())})",
            "Runs": f"{data['splits']} random splits, {count} each" if "splits" in data else count,
            "Settings": f"preset {result.preset}" if result.preset else "",
            "Time": f"{result.seconds:.1f} s",
            "Training": "" if result.ended == "complete" else f"ended {result.ended}",
            "Notes": " ".join(result.notes),
        },
        columns=["Metric", "Validation", "Test", *_interval_columns(splits="splits" in data)],
        rows=[
            (
                METRIC_LABELS.get(name, name),
                val,
                test,
                "" if interval == "-" else interval,
                _interval_cell(result.test_intervals.get(name)),
            )
            for name, val, test, interval in score_rows(result)
        ],
        caption=_runs_note(runs) + _intervals_note(result),
    )


def score_rows(result: Result, digits: int = 1) -> list[tuple[str, str, str, str]]:
    """Each metric with its score on validation and on test and the interval of the latter.

    In percent; ``-`` for what a part cannot define, as an area where all subgraphs are of one
    class.

    Args:
        result: The scores.
        digits: Decimals of each number.
    """
    rows = []
    for name in dict.fromkeys([*METRIC_LABELS, *result.test, *result.val]):
        val, test = result.val.get(name), result.test.get(name)
        if val is not None or test is not None:
            texts = ["-" if score is None else score.percent_text(digits) for score in (val, test)]
            interval = "-" if test is None else test.interval_text(digits)
            rows.append((name, texts[0], texts[1], interval))
    return rows


def comparison_html(comparison: Comparison) -> str:
    """Test micro-F1 of each model, and its test against the reference."""
    reference = comparison.rows[comparison.reference].result
    splits = bool(reference.scored_on.splits)
    return html_view(
        f"Comparison of {plural(len(comparison.rows), 'model')}",
        {"Best on validation": reference.model, "Test of the others": comparison.test},
        columns=[
            "Model",
            "Test, %",
            *_interval_columns(splits=splits),
            "Validation, %",
            "Runs",
            "p",
            "",
        ],
        rows=[
            (
                row.result.model,
                row.result.test["micro_f1"].percent_text(),
                _interval_cell(row.result.test["micro_f1"].interval),
                _interval_cell(row.result.test_intervals.get("micro_f1")),
                row.result.val["micro_f1"].percent_text(),
                row.result.test["micro_f1"].n,
                "" if row.p is None else f"{row.p:.2g}",
                "best on validation" if number == comparison.reference else row.sign,
            )
            for number, row in enumerate(comparison.rows)
        ],
        caption=f"Micro-F1. Against the best on validation: {MARKS}.",
    )


def _interval_columns(*, splits: bool) -> list[str]:
    return [f"95 % interval {title}" for title in interval_titles(splits=splits)]


def _interval_cell(interval: Interval | None) -> str:
    return "" if interval is None else interval_text(interval)


def _intervals_note(result: Result) -> str:
    """How the two intervals differ, where both are there."""
    if not result.test_intervals or result.test["micro_f1"].interval is None:
        return ""
    return f" Intervals: {explain_intervals(splits=bool(result.scored_on.splits))}"


def _runs_note(runs: int) -> str:
    """How to read the numbers."""
    if runs == 1:
        return "In percent. One run has no spread."
    few = f" Fewer than {MIN_RUNS} runs give no interval." if runs < MIN_RUNS else ""
    return f"In percent. ± is the standard deviation over {runs} runs.{few}"
