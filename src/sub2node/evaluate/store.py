"""Run folders: results, settings, curves, predictions and vectors, written whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..config import Config
from ..errors import DataError
from ..files import check_folder, new_folder, written
from ..metrics import answers
from ..ragged import Array
from ..settings import to_toml
from ..task import PARTS, SubgraphTask
from ..versions import versions
from .overlap import overlaps
from .scene import Scene, make_scene
from .significance import Summary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .comparison import Comparison
    from .result import Result

OURS = (
    r"result\.json|config\.toml|epochs\.parquet|predictions\.parquet|embeddings\.parquet"
    r"|subgraphs\.parquet|links\.parquet|MODEL_CARD\.md|comparison\.json|models|report\.html"
)


def check_run_folder(path: str | Path, *, overwrite: bool) -> None:
    """Raise unless a run folder can be made here."""
    check_folder(Path(path), overwrite=overwrite, ours=OURS)


def save_run(
    result: Result, task: SubgraphTask, path: str | Path, *, overwrite: bool = False
) -> Path:
    """Write a run folder.

    ``result.json`` (scores in 0…1), ``config.toml`` (a preset that repeats the run),
    ``epochs.parquet`` (losses, validation score and learning rate by seed and epoch),
    ``predictions.parquet``, ``embeddings.parquet`` (subgraph vectors), ``MODEL_CARD.md``, and for
    the report ``subgraphs.parquet`` (titles and sizes) and ``links.parquet`` (of the S2N graph).
    """
    path = Path(path)
    with new_folder(path, overwrite=overwrite, ours=OURS) as folder, written(path):
        scene = _write_scene([result], task, folder)
        _write(result, task, folder, {**_task_facts(result, task), **scene})
    return path


def save_comparison(
    comparison: Comparison, task: SubgraphTask, path: str | Path, *, overwrite: bool = False
) -> Path:
    """Write ``comparison.json`` and a run folder for each model under ``models``.

    What a report needs to know of the subgraphs is written once, beside ``comparison.json``.
    """
    path = Path(path)
    results = [row.result for row in comparison.rows]
    with new_folder(path, overwrite=overwrite, ours=OURS) as folder, written(path):
        facts = _task_facts(results[0], task)
        best_first = sorted(results, key=lambda result: -result.val["micro_f1"].mean)
        scene = _write_scene(best_first, task, folder)
        _write_json({**comparison.to_dict(), **facts, **scene}, folder / "comparison.json")
        for result in results:
            home = folder / "models" / model_folder(result.model)
            home.mkdir(parents=True)
            _write(result, task, home, facts)
    return path


def model_folder(model: str) -> str:
    """The name of a model's folder in a comparison."""
    return model.replace(" ", "-").replace(":", "-")


def load_scores(path: str | Path) -> dict[str, Any]:
    """``result.json`` of a run, with the micro-F1 of its parts as :class:`Summary`."""
    file = Path(path) / "result.json" if Path(path).is_dir() else Path(path)
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return {
            **found,
            "model": str(found.get("model", file.parent.name)),
            "data": dict(found["data"]),
            **{
                part: {name: Summary.from_dict(value) for name, value in found[part].items()}
                for part in ("val", "test")
            },
        }
    except FileNotFoundError:
        raise DataError("there is no result.json here.", path=path) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"this is not the result of a run ({error!r}).", path=file) from None


