"""Which settings a cell is run with: tuned here, else the paper's, else the package's."""

from __future__ import annotations

from typing import Any

from ...errors import ConfigError
from ...task import SubgraphTask
from ...train import find_baseline, find_preset
from ...train.presets import Preset
from .columns import MADE, row_of

PRESETS = ("tuned", "paper", "default")
WORDS = {
    "tuned": "chosen by searches on train and val, without the test part",
    "paper": "published with the paper, whose authors chose them by test score",
    "default": "the package's own, chosen on validation of other data",
}


def settings_for(task: SubgraphTask, structure: str, conv: str) -> Preset:
    """Settings for a structure and a convolution on this data; their name says which.

    The first of ``tuned``, ``paper`` and ``default`` that has some. A stand-in takes the paper's
    for the dataset whose place it has.

    Args:
        task: The data.
        structure: One of the six.
        conv: The convolution by name.
    """
    dataset = row_of(task.name)
    for name in PRESETS:
        if name == "default":
            break
        asked = f"paper:{dataset}" if name == "paper" and dataset != task.name else name
        try:
            return find_preset(asked, task, structure, conv)
        except ConfigError:
            continue
    return find_preset("default", task, structure, conv)


def baseline_for(task: SubgraphTask, name: str) -> Preset:
    """Settings of a baseline: the published ones for this dataset, else the package's."""
    dataset = row_of(task.name)
    try:
        return find_baseline(name, "paper" if dataset == task.name else f"paper:{dataset}", task)
    except ConfigError:
        return find_baseline(name, "default", task)


def kind_of(preset: str) -> str:
    """``tuned``, ``paper`` or ``default`` for the name of a preset."""
    return preset.partition(":")[0]


def changes_for(found: Preset, column: str, encoding: str, *, quick: bool) -> dict[str, Any]:
    """What is changed of settings so that a cell is as in the paper, where the data allow it.

    Real data enter with vectors pre-trained to predict links (the published ones are not at hand),
    synthetic ones with constants, and encodings are as the row says.

    Args:
        found: The settings.
        column: The dataset of the paper.
        encoding: ``none``, ``rwpe`` or ``lappe``; empty: as the settings have it.
        quick: Vectors start at random instead, which takes no time.
    """
    config, changes = found.config, dict[str, Any]()
    kind = config.features.kind
    if column in MADE:
        wanted = "constant" if kind_of(found.name) == "default" else kind
    else:
        wanted = "link" if kind == "random" and kind_of(found.name) != "tuned" else kind
        wanted = "random" if quick and wanted == "link" else wanted
    if wanted != kind or len(found.candidates) > 1:
        changes["features.kind"] = wanted
    if encoding and config.features.encoding != encoding:
        changes["features.encoding"] = encoding
    return changes
