"""The protocol: seeds, stages, one look at the test part."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import ConfigError, DataError
from ..base.metrics import best_threshold
from ..base.notes import changed, data_changes
from ..base.ragged import Array
from ..base.threshold import ThresholdWord, read_threshold
from ..config.best_settings import NAME as BEST
from ..encode import Encoding
from ..models.find import find_model, with_groups
from ..models.interface import Labels, Model, Outputs
from ..models.out_of_fold import groups_by_row
from ..ops.triton import Compile
from ..task import Part, Split, SubgraphTask, require_learnable
from .positive_class import PositiveClass, missing_positive_note
from .result import Result, best_of_ties, class_areas, class_scores, data_facts, part_scores
from .seeds import seed_list
from .significance import Summary

if TYPE_CHECKING:
    from torch import nn

_DRAWN: tuple[Part, ...] = ("train", "val", "test")


def run(
    task: SubgraphTask,
    *,
    model: str | None = None,
    structure: str | None = None,
    conv: str | Callable[..., nn.Module] | None = None,
    seeds: int | Sequence[int] = 10,
    preset: str = "default",
    settings: Mapping[str, object] | None = None,
    coarsen: str | None = None,
    device: str = "auto",
    encodings: Encoding | Array | None = None,
    threshold: ThresholdWord = "half",
    checkpoint: str | Path | None = None,
    resume: bool = False,
    compile: Compile = "auto",
    positive: str | None = None,
    time_limit: float | None = None,
    groups: str | Sequence[Any] | Array | None = None,
) -> Result:
    """Train and evaluate one structure, or another model, over several seeds.

    Args:
        task: The data, with labels and a split.
        model: Another model than the default, by name: ``glass``, ``subgnn``, ``gbdt``, ``wl``, …
            (``sub2node.baselines.MODELS``), or one of the structures.
        structure: ``separated``, ``connected``, ``s2n+0``, ``s2n+a``, ``cos2n+0`` or ``cos2n+a``;
            by default that of a preset file, else ``s2n+a``.
        conv: ``gcn``, ``gcn2`` (the default), ``gin``, ``gatv2``, ``sage``, ``fagcn``,
            ``module:Class``, or a class that is made as ``conv(width_in, width_out)`` and called
            with ``(x, edge_index, edge_weight)``.
        seeds: The number of seeds (10, 11, …), or the seeds themselves.
        preset: ``default``, ``fast``, ``paper``, ``tuned``, ``paper:NAME``, ``tuned:NAME`` or the
            path of a TOML file.
        settings: Replace single settings of the preset, as in ``{"lr": 0.01}``.
        coarsen: For CoS2N, method and ratio of the virtual subgraphs, as ``variation_edges:0.3``.
        device: ``auto``, ``cpu`` or ``cuda``.
        encodings: Your own columns that join the node features: (N, K), or an ``Encoding``.
        threshold: The threshold of multi-label answers: probability one ``half`` (the published
            way), or the best on ``val``.
        checkpoint: A folder to keep the state in while training.
        resume: Whether to continue from the state in that folder.
        compile: ``auto``: on a GPU, own kernels and epochs as CUDA graphs; ``off``: plain
            PyTorch.
        positive: The class that matters, of single-label data: ``result.positive`` then has the
            scores of its ranking, and of a threshold that is chosen on validation.
        time_limit: Seconds that ``best`` may take to learn; by default 300.
        groups: For ``best``: one value per subgraph, in the order of the input, or the name of an
            attribute; subgraphs of equal value are never on both sides of a border between folds,
            nor in two parts of a split that is drawn here.

    Example:
        >>> s2n.run(task, structure="s2n+a", conv="gcn2", seeds=10).test["micro_f1"].mean
    """
    if model != BEST and (time_limit is not None or groups is not None):
        raise ConfigError("a time limit and groups are for model='best'; omit them.")
    if time_limit is not None:
        settings = {**(settings or {}), "minutes": time_limit / 60}
    by_row = None if groups is None else groups_by_row(task, groups)
    task, split_notes = split_if_needed(task, by_row)
    by_row = None if groups is None else groups_by_row(task, groups)  # in the rows of the split
    spec = find_model(
        task,
        model,
        structure=structure,
        conv=conv,
        preset=preset,
        settings=settings,
        coarsen=coarsen,
        device=device,
        encodings=encodings,
        checkpoint=checkpoint,
        resume=resume,
        compile=compile,
    )
    spec = with_groups(spec, by_row)
    result = assess(
        task, spec.model, seeds=seed_list(seeds), threshold=threshold, positive=positive
    )
    notes = (*data_changes(task.notes), *split_notes, *spec.notes, *result.notes)
    return replace(result, preset=spec.preset_name, notes=notes)


def split_if_needed(
    task: SubgraphTask, groups: Array | None = None
) -> tuple[SubgraphTask, tuple[str, ...]]:
    """The task with a random split where it has none, and the sentence that says so.

    Args:
        task: The task.
        groups: One value per row; rows of equal value are in one part.
    """
    if task.split is not None or task.labels is None:
        return task, ()
    note = "the data came without a split; a random stratified one was drawn (80/10/10, seed 0)."
    return task.with_split(Split.random(task.labels, groups=groups)), (changed(note),)


def assess(
    task: SubgraphTask,
    model: Model,
    *,
    seeds: Sequence[int],
    threshold: ThresholdWord = "half",
    positive: str | None = None,
) -> Result:
    """Let a model learn from train and val, then read the test labels, once.

    Args:
        task: The data, with labels and a split.
        model: The model to assess.
        seeds: One seed per replica.
        threshold: How the threshold of multi-label answers is chosen.
        positive: The class whose ranking and threshold are scored too.
    """
    require_learnable(task)
    target = PositiveClass.of_task(task, positive)
    threshold = read_threshold(threshold)
    start = time.perf_counter()
    labels: Labels = {part: labels_of(task, part) for part in ("train", "val")}
    trained = model.fit(task, labels, seeds)
    outputs: dict[Part, Outputs] = {part: trained.outputs(part) for part in ("train", "val")}
    replicas = len(outputs["val"].logits)
    thresholds = (0.0,) * replicas
    if task.multilabel and threshold == "val":
        logits = outputs["val"].logits
        thresholds = tuple(best_threshold(labels["val"], replica) for replica in logits)
    alert_thresholds: tuple[float, ...] = ()
    if target is not None:
        alert_thresholds = target.choose_thresholds(labels["val"], outputs["val"].logits)
    # Nothing above this line has seen a label of the test part, nothing below changes the model.
    outputs["test"] = trained.outputs("test")
    labels["test"] = labels_of(task, "test")
    scored: tuple[Part, ...] = ("val", "test")
    facts: dict[str, Any] = dict(trained.facts)
    ties = best_of_ties(labels["test"], outputs["test"].tied, thresholds)
    if ties is not None:
        facts["notes"] = (*facts.get("notes", ()), _tie_note(model.name, ties))
    if target is not None and not target.truth(labels["val"]).any():
        facts["notes"] = (*facts.get("notes", ()), missing_positive_note(target.label))
    by_part = {part: outputs[part].logits for part in scored}
    seconds_before = facts.pop("seconds_before", 0.0)  # of a run that was killed
    return Result(
        model=model.name,
        data=data_facts(task),
        seeds=tuple(seeds[:replicas]),
        scores={p: part_scores(labels[p], by_part[p], thresholds) for p in scored},
        class_scores={p: class_scores(task, labels[p], by_part[p], thresholds) for p in scored},
        class_areas={p: class_areas(task, labels[p], by_part[p]) for p in scored},
        positive=None if target is None else target.score(labels, by_part, alert_thresholds),
        seconds=seconds_before + time.perf_counter() - start,
        thresholds=thresholds,
        outputs=outputs,
        labels=labels,
        subgraph_ids={part: _ids_of(task, part) for part in outputs},
        published_ties=ties,
        **facts,
    )


def _tie_note(name: str, ties: Summary) -> str:
    return (
        f"{name}: test micro-F1 {ties.percent_text()} by the published rule, the best test score"
        " among the epochs that tie on validation; it looks at the test part many times, so compare"
        " it with published numbers only."
    )


def labels_of(task: SubgraphTask, part: Part) -> Array:
    """The labels of one part."""
    assert task.labels is not None
    assert task.split is not None
    return np.array(task.labels[task.split.mask(part)])


def _ids_of(task: SubgraphTask, part: Part) -> tuple[str, ...]:
    assert task.split is not None
    rows = np.flatnonzero(task.split.mask(part))
    return tuple(task.subgraphs.name_of(int(row)) for row in rows)


def random_splits(
    task: SubgraphTask,
    count: int,
    parts: tuple[float, float, float] | None = None,
    *,
    groups: str | None = None,
) -> list[SubgraphTask]:
    """The task under repeated stratified random splits.

    The same for every model, since they depend on the task alone.

    Args:
        task: The data, with labels.
        count: The number of splits.
        parts: Shares of train, val and test; by default those of the task's own split.
        groups: An attribute; subgraphs of equal value are in one part.
    """
    if count < 2:
        raise ConfigError(f"at least two repeated splits are needed, found {count}.")
    if task.labels is None:
        raise DataError("the task has no labels to learn.")
    shares, names = parts or (0.8, 0.1, 0.1), _DRAWN
    if parts is None and task.split is not None:
        sizes = np.array([task.split.count(part) for part in names], float)
        if sizes.all():
            shares = tuple(sizes / sizes.sum())
    split = Split.sizes(train=len(task)) if task.split is None else task.split
    values = None if groups is None else task.attributes.groups(groups)
    splits = [
        split.redrawn(task.labels, shares, seed=number, groups=values) for number in range(count)
    ]
    for drawn in splits:
        if parts is not None and not all(drawn.count(part) for part in names):
            raise ConfigError(
                f"with {len(task) - task.num_virtual} subgraphs, these shares leave a part without"
                " any; use larger ones."
            )
    return [task.with_split(drawn) for drawn in splits]
