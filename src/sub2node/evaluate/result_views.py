"""Results and comparisons for notebooks: data frames, and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.data_frame import make_frame
from ..base.html_table import html_view
from ..base.metrics import METRIC_LABELS
from ..base.plural import plural
from .significance import MIN_RUNS, Summary
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
        rows.append(
            {
                "model": row.result.model,
                "test_mean": test.mean,
                "test_sd": test.sd,
                "test_low": low,
                "test_high": high,
                "val_mean": val.mean,
                "val_sd": val.sd,
                "runs": test.n,
                "p": row.p,
                "sign": row.sign,
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
        columns=["Metric", "Validation", "Test", "95 % interval of the test mean"],
        rows=[
            (
                METRIC_LABELS.get(name, name),
                result.val[name].percent_text(),
                test.percent_text(),
                _interval_text(test),
            )
            for name, test in result.test.items()
        ],
        caption=_runs_note(runs),
    )


def comparison_html(comparison: Comparison) -> str:
    """Test micro-F1 of each model, and its test against the reference."""
    reference = comparison.rows[comparison.reference].result.model
    return html_view(
        f"Comparison of {plural(len(comparison.rows), 'model')}",
        {"Best on validation": reference, "Test of the others": comparison.test},
        columns=["Model", "Test, %", "95 % interval", "Validation, %", "Runs", "p", ""],
        rows=[
            (
                row.result.model,
                row.result.test["micro_f1"].percent_text(),
                _interval_text(row.result.test["micro_f1"]),
                row.result.val["micro_f1"].percent_text(),
                row.result.test["micro_f1"].n,
                "" if row.p is None else f"{row.p:.2g}",
                "best on validation" if number == comparison.reference else row.sign,
            )
            for number, row in enumerate(comparison.rows)
        ],
        caption=f"Micro-F1. Against the best on validation: {MARKS}.",
    )


def _interval_text(score: Summary) -> str:
    return "" if score.interval is None else score.interval_text()


def _runs_note(runs: int) -> str:
    """How to read the numbers."""
    if runs == 1:
        return "In percent. One run has no spread."
    few = f" Fewer than {MIN_RUNS} runs give no interval." if runs < MIN_RUNS else ""
    return f"In percent. ± is the standard deviation over {runs} runs.{few}"
