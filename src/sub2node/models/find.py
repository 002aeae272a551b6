"""Find a model by name: the network of a structure, or a baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from ..base.errors import ConfigError
from ..base.ragged import Array
from ..coarsen import parse_coarsen
from ..config import STRUCTURES
from ..config.best_settings import NAME as BEST
from ..config.preset_resolver import baseline_of
from ..config.unused_settings import unused_note
from ..task import SubgraphTask
from .baseline import baseline
from .best import BestModel, best_model
from .candidates import NetworkOptions
from .graph_network import GraphNetwork
from .interface import Model, ModelSpec
from .presets import find_best, find_preset

if TYPE_CHECKING:
    from torch import nn


class ModelOptions(NetworkOptions, total=False):
    """Options of networks and baselines; as the arguments of :func:`sub2node.run`."""

    settings: Mapping[str, object] | None


def find_model(
    task: SubgraphTask,
    name: str | None,
    *,
    structure: str | None,
    conv: str | Callable[..., nn.Module] | None,
    preset: str,
    coarsen: str | None = None,
    **options: Unpack[ModelOptions],
) -> ModelSpec[Model]:
    """The network of a structure, the baseline of this name, or ``best``.

    Without a name, a preset file that is a baseline's stands for it.

    Args:
        task: The task to learn.
        name: A baseline or a structure; None: the structure, or what the preset file is for.
        structure: How subgraphs are presented to the network.
        conv: The convolution, by name or as a class.
        preset: Name of a preset, or the path of a TOML file.
        coarsen: Method and ratio of the virtual subgraphs of CoS2N.
        options: Further arguments of :func:`sub2node.run`.
    """
    if name in STRUCTURES and structure is None:
        name, structure = None, name
    if name is None and structure is None and conv is None:
        name = baseline_of(preset)
    if name is None:
        return network(
            task, structure=structure, conv=conv, preset=preset, coarsen=coarsen, **options
        )
    choices = {"structure": structure, "convolution": conv, "coarsening": coarsen}
    for kind, choice in choices.items():
        if choice is not None:
            raise ConfigError(f"{name} has no {kind} to choose; omit it.")
    if name == BEST:
        return _best(task, preset, **options)
    return baseline(task, name, preset=preset, **options)


def _best(task: SubgraphTask, preset: str, **options: Unpack[ModelOptions]) -> ModelSpec[BestModel]:
    """The ensemble; the preset is that of its networks, or a file with its own settings."""
    changes = options.pop("settings", None) or {}
    settings = find_best(preset, task).config.with_settings(changes)
    networks = "default" if preset.endswith(".toml") else preset
    model = best_model(
        task,
        preset=networks,
        settings=settings,
        device=options.get("device", "auto"),
        encodings=options.get("encodings"),
        compile=options.get("compile", "auto"),
    )
    return ModelSpec(model, preset, ())


def with_groups(
    spec: ModelSpec[Model], groups: str | Sequence[Any] | Array | None
) -> ModelSpec[Model]:
    """The model, whose folds keep groups together if it is ``best``.

    Args:
        spec: The model.
        groups: One value per row of the task, or the name of an attribute; None: there are none.
    """
    if groups is None or not isinstance(spec.model, BestModel):
        return spec
    return replace(spec, model=replace(spec.model, groups=groups))


def network(
    task: SubgraphTask,
    *,
    structure: str | None,
    conv: str | Callable[..., nn.Module] | None,
    preset: str,
    settings: Mapping[str, object] | None = None,
    coarsen: str | None = None,
    **options: Unpack[NetworkOptions],
) -> ModelSpec[GraphNetwork]:
    """The network of a structure, with the settings of a preset and changes to them."""
    own, conv_name = (None, conv) if conv is None or isinstance(conv, str) else (conv, "own")
    resolved = find_preset(preset, task, structure, conv_name)
    if options.get("encodings") is not None:
        resolved = resolved.without_given()
    resolved = resolved.with_settings({**(settings or {}), **_coarsening_settings(coarsen)})
    if coarsen is not None:
        if not resolved.config.structure.coarsened:
            raise ConfigError(
                f"coarsening is for cos2n+0 and cos2n+a, not for {resolved.config.structure}."
            )
        if task.num_virtual:
            raise ConfigError("the data brings virtual subgraphs; omit the coarsening.")
    model = GraphNetwork(resolved.candidates, conv=own, **options)
    model.check()
    encoded = options.get("encodings") is not None
    notes = unused_note(resolved.candidates, settings or (), model.name, encoded=encoded)
    return ModelSpec(model, resolved.name, (*resolved.notes, *notes))


def _coarsening_settings(text: str | None) -> dict[str, str | float]:
    if text is None:
        return {}
    method, ratio = parse_coarsen(text)
    return {"coarsening.method": method, "coarsening.ratio": ratio}
