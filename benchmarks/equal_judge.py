"""Tables of the equal search: scores, tests against GLASS, counts of wins, ties and losses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from equal_jobs import PUBLISHED, best_trials
from measuring import save_rows

LEVEL = 0.01
RIVAL = "glass"


def judge(rows: Sequence[dict[str, Any]], folder: Path, name: str = "equal-search") -> None:
    """Write trials, scores, tests and counts as CSV files whose names begin alike."""
    trials = [trial_row(row) for row in rows if row["kind"] == "search"]
    scores = list(score_rows(rows))
    tests = list(test_rows(scores))
    save_rows(folder / f"{name}-trials.csv", trials)
    hidden = ("values",)
    kept = [{k: v for k, v in row.items() if k not in hidden} for row in scores]
    save_rows(folder / f"{name}.csv", kept)
    save_rows(folder / f"{name}-tests.csv", tests)
    save_rows(folder / f"{name}-counts.csv", count_rows(tests))


def trial_row(row: dict[str, Any]) -> dict[str, object]:
    """A trial as it is kept."""
    names = ("data", "model", "trial", "splits", "score", "seconds", "ended", "settings", "note")
    return {name: row[name] for name in names}


def score_rows(rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, object]]:
    """One row per data, model, kind of split and settings, in points; of all splits or none."""
    best = best_trials(rows)
    table = []
    for data, model in dict.fromkeys(key[:2] for key in best):
        own = {split: trial for (*names, split), trial in best.items() if names == [data, model]}
        for kind in ("confirm", "published"):
            splits = [split for split in sorted(own) if (split == PUBLISHED) == (kind != "confirm")]
            done = _scored(rows, kind, data, model)
            for settings in ("searched", "published"):
                trials = {split: own[split][0] * (settings == "searched") for split in splits}
                if splits and all((trial, split) in done for split, trial in trials.items()):
                    parts = [done[trial, split] for split, trial in trials.items()]
                    table.append(_score_row(parts, settings=settings, of=own[splits[0]][1]))
    return table


def _scored(
    rows: Sequence[dict[str, Any]], kind: str, data: str, model: str
) -> dict[tuple[int, int], tuple[dict[str, Any], tuple[float, ...]]]:
    """Row and scores by trial and split; of the published split, the scores of all seeds."""
    done = {}
    for row in rows:
        if (row["kind"], row["data"], row["model"]) != (kind, data, model) or not row.get("score"):
            continue
        values = tuple(float(value) for value in row["scores"].split())
        splits = [int(split) for split in row["splits"].split()]
        for number, split in enumerate(splits):
            own = values if split == PUBLISHED else values[number : number + 1]
            done[int(row["trial"]), split] = row, own
    return done


def _score_row(
    parts: Sequence[tuple[dict[str, Any], tuple[float, ...]]], *, settings: str, of: int
) -> dict[str, object]:
    from sub2node.evaluate.significance import Summary

    rows = [row for row, _ in parts]
    summary = Summary(tuple(value for _, values in parts for value in values))
    first = rows[0]
    return {
        "data": first["data"],
        "model": first["model"],
        "split": "random" if first["kind"] == "confirm" else "published",
        "settings": settings,
        "origin": first["origin"],
        "trial": " ".join(str(row["trial"]) for row in rows),
        "trials": of,
        "test": f"{100 * summary.mean:.1f}",
        "test_sd": f"{100 * (summary.sd or 0):.1f}",
        "n": summary.n,
        "val": f"{100 * fmean(float(row['val']) for row in rows):.1f}",
        "train": first["train"],
        "test_size": first["test"],
        "ended": " ".join(sorted({word for row in rows for word in row["ended"].split()})),
        "scores": " ".join(f"{value:.6f}" for value in summary.values),
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
