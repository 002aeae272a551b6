"""Checks of a model folder before a network is built from it.

The digests of a folder reveal damage; these checks reveal a card that fits its digests and still
makes no sense.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from numbers import Real

import numpy as np
import torch
from torch import Tensor

from ..base.errors import DataError
from ..base.records import JsonObject
from ..config import Config
from ..encode import SubgraphScale
from ..task import Names, SubgraphTask

_MOST_SEEDS = 10_000
_SPARE_NODES = 100  # nodes per edge, beside a million, above which the number makes no sense


def check_facts(facts: JsonObject) -> None:
    """Raise unless ``model.json`` has the required fields, of the right types."""
    for name in ("graph", "card", "files"):
        if not isinstance(facts.get(name), dict):
            raise DataError(f"model.json: {name!r} is missing or no object.")
    classes = facts.get("classes")
    if not isinstance(classes, list) or not classes or not all(isinstance(c, str) for c in classes):
        raise DataError("model.json: 'classes' must be a list of names.")
    _check_number(facts, "threshold", 0.0, 1.0)
    graph = facts["graph"]
    if type(graph.get("nodes")) is not int or not 0 < graph["nodes"] < 2**40:
        raise DataError("model.json: the number of nodes makes no sense.")
    if not isinstance(graph.get("reference"), str | None) or not isinstance(graph.get("hash"), str):
        raise DataError("model.json: the reference to the graph makes no sense.")
    if not isinstance(facts.get("name"), str) or not isinstance(facts.get("multilabel"), bool):
        raise DataError("model.json: 'name' must be text, and 'multilabel' true or false.")
    _check_card(facts["card"], len(classes))


def check_network_facts(facts: JsonObject, *, simple: bool = False) -> None:
    """Raise unless the facts of a network, or of a simple model, have the right types."""
    if not simple and not isinstance(facts.get("config"), dict):
        raise DataError("model.json: 'config' is missing or no object.")
    seeds = facts.get("seeds")
    whole_numbers = isinstance(seeds, list) and all(
        type(seed) is int and seed >= 0 for seed in seeds
    )
    if not whole_numbers or not 0 < len(seeds) <= _MOST_SEEDS:  # type: ignore[arg-type]
        raise DataError("model.json: 'seeds' must be a list of whole numbers from 0.")
    _check_number(facts, "temperature", 1e-6, 1e6)


def _check_number(facts: JsonObject, name: str, low: float, high: float) -> None:
    value = facts.get(name)
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not low <= value <= high:  # type: ignore[operator]
        raise DataError(f"model.json: {name!r} must be between {low:g} and {high:g}.")


def _check_card(card: JsonObject, classes: int) -> None:
    """Check the fields of the card that the rest of the package reads."""
    if not all(isinstance(card.get(name, {}), dict) for name in ("estimator", "data", "test")):
        raise DataError("model.json: the card's facts must be objects.")
    scores, notes = card.get("validation"), card.get("notes")
    if not isinstance(scores, dict) or not all(isinstance(v, Real) for v in scores.values()):
        raise DataError("model.json: the card's validation scores must be numbers.")
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise DataError("model.json: the card's notes must be a list of sentences.")
    labels = card.get("labels", [0] * classes)
    plain = isinstance(labels, list) and all(isinstance(v, str | int | float) for v in labels)
    if not plain or len(labels) != classes or len({type(v) for v in labels}) > 1:
        raise DataError("model.json: the card's labels must be one per class, all of one type.")


def check_number_of_nodes(nodes: int, *, edges: int, names: Names | None) -> None:
    """Raise for a number of nodes that the files do not bear out, before memory is taken for it."""
    if names is not None and len(names) != nodes:
        raise DataError(f"model.json says {nodes:,} nodes; nodes.parquet has {len(names):,}.")
    if names is None and nodes > _SPARE_NODES * edges + 10**6:
        raise DataError(f"model.json says {nodes:,} nodes, with only {edges:,} edges.")


def check_content(
    facts: JsonObject,
    config: Config,
    *,
    task: SubgraphTask,
    table: Tensor,
    state: Mapping[str, Tensor],
    scale: SubgraphScale | None,
) -> None:
    """Raise unless arrays and settings fit each other, before a network is built from them."""
    if task.multilabel != facts["multilabel"] or task.split is None:
        raise DataError("labels and model.json do not agree on whether there may be several.")
    if task.split.visible("train") != len(task) or not task.split.count("train"):
        raise DataError("the known subgraphs must be training or virtual ones.")
    seeds, nodes = len(facts["seeds"]), task.graph.num_nodes
    fits = table.dim() == 3 and table.shape[0] in (1, seeds) and table.shape[1] in (1, nodes)
    if not fits or not table.shape[2]:
        raise DataError(f"the node vectors have the shape {tuple(table.shape)}.")
    for name, tensor in (("the node vectors", table), *state.items()):
        if tensor.dtype != torch.float32 or not tensor.isfinite().all():
            raise DataError(f"{name} must be finite numbers of 32 bits.")
    _check_shapes(config, state, seeds)
    if scale is not None:
        _check_scale(scale, state.get("known.linear.weight"))


def _check_shapes(config: Config, state: Mapping[str, Tensor], seeds: int) -> None:
    """Raise unless the parameters have the sizes that the settings name."""
    head = state.get("head.weight")
    if head is None or head.dim() != 3 or head.shape[:2] != (seeds, config.model.hidden):
        raise DataError("the parameters do not have the width that the settings name.")
    outer = "outer" if config.structure.translated else "encoder"
    layer_counts = {outer: config.model.layers}
    if config.structure.inner:
        layer_counts["inner"] = config.model.inner_layers
    for part, layers in layer_counts.items():
        numbers = {m[1] for name in state if (m := re.match(rf"{part}\.layers\.(\d+)\.", name))}
        if len(numbers) != layers:
            raise DataError(f"the {part} layers number {len(numbers)}; the settings name {layers}.")


def _check_scale(scale: SubgraphScale, weight: Tensor | None) -> None:
    width = len(scale.mean)
    columns = [scale.mean, scale.sd, *([] if scale.heights is None else [scale.heights])]
    sound = all(c.shape == (width,) and np.isfinite(c).all() for c in columns)
    edges = scale.edges if scale.heights is not None else ()
    sound = sound and all(e.ndim == 1 and np.isfinite(e).all() for e in edges)
    inputs = width + sum(map(len, edges))
    fits = weight is not None and weight.dim() == 3 and weight.shape[1] == inputs
    if not sound or not fits or not (scale.sd > 0).all() or len(edges) not in (0, width):
        raise DataError("the scales of the statistics make no sense.")
