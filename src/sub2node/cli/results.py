"""Tables of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from .output import console, say, table

if TYPE_CHECKING:
    from ..evaluate import Comparison, Result


def _points(summary: Any) -> str:
    return f"{100 * summary.mean:.1f} ± {100 * summary.sd:.1f}"


_NAMES = {
    "micro_f1": "Micro-F1",
    "macro_f1": "Macro-F1",
    "accuracy": "Accuracy",
    "pr_auc": "PR-AUC",
}


def show_result(result: Result, tested: dict[str, Any] | None = None) -> None:
    """Scores of one model, by metric."""
    data = result.data
    title = f"{result.model} on {data['name'] or 'this task'}"
    view = table(title, "", "Validation", "Test", "95 % interval", "n")
    for name, summary in result.test.items():
        low, high = summary.interval
        span = f"{100 * low:.1f} … {100 * high:.1f}" if summary.n > 1 else "-"
        view.add_row(_NAMES[name], _points(result.val[name]), _points(summary), span,
                     str(summary.n))  # fmt: skip
    console.print(view)
    _classes(result)
    say("Time", f"{result.seconds:.1f} s", style="bold")
    if tested:
        _show_against(tested)
    _notes([result])


def _classes(result: Result) -> None:
    found = result.class_scores["test"]
    if len(found) > 12:
        return
    text = ", ".join(f"{name} {100 * summary.mean:.1f}" for name, summary in found.items())
    say("Test F1 by class", text, style="bold")


def _notes(results: list[Result]) -> None:
    for note in dict.fromkeys(note for result in results for note in result.notes):
        say("Note", note, style="dim")


def show_comparison(comparison: Comparison) -> None:
    """One row a model, with the paper's marks."""
    first = comparison.rows[0].result
    name = first.data["name"] or "this task"
    view: Table = table(f"All models on {name}", "Model", "Val micro-F1", "Test micro-F1", "",
                        "Test macro-F1", "n", "Seconds")  # fmt: skip
    for number, row in enumerate(comparison.rows):
        result = row.result
        best = "best val" if number == comparison.reference else row.sign
        view.add_row(
            result.model, _points(result.val["micro_f1"]), _points(result.test["micro_f1"]), best,
            _points(result.test["macro_f1"]), str(result.test["micro_f1"].n),
            f"{result.seconds:.1f}",
        )  # fmt: skip
    console.print(view)
    reference = comparison.rows[comparison.reference].result.model
    say(
        "Marks",
        f"against {reference}, the best on validation: ∗ significantly better, ∼ no significant"
        f" difference, none: worse or not testable ({comparison.test}). ± is the standard"
        " deviation.",
        style="bold",
    )
    _notes([row.result for row in comparison.rows])


def tested_against(result: Result, other: dict[str, Any]) -> dict[str, Any]:
    """Welch's t-test of a result against one read from a run folder."""
    from ..evaluate import mark, welch

    ours, theirs = result.test["micro_f1"], other["test"]["micro_f1"]
    p = welch(ours.values, theirs.values)
    same = other["data"].get("hash") == result.data["hash"]
    return {
        "model": other["model"],
        "mean": theirs.mean,
        "sd": theirs.sd,
        "n": theirs.n,
        "p": p,
        "sign": mark(ours, theirs, p),
        "same_data": same,
    }


def _show_against(found: dict[str, Any]) -> None:
    words = {"∗": "significantly better", "∼": "no significant difference", "": "worse"}
    text = (
        f"{found['model']} ({100 * found['mean']:.1f} ± {100 * found['sd']:.1f}, n = {found['n']}):"
        f" {words[found['sign']]} {found['sign']} (Welch's t-test, p = {found['p']:.3g}, level"
        " 0.01)"
    )
    say("Against", " ".join(text.split()), style="bold")
    if not found["same_data"]:
        say("Beware", "the other run was on other data or another split.", style="yellow")
