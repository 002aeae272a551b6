"""Named settings of baselines."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from ..baselines import MODELS, BatchModel
from ..errors import ConfigError, DataError, suggest
from ..settings import Settings, flatten
from ..task import SubgraphTask
from .presets import NAMES, Preset, own_notes, read_toml

_FOLDER = files("sub2node") / "presets" / "baselines"


def find_baseline(name: str, preset: str, task: SubgraphTask) -> Preset:
    """Settings of a baseline by name.

    Args:
        name: Of the baseline.
        preset: ``default``, ``fast``, ``paper`` (the published settings for this dataset),
            ``paper:ppi_bp`` (those for another one), or the path of a TOML file, such as the
            ``config.toml`` of a run.
        task: The data they are for.
    """
    if name not in MODELS:
        raise ConfigError(f"there is no model {name!r}.{suggest(name, MODELS)}")
    if preset.endswith(".toml"):
        return _own(name, preset)
    kind, _, dataset = preset.partition(":")
    if kind not in NAMES or (dataset and kind != "paper"):
        raise ConfigError(
            f"there is no preset {preset!r}.{suggest(kind, NAMES)} A TOML file can be one too."
        )
    tree = _read(name)
    if not tree and kind != "default":
        raise ConfigError(f"{name} has no settings but its default; leave out the preset {kind!r}.")
    if kind == "paper":
        return _paper(name, preset, dataset or task.name, tree)
    fast = dict(flatten(tree.get("fast", {}))) if kind == "fast" else {}
    return Preset(preset, tuple(_default(name, tree, fast, task)))


def baseline_of(preset: str) -> str | None:
    """The baseline that a TOML file has settings for; None where it is no such file."""
    if not preset.endswith(".toml"):
        return None
    found = read_toml(preset).get("baseline")
    return None if found is None else str(found)


def _read(name: str) -> dict[str, Any]:
    """The presets of a baseline, by section; empty where it has none."""
    model = MODELS[name]
    if not isinstance(model, BatchModel):
        return {}
    file = _FOLDER / f"{model.presets}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _settings(name: str, section: dict[str, Any]) -> dict[str, Any]:
    """Those of a section that the baseline has."""
    kind = MODELS[name].settings
    return {key: value for key, value in flatten(section) if kind.has(key)}


def _default(
    name: str, tree: dict[str, Any], fast: dict[str, Any], task: SubgraphTask
) -> list[Settings]:
    """With vectors of the nodes' own and with constants, or one for all where there is no such."""
    base = MODELS[name].settings()
    given = task.graph.features is not None
    if not isinstance(MODELS[name], BatchModel):
        known = {"features.kind": "given"} if given and hasattr(base, "features") else {}
        return [base.with_settings(known)]
    kinds = {"identity": "given" if given else "random", "shape": "constant"}
    return [
        base.with_settings({**_settings(name, tree[section]), **fast, "features.kind": kind})
        for section, kind in kinds.items()
        if section in tree
    ]


def _paper(name: str, preset: str, dataset: str, tree: dict[str, Any]) -> Preset:
    known = tree["paper"]
    if dataset not in known:
        raise ConfigError(
            f"there are no published settings of {name} for {dataset or 'this data'!r}; there are"
            f" some for {', '.join(known)}: say paper:NAME to use those of one of them, or --preset"
            " default."
        )
    notes = [f"published settings: {note}." for note in known[dataset].get("notes", [])]
    settings = MODELS[name].settings().with_settings(_settings(name, known[dataset]))
    return Preset(preset, (settings,), tuple(notes))


def _own(name: str, preset: str) -> Preset:
    tree = dict(read_toml(preset))
    meant = tree.pop("baseline", name)
    if meant != name:
        raise ConfigError(f"{preset} has settings for {meant!r}, not for {name!r}.")
    settings = dict(flatten(tree))
    notes = own_notes(preset, settings)
    try:
        config = MODELS[name].settings().with_settings(settings)
        return Preset(preset, (config,), notes, "features.join" in settings)
    except ConfigError as error:
        raise DataError(str(error), path=preset) from None
