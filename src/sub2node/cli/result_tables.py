"""Tables of results on the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..base.records import JsonObject
from .output import console, say, show_notes, table, warn

if TYPE_CHECKING:
    from ..evaluate import Comparison, Result
    from ..evaluate.significance import Summary
    from ..runs import RunFile


def _points(summary: Summary) -> str:
    return f"{100 * summary.mean:.1f} ± {100 * summary.sd:.1f}"


def show_result(
    result: Result, tested: JsonObject | None = None, *, shown: Iterable[str] = ()
) -> None:
    """Scores of one model, by metric, and its notes but for those that were shown before."""
    from ..base.metrics import METRIC_LABELS

    data = result.data
    title = f"{result.model} on {data['name'] or 'this task'}"
    view = table(title, "", "Validation", "Test", "95 % interval", "n")
    for name, summary in result.test.items():
        low, high = summary.interval
        span = f"{100 * low:.1f} … {100 * high:.1f}" if summary.n > 1 else "-"
        score = (_points(result.val[name]), _points(summary), span, str(summary.n))
        view.add_row(METRIC_LABELS[name], *score)
    console.print(view)
    _show_classes(result)
    say("Time", f"{result.seconds:.1f} s", style="bold")
    if tested:
        _show_against(tested)
    show_notes(result.notes, except_for=shown)


def _show_classes(result: Result) -> None:
    scores = result.class_scores["test"]
    if len(scores) > 12:
        return
    text = ", ".join(f"{name} {100 * summary.mean:.1f}" for name, summary in scores.items())
    say("Test F1 by class", text, style="bold")


def show_comparison(comparison: Comparison, shown: Iterable[str] = ()) -> None:
    """One row per model, with the paper's marks, and notes but for those that were shown before."""
    first = comparison.rows[0].result
    name = first.data["name"] or "this task"
    title = f"Models on {name}: micro-F1, and macro-F1 of test"
    view = table(title, "Model", "Val", "Test", "", "Macro", "n", "s")
    view.columns[0].no_wrap = True
    for number, row in enumerate(comparison.rows):
        result = row.result
        sign = "?" if row.p is None else row.sign
        best = "best" if number == comparison.reference else sign
        view.add_row(
            result.model,
            _points(result.val["micro_f1"]),
            _points(result.test["micro_f1"]),
            best,
            f"{100 * result.test['macro_f1'].mean:.1f}",
            str(result.test["micro_f1"].n),
            f"{result.seconds:.0f}",
        )
    console.print(view)
    reference = comparison.rows[comparison.reference].result.model
    say(
        "Marks",
        f"against {reference}, the best on validation: ∗ significantly better, ∼ no significant"
        f" difference, none: worse, ?: too few runs ({comparison.test}). ± is the standard"
        " deviation.",
        style="bold",
    )
    show_notes((note for row in comparison.rows for note in row.result.notes), except_for=shown)


def compare_with_run(result: Result, other: RunFile) -> JsonObject:
    """A test of a result against one read from a run folder."""
    from ..evaluate import mark
    from ..evaluate.significance import compare_scores

    ours, theirs = result.test["micro_f1"], other.test["micro_f1"]
    paired = "splits" in result.data
    p = compare_scores(ours, theirs, result.data["split"] if paired else None)
    return {
        "model": other.model,
        "mean": theirs.mean,
        "sd": theirs.sd,
        "n": theirs.n,
        "test": "corrected resampled t-test" if paired else "Welch's t-test",
        "p": p,
        "sign": "" if p is None else mark(ours, theirs, p),
        "same_data": other.data.hash == result.data["hash"],
    }


def _show_against(tested: JsonObject) -> None:
    verdicts = {"∗": "significantly better ∗", "∼": "no significant difference ∼", "": "worse"}
    verdict = "too few runs to tell"
    if tested["p"] is not None:
        verdict = (
            f"{verdicts[tested['sign']]} ({tested['test']}, p = {tested['p']:.3g}, level 0.01)"
        )
    score = f"{100 * tested['mean']:.1f} ± {100 * tested['sd']:.1f}, n = {tested['n']}"
    say("Against", f"{tested['model']} ({score}): {verdict}", style="bold")
    if not tested["same_data"]:
        warn("the other run was on other data or another split.", to=console)