def _task_facts(result: Result, task: SubgraphTask) -> dict[str, Any]:
    """Sizes, classes and overlap of the parts; over random splits, of all subgraphs."""
    splits = "splits" in result.data
    counts, sizes = task.label_counts(), task.subgraphs.sizes
    parts = {"all": ~task.split.mask("virtual")} if splits and task.split is not None else {}
    if task.split is not None and not splits:
        parts = {part: task.split.mask(part) for part in PARTS if task.split.count(part)}
    table = {"all": counts.sum(axis=0), **dict(zip(PARTS, counts, strict=True))}
    return {
        "overlap": [found.to_dict() for found in overlaps(task, splits=splits)],
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


def _write_scene(results: Iterable[Result], task: SubgraphTask, folder: Path) -> dict[str, Any]:
    """Write names, sizes and links; returns how the S2N graph was made, if there is one."""
    import pyarrow.parquet as pq

    scene, model = _scene(results, task)
    pq.write_table(scene.subgraphs, folder / "subgraphs.parquet", compression="zstd")
    if scene.links is None:
        return {}
    pq.write_table(scene.links, folder / "links.parquet", compression="zstd")
    return {"picture": {"model": model, **scene.facts}}


def _scene(results: Iterable[Result], task: SubgraphTask) -> tuple[Scene, str]:
    """With the S2N graph of the first result that has one."""
    from .models import presented, translated

    for result in results:
        if "structure" not in result.config:
            continue
        config = Config.from_dict(result.config)
        if config.translated:
            seen, _ = presented(task, config)
            how = config.translation
            graph = translated(seen, how.self_loops).normalize(how.a, how.delta)
            return make_scene(seen, graph), result.model
    return make_scene(task), ""


def _write_json(value: dict[str, Any], file: Path) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")


def _write(result: Result, task: SubgraphTask, folder: Path, facts: dict[str, Any]) -> None:
    import pyarrow.parquet as pq

    _write_json({**result.to_dict(), "versions": versions(), **facts}, folder / "result.json")
    (folder / "MODEL_CARD.md").write_text(_card(result), encoding="utf-8")
    if result.config:
        (folder / "config.toml").write_text(to_toml(result.config), encoding="utf-8")
    if result.history:
        pq.write_table(_epochs(result), folder / "epochs.parquet")
    if result.outputs:
        pq.write_table(_predictions(result, task), folder / "predictions.parquet")
        if all(found.vectors is not None for found in result.outputs.values()):
            pq.write_table(_embeddings(result, task), folder / "embeddings.parquet")


def _epochs(result: Result) -> Any:
    import pyarrow as pa

    epochs, replicas = next(iter(result.history.values())).shape
    return pa.table(
        {
            "seed": np.repeat(np.array(result.seeds), epochs),
            "epoch": np.tile(np.arange(1, epochs + 1), replicas),
            **{name: column.T.ravel() for name, column in result.history.items()},
        }
    )


def _subgraph_column(result: Result, task: SubgraphTask) -> dict[str, Any]:
    """Seed, part and name of the subgraph for each row of predictions and embeddings."""
    assert task.split is not None
    seeds, parts, names = [], [], []
    for part, found in result.outputs.items():
        replicas, count = found.logits.shape[:2]
        here = np.flatnonzero(task.split.mask(part))
        seeds.append(np.repeat(np.array(result.seeds), count))
        parts.append(np.repeat(part, replicas * count))
        names += [task.subgraphs.name_of(int(number)) for number in here] * replicas
    return {"seed": np.concatenate(seeds), "part": np.concatenate(parts), "subgraph_id": names}


def _predictions(result: Result, task: SubgraphTask) -> Any:
    import pyarrow as pa

    assert task.labels is not None
    assert task.split is not None
    classes = np.array(task.class_names, dtype=object)
    labels, said, logits = [], [], []
    for part, found in result.outputs.items():
        truth = task.labels[task.split.mask(part)]
        for row, threshold in zip(found.logits, result.thresholds, strict=True):
            claim = answers(row, multilabel=task.multilabel, threshold=threshold)
            labels += _words(truth, classes)
            said += _words(claim, classes)
            logits.append(row)
    columns = np.concatenate(logits).T
    kind = pa.list_(pa.string()) if task.multilabel else pa.string()
    return pa.table(
        {
            **_subgraph_column(result, task),
            "label": pa.array(labels, kind),
            "prediction": pa.array(said, kind),
            **{f"logit {name}": c for name, c in zip(task.class_names, columns, strict=True)},
        }
    )


def _words(values: Array, classes: Array) -> list[Any]:
    if values.ndim == 1:
        return [str(name) for name in classes[values]]
    return [[str(name) for name in classes[row]] for row in values]


def _embeddings(result: Result, task: SubgraphTask) -> Any:
    import pyarrow as pa

    vectors = np.concatenate(
        [found.vectors.reshape(-1, found.vectors.shape[-1])
         for found in result.outputs.values() if found.vectors is not None]
    )  # fmt: skip
    flat = pa.array(vectors.astype(np.float32).ravel())
    column = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
    return pa.table({**_subgraph_column(result, task), "vector": column})


def _choice(result: Result) -> str:
    """How validation was used."""
    if result.history or result.best_epoch or "training" in result.config:
        ties = result.config.get("training", {}).get("ties", "first")
        rule = "lowest loss" if ties == "loss" else "first"
        return f"Each seed's state is the one with the best validation micro-F1 ({rule} on ties)"
    return "What there was to choose was chosen by validation micro-F1"


def _card(result: Result) -> str:
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
        f"- {_choice(result)}; the test part was read once.",
        "",
        "| metric | validation | test | 95 % interval of the test mean | n |",
        "|---|---|---|---|---|",
    ]
    for name, summary in result.test.items():
        val, (low, high) = result.val[name], summary.interval
        lines.append(
            f"| {name} | {val.mean:.4f} ± {val.sd:.4f} | {summary.mean:.4f} ± {summary.sd:.4f}"
            f" | {low:.4f} … {high:.4f} | {summary.n} |"
        )
    lines += ["", "± is the standard deviation over runs (n-1)."]
    lines += ["", "| class | test F1 |", "|---|---|"]
    for name, summary in result.class_scores["test"].items():
        cell = name.replace("|", "\\|")
        lines.append(f"| {cell} | {summary.mean:.4f} ± {summary.sd:.4f} |")
    if result.notes:
        lines += ["", "## To know", "", *(f"- {note}" for note in result.notes)]
    return "\n".join(lines) + "\n"
