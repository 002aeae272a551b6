"""Tables of results on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..base.records import JsonObject
from .output import console, say, show_notes, table, warn

if TYPE_CHECKING:
    from ..evaluate import Comparison, Result
    from ..runs import RunFile

_MANY_CLASSES = 6  # from here on, how high the true class is ranked is shown


def show_result(
    result: Result, tested: JsonObject | None = None, *, shown: Iterable[str] = ()
) -> None:
    """Scores of one model, by metric, and its notes but for those that were shown before."""
    from ..base.metrics import METRIC_LABELS
    from ..evaluate.result_views import score_rows
    from ..evaluate.score_intervals import explain_intervals, interval_titles
    from ..evaluate.significance import interval_text

    if result.leaderboard:
        show_leaderboard(result.leaderboard)
    data, splits = result.data, bool(result.scored_on.splits)
    runs, title = result.test["micro_f1"].n, f"{result.model} on {data['name'] or 'this task'}"
    narrow, wide = interval_titles(splits=splits)
    wide = wide.replace(" and ", "\nand ").replace(", ", ",\n")
    heads = (f"95 % interval\n{narrow}", f"95 % {wide}")
    view = table(title, "", "Validation", "Test", *heads, "n")
    shown_metrics = useful_metrics(
        data["classes"], multilabel=data["multilabel"], positive=result.positive is not None
    )
    for name, *cells in score_rows(result):
        if name in shown_metrics:
            wider = interval_text(result.test_intervals.get(name))
            view.add_row(METRIC_LABELS[name], *cells, wider, str(runs))
    console.print(view)
    if result.test_intervals:
        say("Intervals", explain_intervals(splits=splits), style="bold")
    _explain_few_runs(result)
    _show_classes(result)
    if result.positive is not None:
        parts = {"Validation": result.positive.val, "Test": result.positive.test}
        contents = {name: part.content() for name, part in parts.items()}
        show_positive(result.positive.label, contents, result.positive.thresholds)
    say("Time", f"{result.seconds:.1f} s", style="bold")
    if tested:
        _show_against(tested)
    show_notes(result.notes, except_for=shown)


def useful_metrics(classes: int, *, multilabel: bool, positive: bool) -> tuple[str, ...]:
    """The metrics of a table for people; JSON has all of them.

    Ranks of the true class say something where there are several classes to rank, ROC-AUC where
    single labels matter.

    Args:
        classes: Number of classes.
        multilabel: Whether a subgraph may have several labels.
        positive: Whether one class is the one that matters.
    """
    from ..base.metrics import METRIC_LABELS

    hidden = {"top_5"} if classes >= _MANY_CLASSES else {"top_3", "top_5", "mrr"}
    hidden |= set() if multilabel or positive else {"roc_auc"}
    return tuple(name for name in METRIC_LABELS if name not in hidden)


def show_leaderboard(rows: Iterable[Mapping[str, Any]]) -> None:
    """The members that ``best`` judged, and why others were not, or do not answer."""
    headings = ("Member", "Micro-F1", "Log loss", "Fit, s", "Answer, ms", "Weight")
    view = table("Members, judged on folds that they had not learned from", *headings)
    view.columns[0].no_wrap = True
    without_scores: dict[str, list[str]] = {}
    without_answers = []
    for row in rows:
        if row["micro_f1"] is None:
            without_scores.setdefault(row["state"], []).append(row["name"])
            continue
        if row["state"]:
            without_answers.append(f"{row['name']}: {row['state']}.")
        scores = (f"{100 * row['micro_f1']:.1f}", f"{row['log_loss']:.3f}")
        answer = "-" if row["answer_ms"] is None else f"{row['answer_ms']:.2f}"
        weight = f"{row['weight']:.2f}" if row["weight"] else ""
        view.add_row(row["name"], *scores, f"{row['fit_seconds']:.1f}", answer, weight)
    console.print(view)
    for text in without_answers:
        say("Member", text, style="yellow")
    for state, names in without_scores.items():
        say("Not judged", f"{', '.join(names)} ({state})", style="dim")


def show_positive(
    label: str, parts: Mapping[str, Mapping[str, object]], thresholds: Sequence[float]
) -> None:
    """Scores of the positive class by part, and its threshold.

    Args:
        label: The name of the class.
        parts: Scores as :func:`~sub2node.evaluate.positive_views.positive_rows` takes them, of
            the part that the threshold was chosen on and, where there is one, of ``Test``.
        thresholds: Its threshold, of each run.
    """
    from ..evaluate.positive_views import positive_rows, threshold_text

    view = table(f"Positive class {label}, in percent", "", *parts)
    for row in positive_rows(parts):
        view.add_row(*row)
    console.print(view)
    seen, scores = next(iter(parts.items()))
    text = threshold_text(thresholds, positives=scores["positives"], seen=seen.lower())
    say("Threshold", f"{text}.", style="bold")


def _explain_few_runs(result: Result) -> None:
    """Why there is no ±, or no interval."""
    from ..evaluate.significance import MIN_RUNS
    from ..evaluate.verdicts import has_one_run

    over, n = "split" if "splits" in result.data else "seed", result.test["micro_f1"].n
    over = "run" if result.leaderboard else over
    if n == 1 and has_one_run(result.config):
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
    _compare_positive(comparison)
    show_notes((note for row in comparison.rows for note in row.result.notes), except_for=shown)


def _compare_positive(comparison: Comparison) -> None:
    """Test scores of the positive class, one row per model; nothing where there is none."""
    scored = {row.result.model: row.result.positive for row in comparison.rows}
    positive = {model: scores for model, scores in scored.items() if scores is not None}
    if not positive:
        return
    first = next(iter(positive.values()))
    title = f"Positive class {first.label} on test: prevalence {100 * first.test.prevalence:.1f} %"
    columns = {"roc_auc": "ROC-AUC", "pr_auc": "PR-AUC", "precision": "Precision"}
    columns |= {"recall": "Recall", "f1": "F1"}
    view = table(title, "Model", *columns.values())
    view.columns[0].no_wrap = True
    for model, scores in positive.items():
        means = scores.test.means()
        cells = (means[key] for key in columns)
        view.add_row(model, *("-" if cell is None else f"{100 * cell:.1f}" for cell in cells))
    console.print(view)
    say(
        "Threshold",
        "precision, recall and F1 are of a threshold that is chosen on validation.",
        style="bold",
    )


def compare_with_run(result: Result, other: RunFile) -> JsonObject:
    """A test of a result against one read from a run folder."""
    from ..evaluate.verdicts import compare_models, describe_test

    theirs, verdict = other.test["micro_f1"], compare_models(result, other)
    return {
        "model": other.model,
        "mean": theirs.mean,
        "sd": theirs.sd,
        "n": theirs.n,
        "test": describe_test(verdict.test),
        "significance_test": verdict.test,
        "p": verdict.p,
        "sign": verdict.sign,
        "same_data": other.data.hash == result.data["hash"],
    }


def _show_against(tested: JsonObject) -> None:
    verdicts = {"∗": "significantly better ∗", "∼": "no significant difference ∼", "": "worse"}
    verdict = "too few runs for a verdict"
    if tested["significance_test"] is None:
        verdict = f"no verdict, since {tested['test']}"
    elif tested["p"] is not None:
        verdict = f"{verdicts[tested['sign']]} ({tested['test']}, p = {tested['p']:.3g})"
    spread = "" if tested["sd"] is None else f" ± {100 * tested['sd']:.1f}"
    score = f"{100 * tested['mean']:.1f}{spread}, n = {tested['n']}"
    say("Against", f"{tested['model']} ({score}): {verdict}", style="bold")
    if not tested["same_data"]:
        warn("the other run was on other data or another split.", to=console)
