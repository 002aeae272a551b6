"""The summary of a report: which model is best, how good it is, and against what."""

from __future__ import annotations

from ...evaluate.significance import MIN_RUNS, interval_text
from ...runs import Run, RunSet
from .report_wording import Numbers, data_words, p_value, percent, points_apart

_FEW = 100  # test subgraphs, below which one of them is worth a remark


def summarize(study: RunSet, numbers: Numbers) -> list[str]:
    """The sentences of the summary; the first two are its lead."""
    return [
        _describe_training(study),
        _describe_score(study.main),
        _compare_with_counterpart(study, numbers),
        *_tell_place_of_s2n(study, numbers),
        *_warn(study, numbers),
    ]


def headline(study: RunSet, data: str) -> str:
    """The heading of a report: the model, and that it is the best where others were run."""
    count, name = len(study.runs), study.main.name
    if count > 1 and study.main is study.reference:
        return f"Best of {count} models on {data}: {name}"
    return f"{name} on {data}"


def _describe_training(study: RunSet) -> str:
    run, data, count = study.main, study.main.data, len(study.runs)
    how = f"{len(run.seeds)} seed{'s' * (len(run.seeds) > 1)}"
    if run.splits:
        how = f"{run.splits} random splits, {how} each"
    purpose = (
        f"to find the labels, out of {data.classes}, of {data.subgraphs:,} subgraphs"
        if run.multilabel
        else f"to tell {data.classes} classes of {data.subgraphs:,} subgraphs apart"
    )
    place = (
        f"{purpose} in {data.name or 'this task'}, a graph of {data.nodes:,} nodes and"
        f" {data.edges:,} edges"
    )
    if count == 1:
        return f"{run.name} learned {place} ({how})."
    if run is not study.reference:
        best = f"the best of {count} models on validation is {study.reference.name}"
        return f"{run.name} learned {place} ({how}); {best}."
    kind = ", a simple model," if run.simple else ""
    tied = sum(other.result.val["micro_f1"].mean == _validation(run) for other in study.runs) - 1
    shared = f" ({tied} other{'s' * (tied > 1)} have the same score there)" if tied else ""
    shared = shared.replace("other have", "other has")
    return (
        f"Of {count} models that learned {place}, {run.name}{kind} is the best on"
        f" validation{shared}."
    )


def _validation(run: Run) -> float:
    return run.result.val["micro_f1"].mean


def _describe_score(run: Run) -> str:
    score = run.score
    over = "split" if run.splits else "seed"
    count = run.data.split.get("test", 0)
    text = f"On the {count:,} test subgraph{'s' * (count != 1)}"
    text += " of each split" if run.splits else ""
    text += f" its micro-F1 is {percent(score.mean)} %"
    wide = run.result.test_intervals.get("micro_f1")
    if score.n == 1 and wide is not None:
        return f"{text} (one run; 95 % interval over test subgraphs {interval_text(wide)})."
    if score.n == 1:
        runs = "one run" if run.simple else f"one {over}"
        return f"{text} ({runs}: no spread, no interval)."
    if score.interval is None:
        return (
            f"{text} ± {percent(score.sd or 0.0)} (n = {score.n} {over}s, too few for an interval:"
            f" it needs {MIN_RUNS})."
        )
    narrow, count_text = score.interval_text(), f"n = {score.n} {over}s"
    if wide is None:
        return f"{text} (95 % interval over {over}s {narrow}, {count_text})."
    if run.splits:
        return f"{text} (corrected 95 % interval over splits {interval_text(wide)}, {count_text})."
    return (
        f"{text} (95 % interval over seeds and test subgraphs {interval_text(wide)}, over seeds"
        f" alone {narrow}, {count_text})."
    )


def _compare_with_counterpart(study: RunSet, numbers: Numbers) -> str:
    against = numbers["against"]
    if against is not None:
        kind = "simple model" if against["simple"] else "network"
        is_s2n = study.counterpart is study.best_translated and len(study.runs) > 2
        place = f" ({_place_text(numbers['s2n'])})" if is_s2n else ""
        return f"The best {kind} on validation, {against['model']}{place}, {_gap(study, against)}."
    if study.main.simple:
        return (
            "No network was run on this data, so nothing says whether one would do better:"
            f" s2n run {data_words(study.main)} --structure s2n+a trains one."
        )
    return (
        "No simple model was run on this data, so it is not known whether the score is good:"
        f" s2n run {data_words(study.main)} --model majority --model bag --model statistics gives"
        " some."
    )


def _tell_place_of_s2n(study: RunSet, numbers: Numbers) -> list[str]:
    """Where S2N stands, if the summary has not told yet."""
    if study.best_translated in (None, study.main, study.counterpart):
        return []
    s2n = numbers["s2n"]
    return [f"The best S2N model, {s2n['model']} ({_place_text(s2n)}), {_gap(study, s2n)}."]


def _place_text(s2n: Numbers) -> str:
    shared = ", shared" if s2n["shared"] else ""
    return f"place {s2n['place']} of {s2n['models']} on validation{shared}"


def _gap(study: RunSet, other: Numbers) -> str:
    """``has 93.6 %, 6.4 points less: no significant difference (p = 0.078, …)``."""
    gap = points_apart(study.main.score.mean, other["mean"])
    order = "less" if gap > 0 else "more"
    text = f"has {percent(other['mean'])} %, " + (
        f"{abs(gap):.1f} points {order}" if gap else "the same"
    )
    return f"{text}: {verdict_text(other, study.main.name)}"


def verdict_text(comparison: Numbers, name: str) -> str:
    """What the test says of a model, in words, with its p.

    Args:
        comparison: Mark, p and test.
        name: The model whose mark it is.
    """
    if comparison["significance_test"] is None:
        return f"no verdict, since {comparison['test']}"
    if comparison["p"] is None:
        return "too few runs for a verdict"
    words = {
        "∼": "no significant difference",
        "∗": f"{name} is significantly better",
        "": f"{name} is significantly worse",
    }
    return f"{words[comparison['sign']]} ({p_value(comparison['p'])}, {comparison['test']})"


def _warn(study: RunSet, numbers: Numbers) -> list[str]:
    run, warnings = study.main, list[str]()
    test = run.data.split.get("test", 0)
    if 0 < test < _FEW:
        scope = _name_over_seeds(run, numbers)
        limit = f"; {scope} covers variation between seeds, not between test sets" if scope else ""
        warnings.append(f"One test subgraph is {100 / test:.1f} points{limit}.")
    if run.result.ended == "interrupted":
        warnings.append("The run was interrupted; the best state until then counts.")
    return warnings


def _name_over_seeds(run: Run, numbers: Numbers) -> str:
    """What in the summary allows for other seeds, not for other test subgraphs; "" if nothing."""
    if run.splits:
        return ""
    tested = any(other and other["p"] is not None for other in (numbers["against"], numbers["s2n"]))
    seeds_alone = run.score.interval is not None and not run.result.test_intervals
    if seeds_alone and tested:
        return "the interval, like the test between models,"
    return "the interval" if seeds_alone else "the test between models" if tested else ""
