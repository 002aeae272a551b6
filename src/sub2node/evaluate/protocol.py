"""The protocol: seeds, stages, one look at the test part."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..coarsen import parse_coarsen
from ..config import STRUCTURES
from ..errors import ConfigError, DataError
from ..kernels import Compile
from ..metrics import best_threshold
from ..ragged import Array
from ..task import Part, Split, SubgraphTask
from .choosing import Labels
from .models import GraphNetwork, Model
from .result import Outputs, Result, best_of_ties, class_scores, data_facts, part_scores
from .significance import Summary

if TYPE_CHECKING:
    from torch import nn

Threshold = Literal["zero", "val"]
FIRST_SEED = 10


def run(
    task: SubgraphTask,
    *,
    model: str | None = None,
    structure: str | None = None,
    conv: str | Callable[..., nn.Module] | None = None,
    seeds: int | Sequence[int] = 10,
    preset: str = "default",
    settings: Mapping[str, Any] | None = None,
    coarsen: str | None = None,
    device: str = "auto",
    encodings: Any = None,
    threshold: Threshold = "zero",
    checkpoint: str | Path | None = None,
    resume: bool = False,
    compile: Compile = "auto",
) -> Result:
    """Train and evaluate one structure, or another model, over several seeds.

    Args:
        task: With labels and a split.
        model: Another model than the default, by name: ``glass``, ``subgnn``, ``gbdt``, ``wl``, …
            (``sub2node.baselines.MODELS``), or one of the structures.
        structure: ``separated``, ``connected``, ``s2n+0``, ``s2n+a``, ``cos2n+0`` or ``cos2n+a``;
            by default that of a preset file, else ``s2n+a``.
        conv: ``gcn``, ``gcn2`` (the default), ``gin``, ``gatv2``, ``sage``, ``module:Class``, or a
            class that is made as ``conv(width_in, width_out)`` and called with
            ``(x, edge_index, edge_weight)``.
        seeds: How many (10, 11, …), or which.
        preset: ``default``, ``fast``, ``paper``, ``tuned``, ``paper:NAME``, ``tuned:NAME`` or the
            path of a TOML file.
        settings: Replace single settings of the preset, as in ``{"lr": 0.01}``.
        coarsen: Of CoS2N: method and ratio of the virtual subgraphs, as ``variation_edges:0.3``.
        device: ``auto``, ``cpu`` or ``cuda``.
        encodings: Columns of your own that join the node features: (N, K), or an ``Encoding``.
        threshold: Of multi-label answers: ``zero`` (the published way) or the best on ``val``.
        checkpoint: A folder to keep the state in while training.
        resume: Go on from the state in that folder.
        compile: ``auto``: on a GPU, kernels of ours and epochs as CUDA graphs; ``off``: plain
            PyTorch.

    Example:
        >>> s2n.run(task, structure="s2n+a", conv="gcn2", seeds=10).test["micro_f1"].mean
    """
    task, drawn = split_if_needed(task)
    asked, name, notes = find_model(
        task, model, structure=structure, conv=conv, preset=preset, settings=settings,
        coarsen=coarsen, device=device, encodings=encodings, checkpoint=checkpoint, resume=resume,
        compile=compile,
    )  # fmt: skip
    result = assess(task, asked, seeds=seed_list(seeds), threshold=threshold)
    return replace(result, preset=name, notes=(*drawn, *notes, *result.notes))


def split_if_needed(task: SubgraphTask) -> tuple[SubgraphTask, tuple[str, ...]]:
    """The task with a random split where it has none, and the sentence that says so."""
    if task.split is not None or task.labels is None:
        return task, ()
    note = "the data came without a split; a random stratified one was drawn (80/10/10, seed 0)."
    return task.with_split(Split.random(task.labels)), (note,)


def find_model(
    task: SubgraphTask,
    name: str | None,
    *,
    structure: str | None,
    conv: str | Callable[..., nn.Module] | None,
    preset: str,
    coarsen: str | None = None,
    **options: Any,
) -> tuple[Model, str, tuple[str, ...]]:
    """The network of a structure, or the baseline of this name; its preset; what to know.

    Without a name, a preset file that is a baseline's stands for it.
    """
    from ..train import baseline_of
    from .baselines import baseline

    if name in STRUCTURES and structure is None:
        name, structure = None, name
    if name is None and structure is None and conv is None:
        name = baseline_of(preset)
    if name is None:
        return network(
            task, structure=structure, conv=conv, preset=preset, coarsen=coarsen, **options
        )
    for given, words in ((structure, "structure"), (conv, "convolution"), (coarsen, "coarsening")):
        if given is not None:
            raise ConfigError(f"{name} has no {words} to choose; leave it away.")
    return baseline(task, name, preset=preset, **options)


def network(
    task: SubgraphTask,
    *,
    structure: str | None,
    conv: str | Callable[..., nn.Module] | None,
    preset: str,
    settings: Mapping[str, Any] | None = None,
    coarsen: str | None = None,
    device: str = "auto",
    encodings: Any = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    compile: Compile = "auto",
) -> tuple[GraphNetwork, str, tuple[str, ...]]:
    """A model from a preset and settings, the preset's name, and what to know about it."""
    from ..train import find_preset

    own = conv if callable(conv) else None
    found = find_preset(preset, task, structure, "own" if own else conv)  # type: ignore[arg-type]
    found = found.with_settings({**(settings or {}), **_coarsening(coarsen)})
    if coarsen is not None:
        if not found.config.coarsened:
            raise ConfigError(
                f"coarsening is for cos2n+0 and cos2n+a, not for {found.config.structure}."
            )
        if task.num_virtual:
            raise ConfigError("the data brings virtual subgraphs; leave the coarsening away.")
    kept = None if checkpoint is None else Path(checkpoint)
    model = GraphNetwork(found.candidates, encodings, device, kept, resume, compile, own)
    model.check()
    return model, found.name, found.notes


