"""Settings of networks and baselines by the name of a preset."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..base.errors import ConfigError, suggest
from ..baselines import MODELS, BatchModel
from ..config import Config
from ..config.best_settings import NAME as BEST
from ..config.best_settings import BestSettings
from ..config.preset_resolver import NETWORKS, Preset, PresetFamily, resolve_preset
from ..task import SubgraphTask

_MOST_NUMBERS = 1 << 26  # of singular vectors of all nodes
_NARROW = 64  # columns of random vectors instead


def find_preset(
    name: str, task: SubgraphTask, structure: str | None = None, conv: str | None = None
) -> Preset[Config]:
    """Settings by name for a structure and a convolution.

    Args:
        name: Name of a preset, as in :func:`sub2node.config.preset_resolver.resolve_preset`.
        task: The task that they are for.
        structure: How subgraphs are presented to the model; None: as in the file, or s2n+a.
        conv: The convolution by name; None: as in the file, or gcn2.
    """
    choices = {"structure": structure, "conv": conv}
    preset = resolve_preset(
        name,
        NETWORKS,
        dataset=task.name,
        has_features=task.graph.features is not None,
        chosen={key: value for key, value in choices.items() if value is not None},
    )
    return preset if name.endswith(".toml") else _affordable(preset, task)


def _affordable(preset: Preset[Config], task: SubgraphTask) -> Preset[Config]:
    """With narrow random vectors where singular vectors of all nodes would be too many numbers.

    So too where the graph stays on disk, of which there are none.
    """
    nodes, narrowed, notes = task.graph.full_size, [], list(preset.notes)
    for config in preset.candidates:
        width = config.features.width
        on_disk = task.graph.whole is not None
        if config.features.kind == "svd" and (on_disk or nodes * width > _MOST_NUMBERS):
            why = "would be too many numbers"
            notes.append(
                f"singular vectors of {nodes:,} nodes"
                f" {'need the whole graph in memory' if on_disk else why}; vectors of {_NARROW}"
                " columns start at random instead (features.kind, features.width)."
            )
            changes = {"features.kind": "random", "features.width": min(width, _NARROW)}
            narrowed.append(config.with_settings({**changes, "features.scale": 0.1}))
    if not narrowed:
        return preset
    others = [c for c in preset.candidates if c.features.kind not in ("svd", "random")]
    candidates = (*narrowed, *others)
    return replace(preset, candidates=candidates, notes=tuple(dict.fromkeys(notes)))


def find_baseline(name: str, preset: str, task: SubgraphTask) -> Preset[Any]:
    """Settings of a baseline by name.

    Args:
        name: Name of the baseline.
        preset: ``default``, ``fast``, ``paper`` (the published settings for this dataset),
            ``paper:ppi_bp`` (those for another one), or the path of a TOML file, such as the
            ``config.toml`` of a run.
        task: The task that they are for.
    """
    if name == BEST:
        return find_best(preset, task)
    if name not in MODELS:
        raise ConfigError(f"there is no model {name!r}.{suggest(name, MODELS)}")
    model = MODELS[name]
    file = model.presets if isinstance(model, BatchModel) else ""
    family = PresetFamily(model.settings, baseline=name, file=file)
    has_features = task.graph.features is not None
    found = resolve_preset(preset, family, dataset=task.name, has_features=has_features)
    if preset.endswith(".toml"):
        return found
    return replace(found, candidates=tuple(for_part(one, task) for one in found.candidates))


def for_part(settings: Any, task: SubgraphTask) -> Any:
    """Defaults that need the whole graph, as what works on a part of one on disk.

    Args:
        settings: Settings of a baseline; those for a graph in memory stay what they are.
        task: The task that they are for.
    """
    if task.graph.whole is None:
        return settings
    features = getattr(settings, "features", None)
    if features is None or features.kind not in ("svd", "link"):
        return settings
    if task.graph.features is None and settings.has("inputs"):
        return settings.with_settings({"inputs": "statistics"})
    kind = "given" if task.graph.features is not None else "random"
    return settings.with_settings({"features.kind": kind, "features.encoding": "none"})


def find_best(preset: str, task: SubgraphTask) -> Preset[BestSettings]:
    """Settings of ``best``: its own where the preset is a file of them, else the default."""
    if not preset.endswith(".toml"):
        return Preset(preset, (BestSettings(),))
    family = PresetFamily(BestSettings, baseline=BEST)
    return resolve_preset(preset, family, dataset=task.name, has_features=False)
