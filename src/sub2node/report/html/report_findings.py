"""All numbers of a report, computed once; the page and ``--json`` show the same ones."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass

import numpy as np

from ...audit.audit_files import read_audit
from ...config.settings import to_toml
from ...evaluate.seeds import seed_list
from ...evaluate.significance import Summary
from ...evaluate.verdicts import choose_test, describe_test
from ...runs import Run, RunSet
from ...runs.run_tables import (
    Curves,
    RunPredictions,
    SubgraphTable,
    read_curves,
    read_predictions,
    read_subgraph_table,
)
from .model_descriptions import describe_run
from .precision_recall import positive_numbers
from .prediction_measures import Calibration, calibration, class_table, confusion, worst
from .report_summary import summarize
from .report_wording import (
    Numbers,
    check_leakage,
    data_words,
    explain_margins,
    explain_missing,
)


@dataclass(frozen=True, eq=False)
class ReportFindings:
    """Everything that a report shows.

    Args:
        study: The runs that are compared.
        numbers: Everything as plain values, ready for JSON.
        predictions: The main run's predictions on test; None where it has none.
        curves: The training curves of the main run.
        subgraphs: Names, sizes and links of the subgraphs.
        calibrations: The calibration of the mean probability, and of each seed.
    """

    study: RunSet
    numbers: Numbers
    predictions: RunPredictions | None
    curves: Curves | None
    subgraphs: SubgraphTable | None
    calibrations: tuple[Calibration, tuple[Calibration, ...]] | None


def collect_findings(study: RunSet) -> ReportFindings:
    """Compute everything that a report shows."""
    main = study.main
    predictions, curves = read_predictions(main), read_curves(main)
    drawn = study.drawn
    subgraphs = read_subgraph_table((drawn or main).home)
    calibrations = None if predictions is None else _calibrate(predictions)
    test = choose_test(main.result.scored_on, study.reference.result.scored_on)
    numbers: Numbers = {
        "data": asdict(main.data),
        "main": main.name,
        "reference": study.reference.name,
        "test": describe_test(test),
        "significance_test": test,
        "models": [_model_numbers(run, study) for run in _best_first(study)],
        "leaderboard": [asdict(row) for row in main.result.leaderboard],
        "against": _compare_main(study, study.counterpart),
        "s2n": _compare_with_s2n(study),
        "class_counts": main.result.class_counts,
        "sizes": {part: asdict(sizes) for part, sizes in main.result.sizes.items()},
        "classes": None if predictions is None else _class_rows(main, predictions),
        "f1_by_class": {name: _summary_numbers(value) for name, value in main.per_class.items()},
        "areas_by_class": {
            metric: {name: _summary_numbers(value) for name, value in table.items()}
            for metric, table in main.result.areas_per_class.get("test", {}).items()
        },
        "positive": positive_numbers(main, predictions),
        "confusion": None
        if predictions is None or main.multilabel
        else confusion(predictions).tolist(),
        "calibration": None if calibrations is None else _calibration_numbers(main, *calibrations),
        "errors": None if predictions is None else _error_rows(main, predictions, subgraphs),
        "overlap": [row.to_dict() for row in main.result.overlap],
        "leakage": check_leakage(main.result.overlap),
        "audit": _audit_numbers(main),
        "curves": None if curves is None else _curve_numbers(curves),
        "efficiency": [_efficiency_numbers(run) for run in _best_first(study)],
        "picture": {} if drawn is None or drawn.picture is None else asdict(drawn.picture),
        "notes": {run.name: list(run.result.notes) for run in study.runs},
        "versions": main.result.versions,
        "configs": {run.name: to_toml(run.config) for run in study.runs if run.config},
        "commands": {run.name: repeat_command(run) for run in study.runs},
    }
    numbers["missing"] = explain_missing(study, predictions, curves, subgraphs)
    numbers["summary"] = summarize(study, numbers)
    return ReportFindings(study, numbers, predictions, curves, subgraphs, calibrations)


def _audit_numbers(run: Run) -> Numbers | None:
    """The audit beside a run, and whether it is of the same data; None where there is none."""
    record = read_audit(run.home)
    if record is None:
        return None
    return {**asdict(record), "same_data": record.hash == run.data.hash}


def _best_first(study: RunSet) -> list[Run]:
    """The runs by their mean on validation, the one that others are tested against first."""
    return sorted(
        study.runs,
        key=lambda run: (-run.result.val["micro_f1"].mean, run is not study.reference),
    )


def _summary_numbers(value: Summary) -> Numbers:
    return {
        "mean": value.mean,
        "sd": value.sd,
        "n": value.n,
        "interval": None if value.interval is None else list(value.interval),
        "values": list(value.values),
    }


def _model_numbers(run: Run, study: RunSet) -> Numbers:
    verdict = None if run is study.reference else run.against(study.reference)
    return {
        "name": run.name,
        "folder": str(run.path),
        "about": describe_run(run),
        "simple": run.simple,
        "preset": run.result.preset,
        "ended": run.result.ended,
        "val": {name: _summary_numbers(value) for name, value in run.result.val.items()},
        "test": {name: _summary_numbers(value) for name, value in run.result.test.items()},
        "test_intervals": {name: list(ends) for name, ends in run.result.test_intervals.items()},
        "p": None if verdict is None else verdict.p,
        "sign": "" if verdict is None else verdict.sign,
        "seconds": run.result.seconds,
    }


def _compare_main(study: RunSet, other: Run | None) -> Numbers | None:
    """The main run against another one; None where there is none."""
    if other is None:
        return None
    verdict = study.main.against(other)
    return {
        "model": other.name,
        "simple": other.simple,
        "p": verdict.p,
        "sign": verdict.sign,
        "test": describe_test(verdict.test),
        "significance_test": verdict.test,
        "difference": study.main.score.mean - other.score.mean,
        **_summary_numbers(other.score),
    }


def _compare_with_s2n(study: RunSet) -> Numbers | None:
    """The place of the best S2N model on validation, and the main run against it."""
    best = study.best_translated
    compared = None if best is study.main else _compare_main(study, best)
    if best is None or compared is None:
        return None
    place, shared = study.place(best)
    return {**compared, "place": place, "shared": shared, "models": len(study.runs)}


def _class_rows(run: Run, predictions: RunPredictions) -> list[Numbers]:
    table = class_table(predictions)
    return [
        {
            "name": name,
            "support": int(table["support"][place]),
            **{
                key: _summary_numbers(Summary(tuple(map(float, table[key][:, place]))))
                for key in ("precision", "recall", "f1")
            },
        }
        for place, name in enumerate(run.classes)
    ]


def _calibrate(predictions: RunPredictions) -> tuple[Calibration, tuple[Calibration, ...]]:
    truth, multilabel = predictions.truth, predictions.multilabel
    mean = calibration(predictions.probabilities.mean(axis=0), truth, multilabel=multilabel)
    return mean, tuple(
        calibration(probabilities, truth, multilabel=multilabel)
        for probabilities in predictions.probabilities
    )


def _calibration_numbers(run: Run, mean: Calibration, by_seed: tuple[Calibration, ...]) -> Numbers:
    errors = Summary(tuple(one.error for one in by_seed))
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
        "margins": explain_margins(run),
    }


def _finite(value: float) -> float | None:
    """None for NaN, which JSON cannot hold."""
    return float(value) if np.isfinite(value) else None


def _error_rows(
    run: Run, predictions: RunPredictions, subgraphs: SubgraphTable | None
) -> list[Numbers]:
    rows = []
    for mistakes in worst(predictions):
        row = mistakes[0].row
        name = predictions.ids[row]
        more = {} if subgraphs is None else subgraphs.row(name)
        links, title = more.get("train_links"), str(more.get("title") or "")
        rows.append(
            {
                "id": name,
                "title": title if title != name else "",
                "truth": [run.classes[c] for c in np.flatnonzero(predictions.truth[row])],
                "mistakes": [
                    {
                        "label": run.classes[mistake.label],
                        "missed": mistake.missed,
                        "probability": mistake.probability,
                        "wrong": mistake.wrong,
                    }
                    for mistake in mistakes
                ],
                "seeds": predictions.replicas,
                "size": more.get("size"),
                "train_links": dict(zip(run.classes, links, strict=True))
                if links is not None and len(links) == len(run.classes)
                else None,
            }
        )
    return rows


def _curve_numbers(curves: Curves) -> Numbers:
    return {
        "epochs": curves.epochs,
        "best_epoch": list(curves.best_epoch),
        "last": {name: _finite(column[-1].mean()) for name, column in curves.columns.items()},
    }


def _efficiency_numbers(run: Run) -> Numbers:
    """Seconds of a run in total and per seed, and its number of epochs."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    seconds, count = run.result.seconds, max(run.splits, 1) * len(run.seeds)
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
        "best_epoch": list(run.result.best_epoch),
        "parameters": run.result.parameters,
    }


