"""Tables of the equal search: scores, tests against GLASS, counts of wins, ties and losses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from measuring import save_rows

LEVEL = 0.01
RIVAL = "glass"
Best = Callable[[Sequence[dict[str, Any]]], dict[tuple[str, str], tuple[int, int]]]


def judge(rows: Sequence[dict[str, Any]], best_trials: Best, folder: Path) -> None:
    """Write trials, scores, tests and counts as CSV."""
    trials = [trial_row(row) for row in rows if row["kind"] == "search"]
    scores = list(score_rows(rows, best_trials))
    tests = list(test_rows(scores))
    save_rows(folder / "equal-search-trials.csv", trials)
    hidden = ("values",)
    kept = [{k: v for k, v in row.items() if k not in hidden} for row in scores]
    save_rows(folder / "equal-search.csv", kept)
    save_rows(folder / "equal-search-tests.csv", tests)
    save_rows(folder / "equal-search-counts.csv", count_rows(tests))


def trial_row(row: dict[str, Any]) -> dict[str, object]:
    """A trial as it is kept."""
    names = ("data", "model", "trial", "score", "seconds", "ended", "settings", "note")
    return {name: row[name] for name in names}


def score_rows(rows: Sequence[dict[str, Any]], best_trials: Best) -> Sequence[dict[str, object]]:
    """One row per data, model, split and settings, in points."""
    best = best_trials(rows)
    done = {
        (row["kind"], row["data"], row["model"], int(row["trial"])): row
        for row in rows
        if row["kind"] != "search" and row.get("score")
    }
    table = []
    for (data, model), (trial, of) in best.items():
        for kind in ("confirm", "published"):
            for settings, number in (("searched", trial), ("published", 0)):
                row = done.get((kind, data, model, number))
                if row is not None:
                    table.append(_score_row(row, settings=settings, trials=of))
    return table


def _score_row(row: dict[str, Any], *, settings: str, trials: int) -> dict[str, object]:
    from sub2node.evaluate.significance import Summary

    summary = Summary(tuple(float(value) for value in row["scores"].split()))
    return {
        "data": row["data"],
        "model": row["model"],
        "split": "random" if row["kind"] == "confirm" else "published",
        "settings": settings,
        "trial": int(row["trial"]),
        "trials": trials,
        "test": f"{100 * summary.mean:.1f}",
        "test_sd": f"{100 * (summary.sd or 0):.1f}",
        "n": summary.n,
        "val": f"{100 * float(row['val']):.1f}",
        "train": row["train"],
        "test_size": row["test"],
        "ended": row["ended"],
        "scores": row["scores"],
        "values": summary.values,
    }


def test_rows(scores: Sequence[dict[str, Any]]) -> Sequence[dict[str, object]]:
    """Each model against GLASS on the same random splits, with the same kind of settings."""
    from sub2node.evaluate import corrected_resampled_t_test

    rivals = {
        (row["data"], row["settings"]): row
        for row in scores
        if row["model"] == RIVAL and row["split"] == "random"
    }
    table = []
    for row in scores:
        rival = rivals.get((row["data"], row["settings"]))
        if row["split"] != "random" or row["model"] == RIVAL or rival is None:
            continue
        sizes = {"train": int(row["train"]), "test": int(row["test_size"])}
        p = corrected_resampled_t_test(row["values"], rival["values"], **sizes)
        difference = sum(row["values"]) / row["n"] - sum(rival["values"]) / rival["n"]
        verdict = "tie" if p >= LEVEL else "win" if difference > 0 else "loss"
        table.append(
            {
                "data": row["data"],
                "model": row["model"],
                "settings": row["settings"],
                "difference": f"{100 * difference:+.1f}",
                "p": f"{p:.3g}",
                "verdict": verdict,
                "higher": "yes" if difference > 0 else "no",
                "n": row["n"],
                "trials": row["trials"],
            }
        )
    return table


def count_rows(tests: Sequence[dict[str, Any]]) -> Sequence[dict[str, object]]:
    """How often a model wins, ties and loses against GLASS at level 0.01, and is ahead at all."""
    verdicts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in tests:
        verdicts[row["model"], row["settings"]].update([row["verdict"], f"ahead {row['higher']}"])
    return [
        {
            "model": model,
            "settings": settings,
            "wins": counts["win"],
            "ties": counts["tie"],
            "losses": counts["loss"],
            "ahead": counts["ahead yes"],
            "data": counts["win"] + counts["tie"] + counts["loss"],
        }
        for (model, settings), counts in verdicts.items()
    ]
