"""All numbers of a report, computed once; the page and ``--json`` show the same ones."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...evaluate.significance import LEVEL, Summary
from ...settings import to_toml
from .measures import Calibration, calibration, class_table, confusion, worst
from .runs import Run, Study
from .tables import Answers, Curves, Subgraphs, read_answers, read_curves, read_subgraphs
from .words import leakage, margins, missing, summary

FIRST_SEED = 10  # of a count of seeds, as in the protocol


@dataclass(frozen=True, eq=False)
class Findings:
    """What a report says.

    Args:
        study: The runs.
        numbers: Everything as plain values, ready for JSON.
        answers: Of the main run on test, where it kept them.
        curves: Of its training.
        subgraphs: Names, sizes and links.
        calibrations: Of the mean probability, and of each seed.
    """

    study: Study
    numbers: dict[str, Any]
    answers: Answers | None
    curves: Curves | None
    subgraphs: Subgraphs | None
    calibrations: tuple[Calibration, tuple[Calibration, ...]] | None


def find(study: Study) -> Findings:
    """Compute everything that a report shows."""
    main = study.main
    found, curves = read_answers(main), read_curves(main)
    drawn = study.drawn
    subgraphs = read_subgraphs((drawn or main).home)
    curved = None if found is None else _calibrations(found)
    numbers: dict[str, Any] = {
        "data": main.data,
        "main": main.name,
        "reference": study.reference.name,
        "test": _test_words(main),
        "models": [_model(run, study) for run in study.runs],
        "against_simple": _against(study),
        "class_counts": main.facts["class_counts"],
        "sizes": main.facts["sizes"],
        "classes": None if found is None else _classes(main, found),
        "f1_by_class": {name: _summary(value) for name, value in main.per_class.items()},
        "confusion": None if found is None or main.multilabel else confusion(found).tolist(),
        "calibration": None if curved is None else _calibration(main, *curved),
        "errors": None if found is None else _errors(main, found, subgraphs),
        "overlap": [row.to_dict() for row in main.overlap],
        "leakage": leakage(main),
        "curves": None if curves is None else _curves(curves),
        "efficiency": [_efficiency(run) for run in study.runs],
        "picture": {} if drawn is None else drawn.picture,
        "notes": {run.name: run.facts["notes"] for run in study.runs},
        "versions": main.facts["versions"],
        "configs": {run.name: to_toml(run.config) for run in study.runs if run.config},
        "commands": {run.name: repeat(run) for run in study.runs},
    }
    numbers["missing"] = missing(study, found, curves, subgraphs)
    numbers["summary"] = summary(study, numbers)
    return Findings(study, numbers, found, curves, subgraphs, curved)


def _summary(value: Summary) -> dict[str, Any]:
    low, high = value.interval
    return {"mean": value.mean, "sd": value.sd, "n": value.n, "interval": [low, high],
            "values": list(value.values)}  # fmt: skip


def _test_words(run: Run) -> str:
    kind = "corrected resampled t-test" if run.splits else "Welch's t-test"
    return f"{kind} on test micro-F1, level {LEVEL:g}"


def _model(run: Run, study: Study) -> dict[str, Any]:
    p, sign = (None, "") if run is study.reference else run.against(study.reference)
    return {
        "name": run.name,
        "folder": str(run.path),
        "simple": run.simple,
        "preset": str(run.facts["preset"]),
        "ended": str(run.facts["ended"]),
        "val": {name: _summary(value) for name, value in run.val.items()},
        "test": {name: _summary(value) for name, value in run.test.items()},
        "p": p,
        "sign": sign,
        "seconds": float(run.facts["seconds"]),
    }


def _against(study: Study) -> dict[str, Any] | None:
    """The main run against the best simple model."""
    if study.simple is None:
        return None
    p, sign = study.main.against(study.simple)
    difference = study.main.score.mean - study.simple.score.mean
    return {"model": study.simple.name, "p": p, "sign": sign, "difference": difference,
            **_summary(study.simple.score)}  # fmt: skip


def _classes(run: Run, found: Answers) -> list[dict[str, Any]]:
    table = class_table(found)
    return [
        {
            "name": name,
            "support": int(table["support"][place]),
            **{
                key: _summary(Summary(tuple(map(float, table[key][:, place]))))
                for key in ("precision", "recall", "f1")
            },
        }
        for place, name in enumerate(run.classes)
    ]


def _calibrations(found: Answers) -> tuple[Calibration, tuple[Calibration, ...]]:
    kind = {"multilabel": found.multilabel}
    mean = calibration(found.probabilities.mean(axis=0), found.truth, **kind)
    return mean, tuple(calibration(each, found.truth, **kind) for each in found.probabilities)


def _calibration(run: Run, mean: Calibration, each: tuple[Calibration, ...]) -> dict[str, Any]:
    errors = Summary(tuple(found.error for found in each))
    return {
        "of": "every label of every subgraph" if run.multilabel else "the likeliest class",
        "bins": [
            {"count": int(count), "confidence": confidence, "frequency": frequency}
            for count, confidence, frequency in zip(
                mean.count,
                map(_finite, mean.confidence),
                map(_finite, mean.frequency),
                strict=True,
            )
        ],
        "error_of_mean": mean.error,
        "error_by_seed": {"mean": errors.mean, "sd": errors.sd, "values": list(errors.values)},
        "margins": margins(run),
    }


def _finite(value: float) -> float | None:
    """For JSON, which knows no NaN."""
    return float(value) if np.isfinite(value) else None


def _errors(run: Run, found: Answers, known: Subgraphs | None) -> list[dict[str, Any]]:
    rows = []
    for mistakes in worst(found):
        row = mistakes[0].row
        name = found.ids[row]
        more = {} if known is None else known.row(name)
        links, title = more.get("train_links"), str(more.get("title") or "")
        rows.append(
            {
                "id": name,
                "title": title if title != name else "",
                "truth": [run.classes[c] for c in np.flatnonzero(found.truth[row])],
                "mistakes": [
                    {
                        "label": run.classes[mistake.label],
                        "missed": mistake.missed,
                        "probability": mistake.probability,
                        "wrong": mistake.wrong,
                    }
                    for mistake in mistakes
                ],
                "seeds": found.replicas,
                "size": more.get("size"),
                "train_links": dict(zip(run.classes, links, strict=True))
                if links is not None and len(links) == len(run.classes)
                else None,
            }
        )
    return rows


def _curves(found: Curves) -> dict[str, Any]:
    return {
        "epochs": found.epochs,
        "best_epoch": list(found.best_epoch),
        "last": {name: _finite(column[-1].mean()) for name, column in found.columns.items()},
    }


def _efficiency(run: Run) -> dict[str, Any]:
    """Seconds of a run, as a whole, a seed and an epoch."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    seconds, count = float(run.facts["seconds"]), max(run.splits, 1) * len(run.seeds)
    epochs = None
    try:
        rows = pq.read_metadata(run.path / "epochs.parquet").num_rows
        epochs = rows // max(len(run.seeds), 1)
    except (OSError, pa.ArrowException):  # none, or the main run's reader says what is wrong
        pass
    return {
        "name": run.name,
        "seconds": seconds,
        "runs": count,
        "seconds_a_run": seconds / count,
        "epochs": epochs,
        "best_epoch": list(run.facts["best_epoch"]),
        "parameters": run.facts["parameters"],
    }


def repeat(run: Run) -> str:
    """The command that repeats a run, as far as its folder knows it; Python for odd seeds."""
    preset, count = str(run.path / "config.toml"), len(run.seeds)
    by_val = any(run.facts["thresholds"])
    if run.seeds != tuple(range(FIRST_SEED, FIRST_SEED + count)):
        more = ', threshold="val"' * by_val
        return f"s2n.run(task, preset={preset!r}, seeds={list(run.seeds)}{more})"
    words = ["s2n", "run", str(run.data["name"]) or "DATA", "--preset", preset]
    words += ["--splits", str(run.splits)] * bool(run.splits)
    words += ["--seeds", str(count)]
    words += ["--threshold", "val"] * by_val
    return shlex.join(words)
