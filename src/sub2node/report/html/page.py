"""The page: numbers and figures into one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ... import __version__
from ...errors import ConfigError
from ...files import new_file, require_writable, written
from .charts import curves, intervals, reliability
from .drawing import COLOURS, Picture, draw
from .findings import Findings
from .runs import Run
from .templating import template
from .words import p_value, parts, percent

OURS = '<meta name="generator" content="sub2node report'
MOST_CLASSES = 25  # of a confusion matrix
_MOST_ROWS = 60  # of a table by class
_MOST_PAIRS = 20
_MOST_LINKS = 4
_METRICS = {"micro_f1": "Micro-F1", "macro_f1": "Macro-F1", "accuracy": "Accuracy",
            "pr_auc": "PR-AUC"}  # fmt: skip


def check_report(path: Path, *, overwrite: bool) -> None:
    """Raise unless a report can be written here, or one of ours be replaced."""
    if path.is_dir():
        raise ConfigError(f"{path} is a folder, expected a file such as report.html.")
    if path.exists():
        if not overwrite:
            raise ConfigError(
                f"{path} exists already; choose another place (-o), or --overwrite it."
            )
        with path.open("rb") as file:
            if OURS.encode() not in file.read(2000):
                raise ConfigError(f"{path} is not a report of ours; it is not overwritten.")
    require_writable(path)


def write_report(found: Findings, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write the report: one file that opens without a network.

    Args:
        found: What it says.
        path: Where.
        overwrite: Whether a report that is there may be replaced.
    """
    path = Path(path)
    check_report(path, overwrite=overwrite)
    text = render(found)
    with written(path), new_file(path) as part:
        part.write_text(text, encoding="utf-8", errors="replace")
    return path


def render(found: Findings) -> str:
    """The report as HTML."""
    filters = {
        "percent": percent, "p_value": p_value, "parts": parts, "seconds": _seconds,
        "links": _links,
    }  # fmt: skip
    page, Markup, style = template("report.html", "a report", filters)
    figures = {name: Markup(svg) for name, svg in _figures(found).items()}
    picture = _picture(found)
    return str(
        page.render(
            version=__version__,
            style=style,
            ours=Markup(OURS),
            n=found.numbers,
            run=found.study.main,
            study=found.study,
            figures=figures,
            picture=picture,
            picture_svg=None if picture is None else Markup(picture.svg),
            metrics=_METRICS,
            colours=COLOURS,
            classes=_class_rows(found.numbers),
            matrix=_matrix(found.numbers),
            pairs=_pairs(found),
            notes=[
                (run.name, _note(str(note), run))
                for run in found.study.runs
                for note in run.facts["notes"]
            ],
        )
    )


def _figures(found: Findings) -> dict[str, str]:
    figures = {"intervals": intervals(found.numbers["models"], found.numbers["main"])}
    if found.calibrations is not None:
        figures["reliability"] = reliability(
            *found.calibrations, found.numbers["calibration"]["of"]
        )
    if found.curves is not None:
        losses = {"train_loss": "training", "val_loss": "validation"}
        if losses.keys() & found.curves.columns.keys():
            figures["losses"] = curves(found.curves, losses, "Loss")
        if "val_micro_f1" in found.curves.columns:
            names = {"val_micro_f1": "validation"}
            figures["scores"] = curves(found.curves, names, "Micro-F1, %", scale=100)
    return figures


def _picture(found: Findings) -> Picture | None:
    if found.subgraphs is None or not found.subgraphs.links or not found.numbers["picture"]:
        return None
    run = found.study.main
    return draw(found.subgraphs, run.classes, found.answers, parted=not run.splits)


def _class_rows(numbers: dict[str, Any]) -> list[dict[str, Any]]:
    """Of very many classes, those with the lowest F1."""
    rows = numbers["classes"] or [
        {"name": name, "f1": value} for name, value in numbers["f1_by_class"].items()
    ]
    if len(rows) <= _MOST_ROWS:
        return rows
    return sorted(rows, key=lambda row: row["f1"]["mean"])[:_MOST_ROWS]


def _matrix(numbers: dict[str, Any]) -> list[list[tuple[float, float]]] | None:
    """Counts and their share of the row; None where the matrix is too large to be read."""
    table = numbers["confusion"]
    if table is None or len(table) > MOST_CLASSES:
        return None
    return [[(count, count / (sum(row) or 1)) for count in row] for row in table]


def _pairs(found: Findings) -> list[tuple[str, str, float, float]]:
    """The most confused pairs: true class, said class, mean count, share of the true class."""
    if found.numbers["confusion"] is None:
        return []
    table = np.array(found.numbers["confusion"])
    off = table * ~np.eye(len(table), dtype=bool)
    order = np.argsort(-off, axis=None, kind="stable")[:_MOST_PAIRS]
    names = found.study.main.classes
    return [
        (names[a], names[b], float(off[a, b]), float(off[a, b] / max(table[a].sum(), 1e-9)))
        for a, b in zip(*np.unravel_index(order, off.shape), strict=True)
        if off[a, b]
    ]


def _links(error: dict[str, Any]) -> str:
    """Links to training subgraphs by class: the true and the said ones, and the most frequent."""
    counts = error["train_links"] or {}
    own = [*error["truth"], *(mistake["label"] for mistake in error["mistakes"])]
    rest = sorted(counts, key=lambda name: -counts[name])
    chosen = [name for name in dict.fromkeys([*own[:_MOST_LINKS], *rest]) if counts.get(name)]
    words = ", ".join(f"{name} {counts[name]:,}" for name in chosen[:_MOST_LINKS])
    left = sum(counts[name] > 0 for name in counts) - len(chosen[:_MOST_LINKS])
    return f"{words}, {left} more" if left > 0 else words or "none"


def _note(text: str, run: Run) -> str:
    """A note without the name of its model, which stands before it anyway."""
    for name in (str(run.facts["model"]), str(run.config.get("baseline", ""))):
        if name and text.startswith(f"{name}: "):
            return text.removeprefix(f"{name}: ")
    return text


def _seconds(value: float) -> str:
    """``0.31 s``, ``12.3 s`` or ``3 min 20 s``."""
    if value < 10:
        return f"{value:.2g} s"
    if value < 120:
        return f"{value:.1f} s"
    return f"{int(value // 60)} min {int(value % 60):02d} s"
