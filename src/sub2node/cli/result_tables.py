"""Tables of results on the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..base.records import JsonObject
from .output import console, say, show_notes, table, warn

if TYPE_CHECKING:
    from ..evaluate import Comparison, Result
    from ..runs import RunFile


def show_result(
    result: Result, tested: JsonObject | None = None, *, shown: Iterable[str] = ()
) -> None:
    """Scores of one model, by metric, and its notes but for those that were shown before."""
    from ..base.metrics import METRIC_LABELS

    data = result.data
    title = f"{result.model} on {data['name'] or 'this task'}"
    view = table(title, "", "Validation", "Test", "95 % interval", "n")
    for name, summary in result.test.items():
        scores = (result.val[name].percent_text(), summary.percent_text())
        view.add_row(METRIC_LABELS[name], *scores, summary.interval_text(), str(summary.n))
    console.print(view)
    _explain_few_runs(result)
    _show_classes(result)
    say("Time", f"{result.seconds:.1f} s", style="bold")
    if tested:
        _show_against(tested)
    show_notes(result.notes, except_for=shown)


def _explain_few_runs(result: Result) -> None:
    """Why there is no ±, or no interval."""
    from ..evaluate.significance import MIN_RUNS
    from ..evaluate.verdicts import is_simple

    over, n = "split" if "splits" in result.data else "seed", result.test["micro_f1"].n
    if n == 1 and is_simple(result.config):
        return  # all that such a model has
    if n == 1:
        say("Spread", f"one {over}: no spread", style="bold")
    elif n < MIN_RUNS:
        text = f"{n} {over}s are too few for an interval; from {MIN_RUNS} on there is one."
        say("Interval", text, style="bold")


def _show_classes(result: Result) -> None:
    scores = result.class_scores["test"]
    if len(scores) > 12:
        return
    text = ", ".join(f"{name} {100 * summary.mean:.1f}" for name, summary in scores.items())
    say("Test F1 by class", text, style="bold")


def show_comparison(comparison: Comparison, shown: Iterable[str] = ()) -> None:
    """One row per model, with the paper's marks, and notes but for those that were shown before."""
    from ..evaluate.verdicts import MARKS

    first = comparison.rows[0].result
    name = first.data["name"] or "this task"
    title = f"Models on {name}: micro-F1, and macro-F1 of test"
    view = table(title, "Model", "Val", "Test", "", "Macro", "n", "s")
    view.columns[0].no_wrap = True
    for number, row in enumerate(comparison.rows):
        result = row.result
        view.add_row(
            result.model,
            result.val["micro_f1"].percent_text(),
            result.test["micro_f1"].percent_text(),
            "best" if number == comparison.reference else row.sign,
            f"{100 * result.test['macro_f1'].mean:.1f}",
            str(result.test["micro_f1"].n),
            f"{result.seconds:.0f}",
        )
    console.print(view)
    reference = comparison.rows[comparison.reference].result.model
    say(
        "Marks",
        f"against {reference}, the best on validation: {MARKS}, none: worse ({comparison.test})."
        " ± is the standard deviation.",
        style="bold",
    )
    show_notes((note for row in comparison.rows for note in row.result.notes), except_for=shown)


def compare_with_run(result: Result, other: RunFile) -> JsonObject:
    """A test of a result against one read from a run folder."""
    from ..evaluate.verdicts import compare_models, describe_test

    theirs, paired = other.test["micro_f1"], "splits" in result.data
    p, sign = compare_models(result, other, result.data["split"] if paired else None)
    return {
        "model": other.model,
        "mean": theirs.mean,
        "sd": theirs.sd,
        "n": theirs.n,
        "test": describe_test(paired=paired),
        "p": p,
        "sign": sign,
        "same_data": other.data.hash == result.data["hash"],
    }


def _show_against(tested: JsonObject) -> None:
    verdicts = {"∗": "significantly better ∗", "∼": "no significant difference ∼", "": "worse"}
    verdict = "too few runs for a verdict"
    if tested["p"] is not None:
        verdict = f"{verdicts[tested['sign']]} ({tested['test']}, p = {tested['p']:.3g})"
    spread = "" if tested["sd"] is None else f" ± {100 * tested['sd']:.1f}"
    score = f"{100 * tested['mean']:.1f}{spread}, n = {tested['n']}"
    say("Against", f"{tested['model']} ({score}): {verdict}", style="bold")
    if not tested["same_data"]:
        warn("the other run was on other data or another split.", to=console)