def _coarsening(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    method, ratio = parse_coarsen(text)
    return {"coarsening.method": method, "coarsening.ratio": ratio}


def assess(
    task: SubgraphTask, model: Model, *, seeds: Sequence[int], threshold: Threshold = "zero"
) -> Result:
    """Let a model learn from train and val, then read the test labels, once.

    Args:
        task: With labels and a split.
        model: What to assess.
        seeds: One a replica.
        threshold: Of multi-label answers.
    """
    check(task)
    if threshold not in ("zero", "val"):
        raise ConfigError(f"a threshold is 'zero' or 'val', not {threshold!r}.")
    start = time.perf_counter()
    labels: Labels = {part: labels_of(task, part) for part in ("train", "val")}
    trained = model.fit(task, labels, seeds)
    outputs: dict[Part, Outputs] = {part: trained.outputs(part) for part in ("train", "val")}
    replicas = len(outputs["val"].logits)
    thresholds = (0.0,) * replicas
    if task.multilabel and threshold == "val":
        logits = outputs["val"].logits
        thresholds = tuple(best_threshold(labels["val"], part) for part in logits)
    # Nothing above this line has seen a label of the test part, nothing below changes the model.
    outputs["test"] = trained.outputs("test")
    labels["test"] = labels_of(task, "test")
    asked: tuple[Part, ...] = ("val", "test")
    facts: dict[str, Any] = dict(trained.facts)
    ties = best_of_ties(labels["test"], outputs["test"].tied, thresholds)
    if ties is not None:
        facts["notes"] = (*facts.get("notes", ()), _tie_note(model.name, ties))
    before = facts.pop("seconds_before", 0.0)  # of a run that was killed
    return Result(
        model=model.name,
        data=data_facts(task),
        seeds=tuple(seeds[:replicas]),
        scores={p: part_scores(labels[p], outputs[p].logits, thresholds) for p in asked},
        class_scores={
            p: class_scores(task, labels[p], outputs[p].logits, thresholds) for p in asked
        },
        seconds=before + time.perf_counter() - start,
        thresholds=thresholds,
        outputs=outputs,
        published_ties=ties,
        **facts,
    )


def _tie_note(name: str, ties: Summary) -> str:
    score = f"{100 * ties.mean:.1f} ± {100 * ties.sd:.1f}"
    return (
        f"{name}: test micro-F1 {score} by the published rule, the best test score among the epochs"
        " that tie on validation; it looks at the test part many times, so compare it with"
        " published numbers only."
    )


def labels_of(task: SubgraphTask, part: Part) -> Array:
    """The labels of one part."""
    assert task.labels is not None
    assert task.split is not None
    return np.array(task.labels[task.split.mask(part)])


def check(task: SubgraphTask) -> None:
    """Raise unless there is something to learn, to choose by and to test on."""
    if task.labels is None:
        raise DataError("the task has no labels to learn.")
    if task.split is None:
        raise DataError(
            "the task is not split; use task.with_split(Split.random(task.labels)), or give each"
            " subgraph train, val or test."
        )
    parts: tuple[Part, ...] = ("train", "val", "test")
    for part in parts:
        if not task.split.count(part):
            raise DataError(
                f"there is no {part} subgraph; split anew with task.with_split(Split.random("
                "task.labels)), or use repeated random splits (--splits 10)."
            )
    occurring = np.flatnonzero(task.label_counts().sum(axis=0))
    if not task.multilabel and len(occurring) < 2:
        only = task.class_names[occurring[0]]
        raise DataError(f"all subgraphs have the class {only!r}; nothing to learn.")
    if not task.multilabel and task.split.count("train") < len(occurring):
        raise DataError(
            f"{task.split.count('train')} training subgraphs are fewer than the"
            f" {len(occurring)} classes; every class needs one at least."
        )
    task.require_learnable()


def seed_list(seeds: int | Sequence[int]) -> list[int]:
    """A number of seeds as 10, 11, … (the published ones), or the seeds themselves."""
    if isinstance(seeds, bool) or (isinstance(seeds, int) and seeds < 1):
        raise ConfigError(f"at least one seed is needed, found {seeds!r}.")
    chosen = list(range(FIRST_SEED, FIRST_SEED + seeds)) if isinstance(seeds, int) else list(seeds)
    if not chosen or len(set(chosen)) != len(chosen) or min(chosen) < 0:
        raise ConfigError(f"seeds are different whole numbers from 0, found {chosen}.")
    return chosen


def random_splits(
    task: SubgraphTask, count: int, parts: tuple[float, float, float] | None = None
) -> list[SubgraphTask]:
    """The task under repeated stratified random splits.

    The same for every model, since they depend on the task alone.

    Args:
        task: With labels.
        count: How many.
        parts: Shares of train, val and test; by default those of the task's own split.
    """
    if count < 2:
        raise ConfigError(f"repeated splits are two at least, found {count}.")
    if task.labels is None:
        raise DataError("the task has no labels to learn.")
    fractions = parts or (0.8, 0.1, 0.1)
    if parts is None and task.split is not None:
        names: tuple[Part, ...] = ("train", "val", "test")
        sizes = np.array([task.split.count(part) for part in names], float)
        if sizes.all():
            fractions = tuple(sizes / sizes.sum())
    virtual = np.zeros(len(task), bool) if task.split is None else task.split.mask("virtual")
    tasks = []
    for number in range(count):
        codes = np.ones(len(task), np.int8)  # virtual subgraphs stay what they are
        drawn = Split.random(task.labels[~virtual], fractions=fractions, seed=number)
        codes[~virtual] = drawn.codes
        if parts is not None and len(np.unique(drawn.codes)) < 3:
            raise ConfigError(
                f"with {(~virtual).sum()} subgraphs, these shares leave a part without any; use"
                " larger ones."
            )
        tasks.append(task.with_split(Split(codes)))
    return tasks
