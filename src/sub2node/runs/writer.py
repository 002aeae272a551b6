"""Run folders: results, settings, curves, predictions and vectors, written whole."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..base.environment import versions
from ..base.errors import DataError
from ..base.files import check_folder, new_folder, written
from ..base.metrics import AREAS, answers
from ..base.ragged import Array
from ..config import Config
from ..config.settings import to_toml
from ..evaluate.overlap import overlaps
from ..evaluate.positive_views import positive_rows, threshold_text
from ..evaluate.result_views import score_rows
from ..evaluate.score_intervals import explain_intervals, interval_titles
from ..evaluate.significance import MIN_RUNS, interval_text
from ..task import PARTS, SubgraphTask
from .scene import Scene, make_scene

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from ..evaluate.comparison import Comparison
    from ..evaluate.positive_class import PositiveScores
    from ..evaluate.result import Result

OURS = (
    r"result\.json|config\.toml|epochs\.parquet|predictions\.parquet|embeddings\.parquet"
    r"|subgraphs\.parquet|links\.parquet|MODEL_CARD\.md|comparison\.json|models|report\.html"
)


def check_run_folder(path: str | Path, *, overwrite: bool) -> None:
    """Raise unless a run folder can be written at this path."""
    check_folder(Path(path), overwrite=overwrite, ours=OURS)


def save_run(
    result: Result, task: SubgraphTask, path: str | Path, *, overwrite: bool = False
) -> Path:
    """Write a run folder.

    ``result.json`` (scores in 0…1), ``config.toml`` (a preset that repeats the run),
    ``epochs.parquet`` (losses, validation score and learning rate by seed and epoch),
    ``predictions.parquet``, ``embeddings.parquet`` (subgraph vectors), ``MODEL_CARD.md``, and for
    the report ``subgraphs.parquet`` (titles and sizes) and ``links.parquet`` (of the S2N graph).
    Predictions and embeddings are listed seed by seed, in the order of the task's input;
    ``subgraphs.parquet`` has the order of its rows, by which links count.
    """
    path = Path(path)
    _require_labels_and_split([result], task)
    with (
        new_folder(path, overwrite=overwrite, ours=OURS, sealed=True) as folder,
        written(path),
    ):
        scene = _write_scene([result], task, folder)
        _write_result(result, task, folder, {**_task_facts(result, task), **scene})
    return path


def save_comparison(
    comparison: Comparison, task: SubgraphTask, path: str | Path, *, overwrite: bool = False
) -> Path:
    """Write ``comparison.json`` and a run folder for each model under ``models``.

    What a report shows of the subgraphs is written once, beside ``comparison.json``.
    """
    path = Path(path)
    results = [row.result for row in comparison.rows]
    _require_labels_and_split(results, task)
    with (
        new_folder(path, overwrite=overwrite, ours=OURS, sealed=True) as folder,
        written(path),
    ):
        facts = _task_facts(results[0], task)
        best_first = sorted(results, key=lambda result: -result.val["micro_f1"].mean)
        scene = _write_scene(best_first, task, folder)
        _write_json({**comparison.to_dict(), **facts, **scene}, folder / "comparison.json")
        for result in results:
            model_path = folder / "models" / model_folder(result.model)
            model_path.mkdir(parents=True)
            _write_result(result, task, model_path, facts)
    return path


def _require_labels_and_split(results: Iterable[Result], task: SubgraphTask) -> None:
    """Raise where the task cannot be the one that the outputs are of."""
    if any(result.outputs for result in results) and (task.labels is None or task.split is None):
        raise DataError(
            "the task has no labels or no split; save a run with the task that was assessed (where"
            " run drew the split: task.with_split(Split.random(task.labels)))."
        )


def model_folder(model: str) -> str:
    """Name the folder of a model in a comparison."""
    return model.replace(" ", "-").replace(":", "-")


def _task_facts(result: Result, task: SubgraphTask) -> dict[str, object]:
    """Collect sizes, classes and overlap of the parts; over random splits, of all subgraphs."""
    splits = "splits" in result.data
    counts, sizes = task.label_counts(), task.subgraphs.sizes
    parts = {"all": ~task.split.mask("virtual")} if splits and task.split is not None else {}
    if task.split is not None and not splits:
        parts = {part: task.split.mask(part) for part in PARTS if task.split.count(part)}
    table = {"all": counts.sum(axis=0), **dict(zip(PARTS, counts, strict=True))}
    return {
        "overlap": [overlap.to_dict() for overlap in overlaps(task, splits=splits)],
        "class_counts": {
            part: dict(zip(task.class_names, table[part].tolist(), strict=True))
            for part in parts
            if part != "virtual"
        },
        "sizes": {
            part: {
                "mean": float(sizes[mask].mean()),
                "min": int(sizes[mask].min()),
                "max": int(sizes[mask].max()),
            }
            for part, mask in parts.items()
        },
    }


def _write_scene(results: Iterable[Result], task: SubgraphTask, folder: Path) -> dict[str, object]:
    """Write names, sizes and links; return how the S2N graph was made, if there is one."""
    import pyarrow.parquet as pq

    scene, model = _find_scene(results, task)
    pq.write_table(scene.subgraphs, folder / "subgraphs.parquet", compression="zstd")
    if scene.links is None:
        return {}
    pq.write_table(scene.links, folder / "links.parquet", compression="zstd")
    return {"picture": {"model": model, **scene.facts}}


def _find_scene(results: Iterable[Result], task: SubgraphTask) -> tuple[Scene, str]:
    """Make the scene with the S2N graph of the first result that has one; name its model."""
    from ..models.graph_network import normalized, presented

    for result in results:
        if "structure" not in result.config:
            continue
        config = Config.from_dict(result.config)
        if config.structure.translated:
            shown_task, _ = presented(task, config)
            graph = normalized(shown_task, config.translation)
            return make_scene(shown_task, graph), result.model
    return make_scene(task), ""


def _write_json(value: dict[str, object], file: Path) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")


def _write_result(
    result: Result, task: SubgraphTask, folder: Path, facts: dict[str, object]
) -> None:
    import pyarrow.parquet as pq

    _write_json({**result.to_dict(), "versions": versions(), **facts}, folder / "result.json")
    (folder / "MODEL_CARD.md").write_text(_model_card(result), encoding="utf-8")
    if result.config:
        (folder / "config.toml").write_text(to_toml(result.config), encoding="utf-8")
    if result.history:
        pq.write_table(_epoch_table(result), folder / "epochs.parquet")
    if result.outputs:
        pq.write_table(_prediction_table(result, task), folder / "predictions.parquet")
        if all(outputs.vectors is not None for outputs in result.outputs.values()):
            pq.write_table(_embedding_table(result, task), folder / "embeddings.parquet")


def _epoch_table(result: Result) -> pa.Table:
    import pyarrow as pa

    epochs, replicas = next(iter(result.history.values())).shape
    return pa.table(
        {
            "seed": np.repeat(np.array(result.seeds), epochs),
            "epoch": np.tile(np.arange(1, epochs + 1), replicas),
            **{name: column.T.ravel() for name, column in result.history.items()},
        }
    )


@dataclass(frozen=True, eq=False)
class _AssessedRows:
    """The subgraphs that a result has outputs for, in the order of the task's input.

    Args:
        rows: Their rows in the task, (m,).
        places: Their places in the outputs of all parts one after the other, (m,).
    """

    rows: Array
    places: Array

    @classmethod
    def of(cls, result: Result, task: SubgraphTask) -> _AssessedRows:
        """Find the subgraphs of the parts that have outputs."""
        assert task.split is not None
        rows = np.concatenate([np.flatnonzero(task.split.mask(part)) for part in result.outputs])
        input_place = np.argsort(task.input_order)
        places = np.argsort(input_place[rows])
        return cls(rows[places], places)

    def arrange(self, parts: Iterable[Array]) -> Array:
        """Values (R, count, …) of each part as one array (R, m, …)."""
        return np.concatenate(list(parts), axis=1)[:, self.places]

    def columns(self, result: Result, task: SubgraphTask) -> dict[str, object]:
        """Seed, part and id for each seed and subgraph, seed by seed."""
        assert task.split is not None
        ids, words = task.subgraph_ids, task.split.words()
        return {
            "seed": np.repeat(np.array(result.seeds), len(self.rows)),
            "part": [words[row] for row in self.rows] * len(result.seeds),
            "subgraph_id": [ids[row] for row in self.rows] * len(result.seeds),
        }


def _prediction_table(result: Result, task: SubgraphTask) -> pa.Table:
    import pyarrow as pa

    assert task.labels is not None
    assessed = _AssessedRows.of(result, task)
    classes = np.array(task.class_names, dtype=object)
    truth = _name_classes(task.labels[assessed.rows], classes)
    logits = assessed.arrange(outputs.logits for outputs in result.outputs.values())
    predictions: list[object] = []
    for replica, threshold in zip(logits, result.thresholds, strict=True):
        predicted = answers(replica, multilabel=task.multilabel, threshold=threshold)
        predictions += _name_classes(predicted, classes)
    kind = pa.list_(pa.string()) if task.multilabel else pa.string()
    columns = np.concatenate(logits).T
    return pa.table(
        {
            **assessed.columns(result, task),
            "label": pa.array(truth * len(logits), kind),
            "prediction": pa.array(predictions, kind),
            **{f"logit {name}": c for name, c in zip(task.class_names, columns, strict=True)},
        }
    )


def _name_classes(values: Array, classes: Array) -> list[str] | list[list[str]]:
    if values.ndim == 1:
        return [str(name) for name in classes[values]]
    return [[str(name) for name in classes[row]] for row in values]


def _embedding_table(result: Result, task: SubgraphTask) -> pa.Table:
    import pyarrow as pa

    assessed = _AssessedRows.of(result, task)
    by_part = [outputs.vectors for outputs in result.outputs.values()]
    vectors = assessed.arrange(values for values in by_part if values is not None)
    flat = pa.array(vectors.astype(np.float32).ravel())
    column = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[-1])
    return pa.table({**assessed.columns(result, task), "vector": column})


def _describe_choice(result: Result) -> str:
    """Say how validation was used."""
    if result.history or result.best_epoch or "training" in result.config:
        ties = result.config.get("training", {}).get("ties", "first")
        rule = "lowest loss" if ties == "loss" else "first"
        return f"Each seed's state is the one with the best validation micro-F1 ({rule} on ties)"
    return "All choices were made by validation micro-F1"


def _score_table(result: Result) -> list[str]:
    splits = bool(result.scored_on.splits)
    titles = " | ".join(f"95 % interval {title}" for title in interval_titles(splits=splits))
    lines = [f"| metric | validation | test | {titles} | n |", "|---|---|---|---|---|---|"]
    runs = result.test["micro_f1"].n
    for name, *cells in score_rows(result, digits=2):
        wide = interval_text(result.test_intervals.get(name), 2)
        lines.append(f"| {' | '.join([name, *cells])} | {wide} | {runs} |")
    note = "In percent. ± is the standard deviation over runs (n-1); an interval over runs needs"
    return [*lines, "", f"{note} {MIN_RUNS}. Intervals: {explain_intervals(splits=splits)}"]


def _model_card(result: Result) -> str:
    data = result.data
    split = " / ".join(f"{count:,} {part}" for part, count in data["split"].items())
    lines = [
        f"# {result.model} on {data['name'] or data['hash'][:12]}",
        "",
        f"- Data: {data['nodes']:,} nodes, {data['edges']:,} edges, {data['subgraphs']:,} subgraphs"
        f" ({split}), {data['classes']} classes{', multi-label' * data['multilabel']}; content hash"
        f" `{data['hash'][:12]}`.",
        f"- Seeds: {', '.join(map(str, result.seeds))}. Settings: "
        + (f"preset `{result.preset}`, in `config.toml`." if result.preset else "none."),
        f"- {_describe_choice(result)}; the test part was read once.",
        "",
        *_score_table(result),
    ]
    lines += _card_classes(result)
    if result.positive is not None:
        lines += _card_positive(result.positive)
    if result.notes:
        lines += ["", "## Notes", "", *(f"- {note}" for note in result.notes)]
    return "\n".join(lines) + "\n"


def _card_classes(result: Result) -> list[str]:
    """F1 and, where they are defined, the areas of each class on test."""
    areas = result.class_areas.get("test", {})
    lines = ["", "| class | test F1, % | ROC-AUC, % | PR-AUC, % |", "|---|---|---|---|"]
    for name, summary in result.class_scores["test"].items():
        tables = [areas.get(metric, {}) for metric in AREAS]
        cells = [table[name].percent_text(2) if name in table else "-" for table in tables]
        cell = name.replace("|", "\\|")
        lines.append(f"| {cell} | {' | '.join([summary.percent_text(2), *cells])} |")
    return lines


def _card_positive(positive: PositiveScores) -> list[str]:
    parts = {"validation": positive.val.content(), "test": positive.test.content()}
    cells = (" | ".join(row) for row in positive_rows(parts))
    threshold = threshold_text(positive.thresholds, positives=positive.val.positives)
    return [
        "",
        f"## The positive class: {positive.label}",
        "",
        "| in % | validation | test |",
        "|---|---|---|",
        *(f"| {row} |" for row in cells),
        "",
        f"The threshold is {threshold}.",
    ]
