"""Tables of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    title = f"Models on {name}: micro-F1, and macro-F1 of test"
    view = table(title, "Model", "Val", "Test", "", "Macro", "n", "s")
    view.columns[0].no_wrap = True
    for number, row in enumerate(comparison.rows):
        result = row.result
        sign = "?" if row.p is None else row.sign
        best = "best" if number == comparison.reference else sign
        view.add_row(
            result.model, _points(result.val["micro_f1"]), _points(result.test["micro_f1"]), best,
            f"{100 * result.test['macro_f1'].mean:.1f}", str(result.test["micro_f1"].n),
            f"{result.seconds:.0f}",
        )  # fmt: skip
    console.print(view)
    reference = comparison.rows[comparison.reference].result.model
    say(
        "Marks",
        f"against {reference}, the best on validation: ∗ significantly better, ∼ no significant"
        f" difference, none: worse, ?: too few runs ({comparison.test}). ± is the standard"
        " deviation.",
        style="bold",
    )
    _notes([row.result for row in comparison.rows])


def tested_against(result: Result, other: dict[str, Any]) -> dict[str, Any]:
    """A test of a result against one read from a run folder."""
    from ..evaluate import mark
    from ..evaluate.significance import tested

    ours, theirs = result.test["micro_f1"], other["test"]["micro_f1"]
    paired = "splits" in result.data
    p = tested(ours, theirs, result.data["split"] if paired else None)
    return {
        "model": other["model"],
        "mean": theirs.mean,
        "sd": theirs.sd,
        "n": theirs.n,
        "test": "corrected resampled t-test" if paired else "Welch's t-test",
        "p": p,
        "sign": "" if p is None else mark(ours, theirs, p),
        "same_data": other["data"].get("hash") == result.data["hash"],
    }


def _show_against(found: dict[str, Any]) -> None:
    words = {"∗": "significantly better ∗", "∼": "no significant difference ∼", "": "worse"}
    verdict = "too few runs to tell"
    if found["p"] is not None:
        verdict = f"{words[found['sign']]} ({found['test']}, p = {found['p']:.3g}, level 0.01)"
    score = f"{100 * found['mean']:.1f} ± {100 * found['sd']:.1f}, n = {found['n']}"
    say("Against", f"{found['model']} ({score}): {verdict}", style="bold")
    if not found["same_data"]:
        say("Beware", "the other run was on other data or another split.", style="yellow")
