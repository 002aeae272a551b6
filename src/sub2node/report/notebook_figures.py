"""Pictures of single objects: what their ``.plot()`` shows, drawn as in a report."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

import numpy as np
from scipy.special import expit

from ..base.errors import ConfigError, suggest
from ..base.metrics import answers as predictions_of
from ..base.metrics import softmax
from ..base.plural import plural
from ..runs.run_tables import Curves, RunPredictions, SubgraphTable
from ..runs.scene import choose_shown, make_scene, strongest_links, without_diagonal
from ..scoring.answer_views import contribution_rows
from .drawing import PALETTE, house_style, legend_below, new_figure, plain_text, set_tip
from .html.graph_picture import COLOURS, draw_s2n_graph
from .html.prediction_measures import calibration, confusion
from .html.report_charts import curves, intervals, reliability

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..evaluate.comparison import Comparison
    from ..evaluate.result import Result
    from ..scoring.answers import Answers
    from ..scoring.explanation import Explanation
    from ..task import SubgraphTask
    from ..translation import S2NGraph

Arguments = ParamSpec("Arguments")
_KINDS = ("scores", "losses", "confusion", "reliability", "interval")
_CURVES = {
    "scores": ({"val_micro_f1": "validation"}, "Micro-F1, %", 100.0),
    "losses": ({"train_loss": "training", "val_loss": "validation"}, "Loss", 1.0),
}
_MOST_CLASSES = 25  # of a confusion matrix
_LONG = 28  # letters of a name beside a bar
_ROW, _LETTER, _GAP = 18, 6.2, 34  # points of a legend: a row, a letter, around a label
_SHAPES = {"train": ("o", 8, 1.0), "val": ("s", 8, 1.0), "test": ("o", 11, 1.6)}


def _shown_in_notebooks(
    function: Callable[Arguments, Figure],
) -> Callable[Arguments, Figure]:
    """Draw in the style of a report; a notebook shows the figure without pyplot being loaded."""

    @wraps(function)
    def draw(*args: Arguments.args, **options: Arguments.kwargs) -> Figure:
        with house_style():
            figure = function(*args, **options)
        vars(figure)["_repr_png_"] = lambda: _png(figure)
        return figure

    return draw


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    return buffer.getvalue()


@_shown_in_notebooks
def draw_result(result: Result, *, kind: str | None = None) -> Figure:
    """One picture of a result.

    Args:
        result: The result of a run.
        kind: ``scores``, ``losses``, ``confusion``, ``reliability`` or ``interval``; by default
            the first of scores, confusion, reliability and interval that the result has.
    """
    if kind is not None and kind not in _KINDS:
        raise ConfigError(f"there is no picture {kind!r} of a result.{suggest(str(kind), _KINDS)}")
    predictions = _predictions(result)
    if kind is None:
        kind = _default_kind(result, predictions)
    if kind in _CURVES:
        names, title, scale = _CURVES[kind]
        if not names.keys() & result.history.keys():
            raise ConfigError(f"the result of {result.model} has no {kind} by epoch.")
        return curves(Curves(result.history, result.best_epoch), names, title, scale=scale)
    if kind == "interval":
        return intervals([_model_numbers(result)], result.model)
    if predictions is None:
        raise ConfigError(f"the result of {result.model} has no predictions, as over splits.")
    if kind == "confusion":
        return _draw_confusion(predictions, tuple(result.class_scores["test"]))
    return _draw_reliability(predictions)


def _default_kind(result: Result, predictions: RunPredictions | None) -> str:
    if "val_micro_f1" in result.history:
        return "scores"
    if predictions is None:
        return "interval"
    small = len(result.class_scores["test"]) <= _MOST_CLASSES and not predictions.multilabel
    return "confusion" if small else "reliability"


def _predictions(result: Result) -> RunPredictions | None:
    """What each replica predicts for the test subgraphs; None where the result does not say."""
    if "test" not in result.outputs or "test" not in result.labels:
        return None
    logits, labels = result.outputs["test"].logits.astype(np.float64), result.labels["test"]
    multilabel, classes = labels.ndim == 2, np.arange(logits.shape[-1])
    predicted = [
        predictions_of(replica, multilabel=multilabel, threshold=threshold)
        for replica, threshold in zip(logits, result.thresholds, strict=True)
    ]
    return RunPredictions(
        ids=result.subgraph_ids.get("test", ()),
        truth=labels if multilabel else labels[:, None] == classes,
        predicted=np.array(predicted if multilabel else [p[:, None] == classes for p in predicted]),
        probabilities=expit(logits) if multilabel else softmax(logits),
        multilabel=multilabel,
    )


def _draw_reliability(predictions: RunPredictions) -> Figure:
    truth, multilabel = predictions.truth, predictions.multilabel
    mean, *by_seed = (
        calibration(probabilities, truth, multilabel=multilabel)
        for probabilities in (predictions.probabilities.mean(axis=0), *predictions.probabilities)
    )
    subject = "every label of every subgraph" if multilabel else "the likeliest class"
    return reliability(mean, by_seed, subject)


def _draw_confusion(predictions: RunPredictions, classes: tuple[str, ...]) -> Figure:
    """True class by row, predicted class by column; mean counts of seeds."""
    if predictions.multilabel:
        raise ConfigError("a confusion is of single-label data; see kind='reliability'.")
    if len(classes) > _MOST_CLASSES:
        raise ConfigError(f"a confusion of {len(classes)} classes; at most {_MOST_CLASSES} fit.")
    table = confusion(predictions)
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1e-9)
    labels = [_short(name) for name in classes]
    longest = max(map(len, labels))
    turned, room, side = longest > 5, 8.5 * longest + 60, 58 * len(classes)
    figure, [axes] = new_figure(room + max(side, 240), (room if turned else 70) + 30 + side)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1.15, aspect="auto")
    for row, column in np.ndindex(*table.shape):
        if table[row, column]:
            colour = PALETTE["paper" if shares[row, column] > 0.6 else "ink"]
            count = float(table[row, column])
            text = f"{count:.0f}" if count.is_integer() else f"{count:.1f}"
            axes.text(column, row, text, ha="center", va="center", color=colour, size=12)
    axes.set_xticks(range(len(classes)), labels, rotation=90 if turned else 0)
    axes.set_yticks(range(len(classes)), labels)
    axes.grid(visible=False)
    axes.set_xlabel("Predicted class", weight="bold")
    axes.set_ylabel("True class", weight="bold")
    axes.set_title("Counts on test" if predictions.replicas == 1 else "Mean counts on test")
    return figure


@_shown_in_notebooks
def draw_comparison(comparison: Comparison) -> Figure:
    """Test micro-F1 of each model: its runs, the mean and its interval."""
    models = [_model_numbers(row.result) for row in comparison.rows]
    return intervals(models, comparison.rows[comparison.reference].result.model)


def _model_numbers(result: Result) -> dict[str, object]:
    """What the chart of intervals shows of a model."""
    return {
        "name": result.model,
        "simple": "baseline" in result.config and "training" not in result.config,
        "test": {"micro_f1": result.test["micro_f1"].to_dict()},
        "test_intervals": result.test_intervals,
    }


@_shown_in_notebooks
def draw_answer(answers: Answers, *, subgraph: int | str = 0, most: int = 10) -> Figure:
    """Probabilities of the likeliest classes of one subgraph, with their spread over seeds.

    Args:
        answers: The answers of a model.
        subgraph: Name of the subgraph, or its place among them.
        most: The number of classes.
    """
    if most < 1:
        raise ConfigError(f"a picture has at least one bar, found most={most}.")
    row = _row_of(answers, subgraph)
    shown = np.argsort(-answers.probabilities[row], kind="stable")[:most]
    hidden = len(answers.classes) - len(shown)
    figure, [axes] = new_figure(
        620,
        120 + 26 * len(shown),
        title=f"Likeliest classes: {_short(answers.names[row])}",
        subtitle="The predicted class is blue"
        + (", lines are the spread over seeds" if answers.has_spread else "")
        + (f"; {plural(hidden, 'class')} not shown" if hidden else ""),
    )
    percent = 100 * answers.probabilities[row, shown]
    spread = 100 * answers.spread[row, shown] if answers.has_spread else None
    colours = [PALETTE["k0" if answers.predicted[row, place] else "k10"] for place in shown]
    bars = axes.barh(range(len(shown)), percent, xerr=spread, color=colours,
                     error_kw={"ecolor": PALETTE["ink"], "elinewidth": 1.5})  # fmt: skip
    axes.bar_label(bars, [f"{value:.1f} %" for value in percent], padding=6)
    axes.set_yticks(range(len(shown)), [_short(answers.classes[place]) for place in shown])
    axes.set_xlim(0, 118)
    axes.set_xticks(range(0, 101, 20))
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("Probability, %", weight="bold")
    return figure


def _row_of(answers: Answers, subgraph: int | str) -> int:
    if isinstance(subgraph, str):
        if subgraph not in answers.names:
            hint = suggest(subgraph, answers.names)
            raise ConfigError(f"there is no answer for a subgraph {subgraph!r}.{hint}")
        return answers.names.index(subgraph)
    if not 0 <= subgraph < len(answers):
        raise ConfigError(
            f"there is no answer {subgraph}: {plural(len(answers), 'answer')}, from 0."
        )
    return subgraph


@_shown_in_notebooks
def draw_explanation(explanation: Explanation, *, most: int = 15) -> Figure:
    """Contributions to a probability, from the baseline on, largest first."""
    if most < 1:
        raise ConfigError(f"a picture has at least one bar, found most={most}.")
    rows = [row for row in contribution_rows(explanation) if row[1] not in ("baseline", "rounding")]
    rows.sort(key=lambda row: -abs(row[2]))
    rest = rows[most:]
    if rest:
        total = sum(points for _, _, points, _ in rest)
        rows = [*rows[:most], (f"{len(rest)} more", "rest", total, "")]
    figure, [axes] = new_figure(
        620,
        130 + 26 * max(len(rows), 1),
        title=f"Why {_short(explanation.label)}: {_short(explanation.name)}",
        subtitle=f"From {100 * explanation.baseline:.1f} % for an empty subgraph to"
        f" {100 * explanation.probability:.1f} %",
    )
    _draw_bars(axes, rows)
    return figure


def _draw_bars(axes: Axes, rows: list[tuple[str, str, float, str]]) -> None:
    colours = {"member": "k0", "neighbour": "k1", "statistics": "k2", "border": "k3", "rest": "k10"}
    points = [row[2] for row in rows]
    bars = axes.barh(range(len(rows)), points, color=[PALETTE[colours[row[1]]] for row in rows])
    for bar, (what, kind, value, title) in zip(bars, rows, strict=True):
        set_tip(bar, f"{what} {title}: {value:+.2f} points, {kind}")
    digits = [1 if abs(value) >= 0.1 else 3 for value in points]
    texts = [f"{value:+.{places}f}" for value, places in zip(points, digits, strict=True)]
    axes.bar_label(bars, texts, padding=4)
    axes.set_yticks(range(len(rows)), [_short(row[3] or row[0]) for row in rows])
    axes.axvline(0, color=PALETTE["soft"], lw=1)
    axes.margins(x=0.16)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("Percentage points", weight="bold")
    kinds = [kind for kind in colours if kind != "rest" and any(row[1] == kind for row in rows)]
    if axes.figure is not None and kinds:
        legend_below(axes.figure, [_patch(colours[kind], kind) for kind in kinds])  # type: ignore[arg-type]


def _patch(colour: str, label: str) -> Artist:
    from matplotlib.patches import Patch

    return Patch(color=PALETTE[colour], label=label)


@_shown_in_notebooks
def draw_graph(graph: S2NGraph, *, task: SubgraphTask | None = None) -> Figure:
    """The S2N graph; of a large one, some subgraphs and their strongest links.

    Args:
        graph: The graph.
        task: The task it was made from, for labels and titles.
    """
    if task is not None:
        graph.require_task(task)
    table = _graph_table(graph) if task is None else _task_table(graph, task)
    classes = () if task is None else _commonest_first(table, task.class_names)
    picture = draw_s2n_graph(table, classes, None, show_parts=True)
    figure, handles = picture.figure, _legend_handles(classes, picture.parts)
    width, height = (72 * float(side) for side in figure.get_size_inches())
    longest = max((len(str(handle.get_label())) for handle in handles), default=1)
    columns = max(1, min(len(handles), int(width // (_LETTER * longest + _GAP))))
    room = _ROW * (-(-len(handles) // columns)) + _ROW / 2
    figure.set_size_inches(width / 72, (height + room) / 72)
    figure.axes[0].set_position((0, room / (height + room), 1, height / (height + room)))
    style = {"fontsize": 11, "columnspacing": 1.2, "handlelength": 1.2}
    figure.legend(handles=handles, loc="lower left", ncols=columns, **style)
    return figure


def _commonest_first(table: SubgraphTable, classes: tuple[str, ...]) -> tuple[str, ...]:
    """Classes in the order of their colours; of many, those of most shown subgraphs come first."""
    if len(classes) <= COLOURS:
        return classes
    shown = zip(table.columns["label"], table.columns["shown"], strict=True)
    counts = Counter(name for names, is_shown in shown if is_shown for name in names or ())
    return tuple(sorted(classes, key=lambda name: -counts[name]))


def _task_table(graph: S2NGraph, task: SubgraphTask) -> SubgraphTable:
    scene = make_scene(task, graph)
    links = scene.links
    assert links is not None  # there is a graph
    columns = scene.subgraphs.to_pydict()
    columns.setdefault("label", [None] * len(columns["subgraph_id"]))
    return SubgraphTable(columns, {name: links[name].to_numpy() for name in links.column_names})


def _graph_table(graph: S2NGraph) -> SubgraphTable:
    """What the graph itself says: ids, parts and, where it can attach, sizes."""
    weights = without_diagonal(graph)
    rows = choose_shown(graph.split, weights)
    source, target, weight = strongest_links(weights[rows][:, rows].tocsr())
    ids, words = graph.subgraph_ids, graph.split.words()
    sizes = None if graph.source is None else np.diff(graph.source.membership.indptr)
    columns: dict[str, list[object]] = {
        "subgraph_id": [ids[row] for row in rows],
        "part": [words[row] for row in rows],
        "label": [None] * len(rows),
        "size": [None] * len(rows) if sizes is None else sizes[rows].tolist(),
        "shown": [True] * len(rows),
    }
    return SubgraphTable(columns, {"source": source, "target": target, "weight": weight})


def _legend_handles(classes: tuple[str, ...], parts: tuple[str, ...]) -> list[Artist]:
    """What colours and shapes mean."""
    from matplotlib.lines import Line2D

    handles: list[Artist] = [
        _patch(f"k{number}", _short(name)) for number, name in enumerate(classes[:COLOURS])
    ]
    if len(classes) > COLOURS:
        handles.append(_patch(f"k{COLOURS}", f"{len(classes) - COLOURS} more"))
    for part in parts:
        marker, size, rim = _SHAPES.get(part, ("o", 5, 1.0))
        filled = bool(classes) and part in ("train", "val")
        fill, edge = ("soft", "soft") if filled else ("paper", "ink" if part == "test" else "k10")
        style = {"marker": marker, "ms": size, "mfc": PALETTE[fill], "mec": PALETTE[edge]}
        style["mew"] = rim
        handles.append(Line2D([], [], ls="none", label=part, **style))  # type: ignore[arg-type]
    return handles


def _short(name: str) -> str:
    text = plain_text(name)
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"
