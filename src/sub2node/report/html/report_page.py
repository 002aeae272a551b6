"""The page: numbers and figures into one HTML file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ... import __version__
from ...base.metrics import CLASS_LABELS, METRIC_LABELS
from ...evaluate.score_intervals import explain_intervals, interval_titles
from ...evaluate.significance import MIN_RUNS
from ...evaluate.verdicts import MARKS
from ...runs import Run
from ..drawing import inline_svg
from .graph_picture import COLOURS, Picture, draw_s2n_graph
from .page_file import OURS, check_report, write_page
from .precision_recall import describe_curve, draw_precision_recall
from .report_charts import curves, intervals, reliability
from .report_findings import ReportFindings
from .report_summary import headline
from .report_wording import Numbers, p_value, parts, percent, points_apart
from .templating import load_template

MOST_CLASSES = 25  # of a confusion matrix
_MOST_ROWS = 60  # of a table by class
_MOST_PAIRS = 20
_MOST_LINKS = 4


def write_report(findings: ReportFindings, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write the report: one file that opens without a network.

    Args:
        findings: What the report shows.
        path: The file to write.
        overwrite: Whether an existing report may be replaced.
    """
    check_report(Path(path), overwrite=overwrite)
    return write_page(render(findings), Path(path), overwrite=overwrite)


def render(findings: ReportFindings) -> str:
    """The report as HTML."""
    filters: dict[str, Callable[..., object]] = {
        "percent": percent,
        "p_value": p_value,
        "parts": parts,
        "points_apart": points_apart,
        "seconds": _duration_text,
        "links": _link_text,
    }
    page, Markup, style = load_template("report.html", "a report", filters)
    picture = _draw_picture(findings)
    figures = {name: Markup(svg) for name, svg in _draw_figures(findings, picture).items()}
    return str(
        page.render(
            version=__version__,
            style=style,
            ours=Markup(OURS),
            headline=headline(findings.study, findings.numbers["data"]["name"] or "this task"),
            marks=MARKS,
            least=MIN_RUNS,
            interval_titles=interval_titles(splits=bool(findings.study.main.splits)),
            intervals_there=_which_intervals(findings.numbers["models"]),
            own_intervals=_which_intervals(
                [m for m in findings.numbers["models"] if m["name"] == findings.numbers["main"]]
            ),
            has_spread=any(m["test"]["micro_f1"]["n"] > 1 for m in findings.numbers["models"]),
            about_intervals=explain_intervals(splits=bool(findings.study.main.splits)),
            n=findings.numbers,
            run=findings.study.main,
            study=findings.study,
            figures=figures,
            picture=picture,
            metrics=METRIC_LABELS,
            class_metrics=CLASS_LABELS,
            colours=COLOURS,
            classes=_class_rows(findings.numbers),
            matrix=_confusion_matrix(findings.numbers),
            pairs=_confused_pairs(findings),
            notes=[
                (run.name, _shorten_note(note, run))
                for run in findings.study.runs
                for note in run.result.notes
            ],
        )
    )


def _which_intervals(models: Sequence[Numbers]) -> tuple[bool, bool]:
    """Whether any model has an interval over runs, and one over test subgraphs or corrected."""
    narrow = any(score["interval"] for model in models for score in model["test"].values())
    return narrow, any(model["test_intervals"] for model in models)


def _draw_figures(findings: ReportFindings, picture: Picture | None) -> dict[str, str]:
    """Every figure of the page, as SVG by name."""
    numbers = findings.numbers
    models = "; ".join(map(_describe_model_score, numbers["models"]))
    chart = intervals(numbers["models"], numbers["main"])
    title = "Test micro-F1 of each model in percent, with 95 % intervals"
    figures = {"intervals": inline_svg(chart, "intervals", title=title, description=models)}
    if findings.calibrations is not None:
        mean, by_seed = findings.calibrations
        subject = numbers["calibration"]["of"]
        figures["reliability"] = inline_svg(
            reliability(mean, by_seed, subject),
            "reliability",
            title=f"Reliability of {subject}",
            description=f"The mean probability of {int(mean.count.sum()):,} answers has an expected"
            f" calibration error of {percent(mean.error)} percent.",
        )
    positive = numbers["positive"]
    if positive is not None and positive["curve"] is not None:
        figures["positive"] = inline_svg(
            draw_precision_recall(positive),
            "positive",
            title=f"Precision by recall of {positive['label']}",
            description=describe_curve(positive),
        )
    if findings.curves is not None:
        losses = {"train_loss": "training", "val_loss": "validation"}
        scores = {"val_micro_f1": "validation"}
        for name, columns, label, scale in (
            ("losses", losses, "Loss", 1.0),
            ("scores", scores, "Micro-F1, %", 100.0),
        ):
            labels = [text for key, text in columns.items() if key in findings.curves.columns]
            if labels:
                chart = curves(findings.curves, columns, label, scale=scale)
                title = f"{label} over {findings.curves.epochs} epochs: {', '.join(labels)}"
                figures[name] = inline_svg(chart, name, title=title)
    if picture is not None:
        figures["picture"] = inline_svg(picture.figure, "picture", title=picture.title)
    return figures