def repeat_command(run: Run) -> str:
    """The command that repeats a run, as far as its folder knows it; Python for odd seeds."""
    preset, count = str(run.path / "config.toml"), len(run.seeds)
    conv = str(run.config.get("conv", ""))
    is_imported = ":" in conv  # which a preset file may not name
    by_val, positive = any(run.result.thresholds), run.result.positive
    if run.seeds != tuple(seed_list(count)):
        more = f", conv={conv!r}" * is_imported + ', threshold="val"' * by_val
        more += "" if positive is None else f", positive={positive.label!r}"
        return f"s2n.run(task, preset={preset!r}, seeds={list(run.seeds)}{more})"
    parts = ["--preset", preset]
    parts += ["--conv", conv] * is_imported
    parts += ["--splits", str(run.splits)] * bool(run.splits)
    parts += ["--parts", run.data.parts] * bool(run.data.parts)
    parts += ["--seeds", str(count)]
    parts += ["--threshold", "val"] * by_val
    parts += [] if positive is None else ["--positive", positive.label]
    features = run.config.get("features", {})
    for option, file in run.data.files.items():
        if option != "features" or features.get("kind") == "given":
            parts += [f"--{option}", file] * bool(features)
    return f"s2n run {data_words(run)} {shlex.join(parts)}"
