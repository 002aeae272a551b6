"""Which settings a cell is run with: tuned here, else the paper's, else the package's."""

from __future__ import annotations

from typing import Any

from ..base.errors import ConfigError
from ..config import Config
from ..models import Preset, find_baseline, find_preset
from ..task import SubgraphTask
from .paper_data import SYNTHETIC_DATA, paper_dataset

PRESETS = ("tuned", "paper", "default")
PRESET_ORIGINS = {
    "tuned": "chosen by searches on train and val, without the test part",
    "paper": "published with the paper, whose authors chose them by test score",
    "default": "the package's own, chosen on validation of other data",
}


def settings_for(task: SubgraphTask, structure: str, conv: str) -> Preset[Config]:
    """Settings for a structure and a convolution on this data; their name says which.

    The first of ``tuned``, ``paper`` and ``default`` that has some. A stand-in takes the paper's
    for the dataset whose place it has.

    Args:
        task: The data to train on.
        structure: One of the six structures.
        conv: The name of the convolution.
    """
    dataset = paper_dataset(task.name)
    for name in PRESETS:
        if name == "default":
            break
        preset_name = f"paper:{dataset}" if name == "paper" and dataset != task.name else name
        try:
            return find_preset(preset_name, task, structure, conv)
        except ConfigError:
            continue
    return find_preset("default", task, structure, conv)


def baseline_for(task: SubgraphTask, name: str) -> Preset[Any]:
    """Settings of a baseline: the published ones for this dataset, else the package's.

    A stand-in has its own where what was published depends on the data, else takes those for the
    dataset whose place it has.

    Args:
        task: The data to train on.
        name: The baseline.
    """
    for preset_name in ("paper", f"paper:{paper_dataset(task.name)}"):
        try:
            return find_baseline(name, preset_name, task)
        except ConfigError:
            continue
    return find_baseline(name, "default", task)


def preset_kind(preset_name: str) -> str:
    """``tuned``, ``paper`` or ``default`` for the name of a preset."""
    return preset_name.partition(":")[0]


def changes_for(
    preset: Preset[Any], column: str, encoding: str, *, quick: bool
) -> dict[str, object]:
    """What to change in settings so that a cell is as in the paper, where the data allow it.

    Real data enter with vectors pre-trained to predict links (the published ones are not at hand),
    synthetic ones with constants, and encodings are as the row says.

    Args:
        preset: The settings to change.
        column: The dataset of the paper.
        encoding: ``none``, ``rwpe`` or ``lappe``; empty: as the settings have it.
        quick: Vectors start at random instead, which takes no time.
    """
    config, changes = preset.config, dict[str, object]()
    kind = config.features.kind
    if column in SYNTHETIC_DATA:
        features_kind = "constant" if preset_kind(preset.name) == "default" else kind
    else:
        features_kind = "link" if kind == "random" and preset_kind(preset.name) != "tuned" else kind
        features_kind = "random" if quick and features_kind == "link" else features_kind
    if features_kind != kind or len(preset.candidates) > 1:
        changes["features.kind"] = features_kind
    if encoding and config.features.encoding != encoding:
        changes["features.encoding"] = encoding
    return changes