def _describe_model_score(model: Numbers) -> str:
    score = model["test"]["micro_f1"]
    text = f"{model['name']} {percent(score['mean'])}"
    interval = model["test_intervals"].get("micro_f1", score["interval"])
    if interval is None:
        return text
    low, high = map(percent, interval)
    return f"{text} ({low} to {high})"


def _draw_picture(findings: ReportFindings) -> Picture | None:
    if (
        findings.subgraphs is None
        or not findings.subgraphs.links
        or not findings.numbers["picture"]
    ):
        return None
    run = findings.study.main
    return draw_s2n_graph(
        findings.subgraphs, run.classes, findings.predictions, show_parts=not run.splits
    )


def _class_rows(numbers: Numbers) -> list[Numbers]:
    """Of very many classes, those with the lowest F1."""
    rows = numbers["classes"] or [
        {"name": name, "f1": value} for name, value in numbers["f1_by_class"].items()
    ]
    if len(rows) <= _MOST_ROWS:
        return rows
    return sorted(rows, key=lambda row: row["f1"]["mean"])[:_MOST_ROWS]


def _confusion_matrix(numbers: Numbers) -> list[list[tuple[float, float]]] | None:
    """Counts and their share of the row; None where the matrix is too large to be read."""
    table = numbers["confusion"]
    if table is None or len(table) > MOST_CLASSES:
        return None
    return [[(count, count / (sum(row) or 1)) for count in row] for row in table]


def _confused_pairs(findings: ReportFindings) -> list[tuple[str, str, float, float]]:
    """The most confused pairs: true class, predicted class, mean count, share of the true class."""
    if findings.numbers["confusion"] is None:
        return []
    table = np.array(findings.numbers["confusion"])
    off = table * ~np.eye(len(table), dtype=bool)
    order = np.argsort(-off, axis=None, kind="stable")[:_MOST_PAIRS]
    names = findings.study.main.classes
    return [
        (names[a], names[b], float(off[a, b]), float(off[a, b] / max(table[a].sum(), 1e-9)))
        for a, b in zip(*np.unravel_index(order, off.shape), strict=True)
        if off[a, b]
    ]


def _link_text(error: Numbers) -> str:
    """Links to training subgraphs by class: true and predicted classes, and the most frequent."""
    counts = error["train_links"] or {}
    own = [*error["truth"], *(mistake["label"] for mistake in error["mistakes"])]
    rest = sorted(counts, key=lambda name: -counts[name])
    chosen = [name for name in dict.fromkeys([*own[:_MOST_LINKS], *rest]) if counts.get(name)]
    text = ", ".join(f"{name} {counts[name]:,}" for name in chosen[:_MOST_LINKS])
    left = sum(counts[name] > 0 for name in counts) - len(chosen[:_MOST_LINKS])
    return f"{text}, {left} more" if left > 0 else text or "none"


def _shorten_note(text: str, run: Run) -> str:
    """A note without the name of its model, which stands before it anyway."""
    for name in (run.result.model, str(run.config.get("baseline", ""))):
        if name and text.startswith(f"{name}: "):
            return text.removeprefix(f"{name}: ")
    return text


def _duration_text(value: float) -> str:
    """``0.31 s``, ``12.3 s`` or ``3 min 20 s``."""
    if value < 10:
        return f"{value:.2g} s"
    if value < 120:
        return f"{value:.1f} s"
    return f"{int(value // 60)} min {int(value % 60):02d} s"
